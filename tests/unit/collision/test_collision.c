/* Robots: which pairs are checked, and that skipping far ones loses none. */
#include "collision/collision.h"
#include "collision/collision_internal.h"
#include "collision/gjk.h"
#include "program.h"
#include "robot.h"
#include "sinew/random.h"
#include "sn_test.h"

static const char *const ROBOTS[] = {"quadruped", "arm6", "arm7", "arm_ur", "desk_arm"};
enum { ROBOT_COUNT = sizeof ROBOTS / sizeof *ROBOTS, STEPS = 300 };

static sn__collision *create(sn_test_robot *robot, const sn__collision_config *config) {
  sn__collision *collision = NULL;
  sn_error err = {0};
  if (sn__collision_create(&robot->arena, robot->model, config, robot->report, &collision, &err) !=
      SN_OK) {
    fail_msg("%s", err.message);
  }
  return collision;
}

static void draw(const sn_model *model, sn_random *random, double *q) {
  for (size_t i = 0; i < sn_model_pose_size(model); i++) {
    const sn_joint *joint = sn_model_joint(model, i);
    q[i] = sn_random_between(random, fmax(joint->lower, -3.0), fmin(joint->upper, 3.0));
  }
}

/* Every pair of solids, without any shortcut. @return the least distance of a pair of parts */
static double exact(const sn__collision *c, size_t index) {
  static const sn__gap_range all = {-INFINITY, INFINITY, 1e-9};
  const sn__part_pair *pair = &c->pairs[index];
  double least = INFINITY;
  for (size_t i = 0; i < pair->count; i++) {
    const sn__solid_pair *solids = &c->solid_pairs[pair->first + i];
    const sn__solid *a = &c->solids[solids->a], *b = &c->solids[solids->b];
    const sn_pose pose_a = sn_pose_mul(sn_kin_body_pose(c->kin, a->body), a->pose_body_solid);
    const sn_pose pose_b = sn_pose_mul(sn_kin_body_pose(c->kin, b->body), b->pose_body_solid);
    const sn_pose pose = sn_pose_between(pose_a, pose_b);
    sn_vec3 none = {0};
    sn__gap gap;
    sn__gjk(&a->convex, &b->convex, &pose, &all, &none, &gap);
    least = fmin(least, gap.distance);
  }
  return least;
}

static void check_pose(sn__collision *c, const double *q, double window, size_t *near_count) {
  const sn__near *list = NULL;
  const size_t count = sn__collision_check(c, q, window, &list);
  size_t next = 0;
  double least = INFINITY;
  for (size_t i = 0; i < c->pair_count; i++) {
    const double distance = exact(c, i);
    const double tol = 1.1e-5 + 1e-2 * fmax(0.0, -distance);
    least = fmin(least, distance);
    if (next < count && list[next].pair == i) {
      sn_assert_near(list[next].distance, distance, tol);
      next++;
    } else {
      assert_true(distance > window - 1e-5);
    }
  }
  assert_int_equal(next, count);
  sn__near nearest;
  assert_true(sn__collision_nearest(c, q, &nearest));
  sn_assert_near(nearest.distance, least, 1e-6 + 1e-2 * fmax(0.0, -least));
  *near_count += count;
}

SN_TEST(a_smooth_motion_misses_no_pair) {
  for (size_t r = 0; r < ROBOT_COUNT; r++) {
    sn_test_robot robot;
    sn_test_robot_load(&robot, ROBOTS[r]);
    sn__collision *c = create(&robot, &(sn__collision_config){0});
    const size_t n = sn_model_pose_size(robot.model);
    double from[64] = {0}, to[64] = {0}, q[64];
    sn_random random;
    sn_random_init(&random, r);
    size_t near_count = 0;
    for (size_t step = 0; step < STEPS; step++) {
      const double share = (double)(step % 50) / 50.0;
      if (step % 50 == 0) {
        memcpy(from, to, sizeof from);
        draw(robot.model, &random, to);
      }
      for (size_t i = 0; i < n; i++) {
        q[i] = from[i] + share * (to[i] - from[i]);
      }
      check_pose(c, q, sn_random_between(&random, 0.0, 0.06), &near_count);
    }
    assert_true(near_count > 0);
    sn_test_robot_free(&robot);
  }
}

/* Two bars on hinges, a metre apart, and a bar between them. */
#define INERTIA                                                                  \
  "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' " \
  "iyz='0'/></inertial>"
