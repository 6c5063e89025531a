/** @file
 *  What the tests of plant share. */
#ifndef SN_PLANT_RIG_H
#define SN_PLANT_RIG_H

#include "plant/plant_state.h"
#include "robot.h"
#include "sn_test.h"

extern const sn_servo_params plant_rig_servo;

typedef struct fixture {
  sn_test_robot robot;
  sn_arena arena;
  sn_plant *plant;
  sn_plant_servo servo;
  sn_plant_config config;
  sn_plant_settings settings;
  sn_servo_goal *goals;
  sn_joint_state *push, *measured;
} fixture;

void plant_rig_open_pendulum(fixture *f);

void plant_rig_create(fixture *f);

void plant_rig_close_plant(fixture *f);

sn_plant_verdict plant_rig_send(fixture *f, const char *name, double goal, int limp);

sn_plant_verdict plant_rig_push(fixture *f, double effort);

void plant_rig_run(fixture *f, double seconds);

double plant_rig_q_of(const fixture *f);

double plant_rig_qd_of(const fixture *f);

#endif
