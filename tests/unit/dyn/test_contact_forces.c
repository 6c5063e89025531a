#include <stdlib.h>

#include "allocation.h"
#include "dyn/contact_forces.h"
#include "random_tree.h"
#include "sinew/dense.h"
#include "sinew/random.h"
#include "sn_test.h"

#define POINTS_MAX 12

typedef struct fixture {
  sn_random random;
  sn_contact_point points[POINTS_MAX];
  sn_contact_task task;
  sn_vec3 forces[POINTS_MAX];
  sn_contact_outcome outcome;
  sn_mat3 frame; /* z is the normal */
} fixture;

/* Points on a ground that may lean, with weights and a friction. */
static void draw(fixture *f, size_t count) {
  f->frame = sn_test_random_pose(&f->random, 1.0).rot;
  const sn_vec3 middle = sn_test_random_vec3(&f->random, 0.3);
  for (size_t i = 0; i < count; i++) {
    const sn_vec3 on = {sn_random_between(&f->random, -0.2, 0.2),
                        sn_random_between(&f->random, -0.2, 0.2),
                        sn_random_between(&f->random, -0.02, 0.02)};
    f->points[i].place = sn_vec3_add(middle, sn_mat3_apply(f->frame, on));
    f->points[i].weight = sn_random_between(&f->random, 0.05, 1.0);
  }
  f->task = (sn_contact_task){.points = f->points,
                              .point_count = count,
                              .normal = f->frame.z,
                              .friction = sn_random_between(&f->random, 0.1, 1.0)};
}

/* A force in the cone, often on its edge, sometimes none. */
static sn_vec3 draw_force(fixture *f) {
  const double up =
      sn_random_below(&f->random, 4) == 0 ? 0.0 : sn_random_between(&f->random, 0, 20);
  const double edge = sn_random_below(&f->random, 2) == 0 ? 1.0 : sn_random_unit(&f->random);
  const double angle = sn_random_between(&f->random, -3.2, 3.2);
  const double slip = edge * up * f->task.friction;
  return sn_mat3_apply(f->frame, sn_vec3_make(slip * cos(angle), slip * sin(angle), up));
}

static sn_spatial sum_of(const fixture *f, const sn_vec3 *forces) {
  sn_spatial sum = sn_spatial_zero();
  for (size_t i = 0; i < f->task.point_count; i++) {
    sum.lin = sn_vec3_add(sum.lin, forces[i]);
    sum.ang = sn_vec3_add(sum.ang, sn_vec3_cross(f->points[i].place, forces[i]));
  }
  return sum;
}

static double cost_of(const fixture *f, const sn_vec3 *forces) {
  double cost = 0.0;
  for (size_t i = 0; i < f->task.point_count; i++) {
    cost += sn_vec3_dot(forces[i], forces[i]) / f->points[i].weight;
  }
  return cost;
}

static void solve(fixture *f) {
  sn__contact_forces(&f->task, f->forces, &f->outcome);
  assert_true(f->outcome.rounds <= SN_CONTACT_ROUNDS_MAX);
  const sn_spatial sum = sum_of(f, f->forces);
  const sn_spatial left = sn_spatial_sub(f->task.wrench, sum);
  sn_assert_near(sn_vec3_norm(sn_vec3_sub(left.lin, f->outcome.missing.lin)), 0.0, 1e-9);
  sn_assert_near(sn_vec3_norm(sn_vec3_sub(left.ang, f->outcome.missing.ang)), 0.0, 1e-9);
}

static void assert_in_cones(const fixture *f) {
  for (size_t i = 0; i < f->task.point_count; i++) {
    const sn_vec3 g = sn_mat3_apply_transposed(f->frame, f->forces[i]);
    assert_true(isfinite(g.x) && isfinite(g.y) && isfinite(g.z));
    assert_true(g.z >= -1e-12);
    assert_true(hypot(g.x, g.y) <= f->task.friction * g.z * (1 + 1e-9) + 1e-9);
  }
}

SN_TEST(wrench_within_reach_is_balanced_at_the_least_cost) {
  fixture f;
  sn_random_init(&f.random, 21);
  for (size_t round = 0; round < sn_test_cases(5000); round++) {
    draw(&f, 1 + (size_t)sn_random_below(&f.random, POINTS_MAX));
    sn_vec3 drawn[POINTS_MAX];
    for (size_t i = 0; i < f.task.point_count; i++) {
      drawn[i] = draw_force(&f);
    }
    f.task.wrench = sum_of(&f, drawn);
    solve(&f);
    assert_in_cones(&f);
    if (!f.outcome.balanced) {
      fail_msg("round %zu: %g N, %g Nm missing after %d", round,
               sn_vec3_norm(f.outcome.missing.lin), sn_vec3_norm(f.outcome.missing.ang),
               f.outcome.rounds);
    }
    assert_true(cost_of(&f, f.forces) <= cost_of(&f, drawn) * (1 + 1e-7) + 1e-9);
  }
}

