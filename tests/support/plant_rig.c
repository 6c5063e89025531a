#include "plant_rig.h"

static const char PENDULUM[] =
    "<robot name='pendulum'><link name='base'/>"
    "<link name='rod'><inertial><origin xyz='0 0 -0.25'/><mass value='0.8'/>"
    "<inertia ixx='0.004' iyy='0.004' izz='0.004' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='hinge' type='revolute'><parent link='base'/><child link='rod'/>"
    "<axis xyz='0 1 0'/><limit lower='-2.5' upper='2' effort='6' velocity='8'/></joint></robot>";

const sn_servo_params plant_rig_servo = {.kp = 8.0,
                                         .kgear = 1.0,
                                         .alpha = {1.5, 0.4, 0.3, 2.0},
                                         .qs = 0.1,
                                         .delta = 1.0,
                                         .inertia = 0.02};

void plant_rig_open_pendulum(fixture *f) {
  memset(f, 0, sizeof *f);
  sn_test_robot_init_good(&f->robot, PENDULUM, NULL);
  sn_arena_init_growing(&f->arena, "plant", 0);
  f->servo = (sn_plant_servo){plant_rig_servo, HUGE_VAL, HUGE_VAL};
  f->config = (sn_plant_config){.servos = &f->servo, .seed = 7};
  sn__plant_settings_init(&f->settings);
  f->goals = sn_msg_create(&f->arena, &sn_servo_goal_type, NULL);
  f->push = sn_msg_create(&f->arena, &sn_joint_state_type, NULL);
  f->measured = sn_msg_create(&f->arena, &sn_joint_state_type, NULL);
}

void plant_rig_create(fixture *f) {
  sn_error err;
  if (sn__plant_create(&f->arena, f->robot.model, &f->config, &f->plant, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  sn__plant_set(f->plant, &f->settings);
}

void plant_rig_close_plant(fixture *f) {
  sn_arena_release(&f->arena);
  sn_test_robot_free(&f->robot);
}

sn_plant_verdict plant_rig_send(fixture *f, const char *name, double goal, int limp) {
  sn_msg_reset(&sn_servo_goal_type, f->goals);
  assert_int_equal(sn_msg_names_add(&f->goals->name, name, strlen(name)), SN_OK);
  f->goals->goal.data[0] = goal;
  f->goals->goal.count = 1;
  f->goals->limp.data[0] = limp > 0;
  f->goals->limp.count = limp >= 0;
  return sn__plant_take_goals(f->plant, f->goals);
}

sn_plant_verdict plant_rig_push(fixture *f, double effort) {
  sn_msg_reset(&sn_joint_state_type, f->push);
  assert_int_equal(sn_msg_names_add(&f->push->name, "hinge", 5), SN_OK);
  f->push->effort.data[0] = effort;
  f->push->effort.count = 1;
  return sn__plant_push(f->plant, f->push);
}

void plant_rig_run(fixture *f, double seconds) {
  for (int i = (int)lround(1000.0 * seconds); i > 0; i--) {
    sn__plant_step(f->plant, 0.001);
  }
}

double plant_rig_q_of(const fixture *f) {
  return sn__plant_q(f->plant)[0];
}

double plant_rig_qd_of(const fixture *f) {
  return sn__plant_qd(f->plant)[0];
}
