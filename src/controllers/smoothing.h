/** @file
 *  Smoothing as a service inside a controller: the plugins `transient_exp`, `filter_exp` and
 *  `jerk_limited` (smooth.h) with their properties. */
#ifndef SN_CONTROLLERS_SMOOTHING_H
#define SN_CONTROLLERS_SMOOTHING_H

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/component.h"
#include "sinew/model.h"
#include "sinew/status.h"
#include "traj/smooth.h"

SN_BEGIN_DECLS

/** The interface; its face is an `sn_smoothing`. */
#define SN_SMOOTHING "TransientJointStateInterface"

/** Makes filters with the properties of the service. */
typedef struct sn_smoothing {
  sn_component *component;
  /** A filter for all joints of the sorted pose, in @p arena. RT: no, allocates. */
  sn_status (*create)(sn_component *component, sn_arena *arena, const sn_model *model,
                      sn_smooth **out, sn_error *err);
} sn_smoothing;

SN_END_DECLS

#endif
