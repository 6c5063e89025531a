/* The guard in the gate, on robots whose distances are known. */
#include "allocation.h"
#include "collision/objects.h"
#include "gate/gate_internal.h"
#include "gate_case.h"
#include "guard/guard_internal.h"
#include "guard_rig.h"
#include "sn_test.h"

/* Two arms in one plane, a metre apart: balls of 0.1 m at their ends meet at (0.6, -0.6) and
   beyond. */
#define MASS                                                                     \
  "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' " \
  "iyz='0'/></inertial>"
#define BALL(name, radius)                                              \
  "<link name='" name "'>" MASS                                         \
  "<collision><origin xyz='0 0 0.8'/><geometry><sphere radius='" radius \
  "'/></geometry></collision></link>"
#define HINGE(name, child, x, speed)                                                  \
  "<joint name='" name "' type='revolute'><origin xyz='" x                            \
  " 0 0'/><parent link='base'/><child link='" child                                   \
  "'/><axis xyz='0 1 0'/><limit lower='-1.5' upper='1.5' effort='1' velocity='" speed \
  "'/></joint>"
static const char TWO_BALLS[] = "<robot name='balls'><link name='base'/>" BALL("left", "0.1")
    BALL("right", "0.1") HINGE("a", "left", "-0.5", "3") HINGE("b", "right", "0.5", "3") "</robot>";

static const sn_gate_config QUICK = {.period_max_s = 0.002, .collision_margin = 0.01};

/* The share of a depth that its calculation may be wrong by: so much deeper is possible, once. */
static const double DEEPER = 2.1e-3;

/* Of the two balls. */
static double gap(const double *q) {
  const double x = 1.0 + 0.8 * (sin(q[1]) - sin(q[0])), z = 0.8 * (cos(q[1]) - cos(q[0]));
  return hypot(x, z) - 0.2;
}

/* Follow a reference for a while. @return the least gap on the way */
static double go(guard_rig *rig, const double *reference, size_t cycles) {
  double least = INFINITY;
  for (size_t i = 0; i < cycles; i++) {
    guard_rig_take(rig, rig->guarded, 0, reference);
    least = fmin(least, gap(guard_rig_step(rig)));
  }
  return least;
}

/* The same, and the command's derivatives agree with each other, slowed down or not.
   @return in how many cycles something was blocked */
static size_t go_smoothly(guard_rig *rig, const double *reference, size_t cycles) {
  size_t blocked = 0;
  const sn_gate_command *command = &rig->guarded->command;
  for (size_t i = 0; i < cycles; i++) {
    const double q[2] = {command->q[0], command->q[1]}, qd[2] = {command->qd[0], command->qd[1]};
    sn__guard_block block;
    guard_rig_take(rig, rig->guarded, 0, reference);
    (void)guard_rig_step(rig);
    for (size_t j = 0; j < 2; j++) {
      sn_assert_near(command->qd[j], (command->q[j] - q[j]) / 1e-3, 1e-9);
      sn_assert_near(command->qdd[j], (command->qd[j] - qd[j]) / 1e-3, 1e-6);
    }
    blocked += sn__gate_blocked_by(rig->guarded, &block);
  }
  return blocked;
}

SN_TEST(arms_that_are_sent_through_each_other_stop_at_the_margin) {
  guard_rig rig;
  guard_rig_open_text(&rig, TWO_BALLS, &(sn__collision_config){0}, &QUICK);
  const double least = go(&rig, (double[2]){1.4, -1.4}, 3000);
  assert_true(least > 0.009);
  /* At rest, nearly at the margin: not much is given away. */
  const double *q = sn__gate_pose(rig.guarded);
  assert_true(gap(q) < 0.0105);
  assert_true(sn__gate_is_at_rest(rig.guarded));
  sn__guard_block block;
  assert_true(sn__gate_blocked_by(rig.guarded, &block));
  assert_string_equal(sn__collision_name(rig.collision, block.link_a), "left");
  assert_string_equal(sn__collision_name(rig.collision, block.link_b), "right");
  sn_assert_near(block.distance, gap(q), 1e-6);
  /* The way out is open. */
  (void)go(&rig, (double[2]){0, 0}, 2000);
  sn_assert_near(sn__gate_pose(rig.guarded)[0], 0.0, 1e-9);
  assert_false(sn__gate_blocked_by(rig.guarded, &block));
  guard_rig_close(&rig);
}

