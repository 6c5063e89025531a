#include "allocation.h"
#include "otg_case.h"
#include "sinew/otg.h"
#include "sn_test.h"
#include "traj/otg_offline.h"

enum { JOINTS_MAX = 8 };

/* An instance and its latest state. */
typedef struct rig {
  sn_arena arena;
  sn_otg *otg;
  size_t n;
  sn_otg_limits limits[JOINTS_MAX];
  double q[JOINTS_MAX], qd[JOINTS_MAX], qdd[JOINTS_MAX];
} rig;

static void open_rig(rig *r, sn_random *random, size_t n, bool synchronise, unsigned what) {
  *r = (rig){.n = n};
  for (size_t j = 0; j < n; j++) {
    sn_otg_case c;
    sn_otg_case_draw(&c, random, what);
    r->limits[j] = c.limits;
    r->q[j] = c.start.q;
    r->qd[j] = c.start.qd;
    r->qdd[j] = c.start.qdd;
  }
  sn_arena_init_growing(&r->arena, "otg", 0);
  const sn_otg_config config = {.joint_count = n, .limits = r->limits, .synchronise = synchronise};
  assert_int_equal(sn_otg_create(&r->arena, &config, &r->otg, NULL), SN_OK);
  assert_int_equal(sn_otg_reset(r->otg, r->q, r->qd, r->qdd), SN_OK);
  sn_arena_seal(&r->arena);
}

static void close_rig(rig *r) {
  sn_arena_release(&r->arena);
}

static void draw_target(const rig *r, sn_random *random, double *q, double *qd) {
  for (size_t j = 0; j < r->n; j++) {
    q[j] = sn_random_between(random, -5.0, 5.0);
    qd[j] = sn_random_between(random, -1.0, 1.0) * r->limits[j].velocity;
  }
}

/* One step: the state must be one that the state before can have become under the limits. */
static void step_and_check(rig *r, double dt) {
  double q[JOINTS_MAX];
  double qd[JOINTS_MAX];
  double qdd[JOINTS_MAX];
  sn_otg_step(r->otg, dt, q, qd, qdd);
  for (size_t j = 0; j < r->n; j++) {
    const sn_otg_limits *l = &r->limits[j];
    assert_true(fabs(qd[j]) <= l->velocity * (1.0 + 1e-12));
    assert_true(fabs(qdd[j]) <= l->acceleration * (1.0 + 1e-12));
    sn_assert_near(qdd[j], r->qdd[j], l->jerk * dt * (1.0 + 1e-9) + 1e-12 * l->acceleration);
    /* between two states a known time apart, only the jerk is free */
    sn_assert_near(qd[j], r->qd[j] + 0.5 * dt * (r->qdd[j] + qdd[j]),
                   l->jerk * dt * dt / 4.0 + 1e-12 * l->velocity);
    sn_assert_near(q[j], r->q[j] + 0.5 * dt * (r->qd[j] + qd[j]),
                   l->jerk * dt * dt * dt / 8.0 + l->acceleration * dt * dt + 1e-12);
    r->q[j] = q[j];
    r->qd[j] = qd[j];
    r->qdd[j] = qdd[j];
  }
}

static void retarget_every_cycle(bool synchronise, bool is_moving, unsigned what, uint64_t seed) {
  sn_random random;
  sn_random_init(&random, seed);
  for (size_t run = 0; run < sn_test_cases(6); run++) {
    rig r;
    open_rig(&r, &random, 1 + run % JOINTS_MAX, synchronise, what);
    double q[JOINTS_MAX];
    double qd[JOINTS_MAX];
    for (size_t k = 0; k < 3000; k++) {
      const double dt = sn_random_between(&random, 1e-4, k % 50 == 0 ? 0.5 : 4e-3);
      draw_target(&r, &random, q, qd);
      assert_int_equal(sn_otg_set_target(r.otg, q, is_moving ? qd : NULL), SN_OK);
      sn_otg_step(r.otg, 0.0, q, qd, NULL);
      for (size_t j = 0; j < r.n; j++) { /* not a bit changes by planning, but for units */
        sn_assert_near(q[j], r.q[j], 1e-15 * (1.0 + fabs(r.q[j])));
        sn_assert_near(qd[j], r.qd[j], 1e-15 * r.limits[j].velocity);
      }
      step_and_check(&r, dt);
    }
    close_rig(&r);
  }
}

SN_TEST(new_target_in_every_cycle_keeps_limits_and_continuity) {
  for (unsigned i = 0; i < 8; i++) {
    retarget_every_cycle((i & 1) != 0, (i & 2) != 0, (i & 4) != 0 ? SN_CASE_WIDE : 0, i);
  }
}

/* The nastiest retargeting is to a target that hardly moves: what is left is always near a corner
   of the plan, and the last bits decide. */
