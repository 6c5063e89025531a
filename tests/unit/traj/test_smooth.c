#include "allocation.h"
#include "sinew/random.h"
#include "sn_test.h"
#include "traj/smooth.h"

enum { N = 3 };
static const double DT_S = 1e-3;
static const double TIME_S = 0.5;
static const sn_otg_limits limits[N] = {{1.0, 4.0, 40.0}, {2.0, 8.0, 50.0}, {0.5, 9.0, 200.0}};

/* A filter and its latest output. */
typedef struct rig {
  sn_arena arena;
  sn_smooth *smooth;
  double q[N], qd[N], qdd[N];
} rig;

static sn_smooth_state out(rig *r) {
  return (sn_smooth_state){r->q, r->qd, r->qdd};
}

static void open_rig(rig *r, const char *name) {
  *r = (rig){.q = {0.1, -0.2, 0.3}};
  sn_arena_init_growing(&r->arena, "smooth", 0);
  const sn_smooth_config config = {.joint_count = N, .transient_time_s = TIME_S, .limits = limits};
  assert_int_equal(sn__smooth_create(&r->arena, name, &config, &r->smooth, NULL), SN_OK);
  assert_string_equal(sn__smooth_kind(r->smooth)->name, name);
  sn_arena_seal(&r->arena);
}

static void reset_rig(rig *r) {
  const sn_smooth_state state = out(r);
  assert_int_equal(sn__smooth_reset(r->smooth, &state, DT_S), SN_OK);
}

static sn_status update(rig *r, const double *q, const double *qd) {
  const sn_smooth_state state = out(r);
  return sn__smooth_update(r->smooth, NULL, &(sn_smooth_reference){q, qd}, &state);
}

static void close_rig(rig *r) {
  sn_arena_release(&r->arena);
}

/* A reference that moves, and jumps at the start. */
static void reference_at(double t, double *q, double *qd) {
  for (size_t j = 0; j < N; j++) {
    const double w = 1.0 + (double)j;
    q[j] = 1.0 + 0.2 * sin(w * t);
    qd[j] = 0.2 * w * cos(w * t);
  }
}

/* Oracle: the error is a critically damped oscillator's, less a polynomial below 3 %, and the
   output is smooth: its finite differences are its velocity and acceleration. */
SN_TEST(transient_decays_and_then_the_reference_passes) {
  rig r;
  open_rig(&r, "transient_exp");
  r.qd[0] = 0.7;
  reset_rig(&r);
  double before[N];
  double e0 = 0.0;
  const double w = 6.638352067993813 / TIME_S;
  for (int k = 1; k <= 1000; k++) {
    double q[N];
    double qd[N];
    memcpy(before, r.q, sizeof before);
    const double qd_before = r.qd[0];
    reference_at(k * DT_S, q, qd);
    if (k == 1) {
      e0 = r.q[0] - (q[0] - qd[0] * DT_S);
    }
    assert_int_equal(update(&r, q, qd), SN_OK);
    const double t = k * DT_S;
    if (t >= TIME_S) {
      assert_memory_equal(r.q, q, sizeof q);
      assert_memory_equal(r.qd, qd, sizeof qd);
    } else {
      const double ed0 = 0.7 - 0.2;
      const double expected = (e0 + (ed0 + w * e0) * t) * exp(-w * t);
      sn_assert_near(r.q[0] - q[0], expected, 0.03 * fabs(e0));
    }
    sn_assert_near((r.q[0] - before[0]) / DT_S, 0.5 * (r.qd[0] + qd_before), 2e-3);
  }
  close_rig(&r);
}

