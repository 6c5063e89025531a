#include "controllers/cartesian/stance.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "controllers/cartesian/stance_internal.h"
#include "dyn/data.h"
#include "math/rotation.h"
#include "sinew/fault.h"
#include "sinew/quat.h"

enum { SLOWER_MAX = 4 }; /* times that a step is shortened */

/* Corners of all contacts that may touch at the same time. */
static size_t count_points(const sn_model *model, size_t chain_count) {
  size_t count = 0;
  for (size_t c = 0; c < chain_count; c++) {
    const int contact = sn_model_chain_default_contact(model, c);
    count += contact < 0 ? 1 : sn_model_contact(model, (size_t)contact)->point_count;
  }
  return count;
}

static bool create_arrays(sn__stance *stance, sn_arena *arena) {
  const size_t n = stance->joint_count, chains = stance->chain_count;
  double *reals = SN_NEW(arena, double, 3 * n);
  sn_pose *poses = SN_NEW(arena, sn_pose, 3 * chains);
  stance->supports = SN_NEW(arena, bool, chains);
  stance->points = SN_NEW(arena, sn_vec3, stance->point_count_max);
  stance->corners = SN_NEW(arena, sn_vec3, stance->point_count_max);
  if (reals == NULL || poses == NULL || stance->supports == NULL || stance->points == NULL ||
      stance->corners == NULL) {
    return false;
  }
  stance->q = reals;
  stance->q_target = reals + n;
  stance->q_try = reals + 2 * n;
  stance->feet = poses;
  stance->feet_first = poses + chains;
  stance->firsts = poses + 2 * chains;
  return true;
}

sn_status sn__stance_create(sn_arena *arena, const sn__stance_config *config, sn__stance **out,
                            sn_error *err) {
  sn__stance *stance = SN_NEW(arena, sn__stance, 1);
  if (stance == NULL) {
    return sn__fail(err, SN_ENOMEM, "stance: no room in arena '%s'", sn_arena_name(arena));
  }
  stance->config = *config;
  stance->chain_count = sn_names_count(sn_model_chain_names(config->model));
  stance->joint_count = sn_model_pose_size(config->model);
  stance->point_count_max = count_points(config->model, stance->chain_count);
  stance->base.pose = stance->target = stance->wanted = sn_pose_identity();
  stance->is_at_wanted = true;
  stance->blocking_chain = -1;
  if (!create_arrays(stance, arena)) {
    return sn__fail(err, SN_ENOMEM, "stance: no room in arena '%s'", sn_arena_name(arena));
  }
  for (size_t c = 0; c < stance->chain_count; c++) {
    config->limbs[c].goes_near = false; /* a foot that goes near would slip */
  }
  const sn_tree *tree = sn_model_tree(config->model);
  const sn_status status = sn_kin_create(arena, tree, &stance->kin, err);
  if (status != SN_OK) {
    return status;
  }
  /* A robot without masses stands, but nothing is known of its balance. */
  if (sn__dyn_create_small(arena, tree, &stance->dyn, err) != SN_OK && config->check_balance) {
    return SN_EMODEL;
  }
  *out = stance;
  return SN_OK;
}

/* ---- supports ---- */

bool sn__stance_supports(const sn__stance *stance, size_t chain) {
  return stance->supports[chain];
}

sn_pose sn__stance_foot(const sn__stance *stance, size_t chain) {
  return stance->feet[chain];
}

static bool has_common(const sn__stance *stance, const bool *supports) {
  for (size_t c = 0; c < stance->chain_count; c++) {
    if (supports[c] && stance->supports[c]) {
      return true;
    }
  }
  return false;
}

static void rest_at(sn__stance *stance, sn_pose pose) {
  stance->base = (sn__body_state){.pose = pose};
  stance->wanted = stance->target = pose;
  stance->wanted_twist = sn_spatial_zero();
  stance->is_at_wanted = true;
  stance->is_stuck = false;
  (void)sn__body_filter_reset(stance->config.filter, &stance->base, stance->config.period_s);
}

