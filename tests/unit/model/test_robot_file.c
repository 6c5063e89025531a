#include "model/robot_file.h"
#include "program.h"
#include "robot.h"
#include "sn_test.h"

static char folder[64];
static sn_arena arena;
static sn_report *report;

static int set_up(void **state) {
  (void)state;
  sn_test_folder_create(folder);
  sn_arena_init_growing(&arena, "robot file", 0);
  assert_int_equal(sn_report_create(&arena, &report, NULL), SN_OK);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sn_test_folder_remove(folder);
  sn_arena_release(&arena);
  return 0;
}

static sn_status find(const char *name, const char *text, sn_robot_file *out) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (text != NULL) {
    sn_test_write(folder, name, text);
  }
  const char *copy = sn_arena_text(&arena, path, strlen(path)); /* places point to it */
  return sn__robot_file_find(&arena, copy, report, out);
}

SN_TEST(urdf_is_used_directly) {
  sn_robot_file file = {0};
  assert_int_equal(sn__robot_file_find(&arena, "no/such.urdf", report, &file), SN_OK);
  assert_string_equal(file.urdf, "no/such.urdf");
  assert_null(file.properties);
}

SN_TEST(property_file_names_its_robot_relative_to_itself) {
  static const struct {
    const char *name, *text, *urdf;
  } cases[] = {
      {"a.yaml", "robot: r.urdf\ngroups: {}\n", "r.urdf"},
      {"b.yml", "groups: {}\nrobot: deep/er.urdf\n", "deep/er.urdf"},
      {"c.cpf",
       "<properties><simple name='robot' type='string'><value>../x.urdf</value></simple>"
       "</properties>",
       "../x.urdf"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_robot_file file = {0};
    assert_int_equal(find(cases[i].name, cases[i].text, &file), SN_OK);
    char expected[128];
    snprintf(expected, sizeof expected, "%s/%s", folder, cases[i].urdf);
    assert_string_equal(file.urdf, expected);
    assert_non_null(sn_value_find(file.properties, "robot"));
  }
  sn_robot_file file = {0};
  assert_int_equal(find("d.yaml", "robot: /abs/r.urdf\n", &file), SN_OK);
  assert_string_equal(file.urdf, "/abs/r.urdf");
}

SN_TEST(file_without_a_robot_is_rejected) {
  sn_robot_file file = {0};
  assert_int_equal(find("a.yaml", "groups: {}\n", &file), SN_EINVAL);
  assert_int_equal(find("b.yaml", "robot: [r.urdf]\n", &file), SN_EINVAL);
  assert_int_equal(find("c.yaml", "", &file), SN_EINVAL);
  assert_int_equal(find("d.yaml", "robot: {\n", &file), SN_ESYNTAX);
  assert_int_equal(find("none.yaml", NULL, &file), SN_EIO);
  assert_null(file.urdf);
  const char *text = sn_test_problems(report);
  sn_assert_contains(text,
                     "/a.yaml:1:1: error: the file does not name a robot (robot: my_robot.urdf)\n");
  sn_assert_contains(text, "/b.yaml:1:1: error: the file does not name a robot");
  sn_assert_contains(text, "/c.yaml:1:1: error: the file does not name a robot");
}

SN_TEST_EACH(set_up, tear_down)