/* At the end of the transient nothing jumps, whatever the period. */
SN_TEST(transient_ends_without_a_jump) {
  rig r;
  open_rig(&r, "transient_exp");
  const sn_smooth_state start = out(&r);
  const double dt = TIME_S / 999.5; /* the end lies in the middle of a period */
  assert_int_equal(sn__smooth_reset(r.smooth, &start, dt), SN_OK);
  const double q[N] = {1.0, 1.0, 1.0};
  double before = r.q[0];
  for (int k = 1; k <= 1100; k++) {
    assert_int_equal(update(&r, q, NULL), SN_OK);
    if (k > 990) {
      sn_assert_near(r.q[0], before, 1e-5);
      sn_assert_near(r.qd[0], 0.0, 1e-2);
    }
    if (k == 999) { /* half a period before the end the error is of third order */
      sn_assert_near(r.q[0], 1.0, 1e-8);
      sn_assert_near(r.qd[0], 0.0, 1e-4);
      sn_assert_near(r.qdd[0], 0.0, 0.5);
    }
    before = r.q[0];
  }
  assert_true(r.q[0] == 1.0);
  close_rig(&r);
}

/* Oracle: the same differential equation in small steps of fourth order. */
SN_TEST(filter_is_exact_for_any_period) {
  sn_random random;
  sn_random_init(&random, 1);
  for (int i = 0; i < 50; i++) {
    rig r;
    open_rig(&r, "filter_exp");
    const double dt = pow(10.0, sn_random_between(&random, -4.0, -0.5));
    const sn_smooth_state start = out(&r);
    assert_int_equal(sn__smooth_reset(r.smooth, &start, dt), SN_OK);
    const double w = 6.638352067993813 / TIME_S;
    double x = r.q[1];
    double v = 0.0;
    for (int k = 0; k < 20; k++) {
      double q[N] = {0.0};
      double qd[N] = {0.0};
      q[1] = sn_random_between(&random, -1.0, 1.0);
      qd[1] = i % 2 == 0 ? 0.0 : sn_random_between(&random, -1.0, 1.0);
      assert_int_equal(update(&r, q, i % 2 == 0 ? NULL : qd), SN_OK);
      enum { STEPS = 200 };
      const double h = dt / STEPS;
      for (int s = 0; s < STEPS; s++) {
        double kx[4];
        double kv[4];
        for (int stage = 0; stage < 4; stage++) {
          const double part = stage == 0 ? 0.0 : stage == 3 ? h : 0.5 * h;
          const double xs = x + (stage == 0 ? 0.0 : part * kx[stage - 1]);
          const double vs = v + (stage == 0 ? 0.0 : part * kv[stage - 1]);
          const double ref = q[1] + qd[1] * (s * h + part - dt);
          kx[stage] = vs;
          kv[stage] = w * w * (ref - xs) + 2.0 * w * (qd[1] - vs);
        }
        x += h / 6.0 * (kx[0] + 2.0 * kx[1] + 2.0 * kx[2] + kx[3]);
        v += h / 6.0 * (kv[0] + 2.0 * kv[1] + 2.0 * kv[2] + kv[3]);
      }
      sn_assert_near(r.q[1], x, 1e-7);
      sn_assert_near(r.qd[1], v, 1e-6);
      sn_assert_near(r.qdd[1], w * w * (q[1] - x) + 2.0 * w * (qd[1] - v), 1e-4);
    }
    close_rig(&r);
  }
}

SN_TEST(filter_follows_a_step_to_99_percent_without_overshoot) {
  rig r;
  open_rig(&r, "filter_exp");
  reset_rig(&r);
  const double q[N] = {1.1, 0.0, 0.0};
  for (int k = 1; k <= 2000; k++) {
    assert_int_equal(update(&r, q, NULL), SN_OK);
    assert_true(r.q[0] <= 1.1);
    if (k == 500) {
      sn_assert_near(r.q[0], 0.1 + 0.99, 1e-9);
    }
  }
  sn_assert_near(r.q[0], 1.1, 1e-9);
  close_rig(&r);
}

