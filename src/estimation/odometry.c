#include "estimation/odometry.h"

#include <math.h>
#include <string.h>

#include "dyn/point_set.h"
#include "math/eigen.h"
#include "math/rotation.h"
#include "sinew/fault.h"

/* Level ground attracts the anchors at this rate, so that a foot that touches down higher or lower
   than expected does not make the base jump. */
static const double LEVEL_TIME_S = 0.1;
static const double LEVEL_SPEED_MAX = 0.1; /* m/s */
static const double SHARP_SHARE = 1e-3;    /* of the mean square size of the set of points */
static const double TURN_MAX = 0.5;        /* rad, of one round */
enum { ROUNDS_MAX = 12 };

struct sn__odometry {
  sn__odometry_config config;
  sn__base_state base;
  bool *touches;   /* [foot_count] in the last step */
  bool *is_kept;   /* [foot_count] in the last step and in this one */
  sn_vec3 *anchor; /* [foot_count][points_max] in the world */
  sn_vec3 *last;   /* [foot_count][points_max] in the base, of the last step */

  /* scratch: [foot_count * points_max] */
  sn_contact_point *places;
  sn_vec3 *wanted, *targets, *points;
};

sn__odometry *sn__odometry_create(sn_arena *arena, const sn__odometry_config *config) {
  const size_t feet = config->foot_count, points = feet * config->points_max;
  sn__odometry *o = SN_NEW(arena, sn__odometry, 1);
  if (o == NULL) {
    return NULL;
  }
  *o = (sn__odometry){.config = *config,
                      .base = {.pose_world_base = sn_pose_identity()},
                      .touches = SN_NEW(arena, bool, feet),
                      .is_kept = SN_NEW(arena, bool, feet),
                      .anchor = SN_NEW(arena, sn_vec3, points),
                      .last = SN_NEW(arena, sn_vec3, points),
                      .places = SN_NEW(arena, sn_contact_point, points),
                      .wanted = SN_NEW(arena, sn_vec3, points),
                      .targets = SN_NEW(arena, sn_vec3, points),
                      .points = SN_NEW(arena, sn_vec3, points)};
  const bool is_complete = o->touches != NULL && o->is_kept != NULL && o->anchor != NULL &&
                           o->last != NULL && o->places != NULL && o->wanted != NULL &&
                           o->targets != NULL && o->points != NULL;
  return is_complete ? o : NULL;
}

void sn__odometry_configure(sn__odometry *o, bool force_contact_z_to_zero,
                            bool zero_twist_if_no_contacts) {
  o->config.force_contact_z_to_zero = force_contact_z_to_zero;
  o->config.zero_twist_if_no_contacts = zero_twist_if_no_contacts;
}

void sn__odometry_reset(sn__odometry *o, const sn__base_state *base) {
  o->base = *base;
  memset(o->touches, 0, o->config.foot_count * sizeof *o->touches);
}

void sn__odometry_move(sn__odometry *o, const sn__base_state *base) {
  const sn_pose change =
      sn_pose_mul(base->pose_world_base, sn_pose_inverse(o->base.pose_world_base));
  for (size_t i = 0; i < o->config.foot_count * o->config.points_max; i++) {
    o->anchor[i] = sn_pose_apply(change, o->anchor[i]);
  }
  o->base = *base;
}

/* ---- best fit ---- */

/* Sum of weight |turned arm + shift - target|^2 over the points, as a function of a further turn:
   its slope, and half of its second derivative. */
typedef struct fit_terms {
  sn_vec3 centre, shift; /* of the points; from there to that of the targets */
  sn_vec3 moment;
  double stiffness[9], size; /* size: mean square distance from the centre */
} fit_terms;

static fit_terms terms_of(const sn__odometry *o, size_t count) {
  const sn__point_set set = sn__point_set_of(o->places, count);
  fit_terms t = {.centre = set.centre};
  for (size_t i = 0; i < count; i++) {
    t.shift = sn_vec3_add_scaled(t.shift, o->places[i].weight * set.per_weight, o->wanted[i]);
  }
  for (size_t i = 0; i < count; i++) {
    const double w = o->places[i].weight * set.per_weight;
    const sn_vec3 r = sn_vec3_sub(o->places[i].place, t.centre);
    const sn_vec3 s = sn_vec3_add(r, sn_vec3_sub(o->wanted[i], t.shift));
    const double a[3] = {r.x, r.y, r.z}, b[3] = {s.x, s.y, s.z};
    t.moment = sn_vec3_add_scaled(t.moment, w, sn_vec3_cross(r, s));
    t.size += w * sn_vec3_dot(r, r);
    for (size_t k = 0; k < 9; k++) {
      const double both = 0.5 * (a[k / 3] * b[k % 3] + a[k % 3] * b[k / 3]);
      t.stiffness[k] += w * ((k % 4 == 0 ? sn_vec3_dot(r, s) : 0.0) - both);
    }
  }
  return t;
}

