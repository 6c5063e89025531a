#include "math/inertia.h"
#include "math/rotation.h"
#include "sinew/random.h"
#include "sinew/spatial.h"
#include "sn_test.h"

#define CASES 2000

static sn_vec3 random_vec3(sn_random *random) {
  return sn_vec3_make(sn_random_normal(random), sn_random_normal(random), sn_random_normal(random));
}

static sn_spatial random_spatial(sn_random *random) {
  return (sn_spatial){.ang = random_vec3(random), .lin = random_vec3(random)};
}

static sn_pose random_pose(sn_random *random) {
  return (sn_pose){.rot = sn__mat3_exp(random_vec3(random)), .pos = random_vec3(random)};
}

static void assert_spatial_near(sn_spatial a, sn_spatial b, double tol) {
  sn_assert_vec3_near(a.ang, b.ang, tol);
  sn_assert_vec3_near(a.lin, b.lin, tol);
}

static void assert_inertia_near(sn_inertia a, sn_inertia b, double tol) {
  sn_assert_near(a.mass_kg, b.mass_kg, tol);
  sn_assert_vec3_near(a.h, b.h, tol);
  sn_assert_near(a.tensor.xx, b.tensor.xx, tol);
  sn_assert_near(a.tensor.yy, b.tensor.yy, tol);
  sn_assert_near(a.tensor.zz, b.tensor.zz, tol);
  sn_assert_near(a.tensor.xy, b.tensor.xy, tol);
  sn_assert_near(a.tensor.xz, b.tensor.xz, tol);
  sn_assert_near(a.tensor.yz, b.tensor.yz, tol);
}

SN_TEST(sums_are_taken_part_by_part) {
  sn_random random;
  sn_random_init(&random, 1);
  for (int i = 0; i < CASES; i++) {
    const sn_spatial a = random_spatial(&random);
    const sn_spatial b = random_spatial(&random);
    const sn_spatial c = random_spatial(&random);
    const double k = sn_random_normal(&random);
    sn_assert_vec3_near(sn_spatial_add(a, b).ang, sn_vec3_add(a.ang, b.ang), 0.0);
    sn_assert_vec3_near(sn_spatial_add(a, b).lin, sn_vec3_add(a.lin, b.lin), 0.0);
    assert_spatial_near(sn_spatial_sub(sn_spatial_add(a, b), b), a, 1e-15 * 8);
    assert_spatial_near(sn_spatial_add(a, sn_spatial_zero()), a, 0.0);
    assert_spatial_near(sn_spatial_sub(sn_spatial_scale(a, 3.0), a), sn_spatial_scale(a, 2.0),
                        1e-14);
    sn_assert_near(sn_spatial_dot(sn_spatial_add(sn_spatial_scale(a, k), b), c),
                   k * sn_spatial_dot(a, c) + sn_spatial_dot(b, c), 1e-13);
  }
}

/* The velocity of the body's point that is now at x. */
static sn_vec3 point_velocity(sn_spatial m, sn_vec3 x) {
  return sn_vec3_add(m.lin, sn_vec3_cross(m.ang, x));
}

SN_TEST(motion_moves_the_same_points_in_every_frame) {
  sn_random random;
  sn_random_init(&random, 2);
  for (int i = 0; i < CASES; i++) {
    const sn_pose p = random_pose(&random); /* pose_outer_inner */
    const sn_spatial inner = random_spatial(&random);
    const sn_spatial outer = sn_spatial_motion_out(p, inner);
    const sn_vec3 x_inner = random_vec3(&random);
    const sn_vec3 expected = sn_mat3_apply(p.rot, point_velocity(inner, x_inner));
    sn_assert_vec3_near(point_velocity(outer, sn_pose_apply(p, x_inner)), expected, 2e-14);
    assert_spatial_near(sn_spatial_motion_in(p, outer), inner, 2e-14);
  }
}

/* A force is equivalent to its parts at any point: the torque about a point x is t - x cross f. */
static sn_vec3 torque_about(sn_spatial f, sn_vec3 x) {
  return sn_vec3_sub(f.ang, sn_vec3_cross(x, f.lin));
}

