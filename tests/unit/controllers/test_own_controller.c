/* The controller of examples/06_controller.c, loaded as a plugin beside the standard deployment, in
   simulated time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "deployed.h"
#include "msg/msg_names_internal.h"
#include "program.h"
#include "sn_test.h"

static const double PERIOD_S = 2.0; /* of 06_controller.c */
static const double AMPLITUDE = 0.15;
static const char *const JOINT = "head_joint2";

enum { JOINTS_MAX = 64 };

typedef struct fixture {
  char folder[64];
  sn_deployed d;
  sn_tap *sorted, *measured;
} fixture;

/* The deployment of the example, with the plugin where the build has put it, and a robot whose head
   is not at zero. */
static void fixture_open(fixture *f) {
  char text[1000];
  char path[100];
  snprintf(
      text, sizeof text,
      "include: [\"%s/06_controller.yaml\"]\nplugins: [\"%s\"]\n"
      "components: {plant: {properties: {initial_pose: {head_joint1: 0.2, head_joint2: 0.1}}}}\n",
      SINEW_EXAMPLES, SINEW_CONTROLLER_PLUGIN);
  sn_test_folder_create(f->folder);
  sn_test_write(f->folder, "own.yaml", text);
  snprintf(path, sizeof path, "%s/own.yaml", f->folder);
  sn_deployed_open(&f->d, path);
  assert_int_equal(
      sn_tap_open(f->d.system, "aggregator.joints_sorted", NULL, &f->sorted, &f->d.err), SN_OK);
  assert_int_equal(sn_tap_open(f->d.system, "plant.joints_measured", NULL, &f->measured, &f->d.err),
                   SN_OK);
  sn_deployed_run(&f->d, 0.001);
}

static void fixture_close(fixture *f) {
  sn_tap_close(f->sorted);
  sn_tap_close(f->measured);
  sn_deployed_free(&f->d);
  sn_test_folder_remove(f->folder);
}

static double position_of(sn_tap *tap, const char *joint) {
  const sn_joint_state *msg = sn_tap_read(tap, NULL);
  return msg->position.data[sn__msg_names_index(&msg->name, joint)];
}

/* The sine of the example; the servo lags it a little. */
SN_TEST(joint_moves_as_commanded_and_all_others_are_held) {
  static fixture f;
  fixture_open(&f);
  sn_deployed_run(&f.d, 0.02);
  assert_string_equal(sn_deployed_owner(&f.d, "head"), "nod");
  assert_string_equal(sn_deployed_owner(&f.d, "leg1"), "hold");
  assert_int_equal(sn_deployed_count_log(&f.d, "warning"), 0);
  double before[JOINTS_MAX];
  const sn_joint_state *pose = sn_tap_read(f.sorted, NULL);
  const size_t count = pose->position.count;
  assert_true(count > 3 && count <= JOINTS_MAX);
  memcpy(before, pose->position.data, count * sizeof *before);
  sn_assert_near(before[sn__msg_names_index(&pose->name, "head_joint1")], 0.2, 0.01);

  double least = INFINITY;
  double most = -INFINITY;
  for (int k = 0; k < 200; k++) {
    sn_deployed_run(&f.d, 0.02);
    const double q = position_of(f.measured, JOINT);
    least = fmin(least, q);
    most = fmax(most, q);
    pose = sn_tap_read(f.sorted, NULL);
    for (size_t j = 0; j < count; j++) {
      if (strcmp(sn_msg_names_at(&pose->name, j), JOINT) != 0) {
        assert_true(fabs(pose->position.data[j] - before[j]) < 1e-9);
      }
    }
  }
  sn_assert_near(most - least, 2.0 * AMPLITUDE, 0.02);
  fixture_close(&f);
}

SN_TEST(one_period_later_the_joint_is_where_it_was) {
  static fixture f;
  fixture_open(&f);
  sn_deployed_run(&f.d, 1.3);
  const double q = position_of(f.sorted, JOINT);
  sn_deployed_run(&f.d, PERIOD_S / 2.0);
  const double opposite = position_of(f.sorted, JOINT);
  sn_deployed_run(&f.d, PERIOD_S / 2.0);
  sn_assert_near(position_of(f.sorted, JOINT), q, 1e-6);
  assert_true(fabs(opposite - q) > AMPLITUDE);
  fixture_close(&f);
}

SN_TEST(it_is_switched_off_and_on_like_every_controller) {
  static fixture f;
  fixture_open(&f);
  sn_deployed_run(&f.d, 0.4);
  assert_true(sn_deployed_switch(&f.d, "nod", false, NULL));
  sn_deployed_run(&f.d, 0.5);
  assert_string_equal(sn_deployed_owner(&f.d, "head"), "hold");
  const double held = position_of(f.sorted, JOINT);
  sn_deployed_run(&f.d, 0.5);
  sn_assert_near(position_of(f.sorted, JOINT), held, 1e-9);
  assert_true(sn_deployed_switch(&f.d, "nod", true, NULL));
  sn_deployed_run(&f.d, 0.5);
  assert_string_equal(sn_deployed_owner(&f.d, "head"), "nod");
  sn_assert_near(position_of(f.sorted, JOINT), held + AMPLITUDE, 0.01); /* from where it is */
  fixture_close(&f);
}