SN_TEST(cycles_in_which_joints_are_slowed_down_are_counted) {
  guard_rig rig;
  guard_rig_open_text(&rig, TWO_BALLS, &(sn__collision_config){0}, &QUICK);
  (void)go(&rig, (double[2]){0.0, -0.5}, 1500);
  const size_t blocked = go_smoothly(&rig, (double[2]){1.4, -0.5}, 2000);
  assert_true(blocked > 0);
  assert_int_equal(sn__gate_blocked_count(rig.guarded), blocked);
  /* The one that rests is not slowed down. */
  assert_int_equal(sn__gate_joint_counts(rig.guarded, 0)->reasons[SN_GATE_BLOCKED], blocked);
  assert_int_equal(sn__gate_joint_counts(rig.guarded, 1)->reasons[SN_GATE_BLOCKED], 0);
  sn__guard_block block;
  assert_true(sn__gate_blocked_by(rig.guarded, &block));
  sn__gate_world_changed(rig.guarded); /* what blocked may be gone */
  assert_false(sn__gate_blocked_by(rig.guarded, &block));
  guard_rig_close(&rig);
}

SN_TEST(a_joint_that_has_nothing_to_do_with_it_is_not_slowed_down) {
  guard_rig rig;
  guard_rig_open_text(&rig, guard_humanoid, &(sn__collision_config){0}, NULL);
  double q[GUARD_JOINTS_MAX] = {0};
  const int neck = sn_model_joint_index(rig.model, "neck");
  for (size_t i = 0; i < rig.joint_count; i++) {
    const char *name = sn_model_joint(rig.model, i)->name;
    q[i] = strcmp(name, "left_2") == 0 ? -2.0 : strcmp(name, "right_2") == 0 ? 2.0 : 0.0;
  }
  for (size_t cycle = 0; cycle < 1500; cycle++) {
    q[neck] = 0.3 * sin(0.003 * (double)cycle);
    guard_rig_take(&rig, rig.guarded, 0, q);
    guard_rig_take(&rig, rig.plain, 0, q);
    const double *command = guard_rig_step(&rig);
    assert_true(command[neck] == sn__gate_step(rig.plain, rig.now_ns)->q[neck]);
  }
  assert_true(sn__gate_blocked_count(rig.guarded) > 0);
  assert_int_equal(sn__gate_joint_counts(rig.guarded, (size_t)neck)->reasons[SN_GATE_BLOCKED], 0);
  guard_rig_close(&rig);
}

SN_TEST(a_robot_that_starts_in_contact_moves_out_and_never_deeper) {
  guard_rig rig;
  guard_rig_open_text(&rig, TWO_BALLS, &(sn__collision_config){0}, &QUICK);
  const double inside[2] = {0.55, -0.55};
  assert_true(guard_rig_place(&rig, inside));
  const double depth = gap(inside);
  assert_true(depth < -0.02);
  (void)go(&rig, (double[2]){0.2, -0.2}, 5); /* the way out is open at once */
  assert_int_equal(sn__gate_blocked_count(rig.guarded), 0);
  assert_true(guard_rig_place(&rig, inside));
  assert_true(go(&rig, (double[2]){0.7, -0.7}, 500) >= depth + DEEPER * depth);
  sn_assert_near(gap(sn__gate_pose(rig.guarded)), depth, -DEEPER * depth);
  (void)go(&rig, (double[2]){0.2, -0.2}, 1500);
  sn_assert_near(sn__gate_pose(rig.guarded)[0], 0.2, 1e-9);
  /* Out for good: now the margin counts. */
  assert_true(go(&rig, inside, 1500) > 0.009);
  guard_rig_close(&rig);
}

/* A rod against a plate of 2 mm, so fast that one cycle is longer than both: a cycle of 20 ms at 60
   rad/s is more than a turn. */
static const char FAST[] = "<robot name='fast'><link name='base'/>" BALL("rod", "0.005")
    HINGE("a", "rod", "0", "60") "</robot>";

