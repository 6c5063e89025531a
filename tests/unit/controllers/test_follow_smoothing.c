/* Following a source with smoothing. */
#include "follow_rig.h"
#include "gate_rig.h"
#include "sn_test.h"

/* What came of a ramp of 0.2 rad/s that a source says every 100 ms, give or take a few, as
   positions. */
typedef struct ride {
  double slowest, fastest; /* while it goes on */
  double overshoot;        /* beyond the last reference */
  double late_s;           /* how far behind, at the most */
  double end;              /* where it came to rest */
} ride;

static ride ride_ramp(const char *filter, double source_interval_s, int64_t jitter_ms) {
  const double speed = 0.2;
  bench b;
  follow_rig_open_joining(&b, 0.0, filter, source_interval_s);
  memset(b.pose, 0, sizeof b.pose);
  follow_rig_own_and_step(&b, 0, 6, 0);
  sn_random random;
  sn_random_init(&random, 5);
  ride r = {.slowest = INFINITY, .fastest = -INFINITY};
  double said = 0.0;
  int64_t next_ms = 1;
  double qdd_before = 0.0, qd_before = 0.0, q_before = 0.0;
  for (int64_t ms = 1; ms < 6000; ms++) {
    if (ms == next_ms) {
      said = speed * 1e-3 * (double)(ms < 4000 ? ms : 4000);
      follow_rig_mention(&b, 2, said);
      assert_int_equal(follow_rig_take(&b, ms * MS), SN_FOLLOW_GOOD);
      next_ms += 100 - jitter_ms + (int64_t)sn_random_below(&random, 2 * (uint64_t)jitter_ms + 1);
    }
    sn__follow_step(b.follow, ms * MS, b.q, b.qd);
    const double qd = (b.q[2] - q_before) / PERIOD_S;
    const double qdd = (qd - qd_before) / PERIOD_S;
    if (ms > 1000 && ms < 3900) {
      r.slowest = fmin(r.slowest, qd);
      r.fastest = fmax(r.fastest, qd);
      r.late_s = fmax(r.late_s, 1e-3 * (double)ms - b.q[2] / speed);
    }
    if (strcmp(filter, "jerk_limited") == 0 && ms > 2) {
      assert_true(fabs(qd) <= LIMITS.velocity && fabs(qdd) <= LIMITS.acceleration + 1e-9);
      assert_true(fabs(qdd - qdd_before) <= LIMITS.jerk * PERIOD_S + 1e-6);
    }
    r.overshoot = fmax(r.overshoot, b.q[2] - said);
    q_before = b.q[2];
    qd_before = qd;
    qdd_before = qdd;
  }
  r.end = b.q[2];
  follow_rig_close(&b);
  return r;
}

SN_TEST(slow_source_without_velocities_is_followed_evenly) {
  static const char *const filters[] = {"jerk_limited", "filter_exp"};
  for (size_t i = 0; i < 2; i++) {
    const ride steps = ride_ramp(filters[i], 0.0, 0);
    assert_true(steps.fastest > 0.3 && steps.slowest < 0.1); /* that is what it is about */
    const ride even = ride_ramp(filters[i], 0.25, 0);
    sn_assert_near(even.slowest, 0.2, 0.002);
    sn_assert_near(even.fastest, 0.2, 0.002);
    assert_true(even.overshoot <= 1e-9); /* never beyond a reference */
    sn_assert_near(even.end, 0.8, 1e-6);
    assert_true(even.late_s < 0.2); /* an interval and a quarter, and what the filter takes */
    const ride shaky = ride_ramp(filters[i], 0.25, 15);
    printf(
        "%s: %g .. %g rad/s in steps, %g .. %g in lines, %g .. %g if they come unevenly, %g s "
        "late\n",
        filters[i], steps.slowest, steps.fastest, even.slowest, even.fastest, shaky.slowest,
        shaky.fastest, even.late_s);
    assert_true(shaky.slowest > 0.1 && shaky.fastest < 0.3);
    assert_true(shaky.overshoot <= 1e-9);
    sn_assert_near(shaky.end, 0.8, 1e-6);
  }
}

/* What is left of an error e0 of a joint at rest after a time, by the closed form: critically
   damped, e'' + 2 w e' + w^2 e = 0 with 1 % left at the end; less the polynomial of fifth degree
   that takes the 1 % away, which is flat at the beginning and equals the rest, its rate and its
   curvature at the end. */
