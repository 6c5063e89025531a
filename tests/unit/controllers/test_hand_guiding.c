/* HandGuiding on the desktop arm with servos of the library, coarse encoders and noise. The figures
   of docs/low-cost-arm.md: SINEW_TEST_SCALE=20; SINEW_TEST_SEED=n makes other pushes. */
#include <math.h>

#include "guided_rig.h"
#include "sinew/random.h"
#include "sn_test.h"

static const char READY[] = "{shoulder_lift: -0.5, elbow_flex: 0.7, wrist_flex: 0.8}";
static const double SPEED_MAX = 1.0; /* the default of the property */
static const double SOFT = 0.02;     /* a hand whose force changes within 50 ms */

static void run(guided_rig *b, int cycles) {
  for (int k = 0; k < cycles; k++) {
    guided_cycle(b);
  }
}

static void open_guided(guided_rig *b, const char *pose, const char *settings) {
  guided_open(b, pose, settings, false);
  assert_true(sn_deployed_switch(&b->d, "guide", true, NULL));
  run(b, 2000);
}

static double farthest(const double *a, const double *b) {
  double most = 0.0;
  for (size_t j = 0; j < GUIDED_JOINTS; j++) {
    most = fmax(most, fabs(a[j] - b[j]));
  }
  return most;
}

/* What the servo of a joint (guided_rig.c) takes before it slips, N·m: its static friction, which
   grows with the load.  @param tau  that it delivers */
static double static_friction(double tau) {
  return (1.265 + 1.567 * fabs(tau)) / 6.776;
}

/* The least force that can start a joint, by its lever: a joint at rest shows nothing of a push
   until that overcomes the static friction of its gears, so no controller starts below this. */
static double force_to_slip(double lever, double weight_Nm) {
  double force = 0.0;
  while (force < 100.0 && fabs(lever) * force < static_friction(weight_Nm - lever * force)) {
    force += 0.01;
  }
  return force;
}

/* Torque on a joint of a force on the tool. */
static double torque_of(guided_rig *b, sn_vec3 force, size_t j) {
  static const double DIFFERENCE = 1e-6;
  double q[GUIDED_JOINTS];
  memcpy(q, b->at, sizeof q);
  const double before = sn_vec3_dot(guided_tool(b, q), force);
  q[j] += DIFFERENCE;
  return (sn_vec3_dot(guided_tool(b, q), force) - before) / DIFFERENCE;
}

static double friction_bound(guided_rig *b, sn_vec3 direction) {
  double least = INFINITY;
  for (size_t j = 0; j < GUIDED_JOINTS; j++) {
    least = fmin(least, force_to_slip(torque_of(b, direction, j), b->effort[j]));
  }
  return least;
}

/* The force grows by 1 N/s until a joint is commanded away. */
static double force_to_start(const char *pose, sn_vec3 direction, double *bound) {
  guided_rig b;
  double before[GUIDED_JOINTS];
  double force = 0.0;
  open_guided(&b, pose, "");
  *bound = friction_bound(&b, direction);
  memcpy(before, b.q, sizeof before);
  while (force < 20.0 && farthest(b.q, before) < 0.002) {
    force += 0.001;
    guided_push(&b, sn_vec3_scale(direction, force));
    guided_cycle(&b);
  }
  guided_close(&b);
  return force;
}

static const sn_vec3 DIRECTIONS[] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                     {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};

SN_TEST(three_newtons_at_the_tool_move_a_bent_arm) {
  static const char *const poses[] = {READY,
                                      "{shoulder_lift: 0.2, elbow_flex: 0.5, wrist_flex: 0.6}",
                                      "{shoulder_lift: -1, elbow_flex: 1.2, wrist_flex: 0.9}"};
  double most = 0.0;
  for (size_t p = 0; p < 3; p++) {
    for (size_t i = 0; i < 6; i++) {
      double bound;
      most = fmax(most, force_to_start(poses[p], DIRECTIONS[i], &bound));
    }
  }
  print_message("force to start: at most %.2f N\n", most);
  assert_true(most <= 3.0);
  assert_true(most > 0.5); /* it is not adrift either */
}

