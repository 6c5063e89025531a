/** @file
 *  Smoothing of poses as a service inside a controller: the plugins `filter_rigid_body_pd` and
 *  `jerk_limited_rigid_body` (body_filter.h) with their properties. */
#ifndef SN_CONTROLLERS_CARTESIAN_CARTESIAN_SMOOTHING_H
#define SN_CONTROLLERS_CARTESIAN_CARTESIAN_SMOOTHING_H

#include "sinew/arena.h"
#include "sinew/component.h"
#include "sinew/status.h"
#include "traj/body_filter.h"

/** The interface; its face is an `sn__cartesian_smoothing`. */
#define SN_CARTESIAN_SMOOTHING "FilterRigidBodyStateInterface"

/* NOLINTBEGIN(bugprone-macro-parentheses): name of a type */
/** Entry of a table of needs; @p struct_ has a member `sn_requester smoothing`. */
#define SN_CARTESIAN_SMOOTHING_NEED(struct_)                           \
  {                                                                    \
    .name = "smoothing", .interface = SN_CARTESIAN_SMOOTHING,          \
    .offset = offsetof(struct_, smoothing), .is_optional = true,       \
    .doc =                                                             \
        "Filters the reference; "                                      \
        "without it a critically damped filter of half a second does." \
  }
/* NOLINTEND(bugprone-macro-parentheses) */

/** Makes filters with the properties of the service. */
typedef struct sn__cartesian_smoothing {
  sn_component *component;
  /** A filter of one body, in @p arena. RT: no, allocates. */
  sn_status (*create)(sn_component *component, sn_arena *arena, sn__body_filter **out,
                      sn_error *err);
} sn__cartesian_smoothing;

/** The filter of a controller: by its service, else the default one.
 *  @return as sn__body_filter_create().  RT: no, allocates. */
sn_status sn__cartesian_smoothing_create(const sn_requester *smoothing_need, sn_arena *arena,
                                         sn__body_filter **out, sn_error *err);

#endif
