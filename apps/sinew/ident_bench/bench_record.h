/** @file
 *  `sinew ident bench`: a servo on a bus that moves a weight, and logs of its motions. */
#ifndef SINEW_APP_BENCH_RECORD_H
#define SINEW_APP_BENCH_RECORD_H

#include "bus_tools/bus_line.h"
#include "ident/output_error/servo_log.h"

/** The motions, each from the weight hanging down. */
enum { BENCH_MOTIONS = 4 };
extern const char *const bench_motions[BENCH_MOTIONS]; /**< their names, as BAM's */

/** Farthest goal of a motion from where the weight hangs, rad. */
#define BENCH_REACH_RAD 1.3

typedef struct bench_servo {
  bus_line line;
  uint8_t id;
  int32_t zero_counts; /**< where the weight hangs down */
  double motion_s;     /**< length of a motion */
} bench_servo;

enum { BENCH_SAMPLES_MAX = 20000 };

/** Goal and torque of a motion at a time. @return whether the servo is limp */
bool bench_goal(int motion, double motion_s, double time_s, double *goal);

/** Torque off, and wait until the weight hangs still; sets `zero_counts`.
 *  @return false, with a message printed: no answer, or too near the end of its range */
bool bench_find_zero(bench_servo *b);

/** Torque on without a jump, and move to where the weight hangs.
 *  @return false: no answer, printed */
bool bench_prepare(bench_servo *b);

/** Make the servo limp. */
void bench_let_go(bench_servo *b);

/** Drive a motion and record it.
 *  @param samples  BENCH_SAMPLES_MAX
 *  @param volts    out: mean of the supply; 0: not reported
 *  @return samples; 0: the servo no longer answers, printed, or the command was interrupted */
size_t bench_drive(bench_servo *b, int motion, sn__log_sample *samples, double *volts);

/** SIGINT and SIGTERM end the motion; the servo is made limp and gets its gain back. */
void bench_catch_signals(void);
bool bench_is_interrupted(void);

#endif