/* Upper arm and forearm in one line, level: along it no joint has a lever, so friction alone takes
   more than three newtons. Across it they are enough. */
SN_TEST(stretched_arm_needs_no_more_than_its_friction_explains) {
  static const char *const poses[] = {"{}",
                                      "{shoulder_lift: 1.3, elbow_flex: -1.4, wrist_flex: 0}"};
  for (size_t p = 0; p < 2; p++) {
    for (size_t i = 0; i < 6; i++) {
      double bound;
      const double force = force_to_start(poses[p], DIRECTIONS[i], &bound);
      print_message("pose %zu, direction %zu: %.2f N, by friction at least %.2f N\n", p, i, force,
                    bound);
      assert_true(force <= fmax(3.0, 1.5 * bound)); /* static friction alone needs the bound */
    }
  }
}

SN_TEST(arm_without_a_hand_stays) {
  guided_rig b;
  double before[GUIDED_JOINTS], begin[GUIDED_JOINTS] = {0}, end[GUIDED_JOINTS] = {0};
  const int second = 1000, seconds = 3 * (int)sn_test_cases(10);
  open_guided(&b, READY, "");
  memcpy(before, b.q, sizeof before);
  for (int k = 0; k < seconds * second; k++) {
    guided_cycle(&b);
    for (size_t j = 0; j < GUIDED_JOINTS; j++) {
      begin[j] += k < second ? b.at[j] / second : 0.0;
      end[j] += k >= (seconds - 1) * second ? b.at[j] / second : 0.0;
    }
  }
  const double drift = farthest(begin, end);
  print_message("hold: the arm drifts by %.3f mrad in %d s\n", 1e3 * drift, seconds);
  assert_true(farthest(b.q, before) == 0.0); /* the command does not move at all */
  assert_true(drift <= 1e-3 * seconds / 60.0);
  guided_close(&b);
}

/* Pushes of up to 8 N in any direction, each for up to two seconds, and pauses.
   @param hand     share of the way to the wanted force in a cycle
   @param fastest  commanded; in the plant; there, against the torque of the hand */
static void push_at_random(guided_rig *b, sn_random *random, int seconds, double hand,
                           double *fastest) {
  sn_vec3 wanted = {0, 0, 0}, force = {0, 0, 0};
  int next = 0;
  for (int k = 0; k < 1000 * seconds; k++) {
    if (k == next) {
      next += 200 + (int)sn_random_below(random, 1800);
      const double size = sn_random_below(random, 3) == 0 ? 0.0 : 8.0;
      wanted = sn_vec3_make(sn_random_between(random, -size, size),
                            sn_random_between(random, -size, size),
                            sn_random_between(random, -size, size));
    }
    force = sn_vec3_add(force, sn_vec3_scale(sn_vec3_sub(wanted, force), hand));
    guided_push(b, force);
    guided_cycle(b);
    for (size_t j = 0; j < GUIDED_JOINTS; j++) {
      if (!(fabs(b->qd[j]) <= SPEED_MAX + 1e-12)) {
        fail_msg("joint %zu is commanded %.6f rad/s after %d ms, at %.4f", j, b->qd[j], k, b->q[j]);
      }
      fastest[0] = fmax(fastest[0], fabs(b->qd[j]));
      fastest[1] = fmax(fastest[1], fabs(b->at_speed[j]));
      if (fabs(b->at_speed[j]) > fastest[2] && torque_of(b, force, j) * b->at_speed[j] <= 0.0) {
        fastest[2] = fabs(b->at_speed[j]);
      }
    }
  }
}

