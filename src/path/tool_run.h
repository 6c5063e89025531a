/** @file
 *  Internal: a planner of tool motions, and the runs of targets between stops. */
#ifndef SN_PATH_TOOL_RUN_H
#define SN_PATH_TOOL_RUN_H

#include "path/tool_path.h"
#include "path/tool_track.h"
#include "sinew/ik.h"

enum {
  SN__TOOL_SAMPLES_MAX = 3072, /**< of a run */
  SN__TOOL_PARTS_MAX = 1024,   /**< of a motion */
  SN__TOOL_BRANCHES_MAX = 32
};

/** How long a pose of the joints for a target is searched, s. */
#define SN__TOOL_SEARCH_S 0.1

struct sn__tool_planner {
  const sn_model *model;
  const sn_chain *chain;
  sn_ik *ik;
  sn_otg_limits *full;   /* [joints] at full speed */
  sn_otg_limits *limits; /* [joints] of this motion */
  double *speed;         /* [joints] likewise */
  double *torque_max;    /* [joints] or NULL */
  double full_tool_speed, tool_speed_max;
  double full_tool_acceleration, tool_acceleration_max;
  double full_tool_jerk, tool_jerk_max;
  bool may_change_branch;
  sn__tool_tracker tracker;
  double *branches; /* [SN__TOOL_BRANCHES_MAX][joints] */
  double *start;    /* [joints] where the next part begins */
};

/** Targets that are passed without a stop. */
typedef struct sn__tool_run {
  size_t first, count; /**< of the targets */
  sn__tool_curve curve;
} sn__tool_run;

/** What must hold for targets before any is planned. @return SN_OK or SN_EINVAL */
sn_status sn__tool_check(const sn__tool_planner *planner, const double *q,
                         const sn__tool_target *targets, size_t count, sn_error *err);

/** The run that begins at the target run->first and at planner->start.
 *  @return SN_OK; SN_EINVAL: no arc, a blend too large; SN_ENOMEM */
sn_status sn__tool_run_read(const sn__tool_planner *planner, sn_arena *arena,
                            const sn__tool_target *targets, size_t count, sn__tool_run *run,
                            sn_error *err);

/** Find another pose of the joints at the start of a run from which it can be followed.
 *  @param q  [joints] out
 *  @return as sn__tool_track() from there; 0: none */
size_t sn__tool_other_branch(sn__tool_planner *planner, const sn__tool_run *run, double *q);

/** Say where and why a run cannot be followed. @return SN_EINVAL */
sn_status sn__tool_refuse(sn__tool_planner *planner, const sn__tool_run *run,
                          const sn__tool_stop *stop, sn_error *err);

#endif
