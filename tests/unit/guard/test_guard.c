/* The guard in the gate, on robots whose distances are known. */
#include "allocation.h"
#include "collision/objects.h"
#include "gate/gate_internal.h"
#include "gate_case.h"
#include "guard_rig.h"
#include "sn_test.h"
#include "two_balls.h"

/* The share of a depth that its calculation may be wrong by: so much deeper is possible, once. */
static const double DEEPER = 2.1e-3;

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
      assert_true(rig->guarded->guard.from_qd[j] == qd[j]); /* what the guard starts from */
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
