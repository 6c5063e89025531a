#include <stdbool.h>

#include "math/rotation.h"
#include "sinew/quat.h"
#include "sinew/random.h"
#include "sn_test.h"

#define CASES 5000
static const double pi = 3.14159265358979323846;

static sn_vec3 random_direction(sn_random *random) {
  const sn_vec3 v =
      sn_vec3_make(sn_random_normal(random), sn_random_normal(random), sn_random_normal(random));
  return sn_vec3_scale(v, 1.0 / sn_vec3_norm(v));
}

static sn_quat random_quat(sn_random *random) {
  return sn_quat_normalize((sn_quat){sn_random_normal(random), sn_random_normal(random),
                                     sn_random_normal(random), sn_random_normal(random)});
}

/* Angles in (0, pi), of any magnitude towards both ends. */
static double random_angle(sn_random *random) {
  const double tiny = pow(10.0, sn_random_between(random, -18.0, 0.0));
  switch (sn_random_below(random, 3)) {
    case 0:
      return tiny;
    case 1:
      return pi - tiny;
    default:
      return sn_random_between(random, 0.0, pi);
  }
}

static sn_pose turned(sn_mat3 rot) {
  return (sn_pose){.rot = rot, .pos = {0, 0, 0}};
}

#define assert_rotations_near(a, b, tol) sn_assert_pose_near(turned(a), turned(b), (tol))

/* Columns of length one, at right angles, right-handed. */
static void assert_is_rotation(sn_mat3 r, double tol) {
  assert_rotations_near(sn_mat3_mul(sn_mat3_transpose(r), r), sn_mat3_identity(), tol);
  sn_assert_near(sn_vec3_dot(sn_vec3_cross(r.x, r.y), r.z), 1.0, 3.0 * tol);
}

/* The oracle of all rotations: the power series of the matrix exponential of [v]x, summed for v /
   1024 and squared ten times. */
static sn_mat3 exp_by_series(sn_vec3 v) {
  const sn_vec3 w = sn_vec3_scale(v, 1.0 / 1024.0);
  sn_mat3 sum = sn_mat3_identity();
  sn_mat3 term = sn_mat3_identity();
  for (int k = 1; k < 12; k++) {
    const double f = 1.0 / k;
    term = (sn_mat3){sn_vec3_scale(sn_vec3_cross(w, term.x), f),
                     sn_vec3_scale(sn_vec3_cross(w, term.y), f),
                     sn_vec3_scale(sn_vec3_cross(w, term.z), f)};
    sum = (sn_mat3){sn_vec3_add(sum.x, term.x), sn_vec3_add(sum.y, term.y),
                    sn_vec3_add(sum.z, term.z)};
  }
  for (int k = 0; k < 10; k++) {
    sum = sn_mat3_mul(sum, sum);
  }
  return sum;
}

SN_TEST(axis_angle_and_exp_agree_with_the_power_series) {
  sn_random random;
  sn_random_init(&random, 1);
  for (int i = 0; i < CASES; i++) {
    const sn_vec3 axis = random_direction(&random);
    const double angle_rad = sn_random_between(&random, -10.0, 10.0);
    const sn_vec3 v = sn_vec3_scale(axis, angle_rad);
    const sn_mat3 expected = exp_by_series(v);
    assert_rotations_near(sn_mat3_from_axis_angle(axis, angle_rad), expected, 1e-12);
    assert_rotations_near(sn__mat3_exp(v), expected, 1e-12);
    assert_is_rotation(sn__mat3_exp(v), 4e-15);
  }
  assert_rotations_near(sn__mat3_exp(sn_vec3_make(0, 0, 0)), sn_mat3_identity(), 0.0);
}

/* The symmetric part of a small turn is (1 - cos) (a a^T - 1), some angle^2 / 2: nothing of it may
   be lost beside the 1. */
SN_TEST(small_turns_keep_their_symmetric_part) {
  sn_random random;
  sn_random_init(&random, 11);
  for (int i = 0; i < CASES; i++) {
    const sn_vec3 a = random_direction(&random);
    const double angle_rad = pow(10.0, sn_random_between(&random, -6.0, -2.0));
    const double square = angle_rad * angle_rad;
    const double v = 0.5 * square * (1.0 - square / 12.0 + square * square / 360.0); /* 1 - cos */
    const sn_mat3 r = sn_mat3_from_axis_angle(a, angle_rad);
    sn_assert_near(r.x.y + r.y.x, 2.0 * v * a.x * a.y, 4e-16 * angle_rad);
    sn_assert_near(r.x.z + r.z.x, 2.0 * v * a.x * a.z, 4e-16 * angle_rad);
    sn_assert_near(r.y.z + r.z.y, 2.0 * v * a.y * a.z, 4e-16 * angle_rad);
  }
}

