#include <stdlib.h>

#include "allocation.h"
#include "dyn/support_polygon.h"
#include "random_tree.h"
#include "sinew/random.h"
#include "sn_test.h"

#define POINTS_MAX 40

static const sn_plane FLOOR = {{0, 0, 1}, 0.0};

static double cross2(sn_vec3 o, sn_vec3 a, sn_vec3 b) {
  return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

static bool is_among(sn_vec3 p, const sn_vec3 *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (p.x == list[i].x && p.y == list[i].y) {
      return true;
    }
  }
  return false;
}

/* By definition: the directed line through two points is an edge if all others lie to its left, or
   on it and between the two. Points on a grid, so that every product is exact. */
static bool is_edge(const sn_vec3 *points, size_t count, sn_vec3 a, sn_vec3 b) {
  for (size_t i = 0; i < count; i++) {
    const double left = cross2(a, b, points[i]);
    const double along = (b.x - a.x) * (points[i].x - a.x) + (b.y - a.y) * (points[i].y - a.y);
    const double length = (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y);
    if (left < 0.0 || (left == 0.0 && (along < 0.0 || along > length))) {
      return false;
    }
  }
  return a.x != b.x || a.y != b.y;
}

SN_TEST(polygon_has_the_edges_of_the_definition) {
  sn_random random;
  sn_random_init(&random, 11);
  for (size_t round = 0; round < sn_test_cases(5000); round++) {
    const size_t count = 1 + (size_t)sn_random_below(&random, 16);
    const double grid = 1.0 + (double)sn_random_below(&random, 7);
    sn_vec3 points[16], corners[16];
    for (size_t i = 0; i < count; i++) { /* a small grid: duplicates and lines abound */
      points[i] = sn_vec3_make(floor(sn_random_between(&random, 0, grid)),
                               floor(sn_random_between(&random, 0, grid)),
                               sn_random_between(&random, -1, 1));
    }
    const size_t n = sn__support_polygon(FLOOR, points, count, corners);
    size_t edges = 0;
    for (size_t i = 0; i < count; i++) {
      for (size_t j = 0; j < count; j++) {
        if (is_edge(points, count, points[i], points[j]) && !is_among(points[i], points, i) &&
            !is_among(points[j], points, j)) {
          edges++;
        }
      }
    }
    assert_int_equal(n, edges == 0 ? 1 : edges);
    for (size_t i = 0; i < n; i++) {
      assert_true(corners[i].z == 0.0);
      assert_true(is_among(corners[i], points, count));
      assert_true(n == 1 || is_edge(points, count, corners[i], corners[(i + 1) % n]));
    }
  }
}

/* The distance by walking along all edges in small steps, the side by the winding number. */
static double plain_margin(const sn_vec3 *corners, size_t count, sn_vec3 p) {
  double nearest = INFINITY, winding = 0.0;
  for (size_t i = 0; i < count; i++) {
    const sn_vec3 a = corners[i], b = corners[(i + 1) % count];
    for (int k = 0; k <= 2000; k++) {
      const double t = k / 2000.0;
      nearest = fmin(nearest, hypot(a.x + t * (b.x - a.x) - p.x, a.y + t * (b.y - a.y) - p.y));
    }
    winding += atan2(cross2(p, a, b), (a.x - p.x) * (b.x - p.x) + (a.y - p.y) * (b.y - p.y));
  }
  return winding > 3.0 ? nearest : -nearest;
}

SN_TEST(margin_is_the_distance_to_the_edge) {
  sn_random random;
  sn_random_init(&random, 12);
  for (size_t round = 0; round < sn_test_cases(300); round++) {
    const size_t count = 3 + (size_t)sn_random_below(&random, 8);
    sn_vec3 points[POINTS_MAX], corners[POINTS_MAX];
    for (size_t i = 0; i < count; i++) {
      points[i] = sn_test_random_vec3(&random, 0.3);
    }
    const size_t n = sn__support_polygon(FLOOR, points, count, corners);
    const sn_vec3 p = sn_test_random_vec3(&random, 0.3);
    sn_assert_near(sn__support_margin(FLOOR, corners, n, p), plain_margin(corners, n, p), 2e-4);
    for (size_t i = 0; i < count; i++) {
      assert_true(sn__support_margin(FLOOR, corners, n, points[i]) >= -1e-9);
    }
  }
}