SN_TEST(slow_target_is_followed_and_reached) {
  sn_random random;
  sn_random_init(&random, 10);
  for (size_t run = 0; run < sn_test_cases(20); run++) {
    rig r;
    open_rig(&r, &random, 1 + run % JOINTS_MAX, run % 2 == 0, run % 3 == 0 ? SN_CASE_WIDE : 0);
    double q[JOINTS_MAX];
    double qd[JOINTS_MAX];
    draw_target(&r, &random, q, qd);
    for (size_t k = 0; k < 3000; k++) {
      for (size_t j = 0; j < r.n; j++) {
        q[j] += (k < 2000 ? 1e-12 : 0.0) * sn_random_between(&random, -1.0, 1.0);
      }
      assert_int_equal(sn_otg_set_target(r.otg, q, NULL), SN_OK);
      step_and_check(&r, 1e-3);
    }
    sn_otg_step(r.otg, sn_otg_duration(r.otg) * (1.0 + 1e-12) + 1e-9, r.q, r.qd, r.qdd);
    assert_true(sn_otg_is_done(r.otg));
    for (size_t j = 0; j < r.n; j++) {
      assert_true(r.q[j] == q[j] && r.qd[j] == 0.0 && r.qdd[j] == 0.0);
    }
    close_rig(&r);
  }
}

/* A moving reference with known velocity is met and then followed without lag, even if updates come
 * at uneven times; when it stops, it is reached. */
SN_TEST(followed_reference_is_met_and_kept) {
  sn_random random;
  sn_random_init(&random, 15);
  for (size_t run = 0; run < sn_test_cases(40); run++) {
    rig r;
    open_rig(&r, &random, 1 + run % JOINTS_MAX, run % 2 == 0, 0);
    double q[JOINTS_MAX];
    double qd[JOINTS_MAX];
    draw_target(&r, &random, q, qd);
    for (size_t j = 0; j < r.n; j++) {
      qd[j] *= 0.8;
    }
    assert_int_equal(sn_otg_follow(r.otg, q, qd), SN_OK);
    const double meeting = sn_otg_duration(r.otg);
    double t = 0.0;
    while (t < meeting * 1.5 + 1.0) {
      const double dt = sn_random_between(&random, 0.0, 2e-2);
      step_and_check(&r, dt);
      t += dt;
      for (size_t j = 0; j < r.n; j++) {
        q[j] += qd[j] * dt;
        if (t > meeting * 1.01 + 0.1) {
          sn_assert_near(r.q[j], q[j], 1e-9);
          sn_assert_near(r.qd[j], qd[j], 1e-9);
        }
      }
      if (sn_random_below(&random, 3) > 0) {
        assert_int_equal(sn_otg_follow(r.otg, q, qd), SN_OK);
      }
    }
    assert_int_equal(sn_otg_follow(r.otg, q, NULL), SN_OK);
    sn_otg_step(r.otg, 1000.0, r.q, r.qd, NULL);
    for (size_t j = 0; j < r.n; j++) {
      assert_true(r.q[j] == q[j] && r.qd[j] == 0.0);
    }
    close_rig(&r);
  }
}

/* In the frame of the target, where it rests, the motion is an ordinary one: it must take as long
   as the first meeting of the two that a scan over all meeting places finds. */
SN_TEST(meeting_is_as_early_as_any_place_allows) {
  sn_random random;
  sn_random_init(&random, 16);
  for (size_t i = 0; i < sn_test_cases(300); i++) {
    rig r;
    open_rig(&r, &random, 1, i % 4 == 1, i % 2 == 0 ? 0 : SN_CASE_OUTSIDE);
    double q;
    double qd;
    draw_target(&r, &random, &q, &qd);
    qd *= 0.9;
    assert_int_equal(sn_otg_follow(r.otg, &q, &qd), SN_OK);
    const double meeting = sn_otg_duration(r.otg);
    for (int k = 1; k <= 200; k++) { /* can the target's place at time t be reached in time t? */
      const double t = meeting * k / 201.0;
      sn_otg_profile profile;
      assert_int_equal(sn__otg_plan_for(&r.limits[0], (sn_otg_state){r.q[0], r.qd[0], r.qdd[0]},
                                        (sn_otg_state){q + qd * t, qd, 0.0}, t, &profile),
                       SN_OK);
      assert_true(profile.duration_s > t * (1.0 + 1e-9));
    }
    sn_otg_step(r.otg, meeting, r.q, r.qd, NULL);
    sn_assert_near(r.q[0], q + qd * meeting, 1e-9 + 1e-14 * fabs(r.q[0]));
    sn_assert_near(r.qd[0], qd, 1e-9);
    close_rig(&r);
  }
}