SN_TEST(nothing_is_jumped_over_between_two_cycles) {
  const sn_gate_config config = {.period_max_s = 0.02, .collision_margin = 0.001};
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, FAST, NULL);
  sn__collision *c = NULL;
  sn_error err = {0};
  assert_int_equal(
      sn__collision_create(&robot.arena, robot.model, &(sn__collision_config){.object_capacity = 1},
                           NULL, &c, &err),
      SN_OK);
  sn__object wall = {.name = "wall", .pose = sn_pose_identity()};
  wall.pose.pos = sn_vec3_make(0.4, 0, 0.5);
  assert_int_equal(sn__object_shape("box", (double[3]){0.002, 1, 1}, 3, NULL, 0, &wall, &err),
                   SN_OK);
  assert_int_equal(sn__collision_add_object(c, &wall, &err), SN_OK);
  sn_gate_config all = config;
  all.source_count = 1;
  all.collision = c;
  all.initial_pose = (double[1]){-1.4};
  sn_gate *gate = NULL;
  assert_int_equal(sn__gate_create(&robot.arena, robot.model, &all, &gate, &err), SN_OK);
  sn__gate_own(gate, (int[1]){0}, 0);
  sn_joint_state *msg = sn_msg_create(&robot.arena, &sn_joint_state_type, NULL);
  assert_int_equal(sn_msg_names_add(&msg->name, "a", 1), SN_OK);
  msg->position.count = 1;
  msg->position.data[0] = 1.4;
  double fastest = 0.0;
  for (int64_t now = 20 * (int64_t)MS; now < 4000 * (int64_t)MS; now += 20 * (int64_t)MS) {
    assert_int_equal(sn__gate_take(gate, 0, msg, now), SN_OK);
    const sn_gate_command *command = sn__gate_step(gate, now);
    fastest = fmax(fastest, fabs(command->qd[0]));
    assert_true(0.8 * sin(command->q[0]) < 0.4 - 0.001 - 0.005);
  }
  assert_true(fastest > 5.0);                                   /* 100 mrad in a cycle */
  assert_true(0.8 * sin(sn__gate_pose(gate)[0]) > 0.4 - 0.012); /* and it came to the wall */
  sn_test_robot_free(&robot);
}

SN_TEST(a_pair_that_is_switched_off_may_touch) {
  guard_rig rig;
  const sn__collision_off off = {"right", "left"};
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, TWO_BALLS, NULL);
  sn__collision *c = NULL;
  sn_error err = {0};
  const sn__collision_config config = {.off = &off, .off_count = 1};
  assert_int_equal(sn__collision_create(&robot.arena, robot.model, &config, NULL, &c, &err), SN_OK);
  assert_int_equal(sn__collision_facts_of(c)->pair_count, 0);
  assert_int_equal(sn__collision_facts_of(c)->disabled_count, 1);
  const sn__collision_off wrong = {"nose", "tail"};
  const sn__collision_config bad = {.off = &wrong, .off_count = 1};
  assert_int_equal(sn__collision_create(&robot.arena, robot.model, &bad, NULL, &c, &err),
                   SN_ENOENT);
  assert_string_equal(err.message, "neither 'nose' nor 'tail' is a link of the robot");
  sn_test_robot_free(&robot);
  guard_rig_open_text(&rig, TWO_BALLS, &(sn__collision_config){0}, &QUICK);
  sn__gate_set_guarded(rig.guarded, false);
  assert_true(go(&rig, (double[2]){1.4, -1.4}, 2000) < 0.0);
  /* Switched on in a contact: out, not deeper. */
  assert_true(guard_rig_place(&rig, (double[2]){0.55, -0.55}));
  sn__gate_set_guarded(rig.guarded, true);
  const double depth = gap((double[2]){0.55, -0.55});
  assert_true(go(&rig, (double[2]){0.7, -0.7}, 500) >= depth + DEEPER * depth);
  guard_rig_close(&rig);
}

SN_TEST(a_guard_that_is_switched_on_in_a_contact_lets_out_at_once) {
  guard_rig rig;
  guard_rig_open_text(&rig, TWO_BALLS, &(sn__collision_config){0}, &QUICK);
  sn__gate_set_guarded(rig.guarded, false);
  assert_true(guard_rig_place(&rig, (double[2]){0.55, -0.55}));
  sn__gate_set_guarded(rig.guarded, true);
  (void)go(&rig, (double[2]){0.2, -0.2}, 5);
  assert_int_equal(sn__gate_blocked_count(rig.guarded), 0);
  guard_rig_close(&rig);
}

