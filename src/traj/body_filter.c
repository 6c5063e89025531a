#include "traj/body_filter.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "math/rotation.h"
#include "math/rotation_rate.h"
#include "sinew/fault.h"
#include "sinew/quat.h"

struct sn__body_filter {
  sn_smooth *smooth;
  sn_mat3 anchor; /* the rotation that the rotation vector is from: that of the reference */
  double q[SN__BODY_COORDS], qd[SN__BODY_COORDS], qdd[SN__BODY_COORDS];
  double r[SN__BODY_COORDS]; /* the last reference */
};

sn_status sn__body_filter_create(sn_arena *arena, const char *name, const sn_smooth_config *config,
                                 sn__body_filter **out, sn_error *err) {
  SN_ASSERT(config->joint_count == SN__BODY_COORDS);
  sn__body_filter *filter = SN_NEW(arena, sn__body_filter, 1);
  if (filter == NULL) {
    return sn__fail(err, SN_ENOMEM, "body_filter: no room in arena '%s'", sn_arena_name(arena));
  }
  const sn_status status = sn__smooth_create(arena, name, config, &filter->smooth, err);
  if (status == SN_OK) {
    filter->anchor = sn_mat3_identity();
    *out = filter;
  }
  return status;
}

static sn_vec3 part(const double *v, size_t first) {
  return sn_vec3_make(v[first], v[first + 1], v[first + 2]);
}

static void put(double *v, size_t first, sn_vec3 value) {
  v[first] = value.x;
  v[first + 1] = value.y;
  v[first + 2] = value.z;
}

static bool is_finite_vec3(sn_vec3 v) {
  return isfinite(v.x + v.y + v.z);
}

static bool is_finite_pose(const sn_pose *pose) {
  return is_finite_vec3(pose->pos) && is_finite_vec3(pose->rot.x) && is_finite_vec3(pose->rot.y) &&
         is_finite_vec3(pose->rot.z);
}

sn_status sn__body_filter_reset(sn__body_filter *filter, const sn__body_state *state,
                                double period_s) {
  double q[SN__BODY_COORDS] = {0}, qd[SN__BODY_COORDS];
  put(q, 0, state->pose.pos);
  put(qd, 0, state->twist.lin);
  put(qd, 3, sn_mat3_apply_transposed(state->pose.rot, state->twist.ang));
  const sn_smooth_state start = {.q = q, .qd = qd};
  if (!is_finite_pose(&state->pose) ||
      sn__smooth_reset(filter->smooth, &start, period_s) != SN_OK) {
    return SN_EINVAL;
  }
  filter->anchor = state->pose.rot;
  memcpy(filter->q, q, sizeof q);
  memcpy(filter->qd, qd, sizeof qd);
  memset(filter->qdd, 0, sizeof filter->qdd);
  memcpy(filter->r, q, sizeof q);
  return SN_OK;
}

/* The same motion, seen from another rotation. */
static void move_anchor(sn__body_filter *filter, sn_mat3 anchor) {
  const sn_vec3 phi = part(filter->q, 3), rate = part(filter->qd, 3);
  const sn_mat3 change = sn_mat3_mul(sn_mat3_transpose(anchor), filter->anchor);
  const sn_vec3 omega = sn_mat3_apply(change, sn__rotation_velocity(phi, rate));
  const sn_vec3 alpha =
      sn_mat3_apply(change, sn__rotation_acceleration(phi, rate, part(filter->qdd, 3)));
  const sn_vec3 phi_new = sn_mat3_log(sn_mat3_mul(change, sn__mat3_exp(phi)));
  const sn_vec3 rate_new = sn__rotation_rate(phi_new, omega);
  put(filter->q, 3, phi_new);
  put(filter->qd, 3, rate_new);
  put(filter->qdd, 3, sn__rotation_rate_dot(phi_new, rate_new, alpha));
  filter->anchor = anchor;
  for (size_t i = 3; i < SN__BODY_COORDS; i++) {
    const sn_otg_state state = {filter->q[i], filter->qd[i], filter->qdd[i]};
    (void)sn__smooth_reset_joint(filter->smooth, i, state); /* finite, since its parts were */
  }
}

static bool is_same(sn_mat3 a, sn_mat3 b) {
  const sn_vec3 d[] = {sn_vec3_sub(a.x, b.x), sn_vec3_sub(a.y, b.y), sn_vec3_sub(a.z, b.z)};
  return sn_vec3_dot(d[0], d[0]) + sn_vec3_dot(d[1], d[1]) + sn_vec3_dot(d[2], d[2]) == 0.0;
}

sn_status sn__body_filter_update(sn__body_filter *filter, const sn_pose *reference,
                                 const sn_spatial *twist, sn__body_state *out) {
  const bool is_good = reference == NULL || is_finite_pose(reference);
  double rd[SN__BODY_COORDS] = {0};
  if (reference != NULL && is_good) {
    if (!is_same(reference->rot, filter->anchor)) {
      move_anchor(filter, reference->rot);
    }
    put(filter->r, 0, reference->pos);
    put(filter->r, 3, (sn_vec3){0, 0, 0});
    if (twist != NULL) {
      put(rd, 0, twist->lin);
      put(rd, 3, sn_mat3_apply_transposed(filter->anchor, twist->ang));
    }
  }
  const sn_smooth_reference to = {.q = filter->r, .qd = rd};
  const sn_smooth_state next = {.q = filter->q, .qd = filter->qd, .qdd = filter->qdd};
  const sn_status status = sn__smooth_update(filter->smooth, NULL, &to, &next);
  if (status == SN_ENOTCONFIGURED) {
    return status;
  }
  const sn_vec3 phi = part(filter->q, 3);
  out->pose = (sn_pose){sn_mat3_mul(filter->anchor, sn__mat3_exp(phi)), part(filter->q, 0)};
  out->twist =
      (sn_spatial){sn_mat3_apply(filter->anchor, sn__rotation_velocity(phi, part(filter->qd, 3))),
                   part(filter->qd, 0)};
  return is_good ? status : SN_EINVAL;
}