/* ---- a second algorithm: Boyle and Dykstra's alternating projections, in x = force / sqrt(weight)
   ---- */

typedef struct plain {
  size_t count;
  double root[POINTS_MAX];
  double map[6][3 * POINTS_MAX]; /* wrench of x */
  double l[36];
} plain;

static bool plain_init(plain *p, const fixture *f) {
  p->count = 3 * f->task.point_count;
  memset(p->map, 0, sizeof p->map);
  for (size_t i = 0; i < f->task.point_count; i++) {
    p->root[i] = sqrt(f->points[i].weight);
    for (size_t k = 0; k < 3; k++) {
      const sn_vec3 unit = {k == 0, k == 1, k == 2};
      const sn_vec3 t = sn_vec3_cross(f->points[i].place, unit);
      const double column[6] = {t.x, t.y, t.z, unit.x, unit.y, unit.z};
      for (size_t r = 0; r < 6; r++) {
        p->map[r][3 * i + k] = column[r] * p->root[i];
      }
    }
  }
  for (size_t r = 0; r < 6; r++) {
    for (size_t c = 0; c < 6; c++) {
      p->l[6 * r + c] = 0.0;
      for (size_t k = 0; k < p->count; k++) {
        p->l[6 * r + c] += p->map[r][k] * p->map[c][k];
      }
    }
  }
  return sn_cholesky_factor(6, p->l);
}

static void plain_balance(const plain *p, const double *wrench, double *x) {
  double y[6];
  for (size_t r = 0; r < 6; r++) {
    y[r] = wrench[r];
    for (size_t k = 0; k < p->count; k++) {
      y[r] -= p->map[r][k] * x[k];
    }
  }
  sn_cholesky_solve(6, p->l, y);
  for (size_t k = 0; k < p->count; k++) {
    for (size_t r = 0; r < 6; r++) {
      x[k] += p->map[r][k] * y[r];
    }
  }
}

/* Nearest point of the cone by its angle from the axis. */
static void plain_cone(const fixture *f, double *x) {
  const sn_vec3 g = sn_mat3_apply_transposed(f->frame, sn_vec3_make(x[0], x[1], x[2]));
  const double length = sn_vec3_norm(g), angle = atan2(hypot(g.x, g.y), g.z);
  const double half = atan(f->task.friction), around = atan2(g.y, g.x);
  sn_vec3 nearest = g;
  if (angle >= half + 1.5707963267948966) {
    nearest = sn_vec3_make(0, 0, 0);
  } else if (angle > half) {
    const double along = length * cos(angle - half);
    nearest = sn_vec3_make(along * sin(half) * cos(around), along * sin(half) * sin(around),
                           along * cos(half));
  }
  const sn_vec3 back = sn_mat3_apply(f->frame, nearest);
  x[0] = back.x;
  x[1] = back.y;
  x[2] = back.z;
}

static void plain_solve(const plain *p, const fixture *f, sn_vec3 *forces) {
  const sn_spatial w = f->task.wrench;
  const double wrench[6] = {w.ang.x, w.ang.y, w.ang.z, w.lin.x, w.lin.y, w.lin.z};
  double x[3 * POINTS_MAX] = {0}, correction[3 * POINTS_MAX] = {0};
  for (int k = 0; k < 20000; k++) {
    plain_balance(p, wrench, x);
    double moved = 0.0;
    for (size_t i = 0; i < p->count; i += 3) {
      double at[3];
      for (size_t c = 0; c < 3; c++) {
        at[c] = x[i + c] + correction[i + c];
      }
      const double before[3] = {at[0], at[1], at[2]};
      plain_cone(f, at);
      for (size_t c = 0; c < 3; c++) {
        correction[i + c] = before[c] - at[c];
        moved += fabs(at[c] - x[i + c]);
        x[i + c] = at[c];
      }
    }
    if (moved < 1e-10) {
      break;
    }
  }
  for (size_t i = 0; i < f->task.point_count; i++) {
    forces[i] = sn_vec3_scale(sn_vec3_make(x[3 * i], x[3 * i + 1], x[3 * i + 2]), p->root[i]);
  }
}

