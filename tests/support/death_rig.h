/** @file
 *  `sinew run` with the component `Villain` (tests/plugins/villain.c) and one driver of each
 * family, in a separate process. The servos are simulated in this one: torque and goal are
 * measured where they count. */
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
  int64_t seen_ns;               /**< when its end, or its stop by a signal, was seen here */
  int64_t sent_ns;               /**< time of its last goals before an order */
  thread_waits waits;            /**< of the simulated servos, before the event */
  char text[1 << 16];
} death_rig;

enum { DEATH_SAMPLES_MAX = 256 };

/** What was measured, and from what on; 0: nothing. */
typedef struct death_figures {
  double guard_ms[DEATH_SAMPLES_MAX]; /**< until the guard had written to every port, less the time
                                           for which it got no processor */
  double servo_ms[DEATH_SAMPLES_MAX]; /**< from the event until the last servo was safe */
  size_t count;
} death_figures;

extern death_rig death; /**< one at a time */
extern const char *const death_families[DEATH_FAMILIES];

int64_t death_now_ns(void);
void death_pause_ms(long ms);

/** Start. What a test that failed has left is ended first.
 *  @param more  further arguments of `sinew run` */
void death_open(bool limp, const char *more);
void death_close(void);
/** Every servo has torque and moves, and its goals go on. */
void death_wait_moving(void);
/** What the villain is to do: assert, segv, stack, exit, wild, loop. @return when it began */
int64_t death_order(const char *order);
/** Stop the process by a signal, and wait until it is. @return when the signal was sent */
int64_t death_stop(void);
/** The end of the process. @return its status, as of waitpid() */
int death_wait_end(void);

/** What it has written to standard error so far. */
const char *death_errors(void);
/** Words that may come a moment later. */
void death_expect_soon(const char *words);
sim_servo death_servo(int family);
/** Has the driver lost this servo? So it is when the simulated ones, threads of the test, get no
 *  processor for half a second; it gets no goals then. */
bool death_is_lost(int family);

/** Every servo has no torque, or a goal where it was measured.
 *  @return how long after the event, ms */
double death_check_servos(const char *event, int64_t event_ns);
/** The same, and the guard reported that it acted within 20 ms: after the call for help, or after
 *  the end was seen here. The time for which it got no processor does not count. */
void death_check_guard(const char *event, int64_t event_ns, death_figures *out);
/** Print median and maximum. */
void death_print(const char *event, const death_figures *figures);

/** Wait until the recording that grows has messages twice. @return time of the last goals in it */
int64_t death_wait_saved(void);
/** The time of the last goals in the recording, which the program can read; 0: there are none. */
int64_t death_recorded_ns(void);

#endif
