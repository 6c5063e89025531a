/** @file
 *  Internal: does the robot fall? It does if it is tilted beyond a limit or will be in a moment, if
 *  it leans to a side on which no foot stands or comes down in time, or if it weighs nothing while
 * no foot touches.
 *
 *  RT: yes, all of it.  Threads: one owner. */
#ifndef SN_ESTIMATION_FALL_H
#define SN_ESTIMATION_FALL_H

#include <stdbool.h>
#include <stddef.h>

#include "estimation/feet.h"
#include "estimation/odometry.h"

typedef enum sn__fall_reason {
  SN__FALL_NONE,
  SN__FALL_TILT,    /**< beyond the limit, or about to be */
  SN__FALL_NO_FEET, /**< it leans to a side on which no foot stands */
  SN__FALL_FREE     /**< free fall */
} sn__fall_reason;

typedef struct sn__fall_settings {
  double tilt_max;    /**< rad */
  double free_fall_s; /**< for which the robot weighs nothing */
} sn__fall_settings;

/** One cycle. */
typedef struct sn__fall_input {
  const sn__base_state *base;
  const sn__foot *feet;
  size_t foot_count;
  bool has_force; /**< the next is measured */
  double force;   /**< specific force, m/s² */
  bool is_flight; /**< no foot is meant to touch */
  double gravity; /**< m/s² */
  double dt_s;
} sn__fall_input;

/** All zero at the start. */
typedef struct sn__fall_watch {
  sn__fall_reason reason; /**< of the present fall */
  double tilt_rad;        /**< of the base */
  double lean_s;          /**< for which it leans to a side without feet */
  double free_s;          /**< for which it weighs nothing */
  double upright_s;       /**< since which it stands again */
} sn__fall_watch;

/** @return whether a fall begins in this cycle. It ends, with reason SN__FALL_NONE, when the robot
 *          has stood upright on its feet for a second. */
bool sn__fall_watch_step(sn__fall_watch *watch, const sn__fall_input *input,
                         const sn__fall_settings *settings) SN_RT;

/** `tilted too far`, …; static */
const char *sn__fall_reason_text(sn__fall_reason reason) SN_RT;

#endif