SN_TEST(forces_are_those_of_alternating_projections) {
  fixture f;
  plain p;
  sn_random_init(&f.random, 22);
  size_t compared = 0, bounded = 0;
  for (size_t round = 0; round < sn_test_cases(60); round++) {
    draw(&f, 4 + (size_t)sn_random_below(&f.random, POINTS_MAX - 3));
    sn_vec3 plain_forces[POINTS_MAX];
    for (size_t i = 0; i < f.task.point_count; i++) {
      plain_forces[i] = draw_force(&f);
    }
    f.task.wrench = sum_of(&f, plain_forces);
    if (!plain_init(&p, &f)) {
      continue;
    }
    plain_solve(&p, &f, plain_forces);
    const sn_spatial left = sn_spatial_sub(f.task.wrench, sum_of(&f, plain_forces));
    if (sn_vec3_norm(left.lin) + sn_vec3_norm(left.ang) > 1e-6) {
      continue; /* it is slow where cones and balance touch only just */
    }
    solve(&f);
    compared++;
    bounded += f.outcome.rounds > 4;
    for (size_t i = 0; i < f.task.point_count; i++) {
      sn_assert_near(sn_vec3_norm(sn_vec3_sub(f.forces[i], plain_forces[i])), 0.0, 1e-3);
    }
  }
  assert_true(compared > 30);
  assert_true(bounded > 10);
}

/* The condition of least squares over cones: at every point the missing wrench pulls the force out
   of its cone, or along its edge, but nowhere further into it. */
SN_TEST(wrench_out_of_reach_is_missed_by_the_least) {
  fixture f;
  sn_random_init(&f.random, 23);
  size_t missed = 0;
  for (size_t round = 0; round < sn_test_cases(5000); round++) {
    draw(&f, 1 + (size_t)sn_random_below(&f.random, POINTS_MAX));
    f.task.wrench = sn_test_random_spatial(&f.random, 10.0); /* near the middle or far from it */
    f.task.wrench.lin = sn_vec3_add_scaled(f.task.wrench.lin, 20.0, f.frame.z);
    if (round % 2 == 0) {
      const sn_vec3 at = f.points[0].place;
      f.task.wrench.ang = sn_vec3_cross(at, f.task.wrench.lin);
    }
    solve(&f);
    assert_in_cones(&f);
    if (f.outcome.balanced) {
      continue;
    }
    missed++;
    double weight = 0.0, spread = 0.0;
    sn_vec3 centre = {0, 0, 0};
    for (size_t i = 0; i < f.task.point_count; i++) {
      weight += f.points[i].weight;
      centre = sn_vec3_add_scaled(centre, f.points[i].weight, f.points[i].place);
    }
    centre = sn_vec3_scale(centre, 1.0 / weight);
    for (size_t i = 0; i < f.task.point_count; i++) {
      const sn_vec3 r = sn_vec3_sub(f.points[i].place, centre);
      spread += f.points[i].weight / weight * sn_vec3_dot(r, r);
    }
    const sn_vec3 torque =
        sn_vec3_sub(f.outcome.missing.ang, sn_vec3_cross(centre, f.outcome.missing.lin));
    const sn_vec3 turn = sn_vec3_scale(torque, spread > 1e-20 ? 0.01 / spread : 0.0);
    for (size_t i = 0; i < f.task.point_count; i++) {
      const sn_vec3 r = sn_vec3_sub(f.points[i].place, centre);
      const sn_vec3 pull = sn_vec3_add(f.outcome.missing.lin, sn_vec3_cross(turn, r));
      const sn_vec3 g = sn_mat3_apply_transposed(f.frame, pull);
      const double size = sn_vec3_norm(pull) + 1.0;
      assert_true(g.z + f.task.friction * hypot(g.x, g.y) <= 2e-5 * size);
      sn_assert_near(sn_vec3_dot(pull, f.forces[i]), 0.0,
                     2e-5 * size * (1 + sn_vec3_norm(f.forces[i])));
    }
  }
  assert_true(missed > sn_test_cases(5000) / 4);
  assert_true(missed < sn_test_cases(5000));
}

