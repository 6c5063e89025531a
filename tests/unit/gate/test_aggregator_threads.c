/* The emergency stop of a robot that runs in real time, asked for from several threads. */
#include <pthread.h>
#include <sched.h>

#include "gate_rig.h"
#include "loop_rig.h"
#include "rig.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

enum { MS = 1000000, CALLERS = 3 };

typedef struct bench {
  rig r;
  sn_tap *pose, *stop;
  sn_source *source;
} bench;

static void bench_open(bench *b) {
  rig_open_real(&b->r, MS);
  (void)loop_add_model(&b->r, gate_robot);
  rig_add(&b->r, &sn_timer_component, "timer");
  void *aggregator = rig_add(&b->r, &sn_aggregator_component, "aggregator");
  rig_set(&b->r, aggregator, "reference_timeout",
          "60"); /* a slow machine must not look like a silent source */
  rig_set(&b->r, aggregator, "velocity_default", "0.01");
  rig_connect(&b->r, "timer.sync", "aggregator.sync");
  rig_require(&b->r, "aggregator.robot_model", "robot_model");
  assert_int_equal(sn_source_open(b->r.system, "aggregator.in_joints", NULL, &b->source, &b->r.err),
                   SN_OK);
  rig_begin(&b->r);
  assert_int_equal(sn_tap_open(b->r.system, "aggregator.joints_sorted", NULL, &b->pose, &b->r.err),
                   SN_OK);
  assert_int_equal(sn_tap_open(b->r.system, "aggregator.stop", NULL, &b->stop, &b->r.err), SN_OK);
  assert_int_equal(sn_system_launch(b->r.system, &b->r.err), SN_OK);
}

static void bench_close(bench *b) {
  sn_tap_close(b->pose);
  sn_tap_close(b->stop);
  sn_source_close(b->source);
  sn_system_end(b->r.system);
  rig_close(&b->r);
}

/* The spinner has a long way to go, slowly. */
static void set_off(bench *b) {
  sn_joint_state *msg = sn_source_msg(b->source);
  sn_msg_reset(&sn_joint_state_type, msg);
  (void)sn_msg_names_add(&msg->name, "spinner", 7);
  msg->position.count = 1;
  msg->position.data[0] = 3.0;
  assert_int_equal(sn_source_write(b->source), SN_OK);
}

static void wait_until_it_moves(bench *b, bool moves) {
  const sn_joint_state *pose = sn_tap_read(b->pose, NULL);
  while (pose == NULL || (pose->velocity.data[GATE_SPINNER] != 0.0) != moves) {
    (void)sched_yield();
    pose = sn_tap_read(b->pose, NULL);
  }
}

typedef struct caller {
  sn_system *system;
  sn_status status;
} caller;

static void *stop(void *context) {
  caller *c = context;
  sn_arena arena;
  sn_error err;
  sn_caller operation = {0};
  sn_arena_init_growing(&arena, "caller", 0);
  c->status = sn_caller_open(c->system, "aggregator.emergencyStop", &operation, &err);
  sn_call_stop *request = sn_msg_create(&arena, &sn_call_stop_type, NULL);
  (void)sn_msg_text_set(&request->who, "operator");
  (void)sn_msg_text_set(&request->why, "test");
  if (c->status == SN_OK) {
    c->status = sn_call(&operation, request, NULL, &err);
    sn_caller_close(&operation);
  }
  sn_arena_release(&arena);
  return NULL;
}

static void stop_from_all_sides(bench *b) {
  caller callers[CALLERS];
  pthread_t threads[CALLERS];
  for (int i = 0; i < CALLERS; i++) {
    callers[i] = (caller){.system = b->r.system};
    assert_int_equal(pthread_create(&threads[i], NULL, stop, &callers[i]), 0);
  }
  for (int i = 0; i < CALLERS; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(callers[i].status, SN_OK);
  }
}

/* A stop that has just come in, or a joint that still brakes, is a good reason to be refused. */
static void resume(bench *b) {
  sn_caller operation = {0};
  assert_int_equal(sn_caller_open(b->r.system, "aggregator.resume", &operation, &b->r.err), SN_OK);
  operation.timeout_ns = 60 * SN_CALL_TIMEOUT_NS;
  sn_call_name *request = sn_msg_create(&b->r.arena, &sn_call_name_type, NULL);
  (void)sn_msg_text_set(&request->name, "operator");
  sn_status status = SN_EBUSY;
  while (status == SN_EBUSY) {
    status = sn_call(&operation, request, NULL, &b->r.err);
  }
  assert_int_equal(status, SN_OK);
  sn_caller_close(&operation);
}

SN_TEST(robot_stops_and_resumes_repeatedly) {
  bench b;
  bench_open(&b);
  for (int k = 0; k < 5; k++) {
    set_off(&b);
    wait_until_it_moves(&b, true);
    stop_from_all_sides(&b);
    wait_until_it_moves(&b, false);
    set_off(&b); /* in vain */
    resume(&b);
  }
  const sn_stop_state *stopped = sn_tap_read(b.stop, NULL);
  while (stopped == NULL || stopped->stopped) {
    (void)sched_yield();
    stopped = sn_tap_read(b.stop, NULL);
  }
  assert_int_equal(stopped->count, 5 * CALLERS);
  assert_string_equal(stopped->who.data, "operator");
  assert_string_equal(stopped->resumed_by.data, "operator");
  bench_close(&b);
}
