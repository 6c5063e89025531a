/** @file
 *  Messages of the component `plant`. */
#ifndef SN_MSG_TYPES_MSG_PLANT_H
#define SN_MSG_TYPES_MSG_PLANT_H

#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/msg_types.h"

SN_BEGIN_DECLS

/** Counters since the start. */
typedef struct sn_plant_report {
  uint64_t goals_taken;    /**< messages */
  uint64_t goals_refused;  /**< messages with invalid lengths, numbers or names */
  uint64_t goals_unknown;  /**< messages that also name unknown servos */
  uint64_t goals_lost;     /**< messages, by goal_loss_rate */
  uint64_t pushes_refused; /**< messages */
  uint64_t measured;       /**< messages */
  uint64_t measured_lost;  /**< messages, by message_loss_rate */
  uint64_t dropouts;       /**< servos missing in a message */
} sn_plant_report;

/** Where to place the robot. */
typedef struct sn_plant_place {
  sn_msg_pose base;    /**< of a floating base, in odom; an orientation of length zero: upright */
  bool on_ground;      /**< change its height so that the robot touches the ground */
  sn_msg_names name;   /**< joints; the others stay */
  sn_seq_f64 position; /**< rad or m */
} sn_plant_place;

/** Where it was placed. */
typedef struct sn_plant_placed {
  sn_msg_pose base;
  double lifted; /**< m, because it was inside the ground */
} sn_plant_placed;

extern const sn_msg_type sn_plant_report_type;
extern const sn_msg_type sn_plant_place_type;
extern const sn_msg_type sn_plant_placed_type;

SN_END_DECLS

#endif