SN_TEST(four_feet_carry_a_quarter_each) {
  fixture f = {.frame = sn_mat3_identity()};
  static const double signs[4][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
  for (size_t i = 0; i < 4; i++) {
    f.points[i] = (sn_contact_point){{0.2 * signs[i][0], 0.1 * signs[i][1], -0.3}, 1.0};
  }
  const double weight_N = 4.0 * 9.81;
  f.task = (sn_contact_task){f.points, 4, {0, 0, 1}, 0.5, {{0, 0, 0}, {0, 0, weight_N}}};
  solve(&f);
  assert_true(f.outcome.balanced);
  for (size_t i = 0; i < 4; i++) {
    sn_assert_near(f.forces[i].x, 0.0, 1e-12);
    sn_assert_near(f.forces[i].y, 0.0, 1e-12);
    sn_assert_near(f.forces[i].z, weight_N / 4, 1e-12);
  }
  /* Over the middle of the right side the left feet carry nothing. */
  f.task.wrench.ang = sn_vec3_cross(sn_vec3_make(0, -0.1, 0), f.task.wrench.lin);
  solve(&f);
  assert_true(f.outcome.balanced);
  for (size_t i = 0; i < 4; i++) {
    sn_assert_near(f.forces[i].z, signs[i][1] < 0 ? weight_N / 2 : 0.0, 1e-8);
  }
  /* Beyond it the robot tips: the push stays, the torque is missing. */
  f.task.wrench.ang = sn_vec3_cross(sn_vec3_make(0, -0.15, 0), f.task.wrench.lin);
  solve(&f);
  assert_false(f.outcome.balanced);
  sn_assert_near(f.outcome.missing.lin.z, 0.0, 0.01 * weight_N);
  sn_assert_near(f.outcome.missing.ang.x, -0.05 * weight_N, 0.01 * weight_N);
}

SN_TEST(share_follows_the_weights) {
  fixture f = {.frame = sn_mat3_identity()};
  for (int eighths = 8; eighths >= 0; eighths--) {
    const double weight = eighths / 8.0;
    /* Two pairs of feet, the weight in the middle: each pair could carry all. */
    f.points[0] = (sn_contact_point){{0.2, 0.1, 0}, 1.0};
    f.points[1] = (sn_contact_point){{-0.2, -0.1, 0}, 1.0};
    f.points[2] = (sn_contact_point){{0.2, -0.1, 0}, weight};
    f.points[3] = (sn_contact_point){{-0.2, 0.1, 0}, weight};
    f.task = (sn_contact_task){f.points, 4, {0, 0, 1}, 0.5, {{0, 0, 0}, {0, 0, 40.0}}};
    solve(&f);
    assert_true(f.outcome.balanced);
    for (size_t i = 0; i < 4; i++) {
      sn_assert_near(f.forces[i].z, 20.0 * f.points[i].weight / (1.0 + weight), 1e-9);
    }
  }
}

SN_TEST(ground_neither_pulls_nor_exists_without_points) {
  fixture f = {.frame = sn_mat3_identity()};
  f.points[0] = (sn_contact_point){{1, 2, 3}, 1.0};
  f.points[1] = (sn_contact_point){{1, 2, 3}, 1.0};
  const sn_spatial down = {{0, 0, 0}, {0, 0, -5}};
  f.task = (sn_contact_task){f.points, 2, {0, 0, 1}, 0.5, down};
  solve(&f);
  assert_false(f.outcome.balanced);
  sn_assert_near(sn_vec3_norm(f.forces[0]) + sn_vec3_norm(f.forces[1]), 0.0, 1e-6);
  f.task.wrench = (sn_spatial){{0, 0, 1}, {0, 0, 0}}; /* a torque that one place cannot give */
  solve(&f);
  assert_false(f.outcome.balanced);
  assert_true(f.forces[0].z == 0.0);
  f.task.wrench = sn_spatial_zero();
  solve(&f);
  assert_true(f.outcome.balanced);
  f.task.point_count = 0;
  solve(&f);
  assert_true(f.outcome.balanced);
  f.task.wrench = down;
  solve(&f);
  assert_false(f.outcome.balanced);
  f.task = (sn_contact_task){f.points, 2, {0, 0, 1}, 0.5, {{0, 0, 0}, {0, 0, 5}}};
  f.points[0].weight = f.points[1].weight = 0.0;
  solve(&f);
  assert_false(f.outcome.balanced);
  assert_true(f.forces[0].z == 0.0 && f.forces[1].z == 0.0);
}

SN_TEST(without_friction_only_the_normal_counts) {
  fixture f;
  sn_random_init(&f.random, 24);
  for (size_t round = 0; round < sn_test_cases(500); round++) {
    draw(&f, 3 + (size_t)sn_random_below(&f.random, 6));
    f.task.friction = 0.0;
    sn_vec3 drawn[POINTS_MAX];
    for (size_t i = 0; i < f.task.point_count; i++) {
      drawn[i] = sn_vec3_scale(f.frame.z, sn_random_between(&f.random, 0.0, 20.0));
    }
    f.task.wrench = sum_of(&f, drawn);
    solve(&f);
    assert_true(f.outcome.balanced);
    for (size_t i = 0; i < f.task.point_count; i++) {
      sn_assert_near(sn_vec3_norm(sn_vec3_cross(f.forces[i], f.frame.z)), 0.0, 1e-9);
    }
    f.task.friction = INFINITY; /* sticks, and still does not pull */
    solve(&f);
    assert_true(f.outcome.balanced);
    for (size_t i = 0; i < f.task.point_count; i++) {
      assert_true(sn_vec3_dot(f.forces[i], f.frame.z) >= -1e-9);
    }
  }
}

SN_TEST(nothing_touches_the_heap) {
  fixture f;
  sn_random_init(&f.random, 25);
  for (int round = 0; round < 20; round++) {
    draw(&f, POINTS_MAX);
    f.task.wrench = sn_test_random_spatial(&f.random, 30.0);
    sn_assert_no_heap(sn__contact_forces(&f.task, f.forces, NULL));
  }
}
