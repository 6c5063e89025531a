#include "path/tool_path.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "path/tool_run.h"
#include "sinew/ik.h"
#include "sinew/kin.h"
#include "sinew/retime.h"

/* One part of a motion, from stop to stop. */
typedef struct part {
  sn_retimer *retimer;
  double start_s;
  size_t target; /* at its end */
} part;

struct sn__tool_motion {
  size_t part_count;
  part *parts;
  double duration_s;
};

/* ---- planner ---- */

static sn_status copy_config(sn_arena *arena, const sn__tool_planner_config *config,
                             sn__tool_planner *self, sn_error *err) {
  const size_t n = self->chain->joint_count;
  self->full = SN_NEW(arena, sn_otg_limits, n);
  self->limits = SN_NEW(arena, sn_otg_limits, n);
  self->speed = SN_NEW(arena, double, n);
  self->torque_max = config->torque_max == NULL ? NULL : SN_NEW(arena, double, n);
  self->start = SN_NEW(arena, double, n);
  self->branches = SN_NEW(arena, double, SN__TOOL_BRANCHES_MAX *n);
  if (self->full == NULL || self->limits == NULL || self->speed == NULL || self->start == NULL ||
      self->branches == NULL || (config->torque_max != NULL && self->torque_max == NULL)) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", n);
  }
  memcpy(self->full, config->limits, n * sizeof *self->full);
  if (self->torque_max != NULL) {
    memcpy(self->torque_max, config->torque_max, n * sizeof *self->torque_max);
  }
  self->full_tool_speed = config->tool_speed_max;
  self->full_tool_acceleration = config->tool_acceleration_max;
  self->full_tool_jerk = config->tool_jerk_max;
  return SN_OK;
}

/* Slow motions down as a whole: the path of the tool and the shape of the motion remain. */
static sn_status set_speed(sn__tool_planner *self, double share, sn_error *err) {
  const double speed = share == 0.0 ? 1.0 : share;
  if (!(speed > 0.0 && speed <= 1.0)) {
    return sn__fail(err, SN_EINVAL, "a speed of %g: expected more than 0, and at most 1", speed);
  }
  for (size_t j = 0; j < self->chain->joint_count; j++) {
    const sn_otg_limits *full = &self->full[j];
    self->limits[j] = (sn_otg_limits){speed * full->velocity, speed * speed * full->acceleration,
                                      speed * speed * speed * full->jerk};
    self->speed[j] = self->limits[j].velocity;
  }
  self->tool_speed_max = speed * self->full_tool_speed;
  self->tool_acceleration_max = speed * speed * self->full_tool_acceleration;
  self->tool_jerk_max = speed * speed * speed * self->full_tool_jerk;
  return SN_OK;
}

sn_status sn__tool_planner_create(sn_arena *arena, const sn__tool_planner_config *config,
                                  sn__tool_planner **out, sn_error *err) {
  sn__tool_planner *self = SN_NEW(arena, sn__tool_planner, 1);
  if (self == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for a planner");
  }
  self->model = config->model;
  sn_status status =
      sn_chain_create(arena, config->model, config->base, config->tip, &self->chain, err);
  status = status == SN_OK ? copy_config(arena, config, self, err) : status;
  const sn_ik_config ik = {.base_frame = config->base, .tip_frames = &config->tip, .tip_count = 1};
  if (status == SN_OK) {
    status = sn_ik_create(arena, config->model, &ik, &self->ik, err);
  }
  if (status == SN_OK) {
    status = sn__tool_tracker_create(arena, self->chain, SN__TOOL_SAMPLES_MAX, &self->tracker, err);
  }
  if (status == SN_OK) {
    self->tracker.lower = self->chain->lower;
    self->tracker.upper = self->chain->upper;
    self->tracker.speed = self->speed;
    *out = self;
  }
  return status;
}

const sn_chain *sn__tool_planner_chain(const sn__tool_planner *planner) {
  return planner->chain;
}

/* ---- parts ---- */

/* Time the waypoints of one part; `start` moves to their end. */
static sn_status add_part(sn__tool_planner *self, sn_arena *arena, const sn_retime_path *path,
                          size_t target, sn__tool_motion *motion, sn_error *err) {
  const size_t n = self->chain->joint_count;
  const bool has_room = motion->part_count < SN__TOOL_PARTS_MAX;
  const sn_retimer_config config = {.joint_count = n,
                                    .waypoint_max = path->count,
                                    .limits = self->limits,
                                    .lower = self->chain->lower,
                                    .upper = self->chain->upper,
                                    .chain = self->chain,
                                    .torque_max = self->torque_max,
                                    .tool_speed_max = self->tool_speed_max,
                                    .tool_acceleration_max = self->tool_acceleration_max,
                                    .tool_jerk_max = self->tool_jerk_max};
  part *to = &motion->parts[motion->part_count];
  double duration_s = 0.0;
  sn_error why;
  sn_status status = has_room ? sn_retimer_create(arena, &config, &to->retimer, err)
                              : sn__fail(err, SN_EINVAL, "target %zu: more than %d stops", target,
                                         SN__TOOL_PARTS_MAX);
  if (status != SN_OK) {
    return status;
  }
  status = sn_retime(to->retimer, path, &duration_s, &why);
  if (status != SN_OK) {
    return sn__fail(err, status, "target %zu: %s", target, why.message);
  }
  to->start_s = motion->duration_s;
  to->target = target;
  motion->duration_s += duration_s;
  motion->part_count++;
  memcpy(self->start, path->q + (path->count - 1) * n, n * sizeof(double));
  return SN_OK;
}

