/* The plant as a component with a floating base: properties, ports and the operation place. */
#include <string.h>

#include "model_rig.h"
#include "msg/types/msg_plant.h"
#include "sinew/components.h"
#include "sn_test.h"

typedef struct fixture {
  model_rig m;
  sn_component *plant;
  sn_source *push;
  sn_tap *truth, *imu, *contacts, *forces;
} fixture;

static void open_robot(fixture *f, const char *robot, const char *base) {
  *f = (fixture){.plant = NULL};
  model_rig_open(&f->m, robot);
  f->plant = model_rig_add(&f->m, &sn_plant_component, "plant");
  rig_set(&f->m.r, f->plant, "base", base);
  f->push = model_rig_source(&f->m, "plant.push_links");
  f->truth = model_rig_tap(&f->m, "plant.base_truth");
  f->imu = model_rig_tap(&f->m, "plant.imu");
  f->contacts = model_rig_tap(&f->m, "plant.contacts");
  f->forces = model_rig_tap(&f->m, "plant.contact_forces");
}

static void close_robot(fixture *f) {
  sn_tap_close(f->truth);
  sn_tap_close(f->imu);
  sn_tap_close(f->contacts);
  sn_tap_close(f->forces);
  sn_source_close(f->push);
  model_rig_close(&f->m);
}

static void cycles(fixture *f, int count) {
  for (int i = 0; i < count; i++) {
    model_rig_cycle(&f->m);
  }
}

static const void *read_new(sn_tap *tap) {
  sn_flow flow = SN_NO_DATA;
  const void *msg = sn_tap_read(tap, &flow);
  return flow == SN_NEW_DATA ? msg : NULL;
}

SN_TEST(standing_robot_reports_base_imu_and_feet) {
  fixture f;
  open_robot(&f, "quadruped", "floating");
  rig_set(&f.m.r, f.plant, "gyro_bias", "[0.01, 0, 0]");
  rig_begin(&f.m.r);
  cycles(&f, 2000);
  const sn_rigid_body_state *truth = read_new(f.truth), *forces = read_new(f.forces);
  const sn_imu *imu = read_new(f.imu);
  const sn_support_state *contacts = read_new(f.contacts);
  assert_non_null(truth);
  assert_non_null(imu);
  assert_non_null(contacts);
  assert_non_null(forces);
  const int64_t now_ns = sn_clock_now_ns(&f.m.r.clock) - 1000000;
  assert_true(truth->header.stamp_ns == now_ns && imu->header.stamp_ns == now_ns);
  assert_true(contacts->header.stamp_ns == now_ns && forces->header.stamp_ns == now_ns);
  assert_string_equal(truth->header.frame_id.data, "odom");
  assert_string_equal(forces->header.frame_id.data, "odom");
  assert_string_equal(imu->header.frame_id.data, "base_link");
  assert_int_equal(truth->name.count, 1);
  assert_string_equal(sn_msg_names_at(&truth->name, 0), "base_link");
  assert_true(truth->pose.data[0].position.z > 0.1);
  sn_assert_near(imu->linear_acceleration.z, 9.81, 0.05);
  sn_assert_near(imu->angular_velocity.x, 0.01, 1e-3);
  assert_true(imu->orientation_covariance[0] == -1.0);
  assert_int_equal(contacts->name.count, 4);
  assert_string_equal(sn_msg_names_at(&contacts->name, 2), "leg3");
  double weight = 0.0;
  for (size_t i = 0; i < 4; i++) {
    assert_string_equal(sn_msg_names_at(&contacts->contact, i), "hoof_flat");
    assert_true(contacts->support.data[i] == 1.0);
    sn_assert_near(forces->pose.data[i].position.z, 0.0, 1e-3);
    weight += forces->wrench.data[i].lin.z;
  }
  assert_true(weight > 10.0);
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, NULL, 0), 0);
  close_robot(&f);
}

SN_TEST(fixed_base_writes_nothing_about_the_ground) {
  static const char *const robots[] = {"quadruped", "arm6"}, *const bases[] = {"fixed", "auto"};
  for (int i = 0; i < 2; i++) {
    fixture f;
    open_robot(&f, robots[i], bases[i]);
    rig_begin(&f.m.r);
    cycles(&f, 10);
    assert_null(read_new(f.truth));
    assert_null(read_new(f.imu));
    assert_null(read_new(f.contacts));
    assert_null(read_new(f.forces));
    close_robot(&f);
  }
}

SN_TEST(robot_with_feet_floats_if_the_choice_is_automatic) {
  fixture f;
  open_robot(&f, "quadruped", "auto");
  rig_begin(&f.m.r);
  cycles(&f, 10);
  assert_non_null(read_new(f.truth));
  close_robot(&f);
}

static sn_status place(fixture *f, double z, double roll, sn_plant_placed *out) {
  char name[] = "leg1_joint2";
  uint32_t start = 0;
  double q = 0.1;
  const sn_mat3 rot = sn_mat3_from_rpy(roll, 0.0, 0.0);
  const sn_plant_place request = {
      .base = {.position = {1.0, 2.0, z}, .orientation = sn_quat_from_mat3(rot)},
      .name = {.count = 1,
               .capacity = 1,
               .starts = &start,
               .text = name,
               .text_count = sizeof name,
               .text_capacity = sizeof name},
      .position = {.data = &q, .count = 1, .capacity = 1}};
  sn_caller caller;
  assert_int_equal(sn_caller_open(f->m.r.system, "plant.place", &caller, &f->m.r.err), SN_OK);
  const sn_status status = sn_call(&caller, &request, out, &f->m.r.err);
  sn_caller_close(&caller);
  return status;
}