SN_TEST(force_has_the_same_torque_about_a_point_in_every_frame) {
  sn_random random;
  sn_random_init(&random, 3);
  for (int i = 0; i < CASES; i++) {
    const sn_pose p = random_pose(&random);
    const sn_spatial inner = random_spatial(&random);
    const sn_spatial outer = sn_spatial_force_out(p, inner);
    const sn_vec3 x_inner = random_vec3(&random);
    const sn_vec3 expected = sn_mat3_apply(p.rot, torque_about(inner, x_inner));
    sn_assert_vec3_near(torque_about(outer, sn_pose_apply(p, x_inner)), expected, 4e-14);
    sn_assert_vec3_near(outer.lin, sn_mat3_apply(p.rot, inner.lin), 1e-14);
    assert_spatial_near(sn_spatial_force_in(p, outer), inner, 2e-14);
  }
}

SN_TEST(power_is_the_same_in_every_frame) {
  sn_random random;
  sn_random_init(&random, 4);
  for (int i = 0; i < CASES; i++) {
    const sn_pose p = random_pose(&random);
    const sn_spatial m = random_spatial(&random);
    const sn_spatial f = random_spatial(&random);
    const double power = sn_spatial_dot(m, f);
    sn_assert_near(sn_spatial_dot(sn_spatial_motion_out(p, m), sn_spatial_force_out(p, f)), power,
                   1e-13);
    sn_assert_near(sn_spatial_dot(sn_spatial_motion_in(p, m), sn_spatial_force_in(p, f)), power,
                   1e-13);
  }
}

/* Where a frame that starts at the origin and moves with the constant v is after time t; the error
   is of second order in t and even, so a central difference does not see it. */
static sn_pose pose_after(sn_spatial v, double t_s) {
  return (sn_pose){.rot = sn__mat3_exp(sn_vec3_scale(v.ang, t_s)),
                   .pos = sn_vec3_scale(v.lin, t_s)};
}

SN_TEST(cross_products_are_the_rates_of_carried_vectors) {
  sn_random random;
  sn_random_init(&random, 5);
  const double dt_s = 1e-5;
  for (int i = 0; i < CASES; i++) {
    const sn_spatial v = random_spatial(&random);
    const sn_spatial x = random_spatial(&random);
    const sn_pose after = pose_after(v, dt_s);
    const sn_pose before = pose_after(v, -dt_s);
    const sn_spatial motion_rate = sn_spatial_scale(
        sn_spatial_sub(sn_spatial_motion_out(after, x), sn_spatial_motion_out(before, x)),
        0.5 / dt_s);
    const sn_spatial force_rate = sn_spatial_scale(
        sn_spatial_sub(sn_spatial_force_out(after, x), sn_spatial_force_out(before, x)),
        0.5 / dt_s);
    assert_spatial_near(sn_spatial_cross_motion(v, x), motion_rate, 1e-7);
    assert_spatial_near(sn_spatial_cross_force(v, x), force_rate, 1e-7);
  }
}

SN_TEST(cross_products_are_dual_and_obey_jacobi) {
  sn_random random;
  sn_random_init(&random, 6);
  for (int i = 0; i < CASES; i++) {
    const sn_spatial a = random_spatial(&random);
    const sn_spatial b = random_spatial(&random);
    const sn_spatial c = random_spatial(&random);
    /* (a x b) . f = -b . (a x* f) */
    sn_assert_near(sn_spatial_dot(sn_spatial_cross_motion(a, b), c),
                   -sn_spatial_dot(b, sn_spatial_cross_force(a, c)), 1e-13);
    const sn_spatial abc = sn_spatial_cross_motion(a, sn_spatial_cross_motion(b, c));
    const sn_spatial bca = sn_spatial_cross_motion(b, sn_spatial_cross_motion(c, a));
    const sn_spatial cab = sn_spatial_cross_motion(c, sn_spatial_cross_motion(a, b));
    assert_spatial_near(sn_spatial_add(abc, sn_spatial_add(bca, cab)), sn_spatial_zero(), 1e-12);
  }
}

#define POINTS 12

/* A rigid body of point masses: everything about it is a plain sum. */
typedef struct cloud {
  double mass_kg[POINTS];
  sn_vec3 at[POINTS];
} cloud;

