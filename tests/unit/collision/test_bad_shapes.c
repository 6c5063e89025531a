/* Shapes and meshes that are broken, empty or huge: each has a message, or is as large as it seems.
 */
#include <stdlib.h>

#include "collision/collision.h"
#include "program.h"
#include "robot.h"
#include "sinew/random.h"
#include "sn_test.h"

#define INERTIA                                                                  \
  "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' " \
  "iyz='0'/></inertial>"
#define HINGE(name, child, x)                              \
  "<joint name='" name "' type='revolute'><origin xyz='" x \
  " 0 0'/><parent link='base'/><child link='" child        \
  "'/><axis xyz='0 1 0'/><limit lower='-1.5' upper='1.5' effort='1' velocity='3'/></joint>"

/* Two hinges, a metre apart; the shape of the first one is given, the other is a ball. */
#define ROBOT                                                                     \
  "<robot name='r'><link name='base'/><link name='left'>" INERTIA                 \
  "<collision>%s</collision></link><link name='right'>" INERTIA                   \
  "<collision><origin xyz='0 0 0.5'/><geometry><sphere radius='0.1'/></geometry>" \
  "</collision></link>" HINGE("a", "left", "-0.5") HINGE("b", "right", "0.5") "</robot>"

static char folder[64];

static int set_up(void **state) {
  (void)state;
  sn_test_folder_create(folder);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sn_test_folder_remove(folder);
  return 0;
}

SN_TEST_EACH(set_up, tear_down)

typedef struct shaped {
  sn_test_robot robot; /* its arenas and report are used, not its model */
  const sn_model *model;
  sn__collision *collision;
} shaped;

static sn_status open_shaped(shaped *s, const char *shape, sn_error *err) {
  char urdf[4000], path[96];
  snprintf(urdf, sizeof urdf, ROBOT, shape);
  sn_test_write(folder, "r.urdf", urdf);
  snprintf(path, sizeof path, "%s/r.urdf", folder);
  sn_test_robot_init_good(&s->robot, "<robot name='x'><link name='x'/></robot>", NULL);
  const sn_status status =
      sn_model_load(&s->robot.arena, path, &(sn_model_config){0}, s->robot.report, &s->model, err);
  s->collision = NULL;
  return status != SN_OK ? status
                         : sn__collision_create(&s->robot.arena, s->model,
                                                &(sn__collision_config){.robot_file = path},
                                                s->robot.report, &s->collision, err);
}

