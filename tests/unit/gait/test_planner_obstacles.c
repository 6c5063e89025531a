/* What is in the way of a plan: boxes on the ground, and the robot's own links. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "planner_rig.h"
#include "sinew/value.h"
#include "sn_test.h"
#include "steps/step_solve.h"

static planner_rig rig;

static int open_all(void **state) {
  (void)state;
  planner_rig_open(&rig, "quadruped", 9.0);
  return 0;
}

static int close_all(void **state) {
  (void)state;
  planner_rig_close(&rig);
  return 0;
}
SN_TEST_GROUP(open_all, close_all)

static void use(const sn__obstacle *obstacles, size_t count, sn__collision *collision) {
  const sn__planner_config config = {.model = rig.robot.model,
                                     .legs = rig.feet,
                                     .leg_count = rig.legs.count,
                                     .nominal = rig.legs.stance,
                                     .drives = rig.drives,
                                     .balance = rig.balance,
                                     .collision = collision,
                                     .obstacles = obstacles,
                                     .obstacle_count = count};
  assert_int_equal(sn__planner_create(&rig.arena, &config, &rig.planner, &rig.err), SN_OK);
}

/* Half of the robot's length, and of its width, by its feet. */
static sn_vec3 extent(void) {
  sn_vec3 most = {0, 0, 0};
  for (size_t i = 0; i < rig.legs.count; i++) {
    most.x = fmax(most.x, fabs(rig.legs.leg[i].foot.x));
    most.y = fmax(most.y, fabs(rig.legs.leg[i].foot.y));
  }
  return most;
}

static sn__obstacle box_at(double x, double y, double height_m) {
  return (sn__obstacle){{sn_mat3_from_rpy(0, 0, 0.3), {x, y, 0.5 * height_m}},
                        {0.03, 0.03, 0.5 * height_m}};
}

static int32_t plan_to(double x, double y, double turn) {
  planner_rig_ask(&rig, "walk", 10.0, 8, x, y, turn);
  return planner_rig_plan(&rig);
}

SN_TEST(a_goal_behind_or_inside_a_wall_is_rejected) {
  enum { NO = SN_MOVE_BASE_SOLUTION_NOT_FOUND };
  const double length = 2.0 * extent().x;
  const sn__obstacle boxes[] = {box_at(-10.0, 0.0, 0.5), box_at(2.0 * length, 0.0, 0.5)};
  use(boxes, 2, NULL);
  assert_int_equal(plan_to(4.0 * length, 0.0, 0.0), NO); /* behind */
  sn_assert_contains(rig.err.message, "obstacle: box 2 of the ground, at ");
  sn_assert_contains(rig.err.message, "in the way to the goal");
  use(&boxes[1], 1, NULL);
  planner_rig_ask(&rig, "walk", 10.0, 8, 2.0 * length, 0.0, 0.0); /* inside */
  assert_int_equal(planner_rig_plan(&rig), NO);
  sn_assert_contains(rig.err.message, "obstacle: box 1");
}

SN_TEST(boxes_beside_the_way_and_low_ones_do_not_matter) {
  const sn_vec3 half = extent();
  const sn__obstacle boxes[] = {
      box_at(0.1, 3.0 * half.y + 0.2, 0.5),                       /* beside */
      box_at(0.1, 0.0, 0.005),                                    /* a step of 5 mm */
      {{sn_mat3_identity(), {0.1, 0.0, 2.0}}, {1.0, 1.0, 0.05}}}; /* a roof */
  use(boxes, 3, NULL);
  assert_int_equal(plan_to(0.15, 0.0, 0.0), SN_MOVE_BASE_SUCCESS);
}

/* Close to a wall the robot may leave it, not approach it. */
SN_TEST(a_robot_near_a_wall_may_go_away_from_it) {
  const double length = 2.0 * extent().x;
  const sn__obstacle wall = {{sn_mat3_identity(), {0.6 * length, 0.0, 0.2}}, {0.05, 1.0, 0.2}};
  use(&wall, 1, NULL);
  assert_int_equal(plan_to(-0.1, 0.0, 0.0), SN_MOVE_BASE_SUCCESS);
  assert_int_equal(plan_to(0.1, 0.0, 0.0), SN_MOVE_BASE_SOLUTION_NOT_FOUND);
  sn_assert_contains(rig.err.message, "obstacle");
}