/* Lines and clusters that are so but for rounding, on a ground that leans. */
SN_TEST(points_that_nearly_coincide_or_line_up_are_not_corners) {
  sn_random random;
  sn_random_init(&random, 13);
  for (size_t round = 0; round < sn_test_cases(3000); round++) {
    const sn_pose pose = sn_test_random_pose(&random, 1.0);
    const sn_plane ground = {pose.rot.z, sn_vec3_dot(pose.rot.z, pose.pos)};
    const size_t corner_count = 1 + (size_t)sn_random_below(&random, 4);
    const double turn = sn_random_between(&random, 0, 6.28);
    sn_vec3 points[POINTS_MAX], corners[POINTS_MAX];
    size_t count = 0;
    for (size_t k = 0; k < corner_count; k++) {
      const double angle = turn + 6.283185307179586 * (double)k / (double)corner_count;
      const double next = turn + 6.283185307179586 * (double)(k + 1) / (double)corner_count;
      for (int copy = 0; copy < 5; copy++) { /* the corner, near it, and on the edge behind it */
        const double t = copy < 2 ? 0.0 : sn_random_unit(&random);
        const double noise = 1e-12 * sn_random_unit(&random);
        const double x = (1 - t) * cos(angle) + t * cos(next) + noise;
        const double y = (1 - t) * sin(angle) + t * sin(next) - noise;
        points[count++] = sn_pose_apply(pose, sn_vec3_make(x, y, sn_random_between(&random, 0, 1)));
      }
    }
    const size_t n = sn__support_polygon(ground, points, count, corners);
    assert_int_equal(n, corner_count);
    const double inner = corner_count == 1 ? 1.0 : cos(3.141592653589793 / (double)corner_count);
    const double margin = sn__support_margin(ground, corners, n, pose.pos);
    sn_assert_near(margin, corner_count == 1 ? -1.0 : fabs(inner), 1e-8);
  }
}

SN_TEST(nothing_to_stand_on_has_no_corner_and_no_margin) {
  sn_vec3 corner;
  assert_int_equal(sn__support_polygon(FLOOR, NULL, 0, NULL), 0);
  assert_true(sn__support_margin(FLOOR, NULL, 0, sn_vec3_make(1, 2, 3)) == 0.0);
  const sn_vec3 one = {1, 1, 5};
  assert_int_equal(sn__support_polygon(FLOOR, &one, 1, &corner), 1);
  sn_assert_near(sn__support_margin(FLOOR, &corner, 1, sn_vec3_make(4, 5, 0)), -5.0, 1e-12);
  assert_true(sn__support_margin(FLOOR, &corner, 1, one) == 0.0);
}

SN_TEST(zero_moment_point_leaves_a_torque_about_the_normal_only) {
  sn_random random;
  sn_random_init(&random, 14);
  for (size_t round = 0; round < sn_test_cases(5000); round++) {
    const sn_pose pose = sn_test_random_pose(&random, 1.0);
    const sn_plane ground = {pose.rot.z, sn_vec3_dot(pose.rot.z, pose.pos)};
    const sn_spatial wrench = sn_test_random_spatial(&random, 50.0);
    sn_vec3 z = {7, 7, 7};
    const bool pushes = sn_vec3_dot(ground.normal, wrench.lin) > 0.0;
    assert_int_equal(sn__support_zmp(ground, wrench, &z), pushes);
    if (!pushes) {
      assert_true(z.x == 7 && z.y == 7 && z.z == 7);
      continue;
    }
    const double scale = 1.0 + sn_vec3_norm(z);
    sn_assert_near(sn_vec3_dot(ground.normal, z), ground.height_m, 1e-12 * scale);
    const sn_vec3 left = sn_vec3_sub(wrench.ang, sn_vec3_cross(z, wrench.lin));
    sn_assert_near(sn_vec3_norm(sn_vec3_cross(ground.normal, left)), 0.0, 1e-11 * scale);
  }
  sn_vec3 z;
  assert_false(sn__support_zmp(FLOOR, sn_spatial_zero(), &z));
  assert_false(sn__support_zmp(FLOOR, (sn_spatial){{1, 2, 3}, {1, 0, 0}}, &z));
  assert_false(sn__support_zmp(FLOOR, (sn_spatial){{NAN, 2, 3}, {1, 0, 9}}, &z));
}

SN_TEST(nothing_touches_the_heap) {
  const sn_vec3 points[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 0}};
  sn_vec3 corners[5];
  sn_assert_no_heap({
    assert_int_equal(sn__support_polygon(FLOOR, points, 5, corners), 4);
    assert_true(sn__support_margin(FLOOR, corners, 4, points[4]) == 0.5);
  });
}
