/* `sinew msgs`: the package `sinew_msgs` for ROS 1 and ROS 2, from the message descriptors. The
 * build runs it; the package is installed with the program. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "msg/wire/msg_schema.h"
#include "robot_tools/msgs_list.h"

enum { PATH_SIZE = 4096 };

static FILE *open_file(const char *folder, const char *name) {
  char path[PATH_SIZE];
  FILE *out = NULL;
  errno = ENAMETOOLONG;
  if (snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path) {
    out = fopen(path, "w");
  }
  if (out == NULL) {
    fprintf(stderr, "sinew msgs: cannot write %s/%s: %s\n", folder, name, strerror(errno));
  }
  return out;
}

static bool close_file(FILE *out, const char *folder, const char *name) {
  const bool is_written = ferror(out) == 0;
  if (fclose(out) != 0 || !is_written) {
    fprintf(stderr, "sinew msgs: cannot write %s/%s: %s\n", folder, name, strerror(errno));
    return false;
  }
  return true;
}

/* The fields of a type; its schema continues with the types that it uses. */
static void put_fields(FILE *out, const sn_msg_type *type, bool is_ros1) {
  char text[16384];
  const size_t size = is_ros1 ? sn__msg_schema_ros1(type, text, sizeof text)
                              : sn__msg_schema_ros2(type, text, sizeof text);
  const char *end = strstr(text, "\n====");
  fwrite(text, 1, end != NULL ? (size_t)(end + 1 - text) : size, out);
}

static bool put_message(const char *folder, const sn_msg_type *type, bool is_ros1) {
  char name[2 * MSGS_NAME_SIZE];
  snprintf(name, sizeof name, "%smsg/%s.msg", is_ros1 ? "" : "ros2/", type->name);
  FILE *out = open_file(folder, name);
  if (out == NULL) {
    return false;
  }
  fprintf(out, "# %s\n", type->brief);
  put_fields(out, type, is_ros1);
  return close_file(out, folder, name);
}

static bool put_service(const char *folder, const msgs_service *s, bool is_ros1) {
  char name[2 * MSGS_NAME_SIZE];
  snprintf(name, sizeof name, "%ssrv/%s.srv", is_ros1 ? "" : "ros2/", s->name);
  FILE *out = open_file(folder, name);
  if (out == NULL) {
    return false;
  }
  fprintf(out, "# %s\n", s->doc);
  if (s->request != NULL) {
    put_fields(out, s->request, is_ros1);
  }
  fputs("---\n", out);
  if (s->response != NULL) {
    put_fields(out, s->response, is_ros1);
  }
  return close_file(out, folder, name);
}

/* The content of a message of an action is its last field. */
static const sn_msg_type *part_of(const sn_msg_type *message) {
  return message->fields[message->field_count - 1].nested;
}

static bool put_action(const char *folder, const sn__action_types *action, bool is_ros1) {
  const sn_msg_type *const parts[] = {part_of(action->send_request),
                                      part_of(action->result_response),
                                      part_of(action->feedback_message)};
  char name[2 * MSGS_NAME_SIZE];
  snprintf(name, sizeof name, "%saction/%s.action", is_ros1 ? "" : "ros2/",
           strrchr(action->name, '/') + 1);
  FILE *out = open_file(folder, name);
  if (out == NULL) {
    return false;
  }
  for (size_t i = 0; i < 3; i++) {
    fprintf(out, "%s# %s\n", i == 0 ? "" : "---\n", parts[i]->brief);
    put_fields(out, parts[i], is_ros1);
  }
  return close_file(out, folder, name);
}

static bool make_folders(const char *folder) {
  static const char *const names[] = {"",      "/msg",      "/srv",      "/action",
                                      "/ros2", "/ros2/msg", "/ros2/srv", "/ros2/action"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[PATH_SIZE];
    errno = ENAMETOOLONG;
    if (snprintf(path, sizeof path, "%s%s", folder, names[i]) >= (int)sizeof path ||
        (mkdir(path, 0777) != 0 && errno != EEXIST)) {
      fprintf(stderr, "sinew msgs: cannot create folder %s%s: %s\n", folder, names[i],
              strerror(errno));
      return false;
    }
  }
  return true;
}

/* ---- build files ---- */

/* One package for both: $ROS_VERSION selects, as usual. */
static const char xml_head[] =
    "<?xml version=\"1.0\"?>\n"
    "<package format=\"3\">\n"
    "  <name>sinew_msgs</name>\n"
    "  <version>" SINEW_VERSION
    "</version>\n"
    "  <description>Messages, services and actions of Sinew.</description>\n"
    "  <maintainer email=\"sinew@example.org\">The Sinew developers</maintainer>\n"
    "  <license>Apache-2.0</license>\n"
    "  <buildtool_depend condition=\"$ROS_VERSION == 1\">catkin</buildtool_depend>\n"
    "  <buildtool_depend condition=\"$ROS_VERSION == 2\">ament_cmake</buildtool_depend>\n"
    "  <buildtool_depend condition=\"$ROS_VERSION == 2\">rosidl_default_generators"
    "</buildtool_depend>\n"
    "  <build_depend condition=\"$ROS_VERSION == 1\">message_generation</build_depend>\n"
    "  <exec_depend condition=\"$ROS_VERSION == 1\">message_runtime</exec_depend>\n"
    "  <depend condition=\"$ROS_VERSION == 1\">actionlib_msgs</depend>\n"
    "  <depend condition=\"$ROS_VERSION == 2\">action_msgs</depend>\n"
    "  <depend condition=\"$ROS_VERSION == 2\">builtin_interfaces</depend>\n"
    "  <exec_depend condition=\"$ROS_VERSION == 2\">rosidl_default_runtime</exec_depend>\n";