#define BAR(name, shape)                                                                \
  "<link name='" name "'>" INERTIA "<collision><origin xyz='0 0 0.5'/><geometry>" shape \
  "</geometry></collision></link>"
#define HINGE(name, child, x)                                     \
  "<joint name='" name "' type='revolute'><origin xyz='" x        \
  " 0 0'/><parent link='base'/>"                                  \
  "<child link='" child                                           \
  "'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='1' " \
  "velocity='1'/></joint>"
#define CYLINDER "<cylinder radius='0.1' length='1'/>"
static const char TWO_BARS[] = "<robot name='bars'><link name='base'/>" BAR("left", CYLINDER)
    BAR("right", CYLINDER) HINGE("a", "left", "-0.5") HINGE("b", "right", "0.5") "</robot>";

SN_TEST(two_bars_meet_where_geometry_says) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, TWO_BARS, NULL);
  sn__collision *c = create(&robot, &(sn__collision_config){0});
  assert_int_equal(sn__collision_facts_of(c)->pair_count, 1);
  sn__near near;
  const double apart[2] = {0, 0}, leaning[2] = {0.3, -0.3}, crossed[2] = {0.7, -0.7};
  assert_true(sn__collision_nearest(c, apart, &near));
  sn_assert_near(near.distance, 0.8, 1e-9);
  assert_string_equal(sn__collision_name(c, near.link_a), "left");
  assert_string_equal(sn__collision_name(c, near.link_b), "right");
  assert_true(sn__collision_nearest(c, leaning, &near));
  /* upper rims: centres at sin(0.3), rims 0.1 cos(0.3) farther in */
  sn_assert_near(near.distance, 1.0 - 2.0 * sin(0.3) - 0.2 * cos(0.3), 1e-9);
  assert_true(sn__collision_nearest(c, crossed, &near));
  assert_true(near.distance < 0.0);
  sn_test_robot_free(&robot);
}

SN_TEST(srdf_disables_pairs_and_warns_of_unknown_links) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, TWO_BARS, NULL);
  static const char srdf[] =
      "<robot name='bars'><group name='x'/><disable_collisions link1='right' link2='left' "
      "reason='Never'/><disable_collisions link1='left' link2='tail'/></robot>";
  const sn__collision_config config = {
      .srdf = srdf, .srdf_size = strlen(srdf), .srdf_file = "bars.srdf"};
  sn__collision *c = create(&robot, &config);
  assert_int_equal(sn__collision_facts_of(c)->pair_count, 0);
  assert_int_equal(sn__collision_facts_of(c)->disabled_count, 1);
  sn_assert_problems(robot.report,
                     "bars.srdf:1:100: warning: <disable_collisions> link2 is 'tail', which is not "
                     "a link of the robot\n");
  sn__near near;
  assert_false(sn__collision_nearest(c, (double[2]){0}, &near));
  sn_test_robot_free(&robot);
}

SN_TEST(visuals_serve_where_collisions_are_missing) {
  sn_test_robot robot;
  sn_test_robot_init_good(
      &robot,
      "<robot name='r'><link name='base'><visual><geometry><sphere radius='0.2'/></geometry>"
      "</visual><collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
      "<link name='mid'/><link name='tip'><visual><geometry><sphere radius='0.3'/></geometry>"
      "</visual></link>" SN_TEST_MOVES("j", "base", "mid")
          SN_TEST_MOVES("k", "mid", "tip") "</robot>",
      NULL);
  sn__collision *c = create(&robot, &(sn__collision_config){0});
  assert_int_equal(c->solid_count, 2);
  sn_assert_near(c->solids[0].convex.radius, 0.1, 0.0);
  sn_assert_near(c->solids[1].convex.radius, 0.3, 0.0);
  /* Only a link without a shape is between them. */
  assert_int_equal(sn__collision_facts_of(c)->neighbour_count, 1);
  assert_int_equal(sn__collision_facts_of(c)->pair_count, 0);
  sn_test_robot_free(&robot);
}

SN_TEST(a_robot_without_shapes_is_reported) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot,
                          "<robot name='bare'>" SN_TEST_LINK("a") SN_TEST_LINK("b")
                              SN_TEST_MOVES("j", "a", "b") "</robot>",
                          NULL);
  sn__collision *c = NULL;
  sn_error err;
  assert_int_equal(
      sn__collision_create(&robot.arena, robot.model, &(sn__collision_config){0}, NULL, &c, &err),
      SN_ENOENT);
  assert_string_equal(err.message, "collision: the robot 'bare' has no shapes");
  assert_null(c);
  sn_test_robot_free(&robot);
}

