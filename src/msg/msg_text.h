/** @file
 *  Internal: messages compared and printed. */
#ifndef SN_MSG_MSG_TEXT_H
#define SN_MSG_MSG_TEXT_H

#include "sinew/msg.h"

/** @return whether both have the same values, bit by bit: NaN equals the same NaN, 0 differs from
 *          -0. Names are compared as texts, wherever they are stored.
 *  RT: yes.  Threads: owner of both. */
bool sn__msg_equal(const sn_msg_type *type, const void *a, const void *b) SN_RT;

/** Print the message as lines `field: value`: texts in quotes, times in seconds, no control
 *  characters except line ends.
 *  @param out  @p size bytes, truncated if too small, always ends with a NUL if size > 0
 *  @return the length of the whole text without the NUL
 *  RT: no, formats.  Threads: owner of the message. */
size_t sn__msg_print(const sn_msg_type *type, const void *msg, char *out, size_t size);

#endif