/* Straight in joint space. */
static sn_status add_joint_move(sn__tool_planner *self, sn_arena *arena, const double *q,
                                size_t target, sn__tool_motion *motion, sn_error *err) {
  const size_t n = self->chain->joint_count;
  double *both = SN_NEW(arena, double, 2 * n);
  if (both == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", n);
  }
  memcpy(both, self->start, n * sizeof(double));
  memcpy(both + n, q, n * sizeof(double));
  const sn_retime_path path = {.q = both, .count = 2};
  return add_part(self, arena, &path, target, motion, err);
}

static sn_status add_ptp(sn__tool_planner *self, sn_arena *arena, const sn__tool_target *target,
                         size_t number, sn__tool_motion *motion, sn_error *err) {
  const size_t n = self->chain->joint_count;
  if (target->q != NULL) {
    return add_joint_move(self, arena, target->q, number, motion, err);
  }
  double *q = SN_NEW(arena, double, n);
  if (q == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", n);
  }
  if (sn_ik_get_position(self->ik, &target->pose, self->start, n, NULL, q) != SN_IK_OK &&
      sn_ik_search(self->ik, &target->pose, 1, self->start, n, SN__TOOL_SEARCH_S, NULL, q, NULL) !=
          SN_IK_OK) {
    char why[160];
    (void)sn_ik_explain(self->ik, why, sizeof why);
    return sn__fail(err, SN_EINVAL, "target %zu (ptp): no pose of the joints: %s", number, why);
  }
  return add_joint_move(self, arena, q, number, motion, err);
}

/* Along a run of lines, arcs and curves. */
static sn_status add_run(sn__tool_planner *self, sn_arena *arena, const sn__tool_run *run,
                         sn__tool_motion *motion, sn_error *err) {
  const size_t n = self->chain->joint_count;
  sn__tool_stop stop;
  size_t count = sn__tool_track(&self->tracker, &run->curve, self->start, &stop);
  if (count == 0 && self->may_change_branch) {
    double *other = SN_NEW(arena, double, n);
    count = other == NULL ? 0 : sn__tool_other_branch(self, run, other);
    if (count > 0) {
      const sn_status status = add_joint_move(self, arena, other, run->first, motion, err);
      if (status != SN_OK) {
        return status;
      }
    }
  }
  if (count == 0) {
    return sn__tool_refuse(self, run, &stop, err);
  }
  const size_t last = run->first + run->count - 1;
  const sn_retime_path path = {.q = self->tracker.q, .count = count, .slope = self->tracker.slope};
  return add_part(self, arena, &path, last, motion, err);
}

/* Plan part by part. */
static sn_status add_parts(sn__tool_planner *self, sn_arena *arena, const sn__tool_request *request,
                           sn__tool_motion *motion, sn_error *err) {
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < request->count;) {
    if (request->targets[i].kind == SN__TOOL_PTP) {
      status = add_ptp(self, arena, &request->targets[i], i, motion, err);
      i++;
      continue;
    }
    sn__tool_run run = {.first = i};
    status = sn__tool_run_read(self, arena, request->targets, request->count, &run, err);
    if (status == SN_OK && run.curve.length > 0.0) {
      status = add_run(self, arena, &run, motion, err);
    }
    i += run.count;
  }
  return status;
}

sn_status sn__tool_plan(sn__tool_planner *planner, sn_arena *arena, const sn__tool_request *request,
                        sn__tool_motion **out, sn_error *err) {
  sn__tool_planner *self = planner;
  sn__tool_motion *motion = SN_NEW(arena, sn__tool_motion, 1);
  part *parts = SN_NEW(arena, part, SN__TOOL_PARTS_MAX);
  if (motion == NULL || parts == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for a motion");
  }
  *motion = (sn__tool_motion){.parts = parts};
  self->may_change_branch = request->may_change_branch;
  memcpy(self->start, request->q, self->chain->joint_count * sizeof(double));
  sn_status status = set_speed(self, request->speed, err);
  if (status == SN_OK) {
    status = sn__tool_check(self, request->q, request->targets, request->count, err);
  }
  if (status == SN_OK) {
    status = add_parts(self, arena, request, motion, err);
  }
  if (status == SN_OK && motion->part_count == 0) { /* it stays where it is */
    status = add_joint_move(self, arena, request->q, 0, motion, err);
  }
  if (status == SN_OK) {
    *out = motion;
  }
  return status;
}

/* ---- motion ---- */

double sn__tool_motion_duration(const sn__tool_motion *motion) {
  return motion->duration_s;
}

static const part *part_at(const sn__tool_motion *motion, double t_s) {
  size_t i = 0;
  while (i + 1 < motion->part_count && t_s >= motion->parts[i + 1].start_s) {
    i++;
  }
  return &motion->parts[i];
}

size_t sn__tool_motion_target(const sn__tool_motion *motion, double t_s) {
  return part_at(motion, t_s)->target;
}

void sn__tool_motion_at(const sn__tool_motion *motion, double t_s, double *q, double *qd,
                        double *qdd) {
  const part *at = part_at(motion, t_s);
  (void)sn_retimer_at(at->retimer, t_s - at->start_s, q, qd, qdd);
}
