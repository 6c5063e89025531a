#include "balance_rig.h"
#include "sn_test.h"

SN_TEST(efforts_and_ground_forces_cause_the_commanded_motion) {
  fixture f;
  balance_open_robot(&f, "quadruped", 31);
  static const char *const contacts[] = {"hoof_flat", "hoof_center", "hoof_fixed", "none"};
  size_t balanced = 0;
  for (size_t round = 0; round < sn_test_cases(2000); round++) {
    balance_draw_pose(&f, 0.5, 1.0);
    balance_stand_on(&f, balance_LEGS, (size_t)sn_random_below(&f.random, 5), contacts[round % 4]);
    for (size_t s = 0; s < f.input.support_count; s++) {
      f.supports[s].support = sn_random_between(&f.random, -0.1, 1.2);
    }
    f.input.base_is_still = sn_random_below(&f.random, 4) == 0;
    balance_step(&f);
    balance_assert_all_finite(&f);
    balance_assert_moves_as_told(&f);
    balanced += f.result.balanced;
  }
  assert_true(balanced > sn_test_cases(2000) / 20);
  balance_close_robot(&f);
}

static sn_mat3 rotation(sn_vec3 v) { /* Rodrigues */
  const double angle = sn_vec3_norm(v);
  if (angle < 1e-300) {
    return sn_mat3_identity();
  }
  const sn_vec3 k = sn_vec3_scale(v, 1.0 / angle);
  const sn_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  sn_vec3 turned[3];
  for (size_t i = 0; i < 3; i++) {
    const sn_vec3 a = sn_vec3_scale(unit[i], cos(angle));
    const sn_vec3 b = sn_vec3_scale(sn_vec3_cross(k, unit[i]), sin(angle));
    turned[i] =
        sn_vec3_add(a, sn_vec3_add_scaled(b, (1 - cos(angle)) * sn_vec3_dot(k, unit[i]), k));
  }
  return (sn_mat3){turned[0], turned[1], turned[2]};
}

/* Pose of the base a short time later, good to the third order. */
static sn_pose base_at(const fixture *f, double t) {
  const sn_spatial v = f->result.base_twist, a = f->result.base_acceleration;
  const sn_vec3 turn = sn_vec3_add_scaled(sn_vec3_scale(v.ang, t), 0.5 * t * t, a.ang);
  const sn_vec3 way = sn_vec3_add_scaled(sn_vec3_scale(v.lin, t), 0.5 * t * t, a.lin);
  /* exp of the motion, its second-order part written out */
  const sn_vec3 pos = sn_vec3_add_scaled(way, 0.5, sn_vec3_cross(turn, way));
  return (sn_pose){rotation(turn), pos};
}

static void joints_at(const fixture *f, double t, double *q, double *qd) {
  for (size_t j = 0; j < sn_model_pose_size(f->model); j++) {
    q[j] = f->q[j] + t * f->qd[j] + 0.5 * t * t * f->qdd[j];
    qd[j] = f->qd[j] + t * f->qdd[j];
  }
}

static double energy_at(fixture *f, double t) {
  const size_t n = sn_model_pose_size(f->model);
  double q[JOINTS_MAX], qd[JOINTS_MAX], mass[(6 + JOINTS_MAX) * (6 + JOINTS_MAX)];
  joints_at(f, t, q, qd);
  sn_dyn_mass_matrix_floating(f->dyn, q, mass);
  const sn_spatial v =
      sn_spatial_add(f->result.base_twist, sn_spatial_scale(f->result.base_acceleration, t));
  double speed[6 + JOINTS_MAX] = {v.ang.x, v.ang.y, v.ang.z, v.lin.x, v.lin.y, v.lin.z};
  for (size_t j = 0; j < n; j++) { /* virtual joints have a unit mass in the matrix, for its sake */
    speed[6 + j] = mass[(6 + j) * (6 + n) + 6 + j] == 1.0 ? 0.0 : qd[j];
  }
  double energy = 0.0;
  for (size_t i = 0; i < 6 + n; i++) {
    for (size_t j = 0; j < 6 + n; j++) {
      energy += 0.5 * speed[i] * mass[i * (6 + n) + j] * speed[j];
    }
  }
  const sn_vec3 com = sn_pose_apply(base_at(f, t), sn_dyn_com(f->dyn, q));
  return energy - f->result.mass_kg * sn_vec3_dot(f->input.gravity, com);
}

SN_TEST(foot_that_is_stuck_stays_and_takes_no_power) {
  fixture f;
  balance_open_robot(&f, "quadruped", 32);
  const double h = 1e-4;
  for (size_t round = 0; round < sn_test_cases(300); round++) {
    balance_draw_pose(&f, 1.0, 3.0);
    balance_stand_on(&f, &balance_LEGS[round % 4], 1, "hoof_fixed");
    f.supports[0].support = 0.3;
    f.input.friction = 1e3;
    balance_step(&f);
    balance_assert_moves_as_told(&f);
    sn_vec3 now[3], before[3], after[3];
    double q[JOINTS_MAX], qd[JOINTS_MAX];
    balance_contact_places(&f, 0, f.q, now);
    joints_at(&f, -h, q, qd);
    balance_contact_places(&f, 0, q, before);
    const sn_vec3 com_before = sn_pose_apply(base_at(&f, -h), sn_dyn_com(f.dyn, q));
    joints_at(&f, h, q, qd);
    balance_contact_places(&f, 0, q, after);
    const sn_vec3 com_after = sn_pose_apply(base_at(&f, h), sn_dyn_com(f.dyn, q));
    for (size_t i = 0; i < 3; i++) {
      const sn_vec3 a = sn_pose_apply(base_at(&f, -h), before[i]);
      const sn_vec3 b = sn_pose_apply(base_at(&f, h), after[i]);
      sn_assert_vec3_near(sn_vec3_scale(sn_vec3_sub(b, a), 0.5 / h), sn_vec3_make(0, 0, 0), 1e-6);
      const sn_vec3 second = sn_vec3_sub(sn_vec3_add(a, b), sn_vec3_scale(now[i], 2.0));
      sn_assert_vec3_near(sn_vec3_scale(second, 1.0 / (h * h)), sn_vec3_make(0, 0, 0), 1e-3);
    }
    sn_assert_vec3_near(sn_vec3_scale(sn_vec3_sub(com_after, com_before), 0.5 / h),
                        f.result.com_velocity, 1e-6);
    /* A foot that cannot be balanced needs a hand on the base, which does work. */
    double power = sn_spatial_dot(f.result.missing, f.result.base_twist);
    for (size_t j = 0; j < sn_model_pose_size(f.model); j++) {
      power += f.tau[j] * f.qd[j];
    }
    sn_assert_near((energy_at(&f, h) - energy_at(&f, -h)) / (2 * h), power, 1e-5);
  }
  balance_close_robot(&f);
}
