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

/* The same with friction that grows with the load. */
static sn_servo_params with_load(void) {
  sn_servo_params p = params;
  p.ext = (sn_servo_extension){.back_emf = 20.0, .load = {30.0, 100.0}};
  return p;
}

static void fill(context *c, const sn_servo_params *servo) {
  for (size_t k = 0; k < BENCH_INPUTS; k++) {
    for (size_t i = 0; i < SERVOS; i++) {
      const double w = 6.283185307179586 / BENCH_INPUTS * (double)(1 + i % 3);
      const double angle = w * (double)k + 0.2 * (double)i;
      c->q[k][i] = 0.5 * sin(angle);
      c->qd[k][i] = 0.5 * w * 1000.0 * cos(angle);
      c->tau[k][i] = 0.1 * sin(3.0 * angle);
      const sn_servo_motion m = {.q = c->q[k][i], .qd = c->qd[k][i], .tau = c->tau[k][i]};
      c->goal[k][i] = sn_servo_goal_of(servo, 12.0, &m, SN_SERVO_DEAD_ZONE);
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

static void set_models(sn_servo_params models[SERVOS], bool has_load) {
  for (size_t i = 0; i < SERVOS; i++) {
    models[i] = has_load ? with_load() : params;
  }
}

/* @param wanted  smoothing, and what is identified besides alpha */
static void run_ident(context *c, const char *name, bool identify, bool has_velocity,
                      sn_servo_ident_config wanted) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "bench", 0);
  sn_servo_params models[SERVOS];
  set_models(models, wanted.identify_load_friction);
  fill(c, &models[0]);
  wanted.servo_count = SERVOS;
  wanted.models = models;
  wanted.cycle_s = 0.001;
  wanted.control_delay = 2;
  if (sn__servo_ident_create(&arena, &wanted, &c->ident, NULL) != SN_OK) {
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

static void run_inv(context *c, const char *name, bool has_load) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "bench", 0);
  sn_servo_params models[SERVOS];
  set_models(models, has_load);
  fill(c, &models[0]);
  const sn_servo_inv_config config = {.servo_count = SERVOS, .models = models};
  if (sn__servo_inv_create(&arena, &config, &c->inv, NULL) != SN_OK) {
    abort();
  }
  const bench_case b = {
      .library = "sinew", .name = name, .robot = "30 servos", .joint_count = SERVOS};
  bench_run(&b, invert, c);
  sn_arena_release(&arena);
}

int main(void) {
  context *c = calloc(1, sizeof *c);
  if (c == NULL) {
    abort();
  }
  typedef sn_servo_ident_config config;
  run_inv(c, "servo_inv", false);
  run_inv(c, "servo_inv_load_friction", true);
  run_ident(c, "ident_watch", false, true, (config){.smoothing = 4});
  run_ident(c, "ident_raw", true, true, (config){.smoothing = 0});
  run_ident(c, "ident_smoothing_4", true, true, (config){.smoothing = 4});
  run_ident(c, "ident_smoothing_16", true, true, (config){.smoothing = 16});
  run_ident(c, "ident_smoothing_16_no_velocity", true, false, (config){.smoothing = 16});
  run_ident(c, "ident_smoothing_16_inertia", true, true,
            (config){.smoothing = 16, .identify_inertia = true});
  run_ident(c, "ident_smoothing_16_load_friction", true, true,
            (config){.smoothing = 16, .identify_inertia = true, .identify_load_friction = true});
  free(c);
  return 0;
}
