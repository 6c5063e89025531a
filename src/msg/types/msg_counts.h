/** @file
 *  Counters of the aggregator, as its operation `getCounts` returns them. */
#ifndef SN_MSG_TYPES_MSG_COUNTS_H
#define SN_MSG_TYPES_MSG_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/msg_types.h"

SN_BEGIN_DECLS

/** How often one thing happened to one source, or to one joint. */
typedef struct sn_gate_count {
  sn_msg_text of;   /**< `source` or `joint` */
  sn_msg_text name; /**< of it */
  sn_msg_text what; /**< `taken`, or the reason of a rejection (gate.h) */
  uint64_t count;   /**< since the aggregator was configured; never 0 */
} sn_gate_count;

SN_SEQ_DEFINE(sn_seq_gate_count, sn_gate_count);

/** All counters that are not 0: sources first, then joints in the order of the sorted pose. */
typedef struct sn_gate_count_list {
  sn_header header;
  sn_seq_gate_count counts;
  bool complete; /**< false: more than fit; request one name */
} sn_gate_count_list;

extern const sn_msg_type sn_gate_count_type;
extern const sn_msg_type sn_gate_count_list_type;

SN_END_DECLS

#endif