static cloud random_cloud(sn_random *random) {
  cloud c;
  for (int i = 0; i < POINTS; i++) {
    c.mass_kg[i] = sn_random_unit(random);
    c.at[i] = random_vec3(random);
  }
  return c;
}

static sn_inertia inertia_of(const cloud *c) {
  sn_inertia total = {0};
  for (int i = 0; i < POINTS; i++) {
    const double m = c->mass_kg[i];
    const sn_vec3 r = c->at[i];
    total.mass_kg += m;
    total.h = sn_vec3_add_scaled(total.h, m, r);
    total.tensor.xx += m * (r.y * r.y + r.z * r.z);
    total.tensor.yy += m * (r.x * r.x + r.z * r.z);
    total.tensor.zz += m * (r.x * r.x + r.y * r.y);
    total.tensor.xy -= m * r.x * r.y;
    total.tensor.xz -= m * r.x * r.z;
    total.tensor.yz -= m * r.y * r.z;
  }
  return total;
}

static cloud cloud_out(sn_pose p, const cloud *c) {
  cloud moved = *c;
  for (int i = 0; i < POINTS; i++) {
    moved.at[i] = sn_pose_apply(p, c->at[i]);
  }
  return moved;
}

SN_TEST(inertia_moves_with_its_points) {
  sn_random random;
  sn_random_init(&random, 7);
  for (int i = 0; i < CASES; i++) {
    const cloud inner = random_cloud(&random);
    const sn_pose p = random_pose(&random);
    const cloud outer = cloud_out(p, &inner);
    assert_inertia_near(sn__inertia_out(p, inertia_of(&inner)), inertia_of(&outer), 2e-13);
  }
}

SN_TEST(inertia_about_the_centre_of_mass_gives_the_inertia_about_the_origin) {
  sn_random random;
  sn_random_init(&random, 8);
  for (int i = 0; i < CASES; i++) {
    const cloud c = random_cloud(&random);
    const sn_inertia expected = inertia_of(&c);
    const sn_vec3 com = sn_vec3_scale(expected.h, 1.0 / expected.mass_kg);
    const sn_pose to_com = {.rot = sn_mat3_identity(), .pos = sn_vec3_neg(com)};
    const cloud centred = cloud_out(to_com, &c);
    assert_inertia_near(sn__inertia_from_com(expected.mass_kg, com, inertia_of(&centred).tensor),
                        expected, 2e-13);
  }
}

SN_TEST(two_bodies_have_the_inertia_of_all_their_points) {
  sn_random random;
  sn_random_init(&random, 9);
  for (int i = 0; i < CASES; i++) {
    const cloud all = random_cloud(&random);
    cloud first = all;
    cloud second = all;
    for (int j = 0; j < POINTS; j++) {
      *(j % 3 == 0 ? &first.mass_kg[j] : &second.mass_kg[j]) = 0.0;
    }
    assert_inertia_near(sn__inertia_add(inertia_of(&first), inertia_of(&second)), inertia_of(&all),
                        1e-13);
  }
}

SN_TEST(momentum_and_energy_are_the_sums_over_the_points) {
  sn_random random;
  sn_random_init(&random, 10);
  for (int i = 0; i < CASES; i++) {
    const cloud c = random_cloud(&random);
    const sn_spatial m = random_spatial(&random);
    sn_spatial momentum = sn_spatial_zero();
    double energy_J = 0.0;
    for (int j = 0; j < POINTS; j++) {
      const sn_vec3 velocity = point_velocity(m, c.at[j]);
      const sn_vec3 impulse = sn_vec3_scale(velocity, c.mass_kg[j]);
      momentum.lin = sn_vec3_add(momentum.lin, impulse);
      momentum.ang = sn_vec3_add(momentum.ang, sn_vec3_cross(c.at[j], impulse));
      energy_J += 0.5 * sn_vec3_dot(velocity, impulse);
    }
    const sn_spatial applied = sn_inertia_apply(inertia_of(&c), m);
    assert_spatial_near(applied, momentum, 2e-13);
    sn_assert_near(0.5 * sn_spatial_dot(m, applied), energy_J, 4e-13);
  }
}
