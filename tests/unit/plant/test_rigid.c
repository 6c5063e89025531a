/* Sinew's physics against energy, articulated bodies and the laws of each joint. */
#include <string.h>
#include <time.h>

#include "plant/physics.h"
#include "plant/rigid/axle_load.h"
#include "random_tree.h"
#include "sinew/dyn.h"
#include "sinew/random.h"
#include "sinew/servo_model.h"
#include "sn_test.h"

#define COORDS_MAX 64

typedef struct fixture {
  sn_arena arena;
  sn_random random;
  sn_tree *tree;
  sn_dyn_data *dyn;
  sn__rigid *rigid;
  size_t n;
  bool has_gears; /* some axles have */
  sn__axle axles[COORDS_MAX];
  sn_servo_params gears[COORDS_MAX];
  double q[COORDS_MAX], qd[COORDS_MAX], qdd[COORDS_MAX], load[COORDS_MAX];
  sn__joint_motion motion;
} fixture;

static const sn_vec3 GRAVITY = {0.3, -0.5, -9.81};

static void open_with(fixture *f, uint64_t seed, size_t bodies_max, bool any) {
  memset(f, 0, sizeof *f);
  sn_arena_init_growing(&f->arena, "test", 0);
  sn_random_init(&f->random, seed);
  const size_t bodies = 1 + (size_t)sn_random_below(&f->random, bodies_max);
  f->tree =
      any ? sn_test_any_tree(&f->arena, &f->random, bodies)
          : sn_test_random_tree(&f->arena, &f->random,
                                &(sn_test_tree_config){
                                    .body_count = bodies, .prismatic_share = 0.2, .shuffle = true});
  f->n = f->tree->coord_count;
  assert_true(f->n <= COORDS_MAX);
  assert_int_equal(sn_dyn_create(&f->arena, f->tree, &f->dyn, NULL), SN_OK);
  f->rigid = sn__rigid_create(&f->arena, &(sn__rigid_config){.tree = f->tree, .entry_count = f->n});
  assert_non_null(f->rigid);
  f->motion = (sn__joint_motion){f->q, f->qd, f->qdd, f->load};
  for (size_t i = 0; i < f->tree->body_count; i++) {
    f->axles[f->tree->coord[i]] = (sn__axle){.moves = true,
                                             .inertia = 1e-7,
                                             .lower = -HUGE_VAL,
                                             .upper = HUGE_VAL,
                                             .torque_max = HUGE_VAL,
                                             .speed_max = HUGE_VAL};
  }
}

static void close(fixture *f) {
  sn_arena_release(&f->arena);
}

static void step(fixture *f, double h) {
  sn__physics *physics = sn__rigid_physics(f->rigid);
  for (size_t i = 0; i < f->n; i++) {
    f->axles[i].speed = f->qd[i];
  }
  const sn__influences acting = {.axles = f->axles, .gravity = GRAVITY};
  physics->step(physics, &acting, h, &f->motion, NULL);
}

static double energy(fixture *f) {
  double mass[COORDS_MAX * COORDS_MAX];
  sn_dyn_mass_matrix(f->dyn, f->q, mass);
  double sum = -sn_dyn_total_mass(f->dyn) * sn_vec3_dot(GRAVITY, sn_dyn_com(f->dyn, f->q));
  for (size_t i = 0; i < f->n; i++) {
    for (size_t j = 0; j < f->n; j++) {
      sum += f->axles[i].moves && f->axles[j].moves ? 0.5 * f->qd[i] * mass[i * f->n + j] * f->qd[j]
                                                    : 0.0;
    }
    sum += 0.5 * f->axles[i].inertia * f->qd[i] * f->qd[i];
  }
  return sum;
}

static double drift(uint64_t seed, double h, double *scale) {
  fixture f;
  open_with(&f, seed, 6, false);
  sn_test_random_vector(&f.random, f.n, 1.0, f.q);
  sn_test_random_vector(&f.random, f.n, 1.0, f.qd);
  const double before = energy(&f);
  const int steps = (int)lround(0.2 / h);
  double most = 0.0;
  *scale = 0.0;
  for (int i = 0; i < steps; i++) {
    step(&f, h);
    most = fmax(most, fabs(energy(&f) - before));
    *scale = fmax(*scale, fabs(before));
  }
  close(&f);
  return most;
}

