/** @file
 *  What the operations of `servo_ident` take and give. */
#ifndef SN_MSG_TYPES_SERVO_IDENT_MSG_H
#define SN_MSG_TYPES_SERVO_IDENT_MSG_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/msg_types.h"

SN_BEGIN_DECLS

/** State of the identification of one servo. */
typedef struct sn_ident_servo_state {
  sn_msg_text name;
  bool has_model;   /**< enough is known of it to begin */
  bool running;     /**< it is being identified */
  uint64_t samples; /**< used so far */
  double error;     /**< averaged prediction error of the position, rad; NaN: no sample yet */
  double alpha[4];  /**< the estimate, or the model if it is not running */
  double inertia;   /**< likewise */
  double load_friction[2]; /**< likewise */
  double std[7];     /**< standard deviations of alpha, inertia and load_friction; NaN: not known */
  double excitation; /**< 0 .. 1: how well the motion separates the parameters */
  bool excited;      /**< the motion determines all parameters */
} sn_ident_servo_state;

SN_SEQ_DEFINE(sn_seq_ident_servo_state, sn_ident_servo_state);

/** `status()`: all servos, in the order of the robot model. */
typedef struct sn_ident_state {
  sn_seq_ident_servo_state servos;
} sn_ident_state;

/** `endIdentification()` and `undoIdentification()`. */
typedef struct sn_ident_ended {
  sn_msg_names names;  /**< whose model is another one now */
  bool saved;          /**< the file of the models holds it */
  sn_msg_text message; /**< what else there is to say, as why nothing was saved */
} sn_ident_ended;

/** What changed in the cycle, and all models as they are now. */
typedef struct sn_ident_applied {
  sn_msg_names names;
  sn_seq_servo_model models;
} sn_ident_applied;

/** The one operation for remote callers: what is asked. */
typedef struct sn_ident_request {
  sn_msg_text verb;    /**< start, status, abort, end or undo */
  sn_msg_names servos; /**< for start */
} sn_ident_request;

/** And the answer. */
typedef struct sn_ident_answer {
  bool success;
  sn_msg_text message;
  sn_msg_names names;              /**< of end and undo: whose model is another one now */
  sn_seq_ident_servo_state servos; /**< state after the request */
} sn_ident_answer;

extern const sn_msg_type sn_ident_servo_state_type;
extern const sn_msg_type sn_ident_state_type;
extern const sn_msg_type sn_ident_ended_type;
extern const sn_msg_type sn_ident_applied_type;
extern const sn_msg_type sn_ident_request_type;
extern const sn_msg_type sn_ident_answer_type;

SN_END_DECLS

#endif
