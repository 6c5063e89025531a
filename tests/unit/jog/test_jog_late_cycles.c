/* Jogging on a busy computer: cycles come late and irregularly, so that the gate cannot follow
   exactly. The command that counts is what the gate lets through. */
#include <math.h>
#include <string.h>

#include "controllers/jog/joint_follow.h"
#include "controllers/jog/tool_servo.h"
#include "gate/gate.h"
#include "robot.h"
#include "sinew/sinew.h"
#include "sn_test.h"
#include "traj/otg_limits.h"

enum { N = 6, RUNS = 200 };

#define PERIOD_NS INT64_C(10000000)
static const double READY[N] = {0.2, 0.3, 0.4, 0.1, 0.9, 0.0};
static const sn__servo_command REST = {.kind = SN__SERVO_STILL, .speed = 1.0};
static const sn__otg_defaults DEFAULTS = {1.0, 0.25, 0.1};
/* From the highest speed to rest, of the tool and of joints without limits of their own: the
   acceleration, and the jerk that ends it. */
static const double STOP_S = 0.25 + 0.1;

typedef struct bench {
  sn_test_robot robot;
  sn_arena arena;
  const sn_chain *chain;
  sn__tool_servo *servo;
  sn_gate *gate;
  sn_joint_state *reference;
  sn_random random;
  int64_t now_ns;
  double dt_s; /* by which the last cycle moved the tool */
  bool is_held;
  double command[N], q[N], qd[N]; /* what the servo wants; what the gate lets through */
} bench;

static void bench_close(bench *b) {
  sn_arena_release(&b->arena);
  sn_test_robot_free(&b->robot);
}

static void pass_gate(bench *b, const double *q, const double *qd) {
  sn_msg_reset(&sn_joint_state_type, b->reference);
  for (size_t j = 0; j < N; j++) {
    const char *name = sn_model_joint(b->robot.model, (size_t)b->chain->joints[j])->name;
    assert_int_equal(sn_msg_names_add(&b->reference->name, name, strlen(name)), SN_OK);
    b->reference->position.data[j] = b->command[j] = q[j];
    b->reference->velocity.data[j] = qd[j];
  }
  b->reference->position.count = b->reference->velocity.count = N;
  assert_int_equal(sn__gate_take(b->gate, 0, b->reference, b->now_ns), SN_OK);
  const sn_gate_command *out = sn__gate_step(b->gate, b->now_ns);
  for (size_t j = 0; j < N; j++) {
    const size_t joint = (size_t)b->chain->joints[j];
    b->q[j] = out->q[joint];
    b->qd[j] = out->qd[joint];
  }
}

/* As the component: the tool goes on from what the gate has changed. @return whether it rests */
static bool cycle(bench *b, int64_t passed_ns, const sn__servo_command *command) {
  double q[N];
  double qd[N];
  b->now_ns += passed_ns;
  b->dt_s = sn__jog_step_time_s(passed_ns, PERIOD_NS);
  b->is_held = false;
  for (size_t j = 0; j < N; j++) {
    b->is_held = b->is_held || fabs(b->q[j] - b->command[j]) > 1e-9;
  }
  if (b->is_held) {
    sn__tool_servo_go_on_from(b->servo, b->q, b->qd);
  }
  const bool is_still = sn__tool_servo_step(b->servo, b->dt_s, command, q, qd)->is_still;
  pass_gate(b, q, qd);
  return is_still && !b->is_held;
}

/* @param gate_periods  the longest time that a cycle of the gate covers */
static void bench_open(bench *b, double gate_periods) {
  sn_otg_limits limits[N];
  *b = (bench){.chain = NULL};
  sn_test_robot_load(&b->robot, "arm6");
  sn_arena_init_growing(&b->arena, "bench", 0);
  b->chain = sn_model_chain(b->robot.model, 0, false);
  for (size_t j = 0; j < N; j++) {
    limits[j] =
        sn__otg_limits_of(sn_model_joint(b->robot.model, (size_t)b->chain->joints[j]), &DEFAULTS);
  }
  const sn__tool_servo_config config = {.chain = b->chain,
                                        .joints = limits,
                                        .linear = {0.25, 1.0, 10.0},
                                        .angular = {1.0, 4.0, 40.0}};
  assert_int_equal(sn__tool_servo_create(&b->arena, &config, &b->servo, NULL), SN_OK);
  const sn_gate_config gate = {.source_count = 1,
                               .period_max_s = 1e-9 * gate_periods * (double)PERIOD_NS,
                               .initial_pose = READY};
  assert_int_equal(sn__gate_create(&b->arena, b->robot.model, &gate, &b->gate, NULL), SN_OK);
  const int owners[N] = {0};
  sn__gate_own(b->gate, owners, 0);
  const sn_msg_capacity room = {.item_count = N, .text_size = 64};
  b->reference = sn_msg_create(&b->arena, &sn_joint_state_type, &room);
  assert_non_null(b->reference);
  memcpy(b->q, READY, sizeof b->q);
  memcpy(b->command, READY, sizeof b->command);
  sn__tool_servo_begin(b->servo, READY);
  assert_non_null(sn__gate_step(b->gate, b->now_ns)); /* the first step only says where it is */
  cycle(b, PERIOD_NS, &REST);
}

static int64_t late_ns(bench *b) {
  return (int64_t)(sn_random_between(&b->random, 0.3, 3.5) * (double)PERIOD_NS);
}

static sn__servo_command random_command(bench *b) {
  sn__servo_command command = {.kind = SN__SERVO_TWIST, .speed = 1.0};
  double *const parts[] = {&command.twist.lin.x, &command.twist.lin.y, &command.twist.lin.z,
                           &command.twist.ang.x, &command.twist.ang.y, &command.twist.ang.z};
  for (size_t i = 0; i < 6; i++) {
    *parts[i] = sn_random_between(&b->random, -0.2, 0.2);
  }
  return command;
}

/* A gate that covers less time in a cycle, or more, changes the command in nearly every one. The
   tool may take longer to stop then, but not much. */
SN_TEST(a_tool_that_is_released_stops_whatever_the_gate_makes_of_late_cycles) {
  static const double GATES[] = {1.0, 2.0, 10.0};
  const double most_s = 3.0 * STOP_S;
  for (int run = 0; run < RUNS; run++) {
    bench b;
    bench_open(&b, GATES[run % 3]);
    sn_random_init(&b.random, (uint64_t)run);
    const sn__servo_command command = random_command(&b);
    for (int k = 0; k < 60; k++) {
      cycle(&b, late_ns(&b), &command);
    }
    double moved_s = 0.0;
    while (!cycle(&b, late_ns(&b), &REST)) {
      moved_s += b.dt_s;
      if (moved_s > most_s) {
        fail_msg("run %d: the tool moves on for %g s after its release, expected at most %g", run,
                 moved_s, most_s);
      }
    }
    bench_close(&b);
  }
}

SN_TEST(the_gate_follows_late_cycles_exactly) {
  for (int run = 0; run < RUNS; run++) {
    bench b;
    bench_open(&b, 2.0);
    sn_random_init(&b.random, (uint64_t)run);
    const sn__servo_command command = random_command(&b);
    for (int k = 0; k < 100; k++) {
      cycle(&b, late_ns(&b), k < 60 ? &command : &REST);
      if (b.is_held) {
        fail_msg("run %d, cycle %d: the gate changed the command", run, k);
      }
    }
    bench_close(&b);
  }
}
