/** @file
 *  Smoothing of the pose of a rigid body: a filter of smooth.h over six coordinates, three of the
 *  position and the rotation vector from the reference to the body. With the reference at rest the
 *  body turns about a fixed axis, and with `synchronise` it moves along a line.
 *
 *  When the reference turns, the coordinates of the rotation change with it, and their rates and
 *  accelerations are transformed exactly: the body's velocity and acceleration do not jump. */
#ifndef SN_TRAJ_BODY_FILTER_H
#define SN_TRAJ_BODY_FILTER_H

#include <stdbool.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/pose.h"
#include "sinew/spatial.h"
#include "sinew/status.h"
#include "traj/smooth.h"

SN_BEGIN_DECLS

/** A body in a frame. */
typedef struct sn__body_state {
  sn_pose pose;
  sn_spatial twist; /**< of its origin, in the axes of the frame */
} sn__body_state;

/** Opaque. Lives in the arena it was created from. */
typedef struct sn__body_filter sn__body_filter;

enum { SN__BODY_COORDS = 6 }; /**< x, y, z, then the rotation vector */

/** @param name    a filter of smooth.h that forms a motion: `filter_exp` or `jerk_limited`
 *  @param config  of six joints in the order above
 *  @return as sn__smooth_create().  RT: no, allocates.  Threads: one owner. */
sn_status sn__body_filter_create(sn_arena *arena, const char *name, const sn_smooth_config *config,
                                 sn__body_filter **out, sn_error *err);

/** The body is here, moving, and stays until there is a reference.
 *  @param period_s  time between two updates, > 0
 *  @return SN_OK, or SN_EINVAL (a number not finite or out of range): nothing changes
 *  RT: yes.  Threads: owner. */
sn_status sn__body_filter_reset(sn__body_filter *filter, const sn__body_state *state,
                                double period_s) SN_RT;

/** One period.
 *  @param reference  where to go; NULL: on to the last one
 *  @param twist      of the reference; NULL: it rests
 *  @param out        where the body is at the end of the period
 *  @return SN_OK; SN_EINVAL (a number not finite: the body continues to the last reference);
 *          SN_ENOTCONFIGURED (never reset, @p out untouched)
 *  RT: yes.  Threads: owner. */
sn_status sn__body_filter_update(sn__body_filter *filter, const sn_pose *reference,
                                 const sn_spatial *twist, sn__body_state *out) SN_RT;

SN_END_DECLS

#endif
