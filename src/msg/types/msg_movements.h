/** @file
 *  Messages of the component `movements`. */
#ifndef SN_MSG_TYPES_MSG_MOVEMENTS_H
#define SN_MSG_TYPES_MSG_MOVEMENTS_H

#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/msg_types.h"

SN_BEGIN_DECLS

/** The movements of a folder; lists have the same length. */
typedef struct sn_movement_list {
  sn_msg_names name;
  sn_msg_names kind;   /**< joint_trajectory, step_sequence, move_base, joint_state, script; or
                            invalid */
  sn_seq_f64 duration; /**< s; 0 if it is not known before it is played */
} sn_movement_list;

/** A movement that is not in the folder. */
typedef struct sn_movement_text {
  sn_msg_text name; /**< for messages */
  sn_msg_text text; /**< JSON, as in a file */
  double speed;     /**< as in sn_movement_play */
  bool fastest;
} sn_movement_text;

/** What to play. */
typedef struct sn_movement_play {
  sn_msg_text name;
  double speed; /**< of a joint trajectory: 0.1 .. 10 times its own; 0: its own */
  bool fastest; /**< as fast as the limits of the joints allow */
} sn_movement_play;

/** What to record by hand. */
typedef struct sn_movement_take {
  sn_msg_text name;       /**< of the new file */
  sn_msg_names resources; /**< limbs that are recorded; none: all */
  sn_msg_text by; /**< controller that makes them yield; empty: that of the property `limp`; none:
                       they are moved by something else */
} sn_movement_take;

/** What is played or recorded, or how the last one ended. */
typedef struct sn_movement_state {
  sn_msg_text state; /**< idle, playing, recording */
  sn_msg_text name;
  sn_msg_text kind;
  double elapsed;  /**< s */
  double duration; /**< s; 0: unknown */
  bool success;    /**< of the last one */
  int32_t error_code;
  sn_msg_text message; /**< why it failed */
} sn_movement_state;

extern const sn_msg_type sn_movement_list_type;
extern const sn_msg_type sn_movement_text_type;
extern const sn_msg_type sn_movement_play_type;
extern const sn_msg_type sn_movement_take_type;
extern const sn_msg_type sn_movement_state_type;

SN_END_DECLS

#endif
