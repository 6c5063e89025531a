/** @file
 *  Internal: a smooth joint path through waypoints, and how it depends on a path parameter that
 *  lets it begin and end at rest.
 *
 *  Through the waypoints goes a cubic spline whose second derivative is continuous, over the
 *  distance between neighbours (each joint in units of its speed, so a metre and a radian compare).
 *  Without given slopes it is the natural spline: no curvature at both ends.
 *
 *  The path parameter is that distance s, except in the first and the last segment. A motion from
 *  rest with bounded jerk begins as s ~ t^3, which no function of s with finite derivatives
 *  describes. So there s is a quartic of the parameter that begins as its cube: the motion can
 *  begin with any rate of the parameter, and velocity and acceleration of all joints are zero. */
#ifndef SN_PATH_JOINT_PATH_H
#define SN_PATH_JOINT_PATH_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/status.h"

/** Waypoints closer than this are one, s at full speed. */
#define SN__PATH_MERGE 1e-9

typedef struct sn__joint_path {
  size_t joint_count, waypoint_max;
  size_t segment_count; /**< 0: the path is one point */
  double *width;        /**< [segments] of the distance s */
  double *coef;         /**< [segments][4][joints] of powers of s, from the start of the segment */
  double *q;            /**< [waypoints][joints] distinct ones */
  double *work;         /**< [waypoints][joints + 1] */
} sn__joint_path;

/** What a path goes through. */
typedef struct sn__waypoints {
  const double *q;     /**< [count][joints] rad or m */
  size_t count;        /**< at least 1, at most waypoint_max */
  const double *speed; /**< [joints] of each joint, > 0: the units of distance */
  const double *slope; /**< [2][joints] directions at both ends, of any length but 0; NULL: the
                            natural spline */
} sn__waypoints;

/** A point of a path: position, and its first three derivatives by the path parameter. */
typedef struct sn__path_point {
  double *d[4]; /**< [joints] each */
} sn__path_point;

/** Memory for a path. @return SN_OK or SN_ENOMEM.  RT: no, allocates. */
sn_status sn__joint_path_create(sn_arena *arena, size_t joint_count, size_t waypoint_max,
                                sn__joint_path *out, sn_error *err);

/** Lay the path through waypoints; all numbers are finite. RT: yes, O(count * joints). */
void sn__joint_path_fit(sn__joint_path *path, const sn__waypoints *points) SN_RT;

/** Width of a segment in the path parameter. RT: yes. */
double sn__joint_path_width(const sn__joint_path *path, size_t segment) SN_RT;

/** The point of a segment at a distance from its start in the path parameter, 0 .. its width.
 *  RT: yes, O(joints). */
void sn__joint_path_at(const sn__joint_path *path, size_t segment, double at,
                       const sn__path_point *out) SN_RT;

/** The position at a distance s from the start, 0 .. the sum of widths.
 *  RT: yes, O(joints + segments). */
void sn__joint_path_follow(const sn__joint_path *path, double s, double *q) SN_RT;

/** The least and the greatest position of a joint in a segment, exactly. RT: yes. */
void sn__joint_path_range(const sn__joint_path *path, size_t segment, size_t joint, double *lower,
                          double *upper) SN_RT;

#endif
