/* Points of feet, and where their robot stands. */
#include "estimation/feet.h"
#include "math/rotation.h"
#include "sn_test.h"

static const sn_vec3 z_up = {0, 0, 1};

/* A contact that is an upright axis: one point on the sole, one below the ground. */
SN_TEST(point_of_an_upright_axis_is_that_of_the_sole) {
  const sn_vec3 points[] = {{0.1, 0, -0.23}, {0.1, 0, -0.25}};
  const sn_vec3 velocities[] = {{1, 2, 3}, {4, 5, 6}};
  const sn__foot foot = {true, 2, points, velocities};
  sn_vec3 velocity;
  sn_assert_vec3_near(sn__foot_middle(&foot, z_up, &velocity), points[0], 0.0);
  sn_assert_vec3_near(velocity, velocities[0], 0.0);
  const sn_vec3 down = {0, 0, -1}; /* upside down the other one is the highest */
  sn_assert_vec3_near(sn__foot_middle(&foot, down, NULL), points[1], 0.0);
}

/* A hoof that tilts about its edge lifts the middle of the sole, but hardly moves it sideways. */
SN_TEST(hoof_that_tilts_does_not_move_its_point_sideways) {
  const sn_vec3 edge = {0.025, 0, -0.03};
  const sn_vec3 flat[] = {{0, 0, -0.03}, {0, 0, -0.05}};
  for (int i = 0; i < 6; i++) {
    const double tilt = 0.05 * i;
    const sn_mat3 turn = sn__mat3_exp(sn_vec3_make(0, tilt, 0));
    sn_vec3 points[2];
    for (size_t k = 0; k < 2; k++) {
      points[k] = sn_vec3_add(edge, sn_mat3_apply(turn, sn_vec3_sub(flat[k], edge)));
    }
    const sn__foot foot = {true, 2, points, NULL};
    sn_vec3 velocity;
    const sn_vec3 at = sn__foot_middle(&foot, z_up, &velocity);
    sn_assert_near(at.x, edge.x - 0.025 * cos(tilt), 1e-12);
    sn_assert_vec3_near(velocity, sn_vec3_make(0, 0, 0), 0.0);
  }
}

SN_TEST(point_of_a_sole_is_its_middle_even_if_it_tilts) {
  const sn_vec3 flat[] = {{0.03, 0.02, 0}, {0.03, -0.02, 0}, {-0.03, 0.02, 0}, {-0.03, -0.02, 0}};
  for (int i = -6; i < 6; i++) {
    const double tilt = 0.1 * i;
    const sn_mat3 turn = sn__mat3_exp(sn_vec3_make(0.3 * tilt, tilt, 0));
    sn_vec3 points[4];
    for (size_t k = 0; k < 4; k++) {
      points[k] = sn_vec3_add(sn_vec3_make(0.1, 0.2, -0.3), sn_mat3_apply(turn, flat[k]));
    }
    const sn__foot foot = {true, 4, points, NULL};
    sn_assert_vec3_near(sn__foot_middle(&foot, z_up, NULL), sn_vec3_make(0.1, 0.2, -0.3), 1e-12);
  }
}

SN_TEST(foot_of_one_point_is_that_point) {
  const sn_vec3 point = {0.1, 0.2, -0.3};
  const sn__foot foot = {true, 1, &point, NULL};
  sn_assert_vec3_near(sn__foot_middle(&foot, z_up, NULL), point, 0.0);
  sn_assert_vec3_near(sn__foot_sole(&foot, z_up), point, 0.0);
}
