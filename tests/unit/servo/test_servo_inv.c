#include "allocation.h"
#include "servo/servo_inv.h"
#include "servo_rig.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { N = 5 };

typedef struct fixture {
  sn_arena arena;
  sn_random random;
  sn_servo_params models[N];
  sn_servo_inv *inv;
  double q[N], qd[N], qdd[N], tau[N], goals[N];
} fixture;

static void draw_params(fixture *f, sn_servo_params *params) {
  sn_servo_rig rig;
  sn_servo_rig_init(&rig, &f->random);
  *params = rig.params;
  params->kgear = sn_random_between(&f->random, -3.0, -0.5);
  params->inertia = sn_random_between(&f->random, 0.0, 0.1);
}

static void draw_motion(fixture *f) {
  for (size_t i = 0; i < N; i++) {
    f->q[i] = sn_random_between(&f->random, -1.0, 1.0);
    f->qd[i] = sn_random_between(&f->random, -2.0, 2.0);
    f->qdd[i] = sn_random_between(&f->random, -20.0, 20.0);
    f->tau[i] = sn_random_between(&f->random, -1.0, 1.0);
  }
}

static void open_it(fixture *f, uint64_t seed, double change_time_s) {
  sn_arena_init_growing(&f->arena, "test", 0);
  sn_random_init(&f->random, seed);
  for (size_t i = 0; i < N; i++) {
    draw_params(f, &f->models[i]);
  }
  const sn_servo_inv_config config = {
      .servo_count = N, .models = f->models, .change_time_s = change_time_s};
  sn_error err;
  assert_int_equal(sn__servo_inv_create(&f->arena, &config, &f->inv, &err), SN_OK);
}

static sn_servo_reference reference(const fixture *f) {
  return (sn_servo_reference){
      .q = f->q, .qd = f->qd, .qdd = f->qdd, .tau = f->tau, .voltage = 11.3, .dt_s = 0.001};
}

/* The two sides of the model, written out here once more. */
static double imbalance(const sn_servo_params *p, double voltage, double goal,
                        const sn_servo_motion *m) {
  const double sign = m->qd > 0.0 ? 1.0 : -1.0;
  const double left = p->kp * voltage * (goal / p->kgear - m->q);
  const double right = p->alpha[0] * m->qd + p->alpha[1] * sign +
                       p->alpha[2] * sign * exp(-pow(fabs(m->qd) / p->qs, p->delta)) +
                       p->alpha[3] * m->tau + p->inertia * m->qdd;
  return left - right;
}

SN_TEST(goals_satisfy_the_model_at_the_time_they_arrive) {
  fixture f;
  open_it(&f, 3, 0.2);
  for (size_t round = 0; round < sn_test_cases(200); round++) {
    draw_motion(&f);
    sn_servo_reference r = reference(&f);
    r.lead_s = round % 2 == 0 ? 0.0 : 0.02;
    sn__servo_inv_step(f.inv, &r, f.goals);
    for (size_t i = 0; i < N; i++) {
      /* Where a constant acceleration leads within the lead, by many small steps. */
      sn_servo_motion m = {.q = f.q[i], .qd = f.qd[i], .qdd = f.qdd[i], .tau = f.tau[i]};
      const size_t steps = 1000;
      const double h = r.lead_s / (double)steps;
      for (size_t k = 0; k < steps; k++) {
        m.q += h * (m.qd + 0.5 * h * m.qdd);
        m.qd += h * m.qdd;
      }
      if (fabs(m.qd) > 0.01) {
        sn_assert_near(imbalance(&f.models[i], 11.3, f.goals[i], &m), 0.0, 1e-8);
      }
    }
  }
  sn_arena_release(&f.arena);
}

SN_TEST(gear_reverses_the_goal) {
  fixture f;
  sn_arena_init_growing(&f.arena, "test", 0);
  sn_servo_params geared[2];
  for (size_t i = 0; i < 2; i++) {
    sn_servo_params_init(&geared[i]);
  }
  geared[1].kgear = -2.5;
  const sn_servo_inv_config config = {.servo_count = 2, .models = geared};
  assert_int_equal(sn__servo_inv_create(&f.arena, &config, &f.inv, NULL), SN_OK);
  const double q[2] = {0.4, 0.4};
  const double qd[2] = {0.0, 0.0};
  const sn_servo_reference r = {.q = q, .qd = qd, .voltage = 12.0};
  sn__servo_inv_step(f.inv, &r, f.goals);
  assert_true(f.goals[0] == 0.4 && f.goals[1] == -1.0);
  sn_arena_release(&f.arena);
}

/* While the motion goes on smoothly, no step of the goal is larger than with either model alone,
   but for what the change itself takes, spread over its time. */
