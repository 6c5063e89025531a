/* What servos cost in a cycle: thirty of them inverted, watched, and all identified at once. Each
   case is one cycle of the whole robot; the joints move by sines, so that every sample identifies.
 */
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "ident/online/servo_ident.h"
#include "servo/servo_inv.h"

enum { SERVOS = 30 };

typedef struct context {
  sn_servo_ident *ident;
  sn_servo_inv *inv;
  bool has_velocity;
  double q[BENCH_INPUTS][SERVOS], qd[BENCH_INPUTS][SERVOS], tau[BENCH_INPUTS][SERVOS];
  double goal[BENCH_INPUTS][SERVOS];
  int servo[SERVOS];
} context;

static const sn_servo_params params = {
    .kp = 100.0, .kgear = 1.0, .alpha = {40.0, 8.0, 5.0, 200.0}, .qs = 0.1, .delta = 1.0};

static void fill(context *c) {
  for (size_t k = 0; k < BENCH_INPUTS; k++) {
    for (size_t i = 0; i < SERVOS; i++) {
      const double w = 6.283185307179586 / BENCH_INPUTS * (double)(1 + i % 3);
      const double angle = w * (double)k + 0.2 * (double)i;
      c->q[k][i] = 0.5 * sin(angle);
      c->qd[k][i] = 0.5 * w * 1000.0 * cos(angle);
      c->tau[k][i] = 0.1 * sin(3.0 * angle);
      const sn_servo_motion m = {.q = c->q[k][i], .qd = c->qd[k][i], .tau = c->tau[k][i]};
      c->goal[k][i] = sn_servo_goal_of(&params, 12.0, &m, SN_SERVO_DEAD_ZONE);
      c->servo[i] = (int)i;
    }
  }
}

static void invert(void *context_, size_t k) {
  context *c = context_;
  double goals[SERVOS];
  const sn_servo_reference r = {
      .q = c->q[k], .qd = c->qd[k], .tau = c->tau[k], .voltage = 12.0, .dt_s = 0.001};
  sn__servo_inv_step(c->inv, &r, goals);
}

static void watch(void *context_, size_t k) {
  context *c = context_;
  const sn_servo_command command = {
      .q = c->q[k], .qd = c->qd[k], .tau = c->tau[k], .goal = c->goal[k]};
  (void)sn__servo_ident_command(c->ident, &command);
  const sn_servo_measured measured = {
      .count = SERVOS, .servo = c->servo, .q = c->q[k], .qd = c->has_velocity ? c->qd[k] : NULL};
  (void)sn__servo_ident_measure(c->ident, &measured);
}

static void run_ident(context *c, const char *name, size_t smoothing, bool identify,
                      bool has_velocity, bool with_inertia) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "bench", 0);
  sn_servo_params models[SERVOS];
  for (size_t i = 0; i < SERVOS; i++) {
    models[i] = params;
  }
  const sn_servo_ident_config config = {.servo_count = SERVOS,
                                        .models = models,
                                        .cycle_s = 0.001,
                                        .control_delay = 2,
                                        .smoothing = smoothing,
                                        .identify_inertia = with_inertia};
  if (sn__servo_ident_create(&arena, &config, &c->ident, NULL) != SN_OK) {
    abort();
  }
  if (identify && sn__servo_ident_start(c->ident, c->servo, SERVOS) != SN_OK) {
    abort();
  }
  c->has_velocity = has_velocity;
  const bench_case b = {
      .library = "sinew", .name = name, .robot = "30 servos", .joint_count = SERVOS};
  bench_run(&b, watch, c);
  sn_arena_release(&arena);
}

int main(void) {
  context *c = calloc(1, sizeof *c);
  sn_arena arena;
  sn_arena_init_growing(&arena, "bench", 0);
  sn_servo_params models[SERVOS];
  for (size_t i = 0; i < SERVOS; i++) {
    models[i] = params;
  }
  const sn_servo_inv_config config = {.servo_count = SERVOS, .models = models};
  if (c == NULL || sn__servo_inv_create(&arena, &config, &c->inv, NULL) != SN_OK) {
    abort();
  }
  fill(c);
  const bench_case b = {
      .library = "sinew", .name = "servo_inv", .robot = "30 servos", .joint_count = SERVOS};
  bench_run(&b, invert, c);
  run_ident(c, "ident_watch", 4, false, true, false);
  run_ident(c, "ident_raw", 0, true, true, false);
  run_ident(c, "ident_smoothing_4", 4, true, true, false);
  run_ident(c, "ident_smoothing_16", 16, true, true, false);
  run_ident(c, "ident_smoothing_16_no_velocity", 16, true, false, false);
  run_ident(c, "ident_smoothing_16_inertia", 16, true, true, true);
  sn_arena_release(&arena);
  free(c);
  return 0;
}
