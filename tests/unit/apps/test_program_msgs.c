/* `sinew msgs`, run as a program. tests/interop compares the definitions with the tools of ROS. */
#include <stdlib.h>

#include "msg/wire/msg_schema.h"
#include "program_rig.h"
#include "sinew/msg_types.h"
#include "sn_test.h"

static char *read_file(const char *name) {
  char path[256];
  size_t size = 0;
  snprintf(path, sizeof path, "%s/%s", program_folder, name);
  return sn_test_read_file(path, &size);
}

/* A definition is a comment and the first part of the schema that TCPROS and MCAP carry. */
SN_TEST(definitions_are_the_schemas) {
  program_expect("msgs sinew_msgs", 0);
  sn_assert_contains(program_run.output, " messages, ");
  for (size_t i = 0; i < sn_msg_type_count(); i++) {
    const sn_msg_type *type = sn_msg_type_at(i);
    if (strncmp(type->ros1_name, "sinew_msgs/", 11) != 0) {
      continue;
    }
    for (int ros = 1; ros <= 2; ros++) {
      char name[128];
      char schema[8192];
      snprintf(name, sizeof name, "sinew_msgs/%smsg/%s.msg", ros == 1 ? "" : "ros2/", type->name);
      char *text = read_file(name);
      assert_true((ros == 1 ? sn__msg_schema_ros1 : sn__msg_schema_ros2)(
                      type, schema, sizeof schema) < sizeof schema);
      const char *fields = strchr(text, '\n') + 1;
      assert_int_equal(text[0], '#');
      assert_int_equal(strncmp(schema, fields, strlen(fields)), 0);
      const char *rest = schema + strlen(fields);
      assert_true(*rest == '\0' || *rest == '='); /* all fields are present */
      free(text);
    }
  }
}

SN_TEST(services_have_a_request_and_a_response) {
  program_expect("msgs sinew_msgs", 0); /* again, into the same folder */
  char *text = read_file("sinew_msgs/srv/GetChainJoints.srv");
  sn_assert_contains(text, "\nstring name\n---\nstring[] names\n");
  free(text);
  text = read_file("sinew_msgs/ros2/srv/GetStop.srv");
  sn_assert_contains(text, "\n---\nstd_msgs/Header header\n");
  sn_assert_contains(text, "\nbuiltin_interfaces/Time since\n");
  free(text);
}

SN_TEST(write_errors_are_reported) {
  program_expect("msgs", 2);
  program_expect("msgs --folder", 2);
  program_expect("msgs a b", 2);
  program_expect("msgs no/such/folder", 3);
  sn_assert_contains(program_run.errors, "cannot create folder no/such/folder: No such file");
  program_expect("msgs sinew_msgs/package.xml", 3);
  sn_assert_contains(program_run.errors,
                     "cannot create folder sinew_msgs/package.xml/msg: Not a dir");
}

SN_TEST_GROUP(program_set_up, program_tear_down)
