/* Pure rotation of a tool: its centre stays, whatever joints are at their limits.
   SINEW_TEST_SCALE=n makes n times as many random rotations of it, SINEW_TEST_SEED=n other ones. */
#include "jog_rig.h"
#include "sn_test.h"

static const double PI = 3.141592653589793;
enum { ARM_COUNT = 4 };
static const char *const ARMS[ARM_COUNT] = {"arm6", "arm_ur", "arm7", "arm_panda"};

/* How a rotation ended. */
typedef struct rotation {
  double turned, moved; /* rad; m: the farthest that the centre has been from where it began */
} rotation;

/* By 360 degrees, or until it is at rest, or for half a minute. */
static rotation turn(jog_arm *a, size_t axis, double speed) {
  const sn_vec3 centre = sn_chain_fk(a->chain, a->q).pos;
  double v[6] = {0.0};
  v[axis] = speed;
  const sn__servo_command command = jog_twist(SN__SERVO_TOOL, v);
  rotation out = {0.0, 0.0};
  sn_mat3 last = sn_chain_fk(a->chain, a->q).rot;
  int rest = 0;
  for (int k = 0; k < 30000 && rest < 1000 && out.turned < 2.0 * PI; k++) {
    jog_step(a, &command);
    const sn_pose tool = sn_chain_fk(a->chain, a->q);
    const double angle = jog_angle(tool.rot, last);
    out.moved = fmax(out.moved, sn_vec3_norm(sn_vec3_sub(tool.pos, centre)));
    out.turned += angle;
    rest = angle < 1e-6 ? rest + 1 : 0;
    last = tool.rot;
  }
  return out;
}

/* The joint that is said to stop it really is at a limit. */
static bool is_at_limit(const jog_arm *a) {
  const int j = a->outcome.joint;
  return a->outcome.reason == SN__JOG_LIMIT && j >= 0 &&
         fmin(a->q[j] - a->chain->lower[j], a->chain->upper[j] - a->q[j]) < 0.01;
}

SN_TEST(the_tool_turns_by_360_degrees_or_to_a_limit) {
  static const double ready[][JOG_JOINTS] = {{0.2, 0.3, 0.4, 0.1, 0.9, 0.0},
                                             {0.3, -1.2, 1.4, -0.5, 1.2, 0.1},
                                             {0.2, 0.5, 0.1, 1.2, 0.1, 0.9, 0.0},
                                             {0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785}};
  for (size_t i = 0; i < ARM_COUNT; i++) {
    for (size_t axis = 0; axis < 3; axis++) {
      jog_arm a;
      jog_open(&a, ARMS[i], ready[i]);
      const rotation r = turn(&a, axis, 0.5);
      print_message("%s, axis %zu: turned by %.3f rad, moved by %.2f um\n", ARMS[i], axis, r.turned,
                    1e6 * r.moved);
      assert_true(r.moved <= 20e-6);
      assert_true(r.turned >= 2.0 * PI || (r.turned > 1.0 && is_at_limit(&a)));
      jog_close(&a);
    }
  }
}

/* In the middle part of the range of each joint, so that the arm has somewhere to go. */
static void random_pose(const jog_arm *a, sn_random *random, double *q) {
  for (size_t j = 0; j < a->chain->joint_count; j++) {
    const double lower = fmax(a->chain->lower[j], -PI);
    const double upper = fmin(a->chain->upper[j], PI);
    q[j] = sn_random_between(random, 0.9 * lower + 0.1 * upper, 0.1 * lower + 0.9 * upper);
  }
}

static void turn_from_random_poses(const char *name, uint64_t seed) {
  sn_random random;
  sn_random_init(&random, seed);
  jog_arm a;
  jog_open(&a, name, NULL);
  double worst = 0.0;
  for (size_t k = 0; k < sn_test_cases(3); k++) {
    double q[JOG_JOINTS];
    random_pose(&a, &random, q);
    for (size_t way = 0; way < 6; way++) {
      jog_begin(&a, q);
      const rotation r = turn(&a, way % 3, way < 3 ? 0.5 : -0.5);
      worst = fmax(worst, r.moved);
      if (r.moved > 20e-6) {
        fail_msg("%s, pose %zu of seed %d, way %zu: moved by %.2f um after %.3f rad", name, k,
                 (int)seed, way, 1e6 * r.moved, r.turned);
      }
    }
  }
  print_message("%s: %.2f um\n", name, 1e6 * worst);
  jog_close(&a);
}

