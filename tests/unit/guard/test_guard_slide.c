/* A motion that is partly blocked: only what approaches is slowed down. */
#include "collision/objects.h"
#include "gate/gate_internal.h"
#include "gate_case.h"
#include "guard_rig.h"
#include "sn_test.h"

/* A ball on three slides. */
#define SLIDE(name, parent, child, axis)                                                   \
  "<joint name='" name "' type='prismatic'><parent link='" parent "'/><child link='" child \
  "'/><axis xyz='" axis "'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
#define BALL(name)                  \
  "<link name='" name               \
  "'><collision><geometry><sphere " \
  "radius='0.1'/></geometry></collision></link>"
static const char GANTRY[] =
    "<robot name='gantry'><link name='base'/><link name='x'/><link name='y'/>" BALL("ball")
        SLIDE("sx", "base", "x", "1 0 0") SLIDE("sy", "x", "y", "0 1 0")
            SLIDE("sz", "y", "ball", "0 0 1") "</robot>";

static const sn_gate_config QUICK = {.period_max_s = 0.002, .collision_margin = 0.01};
enum { X, Y, Z };

/* A gantry in front of a wall: the ball touches it at x = 0.4. */
static void open_gantry(guard_rig *rig) {
  guard_rig_open_text(rig, GANTRY, &(sn__collision_config){.object_capacity = 2}, &QUICK);
  sn__object wall = {.name = "wall", .pose = sn_pose_identity()};
  sn_error err = {0};
  wall.pose.pos = sn_vec3_make(1.0, 0, 0);
  assert_int_equal(sn__object_shape("box", (double[3]){1, 4, 4}, 3, NULL, 0, &wall, &err), SN_OK);
  assert_int_equal(sn__collision_add_object(rig->collision, &wall, &err), SN_OK);
  sn__gate_world_changed(rig->guarded);
}

/* One cycle of both gates. @return the command of the one without a guard */
static const double *step_both(guard_rig *rig, const double *reference, const double **guarded) {
  guard_rig_take(rig, rig->guarded, 0, reference);
  guard_rig_take(rig, rig->plain, 0, reference);
  *guarded = guard_rig_step(rig);
  return sn__gate_step(rig->plain, rig->now_ns)->q;
}

SN_TEST(a_ball_that_is_pushed_against_a_wall_slides_along_it) {
  guard_rig rig;
  open_gantry(&rig);
  double most = -INFINITY;
  for (size_t i = 0; i < 8000; i++) {
    const double t = 1e-3 * (double)i;
    /* A circle through the wall. */
    const double reference[3] = {0.3 + 0.3 * sin(t), 0.3 * cos(t), 0.2 * sin(2.0 * t)};
    const double *guarded = NULL, *plain = step_both(&rig, reference, &guarded);
    assert_true(guarded[Y] == plain[Y]);
    assert_true(guarded[Z] == plain[Z]);
    most = fmax(most, guarded[X]);
  }
  assert_true(sn__gate_blocked_count(rig.guarded) > 1000);
  assert_true(most < 0.4 - 0.009);
  assert_true(most > 0.4 - 0.011);
  guard_rig_close(&rig);
}

/* Against an edge of 45 degrees both slides approach: one cannot stay as it is. */
SN_TEST(a_joint_that_approaches_a_little_is_slowed_down_too) {
  guard_rig rig;
  guard_rig_open_text(&rig, GANTRY, &(sn__collision_config){.object_capacity = 2}, &QUICK);
  sn__object wall = {.name = "wall", .pose = sn_pose_identity()};
  sn_error err = {0};
  wall.pose.pos = sn_vec3_make(1, 1, 0);
  wall.pose.rot = sn_mat3_from_rpy(0, 0, 0.7853981633974483);
  assert_int_equal(sn__object_shape("box", (double[3]){1, 4, 4}, 3, NULL, 0, &wall, &err), SN_OK);
  assert_int_equal(sn__collision_add_object(rig.collision, &wall, &err), SN_OK);
  sn__gate_world_changed(rig.guarded);
  const double *guarded = NULL;
  for (size_t i = 0; i < 3000; i++) {
    (void)step_both(&rig, (double[3]){0.9, 0.5, -0.4}, &guarded);
    const double distance = sqrt(2.0) - 0.5 - (guarded[X] + guarded[Y]) * sqrt(0.5) - 0.1;
    assert_true(distance > 0.009);
  }
  assert_true(sn__gate_is_at_rest(rig.guarded));
  sn_assert_near(guarded[Z], -0.4, 1e-9);
  guard_rig_close(&rig);
}

/* Along a wall that is nearly parallel to y: what y approaches is less than a fiftieth of what x
   does, so it is only slowed down when that does not suffice. */
