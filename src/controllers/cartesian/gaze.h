/** @file
 *  Looking at a point: the pure part of the controller `LookAt`. A limb turns so that the x axis of
 *  its end points along a direction, first; then its z axis as upright as possible; then it goes to
 *  its nominal pose with what is left (tasks in this order: Siciliano and Slotine, "A general
 *  framework for managing multiple tasks in highly redundant robotic systems", 1991). */
#ifndef SN_CONTROLLERS_CARTESIAN_GAZE_H
#define SN_CONTROLLERS_CARTESIAN_GAZE_H

#include <stdbool.h>
#include <stddef.h>

#include "ik/limb/limb_ik.h"
#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/status.h"
#include "sinew/vec3.h"

/** Vectors have an entry for each joint of the limb. */
typedef struct sn__gaze {
  const sn__limb_ik *limb; /**< its chain, limits and nominal pose */
  double *jac;             /**< [6][count] */
  double *task[3];         /**< [count] rows of the tasks, without joints that are held */
  double *step, *rest;
  bool *held; /**< at a limit */
} sn__gaze;

/** @param limb  must outlive it
 *  @return SN_OK or SN_ENOMEM.  RT: no, allocates. */
sn_status sn__gaze_create(sn__gaze *gaze, sn_arena *arena, const sn__limb_ik *limb, sn_error *err);

/** Turn towards a rotation, from where the limb is.
 *  @param wanted  of the end in the first link; its x axis counts first, then its z axis
 *  @param q       in and out, within the limits
 *  @return the angle that the x axis is off, rad
 *  RT: yes, a bounded number of evaluations. */
double sn__gaze_turn(sn__gaze *gaze, const sn_mat3 *wanted, double *q) SN_RT;

/** The rotation with its x axis along @p direction and its z axis as near to @p up as possible.
 * Where both are parallel the y axis stays as near to that of @p before as possible.
 *  @param direction  not zero.  RT: yes. */
sn_mat3 sn__gaze_rotation(sn_vec3 direction, sn_vec3 up, const sn_mat3 *before) SN_RT;

#endif
