/* A gripper with a simulated servo: a spring between command and joint, friction of none, and an
   object that is a stiff spring. */
#include <math.h>
#include <stdbool.h>

#include "controllers/gripper/grasp.h"
#include "sn_test.h"

static const double DT = 1e-3;

static const sn__grasp_config CONFIG = {.speed = 0.1,
                                        .tolerance = 1e-3,
                                        .effort_max = 20.0,
                                        .lead = 0.01, /* 2000 N/m */
                                        .stall_s = 0.1,
                                        .extra_s = 1.0};

typedef struct world {
  double q;          /* of the fingers; they close towards 0 */
  double object;     /* an object begins there; -1: none */
  double effort;     /* of the servo */
  double effort_top; /* the greatest so far */
  bool is_dead;      /* the servo does nothing */
  bool is_blind;     /* efforts are not measured */
} world;

/* Stiffness of servo and object; the fingers settle between the two. */
static void simulate(world *w, double command) {
  const double servo = CONFIG.effort_max / CONFIG.lead;
  const double object = 1e5;
  double wanted = command;
  if (command < w->object) {
    wanted = (servo * command + object * w->object) / (servo + object);
  }
  if (w->is_dead) {
    w->effort = 0.0;
    return;
  }
  w->q += 0.2 * (wanted - w->q);
  w->effort = servo * (command - w->q);
  w->effort_top = fmax(w->effort_top, fabs(w->effort));
}

static sn__grasp_state run(world *w, double goal, double effort, int cycles) {
  sn__grasp grasp;
  sn__grasp_begin(&grasp, &CONFIG, w->q, goal, effort);
  sn__grasp_state found = SN__GRASP_MOVING;
  for (int k = 0; found == SN__GRASP_MOVING && k < cycles; k++) {
    const sn__grasp_sample sample = {w->q, w->is_blind ? (double)NAN : w->effort};
    found = sn__grasp_step(&grasp, &CONFIG, sample, DT);
    simulate(w, grasp.command);
  }
  return found;
}

SN_TEST(an_empty_gripper_reaches_its_goal) {
  world w = {.q = 0.08, .object = -1.0};
  assert_int_equal(run(&w, 0.01, 0.0, 5000), SN__GRASP_REACHED);
  sn_assert_near(w.q, 0.01, CONFIG.tolerance);
}

SN_TEST(an_object_is_held_with_no_more_than_the_force) {
  for (int is_blind = 0; is_blind < 2; is_blind++) {
    for (int i = 0; i < 5; i++) {
      const double force = ldexp(5.0, i);
      world w = {.q = 0.08, .object = 0.04, .is_blind = is_blind != 0};
      assert_int_equal(run(&w, 0.0, force, 5000), SN__GRASP_HOLDS);
      sn_assert_near(w.q, 0.04, CONFIG.tolerance);
      assert_true(w.effort_top <= fmin(force, CONFIG.effort_max) * 1.001);
      assert_true(fabs(w.effort) >= 0.5 * fmin(force, CONFIG.effort_max)); /* and still presses */
    }
  }
}

SN_TEST(a_gripper_that_never_closes_ends) {
  world dead = {.q = 0.08, .object = -1.0, .is_dead = true};
  assert_int_equal(run(&dead, 0.0, 0.0, 5000), SN__GRASP_STUCK);
  /* One that is far too slow: its servo is worn out. */
  sn__grasp grasp;
  sn__grasp_begin(&grasp, &CONFIG, 0.08, 0.0, 0.0);
  sn__grasp_state found = SN__GRASP_MOVING;
  double q = 0.08;
  int cycles = 0;
  for (; found == SN__GRASP_MOVING && cycles < 10000; cycles++) {
    found = sn__grasp_step(&grasp, &CONFIG, (sn__grasp_sample){q, 1.0}, DT);
    q -= 2e-5;
  }
  assert_int_equal(found, SN__GRASP_LATE);
  assert_true(cycles < 2000); /* 0.8 s of way, and one more */
}

SN_TEST(opening_under_load_is_not_taken_for_a_grasp) {
  world w = {.q = 0.04, .object = 0.04};
  assert_int_equal(run(&w, 0.08, 0.0, 5000), SN__GRASP_REACHED);
}