/* Balls that nearly touch at zero, and ones that overlap. */
#define CLOSE(radius)                                                                 \
  "<robot name='close'><link name='base'/>" BALL("left", radius) BALL("right", "0.1") \
      HINGE("a", "left", "-0.5", "3") HINGE("b", "right", "0.5", "3") "</robot>"

SN_TEST(links_that_are_near_at_zero_keep_half_of_that_distance) {
  guard_rig rig;
  guard_rig_open_text(&rig, CLOSE("0.896"), &(sn__collision_config){0}, &QUICK); /* 4 mm */
  double least = INFINITY;
  for (size_t i = 0; i < 1000; i++) {
    guard_rig_take(&rig, rig.guarded, 0, (double[2]){0.2, -0.2});
    least = fmin(least, guard_rig_distance(&rig, guard_rig_step(&rig)));
  }
  assert_true(least > 0.0018 && least < 0.0022);
  guard_rig_close(&rig);
}

/* ---- limp joints ---- */

/* A cycle in which a joint is limp, and is measured with a speed. */
static const double *fall_of(guard_rig *rig, sn_servo_goal *goal, const char *name, double q,
                             double qd) {
  sn_msg_reset(&sn_servo_goal_type, goal);
  sn_msg_reset(&sn_joint_state_type, rig->msg);
  (void)sn_msg_names_add(&goal->name, name, strlen(name));
  (void)sn_msg_names_add(&rig->msg->name, name, strlen(name));
  goal->limp.data[0] = true;
  goal->limp.count = 1;
  rig->msg->position.data[0] = q;
  rig->msg->velocity.data[0] = qd;
  rig->msg->position.count = rig->msg->velocity.count = 1;
  assert_int_equal(sn__gate_let_go(rig->guarded, 0, goal, rig->now_ns), SN_OK);
  assert_int_equal(sn__gate_measure(rig->guarded, rig->msg, rig->now_ns), SN_OK);
  rig->now_ns += MS;
  return sn__gate_step(rig->guarded, rig->now_ns)->q;
}

static const double *fall(guard_rig *rig, sn_servo_goal *goal, double q, double qd) {
  return fall_of(rig, goal, "a", q, qd);
}

/* Nothing limits how fast a limp joint falls. Commanded again it may be too fast to brake. */
SN_TEST(a_limp_joint_too_fast_to_brake_before_a_contact_stands_still) {
  static const double ends[] = {0.3, 0.35, 0.4, 0.45};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    guard_rig rig;
    guard_rig_open_text(&rig, TWO_BALLS, &(sn__collision_config){0}, &QUICK);
    sn_servo_goal *goal = sn_msg_create(&rig.arena, &sn_servo_goal_type, NULL);
    assert_true(guard_rig_place(&rig, (double[2]){0.0, -0.5}));
    double least = INFINITY;
    for (int k = 0; 0.003 * k < ends[i]; k++) {
      least = fmin(least, gap(fall(&rig, goal, 0.003 * k, 3.0)));
    }
    for (int k = 0; k < 500; k++) {
      guard_rig_take(&rig, rig.guarded, 0, (double[2]){1.4, -0.5});
      rig.now_ns += MS;
      least = fmin(least, gap(sn__gate_step(rig.guarded, rig.now_ns)->q));
    }
    assert_true(least > 0.0098);
    guard_rig_close(&rig);
  }
}

/* Does the command of a joint continue when it is commanded again, or stand still? The two arms are
   the same in a mirror. */
