/** @file
 *  Internal: commands of the controller `CartesianServo`, read from its messages. */
#ifndef SN_CONTROLLERS_JOG_SERVO_COMMAND_H
#define SN_CONTROLLERS_JOG_SERVO_COMMAND_H

#include "controllers/cartesian/world.h"
#include "controllers/jog/tool_servo.h"
#include "sinew/msg_types.h"

/** The name of the frame of the tool itself. */
#define SN__TOOL_FRAME "tool"

/** A command that was accepted. Zero-initialise: nothing moves. */
typedef struct sn__jog_command {
  sn__servo_command servo;
  int link;           /**< TWIST: whose axes the twist has; -1: the first link of the chain */
  bool is_motion;     /**< false: it asks for rest */
  int64_t arrived_ns; /**< when */
  int64_t valid_ns;   /**< how long it counts */
} sn__jog_command;

/** What a command is about. */
typedef struct sn__jog_context {
  const sn_model *model;
  const sn_chain *chain;
  const sn__world *world; /**< up to date */
  sn_pose tool;           /**< commanded, in the first link */
  int64_t now_ns, timeout_ns;
} sn__jog_context;

/** Read a message.
 *  @param command  out; untouched if it is refused
 *  @param qd       [joints of the chain] where velocities of joints are kept
 *  @return NULL, or why it is refused; static.  RT: yes. */
const char *sn__jog_read_twist(const sn__jog_context *context, const sn_twist_stamped *msg,
                               sn__jog_command *command) SN_RT;
const char *sn__jog_read_pose(const sn__jog_context *context, const sn_pose_stamped *msg,
                              sn__jog_command *command) SN_RT;
const char *sn__jog_read_joints(const sn__jog_context *context, const sn_joint_jog *msg, double *qd,
                                sn__jog_command *command) SN_RT;

/** The command of this cycle: a twist in the axes of a link turns with it. RT: yes. */
sn__servo_command sn__jog_command_now(const sn__jog_command *command,
                                      const sn__jog_context *context) SN_RT;

#endif
