/* Where a link presses on the ground, against the edges and middles of simple soles. */
#include <math.h>

#include "legs/shape_points.h"
#include "sn_test.h"

static const sn_vec3 SIZE = {0.06, 0.04, 0.02};

static sn_link link_of(sn_shape *shape) {
  return (sn_link){.name = "foot", .shapes = shape, .shape_count = 1};
}

static sn_shape box(void) {
  return (sn_shape){.kind = SN_SHAPE_BOX, .pose_link_shape = sn_pose_identity(), .size = SIZE};
}

SN_TEST(level_sole_presses_with_its_middle) {
  sn_shape shape = box();
  const sn_link link = link_of(&shape);
  const sn_pose pose = {sn_mat3_from_rpy(0.0, 0.0, 0.7), {0.3, -0.2, 0.5}};
  sn_vec3 at;
  assert_true(sn__link_touch(&link, pose, &at));
  sn_assert_vec3_near(at, sn_vec3_make(0.3, -0.2, 0.5 - 0.5 * SIZE.z), 1e-9);
}

/* The corners of the lower edge, by turning them by hand. */
SN_TEST(rolled_sole_presses_with_the_middle_of_its_lower_edge) {
  sn_shape shape = box();
  const sn_link link = link_of(&shape);
  for (int side = -1; side <= 1; side += 2) {
    const double roll = 0.3 * side;
    const double y = -0.5 * SIZE.y * side, z = -0.5 * SIZE.z;
    const sn_vec3 edge = {0.0, y * cos(roll) - z * sin(roll), y * sin(roll) + z * cos(roll)};
    const sn_pose pose = {sn_mat3_from_rpy(roll, 0.0, 0.0), {0, 0, 0}};
    sn_vec3 at;
    assert_true(sn__link_touch(&link, pose, &at));
    sn_assert_vec3_near(at, edge, 1e-9);
  }
}

/* Between the two it moves without a jump. */
SN_TEST(place_of_pressure_moves_smoothly_with_the_roll) {
  sn_shape shape = box();
  const sn_link link = link_of(&shape);
  double before = NAN;
  for (int i = -1000; i <= 1000; i++) {
    const sn_pose pose = {sn_mat3_from_rpy(1e-4 * i, 0.0, 0.0), {0, 0, 0}};
    sn_vec3 at;
    assert_true(sn__link_touch(&link, pose, &at));
    assert_true(i == -1000 || (at.y < before + 1e-4 && at.y > before - 5e-4));
    before = at.y;
  }
}

SN_TEST(ball_presses_below_its_centre) {
  sn_shape shape = {.kind = SN_SHAPE_SPHERE,
                    .pose_link_shape = {sn_mat3_identity(), {0.01, 0.02, 0.03}},
                    .radius = 0.015};
  const sn_link link = link_of(&shape);
  const sn_pose pose = {sn_mat3_from_rpy(0.4, -0.5, 0.6), {1, 2, 3}};
  const sn_vec3 centre = sn_pose_apply(pose, shape.pose_link_shape.pos);
  sn_vec3 at;
  assert_true(sn__link_touch(&link, pose, &at));
  sn_assert_vec3_near(at, sn_vec3_make(centre.x, centre.y, centre.z - 0.015), 1e-12);
}

SN_TEST(link_without_shapes_or_with_a_mesh_has_no_place) {
  sn_shape mesh = {.kind = SN_SHAPE_MESH, .pose_link_shape = sn_pose_identity(), .mesh = "a.stl"};
  const sn_link links[] = {{.name = "bare"}, link_of(&mesh)};
  for (size_t i = 0; i < 2; i++) {
    sn_vec3 at = {7, 8, 9};
    assert_false(sn__link_touch(&links[i], sn_pose_identity(), &at));
    sn_assert_vec3_near(at, sn_vec3_make(7, 8, 9), 0.0);
  }
}

/* All points of a shape are on it, and no point of the shape is outside of their hull by more than
   the flats of a rim of eight points. */
SN_TEST(points_of_a_cylinder_are_on_its_rims) {
  const sn_shape shape = {.kind = SN_SHAPE_CYLINDER,
                          .pose_link_shape = sn_pose_identity(),
                          .radius = 0.02,
                          .length = 0.1};
  sn__shape_point points[SN__SHAPE_POINTS_MAX];
  const size_t count = sn__shape_points(&shape, points);
  assert_true(count >= 8);
  for (size_t i = 0; i < count; i++) {
    sn_assert_near(hypot(points[i].at.x, points[i].at.y), 0.02, 1e-12);
    sn_assert_near(fabs(points[i].at.z), 0.05, 1e-12);
  }
  for (int k = 0; k < 360; k++) {
    const double angle = 6.283185307179586 * k / 360;
    double most = -HUGE_VAL;
    for (size_t i = 0; i < count; i++) {
      most = fmax(most, cos(angle) * points[i].at.x + sin(angle) * points[i].at.y);
    }
    assert_true(most >= 0.02 * cos(6.283185307179586 / 16) - 1e-12);
  }
}