static const char xml_tail[] =
    "  <member_of_group condition=\"$ROS_VERSION == 2\">rosidl_interface_packages"
    "</member_of_group>\n"
    "  <export>\n"
    "    <build_type condition=\"$ROS_VERSION == 1\">catkin</build_type>\n"
    "    <build_type condition=\"$ROS_VERSION == 2\">ament_cmake</build_type>\n"
    "  </export>\n"
    "</package>\n";

static void put_package_xml(FILE *out, const msgs_list *list) {
  fputs(xml_head, out);
  for (size_t i = 0; i < list->package_count; i++) {
    fprintf(out, "  <depend>%s</depend>\n", list->packages[i]);
  }
  fputs(xml_tail, out);
}

static const char cmake_tail[] =
    "\n"
    "if(\"$ENV{ROS_VERSION}\" STREQUAL \"2\")\n"
    "  find_package(ament_cmake REQUIRED)\n"
    "  find_package(rosidl_default_generators REQUIRED)\n"
    "  find_package(builtin_interfaces REQUIRED)\n"
    "  find_package(action_msgs REQUIRED)\n"
    "  foreach(package IN LISTS packages)\n"
    "    find_package(${package} REQUIRED)\n"
    "  endforeach()\n"
    "  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/ros2)\n"
    "  file(GLOB files RELATIVE ${folder} CONFIGURE_DEPENDS ${folder}/msg/*.msg "
    "${folder}/srv/*.srv "
    "${folder}/action/*.action)\n"
    "  list(TRANSFORM files PREPEND ${folder}:)\n"
    "  rosidl_generate_interfaces(${PROJECT_NAME} ${files}\n"
    "    DEPENDENCIES builtin_interfaces action_msgs ${packages})\n"
    "  ament_export_dependencies(rosidl_default_runtime)\n"
    "  ament_package()\n"
    "else()\n"
    "  find_package(catkin REQUIRED COMPONENTS message_generation actionlib_msgs "
    "${packages})\n"
    "  add_message_files(DIRECTORY msg)\n"
    "  add_service_files(DIRECTORY srv)\n"
    "  add_action_files(DIRECTORY action)\n"
    "  generate_messages(DEPENDENCIES actionlib_msgs ${packages})\n"
    "  catkin_package(CATKIN_DEPENDS message_runtime actionlib_msgs ${packages})\n"
    "endif()\n";

static void put_cmake(FILE *out, const msgs_list *list) {
  fputs("cmake_minimum_required(VERSION 3.12)\nproject(sinew_msgs)\n\nset(packages", out);
  for (size_t i = 0; i < list->package_count; i++) {
    fprintf(out, " %s", list->packages[i]);
  }
  fputs(")\n", out);
  fputs(cmake_tail, out);
}

static bool put_build(const char *folder, const msgs_list *list, const char *name,
                      void (*put)(FILE *out, const msgs_list *list)) {
  FILE *out = open_file(folder, name);
  if (out == NULL) {
    return false;
  }
  put(out, list);
  return close_file(out, folder, name);
}

/* ---- the command ---- */

static bool put_all(const char *folder, const msgs_list *list) {
  bool is_good = make_folders(folder);
  for (int ros = 1; ros <= 2; ros++) {
    for (size_t i = 0; is_good && i < list->type_count; i++) {
      is_good = put_message(folder, list->types[i], ros == 1);
    }
    for (size_t i = 0; is_good && i < list->service_count; i++) {
      is_good = put_service(folder, &list->services[i], ros == 1);
    }
    for (size_t i = 0; is_good && i < list->action_count; i++) {
      is_good = put_action(folder, list->actions[i], ros == 1);
    }
  }
  return is_good && put_build(folder, list, "package.xml", put_package_xml) &&
         put_build(folder, list, "CMakeLists.txt", put_cmake);
}

static int run_msgs(void *arguments) {
  const char *folder = *(const char **)arguments;
  msgs_list *list = calloc(1, sizeof *list);
  if (list == NULL || !msgs_collect(list)) {
    fputs("sinew msgs: out of memory\n", stderr);
    free(list);
    return EXIT_FAULT;
  }
  const bool is_good = !list->is_bad && put_all(folder, list);
  if (is_good) {
    printf("%s: %zu messages, %zu services, %zu actions\n", folder, list->type_count,
           list->service_count, list->action_count);
  }
  free(list);
  return is_good ? EXIT_GOOD : EXIT_FAULT;
}

static const command_argument msgs_argument_table[] = {
    {"FOLDER", ARGUMENT_ONE, 0, "Folder to write to", WORD_FOLDER, NULL}, {0}};

const command command_msgs = {
    .name = "msgs",
    .purpose =
        "Write the ROS package sinew_msgs (ROS 1 and 2): definitions of messages, services "
        "and actions.",
    .arguments = msgs_argument_table,
    .size = sizeof(const char *),
    .run = run_msgs};
