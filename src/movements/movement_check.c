#include "movements/movement_check.h"

#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/report_internal.h"
#include "sinew/names.h"
#include "sinew/quat.h"

#define UNIT_TOLERANCE 1e-3 /* of the length of a quaternion: files are rounded */
#define ROUNDING 1e-14      /* as near as doubles get: keep it, so that files stay as they are */

typedef struct check {
  const char *file;
  sn_report *warnings;
  sn_error *err;
} check;

/* ---- parts ---- */

/* A list that is empty or as long as another one. */
static sn_status check_length(const check *c, const char *where, size_t index, const char *list,
                              size_t count, size_t expected) {
  if (count == expected) {
    return SN_OK;
  }
  char item[32] = "";
  if (index != SIZE_MAX) {
    snprintf(item, sizeof item, "[%zu].", index);
  }
  return sn__fail(c->err, SN_EINVAL, "%s: '%s%s%s' has %zu items, expected %zu", c->file, where,
                  item, list, count, expected);
}

static sn_status check_optional(const check *c, const char *where, size_t index, const char *list,
                                size_t count, size_t expected) {
  return count == 0 ? SN_OK : check_length(c, where, index, list, count, expected);
}

static const char *name_at(const void *list, size_t index) {
  return sn_msg_names_at(list, index);
}

static const char *limb_at(const void *list, size_t index) {
  const sn_seq_rigid_body_trajectory *limbs = list;
  return limbs->data[index].name.data;
}

static const char *goal_at(const void *list, size_t index) {
  const sn_seq_ee_goal *goals = list;
  return goals->data[index].name.data;
}

/* Names must not be empty and not appear twice. */
static sn_status check_names(const check *c, const char *where, const void *list, size_t count,
                             const char *(*at)(const void *list, size_t index)) {
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "names of a movement", 0);
  const char **texts = SN_NEW(&scratch, const char *, count + 1);
  sn_status status = texts == NULL ? sn__fail(c->err, SN_ENOMEM, "%s: no memory", c->file) : SN_OK;
  for (size_t i = 0; i < count && status == SN_OK; i++) {
    texts[i] = at(list, i);
    if (*texts[i] == '\0') {
      status = sn__fail(c->err, SN_EINVAL, "%s: '%s': name %zu is empty", c->file, where, i);
    }
  }
  const sn_names *names = NULL;
  sn_error why;
  if (status == SN_OK &&
      (status = sn_names_create(&scratch, texts, count, &names, &why)) != SN_OK) {
    (void)sn__fail(c->err, status, "%s: '%s': %s", c->file, where, why.message);
  }
  sn_arena_release(&scratch);
  return status;
}

/* Make a unit quaternion. @return false if it is neither near to one nor all zero */
static bool make_unit(sn_quat *q, size_t *missing_count) {
  const double length = sqrt(q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w);
  if (length == 0.0) {
    *q = (sn_quat){.w = 1.0};
    (*missing_count)++;
    return true;
  }
  if (!(fabs(length - 1.0) <= UNIT_TOLERANCE)) {
    return false;
  }
  if (fabs(length - 1.0) > ROUNDING) {
    *q = sn_quat_normalize(*q);
  }
  return true;
}

static sn_status fail_unit(const check *c, const char *path, sn_quat q) {
  return sn__fail(c->err, SN_EINVAL,
                  "%s: '%s' is (%g, %g, %g, %g), expected a quaternion of length 1", c->file, path,
                  q.x, q.y, q.z, q.w);
}

static void warn_missing(const check *c, const char *where, size_t count) {
  if (count > 0) {
    sn__report_add(c->warnings, SN_SEVERITY_WARNING, (sn_place){.file = c->file}, NULL,
                   "'%s': %zu orientations are all zero, taken as no rotation", where, count);
  }
}

/* ---- joint trajectories and states ---- */

static sn_status check_point(const check *c, const sn_joint_trajectory *t, size_t i) {
  const sn_joint_trajectory_point *point = &t->points.data[i];
  const size_t count = t->joint_names.count;
  const char *where = "trajectory.points";
  sn_status status = check_length(c, where, i, "positions", point->positions.count, count);
  if (status == SN_OK) {
    status = check_optional(c, where, i, "velocities", point->velocities.count, count);
  }
  if (status == SN_OK) {
    status = check_optional(c, where, i, "accelerations", point->accelerations.count, count);
  }
  if (status == SN_OK) {
    status = check_optional(c, where, i, "effort", point->effort.count, count);
  }
  const int64_t before_ns = i == 0 ? 0 : t->points.data[i - 1].time_from_start_ns;
  if (status == SN_OK && point->time_from_start_ns < before_ns) {
    status =
        sn__fail(c->err, SN_EINVAL,
                 "%s: 'trajectory.points[%zu].time_from_start' is %.9g s, expected %.9g s or "
                 "more",
                 c->file, i, 1e-9 * (double)point->time_from_start_ns, 1e-9 * (double)before_ns);
  }
  return status;
}

