/* Movement files: what is read, what is refused and why, what is written. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp() */

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "movements/movement.h"
#include "msg/msg_text.h"
#include "random_msg.h"
#include "robot.h"
#include "sn_test.h"

#define HEADER "'header':{'stamp':{'secs':7,'nsecs':5},'frame_id':'base_link_path','seq':3}"
#define POSE(w) \
  "'pose':{'position':{'x':1,'y':2,'z':3},'orientation':{'x':0,'y':0,'z':0,'w':" w "}}"
#define BODY(name, points) "{'name':'" name "','points':[" points "]}"
#define ON_GROUND "{" POSE("1.0") ",'contact':true}"
#define STEPS(times, base, limb)                                                 \
  "{" HEADER ",'append':false,'time_from_start':[" times "],'base_motion':" base \
  ",'ee_motion':[" limb "],'position_tolerance':0.07,'orientation_tolerance':0.5}"
#define TWO ON_GROUND "," ON_GROUND
#define AT(secs, positions) "{'positions':[" positions "],'time_from_start':{'secs':" secs "}}"
#define TRAJECTORY(names, points) \
  "{'trajectory':{" HEADER ",'joint_names':[" names "],'points':[" points "]}}"

static sn_arena arena;

/* JSON with single quotes, which C strings need not escape. */
static sn_status parse(const char *text, sn__movement *out, sn_error *err) {
  char *json = strdup(text);
  assert_non_null(json);
  for (char *c = json; *c != '\0'; c++) {
    *c = *c == '\'' ? '"' : *c;
  }
  const sn_status status =
      sn__movement_parse(json, strlen(json), "folder/one.json", &arena, out, err);
  free(json);
  return status;
}

