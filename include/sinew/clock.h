/** @file
 *  The source of time. Algorithms never read a clock: `now_ns` is an argument. */
#ifndef SINEW_CLOCK_H
#define SINEW_CLOCK_H

#include <stdint.h>

#include "sinew/api.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

typedef enum sn_clock_kind {
  SN_CLOCK_MONOTONIC,  /**< real time, monotonic: changes of the wall clock do not affect it */
  SN_CLOCK_SIMULATED,  /**< moves only by sn_clock_advance(); runs are bit-identical */
  SN_CLOCK_ACCELERATED /**< real time multiplied by a factor */
} sn_clock_kind;

/** Treat the fields as private. */
typedef struct sn_clock {
  sn_clock_kind kind;
  double factor;         /**< accelerated: simulated seconds per real second */
  int64_t start_ns;      /**< reading at init */
  int64_t real_start_ns; /**< system's monotonic clock at init */
  int64_t now_ns;        /**< simulated: the reading, accessed atomically */
} sn_clock;

/** Real time since an arbitrary moment, the same one for every such clock of the machine.
 *  RT: yes.  Threads: one owner; any may read after init. */
SN_API void sn_clock_init_monotonic(sn_clock *clock);

/** A clock that shows @p start_ns until it is advanced. RT: yes.  Threads: as above. */
SN_API void sn_clock_init_simulated(sn_clock *clock, int64_t start_ns);

/** A clock that starts at @p start_ns and runs @p factor times as fast as real time.
 *  The reading is exact to about 1e-16 of the time since init.
 *  @param err  receives the reason on failure; may be NULL
 *  @return SN_OK, or SN_EINVAL if the factor is not in 1e-3 .. 1e6; the clock is untouched then
 *  RT: yes, a vDSO call.  Threads: as above. */
SN_API sn_status sn_clock_init_accelerated(sn_clock *clock, int64_t start_ns, double factor,
                                           sn_error *err);

/** The reading in nanoseconds; never decreases, and saturates at INT64_MAX.
 *  RT: yes, a vDSO call unless simulated.  Threads: any. */
SN_API int64_t sn_clock_now_ns(const sn_clock *clock) SN_RT;

/** Move a simulated clock forward by @p step_ns >= 0; another kind of clock is a fault. A thread
 * that reads the new time also sees what the advancing thread wrote before. RT: yes.  Threads: one
 * advances, any read. */
SN_API void sn_clock_advance(sn_clock *clock, int64_t step_ns) SN_RT;

SN_END_DECLS

#endif
