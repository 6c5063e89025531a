/** @file
 *  `sinew run` with the component `Villain` (tests/plugins/villain.c) and one driver of each
 *  family, in a separate process. The servos are simulated in this one, where
 *  torque and goal are measured. */
#ifndef SN_DEATH_RIG_H
#define SN_DEATH_RIG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sim/sim_pty.h"
#include "thread_waits.h"

enum { DEATH_FAMILIES = 4 };

typedef struct death_rig {
  char folder[64];
  sim_pty *ptys[DEATH_FAMILIES]; /**< one servo on each; NULL: nothing is open */
  bool limp;                     /**< the safe state; else hold */
  pid_t pid;                     /**< 0: it has ended */
  int64_t seen_ns;               /**< when the test saw its end or its stop by a signal */
  int64_t sent_ns;               /**< time of its last goals before an order */
  thread_waits waits;            /**< of the simulated servos, before the event */
  char text[1 << 16];
} death_rig;

enum { DEATH_SAMPLES_MAX = 256 };

/** Measured times; 0: none. */
typedef struct death_figures {
  double guard_ms[DEATH_SAMPLES_MAX]; /**< until the guard had written to every port, minus the time
                                       * it waited for a processor */
  double servo_ms[DEATH_SAMPLES_MAX]; /**< from the event until the last servo was safe */
  size_t count;
} death_figures;

extern death_rig death; /**< one at a time */
extern const char *const death_families[DEATH_FAMILIES];

int64_t death_now_ns(void);
void death_pause_ms(long ms);

/** Start, after ending the process of a failed test.
 *  @param more  further arguments of `sinew run` */
void death_open(bool limp, const char *more);
void death_close(void);
/** Wait until every servo has torque, moves and gets goals. */
void death_wait_moving(void);
/** Make the villain misbehave: assert, segv, stack, exit, wild, loop. @return when it began */
int64_t death_order(const char *order);
/** Stop the process by a signal and wait for it. @return when the signal was sent */
int64_t death_stop(void);
/** Wait for the end of the process. @return its status, as of waitpid() */
int death_wait_end(void);

/** Its standard error so far. */
const char *death_errors(void);
/** Wait for a text in it. */
void death_expect_soon(const char *words);
sim_servo death_servo(int family);
/** Has the driver lost this servo? This happens when the threads of the simulated servos get no
 *  processor for half a second; the servo then gets no goals. */
bool death_is_lost(int family);

/** Check that every servo has no torque, or its measured position as goal.
 *  @return time after the event, ms */
double death_check_servos(const char *event, int64_t event_ns);
/** The same, and check that the guard acted within 20 ms of the call or of the end of the process.
 *  The time it waited for a processor does not count. */
void death_check_guard(const char *event, int64_t event_ns, death_figures *out);
/** Print median and maximum. */
void death_print(const char *event, const death_figures *figures);

/** Wait until the recording has grown twice. @return time of the last goals in it */
int64_t death_wait_saved(void);
/** The time of the last goals in the readable recording; 0: none. */
int64_t death_recorded_ns(void);

#endif
