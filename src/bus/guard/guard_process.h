/** @file
 *  Internal: state shared by the files of the guard process. Only async-signal-safe calls. */
#ifndef SN_BUS_GUARD_GUARD_PROCESS_H
#define SN_BUS_GUARD_GUARD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "bus/guard/guard.h"
#include "bus/guard/guard_shared.h"

typedef struct sn__guard_watched {
  int fd; /**< -1: no port */
  int64_t beat_ns;
  unsigned silent_ticks;
  sn__safe_bytes safe; /**< the last valid one */
} sn__guard_watched;

typedef struct sn__guardian {
  sn__guard_shared *shared;
  int control, pidfd, socket;
  int stat_fd, schedstat_fd; /**< of control and of the guard; -1: not available */
  int64_t waited_ns[2];      /**< for a processor, up to the last check and the one before */
  bool has_tripped;          /**< and the buses have not resumed control */
  sn__guard_watched buses[SN__GUARD_PLACES];
} sn__guardian;

static inline bool sn__guardian_watches(const sn__guardian *g, int place) {
  const uint64_t state = atomic_load(&g->shared->places[place].state);
  return g->buses[place].fd >= 0 && state != SN__GUARD_FREE && state != SN__GUARD_UNWATCHED;
}

/** Open the files of the two processes below /proc. */
void sn__guardian_open_proc(sn__guardian *g);
/** The state of control as ps shows it: 'T', 't' stopped, 'Z' its main thread has ended, 'X' all of
 *  it; 0: not known. */
char sn__guardian_state_of_control(const sn__guardian *g);
/** How long the guard was ready to run without a processor, since its start; 0: unknown. */ int64_t
sn__guardian_waited_ns(const sn__guardian *g);

/** When the guard acted, by the monotonic clock. */
typedef struct sn__guard_times {
  int64_t since_ns;   /**< sn__guard_trip(), or when the guard noticed */
  int64_t written_ns; /**< every bus had its bytes once */
  int64_t waited_ns;  /**< without a processor, since its last successful check */
} sn__guard_times;

/** One line to standard error; none for SN__GUARD_FINE. */
void sn__guardian_report(const sn__guardian *g, sn__guard_trouble trouble,
                         const sn__guard_times *times);

#endif