static void free_at(size_t joint, double end, bool rests) {
  guard_rig rig;
  guard_rig_open_text(&rig, TWO_BALLS, &(sn__collision_config){0}, &QUICK);
  sn_servo_goal *goal = sn_msg_create(&rig.arena, &sn_servo_goal_type, NULL);
  const sn_gate_command *command = &rig.guarded->command;
  const double side = joint == 0 ? 1.0 : -1.0;
  double start[2] = {0.5, -0.5}, target[2] = {0.5, -0.5};
  start[joint] = side * (end - 0.1);
  target[joint] = side * 1.4;
  assert_true(guard_rig_place(&rig, start));
  for (int k = 33; k >= 0; k--) {
    (void)fall_of(&rig, goal, joint == 0 ? "a" : "b", side * (end - 0.003 * k), side * 3.0);
  }
  const double q = command->q[joint];
  guard_rig_take(&rig, rig.guarded, 0, target);
  rig.now_ns += MS;
  (void)sn__gate_step(rig.guarded, rig.now_ns);
  assert_true(command->qd[1 - joint] == 0.0);
  if (rests) {
    assert_true(command->q[joint] == q && command->qd[joint] == 0.0 && command->qdd[joint] == 0.0);
  } else {
    assert_true(side * command->qd[joint] >= 3.0 - 30.0 * 1e-3 - 1e-9);
  }
  guard_rig_close(&rig);
}

/* At 3 rad/s it needs 0.15 rad to brake, which is 120 mm at most. */
SN_TEST(a_limp_joint_that_can_brake_before_a_contact_brakes) {
  assert_true(gap((double[2]){0.25, -0.5}) > 0.01 + 0.13);
  assert_true(gap((double[2]){0.45, -0.5}) < 0.07);
  for (size_t joint = 0; joint < 2; joint++) {
    free_at(joint, 0.25, false);
    free_at(joint, 0.45, true);
  }
}

/* All of its joints were limp: the only one, in front of a wall. */
SN_TEST(a_robot_that_was_limp_as_a_whole_stands_still) {
  static const char one[] = "<robot name='one'><link name='base'/>" BALL("arm", "0.1")
      HINGE("a", "arm", "0", "3") "</robot>";
  guard_rig rig;
  guard_rig_open_text(&rig, one, &(sn__collision_config){.object_capacity = 1}, &QUICK);
  sn__object wall = {.name = "wall", .pose = sn_pose_identity()};
  sn_error err = {0};
  wall.pose.pos = sn_vec3_make(1.5, 0, 0);
  assert_int_equal(sn__object_shape("box", (double[3]){2, 4, 4}, 3, NULL, 0, &wall, &err), SN_OK);
  assert_int_equal(sn__collision_add_object(rig.collision, &wall, &err), SN_OK);
  sn__gate_world_changed(rig.guarded);
  sn_servo_goal *goal = sn_msg_create(&rig.arena, &sn_servo_goal_type, NULL);
  for (int k = 0; k < 150; k++) {
    (void)fall(&rig, goal, 0.003 * k, 3.0);
  }
  const double q = sn__gate_pose(rig.guarded)[0];
  assert_true(0.5 - 0.1 - 0.8 * sin(q + 0.15) < 0.0); /* it would brake into the wall */
  guard_rig_take(&rig, rig.guarded, 0, (double[1]){1.4});
  rig.now_ns += MS;
  assert_true(sn__gate_step(rig.guarded, rig.now_ns)->q[0] == q);
  guard_rig_close(&rig);
}

/* A limp joint falls through another one that rests. Its command is where it is all the way, and
   the other one cannot do anything about it. */
SN_TEST(a_limp_joint_is_neither_slowed_down_nor_does_it_slow_down_what_rests) {
  guard_rig rig;
  guard_rig_open_text(&rig, TWO_BALLS, &(sn__collision_config){0}, &QUICK);
  sn_servo_goal *goal = sn_msg_create(&rig.arena, &sn_servo_goal_type, NULL);
  sn__guard_block block;
  double least = INFINITY;
  assert_true(guard_rig_place(&rig, (double[2]){0.0, -0.5}));
  for (int k = 0; k < 467; k++) {
    const double q = 0.003 * k;
    const double *command = fall(&rig, goal, q, 3.0);
    assert_true(command[0] == q && command[1] == -0.5);
    assert_false(sn__gate_blocked_by(rig.guarded, &block));
    least = fmin(least, gap(command));
  }
  assert_true(least < -0.01);
  assert_int_equal(sn__gate_joint_counts(rig.guarded, 0)->reasons[SN_GATE_BLOCKED], 0);
  assert_int_equal(sn__gate_joint_counts(rig.guarded, 1)->reasons[SN_GATE_BLOCKED], 0);
  guard_rig_close(&rig);
}

