/** @file
 *  Timing of joint paths: a near-fastest motion along a path through waypoints, from rest to rest,
 *  under limits of velocity, acceleration and jerk of every joint, and optionally of torque and of
 *  speed, acceleration and jerk of a tool.
 *
 *  Through the waypoints goes a cubic spline with continuous second derivative. No limit is broken
 *  at any time. The motion takes at most 1 % longer than the fastest one on straight
 *  lines, and about as much on curves; docs/control.md has the figures. Waypoints that follow each
 * other at the same place count once. */
#ifndef SINEW_RETIME_H
#define SINEW_RETIME_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/otg.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** The most waypoints of a path. */
#define SN_RETIME_WAYPOINTS_MAX 65536

/** Zero-initialise, then set the fields that differ from their default. Arrays have joint_count
 *  entries and are copied; the chain is not, and must outlive the instance. */
typedef struct sn_retimer_config {
  size_t joint_count;           /**< 1 .. SN_OTG_JOINTS_MAX, no default */
  size_t waypoint_max;          /**< 2 .. SN_RETIME_WAYPOINTS_MAX, no default */
  const sn_otg_limits *limits;  /**< no default */
  const double *lower, *upper;  /**< limits of position, rad or m; NULL means none */
  const sn_chain *chain;        /**< of these joints; needed for what follows */
  const double *torque_max;     /**< N·m or N, by inverse dynamics with gravity; NULL means none */
  double tool_speed_max;        /**< of the origin of the chain's last link, m/s; 0 means none */
  double tool_acceleration_max; /**< of the same, m/s^2; 0 means none */
  double tool_jerk_max; /**< of the same, m/s^3; 0 means none; at least 88 % of it is used */
} sn_retimer_config;

/** A path. */
typedef struct sn_retime_path {
  const double *q;     /**< [count][joint_count] waypoints, rad or m */
  size_t count;        /**< 1 .. waypoint_max */
  const double *slope; /**< [2][joint_count] directions of the path at its ends, of any length but
                            0, for three waypoints or more; NULL: it has no curvature there */
} sn_retime_path;

/** Opaque. Lives in the arena it was created from. */
typedef struct sn_retimer sn_retimer;

/** Create an instance, with all memory that it needs; about 16 kB for each waypoint of 7
 *  joints, and 0.5 to 1.3 MB beside.
 *  @param out  set on success, untouched on failure
 *  @param err  receives the reason on failure; may be NULL
 *  @return SN_OK; SN_EINVAL (bad configuration); SN_EMODEL (torques of a chain without masses);
 *          SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner. */
SN_API sn_status sn_retimer_create(sn_arena *arena, const sn_retimer_config *config,
                                   sn_retimer **out, sn_error *err);

/** Time a path. After a failure the instance has no motion until a path is timed successfully.
 *  @param duration_s  out, s; may be NULL
 *  @param err         receives the reason with waypoint and joint; may be NULL
 *  @return SN_OK; SN_EINVAL: no waypoint, too many, a number that is not finite, a position beyond
 *          its limits at or between waypoints, a pose that the torques cannot hold
 *  RT: no allocation, O(count * joint_count), but 0.2 to 0.3 ms for 100 waypoints of 7 joints, up
 *  to 2 ms for 12 rough ones: call it off the cycle.  Threads: owner. */
SN_API sn_status sn_retime(sn_retimer *retimer, const sn_retime_path *path, double *duration_s,
                           sn_error *err);

/** The motion at a time: before 0 the first waypoint, from the duration on the last, at rest.
 *  @param q,qd,qdd  [joint_count] out; each may be NULL
 *  @return SN_OK, or SN_ENOTCONFIGURED: no path is timed, nothing is written
 *  RT: yes, O(joint_count + log count).  Threads: owner. */
SN_API sn_status sn_retimer_at(const sn_retimer *retimer, double t_s, double *q, double *qd,
                               double *qdd) SN_RT;

SN_END_DECLS

#endif