SN_TEST(the_centre_stays_within_20_micrometres_from_any_pose) {
  for (size_t i = 0; i < ARM_COUNT; i++) {
    turn_from_random_poses(ARMS[i], sn_test_seed(40) + i);
  }
}

/* Where joints have to brake that others cannot make up for: next to a wrist, or a shoulder, in
   which a direction is nearly lost, and with several joints close to their limits. */
typedef struct hard_case {
  const char *arm;
  size_t axis;
  double speed;
  double q[JOG_JOINTS];
} hard_case;

static const hard_case HARD[] = {
    {"arm6", 2, 0.5, {1.495061, 1.360767, -1.513050, 0.242317, -0.126571, -2.269229}},
    {"arm6", 1, -0.5, {-0.100113, 1.832594, -0.413588, 0.381288, -0.959773, -0.722538}},
    {"arm_ur", 1, 0.5, {-0.562843, -2.173157, 1.112612, 0.649576, 0.070106, 0.942326}},
    {"arm_panda",
     1,
     0.5,
     {-2.085985, -0.889666, -2.025870, -2.470316, 1.015106, 1.345355, 1.125257}},
    {"arm_panda",
     1,
     -0.5,
     {-0.104677, -0.910563, 2.151086, -1.520761, -1.102331, 1.930056, -0.280618}},
};
enum { HARD_COUNT = sizeof HARD / sizeof *HARD };

SN_TEST(the_centre_stays_where_joints_have_to_brake) {
  for (size_t i = 0; i < HARD_COUNT; i++) {
    jog_arm a;
    jog_open(&a, HARD[i].arm, HARD[i].q);
    const rotation r = turn(&a, HARD[i].axis, HARD[i].speed);
    if (r.moved > 20e-6) {
      fail_msg("case %zu, %s: moved by %.2f um", i, HARD[i].arm, 1e6 * r.moved);
    }
    jog_close(&a);
  }
}

/* From full speed: the acceleration of the tool, and the jerk that ends it; twice that where joints
   have to stop together. */
static const double STOP_S = 2.0 * (0.25 + 0.1);

/* The key is released at a random instant. @return how far the centre moves from there on */
static double release(jog_arm *a, const sn__servo_command *command, int cycles) {
  const sn__servo_command still = {.kind = SN__SERVO_STILL, .speed = 1.0};
  jog_steps(a, command, cycles);
  const sn_vec3 centre = sn_chain_fk(a->chain, a->q).pos;
  double moved = 0.0;
  int left = (int)(1000.0 * STOP_S);
  do {
    jog_step(a, &still);
    moved = fmax(moved, sn_vec3_norm(sn_vec3_sub(sn_chain_fk(a->chain, a->q).pos, centre)));
  } while (!a->outcome.is_still && left-- > 0);
  assert_true(a->outcome.is_still);
  return moved;
}

SN_TEST(a_rotation_that_is_released_stops_in_time_and_keeps_the_centre) {
  sn_random random;
  sn_random_init(&random, sn_test_seed(50));
  for (size_t i = 0; i < ARM_COUNT; i++) {
    jog_arm a;
    jog_open(&a, ARMS[i], NULL);
    for (size_t k = 0; k < sn_test_cases(30); k++) {
      double q[JOG_JOINTS];
      double v[6] = {0.0};
      random_pose(&a, &random, q);
      jog_begin(&a, q);
      v[sn_random_below(&random, 3)] = sn_random_between(&random, -1.0, 1.0);
      const sn__servo_command command = jog_twist(SN__SERVO_TOOL, v);
      const double moved = release(&a, &command, (int)sn_random_below(&random, 3000));
      if (moved > 20e-6) {
        fail_msg("%s, case %zu: moved by %.2f um", ARMS[i], k, 1e6 * moved);
      }
    }
    jog_close(&a);
  }
}
