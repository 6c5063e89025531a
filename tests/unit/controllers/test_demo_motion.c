/* The demo's motion: within limits, smooth, around the pose that was there. */
#include <math.h>
#include <string.h>

#include "model_rig.h"
#include "sinew/components.h"
#include "sinew/msg_types.h"
#include "sinew/random.h"
#include "sn_test.h"

#define MS INT64_C(1000000)

typedef struct fixture {
  model_rig m;
  sn_source *sync, *reset;
  sn_tap *ref;
  size_t n;
  double middle[32];
} fixture;

static void open_robot(fixture *f, const char *name) {
  *f = (fixture){.n = 0};
  model_rig_open(&f->m, name);
  f->n = sn_model_pose_size(f->m.model);
  assert_true(f->n <= 32);
  model_rig_add(&f->m, &sn_demo_motion_component, "demo");
  f->sync = model_rig_source(&f->m, "demo.sync");
  f->reset = model_rig_source(&f->m, "demo.src_reset");
  f->ref = model_rig_tap(&f->m, "demo.joints_ref");
  rig_begin(&f->m.r);
}

static void close_robot(fixture *f) {
  sn_tap_close(f->ref);
  sn_source_close(f->sync);
  sn_source_close(f->reset);
  model_rig_close(&f->m);
}

static const sn_joint_state *cycle(fixture *f) {
  sn_flow flow = SN_NO_DATA;
  assert_int_equal(sn_source_write(f->sync), SN_OK);
  model_rig_cycle(&f->m);
  const sn_joint_state *ref = sn_tap_read(f->ref, &flow);
  return flow == SN_NEW_DATA ? ref : NULL;
}

SN_TEST(nothing_moves_before_there_is_a_pose) {
  fixture f;
  open_robot(&f, "arm6");
  for (int i = 0; i < 10; i++) {
    assert_null(cycle(&f));
  }
  close_robot(&f);
}

/* From the pose, without a jump, never faster than half of the limit, never beyond a limit; and it
   does move. */
SN_TEST(robots_sway_within_their_limits) {
  static const char *const robots[] = {"quadruped", "arm7", "arm6"};
  sn_random random;
  sn_random_init(&random, 71);
  for (size_t r = 0; r < 3; r++) {
    fixture f;
    double last[32];
    double travel = 0.0;
    open_robot(&f, robots[r]);
    for (size_t j = 0; j < f.n; j++) {
      const sn_joint *joint = sn_model_joint(f.m.model, j);
      const double lower = fmax(joint->lower, -3.0);
      f.middle[j] = sn_random_between(&random, lower, fmin(joint->upper, 3.0));
    }
    model_rig_write_pose(&f.m, f.reset, f.middle, NULL);
    for (int i = 0; i < 20000; i++) {
      const sn_joint_state *ref = cycle(&f);
      assert_non_null(ref);
      assert_int_equal(ref->position.count, f.n);
      for (size_t j = 0; j < f.n; j++) {
        const sn_joint *joint = sn_model_joint(f.m.model, j);
        const double q = ref->position.data[j];
        assert_true(q >= joint->lower && q <= joint->upper);
        assert_true(fabs(q - f.middle[j]) <= 0.25); /* twice the amplitude at a limit */
        if (i > 0) {
          assert_true(fabs(q - last[j]) <= 0.6e-3 * fmin(joint->velocity_max, 1.0));
          travel += fabs(q - last[j]);
        }
        last[j] = q;
      }
    }
    assert_true(travel > 0.1 * (double)f.n);
    close_robot(&f);
  }
}

/* Taken over and given back: it goes on around where the robot is now. */
SN_TEST(a_new_pose_is_the_new_middle) {
  fixture f;
  open_robot(&f, "arm6");
  model_rig_write_pose(&f.m, f.reset, f.middle, NULL);
  for (int i = 0; i < 5000; i++) {
    cycle(&f);
  }
  for (size_t j = 0; j < f.n; j++) {
    f.middle[j] = 0.5;
  }
  model_rig_write_pose(&f.m, f.reset, f.middle, NULL);
  const sn_joint_state *ref = cycle(&f);
  assert_non_null(ref);
  for (size_t j = 0; j < f.n; j++) {
    sn_assert_near(ref->position.data[j], 0.5, 1e-6);
  }
  close_robot(&f);
}
