/* A goal from a message: every error names its point and joint. */
#include "controllers/joint_goal.h"

#include <math.h>
#include <string.h>

#include "arbiter/controller_internal.h"
#include "base/fail.h"
#include "msg/msg_names_internal.h"
#include "msg/name_map.h"
#include "path/untimed.h"

/* What is read, and its destination. */
typedef struct reading {
  const sn__joint_goal_defaults *defaults;
  const sn_joint_trajectory *msg;
  sn_arena *arena;
  size_t joint_count, point_count;
  int *joints;     /* [joint_count] index in the sorted pose */
  size_t *columns; /* [joint_count] index in the names and numbers of the message */
} reading;

static const sn_joint *joint_of(const reading *r, size_t i) {
  return sn_model_joint(r->defaults->controller->model, (size_t)r->joints[i]);
}

/* ---- joints ---- */

/* All names but those of supports. */
static void find_columns(reading *r) {
  const sn_msg_names *names = &r->msg->joint_names;
  r->joint_count = 0;
  for (size_t i = 0; i < names->count; i++) {
    if (sn__support_chain(sn_msg_names_at(names, i)) == NULL) {
      r->columns[r->joint_count++] = i;
    }
  }
}

static sn_status read_joints(reading *r, sn_error *err) {
  const sn_msg_names *names = &r->msg->joint_names;
  const sn_names *all = sn_model_joint_names(r->defaults->controller->model);
  sn__name_map map;
  int duplicate = -1;
  if (!sn__name_map_init(&map, r->arena, all)) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", r->joint_count);
  }
  if (sn__name_map_read(&map, names, NULL, NULL, NULL, &duplicate) == SN__READ_DUPLICATE) {
    return sn__fail(err, SN_EINVAL, "joint '%s' appears twice",
                    sn_names_at(all, (size_t)duplicate));
  }
  for (size_t i = 0; i < r->joint_count; i++) {
    const char *name = sn_msg_names_at(names, r->columns[i]);
    r->joints[i] = sn_names_index(all, name);
    if (r->joints[i] < 0) {
      return sn__fail(err, SN_ENOENT, "the robot has no joint '%s'", name);
    }
    if (joint_of(r, i)->mimic >= 0) {
      return sn__fail(err, SN_EINVAL, "joint '%s' mimics another one and cannot be moved", name);
    }
  }
  return SN_OK;
}

/* ---- points ---- */

static const sn_seq_f64 *member_of(const sn_joint_trajectory_point *point, int order) {
  return order == 0 ? &point->positions : order == 1 ? &point->velocities : &point->accelerations;
}

/* @return the numbers of this derivative, point by point; NULL with SN_OK if no point has any */
static sn_status read_numbers(const reading *r, int order, double **out, sn_error *err) {
  static const char *const words[] = {"positions", "velocities", "accelerations"};
  *out = NULL;
  if (order > 0 && member_of(&r->msg->points.data[0], order)->count == 0) {
    for (size_t k = 1; k < r->point_count; k++) {
      if (member_of(&r->msg->points.data[k], order)->count != 0) {
        return sn__fail(err, SN_EINVAL, "point %zu has %s, point 0 has none", k, words[order]);
      }
    }
    return SN_OK;
  }
  double *numbers = SN_NEW(r->arena, double, r->point_count * r->joint_count);
  if (numbers == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu points", r->point_count);
  }
  for (size_t k = 0; k < r->point_count; k++) {
    const sn_seq_f64 *values = member_of(&r->msg->points.data[k], order);
    if (values->count != r->msg->joint_names.count) {
      return sn__fail(err, SN_EINVAL, "point %zu has %zu %s for %zu joints", k, values->count,
                      words[order], r->msg->joint_names.count);
    }
    for (size_t i = 0; i < r->joint_count; i++) {
      numbers[k * r->joint_count + i] = values->data[r->columns[i]];
    }
  }
  *out = numbers;
  return SN_OK;
}