void sn__stance_stand(sn__stance *stance, const bool *supports, const double *q,
                      sn_pose pose_world_base) {
  if (!has_common(stance, supports)) {
    rest_at(stance, pose_world_base);
  }
  memcpy(stance->q, q, stance->joint_count * sizeof *q);
  memcpy(stance->q_target, q, stance->joint_count * sizeof *q);
  sn_kin_update(stance->kin, q);
  for (size_t c = 0; c < stance->chain_count; c++) {
    const sn__limb_ik *limb = &stance->config.limbs[c];
    const bool is_new = supports[c] && !stance->supports[c];
    stance->supports[c] = supports[c] && limb->ik != NULL;
    if (limb->ik == NULL) {
      continue;
    }
    stance->firsts[c] = sn_kin_link_pose(stance->kin, limb->first);
    const sn_link *tip = sn_model_link(stance->config.model, (size_t)limb->chain->last_link);
    if (is_new) {
      stance->feet[c] = sn_pose_mul(stance->base.pose, sn_kin_link_pose(stance->kin, tip));
      stance->feet_first[c] = stance->feet[c];
    }
  }
  /* The target may be out of reach of a new limb: the search begins where the base is. */
  stance->singular_value = 0.0;
  stance->target = stance->base.pose;
  sn__stance_aim(stance);
}

static sn_vec3 bounded(sn_vec3 v, double limit) {
  const double length = sn_vec3_norm(v);
  return length > limit ? sn_vec3_scale(v, limit / length) : v;
}

void sn__stance_shift_foot(sn__stance *stance, size_t chain, const sn_pose *pose_world_foot,
                           double share, double limit_m) {
  const sn_pose *first = &stance->feet_first[chain];
  sn_pose *foot = &stance->feet[chain];
  const sn_vec3 way = bounded(sn_vec3_sub(pose_world_foot->pos, foot->pos), limit_m);
  const sn_vec3 turn = bounded(
      sn_mat3_log(sn_mat3_mul(pose_world_foot->rot, sn_mat3_transpose(foot->rot))), limit_m);
  const sn_vec3 off = sn_vec3_add_scaled(sn_vec3_sub(foot->pos, first->pos), share, way);
  const sn_mat3 turned = sn_mat3_mul(sn__mat3_exp(sn_vec3_scale(turn, share)), foot->rot);
  const sn_vec3 off_turn = sn_mat3_log(sn_mat3_mul(turned, sn_mat3_transpose(first->rot)));
  foot->pos = sn_vec3_add(first->pos, bounded(off, limit_m));
  foot->rot = sn_mat3_mul(sn__mat3_exp(bounded(off_turn, limit_m)), first->rot);
}

/* ---- solving ---- */

bool sn__stance_solve(sn__stance *stance, const sn_pose *base, const double *seed, double *q) {
  memcpy(q, seed, stance->joint_count * sizeof *q);
  for (size_t c = 0; c < stance->chain_count; c++) {
    if (!stance->supports[c]) {
      continue;
    }
    sn__limb_ik *limb = &stance->config.limbs[c];
    const sn_pose first = sn_pose_mul(*base, stance->firsts[c]);
    const sn_pose goal = sn_pose_between(first, stance->feet[c]);
    if (!sn__limb_ik_solve(limb, seed, &goal, NULL)) {
      stance->blocking_chain = (int)c;
      return false;
    }
    for (size_t i = 0; i < limb->count; i++) {
      q[limb->joints[i]] = limb->pose[i];
    }
  }
  return true;
}

/* ---- every cycle ---- */

static bool is_same(const sn_pose *a, const sn_pose *b) {
  const sn_vec3 move = sn_vec3_sub(a->pos, b->pos);
  const sn_vec3 x = sn_vec3_sub(a->rot.x, b->rot.x), y = sn_vec3_sub(a->rot.y, b->rot.y);
  return sn_vec3_dot(move, move) + sn_vec3_dot(x, x) + sn_vec3_dot(y, y) == 0.0;
}

sn__stance_verdict sn__stance_want(sn__stance *stance, const sn_pose *pose,
                                   const sn_spatial *twist) {
  const sn_pose before = stance->wanted;
  if (is_same(&before, pose) && twist == NULL) {
    return stance->is_at_wanted ? SN__STANCE_TAKEN : SN__STANCE_APPROACHED;
  }
  stance->wanted = *pose;
  stance->wanted_twist = twist == NULL ? sn_spatial_zero() : *twist;
  stance->is_unbalanced = false;
  sn__stance_aim(stance);
  if (sn__stance_try(stance, pose)) {
    stance->is_at_wanted = true;
    return SN__STANCE_TAKEN;
  }
  if (stance->is_unbalanced) {
    stance->wanted = before;
    stance->wanted_twist = sn_spatial_zero();
    sn__stance_aim(stance);
    return SN__STANCE_UNSTABLE;
  }
  return SN__STANCE_APPROACHED;
}