SN_TEST(a_joint_that_hardly_approaches_is_slowed_down_if_the_others_do_not_suffice) {
  static const double angle = 0.01;
  guard_rig rig;
  guard_rig_open_text(&rig, GANTRY, &(sn__collision_config){.object_capacity = 2}, &QUICK);
  sn__object wall = {.name = "wall", .pose = sn_pose_identity()};
  sn_error err = {0};
  wall.pose.pos = sn_vec3_make(1.0, 0, 0);
  wall.pose.rot = sn_mat3_from_rpy(0, 0, angle);
  assert_int_equal(sn__object_shape("box", (double[3]){1, 8, 8}, 3, NULL, 0, &wall, &err), SN_OK);
  assert_int_equal(sn__collision_add_object(rig.collision, &wall, &err), SN_OK);
  sn__gate_world_changed(rig.guarded);
  const double *guarded = NULL;
  for (size_t i = 0; i < 4000; i++) {
    const double y = i < 1500 ? -0.8 : 0.8;
    (void)step_both(&rig, (double[3]){0.9, y, 0.0}, &guarded);
    const double distance = (1.0 - guarded[X]) * cos(angle) - guarded[Y] * sin(angle) - 0.5 - 0.1;
    assert_true(distance > 0.0099);
  }
  assert_true(sn__gate_blocked_count(rig.guarded) > 0);
  guard_rig_close(&rig);
}

/* Two balls on slides of their own, in one line: `b` is ahead of `a`. */
static const char CHASE[] = "<robot name='chase'><link name='base'/>" BALL("a") BALL("b") BALL("c")
    SLIDE("sa", "base", "a", "1 0 0") "<link name='stand'/>"
    "<joint name='fixed' type='fixed'><origin xyz='0.5 0 0'/><parent link='base'/><child "
    "link='stand'/></joint>" SLIDE("sb", "stand", "b", "1 0 0") "<link name='side'/>"
    "<joint name='aside' type='fixed'><origin xyz='0.25 0.5 0'/><parent link='base'/><child "
    "link='side'/></joint>" SLIDE("sc", "side", "c", "0 1 0") "</robot>";

SN_TEST(a_limb_that_makes_way_is_not_slowed_down_by_the_one_behind_it) {
  guard_rig rig;
  guard_rig_open_text(&rig, CHASE, &(sn__collision_config){0}, &QUICK);
  for (size_t i = 0; i < 3000; i++) {
    /* `a` is sent beyond `b`, which goes away slowly, to and fro. */
    const double t = 1e-3 * (double)i;
    const double reference[3] = {1.0, 0.1 * t, 0.3 * sin(t)};
    const double *guarded = NULL, *plain = step_both(&rig, reference, &guarded);
    assert_true(guarded[1] == plain[1]);
    assert_true(guarded[2] == plain[2]);
    assert_true(0.5 + guarded[1] - guarded[0] - 0.2 > 0.009);
  }
  const double *q = sn__gate_pose(rig.guarded);
  assert_true(sn__gate_blocked_count(rig.guarded) > 1000);
  /* It follows as near as it may. */
  assert_true(0.5 + q[1] - q[0] - 0.2 < 0.012);
  guard_rig_close(&rig);
}

/* Both go the same way, close behind each other. The first one brakes before a wall, so the one
   behind it, which was safe until then, has to brake as well. */
SN_TEST(a_limb_behind_one_that_has_to_brake_brakes_too) {
  guard_rig rig;
  guard_rig_open_text(&rig, CHASE, &(sn__collision_config){.object_capacity = 1}, &QUICK);
  sn__object wall = {.name = "wall", .pose = sn_pose_identity()};
  sn_error err = {0};
  wall.pose.pos = sn_vec3_make(1.7, 0, 0);
  assert_int_equal(sn__object_shape("box", (double[3]){1, 4, 4}, 3, NULL, 0, &wall, &err), SN_OK);
  assert_int_equal(sn__collision_add_object(rig.collision, &wall, &err), SN_OK);
  sn__gate_world_changed(rig.guarded);
  assert_true(guard_rig_place(&rig, (double[3]){-0.5, -0.785, 0.0})); /* 15 mm apart */
  double fastest = 0.0;
  const double *guarded = NULL;
  for (size_t i = 0; i < 4000; i++) {
    const double *plain =
        step_both(&rig, (double[3]){0.99, 0.99, 0.3 * sin(1e-3 * (double)i)}, &guarded);
    assert_true(guarded[2] == plain[2]);
    assert_true(0.5 + guarded[1] - guarded[0] - 0.2 > 0.009);
    assert_true(1.2 - (0.5 + guarded[1]) - 0.1 > 0.009);
    fastest = fmax(fastest, rig.guarded->command.qd[0]);
  }
  assert_true(fastest > 0.9); /* they went at full speed before */
  assert_true(fabs(rig.guarded->command.qd[0]) < 1e-2 && fabs(rig.guarded->command.qd[1]) < 1e-2);
  assert_true(1.2 - (0.5 + guarded[1]) - 0.1 < 0.0115);
  assert_true(0.5 + guarded[1] - guarded[0] - 0.2 < 0.0155);
  guard_rig_close(&rig);
}