/* It says that it is fast, and is moved slowly. What blocks the other one is how near it is now. */
SN_TEST(a_limp_joint_counts_where_it_is_measured) {
  guard_rig rig;
  guard_rig_open_text(&rig, TWO_BALLS, &(sn__collision_config){0}, &QUICK);
  sn_servo_goal *goal = sn_msg_create(&rig.arena, &sn_servo_goal_type, NULL);
  sn__guard_block block;
  size_t blocked = 0;
  assert_true(guard_rig_place(&rig, (double[2]){0.42, -0.3}));
  for (int k = 0; k < 800; k++) {
    guard_rig_take(&rig, rig.guarded, 0, (double[2]){0.0, -0.9});
    const double *command = fall(&rig, goal, 0.42 + 1e-4 * k, 3.0);
    if (sn__gate_blocked_by(rig.guarded, &block)) {
      sn_assert_near(block.distance, gap(command), 1e-4);
      blocked++;
    }
  }
  assert_true(blocked > 50);
  guard_rig_close(&rig);
}

/* `a` is limp in all cycles, or in every other one: each time that it is freed, too, the other one
   is kept away. A limp joint that rests is no faster than one that holds. */
SN_TEST(another_joint_is_kept_away_from_one_that_is_limp_now_and_then) {
  for (int every = 1; every <= 2; every++) {
    guard_rig rig;
    guard_rig_open_text(&rig, TWO_BALLS, &(sn__collision_config){0}, &QUICK);
    sn_servo_goal *goal = sn_msg_create(&rig.arena, &sn_servo_goal_type, NULL);
    const double reference[2] = {0.45, -1.4};
    double least = INFINITY;
    assert_true(guard_rig_place(&rig, (double[2]){0.45, 0.0}));
    for (int k = 0; k < 1500; k++) {
      guard_rig_take(&rig, rig.guarded, 0, reference);
      const double *command = NULL;
      if (k % every == 0) {
        command = fall(&rig, goal, 0.45, 0.0);
      } else {
        rig.now_ns += MS;
        command = sn__gate_step(rig.guarded, rig.now_ns)->q;
      }
      least = fmin(least, gap(command));
    }
    assert_true(least > 0.0098);
    assert_true(gap(sn__gate_pose(rig.guarded)) < 0.0105);
    assert_true(sn__gate_blocked_count(rig.guarded) > 0);
    guard_rig_close(&rig);
  }
}

/* ---- the outside ---- */

SN_TEST(a_gate_without_a_guard_answers_as_if_all_was_free) {
  guard_rig rig;
  guard_rig_open_text(&rig, TWO_BALLS, &(sn__collision_config){0}, &QUICK);
  const double from[2] = {0.0, 0.0}, to[2] = {1.4, -1.4};
  sn__guard_block block = {.pair = 77};
  bool is_free = true;
  assert_true(sn__gate_follow(rig.guarded, from, to, &block, &is_free) < 1.0);
  assert_false(is_free);
  block.pair = 77;
  sn__gate_set_guarded(rig.guarded, false);
  sn_gate *gates[2] = {rig.guarded, rig.plain};
  for (size_t i = 0; i < 2; i++) {
    is_free = false;
    assert_true(sn__gate_follow(gates[i], from, to, &block, &is_free) == 1.0);
    assert_true(is_free);
    assert_int_equal(block.pair, 77);
  }
  assert_true(sn__gate_collision_margin(rig.guarded) == 0.01);
  assert_true(sn__gate_collision_margin(rig.plain) == 0.0);
  sn__gate_set_guarded(rig.plain, true); /* there is nothing to switch on */
  sn__gate_set_base(rig.plain, sn_pose_identity());
  assert_non_null(sn__gate_step(rig.plain, rig.now_ns));
  guard_rig_close(&rig);
}

