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

enum { DEATH_FAMILIES = 4 };

typedef struct death_rig {
  char folder[64];
  sim_pty *ptys[DEATH_FAMILIES]; /**< one servo on each */
  bool limp;                     /**< the safe state; else hold */
  pid_t pid;
  char text[1 << 16];
} death_rig;

enum { DEATH_SAMPLES_MAX = 64 };

/** Times from an event to the safe state. */
typedef struct death_figures {
  double ms[DEATH_FAMILIES][DEATH_SAMPLES_MAX];
  size_t count;
} death_figures;

extern death_rig death; /**< one at a time */
extern const char *const death_families[DEATH_FAMILIES];

int64_t death_now_ns(void);
void death_pause_ms(long ms);

/** Start. @param more  further arguments of `sinew run` */
void death_open(bool limp, const char *more);
void death_close(void);
/** Every servo has torque and moves, and its goals go on. */
void death_wait_moving(void);
/** Its recording has just been saved: a machine whose disk is busy takes its time. */
void death_wait_saved(void);
/** What the villain is to do: assert, segv, stack, exit, wild, loop. @return when it began */
int64_t death_order(const char *order);
/** The end of the process. @return its status, as of waitpid() */
int death_wait_end(void);

/** What it has written to standard error so far. */
const char *death_errors(void);
/** Words that may come a moment later. */
void death_expect_soon(const char *words);
sim_servo death_servo(int family);

/** Every servo has no torque, or a goal where it was measured; prints how long after the event.
 *  @param tolerance  of that goal, in counts */
void death_check_safe(const char *event, int64_t event_ns, int64_t max_ns, double tolerance,
                      death_figures *out);
/** Print median and maximum of each family. @return the largest median, ms */
double death_print(const death_figures *figures);
/** The recording can be read and holds what was sent until shortly before the event. */
void death_check_recording(int64_t event_ns);

#endif