SN_TEST(robot_is_placed_and_lifted_out_of_the_ground) {
  fixture f;
  open_robot(&f, "quadruped", "floating");
  rig_begin(&f.m.r);
  cycles(&f, 10);
  sn_plant_placed placed;
  assert_int_equal(place(&f, 5.0, 3.0, &placed), SN_OK);
  sn_assert_near(placed.base.position.z, 5.0, 0.0);
  assert_true(placed.lifted == 0.0);
  cycles(&f, 1);
  const sn_rigid_body_state *truth = read_new(f.truth);
  sn_assert_near(truth->pose.data[0].position.y, 2.0, 1e-6);
  sn_assert_near(truth->twist.data[0].lin.z, -9.81e-3, 1e-4);
  assert_int_equal(place(&f, -1.0, 0.0, &placed), SN_OK);
  assert_true(placed.lifted > 1.0);
  char line[200];
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, line, sizeof line), 1);
  sn_assert_contains(line, "inside the ground: lifted by");
  assert_int_equal(place(&f, NAN, 0.0, &placed), SN_EINVAL);
  close_robot(&f);
}

SN_TEST(start_inside_the_ground_is_logged) {
  fixture f;
  open_robot(&f, "quadruped", "floating");
  rig_set(&f.m.r, f.plant, "initial_base", "[0, 0, -0.5, 0, 0, 0]");
  rig_begin(&f.m.r);
  cycles(&f, 100);
  char line[200];
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, line, sizeof line), 1);
  sn_assert_contains(line, "inside the ground: lifted by");
  const sn_rigid_body_state *truth = read_new(f.truth);
  assert_true(truth->pose.data[0].position.z > 0.1);
  assert_true(sn_vec3_norm(truth->twist.data[0].lin) < 0.1);
  close_robot(&f);
}

SN_TEST(boxes_and_slopes_carry_the_robot) {
  fixture f;
  open_robot(&f, "quadruped", "floating");
  rig_set(&f.m.r, f.plant, "boxes", "[{position: [0, 0, 0.25], size: [4, 4, 0.5]}]");
  rig_begin(&f.m.r);
  cycles(&f, 500);
  const sn_rigid_body_state *forces = read_new(f.forces);
  sn_assert_near(forces->pose.data[0].position.z, 0.5, 1e-3);
  close_robot(&f);
  open_robot(&f, "quadruped", "floating");
  rig_set(&f.m.r, f.plant, "slope_x", "0.1");
  rig_begin(&f.m.r);
  cycles(&f, 500);
  forces = read_new(f.forces);
  const sn_vec3 at = forces->pose.data[0].position;
  sn_assert_near(at.z, 0.1 * at.x, 1e-3);
  close_robot(&f);
}

SN_TEST(push_on_a_link_moves_it) {
  fixture f;
  open_robot(&f, "quadruped", "floating");
  rig_set(&f.m.r, f.plant, "friction", "0");
  rig_begin(&f.m.r);
  cycles(&f, 500);
  sn_rigid_body_state *push = sn_source_msg(f.push);
  assert_int_equal(sn_msg_names_add(&push->name, "base_link", 9), SN_OK);
  push->wrench.count = 1;
  push->wrench.data[0] = (sn_spatial){{0, 0, 0}, {10.0, 0, 0}};
  assert_int_equal(sn_source_write(f.push), SN_OK);
  cycles(&f, 500);
  assert_true(((const sn_rigid_body_state *)read_new(f.truth))->twist.data[0].lin.x > 0.1);
  assert_int_equal(sn_msg_names_add(&push->name, "tail", 4), SN_OK);
  assert_int_equal(sn_source_write(f.push), SN_OK);
  cycles(&f, 1);
  char line[200];
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, line, sizeof line), 1);
  sn_assert_contains(line, "push_links: refused, ");
  close_robot(&f);
}

SN_TEST(wrong_properties_are_named) {
  static const char *const cases[][3] = {
      {"initial_base", "[1, 2]", "initial_base: 2 numbers, must be 6"},
      {"boxes", "[{size: [1, 0, 1]}]", "box 0 of the ground is 1 x 0 x 1 m"},
      {"dynamics", "decoupled", "needs coupled dynamics"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    open_robot(&f, "quadruped", "floating");
    rig_set(&f.m.r, f.plant, cases[i][0], cases[i][1]);
    assert_int_not_equal(sn_system_begin(f.m.r.system, &f.m.r.err), SN_OK);
    sn_assert_contains(f.m.r.err.message, cases[i][2]);
    close_robot(&f);
  }
}

static void nothing(void *context) {
  (void)context;
}

SN_TEST(cycles_do_not_touch_the_heap) {
  fixture f;
  open_robot(&f, "quadruped", "floating");
  rig_begin(&f.m.r);
  model_rig_cycle_without_heap(&f.m, 200, nothing, NULL);
  close_robot(&f);
}