static void check_random(const char *settings) {
  guided_rig b;
  double before[GUIDED_JOINTS], fastest[3] = {0};
  sn_random random;
  sn_random_init(&random, sn_test_seed(1));
  const int seconds = 3 * (int)sn_test_cases(10);
  open_guided(&b, READY, settings);
  memcpy(before, b.q, sizeof before);
  push_at_random(&b, &random, seconds, SOFT, fastest);
  assert_true(farthest(b.q, before) > 0.1); /* it did yield */
  guided_push(&b, sn_vec3_make(0, 0, 0));
  run(&b, 4000);
  memcpy(before, b.q, sizeof before);
  run(&b, 2000);
  assert_true(farthest(b.q, before) == 0.0); /* and is at rest again */
  print_message("%d s of pushes: at most %.3f rad/s commanded, %.3f rad/s in the plant\n", seconds,
                fastest[0], fastest[1]);
  assert_true(fastest[1] <= SPEED_MAX); /* the arm itself, not only its command */
  guided_close(&b);
}

SN_TEST(random_pushes_never_exceed_the_speed_and_end_at_rest) {
  check_random("");
}

/* Every servo differs from its model: more friction, less gain, more volts per torque. */
SN_TEST(models_that_are_off_by_a_tenth_do) {
  check_random(
      "  servo_inv_7param:\n    properties: {default_servo_model: {kp: 35, alpha: [9.8, 0, 1.14, "
      "7.4], qs: 0.2063, delta: 1, inertia: 0.0576, load_friction: [1.4, 0]}}\n"
      "  guide:\n    properties: {default_servo_model: {kp: 35, alpha: [9.8, 0, 1.14, 7.4], qs: "
      "0.2063, delta: 1, inertia: 0.0576, load_friction: [1.4, 0]}}\n");
}

/* A push that is there at once makes a joint fast before anything can be measured. Not so when it
   ends at once: then only the servo moves the joint. */
SN_TEST(servo_never_throws_the_arm_back_when_the_hand_lets_go_at_once) {
  guided_rig b;
  double fastest[3] = {0};
  sn_random random;
  sn_random_init(&random, sn_test_seed(2));
  open_guided(&b, READY, "");
  push_at_random(&b, &random, 3 * (int)sn_test_cases(10), 1.0, fastest);
  print_message("sudden pushes: at most %.3f rad/s, against the hand or without it %.3f rad/s\n",
                fastest[1], fastest[2]);
  assert_true(fastest[2] <= SPEED_MAX);
  guided_close(&b);
}

SN_TEST(arm_without_positions_is_held) {
  guided_rig b;
  double before[GUIDED_JOINTS];
  open_guided(&b, READY, "");
  guided_push(&b, sn_vec3_make(0, 6, 0));
  run(&b, 300);
  assert_true(fabs(b.qd[0]) > 0.1);
  assert_int_equal(sn_deployed_count_log(&b.d, "nothing arrives"), 0);
  assert_int_equal(sn_deployed_set(&b.d, "plant", "message_loss_rate", "1"), SN_OK);
  run(&b, 200);
  assert_int_equal(sn_deployed_count_log(&b.d, "nothing arrives on in_joints_measured"), 1);
  memcpy(before, b.q, sizeof before);
  run(&b, 500);
  assert_true(farthest(b.q, before) == 0.0);
  guided_close(&b);
}

SN_TEST(settings_that_contradict_are_refused) {
  static const char *const cases[][2] = {
      {"  guide: {properties: {torque_start: 0.1, torque_keep: 0.1}}\n", "torque_keep"},
      {"  other: {type: HandGuiding}\n", "volts per torque"},
      {"  guide: {properties: {default_servo_model: {kp: -1}}}\n", "kp"},
  };
  for (size_t i = 0; i < 3; i++) {
    char problem[2000];
    guided_refused(cases[i][0], problem, sizeof problem);
    sn_assert_contains(problem, cases[i][1]);
  }
}
