/* Robots with up to 1,000 joints in the standard deployment. */
#define _GNU_SOURCE /* mallinfo2() */
#include <malloc.h>
#include <math.h>

#include "allocation.h"
#include "big_robot.h"
#include "program_rig.h"
#include "scenario.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

enum { CHAINS = 100, JOINTS = 10, ALL = CHAINS * JOINTS };

static const char STANDARD[] =
    "include: [standard.yaml]\n"
    "components: {follow: {properties: {activation_delay: 0}}}\n";
static char robot[96];

static int set_up(void **state) {
  (void)program_set_up(state);
  snprintf(robot, sizeof robot, "%s/big.urdf", program_folder);
  return 0;
}

/* In one request, since another one would replace it. */
static void take_all(scenario *s) {
  sn_caller caller = {0};
  sn_error err;
  assert_int_equal(sn_caller_open(s->system, "follow.setOperational", &caller, &err), SN_OK);
  const sn_msg_capacity room = {.item_count = CHAINS, .text_size = 256};
  sn_set_operational *request = sn_msg_create(&s->arena, &sn_set_operational_type, &room);
  sn_call_outcome *outcome = sn_msg_create(&s->arena, &sn_call_outcome_type, &room);
  request->operational = true;
  for (int c = 0; c < CHAINS; c++) {
    char name[32];
    const int length = snprintf(name, sizeof name, "c%d_leg", c);
    assert_int_equal(sn_msg_names_add(&request->resources, name, (size_t)length), SN_OK);
  }
  assert_int_equal(sn_call(&caller, request, outcome, &err), SN_OK);
  assert_true(outcome->success);
  sn_caller_close(&caller);
}

static double goal(size_t i) {
  return 0.2 * sin((double)i);
}

/* References for all joints at once, as a slider sends them. */
static void lead_all(scenario *s) {
  sn_source *source = NULL;
  sn_error err;
  assert_int_equal(sn_source_open(s->system, "follow.in_joints_ref", NULL, &source, &err), SN_OK);
  sn_joint_state *pose = sn_source_msg(source);
  for (size_t i = 0; i < ALL; i++) {
    char name[48];
    const int length = snprintf(name, sizeof name, "c%zu_j%zu", i / JOINTS, i % JOINTS);
    assert_int_equal(sn_msg_names_add(&pose->name, name, (size_t)length), SN_OK);
    pose->position.data[i] = goal(i);
  }
  pose->position.count = ALL;
  for (int k = 0; k < 80; k++) {
    assert_int_equal(sn_source_write(source), SN_OK);
    scenario_run(s, 10);
  }
  sn_source_close(source);
}

SN_TEST(thousand_joints_are_led_to_a_pose) {
  static scenario s;
  big_robot_write(program_folder, CHAINS, JOINTS);
  scenario_open_robot(&s, robot, STANDARD);
  take_all(&s);
  lead_all(&s);
  for (size_t i = 0; i < ALL; i++) {
    char name[48];
    snprintf(name, sizeof name, "c%zu_j%zu", i / JOINTS, i % JOINTS);
    sn_assert_near(scenario_commanded(&s, name), goal(i), 1e-3);
  }
  assert_string_equal(scenario_owner(&s, "c99_leg"), "follow");
  scenario_close(&s);
}

SN_TEST(operations_answer_for_a_thousand_joints) {
  static scenario s;
  big_robot_write(program_folder, CHAINS, JOINTS);
  scenario_open_robot(&s, robot, STANDARD);
  json_t *status = scenario_ask(&s, "{'verb':'call','name':'servo_ident.status'}");
  assert_int_equal(json_array_size(json_object_get(status, "servos")), ALL);
  json_decref(status);
  json_t *counts = scenario_ask(&s, "{'verb':'call','name':'aggregator.getCounts'}");
  assert_int_equal(json_array_size(json_object_get(counts, "counts")), ALL);
  json_decref(counts);
  scenario_close(&s);
}

SN_TEST(thousand_joints_are_recorded_and_replayed) {
  big_robot_write(program_folder, CHAINS, JOINTS);
  program_expect("run big.urdf --headless --clock sim --duration 0.05 --record big.mcap", 0);
  program_expect("replay big.mcap", 0);
  sn_assert_contains(program_run.output, "equal");
}

SN_TEST(chain_of_300_joints_runs) {
  big_robot_write(program_folder, 1, 300);
  program_expect("check big.urdf", 0);
  program_expect("run big.urdf --headless --clock sim --duration 0.05", 0);
}

SN_TEST(robot_that_does_not_fit_names_the_setting) {
  big_robot_write(program_folder, CHAINS, JOINTS);
  sn_test_write(program_folder, "d.yaml",
                "include: [standard.yaml]\nrobot: big.urdf\ncapacity: {items: 999}\n");
  program_expect("run d.yaml --headless --clock sim --duration 0.01", 1);
  sn_assert_contains(program_run.errors,
                     "the robot has 1000 joints, a message has room for 999: "
                     "raise 'capacity.items'");
}

/* Bytes of the heap that a robot takes. */
static size_t memory_of(size_t chain_count) {
  static scenario s;
  big_robot_write(program_folder, chain_count, JOINTS);
  const struct mallinfo2 before = mallinfo2();
  scenario_open_robot(&s, robot, STANDARD);
  const struct mallinfo2 after = mallinfo2();
  scenario_close(&s);
  return after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
}

SN_TEST(memory_is_linear_in_joints) {
  if (!sn_test_heap_is_watched()) {
    skip(); /* another heap */
  }
  const size_t few = memory_of(25), some = memory_of(50), many = memory_of(100);
  assert_true(some > few);
  if ((double)(many - some) > 1.1 * 2.0 * (double)(some - few)) {
    fail_msg("%zu, %zu and %zu bytes", few, some, many);
  }
}

SN_TEST_EACH(set_up, program_tear_down)
