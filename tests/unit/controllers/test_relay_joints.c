/* A controller outside: it asks by name, commands through the component of its name, and loses its
   limbs when it falls silent. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loop_rig.h"
#include "msg/msg_names_internal.h"
#include "rig.h"
#include "robot.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

enum { MS = 1000000 };

typedef struct bench {
  rig r;
  sn_test_robot robot;
  sn_tap *pose, *owners;
  sn_source *reference;
  sn_resource_request *request;
  sn_call_outcome *outcome;
  uint64_t request_id;
} bench;

static void add_robot(bench *b) {
  loop_add_quadruped(&b->r, &b->robot);
}

static void bench_open(bench *b) {
  *b = (bench){.request_id = 0};
  rig *r = &b->r;
  rig_open(r, MS);
  add_robot(b);
  rig_add(r, &sn_timer_component, "timer");
  sn_component *arbiter = rig_add(r, &sn_resources_control_component, "resources_control");
  rig_set(r, arbiter, "list_ros", "[walker, mute]");
  rig_require(r, "resources_control.robot_model", "robot_model");
  rig_add(r, &sn_aggregator_component, "aggregator");
  rig_require(r, "aggregator.robot_model", "robot_model");
  rig_require(r, "aggregator.owners", "resources_control");
  rig_connect(r, "timer.sync", "aggregator.sync");
  sn_component *hold = rig_add(r, &sn_follow_joint_state_component, "hold");
  rig_require(r, "hold.robot_model", "robot_model");
  rig_require(r, "hold.arbiter", "resources_control");
  rig_set(r, hold, "stay_operational", "true");
  rig_set(r, hold, "start_operational", "true");
  rig_connect(r, "timer.sync", "hold.sync");
  rig_connect(r, "hold.out_joints_ref", "aggregator.in_joints");
  rig_connect(r, "aggregator.joints_sorted", "hold.in_joints_sorted");
  rig_add(r, &sn_relay_joints_component, "walker");
  rig_connect(r, "timer.sync", "walker.sync");
  rig_connect(r, "walker.out_joints_ref", "aggregator.in_joints");
  const sn_connection queue = {.buffer = 4};
  assert_int_equal(
      sn_source_open(r->system, "walker.in_joints_ref", &queue, &b->reference, &r->err), SN_OK);
  assert_int_equal(sn_tap_open(r->system, "aggregator.joints_sorted", NULL, &b->pose, &r->err),
                   SN_OK);
  assert_int_equal(
      sn_tap_open(r->system, "resources_control.assignment", NULL, &b->owners, &r->err), SN_OK);
  b->request = sn_msg_create(&r->arena, &sn_resource_request_type, NULL);
  b->outcome = sn_msg_create(&r->arena, &sn_call_outcome_type, NULL);
  rig_begin(r);
  rig_run(r, 20 * MS);
}

static void bench_close(bench *b) {
  sn_source_close(b->reference);
  sn_tap_close(b->pose);
  sn_tap_close(b->owners);
  rig_close(&b->r);
  sn_test_robot_free(&b->robot);
}

/* Without a file of properties a limb has the name of its last link. */
static const char *limb_of(const bench *b, const char *joint) {
  const int j = sn_model_joint_index(b->robot.model, joint);
  const int chain = sn_model_joint(b->robot.model, (size_t)j)->chain;
  return sn_names_at(sn_model_chain_names(b->robot.model), (size_t)chain);
}

static sn_status ask(bench *b, const char *name, const char *joint) {
  sn_caller caller = {0};
  assert_int_equal(
      sn_caller_open(b->r.system, "resources_control.requestResources", &caller, &b->r.err), SN_OK);
  b->request->request_id = ++b->request_id;
  assert_int_equal(sn_msg_text_set(&b->request->name, name), SN_OK);
  sn_msg_names_clear(&b->request->resources);
  if (joint != NULL) {
    const char *limb = limb_of(b, joint);
    assert_int_equal(sn_msg_names_add(&b->request->resources, limb, strlen(limb)), SN_OK);
  }
  const sn_status status = sn_call(&caller, b->request, b->outcome, &b->r.err);
  sn_caller_close(&caller);
  return status;
}

