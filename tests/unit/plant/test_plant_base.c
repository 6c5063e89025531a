/* What is known and done about a floating base: placement, IMU, feet, pushes on links. */
#include <string.h>

#include "math/rotation.h"
#include "plant/plant.h"
#include "robot.h"
#include "sinew/dyn.h"
#include "sn_test.h"

static const double GRAVITY = 9.81;

typedef struct rig {
  sn_test_robot robot;
  sn_arena arena;
  sn_plant *plant;
  sn_plant_settings settings;
  sn_tree tree;
  sn_dyn_data *dyn;
} rig;

static void rig_open(rig *r, const sn_plant_config *config) {
  memset(r, 0, sizeof *r);
  sn_test_robot_load(&r->robot, "quadruped");
  sn_arena_init_growing(&r->arena, "plant", 0);
  sn_error err;
  if (sn__plant_create(&r->arena, r->robot.model, config, &r->plant, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  sn__plant_settings_init(&r->settings);
  r->tree = *sn_model_tree(r->robot.model);
  r->tree.massless_link = NULL;
  assert_int_equal(sn_dyn_create(&r->arena, &r->tree, &r->dyn, NULL), SN_OK);
}

static void rig_open_level(rig *r) {
  rig_open(r, &(sn_plant_config){.ground = &(sn_plant_ground){0}, .seed = 7});
}

static void rig_close(rig *r) {
  sn_arena_release(&r->arena);
  sn_test_robot_free(&r->robot);
}

static void run(rig *r, double time_s) {
  for (long i = lround(time_s * 1000.0); i > 0; i--) {
    sn__plant_step(r->plant, 0.001);
  }
}

static sn_pose pose_at(double z, double roll) {
  return (sn_pose){sn_mat3_from_rpy(roll, 0.0, 0.0), sn_vec3_make(0.0, 0.0, z)};
}

static sn_vec3 com_of(rig *r) {
  const sn_vec3 com = sn_dyn_com(r->dyn, sn__plant_q(r->plant));
  return sn_pose_apply(sn__plant_base(r->plant, NULL, NULL), com);
}

static void assert_vec3_near(sn_vec3 a, sn_vec3 b, double tol) {
  sn_assert_near(sn_vec3_norm(sn_vec3_sub(a, b)), 0.0, tol);
}

/* ---- placement ---- */

static double lowest_contact(const rig *r) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < sn__plant_contact_count(r->plant); i++) {
    least = fmin(least, sn__plant_contact_at(r->plant, i).point.z);
  }
  return least;
}

SN_TEST(robot_starts_on_its_feet) {
  rig r;
  rig_open_level(&r);
  sn_assert_near(lowest_contact(&r), 0.0, 1e-6);
  assert_true(sn__plant_start_lift(r.plant) == 0.0);
  rig_close(&r);
}

/* Lifted as far as needed, and no energy comes from it: it stays where it was put. */
SN_TEST(robot_inside_the_ground_is_lifted_out) {
  rig r;
  rig_open_level(&r);
  const sn_pose standing = sn__plant_base(r.plant, NULL, NULL);
  const sn_pose inside = pose_at(standing.pos.z - 3.0, 0.0);
  sn_assert_near(sn__plant_place(r.plant, NULL, inside, false), 3.0, 1e-6);
  run(&r, 1.0);
  sn_assert_near(sn__plant_base(r.plant, NULL, NULL).pos.z, standing.pos.z, 2e-3);
  rig other;
  rig_open(&other, &(sn_plant_config){.ground = &(sn_plant_ground){0}, .start_base = &inside});
  sn_assert_near(sn__plant_start_lift(other.plant), 3.0, 1e-6);
  rig_close(&other);
  rig_close(&r);
}