/* Energy is conserved up to an error of the order of the step. */
SN_TEST(energy_is_constant_without_friction) {
  for (uint64_t seed = 1; seed <= sn_test_cases(20); seed++) {
    double scale;
    const double coarse = drift(seed, 2e-5, &scale), fine = drift(seed, 1e-5, &scale);
    sn_assert_near(fine, 0.0, 5e-3 * (1.0 + scale));
    assert_true(fine < 0.6 * coarse + 1e-9); /* first order */
  }
}

/* Friction that grows with the load, up to that of a gear that hardly turns back. */
static void draw_gear(fixture *f, size_t i, double size) {
  sn_random *r = &f->random;
  sn__axle *a = &f->axles[i];
  const double volts = sn_random_between(r, 0.5, 20.0);
  f->gears[i] = (sn_servo_params){.alpha[3] = volts,
                                  .ext = {.load = {volts * sn_random_between(r, 0.0, 1.0),
                                                   volts / size * sn_random_between(r, 0.0, 2.0)},
                                          .back_load = {volts * sn_random_between(r, 0.0, 0.5), 0},
                                          .is_directional = sn_random_below(r, 2) == 0}};
  a->gear = &f->gears[i];
  a->joint_damping = sn_random_below(r, 2) == 0 ? 0.0 : size * sn_random_between(r, 0.0, 0.1);
  a->joint_dry = sn_random_below(r, 2) == 0 ? 0.0 : size * sn_random_between(r, 0.0, 0.1);
}

static void draw_axles(fixture *f) {
  sn_random *r = &f->random;
  for (size_t i = 0; i < f->n; i++) {
    sn__axle *a = &f->axles[i];
    if (!a->moves) {
      continue;
    }
    const double size = pow(10.0, sn_random_between(r, -1.0, 2.0));
    const bool is_limp = sn_random_below(r, 4) == 0;
    const bool has_stops = sn_random_below(r, 2) == 0;
    a->inertia = size * pow(10.0, sn_random_between(r, -7.0, -2.0));
    a->damping = sn_random_below(r, 3) == 0 ? 0.0 : size * sn_random_between(r, 0.0, 0.5);
    a->dry = sn_random_below(r, 3) == 0 ? 0.0 : size * sn_random_between(r, 0.0, 0.3);
    a->torque_max = sn_random_below(r, 3) == 0 ? HUGE_VAL : size;
    a->speed_max = sn_random_below(r, 3) == 0 ? HUGE_VAL : sn_random_between(r, 0.0, 10.0);
    a->stiffness = is_limp ? 0.0 : size * pow(10.0, sn_random_between(r, 0.0, 4.0));
    a->target = sn_random_between(r, -3.0, 3.0);
    a->push = sn_random_below(r, 2) == 0 ? 0.0 : size * sn_random_between(r, -1.0, 1.0);
    a->lower = has_stops ? sn_random_between(r, -2.0, 0.0) : -HUGE_VAL;
    a->upper = has_stops ? sn_random_between(r, 0.0, 2.0) : HUGE_VAL;
    a->gear = NULL;
    if (f->has_gears && sn_random_below(r, 3) != 0) {
      draw_gear(f, i, size);
    }
  }
}

/* The force behind the gear, or of the axle, and the law that it must obey.
   @param rotor  torque that turns the rotor */