SN_TEST(roll_pitch_yaw_turns_about_the_fixed_axes_in_turn) {
  sn_random random;
  sn_random_init(&random, 2);
  for (int i = 0; i < CASES; i++) {
    const double roll_rad = sn_random_between(&random, -7.0, 7.0);
    const double pitch_rad = i % 4 == 0 ? copysign(0.5 * pi, sn_random_normal(&random))
                                        : sn_random_between(&random, -7.0, 7.0);
    const double yaw_rad = sn_random_between(&random, -7.0, 7.0);
    const sn_mat3 about_x = sn_mat3_from_axis_angle(sn_vec3_make(1, 0, 0), roll_rad);
    const sn_mat3 about_y = sn_mat3_from_axis_angle(sn_vec3_make(0, 1, 0), pitch_rad);
    const sn_mat3 about_z = sn_mat3_from_axis_angle(sn_vec3_make(0, 0, 1), yaw_rad);
    const sn_mat3 expected = sn_mat3_mul(about_z, sn_mat3_mul(about_y, about_x));
    assert_rotations_near(sn_mat3_from_rpy(roll_rad, pitch_rad, yaw_rad), expected, 2e-15);
  }
}

/* The product: first b, then a. */
static sn_quat product(sn_quat a, sn_quat b) {
  return (sn_quat){
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
  };
}

SN_TEST(quaternion_turns_vectors_as_q_v_q_conjugate) {
  sn_random random;
  sn_random_init(&random, 3);
  for (int i = 0; i < CASES; i++) {
    const sn_quat q = random_quat(&random);
    const sn_quat conjugate = {-q.x, -q.y, -q.z, q.w};
    const sn_vec3 v = random_direction(&random);
    const sn_quat p = product(product(q, (sn_quat){v.x, v.y, v.z, 0.0}), conjugate);
    sn_assert_vec3_near(sn_mat3_apply(sn_mat3_from_quat(q), v), sn_vec3_make(p.x, p.y, p.z), 2e-15);
    sn_assert_near(p.w, 0.0, 1e-15);
    assert_is_rotation(sn_mat3_from_quat(q), 4e-15);
  }
}

SN_TEST(axis_and_half_angle_make_the_quaternion) {
  sn_random random;
  sn_random_init(&random, 5);
  for (int i = 0; i < CASES; i++) {
    const sn_vec3 axis = random_direction(&random);
    const double angle_rad = random_angle(&random);
    const double s = sin(0.5 * angle_rad);
    const sn_quat q = sn_quat_from_mat3(sn_mat3_from_axis_angle(axis, angle_rad));
    assert_true(q.w >= 0.0);
    sn_assert_near(q.w, cos(0.5 * angle_rad), 1e-15);
    /* Within 1e-15 of pi the turn by 2 pi - angle about -axis is as near. */
    const double sign = pi - angle_rad < 1e-15 ? copysign(1.0, axis.x * q.x) : 1.0;
    sn_assert_vec3_near(sn_vec3_make(q.x, q.y, q.z), sn_vec3_scale(axis, sign * s), 1e-15);
  }
}

SN_TEST(matrix_to_quaternion_and_back_is_the_same_rotation) {
  sn_random random;
  sn_random_init(&random, 6);
  for (int i = 0; i < CASES; i++) {
    const sn_mat3 r = sn_mat3_from_quat(random_quat(&random));
    const sn_quat q = sn_quat_from_mat3(r);
    assert_true(q.w >= 0.0);
    sn_assert_near(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 1.0, 1e-15);
    assert_rotations_near(sn_mat3_from_quat(q), r, 2e-15);
  }
  /* The half turns, where w vanishes, and the thirds, where all four are equal. */
  for (int x = -1; x <= 1; x++) {
    for (int y = -1; y <= 1; y++) {
      for (int z = -1; z <= 1; z++) {
        for (int w = 0; w <= 1; w++) {
          if (x != 0 || y != 0 || z != 0 || w != 0) {
            const sn_quat q = sn_quat_normalize((sn_quat){x, y, z, w});
            const sn_mat3 r = sn_mat3_from_quat(q);
            assert_rotations_near(sn_mat3_from_quat(sn_quat_from_mat3(r)), r, 1e-15);
          }
        }
      }
    }
  }
}

