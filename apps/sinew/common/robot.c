#include "common/robot.h"

#include <stdio.h>
#include <string.h>

#include "common/print.h"
#include "model/robot_file.h"

bool robot_load(robot *r, const char *path, const robot_options *options) {
  const char *properties = options->properties.count == 0 ? NULL : options->properties.items[0];
  *r = (robot){0};
  sn_arena_init_growing(&r->arena, "robot", 256 * 1024);
  sn_arena_init_growing(&r->report_arena, "problems", 64 * 1024);
  if (sn_report_create(&r->report_arena, &r->report, NULL) != SN_OK) {
    return false;
  }
  sn_robot_file file = {.urdf = path};
  const sn_status found =
      properties == NULL ? sn__robot_file_find(&r->report_arena, path, r->report, &file)
                         : sn_value_load(&r->report_arena, properties, r->report, &file.properties);
  if (found != SN_OK) {
    return found != SN_ENOMEM;
  }
  r->urdf = file.urdf;
  const sn_model_config config = {.properties = file.properties,
                                  .package_path = robot_package_path(options),
                                  .xacro_arguments = robot_xacro_arguments(options),
                                  .srdf_file = options->srdf};
  const sn_status status = sn_model_load(&r->arena, r->urdf, &config, r->report, &r->model, NULL);
  return status != SN_ENOMEM;
}

void robot_free(robot *r) {
  sn_arena_release(&r->arena);
  sn_arena_release(&r->report_arena);
}

int robot_require(robot *r, const char *path) {
  if (!robot_load(r, path, &(robot_options){0})) {
    return out_of_memory();
  }
  if (r->model == NULL) {
    problems_print(r->report);
    return EXIT_NO;
  }
  return EXIT_GOOD;
}

const command_argument chain_argument_table[] = {
    {"URDF", ARGUMENT_ONE, offsetof(chain_arguments, urdf),
     "The robot: a .urdf, .xacro or MJCF .xml, or a .yaml file that names one", WORD_FILE, NULL},
    {"BASE", ARGUMENT_ONE, offsetof(chain_arguments, base), "Link at the base of the chain",
     WORD_NAME, NULL},
    {"TIP", ARGUMENT_ONE, offsetof(chain_arguments, tip), "Link at its tip", WORD_NAME, NULL},
    {0}};

/* Add a folder to the path. */
static bool package_path_add(void *member, const char *folder) {
  char *path = member;
  const size_t used = strlen(path);
  if (*folder == '\0' || strchr(folder, ':') != NULL) {
    return false;
  }
  const int length =
      snprintf(path + used, PACKAGE_PATH_SIZE - used, "%s%s", used == 0 ? "" : ":", folder);
  return length > 0 && (size_t)length < PACKAGE_PATH_SIZE - used;
}

const char *robot_package_path(const robot_options *options) {
  return *options->package_path == '\0' ? NULL : options->package_path;
}

const char *const *robot_xacro_arguments(const robot_options *options) {
  return options->xacro_arguments.items; /* unused items are NULL */
}

/* `name:=value`; one item stays NULL, which ends the list. */
static bool xacro_argument_add(void *member, const char *argument) {
  text_list *list = member;
  const char *sign = strstr(argument, ":=");
  if (sign == NULL || sign == argument || list->count + 1 >= TEXT_LIST_MAX) {
    return false;
  }
  list->items[list->count++] = argument;
  return true;
}

#define PACKAGE_PATH_OPTION                                                        \
  {                                                                                \
    "--package-path", "DIR", OPTION_PARSED, offsetof(robot_options, package_path), \
        .help = "Folder with packages of meshes and xacro files; may be repeated", \
        .word = WORD_FOLDER, .parse = package_path_add,                            \
        .expected = "a folder without a colon in its name"                         \
  }

const command_option package_path_option_table[] = {PACKAGE_PATH_OPTION, {0}};

const command_option robot_option_table[] = {
    {"--properties", "FILE", OPTION_LIST, offsetof(robot_options, properties),
     .help = "Properties of the robot and of components; may be repeated", .word = WORD_FILE,
     .excludes = "--no-properties"},
    {"--no-properties", NULL, OPTION_FLAG, offsetof(robot_options, without_properties),
     .help = "Do not use the property file beside the robot"},
    PACKAGE_PATH_OPTION,
    {"--arg", "NAME:=VALUE", OPTION_PARSED, offsetof(robot_options, xacro_arguments),
     .help = "Argument of a robot in xacro; may be repeated", .parse = xacro_argument_add,
     .expected = "NAME:=VALUE"},
    {"--srdf", "FILE", OPTION_TEXT, offsetof(robot_options, srdf),
     .help = "SRDF of the robot, if it is not beside it; '' for none", .word = WORD_FILE},
    {0}};
