/** @file
 *  Internal: an arm as the axes of its joints, and which axes are parallel or intersect.
 *
 *  The product of exponentials: with T_i the rotation by q_i about axis i at joint values of zero,
 * the tip is at T_1 T_2 ... T_n tip. */
#ifndef SN_IK_CLOSED_GEOMETRY_ARM_H
#define SN_IK_CLOSED_GEOMETRY_ARM_H

#include <stdbool.h>

#include "ik/closed/geometry/turn.h"
#include "sinew/model.h"
#include "sinew/pose.h"

#define SN__ARM_JOINTS_MAX 7

typedef struct sn__arm {
  int count;
  sn_vec3 h[SN__ARM_JOINTS_MAX]; /**< unit vectors of the axes, in the base's frame */
  sn_vec3 r[SN__ARM_JOINTS_MAX]; /**< a point of each axis, m */
  sn_pose tip;                   /**< at joint values of zero */
} sn__arm;

/** How far lines may miss each other and still count as parallel or intersecting. */
typedef struct sn__tolerance {
  double angle_rad;
  double length_m;
} sn__tolerance;

/** Of a chain of up to SN__ARM_JOINTS_MAX turning joints, none of them a mimic. */
void sn__arm_init(sn__arm *arm, const sn_chain *chain);

/** The arm seen from its tip: joint i becomes joint n-1-i with the same angle, the inverse of a
 * pose of the old tip is a pose of the new one. */
void sn__arm_reverse(const sn__arm *arm, sn__arm *out);

/** The arm without joint @p index, which stays at @p t. */
void sn__arm_lock(const sn__arm *arm, int index, sn__turn t, sn__arm *out);

bool sn__arm_is_parallel(const sn__arm *arm, int i, int j, sn__tolerance tol);

/** Are they not parallel, and do they meet? @param point  the midpoint between them; may be NULL */
bool sn__arm_is_intersecting(const sn__arm *arm, int i, int j, sn__tolerance tol, sn_vec3 *point);

/** Do axes i, i+1, i+2 meet in a point and span space, like a spherical joint?
 *  @param centre  the point nearest to all three; may be NULL */
bool sn__arm_is_spherical(const sn__arm *arm, int i, sn__tolerance tol, sn_vec3 *centre);

/** Make two lines exactly parallel, keeping their directions. */
void sn__arm_snap_parallel(sn__arm *arm, int i, int j);

/** Make two lines intersect exactly: both get the common point. */
void sn__arm_snap_intersecting(sn__arm *arm, int i, int j);

/** Reach of the arm: the sum of the distances of one axis' point from the next, m; never 0. */
double sn__arm_length(const sn__arm *arm);

#endif
