#include "estimation/fall.h"
#include "sn_test.h"
#include "walker.h"

static const sn__fall_settings settings = {.tilt_max = 0.7, .free_fall_s = 0.04};
static const double DT_S = 0.001;

typedef struct fixture {
  sn__fall_watch watch;
  sn__base_state base;
  sn_vec3 points[WALKER_FEET];
  sn__foot feet[WALKER_FEET];
  double force;
  bool is_flight;
} fixture;

static fixture f;

static void stand(void) {
  memset(&f, 0, sizeof f);
  f.base.pose_world_base = sn_pose_identity();
  f.force = 9.81;
  for (size_t i = 0; i < WALKER_FEET; i++) {
    f.points[i] = sn_vec3_make(i < 2 ? 0.1 : -0.1, i % 2 == 0 ? -0.06 : 0.06, -0.2);
    f.feet[i] = (sn__foot){.is_touching = true, .point_count = 1, .points = &f.points[i]};
  }
}

static bool step(void) {
  const sn__fall_input input = {.base = &f.base,
                                .feet = f.feet,
                                .foot_count = WALKER_FEET,
                                .has_force = true,
                                .force = f.force,
                                .is_flight = f.is_flight,
                                .gravity = 9.81,
                                .dt_s = DT_S};
  return sn__fall_watch_step(&f.watch, &input, &settings);
}

static void lift_all(void) {
  for (size_t i = 0; i < WALKER_FEET; i++) {
    f.feet[i].is_touching = false;
  }
}

/* A trot with a strong wobble, on slopes: no alarm. */
SN_TEST(walks_raise_no_alarm) {
  const walker_config walks[] = {
      {.speed = 0.2, .wobble = 0.08, .slip_foot = -1},
      {.speed = 0.2, .wobble = 0.08, .slope_rad = 0.175, .slip_foot = -1},
      {.speed = 0.2, .wobble = 0.08, .slope_rad = -0.175, .period_s = 0.4, .slip_foot = -1},
      {.turn_rate = 1.0, .wobble = 0.08, .is_walk = true, .slip_foot = -1}};
  for (size_t k = 0; k < sizeof walks / sizeof *walks; k++) {
    stand();
    for (double t_s = 0.0; t_s < 20.0; t_s += DT_S) {
      const walker_truth truth = walker_at(&walks[k], t_s);
      f.base = (sn__base_state){truth.pose_world_base, truth.twist};
      f.force = sn_vec3_norm(truth.force);
      for (size_t i = 0; i < WALKER_FEET; i++) {
        f.points[i] = truth.feet[i][0];
        f.feet[i].is_touching = truth.touches[i];
      }
      if (step()) {
        fail_msg("walk %zu at %g s: %s", k, t_s, sn__fall_reason_text(f.watch.reason));
      }
    }
  }
}

/* Tips over about the feet of one side, like an inverted pendulum. */
SN_TEST(robot_that_tips_over_is_reported_before_the_limit_of_tilt) {
  for (int side = -1; side <= 1; side += 2) {
    stand();
    double tilt = 0.1, rate = 0.5;
    bool is_found = false;
    while (tilt < 0.7 && !is_found) {
      rate += DT_S * 9.81 / 0.2 * sin(tilt);
      tilt += DT_S * rate;
      f.base.pose_world_base.rot = sn_mat3_from_rpy(side * tilt, 0, 0);
      f.base.twist.ang = sn_vec3_make(side * rate, 0, 0);
      for (size_t i = 0; i < WALKER_FEET; i++) { /* leaning left, the right feet lift */
        f.feet[i].is_touching = (f.points[i].y < 0.0) == (side > 0);
      }
      is_found = step();
    }
    assert_true(is_found);
    assert_true(tilt < 0.7);
  }
}

/* On two diagonal feet it leans to the side of a foot that swings just above the ground. */
SN_TEST(lean_in_a_trot_until_the_swinging_foot_lands_is_not_a_fall) {
  stand();
  f.base.pose_world_base.rot = sn_mat3_from_rpy(0.15, 0.2, 0);
  f.base.twist.ang = sn_vec3_make(0.2, 0.4, 0);
  f.feet[0].is_touching = f.feet[1].is_touching = f.feet[3].is_touching = false;
  f.points[0].z = f.points[1].z = -0.18;
  for (int i = 0; i < 100; i++) {
    assert_false(step());
  }
  f.points[0].z = f.points[1].z = 0.02; /* folded, they do not land in time */
  int cycles = 1;
  while (!step()) {
    cycles++;
    assert_true(cycles <= 50);
  }
  assert_int_equal(f.watch.reason, SN__FALL_NO_FEET);
}

SN_TEST(lean_to_a_side_without_feet_is_a_fall) {
  stand();
  f.base.pose_world_base.rot = sn_mat3_from_rpy(0, 0.3, 0); /* nose down */
  f.base.twist.ang = sn_vec3_make(0, 0.4, 0);
  f.feet[0].is_touching = f.feet[1].is_touching = false; /* the front feet are folded */
  f.points[0].z = f.points[1].z = 0.02;
  int cycles = 1;
  while (!step()) {
    cycles++;
    assert_true(cycles <= 50);
  }
  assert_int_equal(f.watch.reason, SN__FALL_NO_FEET);
  stand(); /* the same with the front feet on the ground */
  f.base.pose_world_base.rot = sn_mat3_from_rpy(0, 0.3, 0);
  f.base.twist.ang = sn_vec3_make(0, 0.4, 0);
  for (int i = 0; i < 1000; i++) {
    assert_false(step());
  }
}

SN_TEST(free_fall_is_reported_within_50_ms) {
  stand();
  assert_false(step());
  lift_all();
  f.force = 0.5;
  int cycles = 1;
  while (!step()) {
    cycles++;
    assert_true(cycles <= 50);
  }
  assert_int_equal(f.watch.reason, SN__FALL_FREE);
}

SN_TEST(flight_that_is_meant_is_no_fall) {
  stand();
  lift_all();
  f.is_flight = true;
  f.force = 0.5;
  for (int i = 0; i < 250; i++) {
    assert_false(step());
  }
}

SN_TEST(robot_upside_down_is_reported_once_and_ends_when_it_stands) {
  stand();
  f.base.pose_world_base.rot = sn_mat3_from_rpy(3.1, 0, 0);
  lift_all();
  assert_true(step());
  for (int i = 0; i < 5000; i++) {
    assert_false(step());
  }
  assert_int_equal(f.watch.reason, SN__FALL_TILT);
  const sn__fall_watch fallen = f.watch;
  stand();
  f.watch = fallen;
  for (int i = 0; i < 1002; i++) {
    assert_false(step());
  }
  assert_int_equal(f.watch.reason, SN__FALL_NONE);
}
