/** @file
 *  A robot with every kind of joint, references for it, and an independent check of the gate's
 * output. */
#ifndef SN_TEST_GATE_RIG_H
#define SN_TEST_GATE_RIG_H

#include "gate/gate.h"
#include "robot.h"
#include "sinew/random.h"

/** Joints of gate_robot by their place in the sorted pose. */
enum {
  GATE_SHOULDER, /**< revolute, -1 .. 2, 3 rad/s, no acceleration stated */
  GATE_ELBOW,    /**< revolute, -0.5 .. 0.5, 5 rad/s, 20 up and 40 rad/s^2 down, soft limits */
  GATE_WHEEL,    /**< continuous, 8 rad/s, effort 2 */
  GATE_SPINNER,  /**< continuous, nothing stated */
  GATE_SLIDE,    /**< prismatic, 0.1 .. 0.4 m, 0.5 m/s: zero is outside */
  GATE_FINGER,   /**< mimics the slide: -2 * slide + 0.5, its limits and speed are the tighter */
  GATE_THUMB,    /**< mimics the finger */
  GATE_STUCK,    /**< revolute with a velocity of 0 */
  GATE_FLOAT,    /**< floating */
  GATE_JOINTS
};

extern const char gate_robot[];

typedef struct gate_rig {
  sn_test_robot robot;
  sn_arena arena;
  sn_gate *gate;
  sn_joint_state *msg; /**< to fill */
  sn_servo_goal *goal; /**< likewise */
  int owners[GATE_JOINTS];
  int64_t now_ns;
} gate_rig;

/** Zero configuration values mean the gate's defaults; source 0 owns everything. */
void gate_rig_open(gate_rig *rig, const sn_gate_config *config);
void gate_rig_close(gate_rig *rig);

/** A message with these joints at these positions, nothing else, stamp 0. */
void gate_rig_say(gate_rig *rig, size_t count, const int *joints, const double *positions);

/** Send a reference for one joint from a source. */
sn_status gate_rig_take(gate_rig *rig, size_t source, int joint, double position);

/** Advance the time and step. */
const sn_gate_command *gate_rig_step(gate_rig *rig, int64_t dt_ns);

/** Judges commands by differences of positions alone; limits come from the model, not from the
 *  gate. */
typedef struct gate_judge {
  const sn_model *model;
  double acceleration_time_s, velocity_default;
  int64_t period_max_ns;
  double q[64], qd[64]; /**< of the last command */
  int64_t now_ns;
  size_t seen;
  double step_max; /**< the largest velocity seen, over its limit */
} gate_judge;

void gate_judge_init(gate_judge *judge, const sn_model *model, const sn_gate_config *config);

/** @return NULL if valid, else the violation; static text, valid until the next call */
const char *gate_judge_look(gate_judge *judge, const sn_gate_command *command, int64_t now_ns);

#endif