static void command(bench *b, double leg, double head) {
  static const char *const names[] = {"head_joint2", "leg1_joint2"};
  sn_joint_state *msg = sn_source_msg(b->reference);
  sn_msg_names_clear(&msg->name);
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(sn_msg_names_add(&msg->name, names[i], strlen(names[i])), SN_OK);
  }
  msg->position.count = 2;
  msg->position.data[0] = head;
  msg->position.data[1] = leg;
  assert_int_equal(sn_source_write(b->reference), SN_OK);
}

static double position(bench *b, const char *joint) {
  const sn_joint_state *pose = sn_tap_read(b->pose, NULL);
  return pose->position.data[sn_model_joint_index(b->robot.model, joint)];
}

static const char *owner(bench *b, const char *joint) {
  const sn_resource_assignment *table = sn_tap_read(b->owners, NULL);
  return sn_msg_names_at(&table->owners,
                         (size_t)sn__msg_names_index(&table->resources, limb_of(b, joint)));
}

/* Speaks every 10 ms, for so long. */
static void walk(bench *b, int ms, double leg, double head) {
  for (int t = 0; t < ms; t += 10) {
    command(b, leg, head);
    if (t % 100 == 0) {
      assert_int_equal(ask(b, "walker", "leg1_joint2"), SN_OK);
      assert_true(b->outcome->success);
    }
    rig_run(&b->r, 10 * MS);
  }
}

SN_TEST(outside_controller_commands_its_limbs_only_and_only_while_it_owns_them) {
  bench b;
  bench_open(&b);
  for (int i = 0; i < 50; i++) { /* no request was made yet */
    command(&b, 0.2, 0.2);
    rig_run(&b.r, 10 * MS);
  }
  sn_assert_near(position(&b, "leg1_joint2"), 0.0, 0.0);
  walk(&b, 2000, 0.2, 0.2);
  assert_string_equal(owner(&b, "leg1_joint2"), "walker");
  assert_string_equal(owner(&b, "head_joint2"), "hold");
  sn_assert_near(position(&b, "leg1_joint2"), 0.2, 1e-6);
  sn_assert_near(position(&b, "head_joint2"), 0.0, 0.0); /* of another */
  sn_assert_near(position(&b, "leg1_joint3"), 0.0, 0.0); /* never mentioned */
  assert_int_equal(ask(&b, "walker", NULL), SN_OK);
  rig_run(&b.r, 10 * MS);
  assert_string_equal(owner(&b, "leg1_joint2"), "hold");
  bench_close(&b);
}

SN_TEST(outside_controller_that_falls_silent_loses_its_limbs) {
  bench b;
  bench_open(&b);
  walk(&b, 300, 0.1, 0.0);
  assert_string_equal(owner(&b, "leg1_joint2"), "walker");
  rig_run(&b.r, 500 * MS);
  assert_string_equal(owner(&b, "leg1_joint2"), "walker"); /* the time-out is one second */
  for (int i = 0; i < 100; i++) {                          /* references do not count as requests */
    command(&b, 0.3, 0.0);
    rig_run(&b.r, 10 * MS);
  }
  assert_string_equal(owner(&b, "leg1_joint2"), "hold");
  const double held = position(&b, "leg1_joint2");
  rig_run(&b.r, 500 * MS);
  sn_assert_near(position(&b, "leg1_joint2"), held, 0.02); /* it came to rest, and stays */
  bench_close(&b);
}

SN_TEST(outside_controller_without_a_writer_holds_the_limb) {
  bench b;
  bench_open(&b);
  assert_int_equal(ask(&b, "mute", "leg1_joint2"), SN_OK);
  assert_true(b.outcome->success);
  for (int i = 0; i < 50; i++) {
    command(&b, 0.2, 0.2); /* of the other one, which does not own it */
    rig_run(&b.r, 10 * MS);
  }
  assert_string_equal(owner(&b, "leg1_joint2"), "mute");
  sn_assert_near(position(&b, "leg1_joint2"), 0.0, 0.0);
  assert_int_equal(ask(&b, "stranger", "leg1_joint2"), SN_ENOENT);
  assert_int_equal(ask(&b, "hold", "leg1_joint2"), SN_EINVAL);
  bench_close(&b);
}
