#include "path/tool_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "sinew/kin.h"
#include "sinew/quat.h"

static const char *const kind_names[] = {"ptp", "lin", "circ", "spline"};

static const char *joint_name(const sn__tool_planner *self, size_t j) {
  return sn_model_joint(self->model, (size_t)self->chain->joints[j])->name;
}

/* ---- checks ---- */

static bool is_pose(const sn_pose *pose) {
  const double *numbers = &pose->rot.x.x;
  double sum = fabs(pose->pos.x) + fabs(pose->pos.y) + fabs(pose->pos.z);
  for (int i = 0; i < 9; i++) {
    sum += fabs(numbers[i]);
  }
  return sum <= SN_OTG_VALUE_MAX;
}

static sn_status check_joints(const sn__tool_planner *self, const double *q, const char *where,
                              sn_error *err) {
  for (size_t j = 0; j < self->chain->joint_count; j++) {
    if (!(q[j] >= self->chain->lower[j] && q[j] <= self->chain->upper[j])) {
      return sn__fail(err, SN_EINVAL, "%s: joint '%s' at %g, its limits are %g and %g", where,
                      joint_name(self, j), q[j], self->chain->lower[j], self->chain->upper[j]);
    }
  }
  return SN_OK;
}

static sn_status check_blend(const sn__tool_target *targets, size_t count, size_t i,
                             sn_error *err) {
  const double radius = targets[i].blend_m;
  const sn__tool_kind next = i + 1 < count ? targets[i + 1].kind : SN__TOOL_PTP;
  if (!(radius >= 0.0 && radius <= SN_OTG_VALUE_MAX)) {
    return sn__fail(err, SN_EINVAL, "target %zu: a blend radius of %g m: expected 0 or more", i,
                    radius);
  }
  if (radius > 0.0 && (targets[i].kind == SN__TOOL_PTP || targets[i].kind == SN__TOOL_SPLINE ||
                       next == SN__TOOL_PTP || next == SN__TOOL_SPLINE)) {
    return sn__fail(err, SN_EINVAL,
                    "target %zu: a blend needs a lin or circ, and another one of these after it",
                    i);
  }
  return SN_OK;
}

sn_status sn__tool_check(const sn__tool_planner *planner, const double *q,
                         const sn__tool_target *targets, size_t count, sn_error *err) {
  sn_status status = check_joints(planner, q, "the start", err);
  if (status == SN_OK && count == 0) {
    return sn__fail(err, SN_EINVAL, "no targets");
  }
  for (size_t i = 0; status == SN_OK && i < count; i++) {
    char where[40];
    (void)snprintf(where, sizeof where, "target %zu (ptp)", i);
    if (targets[i].q != NULL) {
      status = check_joints(planner, targets[i].q, where, err);
    } else if (!is_pose(&targets[i].pose) ||
               (targets[i].kind == SN__TOOL_CIRC &&
                !(sn_vec3_norm(targets[i].via) <= SN_OTG_VALUE_MAX))) {
      status = sn__fail(err, SN_EINVAL, "target %zu: a number of its pose is not finite", i);
    }
    if (status == SN_OK && targets[i].kind != SN__TOOL_PTP && planner->chain->joint_count < 6) {
      status = sn__fail(err, SN_EINVAL,
                        "target %zu (%s): %zu joints cannot lead a tool in position and "
                        "orientation; six are needed",
                        i, kind_names[targets[i].kind], planner->chain->joint_count);
    }
    status = status == SN_OK ? check_blend(targets, count, i, err) : status;
  }
  return status;
}

/* ---- runs ---- */

static sn_status check_corner(const sn__tool_segment *segment, double blend_before, sn_error *err) {
  if (segment->length > 0.0 && blend_before + segment->blend_m > segment->length) {
    return sn__fail(err, SN_EINVAL,
                    "target %zu: blends of %g m and %g m do not fit on a segment of %g m",
                    segment->target, blend_before, segment->blend_m, segment->length);
  }
  return segment->length > 0.0 || blend_before + segment->blend_m == 0.0
             ? SN_OK
             : sn__fail(err, SN_EINVAL, "target %zu: a blend at a place that is there already",
                        segment->target);
}

/* The first `k` targets, all of the kind spline, as one segment. */
static sn_status read_spline(sn_arena *arena, sn_pose from, const sn__tool_target *targets,
                             size_t k, sn__tool_segment *out, sn_error *err) {
  static const double units[6] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  double *numbers = SN_NEW(arena, double, 6 * (k + 1));
  sn__joint_path *path = SN_NEW(arena, sn__joint_path, 1);
  if (numbers == NULL || path == NULL ||
      sn__joint_path_create(arena, 6, k + 1, path, err) != SN_OK) {
    return sn__fail(err, SN_ENOMEM, "no memory for a curve through %zu targets", k);
  }
  for (size_t i = 0; i <= k; i++) {
    const sn_pose pose = i == 0 ? from : targets[i - 1].pose;
    const sn_vec3 turn = sn_vec3_scale(
        sn_mat3_log(sn_mat3_mul(pose.rot, sn_mat3_transpose(from.rot))), SN__TOOL_RADIAN_M);
    const double row[6] = {pose.pos.x, pose.pos.y, pose.pos.z, turn.x, turn.y, turn.z};
    memcpy(numbers + 6 * i, row, sizeof row);
  }
  const sn__waypoints points = {numbers, k + 1, units, NULL};
  sn__joint_path_fit(path, &points);
  *out = (sn__tool_segment){.shape = SN__TOOL_CURVE, .start = from, .spline = path};
  for (size_t i = 0; i < path->segment_count; i++) {
    out->length += path->width[i];
  }
  return SN_OK;
}