static void parse_good(const char *text, sn__movement *out) {
  sn_error err = {SN_OK, ""};
  if (parse(text, out, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
}

SN_TEST(steps_are_read_with_all_their_fields) {
  sn__movement m;
  parse_good(STEPS("0,0.5", BODY("base_link", TWO),
                   BODY("leg1", "{" POSE("1") ",'twist':{'linear':{'x':4,'y':5,'z':6},"
                                              "'angular':{'x':7,'y':8,'z':9}}}," ON_GROUND)),
             &m);
  assert_int_equal(m.kind, SN__MOVEMENT_STEP_SEQUENCE);
  assert_string_equal(m.name, "one");
  const sn_step_goal *goal = m.steps;
  assert_true(goal->header.stamp_ns == 7000000005);
  assert_string_equal(goal->header.frame_id.data, "base_link_path");
  assert_int_equal(goal->time_from_start.count, 2);
  sn_assert_near(goal->time_from_start.data[1], 0.5, 0);
  assert_string_equal(goal->base_motion.name.data, "base_link");
  assert_int_equal(goal->ee_motion.count, 1);
  const sn_rigid_body_point *point = &goal->ee_motion.data[0].points.data[0];
  sn_assert_vec3_near(point->pose.position, sn_vec3_make(1, 2, 3), 0);
  sn_assert_vec3_near(point->twist.lin, sn_vec3_make(4, 5, 6), 0);
  sn_assert_vec3_near(point->twist.ang, sn_vec3_make(7, 8, 9), 0);
  sn_assert_vec3_near(point->accel.lin, sn_vec3_make(0, 0, 0), 0);
  assert_false(point[0].contact);
  assert_true(point[1].contact);
  assert_int_equal(sn_report_count(m.warnings), 0);
}

SN_TEST(fields_say_which_kind_it_is) {
  sn__movement m;
  parse_good(TRAJECTORY("'a','b'", AT("0", "1,2") "," AT("1", "3,4")), &m);
  assert_string_equal(sn__movement_kind_name(m.kind), "joint_trajectory");
  assert_int_equal(m.trajectory->trajectory.points.count, 2);
  assert_true(m.trajectory->trajectory.points.data[1].time_from_start_ns == 1000000000);
  assert_string_equal(sn_msg_names_at(&m.trajectory->trajectory.joint_names, 1), "b");
  parse_good(TRAJECTORY("'a'", ""), &m); /* the original has files without points */
  assert_int_equal(m.trajectory->trajectory.points.count, 0);
  parse_good(
      "{'gait_type':'trot','duration':3.0,'base_goal':{'orientation':{'w':1}},"
      "'ee_goal':[{'name':'leg1','frame_type':5,'position_bounds':4,'contact':true}]}",
      &m);
  assert_string_equal(sn__movement_kind_name(m.kind), "move_base");
  assert_string_equal(m.move_base->gait_type.data, "trot");
  assert_int_equal(m.move_base->ee_goal.data[0].frame_type, SN_EE_WORLD);
  assert_string_equal(m.move_base->header.frame_id.data, ""); /* not mentioned */
  parse_good("{'name':['a'],'position':[0.5],'header':{'stamp':{'sec':1,'nanosec':2}}}", &m);
  assert_string_equal(sn__movement_kind_name(m.kind), "joint_state");
  assert_true(m.pose->header.stamp_ns == 1000000002);
}

SN_TEST(what_is_not_a_movement_is_refused_with_its_place) {
  static const struct {
    const char *text;
    sn_status status;
    const char *reason;
  } cases[] = {
      {"", SN_ESYNTAX, "folder/one.json:1:0: '[' or '{' expected near end of file"},
      {"{'trajectory':\n{'points':[", SN_ESYNTAX, "one.json:2:11: "},
      {"{'position':[NaN]}", SN_ESYNTAX, "near 'NaN'"},
      {"{'position':[1e999]}", SN_ESYNTAX, "overflow"},
      {"[]", SN_EINVAL, "expected an object with 'trajectory', 'ee_motion', 'base_goal' or"},
      {"{'data':1}", SN_EINVAL, "not a movement"},
      {"{'name':['a'],'position':[null]}", SN_EINVAL, "'position[0]' is null, expected a number"},
      {"{'name':['a'],'position':[1,2]}", SN_EINVAL, "'position' has 2 items, expected 1"},
      {"{'name':['a'],'position':[1],'velocity':[1,2]}", SN_EINVAL,
       "'velocity' has 2 items, expected 1"},
      {"{'name':['a','a'],'position':[1,2]}", SN_EINVAL, "'a' appears twice"},
      {"{'name':[''],'position':[1]}", SN_EINVAL, "name 0 is empty"},
      {TRAJECTORY("'a','b'", AT("0", "1,2") "," AT("1", "1")), SN_EINVAL,
       "'trajectory.points[1].positions' has 1 items, expected 2"},
      {TRAJECTORY("'a'", AT("1", "1") "," AT("0", "1")), SN_EINVAL,
       "'trajectory.points[1].time_from_start' is 0 s, expected 1 s or more"},
      {STEPS("0,0", BODY("b", TWO), BODY("leg1", TWO)), SN_EINVAL,
       "'time_from_start[1]' is 0 s, expected more than 0 s"},
      {STEPS("-1,0", BODY("b", TWO), BODY("leg1", TWO)), SN_EINVAL,
       "'time_from_start[0]' is -1 s, expected at least 0 s"},
      {STEPS("0,1", BODY("b", ON_GROUND), BODY("leg1", TWO)), SN_EINVAL,
       "'base_motion.points' has 1 items, expected 2"},
      {STEPS("0,1", BODY("b", TWO), BODY("leg1", TWO) "," BODY("leg2", ON_GROUND)), SN_EINVAL,
       "'ee_motion[1].points' has 1 items, expected 2"},
      {STEPS("0,1", BODY("b", TWO), BODY("leg1", TWO) "," BODY("leg1", TWO)), SN_EINVAL,
       "'ee_motion': names: 'leg1' appears twice"},
      {STEPS("0,1", BODY("b", TWO), BODY("leg1", ON_GROUND ",{" POSE("1.1") "}")), SN_EINVAL,
       "'ee_motion[0].points[1].pose.orientation' is (0, 0, 0, 1.1), expected a quaternion of "
       "length 1"},
      {STEPS("0,1", BODY("b", TWO), BODY("leg1", ON_GROUND ",{'pose':{'position':{'x':'far'}}}")),
       SN_EINVAL, "'ee_motion[0].points[1].pose.position.x' is a text, expected a number"},
      {"{'base_goal':{'orientation':{'w':2}}}", SN_EINVAL, "'base_goal.orientation' is"},
      {"{'base_goal':{'orientation':{'w':1}},'duration':-1}", SN_EINVAL, "'duration' is -1 s"},
      {"{'base_goal':{'orientation':{'w':1}},'ee_goal':[{'name':'a','frame_type':6}]}", SN_EINVAL,
       "'ee_goal[0].frame_type' is 6, expected 0 .. 5"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_error err = {SN_OK, ""};
    sn__movement m = {.name = "untouched"};
    assert_int_equal(parse(cases[i].text, &m, &err), cases[i].status);
    sn_assert_contains(err.message, cases[i].reason);
    sn_assert_contains(err.message, "folder/one.json:");
    assert_string_equal(m.name, "untouched");
  }
}

SN_TEST(unknown_fields_and_missing_orientations_are_warnings) {
  sn__movement m;
  parse_good(STEPS("0,1", BODY("b", "{" POSE("0") "},{" POSE("0") "}"),
                   "{'name':'leg1','points':[" TWO "],'colour':{'r':1}}"),
             &m);
  assert_int_equal(sn_report_count(m.warnings), 2);
  sn_assert_contains(sn_report_at(m.warnings, 0)->message, "'ee_motion[0].colour'");
  sn_assert_contains(sn_report_at(m.warnings, 1)->message,
                     "'base_motion': 2 orientations are all zero");
  sn_assert_near(m.steps->base_motion.points.data[1].pose.orientation.w, 1.0, 0);
}

SN_TEST(rounded_quaternions_become_unit_quaternions) {
  sn__movement m;
  parse_good(STEPS("0", BODY("b", "{" POSE("0.9995") "}"), ""), &m);
  sn_assert_near(m.steps->base_motion.points.data[0].pose.orientation.w, 1.0, 1e-15);
}

SN_TEST(truncated_files_are_refused) {
  const char *text = "{\"name\": [\"a\"], \"position\": [1.5]}";
  sn__movement m;
  for (size_t size = 0; size < strlen(text); size++) {
    assert_int_equal(sn__movement_parse(text, size, "cut.json", &arena, &m, NULL), SN_ESYNTAX);
  }
  assert_int_equal(sn__movement_parse(text, strlen(text), "cut.json", &arena, &m, NULL), SN_OK);
}

SN_TEST(huge_files_are_refused_before_they_are_read) {
  sn__movement m;
  sn_error err;
  assert_int_equal(sn__movement_parse("", SN__MOVEMENT_SIZE_MAX + 1, "huge.json", &arena, &m, &err),
                   SN_ELIMIT);
  sn_assert_contains(err.message, "huge.json: 8388609 bytes, at most 8388608 are allowed");
  assert_int_equal(sn__movement_load("/dev/zero", &arena, &m, &err), SN_EIO);
  assert_int_equal(sn__movement_load("missing.json", &arena, &m, &err), SN_EIO);
  sn_assert_contains(err.message, "missing.json: ");
}

SN_TEST(movements_of_another_robot_are_named) {
  sn_test_robot robot;
  sn_test_robot_load(&robot, "quadruped");
  const char *joint = sn_names_at(sn_model_joint_names(robot.model), 0);
  char good[256];
  snprintf(good, sizeof good, "{'name':['%s','support/leg1'],'position':[0,1]}", joint);
  static const struct {
    const char *text;
    const char *reason;
  } cases[] = {
      {"{'name':['wing','tail'],'position':[0,1]}",
       "one: 'wing' is not a movable joint of the robot 'quadruped'; 2 of 2 names are unknown"},
      {TRAJECTORY("'support/wing'", AT("0", "1")), "'wing' is not a chain"},
      {STEPS("0,1", BODY("base_link", TWO), BODY("leg1", TWO) "," BODY("leg9", TWO)),
       "'leg9' is not a chain of the robot 'quadruped'; 1 of 3 names are unknown"},
      {STEPS("0,1", BODY("trunk", TWO), BODY("leg1", TWO)), "'trunk' is not a link"},
      {"{'base_goal':{'orientation':{'w':1}},'ee_goal':[{'name':'arm'}]}", "'arm' is not a chain"},
  };
  sn__movement m;
  sn_error err;
  parse_good(good, &m);
  assert_int_equal(sn__movement_check_robot(&m, robot.model, &err), SN_OK);
  parse_good(TRAJECTORY("'wing'", ""), &m);
  assert_int_equal(sn__movement_check_robot(&m, robot.model, &err), SN_OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    parse_good(cases[i].text, &m);
    assert_int_equal(sn__movement_check_robot(&m, robot.model, &err), SN_ENOENT);
    sn_assert_contains(err.message, cases[i].reason);
  }
  sn_test_robot_free(&robot);
}

SN_TEST(files_are_saved_whole_and_read_again) {
  char folder[] = "/tmp/sinew_movement_XXXXXX";
  assert_non_null(mkdtemp(folder));
  char path[64];
  snprintf(path, sizeof path, "%s/saved.json", folder);
  static const char *const texts[] = {
      STEPS("0.1,0.30000000000000004", BODY("base_link", TWO), BODY("leg1", TWO)),
      TRAJECTORY("'a','b'", AT("1", "0.1,-2e-300") "," AT("1", "3,4")),
      "{'name':['quote\\u0022 and [brackets]'],'position':[1.5]}",
      "{'gait_type':'trot','base_goal':{'orientation':{'w':1}}}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    sn__movement m, again;
    sn_error err = {SN_OK, ""};
    parse_good(texts[i], &m);
    assert_int_equal(sn__movement_save(path, &m, &err), SN_OK);
    assert_int_equal(sn__movement_load(path, &arena, &again, &err), SN_OK);
    assert_string_equal(again.name, "saved");
    assert_int_equal(again.kind, m.kind);
    assert_int_equal(sn_report_count(again.warnings), 0);
    assert_true(sn__msg_equal(sn__movement_type(m.kind), m.msg, again.msg));
  }
  size_t size = 0;
  char *text = sn_test_read_file(path, &size);
  sn_assert_contains(text,
                     "{\n    \"header\": {\n        \"seq\": 0,\n        \"stamp\": {\n"
                     "            \"secs\": 0,\n            \"nsecs\": 0\n        },");
  sn_assert_contains(text, "\"ee_goal\": [],\n");
  free(text);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0); /* nothing else is left behind */
}

SN_TEST(what_cannot_be_saved_is_reported) {
  sn__movement m;
  sn_error err;
  parse_good("{'name':['a'],'position':[1]}", &m);
  assert_int_equal(sn__movement_save("/no/such/folder/a.json", &m, &err), SN_EIO);
  sn_assert_contains(err.message, "/no/such/folder/a.json: cannot save: No such file");
  m.pose->position.data[0] = (double)NAN;
  assert_int_equal(sn__movement_save("a.json", &m, &err), SN_EINVAL);
  sn_assert_contains(err.message, "not finite");
}

static int set_up(void **state) {
  (void)state;
  sn_arena_init_growing(&arena, "movements", 0);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sn_arena_release(&arena);
  return 0;
}

SN_TEST_GROUP(set_up, tear_down)