SN_TEST(every_joint_has_its_own_transient_time) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "smooth", 0);
  const double times[N] = {0.1, 0.2, 0.4};
  const sn_smooth_config config = {.joint_count = N, .transient_times_s = times};
  for (size_t type = 0; type < 2; type++) {
    sn_smooth *smooth = NULL;
    assert_int_equal(sn__smooth_create_type(&arena, sn__smooth_at(type), &config, &smooth, NULL),
                     SN_OK);
    double q[N] = {0.0};
    double qd[N] = {0.0};
    double qdd[N] = {0.0};
    const sn_smooth_state at = {q, qd, qdd};
    assert_int_equal(sn__smooth_reset(smooth, &(sn_smooth_state){.q = q}, DT_S), SN_OK);
    const double reference[N] = {1.0, 1.0, 1.0};
    for (int k = 1; k <= 400; k++) {
      assert_int_equal(sn__smooth_update(smooth, &at, &(sn_smooth_reference){.q = reference}, &at),
                       SN_OK);
      for (size_t j = 0; j < N; j++) {
        if (k == (int)lround(times[j] / DT_S)) {
          sn_assert_near(q[j], type == 0 ? 1.0 : 0.99, 1e-9);
        }
      }
    }
  }
  sn_arena_release(&arena);
}

/* Whatever comes in, and wherever the joints start: limits hold, and what comes out is continuous.
 */
SN_TEST(jerk_limited_never_exceeds_a_limit) {
  sn_random random;
  sn_random_init(&random, 2);
  rig r;
  open_rig(&r, "jerk_limited");
  reset_rig(&r);
  double q[N] = {0.0};
  double qd[N] = {0.0};
  for (size_t k = 0; k < sn_test_cases(50000); k++) {
    const double a_before[N] = {r.qdd[0], r.qdd[1], r.qdd[2]};
    if (sn_random_below(&random, 20) == 0) {
      for (size_t j = 0; j < N; j++) {
        q[j] = sn_random_between(&random, -1.0, 1.0);
        qd[j] = 3.0 * sn_random_between(&random, -1.0, 1.0);
      }
    }
    if (sn_random_below(&random, 50) == 0) {
      q[0] = NAN;
    }
    const sn_status expected = isnan(q[0]) ? SN_EINVAL : SN_OK;
    assert_int_equal(update(&r, q, k / 1000 % 2 == 0 ? qd : NULL), expected);
    for (size_t j = 0; j < N; j++) {
      assert_true(fabs(r.qd[j]) <= limits[j].velocity * (1.0 + 1e-12));
      assert_true(fabs(r.qdd[j]) <= limits[j].acceleration * (1.0 + 1e-12));
      assert_true(fabs(r.qdd[j] - a_before[j]) <= limits[j].jerk * DT_S * (1.0 + 1e-9));
    }
  }
  close_rig(&r);
}

SN_TEST(moving_reference_is_met_without_lag) {
  for (size_t type = 1; type < 3; type++) {
    rig r;
    open_rig(&r, sn__smooth_at(type)->name);
    reset_rig(&r);
    for (int k = 1; k <= 6000; k++) {
      const double q[N] = {0.3 * k * DT_S, 1.0 - 0.2 * k * DT_S, 0.0};
      const double qd[N] = {0.3, -0.2, 0.0};
      assert_int_equal(update(&r, q, qd), SN_OK);
      for (size_t j = 0; k > 3000 && j < N; j++) {
        sn_assert_near(r.q[j], q[j], 1e-9);
        sn_assert_near(r.qd[j], qd[j], 1e-9);
      }
    }
    close_rig(&r);
  }
}

