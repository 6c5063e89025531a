#include <string.h>

#include "ik/limb/limb_ik.h"
#include "robot.h"
#include "sinew/dense.h"
#include "sinew/kin.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { JOINTS_MAX = 32 };

typedef struct fixture {
  sn_test_robot robot;
  sn_arena arena;
  sn_clock clock;
  sn_random random;
  sn__limb_ik_config config;
  sn__limb_ik limb;
  double q[JOINTS_MAX]; /* sorted pose */
} fixture;

static void open_robot(fixture *f, const char *robot, const char *chain) {
  *f = (fixture){.clock = {0}};
  sn_test_robot_load(&f->robot, robot);
  sn_arena_init_growing(&f->arena, "limb", 0);
  sn_clock_init_simulated(&f->clock, 0);
  sn_random_init(&f->random, 7);
  f->config = (sn__limb_ik_config){.model = f->robot.model,
                                   .chain = (size_t)sn_model_chain_index(f->robot.model, chain),
                                   .with_virtual = true,
                                   .solver = "auto",
                                   .jump_max = 0.5,
                                   .timeout_s = 1.0,
                                   .goes_near = true,
                                   .clock = &f->clock,
                                   .weight_position = 1.0,
                                   .weight_rotation = 1.0};
}

static void create(fixture *f) {
  sn_error err = {.message = ""};
  if (sn__limb_ik_create(&f->arena, &f->config, &f->limb, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
}

static void close_robot(fixture *f) {
  sn_arena_release(&f->arena);
  sn_test_robot_free(&f->robot);
}

/* Positions of the limb inside its limits, @p share of the range from the middle. */
static void draw(fixture *f, double share, double *q) {
  for (size_t i = 0; i < f->limb.count; i++) {
    double lower, upper;
    sn_ik_limits(f->limb.ik, i, &lower, &upper);
    lower = fmax(lower, -2.0);
    upper = fmin(upper, 2.0);
    const double middle = 0.5 * (lower + upper), half = 0.5 * share * (upper - lower);
    q[i] = sn_random_between(&f->random, middle - half, middle + half);
  }
}

static void put(fixture *f, const double *q) {
  for (size_t i = 0; i < f->limb.count; i++) {
    f->q[f->limb.joints[i]] = q[i];
  }
}

static double distance(const double *a, const double *b, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sqrt(sum);
}

/* What a pose costs, written anew: squared angle and squared distance in lengths, Huber beyond a
   tenth, squared distance of the joints. */
static double cost_of(const fixture *f, const sn_pose *target, const double *q) {
  const sn_pose tip = sn_chain_fk(f->limb.chain, q);
  const double angle = sn_vec3_norm(sn_mat3_log(sn_pose_between(*target, tip).rot));
  const double way = sn_vec3_norm(sn_vec3_sub(tip.pos, target->pos)) / f->limb.approach.length_m;
  const double position = way <= 0.1 ? 0.5 * way * way : 0.1 * (way - 0.05);
  const double off = f->limb.nominal == NULL ? 0.0 : distance(q, f->limb.nominal, f->limb.count);
  return 0.5 * f->config.weight_rotation * angle * angle + f->config.weight_position * position +
         0.5 * f->config.weight_nominal * off * off;
}

/* Where the descent ends no joint lowers the cost by moving within its limits: by differences of
   the cost above. */
SN_TEST(limb_out_of_reach_ends_at_a_minimum_of_the_stated_cost) {
  static const double weights[][3] = {{1, 1, 0}, {1, 0.01, 0}, {1, 1, 0.01}, {3, 0.5, 0.2}};
  size_t ended = 0;
  for (size_t w = 0; w < 4; w++) {
    fixture f;
    double nominal[6] = {0.2, 0.3, -0.6, 0.1, 0.8, -0.2}, q[6], away[6];
    open_robot(&f, "arm6", "arm");
    f.config.weight_position = weights[w][0];
    f.config.weight_rotation = weights[w][1];
    f.config.weight_nominal = weights[w][2];
    f.config.nominal = nominal;
    create(&f);
    for (size_t round = 0; round < sn_test_cases(40); round++) {
      draw(&f, 0.6, q);
      draw(&f, 0.9, away);
      sn_pose target = sn_chain_fk(f.limb.chain, away);
      target.pos.z += 3.0; /* the arm is half a metre long */
      for (int i = 0; i < 60; i++) {
        put(&f, q);
        assert_false(sn__limb_ik_solve(&f.limb, f.q, &target, NULL));
        memcpy(q, f.limb.pose, sizeof q);
      }
      const double h = 1e-4, least = cost_of(&f, &target, q);
      bool is_minimum = true;
      for (size_t i = 0; i < 6; i++) {
        for (int side = -1; side <= 1; side += 2) {
          double moved[6], lower, upper;
          memcpy(moved, q, sizeof moved);
          sn_ik_limits(f.limb.ik, i, &lower, &upper);
          moved[i] = fmin(fmax(q[i] + side * h, lower), upper);
          is_minimum = is_minimum && cost_of(&f, &target, moved) >= least - 1e-7;
        }
      }
      ended += is_minimum;
    }
    close_robot(&f);
  }
  assert_true(ended >= 4 * sn_test_cases(40) * 95 / 100); /* the rest is still on a slow way */
}

/* A target that can be reached in position but not turned like that: the smaller the weight of
   rotation, the nearer the tip. */
SN_TEST(weight_of_rotation_trades_angle_for_distance) {
  static const double weights[] = {1.0, 0.03, 0.001};
  double short_m[3], short_rad[3];
  for (size_t w = 0; w < 3; w++) {
    fixture f;
    open_robot(&f, "quadruped", "leg1");
    f.config.weight_rotation = weights[w];
    create(&f);
    double q[6] = {0.1, 0.1, -0.4, 0.9, -0.5, 0.0};
    sn_pose target = sn_chain_fk(f.limb.chain, q);
    target.rot = sn_mat3_mul(target.rot, sn_mat3_from_rpy(0.0, 0.0, 1.2));
    for (int i = 0; i < 100; i++) {
      put(&f, q);
      (void)sn__limb_ik_solve(&f.limb, f.q, &target, NULL);
      memcpy(q, f.limb.pose, sizeof q);
    }
    assert_true(f.limb.failed);
    short_m[w] = f.limb.short_m;
    short_rad[w] = f.limb.short_rad;
    close_robot(&f);
  }
  assert_true(short_m[1] < 0.5 * short_m[0] && short_m[2] < 0.5 * short_m[1]);
  assert_true(short_rad[1] > short_rad[0] && short_rad[2] > short_rad[1]);
}

/* The part of the way from @p q to the nominal pose that does not move the tip, first order: what
   is left of it after least squares over the rows of the Jacobian. */
static double free_way(const fixture *f, unsigned free_axes, const double *q) {
  const size_t n = f->limb.count, first = free_axes == 0 ? 0 : 3, rows = 6 - first;
  double jac[6 * JOINTS_MAX], gram[36] = {0}, x[6] = {0}, sum = 0.0;
  sn_pose tip;
  sn_chain_fk_jacobian(f->limb.chain, q, &tip, jac);
  for (size_t r = 0; r < rows; r++) {
    const double *a = jac + (first + r) * n;
    for (size_t j = 0; j < n; j++) {
      x[r] += a[j] * (f->limb.nominal[j] - q[j]);
      for (size_t c = 0; c < rows; c++) {
        gram[rows * r + c] += a[j] * jac[(first + c) * n + j];
      }
    }
    gram[(rows + 1) * r] += 1e-12;
  }
  assert_true(sn_cholesky_factor(rows, gram));
  sn_cholesky_solve(rows, gram, x);
  for (size_t j = 0; j < n; j++) {
    double way = f->limb.nominal[j] - q[j];
    for (size_t r = 0; r < rows; r++) {
      way -= jac[(first + r) * n + j] * x[r];
    }
    sum += way * way;
  }
  return sqrt(sum);
}

/* A limb with more joints than its target needs goes to the nominal pose little by little, and its
   tip stays. */
SN_TEST(limb_with_a_choice_drifts_to_its_nominal_pose) {
  static const struct {
    const char *robot, *chain;
    unsigned free_axes;
  } cases[] = {{"arm7", "arm", 0}, {"quadruped", "head", SN_IK_FREE_ROTATION}};
  for (size_t c = 0; c < 2; c++) {
    fixture f;
    double nominal[JOINTS_MAX] = {0}, q[JOINTS_MAX];
    open_robot(&f, cases[c].robot, cases[c].chain);
    f.config.free_axes = cases[c].free_axes;
    f.config.nominal = nominal;
    f.config.weight_nominal = 0.05;
    create(&f);
    draw(&f, 0.3, nominal); /* was copied: this one is not seen */
    size_t arrived = 0;
    for (size_t round = 0; round < sn_test_cases(20); round++) {
      draw(&f, 0.5, q);
      const sn_pose target = sn_chain_fk(f.limb.chain, q);
      const double first = free_way(&f, cases[c].free_axes, q);
      double last = distance(q, f.limb.nominal, f.limb.count);
      for (int i = 0; i < 100; i++) {
        put(&f, q);
        assert_true(sn__limb_ik_solve(&f.limb, f.q, &target, NULL));
        for (size_t j = 0; j < f.limb.count; j++) {
          assert_true(fabs(f.limb.pose[j] - q[j]) <= 0.1 * f.limb.jump[j]);
        }
        memcpy(q, f.limb.pose, f.limb.count * sizeof *q);
        const double now = distance(q, f.limb.nominal, f.limb.count);
        assert_true(now <= last + 1e-3);
        last = now;
        sn_assert_vec3_near(sn_chain_fk(f.limb.chain, q).pos, target.pos, 1e-5);
      }
      arrived += free_way(&f, cases[c].free_axes, q) < 0.1 * first + 0.01;
    }
    assert_true(arrived >= sn_test_cases(20) * 9 / 10); /* others are stopped by a limit */
    close_robot(&f);
  }
}

/* A knee that may bend one way only: every solution bends that way. */
SN_TEST(limits_choose_the_branch) {
  fixture f;
  double lower[6] = {-0.6, -0.5, -1.4, 0.05, -1.5, -0.9}, upper[6] = {0.6, 0.8, 1.2, 2.1, 1.0, 9.0};
  open_robot(&f, "quadruped", "leg1");
  f.config.lower = lower;
  f.config.upper = upper;
  f.config.jump_max = 10.0;
  create(&f);
  double low, high;
  sn_ik_limits(f.limb.ik, 3, &low, &high);
  assert_true(low == 0.05);
  sn_ik_limits(f.limb.ik, 5, &low, &high);
  assert_true(high == sn_model_joint(f.robot.model, (size_t)f.limb.joints[5])->upper);
  size_t solved = 0;
  for (size_t round = 0; round < sn_test_cases(500); round++) {
    double q[6];
    draw(&f, 0.9, q);
    const sn_pose target = sn_chain_fk(f.limb.chain, q);
    memset(f.q, 0, sizeof f.q);
    const bool is_solved = sn__limb_ik_solve(&f.limb, f.q, &target, NULL);
    solved += is_solved;
    for (size_t i = 0; i < 6; i++) {
      assert_true(f.limb.pose[i] >= lower[i] && f.limb.pose[i] <= upper[i]);
    }
  }
  assert_int_equal(solved, sn_test_cases(500));
  close_robot(&f);
}

SN_TEST(limits_without_a_range_name_the_joint) {
  fixture f;
  const double lower[6] = {-1, -1, -1, 3.0, -1, -1};
  sn_error err = {.message = ""};
  open_robot(&f, "quadruped", "leg1");
  f.config.lower = lower;
  assert_int_equal(sn__limb_ik_create(&f.arena, &f.config, &f.limb, &err), SN_EMODEL);
  sn_assert_contains(err.message, "joint 'leg1_joint4' has no range left: 3 .. 2.1");
  assert_null(f.limb.ik);
  close_robot(&f);
}

/* The last joint of the arm turns without end: whole turns of it must not move the others. */
SN_TEST(the_middle_that_a_limb_prefers_does_not_depend_on_whole_turns) {
  enum { ARM = 7, LAST = 6 };
  fixture f;
  open_robot(&f, "arm7", "arm");
  create(&f);
  sn__limb_ik_prefer_middle(&f.limb, 1e-3);
  for (size_t round = 0; round < sn_test_cases(100); round++) {
    double q[ARM] = {0}, without[ARM];
    draw(&f, 0.9, q);
    const sn_pose target = sn_chain_fk(f.limb.chain, q);
    put(&f, q);
    assert_true(sn__limb_ik_solve(&f.limb, f.q, &target, NULL));
    memcpy(without, f.limb.pose, sizeof without);
    for (int turns = -3; turns <= 3; turns++) {
      f.q[f.limb.joints[LAST]] = q[LAST] + 6.283185307179586 * turns;
      assert_true(sn__limb_ik_solve(&f.limb, f.q, &target, NULL));
      double found[ARM];
      memcpy(found, f.limb.pose, sizeof found);
      found[LAST] -= 6.283185307179586 * turns;
      assert_true(distance(found, without, ARM) < 1e-6);
    }
  }
  close_robot(&f);
}