static sn_status check_limits(const reading *r, const sn_trajectory_points *points, sn_error *err) {
  for (size_t k = 0; k < r->point_count; k++) {
    for (size_t i = 0; i < r->joint_count; i++) {
      const double q = points->q[k * r->joint_count + i];
      const sn_joint *joint = joint_of(r, i);
      if (q < joint->lower || q > joint->upper) {
        return sn__fail(err, SN_EINVAL, "point %zu: joint '%s' at %g, its limits are %g and %g", k,
                        joint->name, q, joint->lower, joint->upper);
      }
    }
  }
  for (size_t i = 0; points->qd != NULL && i < r->joint_count; i++) {
    const double qd = points->qd[(r->point_count - 1) * r->joint_count + i];
    if (qd != 0.0) {
      return sn__fail(err, SN_EINVAL, "joint '%s' still moves at the last point, with %g",
                      joint_of(r, i)->name, qd);
    }
  }
  return SN_OK;
}

static void clamp_positions(const reading *r, double *q) {
  for (size_t k = 0; k < r->point_count * r->joint_count; k++) {
    const sn_joint *joint = joint_of(r, k % r->joint_count);
    if (isfinite(q[k])) { /* else the trajectory is rejected */
      q[k] = fmax(joint->lower, fmin(joint->upper, q[k]));
    }
  }
}

static sn_status retime(const reading *r, const sn_trajectory_points *points, sn_trajectory **out,
                        sn_error *err) {
  const sn__untimed untimed = {.model = r->defaults->controller->model,
                               .joints = r->joints,
                               .joint_count = r->joint_count,
                               .q = points->q,
                               .point_count = r->point_count,
                               .pose_now = r->defaults->pose_now,
                               .defaults = r->defaults->limits};
  if (points->qd != NULL || r->joint_count < r->msg->joint_names.count) {
    return sn__fail(err, SN_EINVAL, "velocities and supports need times: all points are at 0 s");
  }
  const sn_status status = check_limits(r, points, err);
  return status == SN_OK ? sn__untimed_trajectory(r->arena, &untimed, out, err) : status;
}

static sn_status read_points(const reading *r, sn_trajectory **out, sn_error *err) {
  double *time_s = SN_NEW(r->arena, double, r->point_count);
  double *numbers[3] = {NULL};
  sn_status status =
      time_s != NULL ? SN_OK : sn__fail(err, SN_ENOMEM, "no memory for %zu points", r->point_count);
  for (size_t k = 0; status == SN_OK && k < r->point_count; k++) {
    time_s[k] = 1e-9 * (double)r->msg->points.data[k].time_from_start_ns;
  }
  for (int order = 0; status == SN_OK && order < 3; order++) {
    status = read_numbers(r, order, &numbers[order], err);
  }
  if (status == SN_OK && r->defaults->clamp_positions) {
    clamp_positions(r, numbers[0]);
  }
  const sn_trajectory_points points = {.joint_count = r->joint_count,
                                       .point_count = r->point_count,
                                       .time_s = time_s,
                                       .q = numbers[0],
                                       .qd = numbers[1],
                                       .qdd = numbers[2]};
  if (status == SN_OK && sn__untimed_is(time_s, r->point_count)) {
    return retime(r, &points, out, err);
  }
  if (status == SN_OK) {
    status = sn__trajectory_create(r->arena, &points, out, err);
  }
  return status == SN_OK ? check_limits(r, &points, err) : status;
}

/* ---- tolerances ---- */

static double *fill_tolerances(const reading *r, double value) {
  double *list = SN_NEW(r->arena, double, r->joint_count);
  for (size_t i = 0; list != NULL && i < r->joint_count; i++) {
    list[i] = value;
  }
  return list;
}

/* The joint of the goal with this name; -1: none. */
static int find_joint(const reading *r, const char *name) {
  const int column = sn__msg_names_index(&r->msg->joint_names, name);
  for (size_t i = 0; column >= 0 && i < r->joint_count; i++) {
    if (r->columns[i] == (size_t)column) {
      return (int)i;
    }
  }
  return -1;
}

