#include "servo_ident_rig.h"
#include "sn_test.h"

static void assert_alpha(const bench *b, const double tolerance[4]) {
  for (size_t i = 0; i < N; i++) {
    for (size_t k = 0; k < 4; k++) {
      const double truth = b->rigs[i].params.alpha[k];
      sn_assert_near(sn__servo_ident_model(b->ident, i)->alpha[k], truth, tolerance[k] * truth);
    }
  }
}

static const double exact[4] = {1e-6, 1e-6, 1e-6, 1e-6};

SN_TEST(exact_measurements_give_alpha_exactly) {
  bench *b = &servo_ident_the_bench;
  for (size_t delay = 0; delay < 8; delay += 3) {
    servo_ident_create(b, (sn_servo_ident_config){.control_delay = delay, .forgetting = 1.0},
                       1 + delay);
    assert_int_equal(sn__servo_ident_start(b->ident, servo_ident_all, N), SN_OK);
    for (int i = 0; i < 3000; i++) {
      servo_ident_run_cycle(b, servo_ident_all, N);
    }
    bool accepted[N];
    assert_int_equal(sn__servo_ident_end(b->ident, accepted), N);
    assert_true(accepted[0] && accepted[1] && accepted[2]);
    assert_alpha(b, exact);
  }
}

/* Friction of the load, offset and delay are those of the model; alpha is found beside them. */
SN_TEST(load_friction_of_a_model_is_not_taken_for_alpha) {
  bench *b = &servo_ident_the_bench;
  for (int is_smoothed = 0; is_smoothed < 2; is_smoothed++) {
    b->has_load = true;
    servo_ident_create(
        b, (sn_servo_ident_config){.forgetting = 1.0, .smoothing = is_smoothed ? 16 : 0}, 3);
    b->has_load = false;
    assert_int_equal(sn__servo_ident_start(b->ident, servo_ident_all, N), SN_OK);
    for (int i = 0; i < 3000; i++) {
      servo_ident_run_cycle(b, servo_ident_all, N);
    }
    assert_int_equal(sn__servo_ident_end(b->ident, NULL), N);
    servo_ident_run_cycle(b, servo_ident_all, N); /* the first with the new models */
    static const double near[4] = {0.02, 0.05, 0.3, 0.02};
    assert_alpha(b, is_smoothed ? near : exact);
    for (size_t i = 0; i < N; i++) {
      const sn_servo_params *p = sn__servo_ident_model(b->ident, i);
      sn_assert_near(p->ext.load[0], b->rigs[i].params.ext.load[0], 0.0);
      if (!is_smoothed) { /* else a measurement is half a cycle away from its goal */
        sn_assert_near(sn__servo_ident_torque_error(b->ident)[i], 0.0, 1e-5);
      }
    }
  }
}

/* A goal that is compared with the motion of half a cycle or a whole one later is seen at once. */
SN_TEST(wrong_delay_is_not_accepted_for_a_right_one) {
  bench *b = &servo_ident_the_bench;
  servo_ident_create(b, (sn_servo_ident_config){.control_delay = 2, .threshold_rad = 1e-4}, 5);
  b->delay = 3; /* differs from what the identifier assumes */
  assert_int_equal(sn__servo_ident_start(b->ident, servo_ident_all, N), SN_OK);
  for (int i = 0; i < 3000; i++) {
    servo_ident_run_cycle(b, servo_ident_all, N);
  }
  assert_int_equal(sn__servo_ident_end(b->ident, NULL), 0);
  for (size_t i = 0; i < N; i++) {
    assert_memory_equal(sn__servo_ident_model(b->ident, i), &b->models[i], sizeof *b->models);
  }
}