SN_TEST(new_model_takes_over_without_a_jump) {
  fixture f;
  open_it(&f, 5, 0.1);
  sn_servo_params other[N];
  double last[N] = {0};
  double first_gap[N] = {0};
  for (int cycle = 0; cycle < 400; cycle++) {
    for (size_t i = 0; i < N; i++) {
      const double t = 0.001 * cycle + 0.1 * (double)i;
      f.q[i] = 0.5 * t;
      f.qd[i] = 0.5;
      f.qdd[i] = 0.0;
      f.tau[i] = 0.3;
      /* Another change follows half way through the first, and a third in the next cycle. */
      if (cycle == 100 || cycle == 150 || cycle == 151) {
        draw_params(&f, &other[i]);
        other[i].kgear = f.models[i].kgear;
        assert_int_equal(sn__servo_inv_replace(f.inv, i, &other[i]), SN_OK);
      }
    }
    const sn_servo_reference r = reference(&f);
    sn__servo_inv_step(f.inv, &r, f.goals);
    for (size_t i = 0; i < N; i++) {
      const sn_servo_motion m = {.q = f.q[i], .qd = f.qd[i], .tau = f.tau[i]};
      const double target =
          sn_servo_goal_of(sn__servo_inv_model(f.inv, i), 11.3, &m, SN_SERVO_DEAD_ZONE);
      if (cycle == 100 || cycle == 151) {
        first_gap[i] = fabs(target - f.goals[i]) + 0.2;
      }
      if (cycle > 0) {
        /* 1.5 over the number of cycles is the steepest that a smooth change can be, and the motion
           itself takes 0.0005 times the gear. */
        const double most = 1.5 * first_gap[i] / 100.0 + 0.0005 * fabs(f.models[i].kgear);
        assert_true(fabs(f.goals[i] - last[i]) <= most * 1.001);
      }
      if (cycle < 100 || cycle >= 260) {
        sn_assert_near(f.goals[i], target, 1e-12);
      }
      last[i] = f.goals[i];
    }
  }
  sn_arena_release(&f.arena);
}

SN_TEST(without_change_time_it_takes_over_at_once) {
  fixture f;
  open_it(&f, 6, 0.0);
  draw_motion(&f);
  sn_servo_reference r = reference(&f);
  sn__servo_inv_step(f.inv, &r, f.goals);
  sn_servo_params other;
  draw_params(&f, &other);
  assert_int_equal(sn__servo_inv_replace(f.inv, 2, &other), SN_OK);
  const double kept = f.goals[1];
  sn__servo_inv_step(f.inv, &r, f.goals);
  const sn_servo_motion m = {.q = f.q[2], .qd = f.qd[2], .qdd = f.qdd[2], .tau = f.tau[2]};
  sn_assert_near(imbalance(&other, 11.3, f.goals[2], &m), 0.0, 1e-9);
  assert_true(f.goals[1] == kept);
  sn_arena_release(&f.arena);
}

SN_TEST(an_invalid_model_is_refused_and_the_old_one_stays) {
  fixture f;
  open_it(&f, 7, 0.1);
  const double bad[] = {0.0, -1.0, NAN, INFINITY};
  for (size_t k = 0; k < 4; k++) {
    sn_servo_params other = f.models[0];
    other.kp = bad[k];
    assert_int_equal(sn__servo_inv_replace(f.inv, 0, &other), SN_EINVAL);
    assert_memory_equal(sn__servo_inv_model(f.inv, 0), &f.models[0], sizeof other);
    sn_servo_params models[1] = {other};
    sn_servo_inv *out = NULL;
    sn_error err;
    const sn_servo_inv_config config = {.servo_count = 1, .models = models};
    assert_int_equal(sn__servo_inv_create(&f.arena, &config, &out, &err), SN_EINVAL);
    assert_non_null(strstr(err.message, "servo 0: kp is"));
    assert_null(out);
  }
  sn_arena_release(&f.arena);
}

SN_TEST(goal_that_would_not_be_finite_stays) {
  fixture f;
  open_it(&f, 8, 0.1);
  draw_motion(&f);
  sn_servo_reference r = reference(&f);
  sn__servo_inv_step(f.inv, &r, f.goals);
  const double before = f.goals[0];
  f.tau[0] = 1e308;
  f.qd[0] = 1e308;
  sn__servo_inv_step(f.inv, &r, f.goals);
  assert_true(f.goals[0] == before);
  sn_arena_release(&f.arena);
}

SN_TEST(steps_do_not_touch_the_heap) {
  fixture f;
  open_it(&f, 9, 0.1);
  draw_motion(&f);
  const sn_servo_reference r = reference(&f);
  const size_t before = sn_test_heap_calls();
  for (int i = 0; i < 100; i++) {
    assert_int_equal(sn__servo_inv_replace(f.inv, 0, &f.models[i % N]), SN_OK);
    sn__servo_inv_step(f.inv, &r, f.goals);
  }
  assert_int_equal(sn_test_heap_calls(), before);
  sn_arena_release(&f.arena);
}
