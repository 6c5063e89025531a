/* Legs and the stance of robots. The oracles: positions of the feet by the kinematics of the whole
   robot, the centre of mass as the sum over the links, and the edges of every triangle of contact
   points. */
#include <math.h>
#include <string.h>

#include "legged.h"
#include "legs/legs.h"
#include "robot.h"
#include "sinew/kin.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { JOINTS_MAX = 64, POINTS_MAX = 64 };

typedef struct stand {
  const sn_model *model;
  sn__legs legs;
  sn_kin_data *kin;
  sn_vec3 points[POINTS_MAX]; /* lowest points of the feet in the base */
  size_t count;
} stand;

static bool near_sphere(const sn_link *link, sn_vec3 point, sn_vec3 *centre, double *radius) {
  for (size_t i = 0; i < link->shape_count; i++) {
    const sn_shape *shape = &link->shapes[i];
    *centre = shape->pose_link_shape.pos;
    *radius = shape->radius;
    if (shape->kind == SN_SHAPE_SPHERE &&
        fabs(sn_vec3_norm(sn_vec3_sub(point, *centre)) - *radius) < 1e-6) {
      return true;
    }
  }
  return false;
}

static void list_points(stand *s) {
  for (size_t i = 0; i < s->legs.count; i++) {
    const sn_chain *chain = sn_model_chain(s->model, s->legs.leg[i].chain, false);
    const sn_link *tip = sn_model_link(s->model, (size_t)chain->last_link);
    const sn_contact *contact = sn_model_contact(s->model, (size_t)s->legs.leg[i].contact);
    const sn_pose pose = sn_kin_link_pose(s->kin, tip);
    sn_assert_near(sn_vec3_norm(sn_vec3_sub(pose.pos, s->legs.leg[i].foot)), 0.0, 1e-9);
    for (size_t k = 0; k < contact->point_count; k++) {
      sn_vec3 centre;
      double radius;
      const bool is_sphere = near_sphere(tip, contact->points[k], &centre, &radius);
      sn_vec3 at = sn_pose_apply(pose, is_sphere ? centre : contact->points[k]);
      at.z -= is_sphere ? radius : 0.0;
      s->points[s->count++] = at;
    }
  }
}

/* All points on the ground, which is where the height says. */
static void check_plane(const stand *s) {
  for (size_t i = 0; i < s->count; i++) {
    sn_assert_near(s->points[i].z, -s->legs.height_m, 2e-6);
  }
}

static sn_vec3 mass_centre(const stand *s) {
  sn_vec3 sum = {0, 0, 0};
  double mass = 0.0;
  for (size_t i = 0; i < sn_model_link_count(s->model); i++) {
    const sn_link *link = sn_model_link(s->model, i);
    const sn_vec3 at = sn_pose_apply(sn_kin_link_pose(s->kin, link), link->com);
    sum = sn_vec3_add_scaled(sum, link->mass_kg, at);
    mass += link->mass_kg;
  }
  return sn_vec3_scale(sum, 1.0 / mass);
}