SN_TEST(normalizing_keeps_the_direction) {
  sn_random random;
  sn_random_init(&random, 7);
  for (int i = 0; i < CASES; i++) {
    const sn_quat q = random_quat(&random);
    const double k = pow(10.0, sn_random_between(&random, -100.0, 100.0));
    const sn_quat n = sn_quat_normalize((sn_quat){k * q.x, k * q.y, k * q.z, k * q.w});
    sn_assert_near(n.x * q.x + n.y * q.y + n.z * q.z + n.w * q.w, 1.0, 1e-15);
  }
  const sn_quat zero = sn_quat_normalize((sn_quat){0, 0, 0, 0});
  assert_true(zero.x == 0.0 && zero.y == 0.0 && zero.z == 0.0 && zero.w == 0.0);
}

SN_TEST(log_of_exp_is_the_rotation_vector) {
  sn_random random;
  sn_random_init(&random, 8);
  const size_t cases = sn_test_cases(100000);
  for (size_t i = 0; i < cases; i++) {
    const double angle_rad = random_angle(&random);
    const sn_vec3 v = sn_vec3_scale(random_direction(&random), angle_rad);
    const sn_vec3 back = sn_mat3_log(sn__mat3_exp(v));
    /* relative to the angle where that is small */
    const double tol = 4e-15 * angle_rad;
    if (pi - angle_rad > 1e-14) {
      sn_assert_vec3_near(back, v, tol);
    } else { /* the axis may have flipped */
      const double sign = copysign(1.0, sn_vec3_dot(back, v));
      sn_assert_vec3_near(back, sn_vec3_scale(v, sign), 1e-14);
    }
    assert_true(sn_vec3_norm(back) <= pi + 1e-15);
  }
}

SN_TEST(exp_of_log_is_the_rotation) {
  sn_random random;
  sn_random_init(&random, 9);
  for (int i = 0; i < CASES; i++) {
    const sn_mat3 r = sn_mat3_from_quat(random_quat(&random));
    assert_rotations_near(sn__mat3_exp(sn_mat3_log(r)), r, 2e-15);
  }
  const sn_vec3 none = sn_mat3_log(sn_mat3_identity());
  assert_true(none.x == 0.0 && none.y == 0.0 && none.z == 0.0);
}

SN_TEST(tiniest_rotation_vectors_survive) {
  for (double size = 1e-12; size > 0.0; size *= 1e-3) {
    const sn_vec3 v = sn_vec3_make(size, -0.5 * size, 0.25 * size);
    const sn_vec3 back = sn_mat3_log(sn__mat3_exp(v));
    const double least = 1e-150; /* below, the square of the angle is 0 */
    sn_assert_vec3_near(back, v, size > least ? 1e-15 * size : size);
  }
}

static bool is_signed_permutation(sn_mat3 m) {
  const double entries[] = {m.x.x, m.x.y, m.x.z, m.y.x, m.y.y, m.y.z, m.z.x, m.z.y, m.z.z};
  int ones = 0;
  for (int i = 0; i < 9; i++) {
    if (fabs(entries[i]) != 0.0 && fabs(entries[i]) != 1.0) {
      return false;
    }
    ones += fabs(entries[i]) == 1.0;
  }
  return ones == 3;
}

SN_TEST(z_axis_of_the_frame_is_the_axis_given) {
  sn_random random;
  sn_random_init(&random, 10);
  for (int i = 0; i < CASES; i++) {
    sn_vec3 axis = random_direction(&random);
    if (i % 2 == 0) { /* close to z or to -z, by any distance */
      const double planar = pow(10.0, sn_random_between(&random, -320.0, -1.0));
      const double turn_rad = sn_random_between(&random, -pi, pi);
      axis = sn_vec3_make(planar * cos(turn_rad), planar * sin(turn_rad),
                          copysign(sqrt(1.0 - planar * planar), axis.z));
    }
    const sn_mat3 r = sn__mat3_with_z(axis);
    assert_is_rotation(r, 4e-15);
    sn_assert_vec3_near(r.z, axis, 0.0);
  }
}

SN_TEST(frame_of_a_coordinate_axis_is_a_signed_permutation) {
  for (int i = 0; i < 6; i++) {
    const double s = i % 2 == 0 ? 1.0 : -1.0;
    const sn_vec3 axis =
        sn_vec3_make(i / 2 == 0 ? s : 0.0, i / 2 == 1 ? s : 0.0, i / 2 == 2 ? s : 0.0);
    const sn_mat3 r = sn__mat3_with_z(axis);
    assert_true(is_signed_permutation(r));
    assert_is_rotation(r, 0.0);
    sn_assert_vec3_near(r.z, axis, 0.0);
  }
  assert_rotations_near(sn__mat3_with_z(sn_vec3_make(0, 0, 1)), sn_mat3_identity(), 0.0);
}
