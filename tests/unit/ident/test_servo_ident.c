#include <stdlib.h>

#include "allocation.h"
#include "ident/online/servo_ident.h"
#include "servo_rig.h"
#include "sn_test.h"

enum { N = 3 };

/* Three independent servos and the inputs of their identifier. */
typedef struct bench {
  sn_servo_rig rigs[N];
  sn_servo_params models[N];
  unsigned char memory[1 << 20];
  sn_arena arena;
  sn_servo_ident *ident;
  sn_random random;
  size_t delay;
  size_t cycle;
  bool without_velocity;
  bool holds_goals; /* else the law holds at the moment of each measurement */
} bench;

static void create(bench *b, sn_servo_ident_config config, uint64_t seed) {
  sn_random_init(&b->random, seed);
  for (size_t i = 0; i < N; i++) {
    sn_servo_rig_init(&b->rigs[i], &b->random);
    b->rigs[i].params.kgear = i == 1 ? -2.5 : 1.0;
    b->rigs[i].delay = config.control_delay;
    b->models[i] = b->rigs[i].params;
    b->models[i].alpha[0] *= 1.3; /* what is believed at the start is wrong */
    b->models[i].alpha[1] *= 0.5;
    b->models[i].alpha[2] *= 1.5;
    b->models[i].alpha[3] *= 0.8;
  }
  config.servo_count = N;
  config.models = b->models;
  config.cycle_s = config.cycle_s == 0.0 ? 0.01 : config.cycle_s;
  b->delay = config.control_delay;
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

/* One cycle: the goal for `delay` cycles later is sent, and the servos chosen are measured. */
static void run_cycle(bench *b, const int *servos, size_t count) {
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

static const int all[N] = {2, 0, 1}; /* in no order */

static void assert_alpha(const bench *b, const double tolerance[4]) {
  for (size_t i = 0; i < N; i++) {
    for (size_t k = 0; k < 4; k++) {
      const double truth = b->rigs[i].params.alpha[k];
      sn_assert_near(sn__servo_ident_model(b->ident, i)->alpha[k], truth, tolerance[k] * truth);
    }
  }
}

static const double exact[4] = {1e-6, 1e-6, 1e-6, 1e-6};

static bench the_bench; /* large */

SN_TEST(exact_measurements_give_alpha_exactly) {
  bench *b = &the_bench;
  for (size_t delay = 0; delay < 8; delay += 3) {
    create(b, (sn_servo_ident_config){.control_delay = delay, .forgetting = 1.0}, 1 + delay);
    assert_int_equal(sn__servo_ident_start(b->ident, all, N), SN_OK);
    for (int i = 0; i < 3000; i++) {
      run_cycle(b, all, N);
    }
    bool accepted[N];
    assert_int_equal(sn__servo_ident_end(b->ident, accepted), N);
    assert_true(accepted[0] && accepted[1] && accepted[2]);
    assert_alpha(b, exact);
  }
}

/* A goal that is compared with the motion of half a cycle or a whole one later is seen at once. */
SN_TEST(wrong_delay_is_not_accepted_for_a_right_one) {
  bench *b = &the_bench;
  create(b, (sn_servo_ident_config){.control_delay = 2, .threshold_rad = 1e-4}, 5);
  b->delay = 3; /* is not what the identifier was told */
  assert_int_equal(sn__servo_ident_start(b->ident, all, N), SN_OK);
  for (int i = 0; i < 3000; i++) {
    run_cycle(b, all, N);
  }
  assert_int_equal(sn__servo_ident_end(b->ident, NULL), 0);
  for (size_t i = 0; i < N; i++) {
    assert_memory_equal(sn__servo_ident_model(b->ident, i), &b->models[i], sizeof *b->models);
  }
}

/* Encoder steps and noise, smoothed. */
SN_TEST(noisy_measurements_are_good_enough) {
  static const double close[4] = {0.01, 0.03, 0.15, 0.01};
  bench *b = &the_bench;
  for (int without = 0; without < 2; without++) {
    create(b, (sn_servo_ident_config){.control_delay = 2, .forgetting = 1.0, .smoothing = 5}, 7);
    b->without_velocity = without == 1;
    for (size_t i = 0; i < N; i++) {
      b->rigs[i].encoder_step = 0.0005;
      b->rigs[i].velocity_noise = 0.02;
    }
    assert_int_equal(sn__servo_ident_start(b->ident, all, N), SN_OK);
    for (int i = 0; i < 12000; i++) {
      run_cycle(b, all, N);
    }
    sn_servo_ident_status status;
    sn__servo_ident_status_of(b->ident, 1, &status);
    assert_true(status.is_running && status.is_excited && status.sample_count > 10000);
    assert_true(status.excitation > 0.1 && status.error_rad < 0.001);
    assert_int_equal(sn__servo_ident_end(b->ident, NULL), N);
    assert_alpha(b, close);
  }
}

/* Any subset, in any order; velocity from positions by the cycles really passed. */
SN_TEST(rare_measurements_count_their_cycles) {
  static const double close[4] = {0.005, 0.01, 0.05, 0.01};
  bench *b = &the_bench;
  create(b, (sn_servo_ident_config){.control_delay = 1, .forgetting = 1.0, .smoothing = 3}, 9);
  b->without_velocity = true;
  assert_int_equal(sn__servo_ident_start(b->ident, all, N), SN_OK);
  sn_random r;
  sn_random_init(&r, 10);
  for (int i = 0; i < 12000; i++) {
    int some[N];
    size_t count = 0;
    for (int k = 0; k < N; k++) {
      if (sn_random_below(&r, 3) > 0) {
        some[count++] = all[k];
      }
    }
    run_cycle(b, some, count);
  }
  assert_int_equal(sn__servo_ident_end(b->ident, NULL), N);
  assert_alpha(b, close);
}

/* By the model: torque for the measured motion less the commanded torque, worked out by hand. */
SN_TEST(torque_error_is_that_of_the_command_in_force) {
  bench *b = &the_bench;
  create(b, (sn_servo_ident_config){.control_delay = 2}, 11);
  for (size_t i = 0; i < N; i++) {
    sn_assert_near(sn__servo_ident_torque_error(b->ident)[i], 0.0, 0.0);
  }
  for (int i = 0; i < 100; i++) {
    static const int two[2] = {2, 0};
    run_cycle(b, two, 2);
    sn_assert_near(sn__servo_ident_torque_error(b->ident)[1], 0.0, 0.0); /* nothing known */
    if (i < 2) { /* no command is in force yet */
      sn_assert_near(sn__servo_ident_torque_error(b->ident)[0], 0.0, 0.0);
      continue;
    }
    const sn_servo_motion m = sn_servo_rig_motion(&b->rigs[0], 0.01 * (double)(b->cycle - 1));
    const double goal = sn_servo_goal_of(&b->rigs[0].params, 12.0, &m, 0.0);
    const double tau = sn_servo_torque_of(&b->models[0], 12.0, goal, &m, SN_SERVO_DEAD_ZONE);
    sn_assert_near(sn__servo_ident_torque_error(b->ident)[0], tau - m.tau, 1e-9);
  }
  const double before = sn__servo_ident_torque_error(b->ident)[0];
  static const int other[1] = {1};
  run_cycle(b, other, 1);
  sn_assert_near(sn__servo_ident_torque_error(b->ident)[0], before, 0.0);
}

SN_TEST(without_goals_the_model_tells_them) {
  bench *b = &the_bench;
  create(b, (sn_servo_ident_config){0}, 12);
  static const double q[N] = {0.1, 0.2, 0.3};
  static const double qd[N] = {1.0, -1.0, 0.5};
  static const double tau[N] = {0.1, 0.05, -0.1};
  const sn_servo_command command = {.q = q, .qd = qd, .tau = tau};
  assert_int_equal(sn__servo_ident_command(b->ident, &command), SN_OK);
  static const int servo[N] = {0, 1, 2};
  const sn_servo_measured measured = {.count = N, .servo = servo, .q = q, .qd = qd};
  assert_int_equal(sn__servo_ident_measure(b->ident, &measured), SN_OK);
  for (size_t i = 0; i < N; i++) { /* it moves as commanded, so the torque is the commanded one */
    sn_assert_near(sn__servo_ident_torque_error(b->ident)[i], 0.0, 1e-12);
  }
}

/* Without new commands for a while, identification and residuals are the same as if the last
   command were repeated. */
SN_TEST(command_stays_in_force_while_none_comes) {
  static bench repeated;
  bench *b = &the_bench;
  const sn_servo_ident_config config = {.control_delay = 3, .forgetting = 1.0, .smoothing = 2};
  create(b, config, 23);
  create(&repeated, config, 23);
  sn_random r;
  sn_random_init(&r, 24);
  assert_int_equal(sn__servo_ident_start(b->ident, all, N), SN_OK);
  assert_int_equal(sn__servo_ident_start(repeated.ident, all, N), SN_OK);
  size_t cycles = 0;
  for (int round = 0; round < 200; round++) {
    const size_t pause = (size_t)sn_random_below(&r, 9);
    double q[N], qd[N], tau[N], goal[N];
    cycles += pause + 1;
    for (size_t i = 0; i < N; i++) {
      qd[i] = 0.5; /* the same always: an acceleration would end with the command */
      q[i] = qd[i] * 0.01 * (double)cycles;
      tau[i] = sn_random_between(&r, -1.0, 1.0);
      goal[i] = sn_random_between(&r, -1.0, 1.0);
    }
    const sn_servo_command command = {.q = q, .qd = qd, .tau = tau, .goal = goal};
    assert_int_equal(sn__servo_ident_command(b->ident, &command), SN_OK);
    sn__servo_ident_wait(b->ident, pause);
    for (size_t k = 0; k <= pause; k++) {
      assert_int_equal(sn__servo_ident_command(repeated.ident, &command), SN_OK);
    }
    const sn_servo_measured measured = {.count = N, .servo = all, .q = q, .qd = qd};
    assert_int_equal(sn__servo_ident_measure(b->ident, &measured), SN_OK);
    assert_int_equal(sn__servo_ident_measure(repeated.ident, &measured), SN_OK);
    assert_memory_equal(sn__servo_ident_torque_error(b->ident),
                        sn__servo_ident_torque_error(repeated.ident), N * sizeof(double));
  }
  for (size_t i = 0; i < N; i++) {
    sn_servo_ident_status a, c;
    sn__servo_ident_status_of(b->ident, i, &a);
    sn__servo_ident_status_of(repeated.ident, i, &c);
    assert_true(a.sample_count > 100 && a.sample_count == c.sample_count);
    assert_memory_equal(a.params.alpha, c.params.alpha, sizeof a.params.alpha);
  }
}

/* A servo that is let go delivers no torque, whatever its goal: nothing is to be learnt. */
SN_TEST(limp_servo_teaches_nothing) {
  bench *b = &the_bench;
  create(b, (sn_servo_ident_config){.forgetting = 1.0}, 25);
  assert_int_equal(sn__servo_ident_start(b->ident, all, N), SN_OK);
  static const double q[N] = {0.1, 0.2, 0.3};
  static const double qd[N] = {1.0, -1.0, 0.5};
  static const double far[N] = {9.0, 9.0, 9.0};
  static const bool limp[N] = {false, true, false};
  static const int servo[N] = {0, 1, 2};
  for (int i = 0; i < 30; i++) {
    const sn_servo_command command = {.q = q, .qd = qd, .goal = far, .limp = limp};
    assert_int_equal(sn__servo_ident_command(b->ident, &command), SN_OK);
    const sn_servo_measured measured = {.count = N, .servo = servo, .q = q, .qd = qd};
    assert_int_equal(sn__servo_ident_measure(b->ident, &measured), SN_OK);
  }
  for (size_t i = 0; i < N; i++) {
    sn_servo_ident_status status;
    sn__servo_ident_status_of(b->ident, i, &status);
    assert_int_equal(status.sample_count, limp[i] ? 0 : 30);
    assert_true((sn__servo_ident_torque_error(b->ident)[i] == 0.0) == limp[i]);
  }
}

/* A joint without load says nothing about its volts per torque: that parameter keeps its value, and
   all others are identified. */
SN_TEST(joint_without_load_keeps_its_volts_per_torque) {
  bench *b = &the_bench;
  create(b, (sn_servo_ident_config){.forgetting = 1.0}, 29);
  for (size_t i = 0; i < N; i++) {
    b->rigs[i].gravity_Nm = b->rigs[i].inertia_kgm2 = i == 1 ? 0.0 : b->rigs[i].inertia_kgm2;
  }
  assert_int_equal(sn__servo_ident_start(b->ident, all, N), SN_OK);
  for (int i = 0; i < 3000; i++) {
    run_cycle(b, all, N);
  }
  bool accepted[N];
  assert_int_equal(sn__servo_ident_end(b->ident, accepted), N);
  const double *alpha = sn__servo_ident_model(b->ident, 1)->alpha;
  for (size_t k = 0; k < 3; k++) {
    const double truth = b->rigs[1].params.alpha[k];
    sn_assert_near(alpha[k], truth, 1e-6 * truth);
  }
  assert_true(alpha[3] == b->models[1].alpha[3]);
  sn_assert_near(sn__servo_ident_model(b->ident, 0)->alpha[3], b->rigs[0].params.alpha[3], 1e-3);
}

/* A rotor with inertia takes volts while it speeds up: they are not an external torque. */
SN_TEST(acceleration_of_a_rotor_is_no_torque_error) {
  bench *b = &the_bench;
  create(b, (sn_servo_ident_config){.control_delay = 1}, 26);
  sn_servo_params params = b->rigs[0].params;
  params.inertia = 0.8;
  assert_int_equal(sn__servo_ident_replace(b->ident, 0, &params), SN_OK);
  sn_servo_motion last = {0};
  for (int i = 0; i < 300; i++) {
    sn_servo_motion m = sn_servo_rig_motion(&b->rigs[0], 0.01 * (double)i);
    m.qdd = i == 0 ? 0.0 : (m.qd - last.qd) / 0.01;
    const double q[N] = {m.q}, qd[N] = {m.qd}, tau[N] = {m.tau};
    const double goal[N] = {sn_servo_goal_of(&params, 12.0, &m, SN_SERVO_DEAD_ZONE)};
    const sn_servo_command command = {.q = q, .qd = qd, .tau = tau, .goal = goal};
    assert_int_equal(sn__servo_ident_command(b->ident, &command), SN_OK);
    static const int servo[1] = {0};
    const sn_servo_measured measured = {.count = 1, .servo = servo, .q = &last.q, .qd = &last.qd};
    assert_int_equal(sn__servo_ident_measure(b->ident, &measured), SN_OK);
    sn_assert_near(sn__servo_ident_torque_error(b->ident)[0], 0.0, 1e-9);
    last = m;
  }
}

SN_TEST(model_is_replaced_only_while_it_is_not_identified) {
  bench *b = &the_bench;
  create(b, (sn_servo_ident_config){0}, 27);
  sn_servo_params other = b->models[1];
  other.alpha[0] = 3.0;
  assert_int_equal(sn__servo_ident_replace(b->ident, 1, &other), SN_OK);
  assert_memory_equal(sn__servo_ident_model(b->ident, 1), &other, sizeof other);
  sn_servo_params bad = other;
  bad.kp = 0.0;
  assert_int_equal(sn__servo_ident_replace(b->ident, 1, &bad), SN_EINVAL);
  assert_int_equal(sn__servo_ident_start(b->ident, all, N), SN_OK);
  assert_int_equal(sn__servo_ident_replace(b->ident, 1, &b->models[1]), SN_EBUSY);
  assert_memory_equal(sn__servo_ident_model(b->ident, 1), &other, sizeof other);
}

SN_TEST(tuning_is_checked_and_heeded) {
  bench *b = &the_bench;
  create(b, (sn_servo_ident_config){.forgetting = 1.0}, 28);
  sn_error err;
  const double bad[] = {-0.1, 1.1, NAN, INFINITY};
  for (size_t i = 0; i < 4; i++) {
    const sn_servo_ident_tuning tuning = {.forgetting = bad[i]};
    assert_int_equal(sn__servo_ident_tune(b->ident, &tuning, &err), SN_EINVAL);
    sn_assert_contains(err.message, "relaxation_factor");
  }
  const sn_servo_ident_tuning strict = {.forgetting = 1.0, .threshold_rad = 1e-15};
  assert_int_equal(sn__servo_ident_tune(b->ident, &strict, &err), SN_OK);
  assert_int_equal(sn__servo_ident_start(b->ident, all, N), SN_OK);
  for (int i = 0; i < 1000; i++) {
    run_cycle(b, all, N);
  }
  assert_int_equal(sn__servo_ident_end(b->ident, NULL), 0);
}

SN_TEST(malformed_messages_change_nothing) {
  bench *b = &the_bench;
  create(b, (sn_servo_ident_config){.forgetting = 1.0}, 13);
  assert_int_equal(sn__servo_ident_start(b->ident, all, N), SN_OK);
  for (int i = 0; i < 50; i++) {
    run_cycle(b, all, N);
  }
  sn_servo_ident_status before;
  sn__servo_ident_status_of(b->ident, 0, &before);
  const double error = sn__servo_ident_torque_error(b->ident)[0];
  static const double good[N] = {0.5, 0.5, 0.5};
  const double bad[N] = {0.5, 0.5, NAN};
  static const int unknown[N] = {0, 1, 3};
  static const int negative[N] = {0, 1, -1};
  static const int twice[N] = {0, 1, 0};
  static const int servo[N] = {0, 1, 2};
  const sn_servo_measured cases[] = {
      {N, unknown, good, good}, {N, negative, good, good}, {N, twice, good, good},
      {N, twice, good, NULL},   {N, servo, bad, good},     {N, servo, good, bad},
      {N, servo, bad, NULL},
  };
  static const double zeros[N] = {0};
  const sn_servo_command command = {.q = zeros, .qd = zeros};
  assert_int_equal(sn__servo_ident_command(b->ident, &command), SN_OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(sn__servo_ident_measure(b->ident, &cases[i]), SN_EINVAL);
  }
  sn_servo_ident_status after;
  sn__servo_ident_status_of(b->ident, 0, &after);
  assert_int_equal(after.sample_count, before.sample_count);
  assert_memory_equal(&after.params, &before.params, sizeof after.params);
  assert_memory_equal(after.std, before.std, sizeof after.std);
  sn_assert_near(sn__servo_ident_torque_error(b->ident)[0], error, 0.0);
  /* A malformed command: its cycle has none, and nothing is learnt from it. */
  const sn_servo_command commands[] = {{.q = bad, .qd = zeros},
                                       {.q = zeros, .qd = bad},
                                       {.q = zeros, .qd = zeros, .tau = bad},
                                       {.q = zeros, .qd = zeros, .goal = bad},
                                       {.q = zeros, .qd = zeros, .voltage = NAN},
                                       {.q = zeros, .qd = zeros, .voltage = -1.0}};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    assert_int_equal(sn__servo_ident_command(b->ident, &commands[i]), SN_EINVAL);
    const sn_servo_measured measured = {N, servo, good, good};
    assert_int_equal(sn__servo_ident_measure(b->ident, &measured), SN_OK);
  }
  sn__servo_ident_status_of(b->ident, 0, &after);
  assert_int_equal(after.sample_count, before.sample_count);
}

SN_TEST(start_is_all_or_nothing) {
  bench *b = &the_bench;
  static const bool known[N] = {true, true, false};
  create(b, (sn_servo_ident_config){.has_model = known}, 14);
  static const int one[1] = {0};
  static const int unknown[2] = {1, 7};
  static const int unmodelled[2] = {1, 2};
  static const int twice[2] = {1, 1};
  static const int both[2] = {1, 0};
  sn_servo_ident_status status;
  assert_int_equal(sn__servo_ident_start(b->ident, unknown, 2), SN_ENOENT);
  assert_int_equal(sn__servo_ident_start(b->ident, unmodelled, 2), SN_ENOENT);
  assert_int_equal(sn__servo_ident_start(b->ident, twice, 2), SN_EINVAL);
  assert_int_equal(sn__servo_ident_start(b->ident, NULL, 0), SN_EINVAL);
  assert_int_equal(sn__servo_ident_start(b->ident, one, 1), SN_OK);
  assert_int_equal(sn__servo_ident_start(b->ident, both, 2), SN_EBUSY);
  sn__servo_ident_status_of(b->ident, 1, &status);
  assert_false(status.is_running);
  sn__servo_ident_status_of(b->ident, 0, &status);
  assert_true(status.is_running && isinf(status.error_rad) && !status.is_excited);
}

/* An error that was never measured does not count as small. */
SN_TEST(end_without_samples_accepts_nothing) {
  bench *b = &the_bench;
  create(b, (sn_servo_ident_config){0}, 15);
  bool accepted[N] = {true, true, true};
  assert_int_equal(sn__servo_ident_end(b->ident, accepted), 0); /* was not even started */
  assert_false(accepted[0] || accepted[1] || accepted[2]);
  assert_int_equal(sn__servo_ident_start(b->ident, all, N), SN_OK);
  assert_int_equal(sn__servo_ident_end(b->ident, accepted), 0);
  assert_int_equal(sn__servo_ident_start(b->ident, all, N), SN_OK);
  for (size_t i = 0; i < N; i++) {
    memset(b->rigs[i].amplitude, 0, sizeof b->rigs[i].amplitude); /* no motion */
  }
  for (int i = 0; i < 500; i++) {
    run_cycle(b, all, N);
  }
  sn_servo_ident_status status;
  sn__servo_ident_status_of(b->ident, 0, &status);
  assert_int_equal(status.sample_count, 0);
  assert_int_equal(sn__servo_ident_end(b->ident, accepted), 0);
  assert_memory_equal(sn__servo_ident_model(b->ident, 0), &b->models[0], sizeof *b->models);
}

SN_TEST(abort_leaves_the_models_of_before) {
  bench *b = &the_bench;
  create(b, (sn_servo_ident_config){0}, 16);
  assert_false(sn__servo_ident_abort(b->ident));
  assert_int_equal(sn__servo_ident_start(b->ident, all, N), SN_OK);
  for (int i = 0; i < 500; i++) {
    run_cycle(b, all, N);
  }
  assert_true(sn__servo_ident_abort(b->ident));
  assert_int_equal(sn__servo_ident_end(b->ident, NULL), 0);
  assert_memory_equal(sn__servo_ident_model(b->ident, 0), &b->models[0], sizeof *b->models);
  assert_int_equal(sn__servo_ident_start(b->ident, all, N), SN_OK); /* and can begin again */
}

SN_TEST(rotor_inertia_is_identified_if_asked) {
  bench *b = &the_bench;
  create(b, (sn_servo_ident_config){.identify_inertia = true, .smoothing = 4, .forgetting = 1.0},
         17);
  for (size_t i = 0; i < N; i++) {
    b->rigs[i].params.inertia = 0.3 + 0.1 * (double)i;
  }
  assert_int_equal(sn__servo_ident_start(b->ident, all, N), SN_OK);
  for (int i = 0; i < 6000; i++) {
    run_cycle(b, all, N);
  }
  assert_int_equal(sn__servo_ident_end(b->ident, NULL), N);
  for (size_t i = 0; i < N; i++) {
    sn_assert_near(sn__servo_ident_model(b->ident, i)->inertia, 0.3 + 0.1 * (double)i, 0.03);
  }
}

SN_TEST(cycles_do_not_touch_the_heap) {
  bench *b = &the_bench;
  create(b, (sn_servo_ident_config){.smoothing = 4, .control_delay = 3}, 18);
  sn_arena_seal(&b->arena);
  sn_assert_no_heap(sn__servo_ident_start(b->ident, all, N));
  for (int i = 0; i < 50; i++) {
    sn_assert_no_heap(run_cycle(b, all, i % 7 == 0 ? 2 : N));
  }
  sn_assert_no_heap(sn__servo_ident_end(b->ident, NULL));
}

SN_TEST(senseless_configurations_are_refused_by_name) {
  sn_servo_params model = {.kp = 100, .kgear = 1, .alpha = {30, 8, 4, 200}, .qs = 0.1, .delta = 1};
  const sn_servo_ident_config good = {.servo_count = 1, .models = &model, .cycle_s = 0.01};
  sn_servo_ident_config cases[10];
  for (size_t i = 0; i < 10; i++) {
    cases[i] = good;
  }
  cases[0].servo_count = 0;
  cases[1].control_delay = SN_SERVO_IDENT_DELAY_MAX + 1;
  cases[2].forgetting = 1.5;
  cases[3].forgetting = -0.5;
  cases[4].cycle_s = 0.0;
  cases[5].battery_voltage = -12.0;
  cases[6].threshold_rad = NAN;
  cases[7].min_velocity = -1.0;
  cases[8].smoothing = SN_SERVO_IDENT_SMOOTHING_MAX + 1;
  sn_servo_params broken = model;
  broken.kp = 0.0;
  cases[9].models = &broken;
  static const char *const texts[10] = {"no servos",
                                        "control_delay is 1001 cycles, the history holds 1000",
                                        "relaxation_factor is 1.5",
                                        "relaxation_factor is -0.5",
                                        "cycle_s is 0",
                                        "battery_voltage is -12",
                                        "threshold is nan",
                                        "min_velocity is -1",
                                        "smoothing is 17",
                                        "servo 0: kp is 0"};
  static unsigned char memory[1 << 16];
  for (size_t i = 0; i < 10; i++) {
    sn_arena arena;
    sn_arena_init(&arena, "small", memory, sizeof memory);
    sn_servo_ident *ident = NULL;
    sn_error err;
    assert_int_equal(sn__servo_ident_create(&arena, &cases[i], &ident, &err), SN_EINVAL);
    sn_assert_contains(err.message, texts[i]);
    assert_null(ident);
  }
  sn_arena arena;
  sn_arena_init(&arena, "tiny", memory, 300);
  sn_servo_ident *ident = NULL;
  assert_int_equal(sn__servo_ident_create(&arena, &good, &ident, NULL), SN_ENOMEM);
  assert_int_equal(sn_arena_used(&arena), 0);
}
