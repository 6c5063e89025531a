#include "steps/step_read.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "sinew/ik.h"

typedef struct reading {
  const sn_model *model;
  const sn_step_goal *msg;
  sn__step_sequence *out;
} reading;

/* ---- times and lengths ---- */

static sn_status read_times(reading *r, sn_error *err) {
  const double *times = r->msg->time_from_start.data;
  for (size_t k = 0; k < r->out->point_count; k++) {
    if (!isfinite(times[k]) || times[k] < 0.0) {
      return sn__fail(err, SN_EINVAL, "the time of point %zu is %g s", k, times[k]);
    }
    if (k > 0 && !(times[k] > times[k - 1])) {
      return sn__fail(err, SN_EINVAL,
                      "the times do not increase: point %zu at %g s follows point %zu at %g s", k,
                      times[k], k - 1, times[k - 1]);
    }
    r->out->times[k] = times[k] - times[0];
  }
  return SN_OK;
}

static sn_status check_length(const reading *r, const char *name, size_t count, sn_error *err) {
  return count == r->out->point_count
             ? SN_OK
             : sn__fail(err, SN_EINVAL, "'%s' has %zu points for %zu times", name, count,
                        r->out->point_count);
}

static sn_status check_frame(reading *r, sn_error *err) {
  static const char suffix[] = "_path";
  const char *frame = r->msg->header.frame_id.data;
  const char *root = sn_model_link(r->model, 0)->name;
  const size_t size = strlen(root);
  r->out->is_in_odom = strcmp(frame, "odom") == 0;
  const bool is_path =
      frame[0] == '\0' || (strncmp(frame, root, size) == 0 && strcmp(frame + size, suffix) == 0);
  return r->out->is_in_odom || is_path
             ? SN_OK
             : sn__fail(err, SN_EINVAL, "the frame is '%s', must be 'odom' or '%s%s'", frame, root,
                        suffix);
}

static sn_status check_tolerances(reading *r, sn_error *err) {
  const double position = r->msg->position_tolerance, turn = r->msg->orientation_tolerance;
  if (!isfinite(position) || !isfinite(turn) || position < 0.0 || turn < 0.0) {
    return sn__fail(err, SN_EINVAL, "the tolerances are %g m and %g rad", position, turn);
  }
  r->out->position_tolerance_m = position;
  r->out->orientation_tolerance_rad = turn;
  return SN_OK;
}

/* ---- points ---- */

static bool is_finite3(sn_vec3 v) {
  return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static sn_status read_point(const char *name, size_t index, const sn_rigid_body_point *in,
                            sn__step_point *out, sn_error *err) {
  const sn_quat q = in->pose.orientation;
  if (!is_finite3(in->pose.position) || !is_finite3(in->twist.lin) || !is_finite3(in->twist.ang)) {
    return sn__fail(err, SN_EINVAL, "point %zu of '%s' has NaN or infinity", index, name);
  }
  if (sn_ik_pose_from_quat(in->pose.position, q, &out->pose) != SN_IK_OK) {
    return sn__fail(err, SN_EINVAL, "point %zu of '%s' has an orientation of length %g, must be 1",
                    index, name, sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w));
  }
  out->twist = in->twist;
  out->contact = in->contact;
  return SN_OK;
}

static sn_status read_points(const char *name, const sn_seq_rigid_body_point *in,
                             sn__step_point *out, sn_error *err) {
  sn_status status = SN_OK;
  for (size_t k = 0; status == SN_OK && k < in->count; k++) {
    status = read_point(name, k, &in->data[k], &out[k], err);
  }
  return status;
}

/* No orientation at all, and no contact. */
static bool hangs(const sn_step_goal *msg) {
  for (size_t k = 0; k < msg->base_motion.points.count; k++) {
    const sn_quat q = msg->base_motion.points.data[k].pose.orientation;
    if (q.x != 0.0 || q.y != 0.0 || q.z != 0.0 || q.w != 0.0) {
      return false;
    }
  }
  for (size_t i = 0; i < msg->ee_motion.count; i++) {
    for (size_t k = 0; k < msg->ee_motion.data[i].points.count; k++) {
      if (msg->ee_motion.data[i].points.data[k].contact) {
        return false;
      }
    }
  }
  return true;
}

