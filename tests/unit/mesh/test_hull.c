/* Hulls contain their points, checked by their extent in random directions; and they are not
   larger than they have to be. */
#include <stdlib.h>

#include "mesh/hull.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { POINTS = 3000, DIRECTIONS = 500 };

static sn_vec3 direction(sn_random *random) {
  const sn_vec3 v =
      sn_vec3_make(sn_random_normal(random), sn_random_normal(random), sn_random_normal(random));
  return sn_vec3_scale(v, 1.0 / sn_vec3_norm(v));
}

static double extent(const sn_vec3 *points, size_t count, sn_vec3 d) {
  double most = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    most = fmax(most, sn_vec3_dot(d, points[i]));
  }
  return most;
}

/* The cloud is inside, and reaches nearly as far in every direction. */
static void check(const sn_vec3 *points, size_t count, const sn__hull *hull, double excess) {
  sn_random random;
  sn_random_init(&random, 7);
  for (size_t i = 0; i < DIRECTIONS; i++) {
    const sn_vec3 d = direction(&random);
    const double of_points = extent(points, count, d);
    const double of_hull = extent(hull->vertices, hull->vertex_count, d) + hull->radius;
    assert_true(of_hull >= of_points - 1e-12);
    assert_true(of_hull <= of_points + excess);
  }
}

static sn__hull make(sn_arena *arena, const sn_vec3 *points, size_t count, size_t vertex_max) {
  sn__hull hull = {0};
  sn_error err = {0};
  if (sn__hull_create(arena, points, count, vertex_max, &hull, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  return hull;
}

static void fill_ball(sn_random *random, sn_vec3 *points, sn_vec3 size) {
  for (size_t i = 0; i < POINTS; i++) {
    const sn_vec3 d = direction(random);
    points[i] = sn_vec3_make(d.x * size.x, d.y * size.y, d.z * size.z);
  }
}

SN_TEST(a_cube_full_of_points_has_eight_vertices) {
  static sn_vec3 points[POINTS];
  sn_random random;
  sn_random_init(&random, 1);
  for (size_t i = 0; i < POINTS; i++) {
    points[i] =
        i < 8 ? sn_vec3_make(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)
              : sn_vec3_make(sn_random_between(&random, -1, 1), sn_random_between(&random, -1, 1),
                             sn_random_between(&random, -1, 1));
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "test", 0);
  const sn__hull hull = make(&arena, points, POINTS, 64);
  assert_int_equal(hull.vertex_count, 8);
  assert_true(hull.radius < 1e-7);
  check(points, POINTS, &hull, 1e-7);
  sn_arena_release(&arena);
}

/* A grid on a cube: whole faces of points in one plane. */
SN_TEST(coplanar_points_make_no_trouble) {
  static sn_vec3 points[6 * 100];
  size_t count = 0;
  for (size_t face = 0; face < 6; face++) {
    for (size_t i = 0; i < 100; i++) {
      const double u = (double)(i % 10) / 9.0, v = (double)(i / 10) / 9.0, w = face < 3 ? 0 : 1;
      points[count++] = face % 3 == 0   ? sn_vec3_make(u, v, w)
                        : face % 3 == 1 ? sn_vec3_make(w, u, v)
                                        : sn_vec3_make(v, w, u);
    }
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "test", 0);
  const sn__hull hull = make(&arena, points, count, 64);
  assert_int_equal(hull.vertex_count, 8);
  check(points, count, &hull, 1e-7);
  sn_arena_release(&arena);
}

SN_TEST(hulls_of_random_clouds_contain_them) {
  static sn_vec3 points[POINTS];
  sn_random random;
  sn_random_init(&random, 2);
  for (size_t round = 0; round < 40; round++) {
    const sn_vec3 size =
        sn_vec3_make(sn_random_between(&random, 0.001, 1), sn_random_between(&random, 0.001, 1),
                     sn_random_between(&random, 0.001, 1));
    const size_t vertex_max = 8 + (size_t)sn_random_below(&random, 121);
    fill_ball(&random, points, size);
    sn_arena arena;
    sn_arena_init_growing(&arena, "test", 0);
    const sn__hull hull = make(&arena, points, POINTS, vertex_max);
    assert_true(hull.vertex_count <= vertex_max);
    check(points, POINTS, &hull, hull.radius + 1e-9);
    sn_arena_release(&arena);
  }
}

SN_TEST(more_vertices_make_a_ball_tighter) {
  static sn_vec3 points[POINTS];
  static const struct {
    size_t vertex_max;
    double radius;
  } cases[] = {{16, 0.35}, {32, 0.15}, {64, 0.08}, {128, 0.04}};
  sn_random random;
  sn_random_init(&random, 3);
  fill_ball(&random, points, sn_vec3_make(1, 1, 1));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_arena arena;
    sn_arena_init_growing(&arena, "test", 0);
    const sn__hull hull = make(&arena, points, POINTS, cases[i].vertex_max);
    assert_true(hull.radius < cases[i].radius);
    sn_arena_release(&arena);
  }
}

static void check_thin(const sn_vec3 *points, size_t count) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "test", 0);
  const sn__hull hull = make(&arena, points, count, 64);
  check(points, count, &hull, 1e-2);
  sn_arena_release(&arena);
}