SN_TEST(missing_meshes_are_counted_and_reported) {
  sn_test_robot robot;
  sn_test_robot_init_good(
      &robot,
      "<robot name='r'><link name='base'><collision><geometry><mesh filename='package://x/a.stl'/>"
      "</geometry></collision><collision><geometry><sphere radius='0.1'/></geometry></collision>"
      "</link></robot>",
      NULL);
  sn__collision *c = create(&robot, &(sn__collision_config){0});
  assert_int_equal(sn__collision_facts_of(c)->mesh_missing_count, 1);
  sn_assert_problems(
      robot.report,
      "robot_description:0:0: warning: link 'base': the mesh 'package://x/a.stl' is not "
      "checked for collisions: the file is missing\n");
  sn_test_robot_free(&robot);
}

/* A cube as triangles: its hull is the box. */
static void write_cube(const char *folder) {
  static const int faces[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 5, 7}, {4, 7, 6},
                                   {0, 1, 5}, {0, 5, 4}, {2, 3, 7}, {2, 7, 6},
                                   {0, 2, 6}, {0, 6, 4}, {1, 3, 7}, {1, 7, 5}};
  char text[4096];
  size_t used = (size_t)snprintf(text, sizeof text, "solid cube\n");
  for (size_t i = 0; i < 36; i++) {
    const int corner = faces[i / 3][i % 3];
    used += (size_t)snprintf(text + used, sizeof text - used, "%svertex %d %d %d\n%s",
                             i % 3 == 0 ? "facet\n" : "", corner & 1, corner >> 1 & 1, corner >> 2,
                             i % 3 == 2 ? "endfacet\n" : "");
  }
  sn_test_write(folder, "cube.stl", text);
}

#define CUBES(one, two)                                                                 \
  "<robot name='cubes'><link name='base'/><link name='left'>" INERTIA "<collision>" one \
  "</collision></link><link name='right'>" INERTIA "<collision>" two                    \
  "</collision></link>" HINGE("a", "left", "-0.5") HINGE("b", "right", "0.5") "</robot>"
#define AS_BOX "<origin xyz='0.1 0.15 0.2'/><geometry><box size='0.2 0.3 0.4'/></geometry>"
#define AS_MESH "<geometry><mesh filename='cube.stl' scale='0.2 0.3 0.4'/></geometry>"

SN_TEST(a_mesh_of_a_box_is_as_far_away_as_the_box) {
  char folder[64], path[96];
  sn_test_folder_create(folder);
  write_cube(folder);
  sn_test_write(folder, "cubes.urdf", CUBES(AS_BOX, AS_MESH));
  snprintf(path, sizeof path, "%s/cubes.urdf", folder);
  sn_test_robot boxes;
  sn_test_robot_init_good(&boxes, CUBES(AS_BOX, AS_BOX), NULL);
  sn__collision *of_boxes = create(&boxes, &(sn__collision_config){0});
  const sn_model *model = NULL;
  sn_error err = {0};
  assert_int_equal(sn_model_load(&boxes.arena, path, &(sn_model_config){0}, NULL, &model, &err),
                   SN_OK);
  sn__collision *of_meshes = NULL;
  assert_int_equal(
      sn__collision_create(&boxes.arena, model, &(sn__collision_config){.robot_file = path}, NULL,
                           &of_meshes, &err),
      SN_OK);
  assert_int_equal(sn__collision_facts_of(of_meshes)->mesh_missing_count, 0);
  sn_random random;
  sn_random_init(&random, 3);
  for (size_t i = 0; i < 200; i++) {
    double q[2];
    sn__near box, mesh;
    draw(model, &random, q);
    assert_true(sn__collision_nearest(of_boxes, q, &box));
    assert_true(sn__collision_nearest(of_meshes, q, &mesh));
    sn_assert_near(mesh.distance, box.distance, 1e-6 + 2e-3 * fmax(0.0, -box.distance));
  }
  sn_test_robot_free(&boxes);
  sn_test_folder_remove(folder);
}