SN_TEST(synchronised_joints_arrive_together) {
  sn_random random;
  sn_random_init(&random, 20);
  for (size_t i = 0; i < sn_test_cases(3000); i++) {
    rig r;
    const unsigned what = (unsigned)(i % 4);
    open_rig(&r, &random, 2 + i % (JOINTS_MAX - 1), true, what);
    double q[JOINTS_MAX];
    double qd[JOINTS_MAX];
    draw_target(&r, &random, q, qd);
    const bool is_moving = i % 2 == 1;
    assert_int_equal(sn_otg_set_target(r.otg, q, is_moving ? qd : NULL), SN_OK);
    const double duration = sn_otg_duration(r.otg);
    double longest = 0.0;
    for (size_t j = 0; j < r.n; j++) {
      const sn_otg_state start = {r.q[j], r.qd[j], r.qdd[j]};
      const sn_otg_state target = {q[j], is_moving ? qd[j] : 0.0, 0.0};
      sn_otg_profile profile;
      assert_int_equal(sn__otg_plan(&r.limits[j], start, target, &profile), SN_OK);
      longest = fmax(longest, profile.duration_s);
      /* each joint can take the common time, and no joint arrives earlier */
      assert_int_equal(sn__otg_plan_for(&r.limits[j], start, target, duration, &profile), SN_OK);
      sn_assert_near(profile.duration_s, duration, 1e-9 * duration);
    }
    assert_true(duration >= longest * (1.0 - 1e-12));
    if (!is_moving) {
      sn_assert_near(duration, longest, 1e-12 * longest);
    }
    sn_otg_step(r.otg, duration * (1.0 - 1e-6), NULL, NULL, NULL);
    assert_false(sn_otg_is_done(r.otg));
    sn_otg_step(r.otg, duration * 2e-6, r.q, r.qd, r.qdd);
    assert_true(sn_otg_is_done(r.otg));
    for (size_t j = 0; j < r.n; j++) {
      const double beyond = is_moving ? qd[j] * duration * 1e-6 : 0.0;
      sn_assert_near(r.q[j], q[j] + beyond, 1e-8 + 1e-14 * fabs(qd[j]) * duration);
      sn_assert_near(r.qd[j], is_moving ? qd[j] : 0.0, 1e-12);
    }
    close_rig(&r);
  }
}

SN_TEST(same_target_again_changes_no_bit) {
  sn_random random;
  sn_random_init(&random, 30);
  for (int synchronise = 0; synchronise < 2; synchronise++) {
    sn_random copy = random;
    rig a;
    rig b;
    open_rig(&a, &random, JOINTS_MAX, synchronise != 0, 0);
    open_rig(&b, &copy, JOINTS_MAX, synchronise != 0, 0);
    double q[JOINTS_MAX];
    double qd[JOINTS_MAX];
    draw_target(&a, &random, q, qd);
    sn_otg_set_target(a.otg, q, qd);
    for (int k = 0; k < 1000; k++) {
      sn_otg_set_target(b.otg, q, qd);
      sn_otg_step(a.otg, 1e-3, a.q, a.qd, a.qdd);
      sn_otg_step(b.otg, 1e-3, b.q, b.qd, b.qdd);
      assert_memory_equal(a.q, b.q, sizeof a.q);
      assert_memory_equal(a.qd, b.qd, sizeof a.qd);
      assert_memory_equal(a.qdd, b.qdd, sizeof a.qdd);
    }
    close_rig(&a);
    close_rig(&b);
  }
}

SN_TEST(joints_without_a_target_stop_where_they_can) {
  sn_random random;
  sn_random_init(&random, 40);
  rig r;
  open_rig(&r, &random, JOINTS_MAX, true, 0);
  sn_otg_profile stop;
  const sn_otg_state start = {r.q[3], r.qd[3], r.qdd[3]};
  assert_int_equal(sn__otg_plan_velocity(&r.limits[3], start, 0.0, &stop), SN_OK);
  sn_otg_step(r.otg, 1000.0, r.q, r.qd, r.qdd);
  assert_true(sn_otg_is_done(r.otg));
  assert_true(sn_otg_duration(r.otg) == 0.0);
  assert_true(r.q[3] == stop.end.q && r.qd[3] == 0.0);
  close_rig(&r);
}

