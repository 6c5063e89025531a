/* A robot of servos on the ground. */
#include <string.h>

#include "ik/start_pose.h"
#include "plant/plant.h"
#include "robot.h"
#include "sinew/dyn.h"
#include "sn_test.h"

typedef struct rig {
  sn_test_robot robot;
  sn_arena arena;
  sn_plant *plant;
} rig;

static void rig_open(rig *r, const sn_plant_ground *ground) {
  memset(r, 0, sizeof *r);
  sn_test_robot_load(&r->robot, "quadruped");
  sn_arena_init_growing(&r->arena, "plant", 0);
  sn_error err;
  const sn_plant_config config = {.ground = ground};
  if (sn__plant_create(&r->arena, r->robot.model, &config, &r->plant, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
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

static double sum_of_forces(const rig *r) {
  double sum = 0.0;
  for (size_t i = 0; i < sn__plant_contact_count(r->plant); i++) {
    sum += sn__plant_contact_at(r->plant, i).force_N.z;
  }
  return sum;
}

static double weight_of(rig *r) {
  sn_tree tree = *sn_model_tree(r->robot.model);
  tree.massless_link = NULL;
  sn_dyn_data *dyn = NULL;
  assert_int_equal(sn_dyn_create(&r->arena, &tree, &dyn, NULL), SN_OK);
  return 9.81 * sn_dyn_total_mass(dyn);
}

/* SINEW_TEST_SCALE=360 is an hour. */
SN_TEST(robot_stands_still) {
  rig r;
  rig_open(&r, &(sn_plant_ground){.friction = 0.8});
  run(&r, 3.0);
  const sn_pose before = sn__plant_base(r.plant, NULL, NULL);
  sn_assert_near(sum_of_forces(&r), weight_of(&r), 1e-6);
  run(&r, (double)sn_test_cases(10));
  const sn_pose after = sn__plant_base(r.plant, NULL, NULL);
  sn_assert_near(sn_vec3_norm(sn_vec3_sub(after.pos, before.pos)), 0.0, 1e-9);
  rig_close(&r);
}

SN_TEST(runs_repeat_bit_by_bit) {
  rig a, b;
  rig_open(&a, &(sn_plant_ground){.slope_x = 0.1});
  rig_open(&b, &(sn_plant_ground){.slope_x = 0.1});
  run(&a, 0.5);
  run(&b, 0.2);
  sn__plant_reset(b.plant);
  run(&b, 0.5);
  const sn_pose first = sn__plant_base(a.plant, NULL, NULL),
                second = sn__plant_base(b.plant, NULL, NULL);
  assert_memory_equal(&first, &second, sizeof first);
  const size_t size = sn_model_pose_size(a.robot.model) * sizeof(double);
  assert_memory_equal(sn__plant_q(a.plant), sn__plant_q(b.plant), size);
  rig_close(&a);
  rig_close(&b);
}

/* Limp and without friction in its gears, it falls and comes to rest on the ground. */
SN_TEST(limp_robot_falls_and_comes_to_rest) {
  rig r;
  rig_open(&r, &(sn_plant_ground){0});
  sn_plant_servo servos[64];
  double start[64];
  assert_int_equal(sn__start_pose(&r.arena, r.robot.model, start, NULL), SN_OK);
  memcpy(servos, sn__plant_servos(r.plant), sn_model_pose_size(r.robot.model) * sizeof *servos);
  for (size_t i = 0; i < sn_model_pose_size(r.robot.model); i++) {
    servos[i].params.alpha[1] = servos[i].params.alpha[2] = 0.0;
  }
  const sn_plant_config config = {
      .ground = &(sn_plant_ground){0}, .servos = servos, .start_pose = start};
  assert_int_equal(sn__plant_create(&r.arena, r.robot.model, &config, &r.plant, NULL), SN_OK);
  const sn_pose before = sn__plant_base(r.plant, NULL, NULL);
  sn_plant_settings settings;
  sn__plant_settings_init(&settings);
  settings.goal_timeout_s = 0.01;
  sn__plant_set(r.plant, &settings);
  run(&r, 5.0);
  const sn_pose after = sn__plant_base(r.plant, NULL, NULL);
  assert_true(after.pos.z < 0.7 * before.pos.z);
  for (size_t i = 0; i < sn__plant_contact_count(r.plant); i++) {
    assert_true(sn__plant_contact_at(r.plant, i).point.z > -1e-3);
  }
  rig_close(&r);
}

/* With one step of integration in each cycle of 1 to 10 ms: lands hard, slides, and rests. */
SN_TEST(robot_lands_and_rests_at_any_period) {
  static const double periods[] = {0.001, 0.002, 0.005, 0.01};
  for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
    rig r;
    rig_open(&r, NULL);
    const sn_plant_config config = {.ground = &(sn_plant_ground){.friction = 0.4},
                                    .step_max_s = periods[i]};
    assert_int_equal(sn__plant_create(&r.arena, r.robot.model, &config, &r.plant, NULL), SN_OK);
    const sn_pose high = {sn_mat3_from_rpy(0.1, -0.1, 0.0), sn_vec3_make(0.0, 0.0, 0.45)};
    (void)sn__plant_place(r.plant, NULL, high, false);
    double fastest = 0.0;
    sn_spatial twist;
    for (long k = lround(4.0 / periods[i]); k > 0; k--) {
      sn__plant_step(r.plant, periods[i]);
      (void)sn__plant_base(r.plant, &twist, NULL);
      fastest = fmax(fastest, sn_vec3_norm(twist.lin));
    }
    assert_true(fastest < 4.0); /* sqrt(2 g h) is 2.6 */
    assert_true(sn_vec3_norm(twist.lin) < 1e-9 && sn_vec3_norm(twist.ang) < 1e-9);
    sn_assert_near(sum_of_forces(&r), weight_of(&r), 1e-6);
    rig_close(&r);
  }
}

SN_TEST(wrong_ground_is_rejected) {
  const sn_plant_box flat = {.pose_world_box = sn_pose_identity(), .size = {1.0, 0.0, 1.0}};
  const sn_plant_ground wrong[] = {{.slope_x = NAN},
                                   {.slope_y = 11.0},
                                   {.friction = INFINITY},
                                   {.boxes = &flat, .box_count = 1}};
  rig r;
  rig_open(&r, NULL);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    sn_plant *plant = NULL;
    sn_error err;
    const sn_plant_config config = {.ground = &wrong[i]};
    assert_int_equal(sn__plant_create(&r.arena, r.robot.model, &config, &plant, &err), SN_EINVAL);
    assert_null(plant);
  }
  rig_close(&r);
}