/* Newton's step, without the directions in which the best fit is not sharp: points on a line, or
   nearly so, leave the turn about it. */
static sn_vec3 best_turn(const fit_terms *t) {
  double values[3], vectors[9], stiffness[9];
  sn_vec3 turn = {0, 0, 0};
  memcpy(stiffness, t->stiffness, sizeof stiffness);
  sn__eigen_symmetric(3, stiffness, values, vectors);
  for (size_t k = 0; k < 3; k++) {
    const sn_vec3 axis = {vectors[k], vectors[3 + k], vectors[6 + k]};
    if (values[k] > SHARP_SHARE * t->size) {
      turn = sn_vec3_add_scaled(turn, sn_vec3_dot(axis, t->moment) / values[k], axis);
    }
  }
  const double angle = sn_vec3_norm(turn);
  return sn_vec3_scale(turn, angle > TURN_MAX ? TURN_MAX / angle : 1.0);
}

/* The pose nearest to @p pose that brings the points to the targets. */
static sn_pose fit(sn__odometry *o, sn_pose pose, size_t count) {
  for (int round = 0; round < ROUNDS_MAX; round++) {
    for (size_t i = 0; i < count; i++) {
      o->places[i].place = sn_pose_apply(pose, o->points[i]);
      o->wanted[i] = sn_vec3_sub(o->targets[i], o->places[i].place);
    }
    const fit_terms t = terms_of(o, count);
    const sn_vec3 by = best_turn(&t);
    const sn_mat3 turn = sn__mat3_exp(by);
    const sn_vec3 arm = sn_mat3_apply(turn, sn_vec3_sub(pose.pos, t.centre));
    pose = (sn_pose){sn_mat3_mul(turn, pose.rot), sn_vec3_add(sn_vec3_add(t.centre, t.shift), arm)};
    if (sn_vec3_dot(by, by) < 1e-24) {
      break;
    }
  }
  return pose;
}

/* Points of the feet that are kept, as @p points has them, and their anchors. */
static size_t collect(sn__odometry *o, const sn__foot *feet, bool of_last_step) {
  size_t count = 0;
  for (size_t f = 0; f < o->config.foot_count; f++) {
    const size_t first = f * o->config.points_max;
    for (size_t k = 0; o->is_kept[f] && k < feet[f].point_count; k++, count++) {
      o->points[count] = of_last_step ? o->last[first + k] : feet[f].points[k];
      o->targets[count] = o->anchor[first + k];
      o->places[count].weight = 1.0 / (double)feet[f].point_count;
    }
  }
  return count;
}

/* ---- contacts ---- */

static bool touches(const sn__foot *foot) {
  return foot->is_touching && foot->point_count > 0 && sn__foot_is_valid(foot);
}

/* @return how many feet are kept
   @param is_changed  out: one was lifted */
static size_t compare(sn__odometry *o, const sn__foot *feet, bool *is_changed) {
  size_t kept = 0;
  *is_changed = false;
  for (size_t f = 0; f < o->config.foot_count; f++) {
    SN_ASSERT(feet[f].point_count <= o->config.points_max);
    const bool now = touches(&feet[f]);
    o->is_kept[f] = now && o->touches[f];
    *is_changed = *is_changed || (o->touches[f] && !now);
    kept += o->is_kept[f];
  }
  return kept;
}

/* Without the feet that were lifted the best fit of the last step would be another one: move the
   anchors of the others so that it is the same. */
static void keep_base(sn__odometry *o, const sn__foot *feet) {
  const sn_pose base = o->base.pose_world_base;
  const sn_pose other = fit(o, base, collect(o, feet, true));
  const sn_pose change = sn_pose_mul(base, sn_pose_inverse(other));
  for (size_t f = 0; f < o->config.foot_count; f++) {
    for (size_t k = 0; o->is_kept[f] && k < feet[f].point_count; k++) {
      sn_vec3 *anchor = &o->anchor[f * o->config.points_max + k];
      *anchor = sn_pose_apply(change, *anchor);
    }
  }
}

