/* Controllers take limbs from each other at random, in a running system with the aggregator: in
   every cycle each joint has a reference, and the command never jumps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"
#include "robot.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { MS = 1000000, CONTROLLERS = 3, JOINTS_MAX = 64 };
static const char *const names[CONTROLLERS] = {"hold", "a", "b"};

typedef struct bench {
  rig r;
  sn_test_robot robot;
  size_t n;
  sn_tap *out[CONTROLLERS];
  sn_tap *command, *assignment;
  sn_source *reference[CONTROLLERS];
  sn_caller operate[CONTROLLERS];
  sn_set_operational *request;
  sn_call_outcome *outcome;
  double q[JOINTS_MAX], qd[JOINTS_MAX];
  bool has_command;
  size_t missing, jumps, hand_overs;
} bench;

static const char *path(char text[64], const char *component, const char *port) {
  snprintf(text, 64, "%s.%s", component, port);
  return text;
}

static void add_controller(bench *b, size_t i) {
  char text[64];
  sn_component *c = rig_add(&b->r, &sn_follow_joint_state_component, names[i]);
  rig_require(&b->r, path(text, names[i], "robot_model"), "robot_model");
  rig_require(&b->r, path(text, names[i], "arbiter"), "resources_control");
  rig_connect(&b->r, "timer.sync", path(text, names[i], "sync"));
  rig_connect(&b->r, path(text, names[i], "out_joints_ref"), "aggregator.in_joints");
  rig_connect(&b->r, "aggregator.joints_sorted", path(text, names[i], "in_joints_sorted"));
  rig_set(&b->r, c, "activation_delay", "0.002");
  if (i == 0) {
    rig_set(&b->r, c, "stay_operational", "true");
    rig_set(&b->r, c, "start_operational", "true");
  }
}

static void add_model(bench *b) {
  size_t size = 0;
  char *urdf = sn_test_read_file(SINEW_ROBOTS "/quadruped.urdf", &size);
  sn_test_robot_init_good(&b->robot, urdf, NULL);
  b->n = sn_model_pose_size(b->robot.model);
  sn_component *model = rig_add_to(&b->r, &sn_robot_model_component, "robot_model", NULL, 0);
  sn_report *report = sn_report_create(&b->r.arena);
  const sn_prop value = {.name = "", .kind = SN_PROP_TEXT, .text = urdf, .place = {.file = "test"}};
  assert_int_equal(
      sn_system_set(b->r.system, model, "robot_description", &value, report, &b->r.err), SN_OK);
  free(urdf);
}

static void open_ends(bench *b) {
  char text[64];
  const sn_connection queue = {.buffer = 4};
  for (size_t i = 0; i < CONTROLLERS; i++) {
    assert_int_equal(sn_tap_open(b->r.system, path(text, names[i], "out_joints_ref"), NULL,
                                 &b->out[i], &b->r.err),
                     SN_OK);
    assert_int_equal(sn_source_open(b->r.system, path(text, names[i], "in_joints_ref"), &queue,
                                    &b->reference[i], &b->r.err),
                     SN_OK);
    assert_int_equal(sn_caller_open(b->r.system, path(text, names[i], "setOperational"),
                                    &b->operate[i], &b->r.err),
                     SN_OK);
  }
  assert_int_equal(
      sn_tap_open(b->r.system, "aggregator.joints_sorted", NULL, &b->command, &b->r.err), SN_OK);
  assert_int_equal(
      sn_tap_open(b->r.system, "resources_control.assignment", NULL, &b->assignment, &b->r.err),
      SN_OK);
  b->request = sn_msg_create(&b->r.arena, &sn_set_operational_type, NULL);
  b->outcome = sn_msg_create(&b->r.arena, &sn_call_outcome_type, NULL);
}

static void bench_open(bench *b) {
  *b = (bench){.n = 0};
  rig_open(&b->r, MS);
  add_model(b);
  rig_add(&b->r, &sn_timer_component, "timer");
  rig_add(&b->r, &sn_resources_control_component, "resources_control");
  rig_require(&b->r, "resources_control.robot_model", "robot_model");
  rig_add(&b->r, &sn_aggregator_component, "aggregator");
  rig_require(&b->r, "aggregator.robot_model", "robot_model");
  rig_require(&b->r, "aggregator.owners", "resources_control");
  rig_connect(&b->r, "timer.sync", "aggregator.sync");
  for (size_t i = 0; i < CONTROLLERS; i++) {
    add_controller(b, i);
  }
  open_ends(b);
  rig_begin(&b->r);
  rig_run(&b->r, 5 * MS); /* until the first controller holds everything */
}

