/** @file
 *  Internal: a step sequence as curves: the base and the feet in the frame of the sequence.
 *
 *  Between points positions follow cubic Hermite curves, rotations the same on rotation vectors.
 *  The feet are interpolated in the frame of the sequence, not in the base, so that a foot in
 *  contact keeps its place exactly. A foot lands and lifts half way between a point in contact and
 *  one in the air: nothing more is known of the time, and where one foot lands while another one
 *  lifts, the robot stands on all others and one of them. Points that are close together sample a
 * motion; if their twists contradict their positions, velocities are those of the cubic spline
 * through the positions. */
#ifndef SN_STEPS_STEP_PATH_H
#define SN_STEPS_STEP_PATH_H

#include "sinew/api.h"
#include "steps/step_sequence.h"

/** A body at a time, in the frame of the sequence. */
typedef struct sn__step_motion {
  sn_pose pose;
  sn_spatial twist; /**< of the body's origin, in the axes of the frame of the sequence */
  bool contact;     /**< of a foot: between two points in contact */
} sn__step_motion;

/** Points of one body, and curves between them. */
typedef struct sn__step_track {
  size_t count;
  double *times;           /**< [count] s */
  sn__step_motion *points; /**< [count] */
} sn__step_track;

typedef struct sn__step_path {
  size_t limb_count;
  double duration_s;
  sn__step_track base;
  sn__step_track *feet;      /**< [limb_count] */
  bool has_base;             /**< the sequence has one; else `base` is the identity */
  double twist_mismatch_m_s; /**< by which twists contradicted positions; 0: they were used */
} sn__step_path;

/** @param clearance_m  by which feet in the air are raised above their points: a foot that touches
 *                      the ground before its way is over stumbles
 *  @return false if the arena is full. RT: no */
bool sn__step_path_create(sn_arena *arena, const sn__step_sequence *sequence, double clearance_m,
                          sn__step_path *out);

/** The base or a foot at a time, which is clamped to the path. RT: yes, O(log points) */
sn__step_motion sn__step_path_base(const sn__step_path *path, double time_s) SN_RT;
sn__step_motion sn__step_path_foot(const sn__step_path *path, size_t limb, double time_s) SN_RT;

/** The path frame of a base: below it on the ground, x along its heading.
 *  @param height_m  of the base above the ground.  RT: yes */
sn_pose sn__step_path_frame(sn_pose base, double height_m) SN_RT;

/** The last point in contact at or before this time, and the first one at or after it; the first
 *  and the last point of the path if there is none. RT: yes, O(points) */
void sn__step_path_swing(const sn__step_path *path, size_t limb, double time_s, double *lift_s,
                         double *land_s) SN_RT;

#endif
