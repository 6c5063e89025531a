/* Limp joints, and joints that were limp until now: how they fall is not the guard's doing. */
#include <string.h>

#include "collision/objects.h"
#include "gate/gate_internal.h"
#include "sn_test.h"
#include "two_balls.h"

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
