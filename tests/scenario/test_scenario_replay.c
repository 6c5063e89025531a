/* A session of the whole system is recorded and replayed bit by bit. */
#include <math.h>

#include "program_rig.h"
#include "scenario.h"
#include "sinew/estop.h"
#include "sn_test.h"

static const char *const JOINT = "head_joint2";

static char path[128];
static int64_t stop_ms; /* when the stop was requested */

static int set_up(void **state) {
  (void)program_set_up(state);
  snprintf(path, sizeof path, "%s/day.mcap", program_folder);
  return 0;
}

static void move_to(scenario *s, double position, double seconds) {
  char line[512];
  snprintf(
      line, sizeof line,
      "{'verb':'call','name':'execute.execute','arguments':{'trajectory':{'joint_names':['%s'],"
      "'points':[{'positions':[%.17g],'time_from_start':{'sec':0,'nanosec':%.0f}}]}}}",
      JOINT, position, 1e9 * seconds);
  json_t *answer = scenario_ask(s, line);
  assert_true(json_is_true(json_object_get(answer, "accepted")));
  json_decref(answer);
}

/* A slider has the head, and a trajectory takes it from there. */
static void hand_over(scenario *s) {
  scenario_do(s,
              "{'verb':'call','name':'follow.setOperational','arguments':{'operational':true,"
              "'resources':['head']}}");
  scenario_lead(s, JOINT, 0.2, 2500);
  sn_assert_near(scenario_commanded(s, JOINT), 0.2, 1e-3);
  assert_string_equal(scenario_owner(s, "head"), "follow");
  move_to(s, -0.2, 0.5);
  scenario_run(s, 100);
  assert_string_equal(scenario_owner(s, "head"), "execute");
  scenario_run(s, 500);
  sn_assert_near(scenario_commanded(s, JOINT), -0.2, 1e-6);
}

/* It is stopped on the way, and resumed. */
static void stop_and_go_on(scenario *s) {
  sn_error err;
  move_to(s, 0.3, 0.8);
  scenario_run(s, 300);
  stop_ms = sn_clock_now_ns(&s->clock) / 1000000;
  const uint64_t stop = sn_estop_request(s->system, "me", "smoke");
  scenario_run(s, 1000);
  assert_int_equal(sn_estop_check(s->system, stop, &err), SN_OK);
  const double stopped = scenario_commanded(s, JOINT);
  assert_true(stopped < 0.29);
  scenario_lead(s, JOINT, 0.3, 200);
  sn_assert_near(scenario_commanded(s, JOINT), stopped, 1e-9);
  scenario_do(s, "{'verb':'call','name':'aggregator.resume','arguments':{'name':'me'}}");
  scenario_run(s, 100);
}

static void identify(scenario *s) {
  scenario_do(s,
              "{'verb':'call','name':'servo_ident.startIdentification','arguments':{'names':["
              "'head_joint2']}}");
  for (int k = 0; k < 4; k++) {
    move_to(s, k % 2 == 0 ? 0.3 : -0.3, 0.6);
    scenario_run(s, 700);
  }
  json_t *ended = scenario_ask(s, "{'verb':'call','name':'servo_ident.endIdentification'}");
  assert_int_equal(json_array_size(json_object_get(ended, "names")), 1);
  json_decref(ended);
  move_to(s, 0.1, 0.5); /* with the identified model */
  scenario_run(s, 800);
}

static void record_day(void) {
  static scenario s;
  scenario_open_recorded(&s, path);
  hand_over(&s);
  stop_and_go_on(&s);
  identify(&s);
  scenario_do(&s, "{'verb':'set','name':'dynamics_inv.friction','value':0.3}");
  scenario_run(&s, 200);
  scenario_close(&s);
}

static long number_behind(const char *key) {
  const char *at = strstr(program_run.output, key);
  assert_non_null(at);
  return strtol(at + strlen(key), NULL, 10);
}

SN_TEST(a_session_is_repeated_from_its_recording) {
  record_day();
  program_expect("replay day.mcap", 0);
  sn_assert_contains(program_run.output, "day.mcap: equal: ");
  assert_string_equal(program_run.errors, "");
  program_expect("replay day.mcap --json", 0);
  assert_int_equal(number_behind("\"different\":"), 0);
  assert_int_equal(number_behind("\"refused\":"), 0);
  assert_in_range(number_behind("\"cycles\":"), 7000, 9000);
  assert_in_range(number_behind("\"inputs\":"), 250, 1000); /* references, most of them */
}

static sn_status resume(scenario *s) {
  sn_caller caller;
  sn_error err;
  assert_int_equal(sn_caller_open(s->system, "aggregator.resume", &caller, &err), SN_OK);
  void *request = sn_msg_create(&s->arena, caller.operation->request, NULL);
  const sn_status status = sn_call(&caller, request, NULL, &err);
  sn_caller_close(&caller);
  return status;
}

/* Without its tick the gate cannot brake, so the servos freeze 50 ms after a stop. Between two
   cycles an operation sees that at once, also if it happened in the very last cycle. */
static void record_resumes(void) {
  static scenario s;
  sn_error err;
  size_t restarts = 0;
  scenario_open_recorded(&s, path);
  scenario_do(&s, "{'verb':'set','name':'plant.position_noise','value':0.001}");
  sn_component *timer = sn_system_find(s.system, "timer");
  for (int k = 40; k < 60; k++) {
    move_to(&s, k % 2 == 0 ? 0.3 : -0.3, 0.2);
    scenario_run(&s, k < 46 ? 100 : 500); /* on the way, or at rest */
    assert_int_equal(sn_system_stop(s.system, timer, &err), SN_OK);
    (void)sn_estop_request(s.system, "me", "no gate brakes");
    scenario_run(&s, k);
    assert_int_equal(sn_system_start(s.system, timer, &err), SN_OK);
    scenario_run(&s, 1);
    const double before = scenario_commanded(&s, JOINT);
    (void)resume(&s); /* the gate may still brake */
    scenario_run(&s, 200);
    (void)resume(&s);
    scenario_run(&s, 2);
    restarts += scenario_commanded(&s, JOINT) != before;
  }
  assert_true(restarts > 5);
  scenario_close(&s);
}

SN_TEST(a_resume_between_two_cycles_is_repeated) {
  record_resumes();
  program_expect("replay day.mcap", 0);
  sn_assert_contains(program_run.output, "day.mcap: equal: ");
}

/* The stop and the identification are part of the recording: changing them changes everything after
   them. */
SN_TEST(a_changed_recording_gives_another_session) {
  char expected[64];
  (void)state;
  record_day();
  program_expect("replay day.mcap --set aggregator.stop_limp=true", 1);
  sn_assert_contains(program_run.output, "day.mcap: different: ");
  snprintf(expected, sizeof expected, " %.6f s after the start: ", 1e-3 * (double)stop_ms);
  sn_assert_contains(program_run.output, "first   /aggregator/joints_sorted, message ");
  sn_assert_contains(program_run.output, expected);
  program_expect("replay day.mcap --set servo_ident.relaxation_factor=0.99", 1);
  sn_assert_contains(program_run.output, "first   /servo_ident/");
}

SN_TEST_EACH(set_up, program_tear_down)
