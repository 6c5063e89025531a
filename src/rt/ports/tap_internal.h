/** @file
 *  Internal: taps that share a stream: their messages wait in one ring of bytes, in the order in
 *  which they were sent, and are read there by tag. */
#ifndef SN_RT_PORTS_TAP_INTERNAL_H
#define SN_RT_PORTS_TAP_INTERNAL_H

#include "rt/ports/stream.h"
#include "sinew/tap.h"

/** Open a tap whose messages go into @p stream with this tag; sn_tap_read() gives none.
 *  @return as sn_tap_open().  RT: no.  Threads: any. */
sn_status sn__tap_open_packed(sn_system *system, const char *from, sn__stream *stream, uint16_t tag,
                              sn_tap **out, sn_error *err);

/** Make a message of a record of the tap, with room for just that.
 *  @return NULL if the arena is exhausted
 *  RT: no, allocates.  Threads: owner of the arena. */
void *sn__tap_unpack(const sn_tap *tap, const void *record, sn_arena *arena);

/** Free a stream after its last tap was closed, once no cycle uses it. NULL is allowed.
 *  RT: no.  Threads: any. */
void sn__tap_close_stream(sn_system *system, sn__stream *stream);

#endif
