/** @file
 *  Messages of the emergency stop, of the component `aggregator`. */
#ifndef SINEW_MSG_STOP_H
#define SINEW_MSG_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/msg_types.h"

SN_BEGIN_DECLS

/** Request of `emergencyStop`. */
typedef struct sn_call_stop {
  sn_msg_text who; /**< who requests it */
  sn_msg_text why;
} sn_call_stop;

/** State of the emergency stop. */
typedef struct sn_stop_state {
  sn_header header;
  bool stopped;           /**< latched until `resume` */
  bool at_rest;           /**< no joint is commanded to move */
  sn_msg_text who;        /**< of this stop, or of the last; empty: none so far */
  sn_msg_text why;        /**< likewise */
  int64_t since_ns;       /**< when it took effect */
  sn_msg_text resumed_by; /**< who ended the last one */
  int64_t resumed_ns;     /**< when */
  uint64_t count;         /**< how often a stop was asked for */
} sn_stop_state;

SN_API extern const sn_msg_type sn_call_stop_type;
SN_API extern const sn_msg_type sn_stop_state_type;

SN_END_DECLS

#endif
