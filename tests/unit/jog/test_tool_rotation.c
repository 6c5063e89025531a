/* Pure rotation of a tool: its centre stays, whatever joints are at their limits. */
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
    turn_from_random_poses(ARMS[i], 40 + i);
  }
}
