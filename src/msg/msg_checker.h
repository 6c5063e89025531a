/** @file
 *  Checking messages in every cycle: the table of a type compiled into a short list of its real
 *  numbers. Ports make one for each output. */
#ifndef SN_MSG_MSG_CHECKER_H
#define SN_MSG_MSG_CHECKER_H

#include <stdbool.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/msg.h"

SN_BEGIN_DECLS

/** Opaque and immutable. Lives in the arena it was created from. */
typedef struct sn_msg_checker sn_msg_checker;

/** Compile the checking of a type.
 *  @return NULL if the arena is exhausted
 *  RT: no, allocates.  Threads: one owner of the arena. */
const sn_msg_checker *sn__msg_checker_create(sn_arena *arena, const sn_msg_type *type);

/** As sn_msg_is_finite() for the type that the checker was made for.
 *  RT: yes, O(what is used).  Threads: owner of the message; any number with one checker. */
bool sn__msg_checker_is_finite(const sn_msg_checker *checker, const void *msg) SN_RT;

SN_END_DECLS

#endif
