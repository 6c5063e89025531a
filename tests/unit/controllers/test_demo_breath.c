/* The demo's breath: around the pose at which the controller became active, without a jump. */
#include <math.h>
#include <string.h>

#include "rig.h"
#include "sinew/components.h"
#include "sinew/msg_types.h"
#include "sinew/tap.h"
#include "sn_test.h"

#define MS INT64_C(1000000)

typedef struct fixture {
  rig r;
  sn_source *sync, *base;
  sn_tap *ref;
} fixture;

static void open_all(fixture *f) {
  sn_error err;
  rig_open(&f->r, MS);
  rig_add(&f->r, &sn_demo_breath_component, "breath");
  assert_int_equal(sn_source_open(f->r.system, "breath.sync", NULL, &f->sync, &err), SN_OK);
  assert_int_equal(sn_source_open(f->r.system, "breath.in_base_ref", NULL, &f->base, &err), SN_OK);
  assert_int_equal(sn_tap_open(f->r.system, "breath.base_ref", NULL, &f->ref, &err), SN_OK);
  rig_begin(&f->r);
}

static void close_all(fixture *f) {
  sn_tap_close(f->ref);
  sn_source_close(f->sync);
  sn_source_close(f->base);
  rig_close(&f->r);
}

/* The controller is active with the base here. */
static void activate(fixture *f, sn_vec3 at) {
  sn_rigid_body_state *msg = sn_source_msg(f->base);
  sn_msg_names_clear(&msg->name);
  assert_int_equal(sn_msg_names_add(&msg->name, "trunk", 5), SN_OK);
  assert_int_equal(sn_msg_text_set(&msg->header.frame_id, "odom"), SN_OK);
  msg->pose.count = 1;
  msg->pose.data[0] = (sn_msg_pose){at, {.w = 1.0}};
  assert_int_equal(sn_source_write(f->base), SN_OK);
}

static const sn_rigid_body_state *cycle(fixture *f) {
  sn_flow flow = SN_NO_DATA;
  assert_int_equal(sn_source_write(f->sync), SN_OK);
  rig_run(&f->r, MS);
  const sn_rigid_body_state *ref = sn_tap_read(f->ref, &flow);
  return flow == SN_NEW_DATA ? ref : NULL;
}

SN_TEST(nothing_is_written_before_the_controller_is_active) {
  fixture f;
  open_all(&f);
  for (int i = 0; i < 10; i++) {
    assert_null(cycle(&f));
  }
  close_all(&f);
}

/* At most 2 % of the height, downwards, at most 1 mm per 100 ms, and it does move. */
SN_TEST(the_base_rises_and_sinks_a_little) {
  fixture f;
  open_all(&f);
  const sn_vec3 middle = {1.0, 2.0, 0.2};
  sn_vec3 last = middle;
  double lowest = middle.z, aside = 0.0;
  for (int i = 0; i < 20000; i++) {
    activate(&f, i == 0 ? middle : last);
    const sn_rigid_body_state *ref = cycle(&f);
    assert_non_null(ref);
    const sn_vec3 at = ref->pose.data[0].position;
    assert_string_equal(ref->header.frame_id.data, "odom");
    assert_true(sn_vec3_norm(sn_vec3_sub(at, last)) < 1e-5);
    assert_true(at.z <= middle.z + 1e-12);
    lowest = fmin(lowest, at.z);
    aside = fmax(aside, fabs(at.y - middle.y));
    last = at;
  }
  sn_assert_near(middle.z - lowest, 0.02 * middle.z, 1e-4);
  sn_assert_near(aside, 0.01 * middle.z, 2e-4);
  close_all(&f);
}

SN_TEST(a_controller_that_comes_back_elsewhere_starts_there) {
  fixture f;
  open_all(&f);
  for (int i = 0; i < 1000; i++) {
    activate(&f, sn_vec3_make(0, 0, 0.2));
    (void)cycle(&f);
  }
  for (int i = 0; i < 400; i++) { /* another controller has the legs */
    (void)cycle(&f);
  }
  assert_null(cycle(&f));
  const sn_vec3 there = {3.0, -1.0, 0.18};
  activate(&f, there);
  const sn_rigid_body_state *ref = cycle(&f);
  assert_non_null(ref);
  sn_assert_near(sn_vec3_norm(sn_vec3_sub(ref->pose.data[0].position, there)), 0.0, 1e-9);
  close_all(&f);
}
