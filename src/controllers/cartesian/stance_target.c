/* The target of the base: from a pose within reach towards the wanted one, as far as it goes. Each
   coordinate ends where a step of it alone is no longer possible. */
#include <math.h>
#include <string.h>

#include "controllers/cartesian/stance_internal.h"
#include "dyn/support_polygon.h"
#include "math/rotation.h"
#include "sinew/quat.h"

enum { TRIES_MAX = 3 };               /* in one cycle */
static const double step_min = 1e-4;  /* m or rad; shorter ones are not tried */
static const double share_min = 1e-3; /* of the way: shorter ways are tried down to this */
static const double along_min = 1.0 / 128.0;
static const double near_enough = 1e-9; /* m or rad */

/* Try all coordinates again, by this share of the way at first. */
static void sweep(sn__stance *stance, double share) {
  stance->has_moved = false;
  for (size_t k = 0; k < SN__STANCE_COORDS; k++) {
    stance->share[k] = share;
  }
}

void sn__stance_aim(sn__stance *stance) {
  stance->along = 1.0;
  stance->is_at_wanted = false;
  stance->is_stuck = false;
  sweep(stance, 1.0);
}

/* From the target to the wanted pose. */
static void find_way(const sn__stance *stance, double way[SN__STANCE_COORDS]) {
  const sn_vec3 move = sn_vec3_sub(stance->wanted.pos, stance->target.pos);
  const sn_vec3 turn =
      sn_mat3_log(sn_mat3_mul(sn_mat3_transpose(stance->target.rot), stance->wanted.rot));
  const double all[SN__STANCE_COORDS] = {move.x, move.y, move.z, turn.x, turn.y, turn.z};
  memcpy(way, all, sizeof all);
}

static sn_pose move_by(const sn_pose *pose, const double way[SN__STANCE_COORDS], double share) {
  const sn_vec3 move = {share * way[0], share * way[1], share * way[2]};
  const sn_vec3 turn = {share * way[3], share * way[4], share * way[5]};
  return (sn_pose){sn_mat3_mul(pose->rot, sn__mat3_exp(turn)), sn_vec3_add(pose->pos, move)};
}

/* How far the limbs are from being stretched, at their last solutions: the least of all. */
static double find_singular_value(const sn__stance *stance) {
  double least = INFINITY;
  for (size_t c = 0; c < stance->chain_count; c++) {
    const sn__limb_ik *limb = &stance->config.limbs[c];
    if (stance->supports[c]) {
      const sn_ik_velocity_query query = {
          .q = limb->pose, .frame = SN_IK_FRAME_TIP, .free_axes = limb->free_axes};
      sn_ik_velocity_result result = {.singular_value = 0.0};
      (void)sn_ik_velocity_solve(limb->velocity, &query, limb->rate, &result);
      least = fmin(least, result.singular_value);
    }
  }
  return least;
}

/* A pose that is worse than allowed may still be better than the one before. */
static bool is_allowed(double value, double least, double before) {
  return value >= least || value >= before;
}

bool sn__stance_try(sn__stance *stance, const sn_pose *base) {
  if (!sn__stance_solve(stance, base, stance->q_target, stance->q_try)) {
    return false;
  }
  const double singular = find_singular_value(stance);
  if (!is_allowed(singular, stance->config.singular_min, stance->singular_value)) {
    return false;
  }
  if (stance->config.check_balance) {
    const double margin = sn__stance_margin_at(stance, base, stance->q_try);
    const double now = sn__stance_margin_at(stance, &stance->target, stance->q_target);
    if (!is_allowed(margin, stance->config.margin_m, now)) {
      stance->is_unbalanced = true;
      stance->blocking_chain = -1;
      return false;
    }
  }
  stance->singular_value = singular;
  stance->target = *base;
  memcpy(stance->q_target, stance->q_try, stance->joint_count * sizeof *stance->q_target);
  return true;
}

/* @return whether there is a coordinate left to try */
static bool next_coord(sn__stance *stance, const double way[SN__STANCE_COORDS]) {
  for (size_t i = 0; i < SN__STANCE_COORDS; i++) {
    const size_t k = (stance->coord + i) % SN__STANCE_COORDS;
    const bool is_long =
        stance->share[k] * fabs(way[k]) > step_min || stance->share[k] >= share_min;
    if (fabs(way[k]) > near_enough && is_long) {
      stance->coord = k;
      return true;
    }
  }
  return false;
}

static void try_along(sn__stance *stance, const double way[SN__STANCE_COORDS]) {
  const sn_pose there =
      stance->along >= 1.0 ? stance->wanted : move_by(&stance->target, way, stance->along);
  if (sn__stance_try(stance, &there)) {
    stance->is_at_wanted = stance->along >= 1.0;
    stance->along = fmin(2.0 * stance->along, 1.0);
  } else {
    stance->along *= 0.5;
  }
}

