/* Limbs change owners, sources fall silent, the robot is stopped: the whole system, in simulated
   time. */
#include <math.h>

#include "scenario.h"
#include "sinew/estop.h"
#include "sn_test.h"

#define TAKE(what)                                                                             \
  "{'verb':'call','name':'follow.setOperational','arguments':{'operational':true,'resources':" \
  "[" what "]}}"
#define GIVE_BACK "{'verb':'call','name':'follow.setOperational','arguments':{'operational':false}}"

static const char *const JOINT = "head_joint2";

/* Take the limb, move it; the source dies, the joint is held; stop, resume, move again, release. */
static uint64_t run_story(void) {
  static scenario s;
  scenario_open(&s);
  assert_string_equal(scenario_owner(&s, "head"), "hold");
  scenario_do(&s, TAKE("'head'"));
  scenario_run(&s, 1);
  assert_string_equal(scenario_owner(&s, "head"), "follow");
  assert_string_equal(scenario_owner(&s, "leg1"), "hold");
  const double start = scenario_commanded(&s, JOINT);
  scenario_lead(&s, JOINT, 0.3, 1400); /* references are ignored so far */
  sn_assert_near(scenario_commanded(&s, JOINT), start, 0.0);
  scenario_lead(&s, JOINT, 0.3, 2600);
  sn_assert_near(scenario_commanded(&s, JOINT), 0.3, 1e-6);
  sn_assert_near(scenario_measured(&s, JOINT), 0.3, 0.02);

  scenario_lead(&s, JOINT, -0.3, 300); /* moving, then the source falls silent */
  const double on_the_way = scenario_commanded(&s, JOINT);
  assert_true(on_the_way < 0.3 && on_the_way > -0.3);
  scenario_run(&s, 1500);
  const double held = scenario_commanded(&s, JOINT);
  scenario_run(&s, 500);
  sn_assert_near(scenario_commanded(&s, JOINT), held, 1e-9);

  sn_error err;
  const uint64_t stop = sn_estop_request(s.system, "me", "smoke");
  assert_int_equal(sn_estop_check(s.system, stop, &err), SN_ETIMEDOUT); /* no cycle has run yet */
  int cycles = 0;
  for (; cycles < 10 && sn_estop_check(s.system, stop, &err) != SN_OK; cycles++) {
    scenario_run(&s, 1);
  }
  assert_int_equal(cycles, 2); /* the gate brakes in the first, the plant confirms in the second */
  scenario_run(&s, 500 - cycles);
  const double stopped = scenario_commanded(&s, JOINT);
  scenario_lead(&s, JOINT, 0.3, 1000); /* stopped: does not move */
  sn_assert_near(scenario_commanded(&s, JOINT), stopped, 1e-9);
  scenario_do(&s, "{'verb':'call','name':'aggregator.resume','arguments':{'name':'me'}}");
  scenario_lead(&s, JOINT, 0.1, 3000); /* moves again */
  sn_assert_near(scenario_commanded(&s, JOINT), 0.1, 1e-6);

  const double last = scenario_commanded(&s, JOINT);
  scenario_do(&s, GIVE_BACK);
  scenario_run(&s, 2);
  assert_string_equal(scenario_owner(&s, "head"), "hold");
  scenario_run(&s, 500);
  sn_assert_near(scenario_commanded(&s, JOINT), last, 1e-6); /* held in place */
  const uint64_t hash = s.hash;
  scenario_close(&s);
  return hash;
}

SN_TEST(a_limb_changes_hands_and_always_has_an_owner) {
  (void)run_story();
}

SN_TEST(the_same_scenario_gives_the_same_bits) {
  const uint64_t first = run_story();
  assert_true(run_story() == first);
}

/* A trajectory takes the limb from a slider without a jump; at the end hold owns it. */
SN_TEST(trajectory_takes_over_from_a_slider) {
  static scenario s;
  scenario_open(&s);
  scenario_do(&s, TAKE("'head'"));
  scenario_lead(&s, JOINT, 0.3, 4000);
  json_t *answer =
      scenario_ask(&s,
                   "{'verb':'call','name':'execute.execute','arguments':{'trajectory':{"
                   "'joint_names':['head_joint2'],'points':[{'positions':[-0.1],"
                   "'time_from_start':{'sec':1}}]}}}");
  assert_true(json_is_true(json_object_get(answer, "accepted")));
  json_decref(answer);
  double last = scenario_commanded(&s, JOINT);
  for (int k = 0; k < 1500; k++) {
    scenario_run(&s, 1);
    const double now = scenario_commanded(&s, JOINT);
    assert_true(fabs(now - last) < 2e-3); /* never faster than 2 rad/s */
    last = now;
  }
  sn_assert_near(last, -0.1, 1e-9);
  assert_string_equal(scenario_owner(&s, "head"), "hold");
  scenario_close(&s);
}

/* A trajectory of this many points on a straight line. */
static json_t *make_long(int count, double to) {
  json_t *points = json_array();
  for (int i = 1; i <= count; i++) {
    json_array_append_new(
        points, json_pack("{s:[f],s:{s:i,s:i}}", "positions", to * i / count, "time_from_start",
                          "sec", i / 100, "nanosec", i % 100 * 10000000));
  }
  return json_pack("{s:{s:[s],s:o}}", "trajectory", "joint_names", JOINT, "points", points);
}

SN_TEST(trajectory_may_have_more_points_than_other_lists) {
  static scenario s;
  scenario_open(&s);
  json_t *arguments = make_long(600, 0.2);
  sn__buffer out = {.max = 4096};
  sn_error err = {SN_OK, ""};
  assert_int_equal(sn__remote_call_json(&s.context, "execute.execute", arguments, 1.0, &out, &err),
                   SN_OK);
  json_decref(arguments);
  json_t *answer = json_loadb(out.data, out.used, 0, NULL);
  assert_true(json_is_true(json_object_get(answer, "accepted")));
  json_decref(answer);
  sn__buffer_free(&out);
  scenario_run(&s, 3000);
  sn_assert_near(scenario_commanded(&s, JOINT), 0.1, 0.01); /* halfway */
  scenario_run(&s, 3500);
  sn_assert_near(scenario_commanded(&s, JOINT), 0.2, 1e-9);
  scenario_close(&s);
}