static double error_after(double e0, double t, double end) {
  const double w = 6.638352067993813 / end;
  const double left = e0 * (1.0 + w * t) * exp(-w * t);
  const double p = e0 * (1.0 + w * end) * exp(-w * end);
  const double v = -e0 * w * w * end * exp(-w * end) * end;
  const double a = -e0 * w * w * (1.0 - w * end) * exp(-w * end) * end * end;
  const double x = t / end;
  const double c3 = 10.0 * p - 4.0 * v + a / 2.0;
  const double c4 = -15.0 * p + 7.0 * v - a;
  const double c5 = 6.0 * p - 3.0 * v + a / 2.0;
  return t >= end ? 0.0 : left - x * x * x * (c3 + c4 * x + c5 * x * x);
}

/* However long the joint stood before the first reference, the error against that one fades. */
SN_TEST(first_error_fades_critically_damped) {
  static const struct {
    double delay_s;
    int64_t first_ms;
  } cases[] = {{0.0, 1}, {0.0, 700}, {0.5, 500}, {0.5, 900}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bench b;
    follow_rig_open(&b, cases[i].delay_s, "transient_exp"); /* transient_time 0.1 s */
    follow_rig_own_and_step(&b, 0, 6, 0);
    const double from = b.pose[2];
    for (int64_t ms = 1; ms < cases[i].first_ms + 300; ms++) {
      if (ms >= cases[i].first_ms) {
        follow_rig_mention(&b, 2, 0.5);
        assert_int_equal(follow_rig_take(&b, ms * MS), SN_FOLLOW_GOOD);
      }
      sn__follow_step(b.follow, ms * MS, b.q, b.qd);
      const double t = 1e-3 * (double)(ms - cases[i].first_ms + 1);
      const double expected = ms < cases[i].first_ms ? from : 0.5 + error_after(from - 0.5, t, 0.1);
      sn_assert_near(b.q[2], expected, 1e-12);
    }
    assert_true(b.q[2] == 0.5); /* and then it passes unchanged */
    follow_rig_close(&b);
  }
}

SN_TEST(reference_from_before_the_activation_is_not_executed) {
  bench b;
  follow_rig_open(&b, 0.0, NULL);
  follow_rig_own(&b, 0, 6, MS);
  follow_rig_mention(&b, 2, 0.3);
  assert_int_equal(follow_rig_take(&b, 2 * MS),
                   SN_FOLLOW_EARLY); /* it waited when the joint was taken */
  sn__follow_step(b.follow, 2 * MS, b.q, b.qd);
  assert_true(b.q[2] == b.pose[2]);
  follow_rig_mention(&b, 2, 0.3);
  assert_int_equal(follow_rig_take(&b, 3 * MS), SN_FOLLOW_GOOD);
  sn__follow_step(b.follow, 3 * MS, b.q, b.qd);
  assert_true(b.q[2] == 0.3);
  follow_rig_close(&b);
}

/* After the transient the reference passes unchanged: that is its promise. */
SN_TEST(filter_that_passes_references_on_gets_them_unchanged) {
  bench b;
  follow_rig_open_joining(&b, 0.0, "transient_exp", 0.25);
  follow_rig_own_and_step(&b, 0, 6, 0);
  for (int64_t ms = 1; ms < 3000; ms++) {
    const double q = 0.1 + 0.01 * (double)(ms / 100);
    if (ms % 100 == 0) {
      follow_rig_mention(&b, 2, q);
      assert_int_equal(follow_rig_take(&b, ms * MS), SN_FOLLOW_GOOD);
    }
    sn__follow_step(b.follow, ms * MS, b.q, b.qd);
    assert_true(ms < 1000 || fabs(b.q[2] - q) < 1e-9);
  }
  follow_rig_close(&b);
}

/* One that comes after a pause is a step: gone to as fast as the filter allows. */
SN_TEST(position_after_a_pause_is_a_step) {
  bench b;
  double arrived[2];
  for (int i = 0; i < 2; i++) {
    follow_rig_open_joining(&b, 0.0, "jerk_limited", i == 0 ? 0.0 : 0.25);
    follow_rig_own_and_step(&b, 0, 6, 0);
    follow_rig_mention(&b, 2, 0.1);
    assert_int_equal(follow_rig_take(&b, MS), SN_FOLLOW_GOOD);
    for (int64_t ms = 1; ms < 1500; ms++) {
      if (ms == 1000) {
        follow_rig_mention(&b, 2, 0.3);
        assert_int_equal(follow_rig_take(&b, ms * MS), SN_FOLLOW_GOOD);
      }
      sn__follow_step(b.follow, ms * MS, b.q, b.qd);
      if (ms == 1150) {
        arrived[i] = b.q[2];
      }
    }
    sn_assert_near(b.q[2], 0.3, 1e-9);
    follow_rig_close(&b);
  }
  assert_true(arrived[0] == arrived[1]);
}