/* How many targets one segment takes: neighbours of the kind spline, or one. */
static size_t count_taken(const sn__tool_target *targets, size_t count) {
  size_t k = 1;
  while (targets[0].kind == SN__TOOL_SPLINE && k < count && targets[k].kind == SN__TOOL_SPLINE) {
    k++;
  }
  return k;
}

/* One segment to targets[i], or to it and those that follow in the same curve. */
static sn_status read_segment(sn_arena *arena, sn_pose from, const sn__tool_target *targets,
                              size_t i, size_t taken, sn__tool_segment *out, sn_error *err) {
  const sn__tool_target *target = &targets[i];
  sn_status status = SN_OK;
  if (target->kind == SN__TOOL_LIN) {
    *out = sn__tool_line(from, target->pose);
  } else if (target->kind == SN__TOOL_SPLINE) {
    status = read_spline(arena, from, target, taken, out, err);
  } else if (!sn__tool_arc(from, target->via, target->pose, out)) {
    status =
        sn__fail(err, SN_EINVAL,
                 "target %zu (circ): start, middle and end are on a line or the same: no arc", i);
  }
  out->blend_m = target->blend_m;
  out->target = i + taken - 1;
  return status;
}

sn_status sn__tool_run_read(const sn__tool_planner *planner, sn_arena *arena,
                            const sn__tool_target *targets, size_t count, sn__tool_run *run,
                            sn_error *err) {
  sn__tool_segment *segments = SN_NEW(arena, sn__tool_segment, count - run->first);
  sn_pose from = sn_chain_fk(planner->chain, planner->start);
  if (segments == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu targets", count);
  }
  run->curve = (sn__tool_curve){.segments = segments};
  double blend_before = 0.0;
  do {
    sn__tool_segment *segment = &segments[run->curve.count];
    const size_t i = run->first + run->count;
    const size_t taken = count_taken(targets + i, count - i);
    sn_status status = read_segment(arena, from, targets, i, taken, segment, err);
    status = status == SN_OK ? check_corner(segment, blend_before, err) : status;
    if (status != SN_OK) {
      return status;
    }
    blend_before = segment->blend_m;
    from = targets[segment->target].pose;
    run->count += taken;
    run->curve.count++;
    run->curve.length += segment->length;
  } while (blend_before > 0.0);
  return SN_OK;
}

/* ---- branches and refusals ---- */

size_t sn__tool_other_branch(sn__tool_planner *planner, const sn__tool_run *run, double *q) {
  const size_t n = planner->chain->joint_count;
  const sn_pose start = sn__tool_curve_at(&run->curve, 0.0);
  double *solutions = planner->branches;
  sn_ik_result result = {0};
  sn__tool_stop stop;
  if (sn_ik_get_all(planner->ik, &start, 1, planner->start, n, NULL, solutions,
                    SN__TOOL_BRANCHES_MAX, &result) != SN_IK_OK) {
    return 0;
  }
  for (size_t i = 0; i < result.solution_count; i++) {
    const size_t count = sn__tool_track(&planner->tracker, &run->curve, solutions + i * n, &stop);
    if (count > 0) {
      memcpy(q, solutions + i * n, n * sizeof(double));
      return count;
    }
  }
  return 0;
}

/* Does any pose of the joints have the tool there? */
static bool is_in_reach(sn__tool_planner *self, sn_pose pose) {
  const size_t n = self->chain->joint_count;
  double *q = self->tracker.seed;
  return sn_ik_search(self->ik, &pose, 1, self->start, n, SN__TOOL_SEARCH_S, NULL, q, NULL) ==
         SN_IK_OK;
}

sn_status sn__tool_refuse(sn__tool_planner *planner, const sn__tool_run *run,
                          const sn__tool_stop *stop, sn_error *err) {
  double along = 0.0;
  const size_t i = sn__tool_curve_segment(&run->curve, stop->u, &along);
  const sn__tool_segment *segment = &run->curve.segments[i];
  const size_t target = segment->target;
  const double percent = 100.0 * along / segment->length;
  if (stop->trouble == SN__TOOL_LIMIT) {
    return sn__fail(err, SN_EINVAL,
                    "target %zu: after %.4g m of %.4g m (%.0f %%) joint '%s' would be at %g, its "
                    "limits are %g and %g",
                    target, along, segment->length, percent, joint_name(planner, stop->joint),
                    stop->at, planner->chain->lower[stop->joint],
                    planner->chain->upper[stop->joint]);
  }
  const bool is_singular = stop->trouble == SN__TOOL_SINGULAR ||
                           is_in_reach(planner, sn__tool_curve_at(&run->curve, stop->u));
  return sn__fail(err, SN_EINVAL, "target %zu: after %.4g m of %.4g m (%.0f %%) %s", target, along,
                  segment->length, percent,
                  is_singular ? "the arm would be in a singular pose, where joints turn without "
                                "bound; go there by ptp, or begin in another pose of the joints"
                              : "the tool is out of reach");
}
