/* The same robot on the same ground in both plants: Sinew's physics and MuJoCo's agree. */
#include <string.h>

#include "ik/start_pose.h"
#include "math/rotation.h"
#include "model_rig.h"
#include "plant/mujoco/mujoco_physics.h"
#include "plant/plant_state.h"
#include "robot.h"
#include "sinew/components.h"
#include "sinew/dyn.h"
#include "sinew/quat.h"
#include "sn_test.h"

static const double GRAVITY = 9.81;
static const double FRICTIONS[] = {0.4, 0.8, 1.2};
enum { OWN, MUJOCO, PLANTS, JOINTS_MAX = 64 };

typedef struct pair {
  sn_test_robot robot;
  sn_arena arena;
  sn_plant *plant[PLANTS];
  size_t joint_count;
  double weight_N;
  double start[JOINTS_MAX];
  sn_servo_goal *goals;
  sn_rigid_body_state *push;
  /* the largest differences since the last reset */
  double position_m, angle_rad, joint_rad;
} pair;

static double weight_of(pair *p) {
  sn_tree tree = *sn_model_tree(p->robot.model);
  tree.massless_link = NULL;
  sn_dyn_data *dyn = NULL;
  assert_int_equal(sn_dyn_create(&p->arena, &tree, &dyn, NULL), SN_OK);
  return GRAVITY * sn_dyn_total_mass(dyn);
}

static void pair_close(pair *p) {
  if (p->plant[MUJOCO] != NULL) {
    sn__plant_release(p->plant[MUJOCO]);
  }
  sn_arena_release(&p->arena);
  sn_test_robot_free(&p->robot);
}

/* The quadruped, upright on straight legs or in a pose that can move. Skips the test in a build
   without MuJoCo. */
static void pair_open(pair *p, const sn_plant_ground *ground, bool movable) {
  memset(p, 0, sizeof *p);
  sn_test_robot_load(&p->robot, "quadruped");
  sn_arena_init_growing(&p->arena, "plants", 0);
  p->joint_count = sn_model_pose_size(p->robot.model);
  assert_true(p->joint_count <= JOINTS_MAX);
  if (movable) {
    assert_int_equal(sn__start_pose(&p->arena, p->robot.model, p->start, NULL), SN_OK);
  }
  const sn_plant_config config = {.ground = ground, .start_pose = p->start};
  sn_error err;
  assert_int_equal(sn__plant_create(&p->arena, p->robot.model, &config, &p->plant[OWN], &err),
                   SN_OK);
  if (sn__plant_create_with(&p->arena, p->robot.model, &config, sn__mujoco_create,
                            &p->plant[MUJOCO], &err) != SN_OK) {
    sn_assert_contains(err.message, "built without MuJoCo");
    pair_close(p);
    skip();
  }
  p->goals = sn_msg_create(&p->arena, &sn_servo_goal_type, NULL);
  p->push = sn_msg_create(&p->arena, &sn_rigid_body_state_type, NULL);
  p->weight_N = weight_of(p);
}

static sn_pose base_of(const pair *p, int plant) {
  return sn__plant_base(p->plant[plant], NULL, NULL);
}

static void compare(pair *p) {
  const sn_pose own = base_of(p, OWN), other = base_of(p, MUJOCO);
  const sn_mat3 turn = sn_mat3_mul(sn_mat3_transpose(own.rot), other.rot);
  p->position_m = fmax(p->position_m, sn_vec3_norm(sn_vec3_sub(own.pos, other.pos)));
  p->angle_rad = fmax(p->angle_rad, sn_vec3_norm(sn_mat3_log(turn)));
  for (size_t i = 0; i < p->joint_count; i++) {
    const double difference = sn__plant_q(p->plant[OWN])[i] - sn__plant_q(p->plant[MUJOCO])[i];
    p->joint_rad = fmax(p->joint_rad, fabs(difference));
  }
}

static void run(pair *p, double time_s) {
  for (long i = lround(time_s * 1000.0); i > 0; i--) {
    for (int k = 0; k < PLANTS; k++) {
      sn__plant_step(p->plant[k], 0.001);
    }
    compare(p);
  }
}

static void assert_agree(pair *p, double position_m, double angle_rad, double joint_rad) {
  sn_assert_near(p->position_m, 0.0, position_m);
  sn_assert_near(p->angle_rad, 0.0, angle_rad);
  sn_assert_near(p->joint_rad, 0.0, joint_rad);
  p->position_m = p->angle_rad = p->joint_rad = 0.0;
}

