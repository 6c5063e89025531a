#include "robot.h"

#include <unistd.h>

#include "sn_test.h"

#define FOLLOWS(name, parent, child, master)                                              \
  "<joint name='" name "' type='revolute'><parent link='" parent "'/><child link='" child \
  "'/><mimic joint='" master                                                              \
  "' multiplier='2' offset='0.5'/>"                                                       \
  "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"

const char sn_test_torso[] = "<robot name='torso'>" SN_TEST_LINK("base") SN_TEST_LINK("trunk")
    SN_TEST_LINK("l1") SN_TEST_LINK("l2") SN_TEST_LINK("l_hand") SN_TEST_LINK("l_virtual")
        SN_TEST_LINK("r1") SN_TEST_LINK("r2") SN_TEST_LINK("finger1") SN_TEST_LINK("finger2")
            SN_TEST_LINK("tail") SN_TEST_LINK("tail_tip") SN_TEST_LINK("camera") SN_TEST_MOVES(
                "tail_joint", "base", "tail") SN_TEST_FIXED("tail_end", "tail", "tail_tip")
                SN_TEST_MOVES("waist", "base", "trunk") SN_TEST_MOVES("r_elbow", "r1", "r2")
                    SN_TEST_MOVES("r_shoulder", "trunk", "r1") SN_TEST_MOVES(
                        "l_shoulder", "trunk", "l1") SN_TEST_MOVES("l_elbow", "l1", "l2")
                        SN_TEST_FIXED("l_wrist", "l2", "l_hand")
                            SN_TEST_MOVES("l_virtual_joint", "l_hand", "l_virtual")
                                FOLLOWS("finger2_joint", "r2", "finger2", "finger1_joint")
                                    SN_TEST_MOVES("finger1_joint", "r2", "finger1")
                                        SN_TEST_FIXED("camera_joint", "trunk", "camera") "</robot>";

const char sn_test_torso_yaml[] =
    "kinematics_chains:\n"
    "  left: {first_link: base, last_link: l_hand, last_link_virtual: l_virtual,\n"
    "         default_contact: palm, colour: red, weight: 1.50, empty: ''}\n"
    "  right: {first_link: base, last_link: r2}\n"
    "contacts:\n"
    "  tip: {points: [[0, 0, 0.5]]}\n"
    "  palm: {points: [[0, 0, 0], [0, 1, 0], [1, 0, 0]]}\n"
    "groups:\n"
    "  upper: {chains: [left]}\n"
    "  others: {joints: [r_elbow, tail_joint, r_shoulder]}\n"
    "  nothing: {}\n";

static void start(sn_test_robot *robot) {
  *robot = (sn_test_robot){0};
  sn_arena_init_growing(&robot->arena, "model", 0);
  sn_arena_init_growing(&robot->report_arena, "report", 0);
  assert_int_equal(sn_report_create(&robot->report_arena, &robot->report, NULL), SN_OK);
  assert_non_null(robot->report);
}

void sn_test_robot_init(sn_test_robot *robot, const char *urdf, const char *yaml) {
  start(robot);
  sn_model_config config = {.file = "robot.urdf"};
  if (yaml != NULL) {
    robot->status = sn_value_parse_yaml(&robot->report_arena, yaml, strlen(yaml), "robot.yaml",
                                        robot->report, &config.properties);
  }
  if (robot->status == SN_OK) {
    robot->status = sn_model_parse(&robot->arena, urdf, strlen(urdf), &config, robot->report,
                                   &robot->model, &robot->err);
  }
  assert_int_equal(robot->status == SN_OK, robot->model != NULL);
}

static void assert_good(const sn_test_robot *robot) {
  if (robot->model == NULL) {
    fail_msg("rejected: %s: %s\n%s", sn_status_text(robot->status), robot->err.message,
             sn_test_problems(robot->report));
  }
}

void sn_test_robot_init_good(sn_test_robot *robot, const char *urdf, const char *yaml) {
  sn_test_robot_init(robot, urdf, yaml);
  assert_good(robot);
}

void sn_test_robot_path(const char *name, const char *extension, char *path, size_t size) {
  snprintf(path, size, "%s/%s.%s", SINEW_ROBOTS, name, extension);
  if (access(path, R_OK) != 0) {
    snprintf(path, size, "%s/%s.%s", SINEW_TEST_ROBOTS, name, extension);
  }
}

void sn_test_robot_load(sn_test_robot *robot, const char *name) {
  start(robot);
  char path[512];
  sn_model_config config = {0};
  sn_test_robot_path(name, "yaml", path, sizeof path);
  robot->status = sn_value_load(&robot->report_arena, path, robot->report, &config.properties);
  if (robot->status == SN_OK) {
    sn_test_robot_path(name, "urdf", path, sizeof path);
    robot->status =
        sn_model_load(&robot->arena, path, &config, robot->report, &robot->model, &robot->err);
  }
  assert_good(robot);
  sn_assert_problems(robot->report, "");
}

void sn_test_robot_free(sn_test_robot *robot) {
  sn_arena_release(&robot->arena);
  sn_arena_release(&robot->report_arena);
}

const char *sn_test_problems(const sn_report *report) {
  static char text[64 * 1024];
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < sn_report_count(report) && used < sizeof text; i++) {
    const sn_problem *p = sn_report_at(report, i);
    const bool is_urdf = strcmp(p->place.file, "robot.urdf") == 0;
    used += (size_t)snprintf(
        text + used, sizeof text - used, "%s%s%u:%u: %s: %s%s%s%s\n", is_urdf ? "" : p->place.file,
        is_urdf ? "" : ":", p->place.line, p->place.column,
        p->severity == SN_SEVERITY_ERROR ? "error" : "warning", p->message,
        p->hint == NULL ? "" : " (", p->hint == NULL ? "" : p->hint, p->hint == NULL ? "" : ")");
  }
  return text;
}

void sn_test_problems_equal(const sn_report *report, const char *expected, const char *file,
                            int line) {
  const char *actual = sn_test_problems(report);
  if (strcmp(actual, expected) != 0) {
    print_error("the problems are\n%sexpected\n%s", *actual == '\0' ? "(none)\n" : actual,
                *expected == '\0' ? "(none)\n" : expected);
    _fail(file, line);
  }
}

void sn_assert_names(const sn_names *names, const char *const *expected, size_t count) {
  assert_int_equal(sn_names_count(names), count);
  for (size_t i = 0; i < count; i++) {
    assert_string_equal(sn_names_at(names, i), expected[i]);
    assert_int_equal(sn_names_index(names, expected[i]), (int)i);
  }
}

void sn_assert_indices(const int *actual, size_t actual_count, const int *expected, size_t count) {
  assert_int_equal(actual_count, count);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(actual[i], expected[i]);
  }
}
