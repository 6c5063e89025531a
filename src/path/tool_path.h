/** @file
 *  Internal: motions of a tool through targets: in joint space, on lines, arcs and curves, with
 *  rounded corners, each the fastest within limits (sinew/retime.h).
 *
 *  A target without a blend radius, and every one in joint space, is a stop. A motion is planned as
 *  a whole: whatever cannot be done is refused with its place before anything moves. */
#ifndef SN_PATH_TOOL_PATH_H
#define SN_PATH_TOOL_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/otg.h"
#include "sinew/pose.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

typedef enum sn__tool_kind {
  SN__TOOL_PTP,   /**< each joint goes straight to its position */
  SN__TOOL_LIN,   /**< the tool goes on a line */
  SN__TOOL_CIRC,  /**< the tool goes on an arc through `via` */
  SN__TOOL_SPLINE /**< with neighbours of this kind: a smooth curve through all of them */
} sn__tool_kind;

/** A target. */
typedef struct sn__tool_target {
  sn__tool_kind kind;
  const double *q; /**< PTP: [joints]; NULL: the nearest one with this pose */
  sn_pose pose;    /**< of the tip in the base; of others, and of PTP without q */
  sn_vec3 via;     /**< CIRC */
  double blend_m;  /**< LIN and CIRC: radius of the corner there, m; 0: it stops */
} sn__tool_target;

/** Arrays have an entry for each joint of the chain, from base to tip, and are copied. */
typedef struct sn__tool_planner_config {
  const sn_model *model;        /**< must outlive the planner */
  const char *base, *tip;       /**< links */
  const sn_otg_limits *limits;  /**< of the joints */
  double tool_speed_max;        /**< m/s; 0 means none */
  double tool_acceleration_max; /**< m/s^2; 0 means none */
  double tool_jerk_max;         /**< m/s^3; 0 means none */
  const double *torque_max;     /**< N·m or N; NULL means none */
} sn__tool_planner_config;

/** What is asked for. */
typedef struct sn__tool_request {
  const double *q; /**< [joints] where it begins, at rest */
  const sn__tool_target *targets;
  size_t count;           /**< at least 1 */
  double speed;           /**< share of the full speed, 0 .. 1; 0 means 1 */
  bool may_change_branch; /**< where a line cannot be followed, first go to another pose of the
                               joints with the same pose of the tool, from which it can */
} sn__tool_request;

/** Opaque. */
typedef struct sn__tool_planner sn__tool_planner;

/** A motion. Lives in the arena it was planned in, and needs the planner no more. */
typedef struct sn__tool_motion sn__tool_motion;

/** @return SN_OK; SN_ENOENT, SN_EINVAL: as sn_chain_create() and sn_retimer_create(); SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner. */
SN_API sn_status sn__tool_planner_create(sn_arena *arena, const sn__tool_planner_config *config,
                                         sn__tool_planner **out, sn_error *err);

/** The chain of the planner. */
SN_API const sn_chain *sn__tool_planner_chain(const sn__tool_planner *planner) SN_RT;

/** Plan a motion.
 *  @param arena  receives the motion
 *  @param err    receives the reason with target, place and joint; may be NULL
 *  @return SN_OK; SN_EINVAL: it cannot be done; SN_ENOMEM
 *  RT: no, allocates.  Threads: owner. */
SN_API sn_status sn__tool_plan(sn__tool_planner *planner, sn_arena *arena,
                               const sn__tool_request *request, sn__tool_motion **out,
                               sn_error *err);

/** s. RT: yes. */
SN_API double sn__tool_motion_duration(const sn__tool_motion *motion) SN_RT;

/** Which target it goes to, or stops at next, at a time. RT: yes. */
SN_API size_t sn__tool_motion_target(const sn__tool_motion *motion, double t_s) SN_RT;

/** The motion at a time; before 0 its start, from the duration on its end, at rest.
 *  @param q,qd,qdd  [joints] out.  RT: yes, O(joints + log of the path). */
SN_API void sn__tool_motion_at(const sn__tool_motion *motion, double t_s, double *q, double *qd,
                               double *qdd) SN_RT;

SN_END_DECLS

#endif