static const sn_value *parse(sn_test_robot *robot, const char *yaml) {
  const sn_value *value = NULL;
  assert_int_equal(sn_value_parse_yaml(&robot->report_arena, yaml, strlen(yaml), "world.yaml",
                                       robot->report, &value),
                   SN_OK);
  return value;
}

SN_TEST(the_world_is_checked_too) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, TWO_BARS, NULL);
  const sn__collision_config config = {
      .world = parse(&robot,
                     "world:\n"
                     "- {name: ground, plane: [0, 0, 2], position: [5, 5, -0.3]}\n"
                     "- {name: ball, sphere: 0.2, position: [-0.5, 0, 1.6]}\n"
                     "- {name: wall, box: [0.2, 4, 4], position: [-3, 0, 0], rpy: [0, 0, 0.1]}\n"
                     "- {name: post, cylinder: [0.05, 2], position: [0.5, 1, 0]}\n")};
  sn__collision *c = create(&robot, &config);
  /* The bars with each other and with four objects each. */
  assert_int_equal(sn__collision_facts_of(c)->pair_count, 9);
  sn__near near;
  assert_true(sn__collision_nearest(c, (double[2]){0}, &near));
  assert_string_equal(sn__collision_name(c, near.link_a), "left");
  assert_string_equal(sn__collision_name(c, near.link_b), "ground");
  sn_assert_near(near.distance, 0.3, 1e-9);
  sn_test_robot_free(&robot);
}

SN_TEST(a_thousand_objects_are_too_many) {
  char yaml[32000] = "world:\n";
  size_t used = strlen(yaml);
  for (size_t i = 0; i < 1000; i++) {
    used += (size_t)snprintf(yaml + used, sizeof yaml - used, "- {name: o%zu, sphere: 1}\n", i);
  }
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, TWO_BARS, NULL);
  const sn__collision_config config = {.world = parse(&robot, yaml)};
  sn__collision *c = NULL;
  sn_error err = {0};
  assert_int_equal(sn__collision_create(&robot.arena, robot.model, &config, NULL, &c, &err),
                   SN_EINVAL);
  assert_string_equal(err.message,
                      "world.yaml:1:1: world must be a list of at most 256 objects; each costs a "
                      "pair for every moving link in every cycle, as 'sinew bench collision' "
                      "measures");
  sn_test_robot_free(&robot);
}

SN_TEST(wrong_objects_are_rejected_with_their_place) {
  static const struct {
    const char *yaml, *message;
  } cases[] = {
      {"a: 1\n", "world.yaml:1:1: the list 'world' is missing"},
      {"world: 1\n",
       "world.yaml:1:8: world must be a list of at most 256 objects; each costs a pair for every "
       "moving link in every cycle, as 'sinew bench collision' measures"},
      {"world:\n- {name: a}\n",
       "world.yaml:2:3: must have one of box, sphere, cylinder, plane and mesh"},
      {"world:\n- {name: a, sphere: 0}\n", "world.yaml:2:21: sphere must be a radius above 0, m"},
      {"world:\n- {name: a, sphere: .nan}\n",
       "world.yaml:2:21: sphere must be a radius above 0, m"},
      {"world:\n- {name: a, box: [1, 2, -3]}\n",
       "world.yaml:2:13: box must be three edges above 0, m"},
      {"world:\n- {name: a, cylinder: [1]}\n",
       "world.yaml:2:13: cylinder must be a radius and a length above 0, m"},
      {"world:\n- {name: a, plane: [0, 0, 0]}\n",
       "world.yaml:2:13: plane must be a normal vector of three numbers"},
      {"world:\n- {name: a, sphere: 1, offset: 3}\n", "world.yaml:2:32: offset is unknown"},
      {"world:\n- {name: a, sphere: 1, position: [1, 2]}\n",
       "world.yaml:2:24: position must be x, y and z, m"},
      {"world:\n- {name: a, mesh: missing.stl}\n",
       "world.yaml:2:19: mesh missing.stl: cannot read the file: No such file or directory"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_test_robot robot;
    sn_test_robot_init_good(&robot, TWO_BARS, NULL);
    const sn__collision_config config = {.world = parse(&robot, cases[i].yaml)};
    sn__collision *c = NULL;
    sn_error err = {0};
    assert_int_equal(sn__collision_create(&robot.arena, robot.model, &config, NULL, &c, &err),
                     SN_EINVAL);
    assert_string_equal(err.message, cases[i].message);
    sn_test_robot_free(&robot);
  }
}