/* Obstacles are in odom, the request is in the path frame of a robot that has walked and turned. */
SN_TEST(boxes_are_fixed_in_the_world) {
  const double length = 2.0 * extent().x;
  const sn__obstacle box = box_at(5.0, 3.0 + 2.0 * length, 0.5);
  const sn_pose base = {sn_mat3_from_rpy(0, 0, 0.5 * acos(-1.0)), {5.0, 3.0, rig.legs.height_m}};
  int32_t error;
  use(&box, 1, NULL);
  for (int side = -1; side <= 1; side += 2) { /* the box is in front */
    planner_rig_ask(&rig, "walk", 10.0, 8, side * 2.0 * length, 0.0, 0.0);
    assert_int_equal(sn__planner_read(rig.planner, rig.goal, base, &rig.request, &error, &rig.err),
                     SN_OK);
    const sn_status status =
        sn__planner_solve(rig.planner, &rig.request, rig.legs.stance, &rig.plan, &rig.err);
    assert_int_equal(strstr(rig.err.message, "obstacle") != NULL && status != SN_OK, side > 0);
  }
}

/* ---- own links ---- */

/* @param world  objects that the robot carries; NULL: none */
static sn__collision *checker(const char *world) {
  sn__collision_config config = {0};
  sn__collision *out = NULL;
  if (world != NULL) {
    assert_int_equal(sn_value_parse_yaml(&rig.arena, world, strlen(world), "world",
                                         rig.robot.report, &config.world),
                     SN_OK);
  }
  assert_int_equal(sn__collision_create(&rig.arena, rig.robot.model, &config, NULL, &out, &rig.err),
                   SN_OK);
  return out;
}

/* Pairs that overlap by more than the tolerance and not in the nominal stance, in all points; by a
   checker and solvers of its own. */
static size_t count_overlaps(sn__collision *other) {
  const sn__step_sequence *s = &rig.plan.sequence;
  double q[PLANNER_RIG_JOINTS_MAX];
  bool is_known[4096] = {false};
  const sn__near *list;
  size_t found = 0;
  size_t count = sn__collision_check(other, rig.legs.stance, 0.0, &list);
  for (size_t i = 0; i < count; i++) {
    is_known[list[i].pair] = true;
  }
  memcpy(q, rig.legs.stance, rig.joint_count * sizeof *q);
  for (size_t n = 0; n < s->point_count; n++) {
    for (size_t k = 0; k < s->limb_count; k++) {
      assert_true(sn__step_leg_solve(&rig.feet[k], s->limbs[k].points[n].pose, q));
    }
    count = sn__collision_check(other, q, 0.0, &list);
    for (size_t i = 0; i < count; i++) {
      found += !is_known[list[i].pair] && list[i].distance < -0.0021;
    }
  }
  return found;
}

SN_TEST(plans_are_free_of_collisions_of_own_links) {
  static const char *const gaits[] = {"walk", "walk_overlap", "trot", "walk_right"};
  sn__collision *other = checker(NULL);
  size_t planned = 0;
  use(NULL, 0, checker(NULL));
  for (int i = 0; i < 20; i++) { /* lower and lower */
    planner_rig_ask(&rig, gaits[i % 4], 4.0, 3, 0.05 * (i % 3), 0.03 * (i % 5 - 2),
                    0.1 * (i % 7 - 3));
    rig.goal->base_goal.position.z = rig.legs.height_m * (1.0 - 0.01 * i);
    if (planner_rig_plan(&rig) == SN_MOVE_BASE_SUCCESS) {
      planned++;
      assert_int_equal(count_overlaps(other), 0);
    }
  }
  assert_true(planned > 5);
}

/* A ball that is fixed to the trunk just in front of a foot. */
static sn__collision *checker_with_ball(void) {
  const sn_vec3 foot = rig.legs.leg[0].foot;
  for (double ahead_m = 0.02; ahead_m < 0.2; ahead_m += 0.004) {
    char text[200];
    snprintf(text, sizeof text,
             "world:\n- {name: ball, sphere: 0.015, position: [%.4f, %.4f, %.4f]}\n",
             foot.x + ahead_m, foot.y, 0.03 - rig.legs.height_m);
    sn__collision *found = checker(text);
    const sn__near *list;
    const size_t count = sn__collision_check(found, rig.legs.stance, 0.001, &list);
    bool is_clear = true;
    for (size_t i = 0; i < count; i++) {
      is_clear = is_clear && list[i].link_a >= 0 && list[i].link_b >= 0;
    }
    if (is_clear) {
      return found;
    }
  }
  return NULL;
}

/* Standing is free of it, steps are not. */
SN_TEST(a_collision_of_own_links_names_the_pair) {
  sn__collision *with_ball = checker_with_ball();
  assert_non_null(with_ball);
  use(NULL, 0, with_ball);
  planner_rig_ask(&rig, "stand", 2.0, 0, 0.0, 0.0, 0.0);
  assert_int_equal(planner_rig_plan(&rig), SN_MOVE_BASE_SUCCESS);
  planner_rig_ask(&rig, "walk", 6.0, 3, 0.2, 0.0, 0.0);
  assert_int_equal(planner_rig_plan(&rig), SN_MOVE_BASE_SOLUTION_NOT_FOUND);
  sn_assert_contains(rig.err.message, "self-collision: '");
  sn_assert_contains(rig.err.message, "'ball'");
}
