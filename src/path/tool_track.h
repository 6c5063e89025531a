/** @file
 *  Internal: joint positions that lead the tip of a chain along a path.
 *
 *  From one sample to the next the pose is continued by Newton's method, with the smallest motion
 *  of the joints, so a chain with more joints than needed moves no more than it has to, and no
 *  chain jumps to another branch. */
#ifndef SN_PATH_TOOL_TRACK_H
#define SN_PATH_TOOL_TRACK_H

#include "path/tool_curve.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/status.h"

/** The greatest distance between the commanded tip and its path, m. */
#define SN__TOOL_DEVIATION_M 5e-6
/** A pose is singular where unit velocities of joints move the tip by less than this in some
 *  direction: rad/s, or half reaches of the chain per second. */
#define SN__TOOL_SINGULAR_MIN 0.01

/** Why a path ends early. */
typedef enum sn__tool_trouble {
  SN__TOOL_FINE,
  SN__TOOL_NO_REACH, /**< no pose of the joints follows */
  SN__TOOL_SINGULAR, /**< a singular pose */
  SN__TOOL_LIMIT     /**< `joint` at its limit */
} sn__tool_trouble;

/** Where and why. */
typedef struct sn__tool_stop {
  sn__tool_trouble trouble;
  double u;       /**< m along the curve */
  size_t joint;   /**< of SN__TOOL_LIMIT: of the chain */
  double at;      /**< of SN__TOOL_LIMIT: where it would be */
  double measure; /**< of SN__TOOL_SINGULAR: the smallest motion of the tip */
} sn__tool_stop;

typedef struct sn__tool_tracker {
  const sn_chain *chain;
  const double *lower, *upper, *speed; /**< [joints] */
  size_t sample_max;
  double half_reach_m;
  double *q;             /**< [sample_max + 1][joints] out */
  double *slope;         /**< [2][joints] out: directions at both ends */
  double *jac;           /**< [6][joints] */
  double *seed, *step;   /**< [joints] */
  sn__joint_path spline; /**< through the samples */
} sn__tool_tracker;

/** @return SN_OK or SN_ENOMEM.  RT: no, allocates. */
sn_status sn__tool_tracker_create(sn_arena *arena, const sn_chain *chain, size_t sample_max,
                                  sn__tool_tracker *out, sn_error *err);

/** Joint positions along a curve, so close that the spline through them keeps to it.
 *  @param start  [joints] with the tip at the start of the curve
 *  @param stop   out: why it ends early
 *  @return how many positions tracker->q has; 0 if it ends early.  RT: yes, bounded. */
size_t sn__tool_track(sn__tool_tracker *tracker, const sn__tool_curve *curve, const double *start,
                      sn__tool_stop *stop) SN_RT;

#endif