static double side_of(sn_vec3 a, sn_vec3 b, sn_vec3 p) {
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

/* Inside a hull means inside some triangle of its points. */
static bool is_supported(const stand *s, sn_vec3 p) {
  for (size_t i = 0; i < s->count; i++) {
    for (size_t j = i + 1; j < s->count; j++) {
      for (size_t k = j + 1; k < s->count; k++) {
        const double a = side_of(s->points[i], s->points[j], p);
        const double b = side_of(s->points[j], s->points[k], p);
        const double c = side_of(s->points[k], s->points[i], p);
        if ((a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0)) {
          return true;
        }
      }
    }
  }
  return false;
}

/* Also if it is pushed by the margin in any direction. */
static void check_balance(const stand *s) {
  const sn_vec3 com = mass_centre(s);
  assert_true(s->legs.margin_m > 0.0);
  for (int i = 0; i < 16; i++) {
    const double angle = 0.39269908169872414 * i, by = 0.98 * s->legs.margin_m;
    assert_true(
        is_supported(s, sn_vec3_add(com, sn_vec3_make(by * cos(angle), by * sin(angle), 0))));
  }
}

static void check_limits(const stand *s) {
  for (size_t i = 0; i < sn_model_pose_size(s->model); i++) {
    const sn_joint *joint = sn_model_joint(s->model, i);
    assert_true(isfinite(s->legs.stance[i]));
    assert_true(s->legs.stance[i] >= joint->lower - 1e-9);
    assert_true(s->legs.stance[i] <= joint->upper + 1e-9);
  }
}

static void check_repeats(sn_arena *arena, const stand *s) {
  sn__legs again;
  assert_int_equal(sn__legs_find(arena, s->model, NULL, &again, NULL), SN_OK);
  assert_memory_equal(again.stance, s->legs.stance,
                      sn_model_pose_size(s->model) * sizeof *again.stance);
  assert_int_equal(sn__legs_find(arena, s->model, s->legs.stance, &again, NULL), SN_OK);
  sn_assert_near(again.height_m, s->legs.height_m, 1e-5);
}

static void check_stand(sn_test_robot *robot, stand *s) {
  sn_error err = {.message = ""};
  *s = (stand){.model = robot->model};
  if (sn__legs_find(&robot->arena, s->model, NULL, &s->legs, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  assert_int_equal(sn_kin_create(&robot->arena, sn_model_tree(s->model), &s->kin, NULL), SN_OK);
  sn_kin_update(s->kin, s->legs.stance);
  list_points(s);
  check_plane(s);
  check_balance(s);
  check_limits(s);
  check_repeats(&robot->arena, s);
}

static void load(sn_test_robot *robot, const legged_robot *legged) {
  static char text[LEGGED_TEXT_MAX];
  legged_write(legged, text);
  sn_test_robot_init_good(robot, text, NULL);
}

/* ---- robots ---- */

SN_TEST(the_quadruped_stands) {
  sn_test_robot robot;
  stand s;
  sn_test_robot_load(&robot, "quadruped");
  check_stand(&robot, &s);
  assert_int_equal(s.legs.count, 4);
  assert_false(s.legs.leg[0].is_point);
  sn_test_robot_free(&robot);
}

SN_TEST(arms_have_no_legs) {
  static const char *const arms[] = {"arm6", "arm7", "arm_ur", "desk_arm"};
  for (size_t i = 0; i < sizeof arms / sizeof *arms; i++) {
    sn_test_robot robot;
    sn__legs legs;
    sn_error err;
    sn_test_robot_load(&robot, arms[i]);
    assert_int_equal(sn__legs_find(&robot.arena, robot.model, NULL, &legs, &err), SN_ENOENT);
    assert_non_null(strstr(err.message, "has no legs"));
    sn_test_robot_free(&robot);
  }
}

/* Bent knees, feet below the hips, no leg across another. */
static void check_posture(const stand *s, double length_m) {
  for (size_t i = 0; i < s->legs.count; i++) {
    const sn__leg *leg = &s->legs.leg[i];
    const sn_chain *chain = sn_model_chain(s->model, leg->chain, false);
    const sn_joint *first = sn_model_joint(s->model, (size_t)chain->joints[0]);
    const sn_vec3 hip =
        sn_kin_link_pose(s->kin, sn_model_link(s->model, (size_t)first->child_link)).pos;
    assert_true(hip.z - leg->foot.z < 0.97 * length_m);
    assert_true(hip.z - leg->foot.z > 0.5 * length_m);
    assert_true(hypot(hip.x - leg->foot.x, hip.y - leg->foot.y) < 0.4 * length_m);
    assert_true(hip.y * leg->foot.y > 0.0);
  }
}

SN_TEST(a_quadruped_on_spheres_stands_without_properties) {
  sn_test_robot robot;
  stand s;
  load(&robot, &legged_a1);
  check_stand(&robot, &s);
  assert_int_equal(s.legs.count, 4);
  assert_true(s.legs.leg[0].is_point);
  check_posture(&s, legged_a1.upper + legged_a1.lower);
  sn_test_robot_free(&robot);
}

SN_TEST(a_hexapod_stands) {
  sn_test_robot robot;
  stand s;
  load(&robot, &legged_hexapod);
  check_stand(&robot, &s);
  assert_int_equal(s.legs.count, 6);
  sn_test_robot_free(&robot);
}

SN_TEST(a_biped_stands_on_its_soles) {
  sn_test_robot robot;
  stand s;
  load(&robot, &legged_biped);
  check_stand(&robot, &s);
  assert_int_equal(s.legs.count, 2);
  assert_int_equal(s.count, 8);
  check_posture(&s, legged_biped.upper + legged_biped.lower);
  sn_test_robot_free(&robot);
}

/* ---- other sizes, masses, limits and names ---- */

static double between(sn_random *random, double least, double most) {
  return least + (most - least) * sn_random_unit(random);
}

static legged_robot mutate(const legged_robot *from, sn_random *random) {
  const double scale = between(random, 0.3, 3.0);
  legged_robot r = *from;
  r.upper *= scale * between(random, 0.8, 1.25);
  r.lower *= scale * between(random, 0.8, 1.25);
  r.size *= scale * between(random, 0.8, 1.2);
  r.length *= scale * between(random, 0.8, 1.3);
  r.width *= scale * between(random, 0.8, 1.3);
  r.com_x += 0.1 * r.length * between(random, -1, 1);
  r.mass_kg *= between(random, 0.3, 5);
  r.knee_min -= between(random, 0, 0.2);
  r.is_anonymous = r.rows > 1 && sn_random_unit(random) < 0.3;
  r.foot = r.rows == 1                    ? r.foot
           : sn_random_unit(random) < 0.3 ? LEGGED_MESH
           : sn_random_unit(random) < 0.3 ? LEGGED_CYLINDER
                                          : LEGGED_SPHERE;
  return r;
}

SN_TEST(robots_of_other_proportions_stand) {
  static const legged_robot *const kinds[] = {&legged_a1, &legged_hexapod, &legged_biped};
  enum { ROBOTS = 60 };
  sn_random random;
  sn_random_init(&random, 20260);
  for (int i = 0; i < ROBOTS; i++) {
    const legged_robot *kind = kinds[i % 3];
    const legged_robot mutated = mutate(kind, &random);
    sn_test_robot robot;
    stand s;
    load(&robot, &mutated);
    check_stand(&robot, &s);
    assert_int_equal(s.legs.count, 2 * kind->rows);
    sn_test_robot_free(&robot);
  }
}

/* ---- robots that cannot stand, poses in which they do not ---- */

static void expect_none(const legged_robot *legged, const char *reason) {
  sn_test_robot robot;
  sn__legs legs;
  sn_error err = {.message = ""};
  load(&robot, legged);
  assert_int_equal(sn__legs_find(&robot.arena, robot.model, NULL, &legs, &err), SN_ENOENT);
  if (strstr(err.message, reason) == NULL) {
    fail_msg("'%s' does not contain '%s'", err.message, reason);
  }
  sn_test_robot_free(&robot);
}

SN_TEST(two_points_are_not_enough) {
  legged_robot robot = legged_a1;
  robot.rows = 1;
  expect_none(&robot, "on one line");
}

SN_TEST(a_robot_that_would_fall_over_does_not_stand) {
  legged_robot robot = legged_a1;
  robot.com_x = 2.0;
  robot.mass_kg = 60.0;
  expect_none(&robot, "centre of mass");
}

SN_TEST(a_pose_with_a_foot_in_the_air_is_no_stance) {
  sn_test_robot robot;
  stand s;
  double q[JOINTS_MAX];
  sn__legs legs;
  sn_error err = {.message = ""};
  load(&robot, &legged_a1);
  check_stand(&robot, &s);
  memcpy(q, s.legs.stance, sn_model_pose_size(robot.model) * sizeof *q);
  q[sn_model_chain(robot.model, s.legs.leg[0].chain, false)->joints[2]] -= 0.5;
  assert_int_equal(sn__legs_find(&robot.arena, robot.model, q, &legs, &err), SN_EINVAL);
  assert_non_null(strstr(err.message, "does not stand in this pose"));
  sn_test_robot_free(&robot);
}

/* Knees that may bend backwards only, and then forwards only. */
SN_TEST(limits_decide_where_knees_bend) {
  sn_test_robot robot;
  legged_robot legged = legged_a1;
  legged.knee_min = -2.5;
  legged.knee_max = 2.5;
  load(&robot, &legged);
  const size_t n = sn_model_pose_size(robot.model);
  for (int way = -1; way <= 1; way += 2) {
    double lower[JOINTS_MAX], upper[JOINTS_MAX];
    sn__legs legs;
    for (size_t i = 0; i < n; i++) {
      const bool is_knee = i % 3 == 2;
      lower[i] = is_knee && way > 0 ? 0.0 : -HUGE_VAL;
      upper[i] = is_knee && way < 0 ? 0.0 : HUGE_VAL;
    }
    assert_int_equal(sn__legs_find_within(&robot.arena, robot.model, lower, upper, &legs, NULL),
                     SN_OK);
    for (size_t i = 2; i < n; i += 3) {
      assert_true(way * legs.stance[i] > 0.3);
    }
  }
  sn_test_robot_free(&robot);
}

SN_TEST(memory_may_run_out) {
  sn_test_robot robot;
  char room[64];
  sn_arena small;
  sn__legs legs;
  load(&robot, &legged_a1);
  sn_arena_init(&small, "small", room, 1);
  assert_int_equal(sn__legs_find(&small, robot.model, NULL, &legs, NULL), SN_ENOMEM);
  sn_test_robot_free(&robot);
}