static sn_status read_base(reading *r, sn_error *err) {
  const sn_rigid_body_trajectory *base = &r->msg->base_motion;
  const char *root = sn_model_link(r->model, 0)->name;
  if (hangs(r->msg)) {
    r->out->base = NULL;
    return SN_OK;
  }
  if (strcmp(base->name.data, root) != 0) {
    return sn__fail(err, SN_ENOENT, "the base is '%s', that of the robot is '%s'", base->name.data,
                    root);
  }
  const sn_status status = check_length(r, root, base->points.count, err);
  return status == SN_OK ? read_points(root, &base->points, r->out->base, err) : status;
}

/* ---- limbs ---- */

static sn_status find_limb(reading *r, size_t index, int32_t *error, sn_error *err) {
  const char *name = r->msg->ee_motion.data[index].name.data;
  const int chain = sn_model_chain_index(r->model, name);
  *error = SN_STEP_INVALID_END_EFFECTOR;
  if (chain < 0) {
    return sn__fail(err, SN_ENOENT, "the robot has no limb '%s'", name);
  }
  for (size_t i = 0; i < index; i++) {
    if (r->out->limbs[i].chain == (size_t)chain) {
      return sn__fail(err, SN_EINVAL, "limb '%s' appears twice", name);
    }
  }
  if (sn_model_chain(r->model, (size_t)chain, true)->first_link != 0) {
    return sn__fail(err, SN_EINVAL, "limb '%s' does not begin at the base", name);
  }
  r->out->limbs[index].chain = (size_t)chain;
  *error = SN_STEP_INVALID_TRAJECTORY;
  return SN_OK;
}

static sn_status read_limb(reading *r, size_t index, int32_t *error, sn_error *err) {
  const sn_rigid_body_trajectory *limb = &r->msg->ee_motion.data[index];
  sn_status status = find_limb(r, index, error, err);
  if (status == SN_OK) {
    status = check_length(r, limb->name.data, limb->points.count, err);
  }
  return status == SN_OK
             ? read_points(limb->name.data, &limb->points, r->out->limbs[index].points, err)
             : status;
}

/* A foot in contact stays where it is. It may turn: legs without a yaw joint turn with the base. */
static sn_status check_contacts(const reading *r, size_t index, double tolerance_m, sn_error *err) {
  const sn__step_point *limb = r->out->limbs[index].points, *base = r->out->base;
  for (size_t k = 1; base != NULL && k < r->out->point_count; k++) {
    const sn_vec3 last = sn_pose_apply(base[k - 1].pose, limb[k - 1].pose.pos);
    const sn_vec3 now = sn_pose_apply(base[k].pose, limb[k].pose.pos);
    const double moved_m = sn_vec3_norm(sn_vec3_sub(now, last));
    if (limb[k].contact && limb[k - 1].contact && moved_m > tolerance_m) {
      return sn__fail(err, SN_EINVAL,
                      "limb '%s' is in contact at points %zu and %zu, but moves by %.4f m",
                      r->msg->ee_motion.data[index].name.data, k - 1, k, moved_m);
    }
  }
  return SN_OK;
}

static sn_status read_bodies(reading *r, double tolerance_m, int32_t *error, sn_error *err) {
  sn_status status = read_base(r, err);
  for (size_t i = 0; status == SN_OK && i < r->out->limb_count; i++) {
    status = read_limb(r, i, error, err);
  }
  for (size_t i = 0; status == SN_OK && i < r->out->limb_count; i++) {
    status = check_contacts(r, i, tolerance_m, err);
  }
  return status;
}

sn_status sn__step_sequence_read(sn_arena *arena, const sn_model *model, const sn_step_goal *msg,
                                 double contact_tolerance_m, sn__step_sequence *out, int32_t *error,
                                 sn_error *err) {
  const size_t points = msg->time_from_start.count, limbs = msg->ee_motion.count;
  reading r = {model, msg, out};
  *error = SN_STEP_INVALID_TRAJECTORY;
  if (points < 2 || limbs == 0) {
    return sn__fail(err, SN_EINVAL, "the sequence is empty: %zu points for %zu limbs", points,
                    limbs);
  }
  if (limbs > sn_names_count(sn_model_chain_names(model))) {
    return sn__fail(err, SN_EINVAL, "%zu limbs, the robot has %zu", limbs,
                    sn_names_count(sn_model_chain_names(model)));
  }
  if (!sn__step_sequence_create(arena, points, limbs, out)) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu points", points);
  }
  sn_status status = read_times(&r, err);
  if (status == SN_OK) {
    status = check_frame(&r, err);
  }
  if (status == SN_OK) {
    status = check_tolerances(&r, err);
  }
  return status == SN_OK ? read_bodies(&r, contact_tolerance_m, error, err) : status;
}
