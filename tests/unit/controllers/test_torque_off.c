/* torque_off in a running system: limbs become limp, are moved by hand and taken back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allocation.h"
#include "loop_rig.h"
#include "rig.h"
#include "robot.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

enum { MS = 1000000, JOINTS_MAX = 64 };

typedef struct bench {
  rig r;
  sn_test_robot robot;
  size_t n;
  sn_component *torque_off, *hold, *aggregator;
  sn_tap *pose, *limp;
  sn_source *measured; /* NULL: nothing is measured */
  double q[JOINTS_MAX];
  bool is_limp[JOINTS_MAX];
  double hand[JOINTS_MAX]; /* where people have moved limp joints to */
  double hand_speed;       /* rad/s */
  bool has_pose;
  size_t limp_cycles;
} bench;

static void add_model(bench *b) {
  loop_add_quadruped(&b->r, &b->robot);
  b->n = sn_model_pose_size(b->robot.model);
}

static sn_component *add_controller(bench *b, const sn_component_type *type, const char *name) {
  char path[64];
  sn_component *c = rig_add(&b->r, type, name);
  snprintf(path, sizeof path, "%s.robot_model", name);
  rig_require(&b->r, path, "robot_model");
  snprintf(path, sizeof path, "%s.arbiter", name);
  rig_require(&b->r, path, "resources_control");
  snprintf(path, sizeof path, "%s.sync", name);
  rig_connect(&b->r, "timer.sync", path);
  return c;
}

static void bench_open(bench *b, bool is_measured) {
  *b = (bench){.n = 0};
  rig_open(&b->r, MS);
  add_model(b);
  b->aggregator = loop_add_gate(&b->r);
  b->hold = add_controller(b, &sn_follow_joint_state_component, "hold");
  rig_set(&b->r, b->hold, "stay_operational", "true");
  rig_set(&b->r, b->hold, "start_operational", "true");
  rig_connect(&b->r, "hold.out_joints_ref", "aggregator.in_joints");
  rig_connect(&b->r, "hold.ref_support", "aggregator.in_supports");
  rig_connect(&b->r, "aggregator.joints_sorted", "hold.in_joints_sorted");
  b->torque_off = add_controller(b, &sn_torque_off_component, "torque_off");
  rig_connect(&b->r, "torque_off.out_limp", "aggregator.in_limp");
  rig_connect(&b->r, "torque_off.ref_support", "aggregator.in_supports");
  sn_error *err = &b->r.err;
  if (is_measured) {
    assert_int_equal(
        sn_source_open(b->r.system, "aggregator.in_joints_measured", NULL, &b->measured, err),
        SN_OK);
  }
  assert_int_equal(sn_tap_open(b->r.system, "aggregator.joints_sorted", NULL, &b->pose, err),
                   SN_OK);
  assert_int_equal(sn_tap_open(b->r.system, "aggregator.limp", NULL, &b->limp, err), SN_OK);
  rig_begin(&b->r);
}

static void bench_close(bench *b) {
  sn_source_close(b->measured);
  sn_tap_close(b->pose);
  sn_tap_close(b->limp);
  rig_close(&b->r);
  sn_test_robot_free(&b->robot);
}

/* The robot: what is held is where it was commanded to be, what is limp is where hands put it. */
static void measure(bench *b) {
  if (b->measured == NULL) {
    return;
  }
  sn_joint_state *msg = sn_source_msg(b->measured);
  sn_msg_names_share(&msg->name, sn_model_joint_names(b->robot.model));
  msg->position.count = msg->velocity.count = b->n;
  for (size_t j = 0; j < b->n; j++) {
    b->hand[j] = b->is_limp[j] ? b->hand[j] + b->hand_speed * 1e-3 : b->q[j];
    msg->position.data[j] = b->hand[j];
    msg->velocity.data[j] = b->is_limp[j] ? b->hand_speed : 0.0;
  }
  assert_int_equal(sn_source_write(b->measured), SN_OK);
}

/* One cycle: whatever is not limp moves no faster than it may. */
static void cycle(bench *b) {
  measure(b);
  rig_run(&b->r, MS);
  sn_flow flow = SN_NO_DATA;
  const sn_joint_state *pose = sn_tap_read(b->pose, &flow);
  assert_int_equal(flow, SN_NEW_DATA);
  const sn_servo_goal *limp = sn_tap_read(b->limp, &flow);
  assert_int_equal(flow, SN_NEW_DATA); /* every cycle */
  assert_true(limp->header.stamp_ns == pose->header.stamp_ns);
  assert_int_equal(limp->limp.count, b->n);
  assert_int_equal(limp->goal.count, 0);
  bool is_any = false;
  for (size_t j = 0; j < b->n; j++) {
    const sn_joint *joint = sn_model_joint(b->robot.model, j);
    b->is_limp[j] = limp->limp.data[j];
    is_any = is_any || b->is_limp[j];
    const double way = fabs(pose->position.data[j] - b->q[j]);
    assert_true(!b->has_pose || b->is_limp[j] || way <= joint->velocity_max * 1e-3 + 1e-12);
    b->q[j] = pose->position.data[j];
  }
  b->limp_cycles += is_any;
  b->has_pose = true;
}

static void cycles(bench *b, int count) {
  for (int k = 0; k < count; k++) {
    cycle(b);
  }
}