static void open_good(shaped *s, const char *shape) {
  sn_error err = {0};
  if (open_shaped(s, shape, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  assert_int_equal(sn__collision_facts_of(s->collision)->mesh_missing_count, 0);
}

/* A mesh with its scale. */
static const char *mesh(const char *scale) {
  static char text[200];
  snprintf(text, sizeof text, "<geometry><mesh filename='m.stl' scale='%s'/></geometry>", scale);
  return text;
}

/* All distances of two robots differ by at most so much, outside of contacts. */
static void assert_alike(shaped *a, shaped *b, double larger, double smaller) {
  sn_random random;
  sn_random_init(&random, 7);
  for (size_t i = 0; i < 300; i++) {
    const double q[2] = {sn_random_between(&random, -1.5, 1.5),
                         sn_random_between(&random, -1.5, 1.5)};
    sn__near near_a, near_b;
    assert_true(sn__collision_nearest(a->collision, q, &near_a));
    assert_true(sn__collision_nearest(b->collision, q, &near_b));
    if (near_a.distance > 0.0 && near_b.distance > 0.0) {
      assert_true(near_a.distance - near_b.distance <= larger);
      assert_true(near_b.distance - near_a.distance <= smaller);
    }
  }
  sn_test_robot_free(&a->robot);
  sn_test_robot_free(&b->robot);
}

/* ---- meshes ---- */

#define TRIANGLE(a, b, c) "facet\nvertex " a "\nvertex " b "\nvertex " c "\nendfacet\n"
#define SPOT TRIANGLE("1 2 3", "1 2 3", "1 2 3")
/* Three triangles that touch all corners of a cube, and close nothing. */
#define OPEN_CUBE                     \
  TRIANGLE("0 0 0", "1 0 0", "0 1 0") \
  TRIANGLE("1 1 0", "0 0 1", "1 0 1") TRIANGLE("0 1 1", "1 1 1", "1 0 1")

SN_TEST(a_mesh_that_cannot_be_used_is_named_with_the_reason) {
  static const struct {
    const char *text, *scale, *message;
  } cases[] = {
      {"", "1 1 1", "0 bytes are too few for an STL file"},
      {"solid x\nendsolid\n", "1 1 1", "the mesh has no triangles"},
      {"solid x\nfacet\nvertex 1 2 nan\n", "1 1 1", "is not"},
      {"solid x\n" SPOT, "1 1 1", "all 3 points are in one place"},
      {"solid x\n" OPEN_CUBE, "0 0 0", "the scale (0, 0, 0) must not be 0"},
      {"solid x\n" OPEN_CUBE, "1 0 1", "the scale (1, 0, 1) must not be 0"},
      {"solid x\n" OPEN_CUBE, "1 1 1e300", "must not be 0 or above 1e+09"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    shaped s;
    sn_error err = {0};
    sn_test_write(folder, "m.stl", cases[i].text);
    assert_int_equal(open_shaped(&s, mesh(cases[i].scale), &err), SN_OK);
    assert_int_equal(sn__collision_facts_of(s.collision)->mesh_missing_count, 1);
    assert_int_equal(sn__collision_facts_of(s.collision)->pair_count, 0);
    assert_int_equal(sn_report_count(s.robot.report), 1);
    const char *message = sn_report_at(s.robot.report, 0)->message;
    sn_assert_contains(message, "link 'left': the mesh 'm.stl' is not checked for collisions: ");
    sn_assert_contains(message, cases[i].message);
    sn_test_robot_free(&s.robot);
  }
}

SN_TEST(a_mesh_that_is_not_closed_is_its_hull) {
  shaped open, box;
  sn_test_write(folder, "m.stl", "solid x\n" OPEN_CUBE);
  open_good(&open, mesh("0.2 0.3 0.4"));
  open_good(&box, "<origin xyz='0.1 0.15 0.2'/><geometry><box size='0.2 0.3 0.4'/></geometry>");
  assert_alike(&open, &box, 1e-6, 1e-6);
}

SN_TEST(a_negative_scale_mirrors_the_mesh) {
  shaped mirrored, box;
  sn_test_write(folder, "m.stl", "solid x\n" OPEN_CUBE);
  open_good(&mirrored, mesh("-0.2 0.3 -0.4"));
  open_good(&box, "<origin xyz='-0.1 0.15 -0.2'/><geometry><box size='0.2 0.3 0.4'/></geometry>");
  assert_alike(&mirrored, &box, 1e-6, 1e-6);
}

SN_TEST(a_mesh_of_degenerate_triangles_is_a_rod) {
  shaped rod, capsule;
  sn_test_write(folder, "m.stl",
                "solid x\n" TRIANGLE("0 0 0", "0 0 0", "0 0 1")
                    TRIANGLE("0 0 0.5", "0 0 1", "0 0 0"));
  open_good(&rod, mesh("0.4 0.4 0.4"));
  open_good(&capsule,
            "<origin xyz='0 0 0.2'/><geometry><capsule radius='0' length='0.4'/></geometry>");
  /* Thin, not without a thickness: a thousandth of its length at most. */
  assert_alike(&rod, &capsule, 1e-6, 4e-4);
}

/* Points on a sphere as the triangles of a binary STL file. */
static void write_sphere(size_t count) {
  const size_t size = 84 + 50 * count;
  unsigned char *bytes = calloc(size, 1);
  assert_non_null(bytes);
  sn_random random;
  sn_random_init(&random, 11);
  const uint32_t stored = (uint32_t)count;
  memcpy(bytes + 80, &stored, sizeof stored);
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < 3; k++) {
      sn_vec3 p = {sn_random_normal(&random), sn_random_normal(&random), sn_random_normal(&random)};
      p = sn_vec3_scale(p, 0.2 / sn_vec3_norm(p));
      const float corner[3] = {(float)p.x, (float)p.y, (float)p.z};
      memcpy(bytes + 84 + 50 * i + 12 + 12 * k, corner, sizeof corner);
    }
  }
  char path[96];
  snprintf(path, sizeof path, "%s/m.stl", folder);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
  free(bytes);
}

SN_TEST(a_million_triangles_are_covered_and_more_are_refused) {
  shaped fine, ball, huge;
  sn_error err = {0};
  write_sphere(1000000);
  open_good(&fine, mesh("1 1 1"));
  const double radius = sn__collision_facts_of(fine.collision)->hull_radius_max_m;
  assert_true(radius < 0.05);
  open_good(&ball, "<geometry><sphere radius='0.2'/></geometry>");
  /* Too large by the radius of the hull at most, and too small by the rounding of floats. */
  assert_alike(&fine, &ball, 1e-6, radius);
  write_sphere(1100000);
  assert_int_equal(open_shaped(&huge, mesh("1 1 1"), &err), SN_OK);
  assert_int_equal(sn__collision_facts_of(huge.collision)->mesh_missing_count, 1);
  sn_assert_contains(sn_report_at(huge.robot.report, 0)->message,
                     "more than 1048576 triangles; simplify it");
  sn_test_robot_free(&huge.robot);
}

/* ---- primitive shapes ---- */

SN_TEST(shapes_of_size_zero_are_points) {
  static const char *const shapes[] = {"<box size='0 0 0'/>", "<cylinder radius='0' length='0'/>",
                                       "<capsule radius='0' length='0'/>"};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    shaped empty, point;
    char text[200];
    snprintf(text, sizeof text, "<origin xyz='0 0 0.4'/><geometry>%s</geometry>", shapes[i]);
    open_good(&empty, text);
    open_good(&point, "<origin xyz='0 0 0.4'/><geometry><sphere radius='0'/></geometry>");
    assert_alike(&empty, &point, 1e-9, 1e-9);
  }
}

SN_TEST(negative_and_infinite_sizes_are_rejected) {
  static const char *const shapes[] = {"<box size='0.1 -0.1 0.1'/>", "<sphere radius='-1'/>",
                                       "<sphere radius='nan'/>", "<sphere radius='inf'/>",
                                       "<mesh filename='m.stl' scale='1 nan 1'/>"};
  sn_test_write(folder, "m.stl", "solid x\n" OPEN_CUBE);
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    shaped s;
    char text[200];
    sn_error err = {0};
    snprintf(text, sizeof text, "<geometry>%s</geometry>", shapes[i]);
    assert_int_equal(open_shaped(&s, text, &err), SN_EMODEL);
    sn_assert_contains(err.message, "link 'left'");
    sn_test_robot_free(&s.robot);
  }
}