/* Dropped in any attitude, upside down too: it comes to rest above the ground. */
SN_TEST(robot_in_the_air_falls_and_rests) {
  for (int i = 0; i < 6; i++) {
    rig r;
    rig_open_level(&r);
    const sn_pose pose = pose_at(0.6, 1.0471975511965976 * i);
    assert_true(sn__plant_place(r.plant, NULL, pose, false) == 0.0);
    double fastest = 0.0;
    for (int k = 0; k < 4000; k++) {
      sn_spatial twist;
      sn__plant_step(r.plant, 0.001);
      (void)sn__plant_base(r.plant, &twist, NULL);
      fastest = fmax(fastest, sn_vec3_norm(twist.lin));
    }
    sn_spatial twist;
    (void)sn__plant_base(r.plant, &twist, NULL);
    assert_true(fastest < 5.0);
    assert_true(sn_vec3_norm(twist.lin) < 0.01);
    assert_true(lowest_contact(&r) > -1e-3);
    rig_close(&r);
  }
}

SN_TEST(place_sets_joints_within_their_stops) {
  rig r;
  rig_open_level(&r);
  double q[64];
  for (size_t i = 0; i < 64; i++) {
    q[i] = i == 1 ? NAN : 100.0;
  }
  (void)sn__plant_place(r.plant, q, sn_pose_identity(), true);
  const double *now = sn__plant_q(r.plant);
  for (size_t i = 0; i < sn_model_pose_size(r.robot.model); i++) {
    const sn_joint *joint = sn_model_joint(r.robot.model, i);
    if (joint->mimic < 0) {
      sn_assert_near(now[i], i == 1 ? 0.0 : fmin(100.0, joint->upper_hard), 1e-12);
    }
  }
  rig_close(&r);
}

/* ---- IMU ---- */

SN_TEST(imu_at_rest_measures_gravity_and_biases) {
  rig r;
  rig_open(&r, &(sn_plant_config){.ground = &(sn_plant_ground){.slope_x = 0.2}});
  r.settings.gyro_bias = sn_vec3_make(0.01, -0.02, 0.03);
  r.settings.accel_bias = sn_vec3_make(0.1, 0.2, -0.3);
  sn__plant_set(r.plant, &r.settings);
  run(&r, 2.0);
  const sn_plant_imu imu = sn__plant_read_imu(r.plant);
  const sn_vec3 up = {0.0, 0.0, GRAVITY};
  const sn_vec3 felt = sn_vec3_sub(imu.accel, r.settings.accel_bias);
  assert_vec3_near(sn_mat3_apply(imu.rot_world_base, felt), up, 1e-3);
  assert_vec3_near(imu.gyro, r.settings.gyro_bias, 1e-4);
  rig_close(&r);
}

SN_TEST(imu_in_free_fall_measures_nothing) {
  rig r;
  rig_open_level(&r);
  const sn_pose high = pose_at(10.0, 0.5);
  (void)sn__plant_place(r.plant, NULL, high, false);
  assert_vec3_near(sn__plant_read_imu(r.plant).accel,
                   sn_mat3_apply_transposed(high.rot, sn_vec3_make(0, 0, GRAVITY)), 1e-9);
  run(&r, 0.1);
  /* The joints still move a little under the changed load. */
  assert_vec3_near(sn__plant_read_imu(r.plant).accel, sn_vec3_make(0, 0, 0), 0.05);
  rig_close(&r);
}

/* Dead reckoning over a fall onto the ground gives pose and velocity of the end. */
SN_TEST(imu_integrates_to_the_motion) {
  rig r;
  rig_open_level(&r);
  const sn_pose start = pose_at(0.5, 0.4);
  (void)sn__plant_place(r.plant, NULL, start, false);
  sn_vec3 velocity = {0, 0, 0};
  sn_mat3 rot = start.rot;
  for (int i = 0; i < 1000; i++) {
    sn__plant_step(r.plant, 0.001);
    const sn_plant_imu imu = sn__plant_read_imu(r.plant);
    const sn_vec3 turn = sn_vec3_scale(imu.gyro, 0.001);
    /* The force is that of the middle of the cycle. */
    const sn_mat3 middle = sn_mat3_mul(rot, sn__mat3_exp(sn_vec3_scale(turn, 0.5)));
    const sn_vec3 felt = sn_mat3_apply(middle, imu.accel);
    rot = sn_mat3_mul(rot, sn__mat3_exp(turn));
    velocity = sn_vec3_add_scaled(velocity, 0.001, sn_vec3_add(felt, sn_vec3_make(0, 0, -GRAVITY)));
  }
  sn_spatial twist;
  const sn_pose end = sn__plant_base(r.plant, &twist, NULL);
  assert_vec3_near(velocity, sn_mat3_apply(end.rot, twist.lin), 1e-6);
  assert_vec3_near(sn_mat3_log(sn_mat3_mul(sn_mat3_transpose(rot), end.rot)), sn_vec3_make(0, 0, 0),
                   1e-6);
  rig_close(&r);
}