static void assert_law(const sn__axle *a, double q_before, double q, double v, double force,
                       double rotor, double h, double tol) {
  const double pull = a->stiffness * (a->target - (q_before + h * v));
  const double drive = sn__clamp(pull, -a->torque_max, a->torque_max);
  const bool holds_back = fabs(v) >= a->speed_max * (1 - 1e-12) && drive * v >= 0.0;
  const double low = holds_back && v >= 0.0 ? fmin(drive, 0.0) : drive;
  const double high = holds_back && v <= 0.0 ? fmax(drive, 0.0) : drive;
  const double dry_low = v > 0.0 ? a->dry : -a->dry, dry_high = v < 0.0 ? -a->dry : a->dry;
  const bool at_lower = q <= a->lower + 1e-9, at_upper = q >= a->upper - 1e-9;
  double least = low - a->damping * v - dry_high - rotor;
  double most = high - a->damping * v - dry_low - rotor;
  if (a->gear != NULL) {
    const double behind = a->joint_damping * v;
    least = sn__axle_gear_torque(a, low - a->damping * v - rotor, v < 0.0 ? -1.0 : 1.0) - behind +
            (v < 0.0 ? a->joint_dry : -a->joint_dry);
    most = sn__axle_gear_torque(a, high - a->damping * v - rotor, v > 0.0 ? 1.0 : -1.0) - behind +
           (v > 0.0 ? -a->joint_dry : a->joint_dry);
  }
  assert_true(at_upper || force >= least - tol);
  assert_true(at_lower || force <= most + tol);
}

/* The articulated-body algorithm with the forces of the axles gives the acceleration of the step,
   and each force is allowed by the law of its axle at the resulting velocity. */
static void assert_steps_obey(bool has_gears, sn__rigid_counts *sum) {
  for (uint64_t seed = 1; seed <= sn_test_cases(300); seed++) {
    fixture f;
    open_with(&f, seed, 12, seed % 2 == 0);
    f.has_gears = has_gears;
    draw_axles(&f);
    for (int k = 0; k < 20; k++) {
      const double h = 0.00025;
      double q[COORDS_MAX], qd[COORDS_MAX], tau[COORDS_MAX], qdd[COORDS_MAX];
      memcpy(q, f.q, sizeof q);
      memcpy(qd, f.qd, sizeof qd);
      step(&f, h);
      for (size_t i = 0; i < f.n; i++) {
        tau[i] = f.load[i] + f.axles[i].push;
      }
      const sn_dyn_world world = {.gravity = GRAVITY};
      assert_int_equal(sn_dyn_forward(f.dyn, &world, q, qd, tau, qdd), SN_OK);
      for (size_t i = 0; i < f.n; i++) {
        const sn__axle *a = &f.axles[i];
        if (!a->moves) {
          continue;
        }
        sn_assert_near((f.qd[i] - qd[i]) / h, f.qdd[i], 1e-6 * (1.0 + fabs(f.qdd[i])));
        sn_assert_near(qdd[i], f.qdd[i], 1e-5 * (10.0 + fabs(qdd[i])));
        assert_true(f.q[i] >= a->lower && f.q[i] <= a->upper);
        const double rotor = a->inertia * f.qdd[i];
        if (fabs(f.qd[i]) == 1000.0) {
          continue; /* at the velocity limit */
        }
        const double tol = 1e-4 * (1.0 + fabs(f.load[i]) + fabs(rotor));
        assert_law(a, q[i], f.q[i], f.qd[i], f.load[i], rotor, h, tol);
      }
    }
    sum->steps += sn__rigid_counts_now(f.rigid)->steps;
    sum->solves += sn__rigid_counts_now(f.rigid)->solves;
    sum->failures += sn__rigid_counts_now(f.rigid)->failures;
    close(&f);
  }
}

SN_TEST(step_obeys_every_law) {
  sn__rigid_counts sum = {0};
  assert_steps_obey(false, &sum);
  assert_int_equal(sum.failures, 0);
  assert_true(sum.solves < 2 * sum.steps); /* the first guess is nearly always right */
}

/* Tangents of curved laws take a few steps of Newton's method. */
SN_TEST(step_obeys_laws_of_friction_that_grows_with_load) {
  sn__rigid_counts sum = {0};
  assert_steps_obey(true, &sum);
  print_message("%lu solutions in %lu steps, %lu without convergence\n", sum.solves, sum.steps,
                sum.failures);
  assert_int_equal(sum.failures, 0);
  assert_true(sum.solves < 6 * sum.steps);
}