/* Goes half of the way in every period, and then breaks. */
typedef struct broken_filter {
  double q[JOINTS_MAX];
  int updates;
} broken_filter;

static broken_filter broken;

static sn_status broken_create(sn_arena *arena, const sn_smooth_config *config, void **out,
                               sn_error *err) {
  (void)arena;
  (void)config;
  (void)err;
  memset(&broken, 0, sizeof broken);
  *out = &broken;
  return SN_OK;
}

static void broken_reset(void *filter, size_t joint, sn_otg_state from, double period_s) {
  (void)period_s;
  ((broken_filter *)filter)->q[joint] = from.q;
}

static void broken_update(void *filter, const sn_smooth_state *from,
                          const sn_smooth_reference *reference, const sn_smooth_state *new_state) {
  broken_filter *f = filter;
  (void)from;
  f->updates++;
  for (size_t j = 0; j < 6; j++) {
    f->q[j] += 0.5 * (reference->q[j] - f->q[j]);
    new_state->q[j] = f->updates > 5 ? (j == 2 ? NAN : INFINITY) : f->q[j];
    new_state->qd[j] = 0.3;
  }
}

/* It fell through to unfiltered output once. */
SN_TEST(filter_that_fails_holds_the_joints) {
  static const sn_smooth_type type = {
      .name = "broken", .create = broken_create, .reset = broken_reset, .update = broken_update};
  bench b;
  follow_rig_open(&b, 0.0, NULL);
  sn_follow_config config = {.model = b.robot.model, .pose = b.pose};
  const sn_smooth_config smooth = {.joint_count = b.n};
  assert_int_equal(sn__smooth_create_type(&b.arena, &type, &smooth, &config.smooth, NULL), SN_OK);
  assert_int_equal(sn__follow_create(&b.arena, &config, &b.follow, NULL), SN_OK);
  follow_rig_own_and_step(&b, 0, 6, 0);
  double held = 0.0;
  for (int64_t ms = 1; ms < 100; ms++) {
    follow_rig_mention(&b, 2, 0.4);
    assert_int_equal(follow_rig_take(&b, ms * MS), SN_FOLLOW_GOOD);
    sn__follow_step(b.follow, ms * MS, b.q, b.qd);
    held = ms == 5 ? b.q[2] : held;
    if (ms > 5) {
      assert_true(b.q[2] == held && held < 0.399);
      assert_true(b.qd[2] == 0.0 && b.qd[1] == 0.0);
    }
  }
  follow_rig_close(&b);
}

/* -3.1 is near to 3.1, the other way round. */
SN_TEST(joint_that_turns_is_filtered_the_short_way_round) {
  bench b;
  sn_test_robot_init(&b.robot, gate_robot, NULL);
  sn_arena_init_growing(&b.arena, "follow", 0);
  b.n = sn_model_pose_size(b.robot.model);
  sn_otg_limits limits[JOINTS_MAX];
  for (size_t j = 0; j < b.n; j++) {
    limits[j] = LIMITS;
  }
  const sn_smooth_config smooth = {.joint_count = b.n, .limits = limits};
  sn_follow_config config = {.model = b.robot.model, .pose = b.pose, .source_interval_s = 0.25};
  assert_int_equal(sn__smooth_create(&b.arena, "jerk_limited", &smooth, &config.smooth, NULL),
                   SN_OK);
  assert_int_equal(sn__follow_create(&b.arena, &config, &b.follow, NULL), SN_OK);
  b.ref = sn_msg_create(&b.arena, &sn_joint_state_type, NULL);
  memset(b.pose, 0, sizeof b.pose);
  b.pose[GATE_SLIDE] = 0.2;
  b.pose[GATE_WHEEL] = 3.1;
  follow_rig_own_and_step(&b, 0, b.n, 0);
  for (int64_t ms = 1; ms < 2000; ms++) {
    if (ms % 100 == 1) {
      follow_rig_mention(&b, GATE_WHEEL, remainder(3.1 + 1e-3 * (double)ms, 6.283185307179586));
      assert_int_equal(follow_rig_take(&b, ms * MS), SN_FOLLOW_GOOD);
    }
    sn__follow_step(b.follow, ms * MS, b.q, b.qd);
    assert_true(b.q[GATE_WHEEL] >= 3.1 && b.q[GATE_WHEEL] <= 3.1 + 1e-3 * (double)ms);
  }
  assert_true(b.q[GATE_WHEEL] > 4.5);
  follow_rig_close(&b);
}