static bool set_operational(bench *b, const char *who, bool on, const char *limb) {
  char path[64];
  snprintf(path, sizeof path, "%s.setOperational", who);
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b->r.system, path, &caller, &b->r.err), SN_OK);
  sn_set_operational *request = sn_msg_create(&b->r.arena, &sn_set_operational_type, NULL);
  sn_call_outcome *outcome = sn_msg_create(&b->r.arena, &sn_call_outcome_type, NULL);
  request->operational = on;
  if (limb != NULL) {
    assert_int_equal(sn_msg_names_add(&request->resources, limb, strlen(limb)), SN_OK);
  }
  assert_int_equal(sn_call(&caller, request, outcome, &b->r.err), SN_OK);
  sn_caller_close(&caller);
  return outcome->success;
}

static size_t count_limp(const bench *b) {
  size_t count = 0;
  for (size_t j = 0; j < b->n; j++) {
    count += b->is_limp[j];
  }
  return count;
}

/* All joints of the chain of this joint, and no others, but for those that cannot move. */
static bool is_chain_limp(const bench *b, const char *name) {
  const int chain =
      sn_model_joint(b->robot.model, (size_t)sn_model_joint_index(b->robot.model, name))->chain;
  for (size_t j = 0; j < b->n; j++) {
    const sn_joint *joint = sn_model_joint(b->robot.model, j);
    if (b->is_limp[j] != (joint->chain == chain && joint->velocity_max > 0.0)) {
      return false;
    }
  }
  return true;
}

SN_TEST(limb_is_made_limp_moved_and_taken_back_where_it_is) {
  bench b;
  bench_open(&b, true);
  cycles(&b, 20);
  assert_int_equal(count_limp(&b), 0);
  assert_true(set_operational(&b, "torque_off", true, "head_joint2"));
  b.hand_speed = 0.5;
  cycles(&b, 400);
  assert_true(is_chain_limp(&b, "head_joint2"));
  const size_t head = (size_t)sn_model_joint_index(b.robot.model, "head_joint2");
  assert_true(fabs(b.q[head] - b.hand[head]) <= 1e-15);
  sn_assert_near(b.q[head], 0.5 * 0.4, 2e-3);
  assert_true(set_operational(&b, "torque_off", false, NULL));
  const double left_at = b.q[head];
  cycles(&b, 500);
  assert_int_equal(count_limp(&b), 0);
  sn_assert_near(b.q[head], left_at, 0.03); /* it braked, and stays */
  const double held_at = b.q[head];
  cycles(&b, 500);
  sn_assert_near(b.q[head], held_at, 1e-9);
  bench_close(&b);
}

SN_TEST(not_measured_limbs_keep_their_command) {
  bench b;
  bench_open(&b, false);
  cycles(&b, 20);
  const size_t head = (size_t)sn_model_joint_index(b.robot.model, "head_joint2");
  const double before = b.q[head];
  assert_true(set_operational(&b, "torque_off", true, NULL));
  cycles(&b, 700);
  assert_true(count_limp(&b) > 20);
  sn_assert_near(b.q[head], before, 0.0);
  char line[256] = "";
  assert_int_equal(rig_drain_log(&b.r, SN_LOG_WARNING, line, sizeof line), 1);
  assert_non_null(strstr(line, "source 'torque_off'"));
  assert_non_null(strstr(line, "limp and not measured"));
  bench_close(&b);
}

/* When it fails its limbs go to the earlier owner, where they are. */
SN_TEST(torque_off_that_stops_gives_its_limbs_back) {
  bench b;
  bench_open(&b, true);
  cycles(&b, 20);
  assert_true(set_operational(&b, "torque_off", true, NULL));
  b.hand_speed = -0.3;
  cycles(&b, 200);
  assert_true(count_limp(&b) > 20);
  assert_int_equal(sn_system_stop(b.r.system, b.torque_off, &b.r.err), SN_OK);
  cycles(&b, 3);
  assert_int_equal(count_limp(&b), 0);
  cycles(&b, 300);
  assert_int_equal(count_limp(&b), 0);
  bench_close(&b);
}

SN_TEST(emergency_stop_makes_joints_limp_with_stop_limp) {
  bench b;
  bench_open(&b, true);
  rig_set(&b.r, b.aggregator, "stop_limp", "true");
  cycles(&b, 20);
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b.r.system, "aggregator.emergencyStop", &caller, &b.r.err),
                   SN_OK);
  sn_call_stop *request = sn_msg_create(&b.r.arena, &sn_call_stop_type, NULL);
  assert_int_equal(sn_call(&caller, request, NULL, &b.r.err), SN_OK);
  sn_caller_close(&caller);
  b.hand_speed = 0.1;
  cycles(&b, 200);
  assert_true(count_limp(&b) > 20);
  bench_close(&b);
}

SN_TEST(cycles_touch_no_heap) {
  bench b;
  bench_open(&b, true);
  cycles(&b, 20);
  assert_true(set_operational(&b, "torque_off", true, NULL));
  cycles(&b, 10);
  const size_t before = sn_test_heap_calls();
  rig_run(&b.r, MS); /* what the run itself takes */
  const size_t run_calls = sn_test_heap_calls() - before;
  const size_t middle = sn_test_heap_calls();
  rig_run(&b.r, 300 * MS);
  assert_int_equal(sn_test_heap_calls() - middle, run_calls);
  bench_close(&b);
}
