/** @file
 *  Internal: the memory of taps. */
#ifndef SN_RT_PORTS_TAP_INTERNAL_H
#define SN_RT_PORTS_TAP_INTERNAL_H

#include "sinew/tap.h"

/** @return bytes that the buffered messages of such a tap take, 0 if the output does not exist; ask
 *          before opening a tap with a long buffer
 *  @param connection  NULL: the latest message only
 *  RT: no.  Threads: any. */
size_t sn__tap_memory(sn_system *system, const char *from, const sn_connection *connection);

/** A message that has room for every message of the tap.
 *  @return NULL if the arena is exhausted
 *  RT: no, allocates.  Threads: owner of the arena. */
void *sn__tap_create_msg(const sn_tap *tap, sn_arena *arena);

#endif
