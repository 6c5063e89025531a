#include "servo_ident_rig.h"

void servo_ident_create(bench *b, sn_servo_ident_config config, uint64_t seed) {
  sn_random_init(&b->random, seed);
  for (size_t i = 0; i < N; i++) {
    sn_servo_rig_init(&b->rigs[i], &b->random);
    b->rigs[i].params.kgear = i == 1 ? -2.5 : 1.0;
    b->rigs[i].delay = config.control_delay;
    if (b->has_load) {
      const double per_torque = b->rigs[i].params.alpha[3];
      b->rigs[i].params.ext =
          (sn_servo_extension){.load = {0.2 * per_torque, 0.02 * per_torque}, .offset = 0.05};
    }
    b->models[i] = b->rigs[i].params;
    b->models[i].ext.delay_s = b->has_load ? 0.01 : 0.0;
    b->models[i].alpha[0] *= 1.3; /* what is believed at the start is wrong */
    b->models[i].alpha[1] *= 0.5;
    b->models[i].alpha[2] *= 1.5;
    b->models[i].alpha[3] *= 0.8;
  }
  config.servo_count = N;
  config.models = b->models;
  config.cycle_s = config.cycle_s == 0.0 ? 0.01 : config.cycle_s;
  b->delay = config.control_delay + (b->has_load ? 1 : 0);
  b->cycle = 0;
  b->without_velocity = false;
  b->holds_goals = config.smoothing > 0;
  sn_arena_init(&b->arena, "bench", b->memory, sizeof b->memory);
  assert_int_equal(sn__servo_ident_create(&b->arena, &config, &b->ident, NULL), SN_OK);
}

/* The goal that, held for the cycle that ends then, lets the servo move as it does: the mean of
   what it would have to be at each moment. */
static double goal_until(const bench *b, size_t servo, double then) {
  enum { PIECES = 50 };
  double sum = 0.0;
  for (int k = 0; b->holds_goals && k < PIECES; k++) {
    const double t = then - 0.01 * (k + 0.5) / PIECES;
    const sn_servo_motion m = sn_servo_rig_motion(&b->rigs[servo], t);
    sum += sn_servo_goal_of(&b->rigs[servo].params, 12.0, &m, 0.0) / PIECES;
  }
  const sn_servo_motion m = sn_servo_rig_motion(&b->rigs[servo], then);
  return b->holds_goals ? sum : sn_servo_goal_of(&b->rigs[servo].params, 12.0, &m, 0.0);
}

void servo_ident_run_cycle(bench *b, const int *servos, size_t count) {
  double q[N];
  double qd[N];
  double tau[N];
  double goal[N];
  const double t = 0.01 * (double)b->cycle;
  const double then = 0.01 * (double)(b->cycle + b->delay);
  for (size_t i = 0; i < N; i++) {
    const sn_servo_motion m = sn_servo_rig_motion(&b->rigs[i], then);
    q[i] = m.q;
    qd[i] = m.qd;
    tau[i] = m.tau;
    goal[i] = goal_until(b, i, then);
  }
  const sn_servo_command command = {.q = q, .qd = qd, .tau = tau, .goal = goal, .voltage = 12.0};
  assert_int_equal(sn__servo_ident_command(b->ident, &command), SN_OK);
  double measured_q[N];
  double measured_qd[N];
  for (size_t k = 0; k < count; k++) {
    sn_servo_rig at_once = b->rigs[servos[k]];
    const sn_servo_motion m = sn_servo_rig_motion(&at_once, t);
    const double step = at_once.encoder_step;
    measured_q[k] = step == 0.0 ? m.q : step * round(m.q / step);
    measured_qd[k] = m.qd + at_once.velocity_noise * sn_random_normal(&b->random);
  }
  const sn_servo_measured measured = {.count = count,
                                      .servo = servos,
                                      .q = measured_q,
                                      .qd = b->without_velocity ? NULL : measured_qd};
  assert_int_equal(sn__servo_ident_measure(b->ident, &measured), SN_OK);
  b->cycle++;
}

const int servo_ident_all[N] = {2, 0, 1}; /* in no order */

bench servo_ident_the_bench; /* large */