void sn__stance_rest(sn__stance *stance) {
  stance->wanted_twist = sn_spatial_zero();
}

/* The way is closed here: wait, and search for a way from here in small steps. */
static void block(sn__stance *stance) {
  stance->base.twist = sn_spatial_zero();
  (void)sn__body_filter_reset(stance->config.filter, &stance->base, stance->config.period_s);
  stance->target = stance->base.pose;
  stance->singular_value = 0.0;
  memcpy(stance->q_target, stance->q, stance->joint_count * sizeof *stance->q);
  sn__stance_aim(stance);
  stance->along = 1.0 / 64.0;
}

static void report(const sn__stance *stance, bool is_blocked, sn__stance_state *state) {
  const sn_mat3 turn = sn_mat3_mul(sn_mat3_transpose(stance->target.rot), stance->wanted.rot);
  *state = (sn__stance_state){
      .base = stance->base,
      .is_blocked = is_blocked,
      .is_short = stance->is_stuck && !stance->is_at_wanted,
      .blocking_chain = stance->is_stuck || is_blocked ? stance->blocking_chain : -1,
      .short_m = sn_vec3_norm(sn_vec3_sub(stance->wanted.pos, stance->target.pos)),
      .short_rad = sn_vec3_norm(sn_mat3_log(turn))};
}

/* The share of the step that the speed of all joints allows. */
static double find_share(const sn__stance *stance) {
  double share = 1.0;
  for (size_t j = 0; j < stance->joint_count; j++) {
    const double way = fabs(stance->q_try[j] - stance->q[j]);
    const double most =
        sn_model_joint(stance->config.model, j)->velocity_max * stance->config.period_s;
    share = way > most && most > 0.0 ? fmin(share, most / way) : share;
  }
  return share;
}

/* A shorter step: the angles of a stretched limb change with the root of the way. */
static void slow_down(sn__stance *stance, double share, sn__body_state *next) {
  const sn_pose from = stance->base.pose;
  const double part = 0.95 * share * share;
  const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(sn_mat3_transpose(from.rot), next->pose.rot));
  const sn_vec3 way = sn_vec3_sub(next->pose.pos, from.pos);
  next->pose = (sn_pose){sn_mat3_mul(from.rot, sn__mat3_exp(sn_vec3_scale(turn, part))),
                         sn_vec3_add_scaled(from.pos, part, way)};
  next->twist = sn_spatial_scale(next->twist, part);
  (void)sn__body_filter_reset(stance->config.filter, next, stance->config.period_s);
}

/* Velocities are differences of positions: those of the Jacobian are damped near a straight knee.
 */
static void write_joints(const sn__stance *stance, double *q, double *qd) {
  for (size_t c = 0; c < stance->chain_count; c++) {
    const sn__limb_ik *limb = &stance->config.limbs[c];
    for (size_t i = 0; stance->supports[c] && i < limb->count; i++) {
      const size_t j = (size_t)limb->joints[i];
      q[j] = stance->q_try[j];
      qd[j] = (stance->q_try[j] - stance->q[j]) / stance->config.period_s;
    }
  }
}

void sn__stance_step(sn__stance *stance, double *q, double *qd, sn__stance_state *state) {
  sn__body_state next;
  sn__stance_search(stance);
  const sn_spatial *twist = stance->is_at_wanted ? &stance->wanted_twist : NULL;
  (void)sn__body_filter_update(stance->config.filter, &stance->target, twist, &next);
  bool is_open = sn__stance_solve(stance, &next.pose, stance->q, stance->q_try);
  for (int i = 0; is_open && i < SLOWER_MAX && find_share(stance) < 1.0; i++) {
    slow_down(stance, find_share(stance), &next);
    is_open = sn__stance_solve(stance, &next.pose, stance->q, stance->q_try);
  }
  if (is_open) {
    stance->base = next;
  } else {
    memcpy(stance->q_try, stance->q, stance->joint_count * sizeof *stance->q);
    block(stance);
  }
  write_joints(stance, q, qd);
  memcpy(stance->q, stance->q_try, stance->joint_count * sizeof *stance->q);
  report(stance, !is_open, state);
}