static void anchor_new(sn__odometry *o, const sn__foot *feet) {
  for (size_t f = 0; f < o->config.foot_count; f++) {
    const bool now = touches(&feet[f]);
    const size_t first = f * o->config.points_max;
    for (size_t k = 0; now && k < feet[f].point_count; k++) {
      if (!o->touches[f]) {
        o->anchor[first + k] = sn_pose_apply(o->base.pose_world_base, feet[f].points[k]);
      }
      o->last[first + k] = feet[f].points[k];
    }
    o->touches[f] = now;
  }
}

static void level_anchors(sn__odometry *o, const sn__foot *feet, double dt_s) {
  const double most = LEVEL_SPEED_MAX * dt_s;
  for (size_t f = 0; f < o->config.foot_count; f++) {
    if (!o->is_kept[f]) {
      continue;
    }
    sn_vec3 *anchor = &o->anchor[f * o->config.points_max];
    double height = -INFINITY; /* of the sole */
    for (size_t k = 0; k < feet[f].point_count; k++) {
      height = fmax(height, anchor[k].z);
    }
    const double down = fmax(-most, fmin(most, height * dt_s / (LEVEL_TIME_S + dt_s)));
    for (size_t k = 0; k < feet[f].point_count; k++) {
      anchor[k].z -= down;
    }
  }
}

/* ---- step ---- */

static bool has_velocities(const sn__odometry *o, const sn__foot *feet) {
  bool has = true;
  for (size_t f = 0; f < o->config.foot_count; f++) {
    has = has && (!o->is_kept[f] || feet[f].velocities != NULL);
  }
  return has;
}

/* Twist with which the points that are kept move least. */
static sn_spatial twist_of_feet(sn__odometry *o, const sn__foot *feet, sn_pose pose) {
  size_t count = 0;
  for (size_t f = 0; f < o->config.foot_count; f++) {
    for (size_t k = 0; o->is_kept[f] && k < feet[f].point_count; k++, count++) {
      /* relative to the base, in the axes of the world */
      o->places[count].place = sn_mat3_apply(pose.rot, feet[f].points[k]);
      o->wanted[count] = sn_vec3_neg(sn_mat3_apply(pose.rot, feet[f].velocities[k]));
    }
  }
  const sn__point_set set = sn__point_set_of(o->places, count);
  return sn__point_set_fit(&set, o->wanted);
}

static sn_spatial twist_between(sn_pose a, sn_pose b, double dt_s) {
  const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(b.rot, sn_mat3_transpose(a.rot)));
  return (sn_spatial){sn_vec3_scale(turn, 1.0 / dt_s),
                      sn_vec3_scale(sn_vec3_sub(b.pos, a.pos), 1.0 / dt_s)};
}

static void follow_feet(sn__odometry *o, const sn__foot *feet, double dt_s) {
  const sn_pose before = o->base.pose_world_base;
  if (o->config.force_contact_z_to_zero) {
    level_anchors(o, feet, dt_s);
  }
  const sn_pose now = fit(o, before, collect(o, feet, false));
  o->base.twist =
      has_velocities(o, feet) ? twist_of_feet(o, feet, now) : twist_between(before, now, dt_s);
  o->base.pose_world_base = now;
}

static void coast(sn__odometry *o, double dt_s) {
  sn_pose *pose = &o->base.pose_world_base;
  pose->rot = sn_mat3_mul(sn__mat3_exp(sn_vec3_scale(o->base.twist.ang, dt_s)), pose->rot);
  pose->pos = sn_vec3_add_scaled(pose->pos, dt_s, o->base.twist.lin);
}

const sn__base_state *sn__odometry_step(sn__odometry *o, const sn__foot *feet, double dt_s) {
  SN_ASSERT(dt_s > 0.0);
  bool is_changed = false;
  const size_t kept = compare(o, feet, &is_changed);
  if (kept > 0) {
    if (is_changed) {
      keep_base(o, feet);
    }
    follow_feet(o, feet, dt_s);
  } else {
    if (o->config.zero_twist_if_no_contacts && sn__feet_touching(feet, o->config.foot_count) == 0) {
      o->base.twist = sn_spatial_zero();
    }
    coast(o, dt_s);
  }
  o->base.pose_world_base.rot =
      sn_mat3_from_quat(sn_quat_from_mat3(o->base.pose_world_base.rot)); /* stays a rotation */
  anchor_new(o, feet);
  return &o->base;
}
