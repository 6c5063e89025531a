/** @file
 *  Internal: a step sequence: poses of the base and of limb ends at given times, with contacts.
 *
 *  Base points are in the frame of the sequence (the path frame at its start, or `odom`), limb
 *  points are poses of the ends of chains in the base. Twists are of the origin of the body: those
 *  of the base in the axes of the sequence's frame, those of limbs relative to the base and in its
 *  axes. */
#ifndef SN_STEPS_STEP_SEQUENCE_H
#define SN_STEPS_STEP_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/arena.h"
#include "sinew/pose.h"
#include "sinew/spatial.h"

/** One point of a body. */
typedef struct sn__step_point {
  sn_pose pose;
  sn_spatial twist;
  bool contact; /**< of a limb: it bears weight */
} sn__step_point;

/** A limb of a sequence. */
typedef struct sn__step_limb {
  size_t chain;           /**< of the model */
  sn__step_point *points; /**< [point_count] */
} sn__step_limb;

typedef struct sn__step_sequence {
  size_t point_count, limb_count;
  double *times; /**< [point_count] s, increasing, the first is 0 */
  sn__step_point
      *base; /**< [point_count]; NULL: the base does not move, or nothing is known of it */
  sn__step_limb *limbs; /**< [limb_count] */
  bool is_in_odom;      /**< base points are in `odom`; else in the path frame at the start */
  double position_tolerance_m;      /**< 0: the default */
  double orientation_tolerance_rad; /**< 0: the default */
} sn__step_sequence;

/** Memory for a sequence; points are zero.
 *  @return false if the arena is full. RT: no */
bool sn__step_sequence_create(sn_arena *arena, size_t point_count, size_t limb_count,
                              sn__step_sequence *out);

#endif