/* Only positions are used; those of supports are not. */
static sn_status read_tolerances(const reading *r, const sn_seq_joint_tolerance *msg,
                                 const char *what, double otherwise, const double **out,
                                 sn_error *err) {
  double *list = fill_tolerances(r, otherwise);
  if (list == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for tolerances");
  }
  for (size_t k = 0; k < msg->count; k++) {
    const char *name = msg->data[k].name.data;
    const double value = msg->data[k].position;
    const int place = find_joint(r, name);
    if (place < 0 && sn__support_chain(name) != NULL) {
      continue;
    }
    if (place < 0) {
      return sn__fail(err, SN_ENOENT, "%s of '%s', which is not a joint of the trajectory", what,
                      name);
    }
    if (!isfinite(value)) {
      return sn__fail(err, SN_EINVAL, "%s of '%s' is %g", what, name, value);
    }
    list[place] = value == 0.0 ? otherwise : fmax(value, 0.0); /* less than 0: any distance */
  }
  *out = list;
  return SN_OK;
}

static sn_status read_all_tolerances(const reading *r, const sn_trajectory_goal *msg,
                                     sn_execute_goal *goal, sn_error *err) {
  const sn__joint_goal_defaults *defaults = r->defaults;
  goal->start_tolerance = fill_tolerances(r, defaults->start_tolerance);
  sn_status status =
      goal->start_tolerance != NULL ? SN_OK : sn__fail(err, SN_ENOMEM, "no memory for tolerances");
  if (status == SN_OK) {
    status = read_tolerances(r, &msg->path_tolerance, "a path tolerance", defaults->path_tolerance,
                             &goal->path_tolerance, err);
  }
  if (status == SN_OK) {
    status = read_tolerances(r, &msg->goal_tolerance, "a goal tolerance", defaults->goal_tolerance,
                             &goal->goal_tolerance, err);
  }
  goal->goal_time_s = msg->goal_time_tolerance_ns == 0 ? defaults->goal_time_s
                                                       : 1e-9 * (double)msg->goal_time_tolerance_ns;
  if (status == SN_OK && goal->goal_time_s < 0.0) {
    status = sn__fail(err, SN_EINVAL, "a goal time tolerance of %g s", goal->goal_time_s);
  }
  return status;
}

/* ---- all of it ---- */

/* A movement relies on the legs that bear weight, also if it does not move them. */
static void add_supports(const reading *r, const sn__goal_supports *supports,
                         sn_resource_set *set) {
  const sn__resource_map *map = r->defaults->controller->map;
  for (size_t i = 0; i < supports->count; i++) {
    size_t count = 0;
    const int *joints =
        sn_model_chain_joints(r->defaults->controller->model, (size_t)supports->chains[i], &count);
    for (size_t k = 0; k < count; k++) {
      const int limb = map->resource_of_joint[joints[k]];
      if (limb >= 0) {
        sn_resource_set_add(set, (size_t)limb);
      }
    }
  }
}

static sn_status find_limbs(const reading *r, sn_resource_set *set, sn_error *err) {
  const sn__resource_map *map = r->defaults->controller->map;
  for (size_t i = 0; i < r->joint_count; i++) {
    const int limb = map->resource_of_joint[r->joints[i]];
    if (limb < 0) {
      return sn__fail(err, SN_ENOENT, "joint '%s' belongs to no limb", joint_of(r, i)->name);
    }
    sn_resource_set_add(set, (size_t)limb);
  }
  return SN_OK;
}

static sn_status check_stamp(const reading *r, sn__goal *goal, int32_t *error, sn_error *err) {
  sn_execute_goal *execute = &((sn__joint_goal *)goal->content)->execute;
  const int64_t now_ns = atomic_load(&r->defaults->goals->now_ns);
  execute->start_ns = r->msg->header.stamp_ns;
  goal->duration_ns = (int64_t)llround(1e9 * sn__trajectory_duration(execute->trajectory));
  if (execute->start_ns == 0 || execute->start_ns >= now_ns - goal->duration_ns) {
    return SN_OK;
  }
  *error = SN_TRAJECTORY_OLD_STAMP;
  return sn__fail(err, SN_EINVAL, "it should have begun at %.3f s and takes %.3f s; it is %.3f s",
                  1e-9 * (double)execute->start_ns, 1e-9 * (double)goal->duration_ns,
                  1e-9 * (double)now_ns);
}

