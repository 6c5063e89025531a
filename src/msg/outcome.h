/** @file
 *  Internal: the answer of an operation that may refuse. */
#ifndef SN_MSG_OUTCOME_H
#define SN_MSG_OUTCOME_H

#include "sinew/msg_calls.h"
#include "sinew/status.h"

/** A refusal is an answer, not a failure of the call: the message says why. One that does not fit
 *  is replaced by the text of the status.
 *  @param err  the reason, unless @p status is SN_OK
 *  @return SN_OK, or SN_ENOSPC: not even that fits */
static inline sn_status sn__outcome_put(sn_call_outcome *outcome, sn_status status,
                                        const sn_error *err) {
  outcome->success = status == SN_OK;
  return sn_msg_text_set(&outcome->message, status == SN_OK ? "" : err->message) == SN_OK
             ? SN_OK
             : sn_msg_text_set(&outcome->message, sn_status_text(status));
}

#endif