/* Encoder steps and noise, smoothed. */
SN_TEST(noisy_measurements_are_good_enough) {
  static const double close[4] = {0.01, 0.03, 0.15, 0.01};
  bench *b = &servo_ident_the_bench;
  for (int without = 0; without < 2; without++) {
    servo_ident_create(
        b, (sn_servo_ident_config){.control_delay = 2, .forgetting = 1.0, .smoothing = 5}, 7);
    b->without_velocity = without == 1;
    for (size_t i = 0; i < N; i++) {
      b->rigs[i].encoder_step = 0.0005;
      b->rigs[i].velocity_noise = 0.02;
    }
    assert_int_equal(sn__servo_ident_start(b->ident, servo_ident_all, N), SN_OK);
    for (int i = 0; i < 12000; i++) {
      servo_ident_run_cycle(b, servo_ident_all, N);
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
  bench *b = &servo_ident_the_bench;
  servo_ident_create(
      b, (sn_servo_ident_config){.control_delay = 1, .forgetting = 1.0, .smoothing = 3}, 9);
  b->without_velocity = true;
  assert_int_equal(sn__servo_ident_start(b->ident, servo_ident_all, N), SN_OK);
  sn_random r;
  sn_random_init(&r, 10);
  for (int i = 0; i < 12000; i++) {
    int some[N];
    size_t count = 0;
    for (int k = 0; k < N; k++) {
      if (sn_random_below(&r, 3) > 0) {
        some[count++] = servo_ident_all[k];
      }
    }
    servo_ident_run_cycle(b, some, count);
  }
  assert_int_equal(sn__servo_ident_end(b->ident, NULL), N);
  assert_alpha(b, close);
}

/* By the model: torque for the measured motion less the commanded torque, worked out by hand. */
SN_TEST(torque_error_is_that_of_the_command_in_force) {
  bench *b = &servo_ident_the_bench;
  servo_ident_create(b, (sn_servo_ident_config){.control_delay = 2}, 11);
  for (size_t i = 0; i < N; i++) {
    sn_assert_near(sn__servo_ident_torque_error(b->ident)[i], 0.0, 0.0);
  }
  for (int i = 0; i < 100; i++) {
    static const int two[2] = {2, 0};
    servo_ident_run_cycle(b, two, 2);
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
  servo_ident_run_cycle(b, other, 1);
  sn_assert_near(sn__servo_ident_torque_error(b->ident)[0], before, 0.0);
}

SN_TEST(without_goals_the_model_tells_them) {
  bench *b = &servo_ident_the_bench;
  servo_ident_create(b, (sn_servo_ident_config){0}, 12);
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
  bench *b = &servo_ident_the_bench;
  const sn_servo_ident_config config = {.control_delay = 3, .forgetting = 1.0, .smoothing = 2};
  servo_ident_create(b, config, 23);
  servo_ident_create(&repeated, config, 23);
  sn_random r;
  sn_random_init(&r, 24);
  assert_int_equal(sn__servo_ident_start(b->ident, servo_ident_all, N), SN_OK);
  assert_int_equal(sn__servo_ident_start(repeated.ident, servo_ident_all, N), SN_OK);
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
    const sn_servo_measured measured = {.count = N, .servo = servo_ident_all, .q = q, .qd = qd};
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
  bench *b = &servo_ident_the_bench;
  servo_ident_create(b, (sn_servo_ident_config){.forgetting = 1.0}, 25);
  assert_int_equal(sn__servo_ident_start(b->ident, servo_ident_all, N), SN_OK);
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
  bench *b = &servo_ident_the_bench;
  servo_ident_create(b, (sn_servo_ident_config){.forgetting = 1.0}, 29);
  for (size_t i = 0; i < N; i++) {
    b->rigs[i].gravity_Nm = b->rigs[i].inertia_kgm2 = i == 1 ? 0.0 : b->rigs[i].inertia_kgm2;
  }
  assert_int_equal(sn__servo_ident_start(b->ident, servo_ident_all, N), SN_OK);
  for (int i = 0; i < 3000; i++) {
    servo_ident_run_cycle(b, servo_ident_all, N);
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
  bench *b = &servo_ident_the_bench;
  servo_ident_create(b, (sn_servo_ident_config){.control_delay = 1}, 26);
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