static sn_status check_trajectory(const check *c, const sn_trajectory_goal *goal) {
  const sn_joint_trajectory *t = &goal->trajectory;
  sn_status status =
      check_names(c, "trajectory.joint_names", &t->joint_names, t->joint_names.count, name_at);
  for (size_t i = 0; i < t->points.count && status == SN_OK; i++) {
    status = check_point(c, t, i);
  }
  return status;
}

static sn_status check_pose(const check *c, const sn_joint_state *pose) {
  const size_t count = pose->name.count;
  sn_status status = check_names(c, "name", &pose->name, count, name_at);
  if (status == SN_OK) {
    status = check_length(c, "position", SIZE_MAX, "", pose->position.count, count);
  }
  if (status == SN_OK) {
    status = check_optional(c, "velocity", SIZE_MAX, "", pose->velocity.count, count);
  }
  if (status == SN_OK) {
    status = check_optional(c, "effort", SIZE_MAX, "", pose->effort.count, count);
  }
  return status;
}

/* ---- step sequences ---- */

static sn_status check_times(const check *c, const sn_seq_f64 *times) {
  for (size_t i = 0; i < times->count; i++) {
    const bool is_good = i == 0 ? times->data[0] >= 0.0 : times->data[i] > times->data[i - 1];
    if (!is_good) {
      return sn__fail(c->err, SN_EINVAL, "%s: 'time_from_start[%zu]' is %.9g s, expected %s %.9g s",
                      c->file, i, times->data[i], i == 0 ? "at least" : "more than",
                      i == 0 ? 0.0 : times->data[i - 1]);
    }
  }
  return SN_OK;
}

static sn_status check_body(const check *c, const char *where, sn_rigid_body_trajectory *body,
                            size_t count) {
  sn_status status = check_length(c, where, SIZE_MAX, ".points", body->points.count, count);
  size_t missing_count = 0;
  for (size_t i = 0; i < body->points.count && status == SN_OK; i++) {
    sn_quat *q = &body->points.data[i].pose.orientation;
    if (!make_unit(q, &missing_count)) {
      char path[80];
      snprintf(path, sizeof path, "%s.points[%zu].pose.orientation", where, i);
      status = fail_unit(c, path, *q);
    }
  }
  warn_missing(c, where, missing_count);
  return status;
}

static sn_status check_steps(const check *c, sn_step_goal *goal) {
  const size_t count = goal->time_from_start.count;
  sn_status status = check_times(c, &goal->time_from_start);
  if (status == SN_OK) {
    status = check_names(c, "ee_motion", &goal->ee_motion, goal->ee_motion.count, limb_at);
  }
  if (status == SN_OK) {
    status = check_body(c, "base_motion", &goal->base_motion, count);
  }
  for (size_t k = 0; k < goal->ee_motion.count && status == SN_OK; k++) {
    char where[40];
    snprintf(where, sizeof where, "ee_motion[%zu]", k);
    status = check_body(c, where, &goal->ee_motion.data[k], count);
  }
  return status;
}

/* ---- move requests ---- */

static sn_status check_move(const check *c, sn_move_base_goal *goal) {
  size_t missing_count = 0;
  if (!make_unit(&goal->base_goal.orientation, &missing_count)) {
    return fail_unit(c, "base_goal.orientation", goal->base_goal.orientation);
  }
  warn_missing(c, "base_goal", missing_count);
  if (goal->duration < 0.0) {
    return sn__fail(c->err, SN_EINVAL, "%s: 'duration' is %g s, expected at least 0 s", c->file,
                    goal->duration);
  }
  for (size_t k = 0; k < goal->ee_goal.count; k++) {
    if (goal->ee_goal.data[k].frame_type > SN_EE_WORLD) {
      return sn__fail(c->err, SN_EINVAL, "%s: 'ee_goal[%zu].frame_type' is %u, expected 0 .. %u",
                      c->file, k, (unsigned)goal->ee_goal.data[k].frame_type, SN_EE_WORLD);
    }
  }
  return check_names(c, "ee_goal", &goal->ee_goal, goal->ee_goal.count, goal_at);
}

sn_status sn__movement_check(const sn__movement *movement, const char *file, sn_report *warnings,
                             sn_error *err) {
  const check c = {file, warnings, err};
  switch (movement->kind) {
    case SN__MOVEMENT_JOINT_TRAJECTORY:
      return check_trajectory(&c, movement->trajectory);
    case SN__MOVEMENT_STEP_SEQUENCE:
      return check_steps(&c, movement->steps);
    case SN__MOVEMENT_MOVE_BASE:
      return check_move(&c, movement->move_base);
    case SN__MOVEMENT_JOINT_STATE:
      break;
  }
  return check_pose(&c, movement->pose);
}