SN_TEST(imu_is_late_by_its_delay) {
  rig now, late;
  rig_open_level(&now);
  rig_open_level(&late);
  late.settings.imu_delay = 5;
  sn__plant_set(late.plant, &late.settings);
  const sn_pose start = pose_at(0.4, 0.3);
  (void)sn__plant_place(now.plant, NULL, start, false);
  (void)sn__plant_place(late.plant, NULL, start, false);
  sn_plant_imu seen[500];
  for (int i = 0; i < 500; i++) {
    sn__plant_step(now.plant, 0.001);
    sn__plant_step(late.plant, 0.001);
    seen[i] = sn__plant_read_imu(now.plant);
    const sn_plant_imu old = sn__plant_read_imu(late.plant);
    if (i >= 5) {
      assert_memory_equal(&old, &seen[i - 5], sizeof old);
    }
  }
  rig_close(&now);
  rig_close(&late);
}

SN_TEST(imu_noise_has_its_deviation_and_leaves_the_encoders_alone) {
  enum { SAMPLES = 4000 };
  rig r;
  rig_open_level(&r);
  r.settings.gyro_noise = 0.02;
  r.settings.accel_noise = 0.5;
  sn__plant_set(r.plant, &r.settings);
  run(&r, 2.0);
  double gyro = 0.0, accel = 0.0;
  for (int i = 0; i < SAMPLES; i++) {
    const sn_plant_imu imu = sn__plant_read_imu(r.plant);
    gyro += sn_vec3_dot(imu.gyro, imu.gyro);
    const sn_vec3 off =
        sn_vec3_sub(sn_mat3_apply(imu.rot_world_base, imu.accel), sn_vec3_make(0, 0, GRAVITY));
    accel += sn_vec3_dot(off, off);
  }
  sn_assert_near(sqrt(gyro / (3 * SAMPLES)), 0.02, 0.001);
  sn_assert_near(sqrt(accel / (3 * SAMPLES)), 0.5, 0.025);
  rig_close(&r);
}

/* ---- feet ---- */

SN_TEST(feet_carry_the_weight) {
  rig r;
  rig_open_level(&r);
  run(&r, 3.0);
  const sn_names *names = sn__plant_foot_names(r.plant);
  assert_int_equal(sn_names_count(names), 4);
  sn_vec3 sum = {0, 0, 0};
  for (size_t i = 0; i < 4; i++) {
    const sn_plant_foot foot = sn__plant_foot_at(r.plant, i);
    assert_true(foot.touches);
    sn_assert_near(foot.point.z, 0.0, 1e-3);
    assert_string_equal(sn__plant_foot_contact(r.plant, i), "hoof_flat");
    sum = sn_vec3_add(sum, foot.force_N);
  }
  assert_vec3_near(sum, sn_vec3_make(0, 0, GRAVITY * sn_dyn_total_mass(r.dyn)), 1e-6);
  r.settings.contact_threshold_N = sum.z;
  sn__plant_set(r.plant, &r.settings);
  assert_false(sn__plant_foot_at(r.plant, 0).touches);
  r.settings.contact_threshold_N = 0.0;
  sn__plant_set(r.plant, &r.settings);
  const sn_pose high = pose_at(5.0, 0.0);
  (void)sn__plant_place(r.plant, NULL, high, false);
  run(&r, 0.01);
  for (size_t i = 0; i < 4; i++) {
    assert_false(sn__plant_foot_at(r.plant, i).touches);
  }
  rig_close(&r);
}

/* ---- pushes ---- */

typedef struct push {
  sn_msg_names names;
  sn_spatial wrenches[4];
  sn_seq_spatial list;
  uint32_t starts[4];
  char text[200];
} push;