/* Forces within the friction cone; at rest they carry the weight. */
static void assert_carried(const pair *p, double friction) {
  for (int k = 0; k < PLANTS; k++) {
    sn_vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < sn__plant_contact_count(p->plant[k]); i++) {
      const sn_plant_contact contact = sn__plant_contact_at(p->plant[k], i);
      const sn_vec3 f = contact.force_N;
      assert_true(hypot(f.x, f.y) <= friction * f.z * (1.0 + 1e-3) + 1e-6);
      assert_true(contact.point.z > -1e-3);
      sum = sn_vec3_add(sum, f);
    }
    sn_assert_near(sum.z / p->weight_N, 1.0, 1e-4);
    sn_assert_near(hypot(sum.x, sum.y) / p->weight_N, 0.0, 1e-4);
  }
}

static void push_base(pair *p, sn_vec3 force) {
  sn_msg_reset(&sn_rigid_body_state_type, p->push);
  assert_int_equal(sn_msg_names_add(&p->push->name, "base_link", 9), SN_OK);
  p->push->wrench.data[0] = (sn_spatial){.lin = force};
  p->push->wrench.count = 1;
  for (int k = 0; k < PLANTS; k++) {
    assert_int_equal(sn__plant_push_links(p->plant[k], &p->push->name, &p->push->wrench),
                     SN_PLANT_TAKEN);
  }
}

/* ---- tests ---- */

SN_TEST(quadruped_stands_alike) {
  for (size_t i = 0; i < 3; i++) {
    const sn_plant_ground ground = {.friction = FRICTIONS[i]};
    pair p;
    pair_open(&p, &ground, false);
    run(&p, 0.5);
    assert_agree(&p, 2e-5, 2e-5, 5e-5);
    assert_carried(&p, FRICTIONS[i]);
    pair_close(&p);
  }
}

/* Bent legs sag until the friction of the gears holds them, which leaves a choice. */
SN_TEST(bent_legs_sag_alike) {
  for (size_t i = 0; i < 3; i++) {
    const sn_plant_ground ground = {.friction = FRICTIONS[i]};
    pair p;
    pair_open(&p, &ground, true);
    run(&p, 0.7);
    assert_agree(&p, 1e-3, 5e-3, 5e-3);
    assert_carried(&p, FRICTIONS[i]);
    pair_close(&p);
  }
}

SN_TEST(quadruped_rests_after_a_drop) {
  for (size_t i = 0; i < 3; i++) {
    const sn_plant_ground ground = {.friction = FRICTIONS[i]};
    pair p;
    pair_open(&p, &ground, false);
    for (int k = 0; k < PLANTS; k++) {
      sn_pose above = base_of(&p, k);
      above.pos.z += 0.03;
      assert_true(sn__plant_place(p.plant[k], NULL, above, false) == 0.0);
    }
    run(&p, 0.8);
    assert_agree(&p, 3e-3, 5e-3, 8e-3); /* the impact */
    run(&p, 0.1);
    assert_agree(&p, 2e-4, 2e-4, 4e-3);
    assert_carried(&p, FRICTIONS[i]);
    pair_close(&p);
  }
}

/* Share of an angle that joint NAME has if the knees bend: forwards at the front, backwards at the
   back. */
static double share_of(const char *name) {
  const double sign = strncmp(name, "leg1", 4) == 0 || strncmp(name, "leg2", 4) == 0 ? -1.0 : 1.0;
  const char *joint = strncmp(name, "leg", 3) == 0 ? name + 4 : "";
  return strcmp(joint, "_joint3") == 0   ? sign
         : strcmp(joint, "_joint4") == 0 ? -2.0 * sign
         : strcmp(joint, "_joint5") == 0 ? sign
                                         : 0.0;
}

static void bend_knees(pair *p, double angle_rad) {
  p->goals->name.table = sn_model_joint_names(p->robot.model);
  p->goals->name.count = p->goals->goal.count = p->joint_count;
  for (size_t i = 0; i < p->joint_count; i++) {
    p->goals->goal.data[i] = angle_rad * share_of(sn_names_at(p->goals->name.table, i));
  }
  for (int k = 0; k < PLANTS; k++) {
    assert_int_equal(sn__plant_take_goals(p->plant[k], p->goals), SN_PLANT_TAKEN);
  }
}

SN_TEST(quadruped_squats_alike) {
  for (size_t i = 0; i < 3; i++) {
    const sn_plant_ground ground = {.friction = FRICTIONS[i]};
    pair p;
    pair_open(&p, &ground, false);
    const double start = base_of(&p, OWN).pos.z;
    for (int cycle = 0; cycle < 500; cycle++) {
      bend_knees(&p, 0.2 - 0.2 * cos(0.0062832 * cycle));
      run(&p, 1e-3);
    }
    assert_true(base_of(&p, OWN).pos.z < start - 5e-3);
    for (int cycle = 500; cycle < 1000; cycle++) {
      bend_knees(&p, 0.2 - 0.2 * cos(0.0062832 * cycle));
      run(&p, 1e-3);
    }
    assert_agree(&p, 3e-4, 1e-3, 5e-3);
    pair_close(&p);
  }
}

