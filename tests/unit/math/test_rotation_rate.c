#include "math/rotation.h"
#include "math/rotation_rate.h"
#include "sinew/random.h"
#include "sn_test.h"

static sn_vec3 draw(sn_random *random, double size) {
  const sn_vec3 v = {sn_random_normal(random), sn_random_normal(random), sn_random_normal(random)};
  return sn_vec3_scale(v, size / sn_vec3_norm(v));
}

/* Where phi is after a time, with constant acceleration. */
static sn_vec3 at(sn_vec3 phi, sn_vec3 rate, sn_vec3 accel, double t) {
  return sn_vec3_add_scaled(sn_vec3_add_scaled(phi, t, rate), 0.5 * t * t, accel);
}

/* Oracle: the rotation between two close times, over the time. */
SN_TEST(velocity_is_the_difference_of_rotations) {
  static const double angles[] = {1e-9, 1e-3, 0.05, 0.099, 0.101, 1.0, 3.0, 3.14159, 5.0};
  sn_random random;
  sn_random_init(&random, 11);
  for (size_t i = 0; i < sn_test_cases(2000); i++) {
    const sn_vec3 phi = draw(&random, angles[i % 9]), rate = draw(&random, 1.0);
    const double h = 1e-5;
    const sn_mat3 a = sn__mat3_exp(at(phi, rate, (sn_vec3){0}, -h));
    const sn_mat3 b = sn__mat3_exp(at(phi, rate, (sn_vec3){0}, h));
    const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(b, sn_mat3_transpose(a)));
    const sn_vec3 omega = sn__rotation_velocity(phi, rate);
    sn_assert_vec3_near(omega, sn_vec3_scale(turn, 0.5 / h), 1e-8);
    sn_assert_vec3_near(sn__rotation_rate(phi, omega), rate, 1e-9);
  }
}

SN_TEST(acceleration_is_the_difference_of_velocities) {
  static const double angles[] = {1e-9, 1e-3, 0.05, 0.099, 0.101, 1.0, 3.0, 3.14159, 5.0};
  sn_random random;
  sn_random_init(&random, 12);
  for (size_t i = 0; i < sn_test_cases(2000); i++) {
    const sn_vec3 phi = draw(&random, angles[i % 9]);
    const sn_vec3 rate = draw(&random, 1.0), accel = draw(&random, 1.0);
    const double h = 1e-4;
    sn_vec3 omega[2];
    for (int k = 0; k < 2; k++) {
      const double t = k == 0 ? -h : h;
      omega[k] = sn__rotation_velocity(at(phi, rate, accel, t), sn_vec3_add_scaled(rate, t, accel));
    }
    const sn_vec3 alpha = sn__rotation_acceleration(phi, rate, accel);
    sn_assert_vec3_near(alpha, sn_vec3_scale(sn_vec3_sub(omega[1], omega[0]), 0.5 / h), 1e-7);
    sn_assert_vec3_near(sn__rotation_rate_dot(phi, rate, alpha), accel, 1e-9);
  }
}