SN_TEST(reset_of_one_joint_does_not_disturb_the_others) {
  sn_random random;
  sn_random_init(&random, 50);
  sn_random copy = random;
  rig a;
  rig b;
  open_rig(&a, &random, 4, true, 0);
  open_rig(&b, &copy, 4, true, 0);
  double q[JOINTS_MAX];
  double qd[JOINTS_MAX];
  draw_target(&a, &random, q, qd);
  sn_otg_set_target(a.otg, q, NULL);
  sn_otg_set_target(b.otg, q, NULL);
  assert_int_equal(sn_otg_reset_joint(b.otg, 2, (sn_otg_state){1.0, 0.0, 0.0}), SN_OK);
  for (int k = 0; k < 100; k++) {
    sn_otg_step(a.otg, 1e-2, a.q, a.qd, a.qdd);
    sn_otg_step(b.otg, 1e-2, b.q, b.qd, b.qdd);
    assert_true(b.q[2] == 1.0);
    for (size_t j = 0; j < 4; j++) {
      assert_true(j == 2 || a.q[j] == b.q[j]);
    }
  }
  /* the same target is new to the joint that was reset */
  sn_otg_set_target(b.otg, q, NULL);
  sn_otg_step(b.otg, 1e3, b.q, NULL, NULL);
  assert_true(b.q[2] == q[2]);
  close_rig(&a);
  close_rig(&b);
}

SN_TEST(bad_numbers_do_not_disturb_the_motion) {
  sn_random random;
  sn_random_init(&random, 60);
  rig r;
  open_rig(&r, &random, 3, true, 0);
  double q[JOINTS_MAX];
  double qd[JOINTS_MAX];
  draw_target(&r, &random, q, qd);
  assert_int_equal(sn_otg_set_target(r.otg, q, NULL), SN_OK);
  double bad[JOINTS_MAX] = {0.0, NAN, 0.0};
  const double fast[JOINTS_MAX] = {0.0, 0.0, 2.0 * r.limits[2].velocity};
  assert_int_equal(sn_otg_set_target(r.otg, bad, NULL), SN_EINVAL);
  assert_int_equal(sn_otg_set_target(r.otg, q, bad), SN_EINVAL);
  assert_int_equal(sn_otg_set_target(r.otg, q, fast), SN_EINVAL);
  assert_int_equal(sn_otg_reset(r.otg, bad, NULL, NULL), SN_EINVAL);
  assert_int_equal(sn_otg_reset(r.otg, q, bad, NULL), SN_EINVAL);
  assert_int_equal(sn_otg_reset(r.otg, q, NULL, bad), SN_EINVAL);
  assert_int_equal(sn_otg_reset_joint(r.otg, 0, (sn_otg_state){0.0, 1e300, 0.0}), SN_EINVAL);
  sn_otg_step(r.otg, 1e3, r.q, NULL, NULL);
  for (size_t j = 0; j < 3; j++) {
    assert_true(r.q[j] == q[j]);
  }
  close_rig(&r);
  sn_assert_fault(sn_otg_step(r.otg, -1.0, NULL, NULL, NULL), "dt_s >= 0.0");
}

SN_TEST(bad_configurations_are_rejected_with_a_reason) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "otg", 0);
  const sn_otg_limits good = {1.0, 1.0, 1.0};
  const sn_otg_limits bad = {1.0, 0.0, 1.0};
  const struct {
    sn_otg_config config;
    const char *reason;
  } cases[] = {
      {{.joint_count = 0, .limits = &good}, "0 joints, must be 1..4096"},
      {{.joint_count = 5000, .limits = &good}, "5000 joints"},
      {{.joint_count = 1}, "limits are missing"},
      {{.joint_count = 1, .limits = &bad}, "joint 0 are velocity 1, acceleration 0, jerk 1"},
  };
  for (size_t i = 0; i < 4; i++) {
    sn_otg *otg = NULL;
    sn_error err = {0};
    assert_int_equal(sn_otg_create(&arena, &cases[i].config, &otg, &err), SN_EINVAL);
    sn_assert_contains(err.message, cases[i].reason);
    assert_null(otg);
  }
  char bytes[300];
  sn_arena small;
  sn_arena_init(&small, "small", bytes, sizeof bytes);
  sn_otg *otg = NULL;
  sn_error err = {0};
  const sn_otg_config config = {.joint_count = 1, .limits = &good};
  assert_int_equal(sn_otg_create(&small, &config, &otg, &err), SN_ENOMEM);
  sn_assert_contains(err.message, "no room in arena 'small'");
  assert_int_equal(sn_arena_used(&small), 0);
  sn_arena_release(&arena);
}

SN_TEST(cycle_leaves_the_heap_alone) {
  sn_random random;
  sn_random_init(&random, 70);
  rig r;
  open_rig(&r, &random, JOINTS_MAX, true, 0);
  double q[JOINTS_MAX];
  double qd[JOINTS_MAX];
  draw_target(&r, &random, q, qd);
  sn_assert_no_heap(sn_otg_reset(r.otg, r.q, r.qd, r.qdd); sn_otg_set_target(r.otg, q, qd);
                    sn_otg_step(r.otg, 1e-3, r.q, r.qd, r.qdd); sn_otg_is_done(r.otg);
                    sn_otg_duration(r.otg));
  close_rig(&r);
}
