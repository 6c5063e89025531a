/** @file
 *  Internal: the component `CartesianServo`, whose functions are in several files. */
#ifndef SN_CONTROLLERS_JOG_CARTESIAN_SERVO_H
#define SN_CONTROLLERS_JOG_CARTESIAN_SERVO_H

#include "controllers/jog/servo_command.h"
#include "controllers/jog/servo_obstacle.h"
#include "sinew/controller.h"

typedef struct sn__jog_tool {
  const sn_chain *chain;
  sn__tool_servo *servo; /**< NULL: this chain cannot be jogged */
} sn__jog_tool;

typedef struct sn__cartesian_servo {
  sn_controller controller;
  const char *chain;
  double speed, linear_speed, angular_speed, timeout_s, release_delay_s;
  double acceleration_time_s, jerk_time_s;
  sn_input in_twist, in_jog, in_pose, in_collision;
  sn_output state;

  sn__world world;
  sn__jog_tool *tools; /**< [chains] */
  size_t tool_count;
  int now;                         /**< the chain that it moves; -1: none */
  sn__jog_command command;         /**< in force */
  double *qd, *chain_q, *chain_qd; /**< [joints] */
  int64_t step_ns;                 /**< of the last step */
  int64_t rest_ns;                 /**< at rest since then */
  bool is_own_limb;                /**< taken for a command, not by an operation */
  bool is_held;                    /**< the gate has changed the last command */
  bool is_shown;                   /**< the last state that was published is that of a limb */
  const char *reason;              /**< why nothing moves; static; NULL: none */
  int64_t reason_ns;               /**< since when */
  sn__servo_obstacle obstacle;
  double *approach; /**< [joints] of the chain */
  sn__servo_outcome outcome;
} sn__cartesian_servo;

/* ---- its limb: cartesian_servo_limb.c ---- */

/** The chain that commands are for; -1: none that can be jogged. RT: yes. */
int sn__servo_wanted_chain(const sn__cartesian_servo *self) SN_RT;
/** The limb of a command is taken; that of an earlier one is released when it rests.
 *  @return whether it owns the limb.  RT: yes. */
bool sn__servo_take_limb(sn__cartesian_servo *self) SN_RT;
/** Hooks of the controller. */
void sn__servo_owned_changed(sn_component *component, const bool *had);
sn_status sn__servo_can_take(const sn_component *component, sn_error *err);

/* ---- its state: cartesian_servo_state.c ---- */

/** Why nothing moves, from now on for a moment. @param reason  static.  RT: yes. */
void sn__servo_explain(sn__cartesian_servo *self, const char *reason) SN_RT;
void sn__servo_publish_state(sn__cartesian_servo *self) SN_RT;

#endif
