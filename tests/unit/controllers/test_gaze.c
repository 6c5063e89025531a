#include <string.h>

#include "controllers/cartesian/gaze.h"
#include "math/rotation.h"
#include "robot.h"
#include "sinew/kin.h"
#include "sinew/quat.h"
#include "sinew/random.h"
#include "sn_test.h"

typedef struct fixture {
  sn_test_robot robot;
  sn_arena arena;
  sn_clock clock;
  sn_random random;
  sn__limb_ik limb;
  sn__gaze gaze;
  double q[8];
} fixture;

static void open_head(fixture *f, const double *nominal) {
  *f = (fixture){.q = {0}};
  sn_test_robot_load(&f->robot, "quadruped");
  sn_arena_init_growing(&f->arena, "gaze", 0);
  sn_clock_init_simulated(&f->clock, 0);
  sn_random_init(&f->random, 23);
  const sn__limb_ik_config config = {.model = f->robot.model,
                                     .chain = (size_t)sn_model_chain_index(f->robot.model, "head"),
                                     .solver = "auto",
                                     .free_axes = SN_IK_FREE_ROTATION,
                                     .jump_max = 0.5,
                                     .timeout_s = 1.0,
                                     .clock = &f->clock,
                                     .nominal = nominal,
                                     .weight_nominal = 0.05};
  assert_int_equal(sn__limb_ik_create(&f->arena, &config, &f->limb, NULL), SN_OK);
  assert_int_equal(sn__gaze_create(&f->gaze, &f->arena, &f->limb, NULL), SN_OK);
}

static void close_head(fixture *f) {
  sn_arena_release(&f->arena);
  sn_test_robot_free(&f->robot);
}

static sn_vec3 draw_direction(fixture *f, double yaw, double pitch) {
  const double a = sn_random_between(&f->random, -yaw, yaw);
  const double b = sn_random_between(&f->random, -pitch, pitch);
  return sn_mat3_from_rpy(0, b, a).x;
}

/* The angle about x that z is off from upright. */
static double roll_of(sn_mat3 tip) {
  const sn_mat3 upright = sn__gaze_rotation(tip.x, (sn_vec3){0, 0, 1}, &tip);
  return sn_vec3_norm(sn_mat3_log(sn_mat3_mul(sn_mat3_transpose(upright), tip)));
}

/* The head has four joints and can look anywhere ahead, upright. */
SN_TEST(direction_within_reach_is_met_and_the_head_is_upright) {
  fixture f;
  open_head(&f, NULL);
  for (size_t i = 0; i < sn_test_cases(2000); i++) {
    const sn_vec3 direction = draw_direction(&f, 1.0, 0.4);
    const sn_mat3 before = sn_chain_fk(f.limb.chain, f.q).rot;
    const sn_mat3 wanted = sn__gaze_rotation(direction, (sn_vec3){0, 0, 1}, &before);
    double off = 0.0;
    for (int k = 0; k < 10; k++) {
      off = sn__gaze_turn(&f.gaze, &wanted, f.q);
    }
    const sn_mat3 tip = sn_chain_fk(f.limb.chain, f.q).rot;
    sn_assert_vec3_near(tip.x, direction, 1e-6);
    sn_assert_near(off, 0.0, 1e-6);
    sn_assert_near(roll_of(tip), 0.0, 1e-5);
    for (size_t j = 0; j < f.limb.count; j++) {
      double lower, upper;
      sn_ik_limits(f.limb.ik, j, &lower, &upper);
      assert_true(f.q[j] >= lower && f.q[j] <= upper);
    }
  }
  close_head(&f);
}

/* Oracle: at the end no joint can turn the head nearer, within its limits. */
SN_TEST(direction_out_of_reach_is_approached_as_far_as_it_goes) {
  fixture f;
  open_head(&f, NULL);
  for (size_t i = 0; i < sn_test_cases(30); i++) {
    const sn_vec3 direction = draw_direction(&f, 2.2, 1.4);
    memset(f.q, 0, sizeof f.q);
    double off = 0.0;
    for (int k = 0; k < 200; k++) {
      const sn_mat3 before = sn_chain_fk(f.limb.chain, f.q).rot;
      const sn_mat3 wanted = sn__gaze_rotation(direction, (sn_vec3){0, 0, 1}, &before);
      off = sn__gaze_turn(&f.gaze, &wanted, f.q);
    }
    for (size_t j = 0; j < f.limb.count; j++) {
      for (int side = -1; side <= 1; side += 2) {
        double q[8], lower, upper;
        memcpy(q, f.q, sizeof q);
        sn_ik_limits(f.limb.ik, j, &lower, &upper);
        q[j] = fmin(fmax(q[j] + 1e-3 * side, lower), upper);
        const sn_vec3 x = sn_chain_fk(f.limb.chain, q).rot.x;
        assert_true(acos(fmin(1.0, sn_vec3_dot(x, direction))) >= off - 5e-5);
      }
    }
  }
  close_head(&f);
}

/* The first tasks are met as before, and the pose with the smaller distance is taken. */
SN_TEST(what_is_left_goes_to_the_nominal_pose) {
  const double nominal[4] = {0, 0.5, -0.5, 0};
  for (size_t with = 0; with < 2; with++) {
    fixture f;
    open_head(&f, with == 1 ? nominal : NULL);
    const sn_mat3 wanted = sn__gaze_rotation((sn_vec3){1, 0.2, 0}, (sn_vec3){0, 0, 1},
                                             &(sn_mat3){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    for (int k = 0; k < 500; k++) {
      sn_assert_near(sn__gaze_turn(&f.gaze, &wanted, f.q), 0.0, k < 10 ? 1.0 : 1e-5);
    }
    if (with == 1) { /* joints 2 and 3 turn about the same axis: their difference is free */
      sn_assert_near(f.q[1] - f.q[2], 1.0, 1e-2);
    } else {
      sn_assert_near(f.q[1] - f.q[2], 0.0, 1e-2);
    }
    close_head(&f);
  }
}

SN_TEST(rotation_to_a_point_above_is_defined_and_continuous) {
  fixture f;
  open_head(&f, NULL);
  sn_mat3 last = sn_mat3_identity();
  for (int k = 0; k <= 2000; k++) { /* over the top, a little beside it */
    const double a = 3.141592653589793 * k / 2000.0;
    const sn_vec3 direction = {cos(a), 0.0, sin(a)};
    const sn_mat3 r = sn__gaze_rotation(direction, (sn_vec3){0, 0, 1}, &last);
    sn_assert_vec3_near(r.x, direction, 1e-12);
    sn_assert_near(sn_vec3_dot(sn_vec3_cross(r.x, r.y), r.z), 1.0, 1e-12);
    last = r;
  }
  const sn_mat3 up = sn__gaze_rotation((sn_vec3){0, 0, 2}, (sn_vec3){0, 0, 1},
                                       &(sn_mat3){{1, 0, 0}, {0, 0, 1}, {0, -1, 0}});
  sn_assert_vec3_near(up.x, ((sn_vec3){0, 0, 1}), 1e-12);
  sn_assert_near(sn_vec3_norm(up.y), 1.0, 1e-12);
  close_head(&f);
}
