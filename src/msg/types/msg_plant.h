/** @file
 *  Messages of the component `plant`. */
#ifndef SN_MSG_TYPES_MSG_PLANT_H
#define SN_MSG_TYPES_MSG_PLANT_H

#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"

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

extern const sn_msg_type sn_plant_report_type;

SN_END_DECLS

#endif