SN_TEST(flat_and_straight_clouds_become_slabs_and_rods) {
  static sn_vec3 points[POINTS];
  sn_random random;
  sn_random_init(&random, 4);
  const sn_vec3 u = direction(&random), v = direction(&random);
  for (size_t i = 0; i < POINTS; i++) {
    points[i] =
        sn_vec3_add_scaled(sn_vec3_scale(u, sn_random_unit(&random)), sn_random_unit(&random), v);
  }
  check_thin(points, POINTS);
  for (size_t i = 0; i < POINTS; i++) {
    points[i] = sn_vec3_scale(u, sn_random_unit(&random));
  }
  check_thin(points, POINTS);
}

SN_TEST(no_points_and_one_place_are_rejected) {
  const sn_vec3 points[3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
  sn__hull hull;
  sn_error err;
  sn_arena arena;
  sn_arena_init_growing(&arena, "test", 0);
  assert_int_equal(sn__hull_create(&arena, points, 0, 8, &hull, &err), SN_EINVAL);
  assert_string_equal(err.message, "no points");
  assert_int_equal(sn__hull_create(&arena, points, 3, 8, &hull, &err), SN_EINVAL);
  assert_string_equal(err.message, "all 3 points are in one place");
  sn_arena_release(&arena);
}

/* A fuzzer found it: the last point is beside a nearly flat tetrahedron, and on none of its planes'
   outer sides. */
SN_TEST(a_point_beside_a_nearly_flat_tetrahedron_stays_inside) {
  const sn_vec3 points[] = {{0, 1.3563115, 1.3563156},
                            {1.3563156, 1.3563156, 1.3563156},
                            {1.6019551, 0, 0},
                            {0, 0, 0},
                            {1.3563403, 1.3563156, 1.3563156}};
  check_thin(points, sizeof points / sizeof *points);
}

/* Nearly flat, with many equal points and tiny triangles: the cases in which hulls break. */
SN_TEST(noisy_plates_and_clusters_stay_inside) {
  static sn_vec3 points[POINTS];
  static const double noises[] = {1e-3, 1e-5, 1e-7, 1e-9, 1e-12};
  sn_random random;
  sn_random_init(&random, 5);
  for (size_t n = 0; n < sizeof noises / sizeof *noises; n++) {
    for (size_t i = 0; i < POINTS; i++) {
      points[i] = sn_vec3_make((double)sn_random_below(&random, 20) / 20.0,
                               (double)sn_random_below(&random, 20) / 20.0,
                               noises[n] * sn_random_normal(&random));
    }
    check_thin(points, POINTS);
  }
}
