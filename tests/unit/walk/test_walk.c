/* The walking library with a body that is carried exactly as its legs want. */
#include <math.h>
#include <string.h>

#include "allocation.h"
#include "legs/legs.h"
#include "math/rotation.h"
#include "robot.h"
#include "sn_test.h"
#include "steps/step_solve.h"
#include "walk/walk.h"

enum { JOINTS_MAX = 64, LEGS = 4 };
static const double DT_S = 0.001, SPEED_MAX = 5.5;

typedef struct world {
  sn_test_robot robot;
  sn_arena arena;
  sn__legs legs;
  sn__limb_ik limbs[LEGS];
  double q[JOINTS_MAX], speed_max[JOINTS_MAX];
  sn__walk walk;
  sn_pose base; /* of the robot, level */
  sn_spatial twist;
} world;

static void open_world(world *b, sn__gait_kind gait) {
  sn_error err;
  *b = (world){.base = sn_pose_identity()};
  sn_test_robot_load(&b->robot, "quadruped");
  sn_arena_init_growing(&b->arena, "walk", 0);
  assert_int_equal(sn__legs_find(&b->arena, b->robot.model, NULL, &b->legs, &err), SN_OK);
  memcpy(b->q, b->legs.stance, sn_model_pose_size(b->robot.model) * sizeof *b->q);
  sn__walk *w = &b->walk;
  sn_vec3 feet[LEGS];
  for (size_t i = 0; i < LEGS; i++) {
    const sn__limb_ik_config config = {.model = b->robot.model,
                                       .chain = b->legs.leg[i].chain,
                                       .with_virtual = true,
                                       .jump_max = 0.4,
                                       .timeout_s = 0.05};
    assert_int_equal(sn__limb_ik_create(&b->arena, &config, &b->limbs[i], &err), SN_OK);
    w->legs[i].leg = (sn__step_leg){config.chain, &b->limbs[i]};
    w->legs[i].nominal = sn__step_leg_end(&w->legs[i].leg, b->q);
    feet[i] = w->legs[i].nominal.pos;
    w->height_m -= feet[i].z / LEGS;
  }
  for (size_t j = 0; j < JOINTS_MAX; j++) {
    b->speed_max[j] = SPEED_MAX;
  }
  w->leg_count = LEGS;
  w->speed_max = b->speed_max;
  sn__gait_make(gait, false, feet, LEGS, &w->gait);
  w->settings = (sn__walk_settings){.period_s = 0.16 / w->gait.swing,
                                    .clearance_m = 0.008,
                                    .accel = 0.5,
                                    .turn_accel = 2.0,
                                    .capture = 0.5,
                                    .tilt_max = 0.2,
                                    .track = 2.0,
                                    .reach_m = 0.06};
  sn__walk_begin(w, b->q);
}

static void close_world(world *b) {
  sn_arena_release(&b->arena);
  sn_test_robot_free(&b->robot);
}

/* The body moves as the stance carries it. */
static void step_world(world *b) {
  const sn__walk_input input = {
      .dt_s = DT_S, .has_base = true, .base = b->base, .twist = b->twist, .q = b->q};
  sn_assert_no_heap(sn__walk_step(&b->walk, &input, b->q));
  const sn__walk_velocity v = b->walk.carried;
  b->twist.lin = sn_mat3_apply(b->base.rot, sn_vec3_make(v.x, v.y, 0.0));
  b->twist.ang = sn_vec3_make(0.0, 0.0, v.turn);
  b->base.pos = sn_vec3_add_scaled(b->base.pos, DT_S, b->twist.lin);
  b->base.rot = sn_mat3_mul(sn__mat3_exp(sn_vec3_scale(b->twist.ang, DT_S)), b->base.rot);
}

static sn_vec3 foot_in_world(const world *b, size_t leg) {
  return sn_pose_apply(b->base, sn__step_leg_end(&b->walk.legs[leg].leg, b->q).pos);
}

static const sn__gait_kind gaits[] = {SN__GAIT_TROT, SN__GAIT_WALK, SN__GAIT_WALK_OVERLAP};

SN_TEST(feet_in_stance_do_not_move_in_the_world) {
  static world b;
  for (size_t g = 0; g < sizeof gaits / sizeof *gaits; g++) {
    open_world(&b, gaits[g]);
    b.walk.command = (sn__walk_velocity){0.08, 0.02, 0.2};
    sn_vec3 before[LEGS];
    long stood[LEGS] = {0};
    for (int k = 0; k < 4000; k++) {
      step_world(&b);
      for (size_t i = 0; i < LEGS; i++) {
        const sn_vec3 now = foot_in_world(&b, i);
        stood[i] = b.walk.feet[i].in_stance ? stood[i] + 1 : 0;
        if (stood[i] > 100) { /* what its joints could not do in time, they have done by then */
          assert_true(hypot(now.x - before[i].x, now.y - before[i].y) < 2e-5);
        }
        before[i] = now;
      }
    }
    close_world(&b);
  }
}