/* Random robots and servos, jumping goals, extreme initial states. */
SN_TEST(every_state_stays_finite) {
  for (uint64_t seed = 1; seed <= sn_test_cases(1000); seed++) {
    fixture f;
    open_with(&f, 5000 + seed, seed % 10 == 0 ? 55 : 20, true);
    f.has_gears = seed % 4 == 0;
    sn_test_random_vector(&f.random, f.n, 2.0, f.qd);
    for (int k = 0; k < 60; k++) {
      if (k % 20 == 0) {
        draw_axles(&f);
      }
      double q[COORDS_MAX];
      memcpy(q, f.q, sizeof q);
      step(&f, k % 3 == 0 ? 0.001 : 0.00025);
      for (size_t i = 0; i < f.n; i++) {
        assert_true(isfinite(f.q[i]) && isfinite(f.load[i]) && fabs(f.qd[i]) <= 1000.0);
        assert_true(f.q[i] >= fmin(f.axles[i].lower, q[i]));
        assert_true(f.q[i] <= fmax(f.axles[i].upper, q[i]));
      }
    }
    close(&f);
  }
}

/* A single joint against the closed form of the implicit step. */
SN_TEST(decoupled_joints_are_independent) {
  fixture f;
  open_with(&f, 1, 1, false);
  const double inertias[2] = {0.5, 2.0}, h = 0.001;
  f.rigid = sn__rigid_create(&f.arena, &(sn__rigid_config){.entry_count = 2, .inertias = inertias});
  f.axles[1] = f.axles[0];
  f.axles[0].inertia = f.axles[1].inertia = 0.1;
  f.axles[0].stiffness = 50.0;
  f.axles[0].damping = 3.0;
  f.axles[0].target = 1.0;
  f.axles[1].push = 4.2;
  double q = 0.0, v = 0.0;
  for (int k = 1; k <= 100; k++) {
    step(&f, h);
    v = (0.6 * v + h * 50.0 * (1.0 - q)) / (0.6 + h * 3.0 + h * h * 50.0);
    q += h * v;
    sn_assert_near(f.q[0], q, 1e-12);
    sn_assert_near(f.qd[1], 2.0 * h * k, 1e-12);
  }
  close(&f);
}

/* ---- cost ---- */

/* A chain with servos; every other joint sticks. @return CPU time of a step, s */
static double cost_of_chain(size_t count) {
  fixture f;
  memset(&f, 0, sizeof f);
  sn_arena_init_growing(&f.arena, "chain", 0);
  sn_test_tree_config config = {.body_count = count, .serial = true};
  sn_random_init(&f.random, 1);
  f.tree = sn_test_random_tree(&f.arena, &f.random, &config);
  sn__axle *axles = SN_NEW(&f.arena, sn__axle, count);
  double *all = SN_NEW(&f.arena, double, 4 * count);
  f.rigid = sn__rigid_create(&f.arena, &(sn__rigid_config){.tree = f.tree, .entry_count = count});
  for (size_t i = 0; i < count; i++) {
    axles[i] = (sn__axle){.moves = true,
                          .inertia = 0.01,
                          .damping = 1.0,
                          .dry = i % 2 == 0 ? 1e6 : 0.0,
                          .lower = -HUGE_VAL,
                          .upper = HUGE_VAL,
                          .torque_max = HUGE_VAL,
                          .speed_max = HUGE_VAL,
                          .stiffness = 1e4};
  }
  sn__joint_motion motion = {all, all + count, all + 2 * count, all + 3 * count};
  sn__physics *physics = sn__rigid_physics(f.rigid);
  double least = HUGE_VAL;
  for (int round = 0; round < 20; round++) { /* the fastest round was not interrupted */
    const clock_t start = clock();
    for (int k = 0; k < 40; k++) {
      physics->step(physics, &(sn__influences){.axles = axles, .gravity = GRAVITY}, 0.00025,
                    &motion, NULL);
    }
    least = fmin(least, (double)(clock() - start) / CLOCKS_PER_SEC / 40);
  }
  assert_int_equal(sn__rigid_counts_now(f.rigid)->failures, 0);
  sn_arena_release(&f.arena);
  return least;
}

/* Four times the joints cost four times as much; with a full matrix it is up to 64. */
SN_TEST(cost_is_linear_in_the_bodies_of_a_chain) {
  const double few = cost_of_chain(50), many = cost_of_chain(200);
  assert_true(many < 8.0 * few);
}