/* Too weak to move it. */
SN_TEST(pushed_quadruped_stands_alike) {
  for (size_t i = 0; i < 3; i++) {
    const sn_plant_ground ground = {.friction = FRICTIONS[i]};
    pair p;
    pair_open(&p, &ground, false);
    push_base(&p, sn_vec3_make(0.0, 0.1 * p.weight_N, 0.0));
    run(&p, 0.3);
    push_base(&p, sn_vec3_make(0.0, 0.0, 0.0));
    run(&p, 0.3);
    assert_agree(&p, 5e-4, 1e-3, 2e-3);
    assert_carried(&p, FRICTIONS[i]);
    pair_close(&p);
  }
}

/* It slides or tips by about 180 mm, and falls. */
SN_TEST(pushed_quadruped_falls_alike) {
  for (size_t i = 0; i < 3; i++) {
    const sn_plant_ground ground = {.friction = FRICTIONS[i]};
    pair p;
    pair_open(&p, &ground, true);
    run(&p, 0.3);
    push_base(&p, sn_vec3_make(0.0, 0.6 * p.weight_N, 0.0));
    run(&p, 0.3);
    assert_true(base_of(&p, OWN).pos.y > 0.15);
    assert_agree(&p, 2e-3, 0.015, 0.015);
    push_base(&p, sn_vec3_make(0.0, 0.0, 0.0));
    run(&p, 0.6);
    for (int k = 0; k < PLANTS; k++) {
      assert_true(base_of(&p, k).rot.z.z < 0.8);
    }
    assert_agree(&p, 0.05, 0.5, 0.3);
    pair_close(&p);
  }
}

SN_TEST(mujoco_repeats_after_reset) {
  const sn_plant_ground ground = {.slope_x = 0.1};
  pair p;
  pair_open(&p, &ground, true);
  sn_plant *plant = p.plant[MUJOCO];
  sn_pose end[2];
  for (int i = 0; i < 2; i++) {
    sn__plant_reset(plant);
    for (int k = 0; k < 200; k++) {
      sn__plant_step(plant, 0.001);
    }
    end[i] = base_of(&p, MUJOCO);
  }
  assert_memory_equal(&end[0], &end[1], sizeof end[0]);
  pair_close(&p);
}

/* ---- the component ---- */

static void feed_nothing(void *context) {
  (void)context;
}

static const void *newest(sn_tap *tap) {
  sn_flow flow = SN_NO_DATA;
  const void *msg = sn_tap_read(tap, &flow);
  assert_int_equal(flow, SN_NEW_DATA);
  return msg;
}

static void assert_stands(sn_tap *truth, sn_tap *imu, sn_tap *contacts) {
  const sn_rigid_body_state *base = newest(truth);
  const sn_imu *sensed = newest(imu);
  const sn_support_state *feet = newest(contacts);
  assert_string_equal(sn_msg_names_at(&base->name, 0), "base_link");
  assert_true(base->pose.data[0].position.z > 0.1);
  sn_assert_near(sensed->linear_acceleration.z, GRAVITY, 1e-2);
  assert_int_equal(feet->name.count, 4);
  for (size_t i = 0; i < 4; i++) {
    assert_true(feet->support.data[i] == 1.0);
  }
}

SN_TEST(component_has_base_imu_and_feet_and_no_heap) {
  model_rig m;
  model_rig_open(&m, "quadruped");
  sn_component *plant = model_rig_add(&m, &sn_plant_mujoco_component, "plant");
  rig_set(&m.r, plant, "base", "floating");
  sn_tap *truth = model_rig_tap(&m, "plant.base_truth");
  sn_tap *imu = model_rig_tap(&m, "plant.imu");
  sn_tap *contacts = model_rig_tap(&m, "plant.contacts");
  const bool is_there = sn_system_begin(m.r.system, &m.r.err) == SN_OK;
  if (is_there) {
    model_rig_cycle_without_heap(&m, 300, feed_nothing, NULL);
    assert_stands(truth, imu, contacts);
  } else {
    sn_assert_contains(m.r.err.message, "built without MuJoCo");
  }
  sn_tap_close(truth);
  sn_tap_close(imu);
  sn_tap_close(contacts);
  model_rig_close(&m);
  if (!is_there) {
    skip();
  }
}
