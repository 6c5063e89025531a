/* The stated deviations of identified servos with load friction cover the truth: 1.96 of them in 95
   % of all cases, within 3 %. SINEW_TEST_SCALE=50 makes it a thousand servos, enough to judge each
   parameter alone; a few servos are judged by all of their parameters together. Servo k has the
   seed SINEW_TEST_SEED + k, so pieces of a long run have seeds that are as far apart as they are
   long. */
#include "ident/output_error/oe_fit.h"
#include "pendulum_rig.h"
#include "sinew/arena.h"
#include "sn_test.h"

enum { LOGS = 8, SAMPLES = 800, TRIALS = 20, COLOURED_TRIALS = 10, SPEED_TRIALS = 10 };

#define COVERED_MIN 0.92
#define COVERED_MAX 0.98
/* Mean squares of errors in deviations with which normal errors are covered as often. */
#define SQUARE_MIN 0.710 /* (1.96 / 2.326)^2: 98 % */
#define SQUARE_MAX 1.253 /* (1.96 / 1.751)^2: 92 % */
#define CHANCE 3.0 /* standard deviations of a binomial count: one in seven hundred is beyond */

static sn__log_sample samples[LOGS][SAMPLES];
static sn__servo_log logs[LOGS];

static void record(const pendulum_rig *servo, sn_random *r) {
  for (size_t k = 0; k < LOGS; k++) {
    pendulum_rig rig = *servo;
    rig.motion = (int)(k % 4);
    rig.gain = k < 4 ? 400 : 200;
    logs[k] = pendulum_rig_record(&rig, r, samples[k], SAMPLES);
  }
}

static void vary(sn_random *r, pendulum_rig *rig) {
  sn_servo_params *p = &rig->servo.params;
  double *const values[] = {&p->alpha[0],    &p->alpha[1],    &p->alpha[2],    &p->alpha[3],
                            &p->inertia,     &p->ext.load[0], &p->ext.load[1], &p->ext.back_emf,
                            &p->ext.delay_s, &p->qs};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    *values[i] *= sn_random_between(r, 0.8, 1.25);
  }
  p->ext.back_emf = fmin(p->ext.back_emf, 0.9 * p->alpha[0]);
  rig->servo.zero_rad = sn_random_between(r, -0.02, 0.02);
}

static void truth_of(const pendulum_rig *rig, double truth[SN__OE_COUNT]) {
  const sn_servo_params *p = &rig->servo.params;
  memset(truth, 0, SN__OE_COUNT * sizeof *truth);
  truth[SN__OE_ALPHA0] = p->alpha[0] - p->ext.back_emf;
  truth[SN__OE_ALPHA1] = p->alpha[1];
  truth[SN__OE_ALPHA2] = p->alpha[2];
  truth[SN__OE_ALPHA3] = p->alpha[3];
  truth[SN__OE_QS] = p->qs;
  truth[SN__OE_INERTIA] = p->inertia;
  truth[SN__OE_BACK_EMF] = p->ext.back_emf;
  truth[SN__OE_LOAD] = p->ext.load[0];
  truth[SN__OE_LOAD_SQUARE] = p->ext.load[1];
  truth[SN__OE_ZERO] = rig->servo.zero_rad;
  truth[SN__OE_DELAY] = p->ext.delay_s;
}

static sn__oe_result identify(const pendulum_rig *rig) {
  const sn_servo_params *p = &rig->servo.params;
  const sn_servo_params known = {.kp = p->kp,
                                 .kgear = p->kgear,
                                 .qs = 0.1,
                                 .delta = p->delta,
                                 .ext.drive_max = p->ext.drive_max};
  sn_arena arena;
  sn_arena_init_growing(&arena, "fit", 1 << 16);
  const sn__oe_config config = {.model = SN__OE_FULL, .start_count = 3};
  sn__oe_result result;
  sn_error err;
  assert_int_equal(sn__oe_fit(&arena, &config, &known, logs, LOGS, &result, &err), SN_OK);
  sn_arena_release(&arena);
  return result;
}

/* Of independent numbers, for their mean and how well that is known. */
typedef struct sum {
  double count, of_values, of_squares;
} sum;

static void add(sum *s, double value) {
  s->count += 1.0;
  s->of_values += value;
  s->of_squares += value * value;
}

static double mean_of(const sum *s) {
  return s->of_values / s->count;
}

static double mean_std(const sum *s) {
  const double variance = s->of_squares / s->count - mean_of(s) * mean_of(s);
  return sqrt(fmax(variance, 0.0) / (s->count - 1.0));
}