/* Every filter goes to the last valid reference when no more valid ones arrive. */
SN_TEST(bad_reference_never_reaches_the_output) {
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e13};
  for (size_t type = 0; type < 3; type++) {
    for (size_t i = 0; i < 4; i++) {
      rig r;
      open_rig(&r, sn__smooth_at(type)->name);
      reset_rig(&r);
      const double q_reset[N] = {r.q[0], r.q[1], r.q[2]};
      const double good[N] = {0.5, 0.5, 0.5};
      const double wrong[N] = {0.7, bad[i], 0.7};
      for (int k = 0; k < 300; k++) { /* nothing valid yet: stay */
        assert_int_equal(update(&r, wrong, NULL), SN_EINVAL);
        assert_memory_equal(r.q, q_reset, sizeof q_reset);
      }
      double before = r.q[0];
      for (int k = 0; k < 6000; k++) {
        const sn_status expected = k < 10 ? SN_OK : SN_EINVAL;
        const double *q = k < 10 ? good : k % 2 == 0 ? wrong : good;
        assert_int_equal(update(&r, q, k < 10 || k % 2 == 0 ? NULL : wrong), expected);
        sn_assert_near(r.q[0], before, 5e-3); /* the first valid one does not cause a jump */
        before = r.q[0];
      }
      for (size_t j = 0; j < N; j++) {
        sn_assert_near(r.q[j], good[j], 1e-9);
        sn_assert_near(r.qd[j], 0.0, 1e-9);
      }
      const sn_smooth_state lost = {(double *)wrong, NULL, NULL};
      const sn_smooth_state at = out(&r);
      assert_int_equal(sn__smooth_update(r.smooth, &lost, &(sn_smooth_reference){good, NULL}, &at),
                       SN_EINVAL);
      close_rig(&r);
    }
  }
}

SN_TEST(one_joint_can_be_reset_alone) {
  for (size_t type = 0; type < 3; type++) {
    rig a;
    rig b;
    open_rig(&a, sn__smooth_at(type)->name);
    open_rig(&b, sn__smooth_at(type)->name);
    reset_rig(&a);
    reset_rig(&b);
    const double q[N] = {1.0, 1.0, 1.0};
    for (int k = 0; k < 5000; k++) {
      if (k == 200) {
        assert_int_equal(sn__smooth_reset_joint(b.smooth, 1, (sn_otg_state){0.9, 0.1, 0.0}), SN_OK);
      }
      update(&a, q, NULL);
      update(&b, q, NULL);
      assert_true(a.q[0] == b.q[0] && a.q[2] == b.q[2]);
      if (k == 200) {
        sn_assert_near(b.q[1], 0.9, 2e-4);
      }
    }
    sn_assert_near(b.q[1], 1.0, 1e-9);
    close_rig(&a);
    close_rig(&b);
  }
}

SN_TEST(filter_without_reset_is_not_configured) {
  rig r;
  open_rig(&r, "filter_exp");
  const double q[N] = {0.0};
  assert_int_equal(update(&r, q, NULL), SN_ENOTCONFIGURED);
  assert_int_equal(sn__smooth_reset_joint(r.smooth, 0, (sn_otg_state){0}), SN_ENOTCONFIGURED);
  const sn_smooth_state at = out(&r);
  const double periods[] = {0.0, -1.0, NAN, INFINITY, 2e3};
  for (size_t i = 0; i < 5; i++) {
    assert_int_equal(sn__smooth_reset(r.smooth, &at, periods[i]), SN_EINVAL);
  }
  reset_rig(&r);
  assert_int_equal(sn__smooth_reset_joint(r.smooth, 0, (sn_otg_state){0.0, NAN, 0.0}), SN_EINVAL);
  r.qdd[2] = INFINITY;
  assert_int_equal(sn__smooth_reset(r.smooth, &at, DT_S), SN_EINVAL);
  close_rig(&r);
}

SN_TEST(cycle_leaves_the_heap_alone) {
  for (size_t type = 0; type < 3; type++) {
    rig r;
    open_rig(&r, sn__smooth_at(type)->name);
    const double q[N] = {1.0, 2.0, 3.0};
    const sn_smooth_state at = out(&r);
    sn_assert_no_heap(sn__smooth_reset(r.smooth, &at, DT_S); update(&r, q, NULL); update(&r, q, q));
    close_rig(&r);
  }
}