static sn_status read_names(reading *r, sn__goal *goal, sn_error *err) {
  sn__goal_supports *supports = &((sn__joint_goal *)goal->content)->supports;
  sn_status status = read_joints(r, err);
  if (status == SN_OK) {
    status = sn__goal_supports_find(r->arena, r->defaults->controller->model, &r->msg->joint_names,
                                    supports, err);
  }
  goal->limbs = sn_resource_set_none();
  if (status == SN_OK) {
    add_supports(r, supports, &goal->limbs);
    status = find_limbs(r, &goal->limbs, err);
  }
  return status;
}

/* What must hold before names and numbers are read. */
static sn_status open_reading(reading *r, sn_error *err) {
  const size_t names = r->msg->joint_names.count;
  if (names == 0 || r->point_count == 0) {
    return sn__fail(err, SN_EINVAL, "the trajectory is empty: %zu points for %zu joints",
                    r->point_count, names);
  }
  r->joints = SN_NEW(r->arena, int, names);
  r->columns = SN_NEW(r->arena, size_t, names);
  if (r->joints == NULL || r->columns == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", names);
  }
  find_columns(r);
  return r->joint_count > 0
             ? SN_OK
             : sn__fail(err, SN_EINVAL, "the trajectory has supports, but no joint to move");
}

sn_status sn__joint_goal_read(void *context, const void *msg, sn__goal *goal, int32_t *error,
                              sn_error *err) {
  const sn_trajectory_goal *sent = msg;
  sn__joint_goal *out = SN_NEW(&goal->arena, sn__joint_goal, 1);
  reading r = {.defaults = context,
               .msg = &sent->trajectory,
               .arena = &goal->arena,
               .point_count = sent->trajectory.points.count};
  if (out == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for a goal");
  }
  goal->content = out;
  sn_status status = open_reading(&r, err);
  if (status != SN_OK) {
    return status;
  }
  *error = SN_TRAJECTORY_INVALID_JOINTS;
  status = read_names(&r, goal, err);
  if (status != SN_OK) {
    return status;
  }
  *error = SN_TRAJECTORY_INVALID_GOAL;
  out->execute.joints = r.joints;
  status = read_points(&r, &out->execute.trajectory, err);
  if (status == SN_OK) {
    status = sn__goal_supports_read(r.arena, r.msg, &out->supports, err);
  }
  if (status == SN_OK) {
    status = read_all_tolerances(&r, sent, &out->execute, err);
  }
  return status == SN_OK ? check_stamp(&r, goal, error, err) : status;
}

sn_status sn__joint_goal_of_motion(const sn__joint_goal_defaults *defaults,
                                   const sn_trajectory_motion *motion, const int *joints,
                                   sn__goal *goal, sn_error *err) {
  const sn_joint_trajectory none = {.points.count = 0};
  int *copy = SN_NEW(&goal->arena, int, motion->joint_count);
  sn__joint_goal *out = SN_NEW(&goal->arena, sn__joint_goal, 1);
  if (out == NULL || copy == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for a goal");
  }
  memcpy(copy, joints, motion->joint_count * sizeof *copy);
  const reading r = {.defaults = defaults,
                     .msg = &none,
                     .arena = &goal->arena,
                     .joint_count = motion->joint_count,
                     .joints = copy};
  sn_execute_goal *execute = &out->execute;
  execute->joints = copy;
  execute->start_tolerance = fill_tolerances(&r, defaults->start_tolerance);
  execute->path_tolerance = fill_tolerances(&r, defaults->path_tolerance);
  execute->goal_tolerance = fill_tolerances(&r, defaults->goal_tolerance);
  execute->goal_time_s = defaults->goal_time_s;
  if (execute->start_tolerance == NULL || execute->path_tolerance == NULL ||
      execute->goal_tolerance == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for tolerances");
  }
  goal->content = out;
  goal->duration_ns = (int64_t)llround(1e9 * motion->duration_s);
  goal->limbs = sn_resource_set_none();
  const sn_status status = find_limbs(&r, &goal->limbs, err);
  return status == SN_OK
             ? sn__trajectory_create_motion(&goal->arena, motion, &execute->trajectory, err)
             : status;
}
