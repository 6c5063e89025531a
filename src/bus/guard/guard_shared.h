/** @file
 *  Internal: the memory that the guard process shares with the one it guards. */
#ifndef SN_BUS_GUARD_GUARD_SHARED_H
#define SN_BUS_GUARD_GUARD_SHARED_H

#include <stdatomic.h>
#include <stdint.h>

#include "bus/guard/safe_frames.h"

enum { SN__GUARD_PLACES = 32 };

/** States of a place. Values that stray writes are unlikely to produce; any other means armed. */
#define SN__GUARD_FREE UINT64_C(0)
#define SN__GUARD_WATCHED UINT64_C(0x5343a7f1e60b92d5)
#define SN__GUARD_UNWATCHED UINT64_C(0x9c1be2740fd8635a) /**< in use, without a port or ended */

typedef struct sn__guard_place {
  _Atomic uint64_t state;
  _Atomic int64_t beat_ns, timeout_ns;
  _Atomic int trouble; /**< sn__guard_trouble, by the guard until cleared */
  _Atomic bool limp;
  char path[96];
  /** Two frames, so that one is complete whenever the writer dies. */
  _Atomic uint32_t turn; /**< frames[turn % 2] is valid */
  struct {
    uint64_t check; /**< sn__guard_checksum() */
    sn__safe_bytes safe;
  } frames[2];
} sn__guard_place;

typedef struct sn__guard_shared {
  _Atomic bool is_dying;       /**< sn__guard_trip() */
  _Atomic int64_t called_ns;   /**< time of the call */
  _Atomic uint32_t dying_done; /**< the guard has handled it */
  sn__guard_place places[SN__GUARD_PLACES];
} sn__guard_shared;

/** Message over the socket, with a descriptor if there is a port. */
typedef struct sn__guard_message {
  int32_t place;
  int32_t has_port;
} sn__guard_message;

/** FNV-1a over the bytes and their number. */
static inline uint64_t sn__guard_checksum(const sn__safe_bytes *safe) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ safe->count;
  for (uint32_t i = 0; i < safe->count && i < SN__SAFE_BYTES_MAX; i++) {
    hash = (hash ^ safe->bytes[i]) * UINT64_C(0x100000001b3);
  }
  return hash;
}

/** The guard's process: does not return. Async-signal-safe calls only.
 *  @param control  pid that it guards
 *  @param pidfd    of it; -1: the kernel has none
 *  @param socket   its end of the pair
 *  @param priority of SCHED_FIFO; 0: the usual scheduler */
_Noreturn void sn__guard_run(sn__guard_shared *shared, int control, int pidfd, int socket,
                             int priority);

#endif