/* The period that one step may cover is that of the gate. */
SN_TEST(guard_knows_the_longest_period_and_the_limits_of_the_gate) {
  guard_rig rig;
  guard_rig_open_text(&rig, TWO_BALLS, &(sn__collision_config){0}, &QUICK);
  const sn__guard *guard = rig.guarded->guard.guard;
  sn_assert_near(guard->lag_s, 0.5 * 0.002, 1e-15);
  for (size_t i = 0; i < 2; i++) {
    sn_assert_near(guard->limits[i].accel, 30.0, 1e-12);
    sn_assert_near(guard->limits[i].brake, 30.0, 1e-12);
  }
  guard_rig_close(&rig);
}

/* A robot on the move: the ball is carried to an object, and keeps away from it. */
SN_TEST(a_base_that_moves_brings_objects_nearer) {
  guard_rig rig;
  const sn__collision_config config = {.object_capacity = 1, .root_floats = true};
  guard_rig_open_text(&rig, TWO_BALLS, &config, &QUICK);
  sn__object wall = {.name = "wall", .pose = sn_pose_identity()};
  sn_error err = {0};
  wall.pose.pos = sn_vec3_make(3.0, 0, 0);
  assert_int_equal(sn__object_shape("box", (double[3]){2, 4, 4}, 3, NULL, 0, &wall, &err), SN_OK);
  assert_int_equal(sn__collision_add_object(rig.collision, &wall, &err), SN_OK);
  sn__gate_world_changed(rig.guarded);
  /* The right ball is at x = 0.5 + 0.8 sin(b), the wall begins at 2. */
  sn_pose base = sn_pose_identity();
  base.pos.x = 2.0 - 0.5 - 0.1 - 0.005;
  sn__gate_set_base(rig.guarded, base); /* 5 mm are left, less than the margin */
  const double *q = sn__gate_pose(rig.guarded);
  const uint64_t before = sn__gate_blocked_count(rig.guarded);
  (void)go(&rig, (double[2]){0.0, 0.0}, 10);
  (void)go(&rig, (double[2]){0.0, -0.5}, 5); /* the way out is open */
  assert_int_equal(sn__gate_blocked_count(rig.guarded), before);
  (void)go(&rig, (double[2]){0.0, 0.5}, 500);
  assert_true(q[1] < 1e-6 && q[1] > -0.01);
  assert_true(sn__gate_blocked_count(rig.guarded) > before);
  base.pos.x -= 0.1;
  sn__gate_set_base(rig.guarded, base); /* 105 mm: 95 of them are free */
  (void)go(&rig, (double[2]){0.0, 0.5}, 1500);
  sn_assert_near(0.8 * sin(q[1]), 0.095, 1e-3);
  sn__gate_set_guarded(rig.guarded, false);
  sn__gate_set_base(rig.guarded, sn_pose_identity());
  (void)go(&rig, (double[2]){0.0, 0.5}, 1500);
  sn_assert_near(q[1], 0.5, 1e-9);
  guard_rig_close(&rig);
}

/* ---- creation ---- */

static bool is_apart(const void *a, size_t size_a, const void *b, size_t size_b) {
  const unsigned char *from_a = a, *from_b = b;
  return from_a + size_a <= from_b || from_b + size_b <= from_a;
}

