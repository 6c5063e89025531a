/** @file
 *  Trajectories: joint positions at given times, and a smooth motion through them.
 *
 *  Points may have velocities, or velocities and accelerations; then the motion between two of them
 *  is the polynomial of third or fifth order that has these at its ends. Points without velocities
 *  are joined by cubics whose slopes are chosen such that no joint reverses between two points or
 * overshoots them (the harmonic mean of F. Fritsch and J. Butland, 1984); the motion ends at rest.
 * The first segment begins at the current joint positions.
 *
 *  A motion that was planned as a whole, such as one along a path, is a trajectory as well. It
 *  begins at rest; where the joints are not quite there, their distance fades out on the way. */
#ifndef SN_TRAJ_TRAJECTORY_H
#define SN_TRAJ_TRAJECTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/status.h"
#include "traj/smooth.h"

SN_BEGIN_DECLS

#define SN_TRAJECTORY_POINTS_MAX 65536

/** The input of a trajectory; point by point, joint by joint. */
typedef struct sn_trajectory_points {
  size_t joint_count;   /**< at least 1 */
  size_t point_count;   /**< 1 .. SN_TRAJECTORY_POINTS_MAX */
  const double *time_s; /**< [points] since the start, >= 0, each later than the one before */
  const double *q;      /**< [points × joints] rad or m */
  const double *qd;     /**< [points × joints] rad/s or m/s; NULL: none are given */
  const double *qdd;    /**< [points × joints] rad/s² or m/s²; NULL: none; needs qd */
} sn_trajectory_points;

/** A motion that is planned as a whole, from rest to rest. */
typedef struct sn_trajectory_motion {
  size_t joint_count;
  double duration_s;   /**< >= 0 */
  const void *context; /**< must live as long as the trajectory */
  /** The state at 0 .. duration_s. RT: yes. */
  void (*at)(const void *context, double t_s, double *q, double *qd, double *qdd);
} sn_trajectory_motion;

/** Opaque. Lives in the arena it was created from. */
typedef struct sn_trajectory sn_trajectory;

/** Create a trajectory; the arrays are copied. A point at time 0 only states where it should begin:
 * another one must follow.
 *  @param out  set on success, untouched on failure
 *  @param err  receives the reason on failure, with the number of the point; may be NULL
 *  @return SN_OK, SN_EINVAL (no points, times that do not increase, a number that is not finite or
 *          above SN_OTG_VALUE_MAX, accelerations without velocities) or SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner. */
sn_status sn__trajectory_create(sn_arena *arena, const sn_trajectory_points *points,
                                sn_trajectory **out, sn_error *err);

/** Create a trajectory from a motion. @return SN_OK or SN_ENOMEM.  RT: no, allocates. */
sn_status sn__trajectory_create_motion(sn_arena *arena, const sn_trajectory_motion *motion,
                                       sn_trajectory **out, sn_error *err);

/** The state of the joints at time 0; until then they are at rest at the first point.
 *  @param start    joint_count numbers each
 *  @param is_turn  [joint_count] continuous joints: their trajectory is shifted by full turns so
 * that it begins close by; NULL: none RT: yes, O(joint_count).  Threads: owner. */
void sn__trajectory_start(sn_trajectory *trajectory, const sn_smooth_state *start,
                          const bool *is_turn) SN_RT;

/** The state at a time since the start; before it the start, from the end on the last position, at
 *  rest.
 *  @param state  joint_count numbers each, out
 *  RT: yes, O(joint_count + log point_count).  Threads: owner. */
void sn__trajectory_at(const sn_trajectory *trajectory, double t_s,
                       const sn_smooth_state *state) SN_RT;

/** s. RT: yes. */
double sn__trajectory_duration(const sn_trajectory *trajectory) SN_RT;
size_t sn__trajectory_joint_count(const sn_trajectory *trajectory) SN_RT;

/** Where a joint should begin if the first point is at time 0, otherwise its first target; with the
 * full turns added by sn__trajectory_start(). RT: yes. */
double sn__trajectory_first(const sn_trajectory *trajectory, size_t joint) SN_RT;
bool sn__trajectory_has_begin(const sn_trajectory *trajectory) SN_RT;

/** Where a joint ends. RT: yes. */
double sn__trajectory_last(const sn_trajectory *trajectory, size_t joint) SN_RT;

SN_END_DECLS

#endif
