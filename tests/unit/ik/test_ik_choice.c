/* Which of several solutions a query returns: the nearest by a chosen measure, or the cheapest.
   The oracle computes distances and costs of all solutions independently. */
#include <math.h>
#include <string.h>

#include "ik_robot.h"

enum { JOINTS = 6, SOLUTIONS_MAX = 32, ROUNDS = 200 };

static const char *const tool[] = {"tool0"};

/* All solutions of one target, and a seed. */
typedef struct choice {
  ik_robot robot;
  sn_random random;
  sn_pose pose;
  double seed[JOINTS];
  double all[SOLUTIONS_MAX * JOINTS];
  size_t count;
} choice;

static void open_choice(choice *c) {
  memset(c, 0, sizeof *c);
  robot_open(&c->robot, "arm_ur", tool, 1, NULL);
  assert_int_equal(c->robot.n, JOINTS);
  sn_random_init(&c->random, 5);
}

static void draw(choice *c) {
  double q[JOINTS];
  robot_draw(&c->robot, &c->random, q);
  robot_draw(&c->robot, &c->random, c->seed);
  assert_int_equal(sn_ik_fk(c->robot.ik, tool, 1, q, JOINTS, &c->pose), SN_IK_OK);
  sn_ik_result result;
  assert_int_equal(sn_ik_get_all(c->robot.ik, &c->pose, 1, c->seed, JOINTS, NULL, c->all,
                                 SOLUTIONS_MAX, &result),
                   SN_IK_OK);
  c->count = result.solution_count;
}

/* ---- measures ---- */

static double measure(const choice *c, const sn_ik_options *options, const double *q) {
  double sum = 0.0, squares = 0.0, largest = 0.0;
  for (size_t i = 0; i < JOINTS; i++) {
    const double d =
        fabs(q[i] - c->seed[i]) * (options->weights == NULL ? 1.0 : options->weights[i]);
    sum += d;
    squares += d * d;
    largest = fmax(largest, d);
  }
  return options->measure == SN_IK_LEAST_SUM       ? sum
         : options->measure == SN_IK_LEAST_LARGEST ? largest
                                                   : sqrt(squares);
}

static double least(const choice *c, const sn_ik_options *options) {
  double best = INFINITY;
  for (size_t k = 0; k < c->count; k++) {
    best = fmin(best, measure(c, options, c->all + k * JOINTS));
  }
  return best;
}

/* @return how often the choice was not the one by the Euclidean distance */
static int check_measure(choice *c, const sn_ik_options *options) {
  int others = 0;
  for (int round = 0; round < ROUNDS; round++) {
    double solution[JOINTS], plain[JOINTS];
    draw(c);
    assert_int_equal(sn_ik_get_position(c->robot.ik, &c->pose, c->seed, JOINTS, options, solution),
                     SN_IK_OK);
    sn_assert_near(measure(c, options, solution), least(c, options), 1e-6);
    assert_int_equal(sn_ik_get_position(c->robot.ik, &c->pose, c->seed, JOINTS, NULL, plain),
                     SN_IK_OK);
    others += measure(c, options, plain) > least(c, options) + 1e-3;
  }
  return others;
}

SN_TEST(nearest_solution_is_that_of_the_measure) {
  static choice c;
  const double weights[] = {0.1, 3.0, 1.0, 0.0, 5.0, 0.2};
  open_choice(&c);
  const sn_ik_options cases[] = {
      {.measure = SN_IK_EUCLIDEAN},
      {.measure = SN_IK_LEAST_SUM},
      {.measure = SN_IK_LEAST_LARGEST},
      {.measure = SN_IK_EUCLIDEAN, .weights = weights, .weight_count = JOINTS},
      {.measure = SN_IK_LEAST_SUM, .weights = weights, .weight_count = JOINTS},
      {.measure = SN_IK_LEAST_LARGEST, .weights = weights, .weight_count = JOINTS}};
  assert_int_equal(check_measure(&c, &cases[0]), 0);
  for (size_t i = 1; i < sizeof cases / sizeof *cases; i++) {
    assert_true(check_measure(&c, &cases[i]) > 0);
  }
  robot_close(&c.robot);
}

/* ---- costs ---- */

typedef struct price {
  const choice *choice;
  size_t calls;
} price;

/* Far from the seed is cheap, so that the order is not that of the distance; an elbow that is bent
   backwards costs infinitely much. */
static double price_of(void *context, const sn_pose *poses, const double *q) {
  price *p = context;
  p->calls++;
  assert_true(poses->pos.x == p->choice->pose.pos.x);
  const sn_ik_options plain = {.measure = SN_IK_EUCLIDEAN};
  return q[2] < 0.0 ? NAN : -measure(p->choice, &plain, q);
}

static double cheapest(const choice *c, price *p) {
  double best = INFINITY;
  for (size_t k = 0; k < c->count; k++) {
    best = fmin(best, price_of(p, &c->pose, c->all + k * JOINTS));
  }
  return best;
}

SN_TEST(cheapest_solution_is_returned) {
  static choice c;
  open_choice(&c);
  price p = {.choice = &c};
  const sn_ik_options options = {.cost = price_of, .cost_context = &p};
  for (int round = 0; round < ROUNDS; round++) {
    double solution[JOINTS], all[SOLUTIONS_MAX * JOINTS];
    sn_ik_result result;
    draw(&c);
    const double best = cheapest(&c, &p);
    assert_int_equal(
        sn_ik_search(c.robot.ik, &c.pose, 1, c.seed, JOINTS, 1.0, &options, solution, &result),
        SN_IK_OK);
    assert_true(result.cost == best || fabs(result.cost - best) < 1e-6);
    assert_true(isinf(best) || fabs(price_of(&p, &c.pose, solution) - best) < 1e-6);
    assert_int_equal(sn_ik_get_all(c.robot.ik, &c.pose, 1, c.seed, JOINTS, &options, all,
                                   SOLUTIONS_MAX, &result),
                     SN_IK_OK);
    assert_int_equal(result.solution_count, c.count);
    for (size_t k = 1; k < result.solution_count; k++) {
      const double before = price_of(&p, &c.pose, all + (k - 1) * JOINTS);
      const double after = price_of(&p, &c.pose, all + k * JOINTS);
      assert_true(isnan(after) || before <= after);
    }
  }
  robot_close(&c.robot);
}
