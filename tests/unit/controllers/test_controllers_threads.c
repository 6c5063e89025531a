/* Limbs asked for from several threads at once, in a system that runs in real time, while another
   thread floods a controller with references: every call is answered, and the command keeps its
   limits. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "gate_rig.h"
#include "loop_rig.h"
#include "rig.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { MS = 1000000, CALLERS = 4 };

typedef struct bench {
  rig r;
  sn_tap *pose, *assignment;
  sn_source *flood;
  atomic_bool is_over;
} bench;

static void add_follower(bench *b, const char *name, bool stays) {
  char path[64];
  sn_component *c = rig_add(&b->r, &sn_follow_joint_state_component, name);
  const char *const needs[] = {"robot_model", "arbiter"};
  for (size_t i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s.%s", name, needs[i]);
    rig_require(&b->r, path, i == 0 ? "robot_model" : "resources_control");
  }
  snprintf(path, sizeof path, "%s.sync", name);
  rig_connect(&b->r, "timer.sync", path);
  snprintf(path, sizeof path, "%s.in_joints_sorted", name);
  rig_connect(&b->r, "aggregator.joints_sorted", path);
  snprintf(path, sizeof path, "%s.out_joints_ref", name);
  rig_connect(&b->r, path, "aggregator.in_joints");
  rig_set(&b->r, c, "activation_delay", "0");
  rig_set(&b->r, c, "stay_operational", stays ? "true" : "false");
  rig_set(&b->r, c, "start_operational", stays ? "true" : "false");
}

static void bench_open(bench *b) {
  atomic_init(&b->is_over, false);
  rig_open_real(&b->r, MS);
  sn_component *model = loop_add_model(&b->r, gate_robot);
  rig_set(&b->r, model, "kinematics_chains",
          "{upper: {first_link: base, last_link: l1}, lower: {first_link: l1, last_link: l6}}");
  (void)loop_add_gate(&b->r);
  add_follower(b, "hold", true);
  add_follower(b, "a", false);
  add_follower(b, "b", false);
  const sn_connection queue = {.buffer = 64};
  sn_error *err = &b->r.err;
  assert_int_equal(sn_source_open(b->r.system, "a.in_joints_ref", &queue, &b->flood, err), SN_OK);
  const sn_connection long_queue = {.buffer = 1024};
  assert_int_equal(sn_tap_open(b->r.system, "aggregator.joints_sorted", &long_queue, &b->pose, err),
                   SN_OK);
  assert_int_equal(
      sn_tap_open(b->r.system, "resources_control.assignment", NULL, &b->assignment, err), SN_OK);
  rig_begin(&b->r);
  assert_int_equal(sn_system_launch(b->r.system, &b->r.err), SN_OK);
}

static void bench_close(bench *b) {
  sn_tap_close(b->pose);
  sn_tap_close(b->assignment);
  sn_source_close(b->flood);
  sn_system_end(b->r.system);
  rig_close(&b->r);
}

typedef struct caller {
  bench *bench;
  const char *operation;
  uint64_t seed;
  size_t answered, refused, failed;
} caller;

static void *call(void *context) {
  caller *c = context;
  sn_arena arena;
  sn_error err;
  sn_caller operation = {0};
  sn_random random;
  sn_random_init(&random, c->seed);
  sn_arena_init_growing(&arena, "caller", 0);
  sn_set_operational *request = sn_msg_create(&arena, &sn_set_operational_type, NULL);
  sn_call_outcome *outcome = sn_msg_create(&arena, &sn_call_outcome_type, NULL);
  c->failed += sn_caller_open(c->bench->r.system, c->operation, &operation, &err) != SN_OK;
  operation.timeout_ns = 60 * SN_CALL_TIMEOUT_NS; /* a slow machine must not fail */
  while (c->failed == 0 && !atomic_load(&c->bench->is_over)) {
    static const char *const limbs[] = {"upper", "lower", "wing"};
    const char *limb = limbs[sn_random_below(&random, 3)];
    sn_msg_reset(&sn_set_operational_type, request);
    request->operational = sn_random_below(&random, 3) > 0;
    (void)sn_msg_names_add(&request->resources, limb, strlen(limb));
    c->failed += sn_call(&operation, request, outcome, &err) != SN_OK;
    c->answered++;
    c->refused += !outcome->success;
  }
  sn_caller_close(&operation);
  sn_arena_release(&arena);
  return NULL;
}

static void *flood(void *context) {
  bench *b = context;
  uint64_t k = 0;
  while (!atomic_load(&b->is_over)) {
    sn_joint_state *msg = sn_source_msg(b->flood);
    sn_msg_reset(&sn_joint_state_type, msg);
    (void)sn_msg_names_add(&msg->name, "wheel", 5);
    (void)sn_msg_names_add(&msg->name, "shoulder", 8);
    msg->position.count = 2;
    msg->position.data[0] = k++ % 1000 < 500 ? 3.0 : -3.0;
    msg->position.data[1] = msg->position.data[0];
    (void)sn_source_write(b->flood); /* most do not fit */
  }
  return NULL;
}

/* Every command that came out, by its stamps. */
static size_t judge_commands(bench *b, gate_judge *judge) {
  size_t count = 0;
  sn_flow flow = SN_NO_DATA;
  const sn_joint_state *pose = sn_tap_read(b->pose, &flow);
  for (; flow == SN_NEW_DATA; pose = sn_tap_read(b->pose, &flow)) {
    const double zeros[GATE_JOINTS] = {0};
    const sn_gate_command command = {
        .q = pose->position.data, .qd = pose->velocity.data, .qdd = zeros};
    const char *trouble = gate_judge_look(judge, &command, pose->header.stamp_ns);
    if (trouble != NULL) {
      fail_msg("%s", trouble);
    }
    count++;
  }
  return count;
}

SN_TEST(every_call_is_answered_and_the_command_keeps_its_limits) {
  bench b;
  bench_open(&b);
  sn_test_robot robot;
  sn_test_robot_init(&robot, gate_robot, NULL);
  gate_judge judge;
  const sn_gate_config config = {.period_max_s = 2e-3};
  gate_judge_init(&judge, robot.model, &config);
  pthread_t threads[CALLERS + 1];
  caller callers[CALLERS];
  for (size_t i = 0; i < CALLERS; i++) { /* two threads for each controller */
    callers[i] = (caller){
        .bench = &b, .operation = i % 2 == 0 ? "a.setOperational" : "b.setOperational", .seed = i};
    assert_int_equal(pthread_create(&threads[i], NULL, call, &callers[i]), 0);
  }
  assert_int_equal(pthread_create(&threads[CALLERS], NULL, flood, &b), 0);
  size_t commands = 0;
  while (commands < sn_test_cases(500)) {
    commands += judge_commands(&b, &judge);
  }
  atomic_store(&b.is_over, true);
  for (size_t i = 0; i <= CALLERS; i++) {
    pthread_join(threads[i], NULL);
  }
  for (size_t i = 0; i < CALLERS; i++) {
    assert_int_equal(callers[i].failed, 0);
    assert_true(callers[i].answered > 0);
    assert_true(callers[i].refused > 0 || callers[i].answered < 50); /* 'wing' is unknown */
  }
  const sn_resource_assignment *table = sn_tap_read(b.assignment, NULL);
  for (size_t i = 0; i < table->owners.count; i++) {
    assert_true(sn_msg_names_at(&table->owners, i)[0] != '\0'); /* hold wants them all */
  }
  bench_close(&b);
  sn_test_robot_free(&robot);
}
