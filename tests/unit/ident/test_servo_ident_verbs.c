/* Recursive identification: start, end, abort, and what is refused. */
#include "allocation.h"
#include "servo_ident_rig.h"
#include "sn_test.h"

SN_TEST(model_is_replaced_only_while_it_is_not_identified) {
  bench *b = &servo_ident_the_bench;
  servo_ident_create(b, (sn_servo_ident_config){0}, 27);
  sn_servo_params other = b->models[1];
  other.alpha[0] = 3.0;
  assert_int_equal(sn__servo_ident_replace(b->ident, 1, &other), SN_OK);
  assert_memory_equal(sn__servo_ident_model(b->ident, 1), &other, sizeof other);
  sn_servo_params bad = other;
  bad.kp = 0.0;
  assert_int_equal(sn__servo_ident_replace(b->ident, 1, &bad), SN_EINVAL);
  assert_int_equal(sn__servo_ident_start(b->ident, servo_ident_all, N), SN_OK);
  assert_int_equal(sn__servo_ident_replace(b->ident, 1, &b->models[1]), SN_EBUSY);
  assert_memory_equal(sn__servo_ident_model(b->ident, 1), &other, sizeof other);
}

SN_TEST(tuning_is_checked_and_heeded) {
  bench *b = &servo_ident_the_bench;
  servo_ident_create(b, (sn_servo_ident_config){.forgetting = 1.0}, 28);
  sn_error err;
  const double bad[] = {-0.1, 1.1, NAN, INFINITY};
  for (size_t i = 0; i < 4; i++) {
    const sn_servo_ident_tuning tuning = {.forgetting = bad[i]};
    assert_int_equal(sn__servo_ident_tune(b->ident, &tuning, &err), SN_EINVAL);
    sn_assert_contains(err.message, "relaxation_factor");
  }
  const sn_servo_ident_tuning strict = {.forgetting = 1.0, .threshold_rad = 1e-15};
  assert_int_equal(sn__servo_ident_tune(b->ident, &strict, &err), SN_OK);
  assert_int_equal(sn__servo_ident_start(b->ident, servo_ident_all, N), SN_OK);
  for (int i = 0; i < 1000; i++) {
    servo_ident_run_cycle(b, servo_ident_all, N);
  }
  assert_int_equal(sn__servo_ident_end(b->ident, NULL), 0);
}

SN_TEST(malformed_messages_change_nothing) {
  bench *b = &servo_ident_the_bench;
  servo_ident_create(b, (sn_servo_ident_config){.forgetting = 1.0}, 13);
  assert_int_equal(sn__servo_ident_start(b->ident, servo_ident_all, N), SN_OK);
  for (int i = 0; i < 50; i++) {
    servo_ident_run_cycle(b, servo_ident_all, N);
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
  bench *b = &servo_ident_the_bench;
  static const bool known[N] = {true, true, false};
  servo_ident_create(b, (sn_servo_ident_config){.has_model = known}, 14);
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
  bench *b = &servo_ident_the_bench;
  servo_ident_create(b, (sn_servo_ident_config){0}, 15);
  bool accepted[N] = {true, true, true};
  assert_int_equal(sn__servo_ident_end(b->ident, accepted), 0); /* was not even started */
  assert_false(accepted[0] || accepted[1] || accepted[2]);
  assert_int_equal(sn__servo_ident_start(b->ident, servo_ident_all, N), SN_OK);
  assert_int_equal(sn__servo_ident_end(b->ident, accepted), 0);
  assert_int_equal(sn__servo_ident_start(b->ident, servo_ident_all, N), SN_OK);
  for (size_t i = 0; i < N; i++) {
    memset(b->rigs[i].amplitude, 0, sizeof b->rigs[i].amplitude); /* no motion */
  }
  for (int i = 0; i < 500; i++) {
    servo_ident_run_cycle(b, servo_ident_all, N);
  }
  sn_servo_ident_status status;
  sn__servo_ident_status_of(b->ident, 0, &status);
  assert_int_equal(status.sample_count, 0);
  assert_int_equal(sn__servo_ident_end(b->ident, accepted), 0);
  assert_memory_equal(sn__servo_ident_model(b->ident, 0), &b->models[0], sizeof *b->models);
}

SN_TEST(abort_leaves_the_models_of_before) {
  bench *b = &servo_ident_the_bench;
  servo_ident_create(b, (sn_servo_ident_config){0}, 16);
  assert_false(sn__servo_ident_abort(b->ident));
  assert_int_equal(sn__servo_ident_start(b->ident, servo_ident_all, N), SN_OK);
  for (int i = 0; i < 500; i++) {
    servo_ident_run_cycle(b, servo_ident_all, N);
  }
  assert_true(sn__servo_ident_abort(b->ident));
  assert_int_equal(sn__servo_ident_end(b->ident, NULL), 0);
  assert_memory_equal(sn__servo_ident_model(b->ident, 0), &b->models[0], sizeof *b->models);
  assert_int_equal(sn__servo_ident_start(b->ident, servo_ident_all, N),
                   SN_OK); /* and can begin again */
}

SN_TEST(rotor_inertia_is_identified_if_asked) {
  bench *b = &servo_ident_the_bench;
  servo_ident_create(
      b, (sn_servo_ident_config){.identify_inertia = true, .smoothing = 4, .forgetting = 1.0}, 17);
  for (size_t i = 0; i < N; i++) {
    b->rigs[i].params.inertia = 0.3 + 0.1 * (double)i;
  }
  assert_int_equal(sn__servo_ident_start(b->ident, servo_ident_all, N), SN_OK);
  for (int i = 0; i < 6000; i++) {
    servo_ident_run_cycle(b, servo_ident_all, N);
  }
  assert_int_equal(sn__servo_ident_end(b->ident, NULL), N);
  for (size_t i = 0; i < N; i++) {
    sn_assert_near(sn__servo_ident_model(b->ident, i)->inertia, 0.3 + 0.1 * (double)i, 0.03);
  }
}

SN_TEST(cycles_do_not_touch_the_heap) {
  bench *b = &servo_ident_the_bench;
  servo_ident_create(b, (sn_servo_ident_config){.smoothing = 4, .control_delay = 3}, 18);
  sn_arena_seal(&b->arena);
  sn_assert_no_heap(sn__servo_ident_start(b->ident, servo_ident_all, N));
  for (int i = 0; i < 50; i++) {
    sn_assert_no_heap(servo_ident_run_cycle(b, servo_ident_all, i % 7 == 0 ? 2 : N));
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