SN_TEST(a_gate_with_a_guard_needs_all_of_its_memory) {
  static _Alignas(16) unsigned char memory[1 << 16];
  guard_rig rig;
  guard_rig_open_text(&rig, TWO_BALLS, &(sn__collision_config){0}, &QUICK);
  sn_gate *gate = NULL;
  sn_gate_config config = rig.config;
  config.collision = rig.collision;
  for (size_t size = 0; gate == NULL; size += 8) {
    sn_arena arena;
    sn_error err = {.message = ""};
    assert_true(size <= sizeof memory);
    sn_arena_init(&arena, "little", memory, size);
    const sn_status status = sn__gate_create(&arena, rig.model, &config, &gate, &err);
    assert_int_equal(gate != NULL, status == SN_OK);
    assert_true(gate == NULL || gate->guard.is_on);
    assert_true(gate != NULL || (status == SN_ENOMEM && sn_arena_used(&arena) == 0));
  }
  /* Its lists have room for all joints, and share none of it. */
  const sn__gate_guard *g = &gate->guard;
  const double *const lists[] = {g->from_qd,      g->wanted_q,     g->wanted_qd, g->brake_q,
                                 g->brake_qd,     gate->q,         gate->qd,     gate->qdd,
                                 g->guard->still, g->guard->q,     g->guard->qd, g->guard->probe,
                                 g->guard->share, g->guard->slope, gate->tau};
  enum { LISTS = sizeof lists / sizeof *lists, SIZE = 2 * sizeof(double) };
  for (size_t i = 0; i < LISTS; i++) {
    assert_true((const unsigned char *)lists[i] >= memory);
    assert_true(is_apart(lists[i], SIZE, g->before, 2 * sizeof *g->before));
    assert_true(is_apart(lists[i], SIZE, gate->joints, 2 * sizeof *gate->joints));
    assert_true(is_apart(lists[i], SIZE, g->guard, sizeof *g->guard));
    assert_true(is_apart(lists[i], SIZE, g->guard->pairs, sizeof *g->guard->pairs));
    for (size_t k = 0; k < i; k++) {
      assert_true(is_apart(lists[i], SIZE, lists[k], SIZE));
    }
    assert_true(is_apart(lists[i], SIZE, gate->sources, 2 * sizeof *gate->sources));
    assert_true(is_apart(lists[i], SIZE, gate->limits,
                         SN_GATE_REASON_COUNT * (gate->source_count + 1) * sizeof *gate->limits));
    assert_true(
        is_apart(lists[i], SIZE, gate->events, gate->event_capacity * sizeof *gate->events));
  }
  guard_rig_close(&rig);
}

SN_TEST(links_that_overlap_at_zero_are_named_and_left_out) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, CLOSE("0.91"), NULL);
  sn__collision *c = NULL;
  sn_error err = {0};
  const sn__collision_config config = {.leaves_out_overlaps = true};
  assert_int_equal(sn__collision_create(&robot.arena, robot.model, &config, robot.report, &c, &err),
                   SN_OK);
  assert_int_equal(sn__collision_facts_of(c)->pair_count, 0);
  assert_int_equal(sn__collision_facts_of(c)->overlap_count, 1);
  sn_assert_problems(robot.report,
                     "collision:0:0: warning: 'left' and 'right' overlap by 10.0 mm in the zero "
                     "pose: they are not checked\n");
  sn_test_robot_free(&robot);
}

SN_TEST(a_cycle_does_not_touch_the_heap) {
  guard_rig rig;
  guard_rig_open_text(&rig, TWO_BALLS, &(sn__collision_config){.object_capacity = 2}, &QUICK);
  sn__object ball = {.name = "ball", .pose = sn_pose_identity()};
  sn_error err = {0};
  ball.pose.pos = sn_vec3_make(0, 0, 2);
  sn_assert_no_heap({
    for (size_t i = 0; i < 600; i++) {
      guard_rig_take(&rig, rig.guarded, 0, (double[2]){1.4, -1.4});
      (void)guard_rig_step(&rig);
    }
    assert_int_equal(sn__object_shape("sphere", (double[1]){0.1}, 1, NULL, 0, &ball, &err), SN_OK);
    assert_int_equal(sn__collision_add_object(rig.collision, &ball, &err), SN_OK);
    sn__gate_world_changed(rig.guarded);
    assert_true(sn__collision_remove_object(rig.collision, "ball"));
  });
  assert_true(sn__gate_blocked_count(rig.guarded) > 0);
  guard_rig_close(&rig);
}

SN_TEST(a_wrong_margin_is_rejected) {
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, TWO_BALLS, NULL);
  sn__collision *c = NULL;
  sn__guard *guard = NULL;
  sn_error err = {0};
  assert_int_equal(
      sn__collision_create(&robot.arena, robot.model, &(sn__collision_config){0}, NULL, &c, &err),
      SN_OK);
  const sn__guard_limits limits[2] = {{1, 1}, {1, 1}};
  static const double margins[] = {-0.01, INFINITY, NAN};
  for (size_t i = 0; i < 3; i++) {
    const sn__guard_config config = {.margin_m = margins[i], .limits = limits};
    assert_int_equal(sn__guard_create(&robot.arena, robot.model, c, &config, &guard, &err),
                     SN_EINVAL);
    sn_assert_contains(err.message, "must be at least 0");
  }
  sn_test_robot_free(&robot);
}