typedef struct coverage {
  double covered[SN__OE_COUNT];
  double square[SN__OE_COUNT], mean[SN__OE_COUNT]; /* of errors in deviations */
  sum pooled_covered, pooled_square;               /* per servo: mean over its parameters */
  double trials;
} coverage;

static void add_trial(const double truth[SN__OE_COUNT], const sn__oe_result *result, coverage *c) {
  double covered = 0.0, square = 0.0, count = 0.0;
  for (int i = 0; i < SN__OE_COUNT; i++) {
    if (!result->is_free[i]) {
      continue;
    }
    const double z = (result->value[i] - truth[i]) / result->std[i];
    const double is_covered = fabs(z) <= 1.96 ? 1.0 : 0.0;
    c->covered[i] += is_covered;
    c->square[i] += z * z;
    c->mean[i] += z;
    covered += is_covered;
    square += z * z;
    count += 1.0;
  }
  add(&c->pooled_covered, covered / count);
  add(&c->pooled_square, square / count);
  c->trials += 1.0;
}

/* A count that a coverage between the bounds makes likely enough. */
static void expect_covered(double covered, double trials) {
  const double spread_min = sqrt(trials * COVERED_MIN * (1.0 - COVERED_MIN));
  const double spread_max = sqrt(trials * COVERED_MAX * (1.0 - COVERED_MAX));
  assert_true(covered >= trials * COVERED_MIN - CHANCE * spread_min);
  assert_true(covered <= trials * COVERED_MAX + CHANCE * spread_max);
}

/* The errors of one servo depend on each other, those of two servos do not: the scatter between
   servos says how well a mean over all parameters is known. */
static void expect_within(const char *what, const sum *s, double min, double max) {
  print_message("all parameters: %s %.3f +- %.3f\n", what, mean_of(s), mean_std(s));
  assert_true(mean_of(s) >= min - CHANCE * mean_std(s));
  assert_true(mean_of(s) <= max + CHANCE * mean_std(s));
}

/* @param noisy  the noise of its rig counts */
static void expect_coverage(const pendulum_rig *noisy, size_t trials) {
  coverage c = {.trials = 0.0};
  sn__oe_result result = {0};
  const uint64_t seed = sn_test_seed(9000);
  for (size_t k = 0; k < trials; k++) {
    sn_random r;
    sn_random_init(&r, seed + k);
    pendulum_rig rig = pendulum_rig_make();
    rig.noise_rad = noisy->noise_rad;
    rig.colour_s = noisy->colour_s;
    rig.time_noise_s = noisy->time_noise_s;
    vary(&r, &rig);
    record(&rig, &r);
    double truth[SN__OE_COUNT];
    truth_of(&rig, truth);
    result = identify(&rig);
    add_trial(truth, &result, &c);
  }
  for (int i = 0; i < SN__OE_COUNT; i++) {
    if (result.is_free[i]) {
      print_message("%-18s covered in %5.1f %%, mean %5.2f and rms %4.2f deviations\n",
                    sn__oe_name(&result, (sn__oe_param)i), 100.0 * c.covered[i] / c.trials,
                    c.mean[i] / c.trials, sqrt(c.square[i] / c.trials));
    }
  }
  for (int i = 0; i < SN__OE_COUNT; i++) {
    if (result.is_free[i]) {
      expect_covered(c.covered[i], c.trials);
    }
  }
  expect_within("covered", &c.pooled_covered, COVERED_MIN, COVERED_MAX);
  expect_within("square in deviations", &c.pooled_square, SQUARE_MIN, SQUARE_MAX);
}

SN_TEST(deviations_cover_the_truth_as_often_as_they_say) {
  const pendulum_rig white = pendulum_rig_make();
  expect_coverage(&white, sn_test_cases(TRIALS));
}

/* Neighbouring errors are alike for a while: there are fewer of them than rows. */
SN_TEST(deviations_cover_the_truth_with_coloured_noise) {
  pendulum_rig coloured = pendulum_rig_make();
  coloured.colour_s = 0.02;
  expect_coverage(&coloured, sn_test_cases(COLOURED_TRIALS));
}

/* Times that jitter displace a fast joint by more than a slow one. */
SN_TEST(deviations_cover_the_truth_with_noise_that_grows_with_speed) {
  pendulum_rig jittery = pendulum_rig_make();
  jittery.noise_rad = 0.0003;
  jittery.time_noise_s = 0.0005;
  expect_coverage(&jittery, sn_test_cases(SPEED_TRIALS));
}