SN_TEST(joints_do_not_exceed_their_speed) {
  static world b;
  open_world(&b, SN__GAIT_TROT);
  b.walk.command = (sn__walk_velocity){0.2, 0.1, 1.0};
  double before[JOINTS_MAX];
  for (int k = 0; k < 3000; k++) {
    memcpy(before, b.q, sizeof before);
    step_world(&b);
    for (size_t j = 0; j < sn_model_pose_size(b.robot.model); j++) {
      assert_true(fabs(b.q[j] - before[j]) <= SPEED_MAX * DT_S * (1.0 + 1e-9));
    }
  }
  close_world(&b);
}

SN_TEST(body_moves_with_the_command_and_stops_with_its_feet_below_it) {
  static world b;
  for (size_t g = 0; g < sizeof gaits / sizeof *gaits; g++) {
    open_world(&b, gaits[g]);
    b.walk.command = (sn__walk_velocity){0.1, 0.0, 0.0};
    for (int k = 0; k < 1000; k++) {
      step_world(&b);
    }
    const double start = b.base.pos.x;
    for (int k = 0; k < 2000; k++) {
      step_world(&b);
    }
    sn_assert_near((b.base.pos.x - start) / 2.0, 0.1, 0.005);
    b.walk.command = (sn__walk_velocity){0, 0, 0};
    for (int k = 0; k < 3000; k++) {
      step_world(&b);
    }
    assert_int_equal(b.walk.mode, SN__WALK_STANDS);
    sn_vec3 middle = {0, 0, 0}, home = {0, 0, 0};
    for (size_t i = 0; i < LEGS; i++) {
      middle = sn_vec3_add_scaled(middle, 0.25, b.walk.feet[i].pos);
      home = sn_vec3_add_scaled(home, 0.25, b.walk.legs[i].nominal.pos);
    }
    assert_true(hypot(middle.x - b.walk.com.x, middle.y - b.walk.com.y) < 0.01);
    sn_assert_near(middle.z, home.z, 1e-3);
    close_world(&b);
  }
}

SN_TEST(command_changes_at_the_next_step) {
  static world b;
  open_world(&b, SN__GAIT_TROT);
  b.walk.command = (sn__walk_velocity){0.1, 0.0, 0.0};
  for (int k = 0; k < 10; k++) {
    step_world(&b);
  }
  b.walk.command.x = -0.1;
  step_world(&b);
  assert_true(b.walk.wanted.x == 0.1);
  for (int k = 0; k < 500; k++) {
    step_world(&b);
  }
  assert_true(b.walk.wanted.x == -0.1);
  close_world(&b);
}

/* The foothold of the first swing, of a body that also moves sideways. */
static sn_vec3 foothold_with(double sideways, double *fall_s) {
  static world b;
  open_world(&b, SN__GAIT_TROT);
  b.walk.command = (sn__walk_velocity){0.05, 0.0, 0.0};
  for (int k = 0; k < 120; k++) {
    const sn__walk_input input = {.dt_s = DT_S,
                                  .has_base = true,
                                  .base = b.base,
                                  .twist = {{0, 0, 0}, {0.05, sideways, 0}},
                                  .q = b.q};
    sn__walk_step(&b.walk, &input, b.q);
  }
  size_t leg = 0;
  while (b.walk.feet[leg].in_stance) {
    leg++;
  }
  const sn_vec3 foothold = b.walk.feet[leg].foothold;
  *fall_s = sqrt((b.walk.height_m + b.walk.com.z) / 9.81);
  close_world(&b);
  return foothold;
}

/* A foot lands farther out by the time constant of the fall times the unwanted velocity. What is
   less than a tenth of the square root of g h belongs to the gait and does not count. */
SN_TEST(foothold_follows_an_unwanted_velocity) {
  double fall_s;
  const double straight = foothold_with(0.0, &fall_s).y;
  const double ignored = 0.1 * 9.81 * fall_s;
  assert_true(ignored > 0.1);
  sn_assert_near(foothold_with(0.1, &fall_s).y - straight, 0.0, 0.002);
  sn_assert_near(foothold_with(0.3, &fall_s).y - straight, 0.5 * fall_s * (0.3 - ignored), 0.002);
}
