/* Limits of torque and of the tool along a timed path. The tool is measured by where it is: speed,
   acceleration and jerk are differences of its places. Each limit is reached, too: a motion that is
   much slower than it must be would pass the rest. */
#include "sinew/sinew.h"
#include "sn_test.h"

enum { JOINTS = 7, WAYPOINTS = 6, SAMPLES = 4000 };

static const double MARGIN_OF_DIFFERENCES = 1e-4;

typedef struct arm {
  sn_arena arena;
  const sn_chain *chain;
  sn_dyn_data *dyn;
  sn_otg_limits limits[JOINTS];
  sn_retimer *retimer;
  double duration_s;
} arm;

static void arm_open(arm *a) {
  const sn_model *model = NULL;
  sn_arena_init_growing(&a->arena, "arm", 1u << 22);
  assert_int_equal(sn_model_load(&a->arena, SINEW_ROBOTS "/arm7.urdf", &(sn_model_config){0}, NULL,
                                 &model, NULL),
                   SN_OK);
  assert_int_equal(sn_chain_create(&a->arena, model, "base_link", "tool0", &a->chain, NULL), SN_OK);
  assert_int_equal(sn_dyn_create(&a->arena, &a->chain->tree, &a->dyn, NULL), SN_OK);
  assert_int_equal(a->chain->joint_count, JOINTS);
  for (size_t j = 0; j < JOINTS; j++) {
    a->limits[j] = (sn_otg_limits){10.0, 200.0, 10000.0};
  }
}

/* Time a random path with limits beside those of the joints. */
static void arm_move(arm *a, sn_random *random, sn_retimer_config config) {
  double q[WAYPOINTS * JOINTS];
  for (size_t i = 0; i < WAYPOINTS * JOINTS; i++) {
    q[i] = sn_random_between(random, -1.0, 1.0);
  }
  config.joint_count = JOINTS;
  config.waypoint_max = WAYPOINTS;
  config.limits = a->limits;
  config.chain = a->chain;
  const sn_retime_path path = {.q = q, .count = WAYPOINTS};
  assert_int_equal(sn_retimer_create(&a->arena, &config, &a->retimer, NULL), SN_OK);
  assert_int_equal(sn_retime(a->retimer, &path, &a->duration_s, NULL), SN_OK);
}

static sn_vec3 tool_at(const arm *a, double t_s) {
  double q[JOINTS];
  assert_int_equal(sn_retimer_at(a->retimer, t_s, q, NULL, NULL), SN_OK);
  return sn_chain_fk(a->chain, q).pos;
}

/* The greatest derivative of the place of the tool by time over all samples: speed, acceleration
   or jerk. */
static double tool_peak(const arm *a, int order) {
  const double dt = a->duration_s / SAMPLES;
  double most = 0.0;
  for (int k = 0; k + order <= SAMPLES; k++) {
    sn_vec3 rate[4];
    for (int i = 0; i <= order; i++) {
      rate[i] = tool_at(a, (k + i) * dt);
    }
    for (int i = 1; i <= order; i++) {
      for (int m = 0; m <= order - i; m++) {
        rate[m] = sn_vec3_scale(sn_vec3_sub(rate[m + 1], rate[m]), 1.0 / dt);
      }
    }
    most = fmax(most, sn_vec3_norm(rate[0]));
  }
  return most;
}

SN_TEST(tool_speed_is_limited) {
  sn_random random;
  sn_random_init(&random, 1);
  for (int i = 0; i < 30; i++) {
    arm a;
    arm_open(&a);
    const double limit = sn_random_between(&random, 0.1, 0.5);
    arm_move(&a, &random, (sn_retimer_config){.tool_speed_max = limit});
    const double peak = tool_peak(&a, 1);
    assert_true(peak <= limit * (1.0 + 1e-9));
    assert_true(peak >= 0.98 * limit);
    sn_arena_release(&a.arena);
  }
}

SN_TEST(tool_acceleration_is_limited) {
  sn_random random;
  sn_random_init(&random, 2);
  for (int i = 0; i < 30; i++) {
    arm a;
    arm_open(&a);
    const double limit = sn_random_between(&random, 0.3, 3.0);
    arm_move(&a, &random, (sn_retimer_config){.tool_acceleration_max = limit});
    const double peak = tool_peak(&a, 2);
    assert_true(peak <= limit * (1.0 + MARGIN_OF_DIFFERENCES));
    assert_true(peak >= 0.9 * limit);
    sn_arena_release(&a.arena);
  }
}

SN_TEST(tool_jerk_is_limited) {
  sn_random random;
  sn_random_init(&random, 4);
  for (int i = 0; i < 30; i++) {
    arm a;
    arm_open(&a);
    const double limit = sn_random_between(&random, 1.0, 20.0);
    arm_move(&a, &random, (sn_retimer_config){.tool_jerk_max = limit});
    const double peak = tool_peak(&a, 3);
    assert_true(peak <= limit * (1.0 + MARGIN_OF_DIFFERENCES));
    assert_true(peak >= 0.88 * limit);
    sn_arena_release(&a.arena);
  }
}

SN_TEST(torques_are_limited) {
  sn_random random;
  sn_random_init(&random, 3);
  for (int i = 0; i < 30; i++) {
    arm a;
    arm_open(&a);
    static const double torque_max[JOINTS] = {90, 90, 50, 50, 10, 10, 5};
    arm_move(&a, &random, (sn_retimer_config){.torque_max = torque_max});
    double most = 0.0;
    for (int k = 0; k <= SAMPLES; k++) {
      double q[JOINTS];
      double qd[JOINTS];
      double qdd[JOINTS];
      double torque[JOINTS];
      const double t = a.duration_s * k / SAMPLES;
      assert_int_equal(sn_retimer_at(a.retimer, t, q, qd, qdd), SN_OK);
      sn_dyn_inverse(a.dyn, NULL, q, qd, qdd, torque, NULL);
      for (size_t j = 0; j < JOINTS; j++) {
        most = fmax(most, fabs(torque[j]) / torque_max[j]);
      }
    }
    assert_true(most <= 1.0 + 1e-9);
    assert_true(most >= 0.98);
    sn_arena_release(&a.arena);
  }
}