static void bench_close(bench *b) {
  for (size_t i = 0; i < CONTROLLERS; i++) {
    sn_tap_close(b->out[i]);
    sn_source_close(b->reference[i]);
    sn_caller_close(&b->operate[i]);
  }
  sn_tap_close(b->command);
  sn_tap_close(b->assignment);
  rig_close(&b->r);
  sn_test_robot_free(&b->robot);
}

/* A random controller takes some limbs, or lets all go. */
static void disturb(bench *b, sn_random *random) {
  const size_t who = 1 + sn_random_below(random, CONTROLLERS - 1);
  const sn_names *chains = sn_model_chain_names(b->robot.model);
  sn_msg_reset(&sn_set_operational_type, b->request);
  b->request->operational = sn_random_below(random, 3) > 0;
  for (size_t i = 0; b->request->operational && i < sn_names_count(chains); i++) {
    if (sn_random_below(random, 2) == 0) {
      const char *name = sn_names_at(chains, i);
      assert_int_equal(sn_msg_names_add(&b->request->resources, name, strlen(name)), SN_OK);
    }
  }
  assert_int_equal(sn_call(&b->operate[who], b->request, b->outcome, &b->r.err), SN_OK);
  b->hand_overs++;
}

/* Somebody wants a joint somewhere else, as far away as it can go. */
static void refer(bench *b, sn_random *random) {
  sn_source *source = b->reference[sn_random_below(random, CONTROLLERS)];
  sn_joint_state *msg = sn_source_msg(source);
  sn_msg_names_share(&msg->name, sn_model_joint_names(b->robot.model));
  msg->position.count = b->n;
  for (size_t j = 0; j < b->n; j++) {
    const sn_joint *joint = sn_model_joint(b->robot.model, j);
    msg->position.data[j] = sn_random_between(random, joint->lower, joint->upper);
  }
  assert_int_equal(sn_source_write(source), SN_OK);
}

/* The owner that the aggregator obeys at the end of the cycle; -1: nobody. */
static int owner_of(const sn_resource_assignment *table, const sn_model *model, size_t joint) {
  const int chain = sn_model_joint(model, joint)->chain;
  const char *owner = chain < 0 ? "" : sn_msg_names_at(&table->owners, (size_t)chain);
  for (int i = 0; i < CONTROLLERS; i++) {
    if (strcmp(names[i], owner) == 0) {
      return i;
    }
  }
  return -1;
}

/* Who owns a joint has written a reference for it in this very cycle. */
static void check_references(bench *b) {
  bool has_written[CONTROLLERS][JOINTS_MAX] = {{false}};
  for (size_t i = 0; i < CONTROLLERS; i++) {
    sn_flow flow = SN_NO_DATA;
    const sn_joint_state *msg = sn_tap_read(b->out[i], &flow);
    for (size_t k = 0; flow == SN_NEW_DATA && k < msg->name.count; k++) {
      has_written[i][sn_model_joint_index(b->robot.model, sn_msg_names_at(&msg->name, k))] = true;
    }
  }
  const sn_resource_assignment *table = sn_tap_read(b->assignment, NULL);
  for (size_t j = 0; j < b->n; j++) {
    const int owner = owner_of(table, b->robot.model, j);
    b->missing += owner < 0 || !has_written[owner][j];
  }
}

static void check_command(bench *b) {
  sn_flow flow = SN_NO_DATA;
  const sn_joint_state *msg = sn_tap_read(b->command, &flow);
  assert_int_equal(flow, SN_NEW_DATA); /* one complete pose every cycle */
  assert_int_equal(msg->position.count, b->n);
  for (size_t j = 0; j < b->n; j++) {
    const sn_joint *joint = sn_model_joint(b->robot.model, j);
    const double q = msg->position.data[j];
    assert_true(isfinite(q) && q >= joint->lower - 1e-12 && q <= joint->upper + 1e-12);
    b->jumps += b->has_command && fabs(q - b->q[j]) > joint->velocity_max * 1e-3 + 1e-12;
    b->q[j] = q;
  }
  b->has_command = true;
}

static void random_hand_overs_leave_no_joint_alone_and_nothing_jumps(void **state) {
  (void)state;
  bench b;
  bench_open(&b);
  sn_random random;
  sn_random_init(&random, 23);
  for (size_t k = 0; k < sn_test_cases(20000); k++) {
    if (sn_random_below(&random, 2) == 0) {
      disturb(&b, &random);
    }
    if (sn_random_below(&random, 5) == 0) {
      refer(&b, &random);
    }
    rig_run(&b.r, MS);
    check_references(&b);
    check_command(&b);
    rig_drain_log(&b.r, SN_LOG_ERROR, NULL, 0);
  }
  printf("%zu hand-overs\n", b.hand_overs);
  assert_int_equal(b.missing, 0);
  assert_int_equal(b.jumps, 0);
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_hand_overs_leave_no_joint_alone_and_nothing_jumps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
