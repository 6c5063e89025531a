/** @file
 *  Internal: a message to the gate, looked at as a whole first, and then joint by joint. */
#ifndef SN_GATE_GATE_MESSAGE_H
#define SN_GATE_GATE_MESSAGE_H

#include "gate/gate_data.h"

typedef struct sn__gate_message {
  const sn_msg_names *names;
  const sn_joint_state *numbers; /**< that belong to the names; NULL: there are none */
  int64_t stamp_ns;              /**< 0: now */
  int source;                    /**< -1: measured */
  int64_t now_ns;
} sn__gate_message;

/** Tell of a joint of the letter; -1: of the letter as a whole. RT: yes */
void sn__gate_message_report(sn_gate *gate, const sn__gate_message *letter, sn_gate_reason reason,
                             int joint, double value) SN_RT;

/** Do its numbers fit the names, are they finite, and is no joint there twice? Afterwards each
 * joint knows where in the letter it is: sn__gate_message_has(), seen_at. RT: yes */
bool sn__gate_message_open(sn_gate *gate, const sn__gate_message *letter) SN_RT;

/** Is it from a time that counts? RT: yes */
bool sn__gate_message_is_timely(sn_gate *gate, const sn__gate_message *letter) SN_RT;

/** Name the joints that do not exist. RT: yes */
void sn__gate_message_report_unknown(sn_gate *gate, const sn__gate_message *letter) SN_RT;

/** May the letter's source say what this joint does, now? If not, that has been counted. RT: yes */
bool sn__gate_message_may_move(sn_gate *gate, const sn__gate_message *letter, size_t joint) SN_RT;

/** What it says of this joint counts from then on. RT: yes */
int64_t sn__gate_message_counts_ns(const sn__gate_message *letter) SN_RT;

/** It was taken. RT: yes */
void sn__gate_message_close(sn_gate *gate, const sn__gate_message *letter) SN_RT;

/** Is the joint in the letter that was opened last? */
static inline bool sn__gate_message_has(const sn_gate *gate, size_t joint) {
  return gate->joints[joint].seen == gate->message;
}

/** Is a sequence as long as the names? Empty ones are. */
static inline bool sn__gate_message_fits(const sn__gate_message *letter, size_t count) {
  return count == letter->names->count || count == 0;
}

#endif