static void try_coord(sn__stance *stance, const double way[SN__STANCE_COORDS]) {
  const size_t k = stance->coord;
  double alone[SN__STANCE_COORDS] = {0};
  alone[k] = way[k];
  const sn_pose there = move_by(&stance->target, alone, stance->share[k]);
  const bool is_taken = sn__stance_try(stance, &there);
  stance->share[k] = is_taken ? fmin(2.0 * stance->share[k], 1.0) : 0.25 * stance->share[k];
  stance->has_moved |= is_taken;
  stance->coord = (k + 1) % SN__STANCE_COORDS;
}

void sn__stance_search(sn__stance *stance) {
  for (int i = 0; i < TRIES_MAX && !stance->is_at_wanted && !stance->is_stuck; i++) {
    double way[SN__STANCE_COORDS];
    find_way(stance, way);
    if (stance->along >= along_min) {
      try_along(stance, way);
    } else if (next_coord(stance, way)) {
      try_coord(stance, way);
    } else if (stance->has_moved) { /* one that was closed may be open from here */
      sweep(stance, 0.25);
    } else {
      stance->is_stuck = true;
    }
  }
}

/* ---- balance ---- */

static size_t collect_points(sn__stance *stance, const sn_pose *base, const double *q) {
  const sn_model *model = stance->config.model;
  static const sn_vec3 origin = {0, 0, 0};
  size_t count = 0;
  sn_kin_update(stance->kin, q);
  for (size_t c = 0; c < stance->chain_count; c++) {
    const int index = sn_model_chain_default_contact(model, c);
    const sn_contact *contact = index < 0 ? NULL : sn_model_contact(model, (size_t)index);
    const sn_chain *chain = sn_model_chain(model, c, false); /* contacts are on its physical end */
    const sn_link *last = sn_model_link(model, (size_t)chain->last_link);
    const sn_pose end = sn_pose_mul(*base, sn_kin_link_pose(stance->kin, last));
    const sn_vec3 *points = contact == NULL ? &origin : contact->points;
    for (size_t i = 0; stance->supports[c] && i < (contact == NULL ? 1 : contact->point_count);
         i++) {
      stance->points[count++] = sn_pose_apply(end, points[i]);
    }
  }
  return count;
}

static const sn_plane ground = {.normal = {0, 0, 1}, .height_m = 0.0};

double sn__stance_margin_at(sn__stance *stance, const sn_pose *base, const double *q) {
  if (stance->dyn == NULL) {
    return INFINITY;
  }
  const size_t count = collect_points(stance, base, q);
  const size_t corners = sn__support_polygon(ground, stance->points, count, stance->corners);
  const sn_vec3 com = sn_pose_apply(*base, sn_dyn_com(stance->dyn, q));
  return sn__support_margin(ground, stance->corners, corners, com);
}

double sn__stance_margin(sn__stance *stance) {
  return sn__stance_margin_at(stance, &stance->base.pose, stance->q);
}

/* The middle of the polygon: of its area, or of its corners if it has none. */
static sn_vec3 middle_of(const sn_vec3 *corners, size_t count) {
  sn_vec3 sum = {0, 0, 0}, mean = {0, 0, 0};
  double area = 0.0;
  for (size_t i = 0; i < count; i++) {
    const sn_vec3 a = sn_vec3_sub(corners[i], corners[0]);
    const sn_vec3 b = sn_vec3_sub(corners[(i + 1) % count], corners[0]);
    const double part = a.x * b.y - a.y * b.x;
    area += part;
    sum = sn_vec3_add_scaled(sum, part / 3.0, sn_vec3_add(a, b));
    mean = sn_vec3_add_scaled(mean, 1.0 / (double)count, a);
  }
  return sn_vec3_add(corners[0], area > 1e-9 ? sn_vec3_scale(sum, 1.0 / area) : mean);
}

void sn__stance_recover(sn__stance *stance) {
  const sn_pose *base = &stance->base.pose;
  const size_t count = collect_points(stance, base, stance->q);
  if (count == 0 || stance->dyn == NULL) {
    return;
  }
  double floor_m = 0.0;
  for (size_t i = 0; i < count; i++) {
    floor_m += stance->points[i].z / (double)count;
  }
  const size_t corners = sn__support_polygon(ground, stance->points, count, stance->corners);
  const sn_vec3 to = middle_of(stance->corners, corners);
  const sn_vec3 com = sn_pose_apply(*base, sn_dyn_com(stance->dyn, stance->q));
  const double height = base->pos.z - floor_m;
  const sn_pose safe = {
      base->rot,
      {base->pos.x + to.x - com.x, base->pos.y + to.y - com.y,
       floor_m + fmin(fmax(height, stance->config.height_min_m), stance->config.height_max_m)}};
  stance->wanted = safe;
  stance->wanted_twist = sn_spatial_zero();
  sn__stance_aim(stance);
}
