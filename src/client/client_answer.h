/** @file
 *  Internal: one line of the control socket, read. */
#ifndef SN_CLIENT_CLIENT_ANSWER_H
#define SN_CLIENT_CLIENT_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/msg.h"
#include "sinew/status.h"

/** Read a line. @param is_answer  out: it answers the request @p id; else it is of no interest
 *  @return SN_EIO: it is not JSON; of an answer, what sn_client_call() returns */
sn_status sn__client_read_answer(const char *line, size_t size, int64_t id, const sn_msg_type *type,
                                 void *response, bool *is_answer, sn_error *err);

#endif