static void push_add(push *p, const char *link, sn_spatial wrench) {
  if (p->list.data == NULL) {
    p->names = (sn_msg_names){
        .capacity = 4, .starts = p->starts, .text = p->text, .text_capacity = sizeof p->text};
    p->list.data = p->wrenches;
  }
  assert_int_equal(sn_msg_names_add(&p->names, link, strlen(link)), SN_OK);
  p->list.data[p->list.count++] = wrench;
}

/* In free fall a force on any link accelerates the centre of mass by force over mass. */
SN_TEST(push_moves_the_centre_of_mass) {
  static const char *const links[] = {"base_link", "leg1_link5", "head_link4", "leg3_link2"};
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
    rig r;
    rig_open_level(&r);
    const sn_pose high = pose_at(50.0, 0.7);
    (void)sn__plant_place(r.plant, NULL, high, false);
    push p = {.list = {0}};
    const sn_vec3 force = {3.0, -2.0, 1.0};
    push_add(&p, links[i], (sn_spatial){{0.01, 0.02, 0.03}, force});
    assert_int_equal(sn__plant_push_links(r.plant, &p.names, &p.list), SN_PLANT_TAKEN);
    const sn_vec3 before = com_of(&r);
    run(&r, 0.2);
    const sn_vec3 a = sn_vec3_add(sn_vec3_make(0, 0, -GRAVITY),
                                  sn_vec3_scale(force, 1.0 / sn_dyn_total_mass(r.dyn)));
    /* Velocity products are explicit: an error of the order of the step. */
    assert_vec3_near(sn_vec3_sub(com_of(&r), before), sn_vec3_scale(a, 0.5 * 0.2 * 0.2), 2e-3);
    rig_close(&r);
  }
}

/* It ends with the next message. */
SN_TEST(push_tips_the_robot_over_only_if_strong) {
  rig r;
  rig_open_level(&r);
  run(&r, 1.0);
  const double weight = GRAVITY * sn_dyn_total_mass(r.dyn);
  const double before = sn__plant_base(r.plant, NULL, NULL).rot.z.z;
  push weak = {.list = {0}}, none = {.list = {0}}, strong = {.list = {0}};
  push_add(&weak, "base_link", (sn_spatial){{0, 0, 0}, {0.0, 0.05 * weight, 0.0}});
  push_add(&strong, "base_link", (sn_spatial){{0, 0, 0}, {0.0, 1.5 * weight, 0.0}});
  (void)sn__plant_push_links(r.plant, &weak.names, &weak.list);
  run(&r, 1.0);
  (void)sn__plant_push_links(r.plant, &none.names, &none.list);
  run(&r, 1.0);
  sn_assert_near(sn__plant_base(r.plant, NULL, NULL).rot.z.z, before, 0.01);
  (void)sn__plant_push_links(r.plant, &strong.names, &strong.list);
  run(&r, 1.0);
  assert_true(sn__plant_base(r.plant, NULL, NULL).rot.z.z < 0.7);
  rig_close(&r);
}

SN_TEST(wrong_pushes_are_rejected) {
  rig r;
  rig_open_level(&r);
  const sn_spatial wrench = {{0, 0, 0}, {1, 0, 0}};
  push twice = {.list = {0}}, unknown = {.list = {0}}, nan = {.list = {0}}, few = {.list = {0}};
  push_add(&twice, "base_link", wrench);
  push_add(&twice, "base_link", wrench);
  push_add(&unknown, "tail", wrench);
  push_add(&nan, "base_link", (sn_spatial){{0, 0, 0}, {0, NAN, 0}});
  push_add(&few, "base_link", wrench);
  few.list.count = 0;
  assert_int_equal(sn__plant_push_links(r.plant, &twice.names, &twice.list), SN_PLANT_DUPLICATE);
  assert_int_equal(sn__plant_push_links(r.plant, &unknown.names, &unknown.list), SN_PLANT_UNKNOWN);
  assert_int_equal(sn__plant_push_links(r.plant, &nan.names, &nan.list), SN_PLANT_NOT_FINITE);
  assert_int_equal(sn__plant_push_links(r.plant, &few.names, &few.list), SN_PLANT_LENGTHS);
  rig_close(&r);
}
