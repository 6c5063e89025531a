#include "ik/limb/limb_ik.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "sinew/kin.h"

static bool create_vectors(sn_arena *arena, const sn__limb_ik_config *config, sn__limb_ik *limb) {
  const size_t n = limb->count;
  double *all = SN_NEW(arena, double, 10 * n);
  if (all == NULL) {
    return false;
  }
  limb->jump = all;
  limb->seed = all + n;
  limb->pose = all + 2 * n;
  limb->rate = all + 3 * n;
  limb->lower = all + 4 * n;
  limb->upper = all + 5 * n;
  limb->bent = all + 6 * n;
  limb->prefer = all + 7 * n;
  limb->before = all + 9 * n;
  for (size_t i = 0; i < n; i++) {
    limb->jump[i] = config->jump_max;
  }
  limb->middle = all + 8 * n;
  if (config->nominal != NULL) {
    limb->nominal = limb->middle;
    memcpy(limb->nominal, config->nominal, n * sizeof *all);
  }
  return true;
}

/* The tighter of the limits of the robot and those of the configuration. */
static sn_status set_limits(const sn__limb_ik_config *config, const sn__limb_ik *limb,
                            sn_error *err) {
  for (size_t i = 0; i < limb->count; i++) {
    sn_ik_limits(limb->ik, i, &limb->lower[i], &limb->upper[i]);
    if (config->lower != NULL) {
      limb->lower[i] = fmax(limb->lower[i], config->lower[i]);
    }
    if (config->upper != NULL) {
      limb->upper[i] = fmin(limb->upper[i], config->upper[i]);
    }
    if (!(limb->lower[i] <= limb->upper[i])) {
      return sn__fail(err, SN_EMODEL, "limits: joint '%s' has no range left: %g .. %g",
                      sn_model_joint(config->model, (size_t)limb->joints[i])->name, limb->lower[i],
                      limb->upper[i]);
    }
  }
  return sn_ik_set_limits(limb->ik, limb->lower, limb->upper, limb->count, err);
}

static sn_status create_solvers(sn_arena *arena, const sn__limb_ik_config *config,
                                sn__limb_ik *limb, sn_error *err) {
  const sn_chain *chain = limb->chain;
  const char *tip = sn_model_link(config->model, (size_t)chain->last_link)->name;
  const sn_ik_config ik_config = {.solver = config->solver,
                                  .base_frame = limb->first->name,
                                  .tip_frames = &tip,
                                  .tip_count = 1,
                                  .default_timeout_s = config->timeout_s,
                                  .clock = config->clock};
  const sn_ik_velocity_config velocity_config = {.chain = chain};
  const sn_status status = sn_ik_create(arena, config->model, &ik_config, &limb->ik, err);
  if (status != SN_OK) {
    return status;
  }
  if (sn_ik_joint_count(limb->ik) != limb->count) {
    return sn__fail(err, SN_EUNSUPPORTED, "the solver has other joints than the chain");
  }
  return sn_ik_velocity_create(arena, &velocity_config, &limb->velocity, err);
}

sn_status sn__limb_ik_create(sn_arena *arena, const sn__limb_ik_config *config, sn__limb_ik *limb,
                             sn_error *err) {
  const sn_chain *chain = sn_model_chain(config->model, config->chain, config->with_virtual);
  sn__limb_ik made = {.chain = chain,
                      .goes_near = config->goes_near,
                      .first = sn_model_link(config->model, (size_t)chain->first_link),
                      .count = chain->joint_count,
                      .joints = chain->joints,
                      .free_axes = config->free_axes,
                      .nominal_share = fmin(config->weight_nominal, 1.0)};
  sn_status status = create_solvers(arena, config, &made, err);
  if (status == SN_OK && !create_vectors(arena, config, &made)) {
    status = sn__fail(err, SN_ENOMEM, "no memory");
  }
  const sn__approach_weights weights = {.position = config->weight_position,
                                        .rotation = config->weight_rotation,
                                        .nominal = config->weight_nominal,
                                        .pose = made.nominal};
  if (status == SN_OK && !sn__approach_create(arena, chain, &weights, &made.approach)) {
    status = sn__fail(err, SN_ENOMEM, "no memory");
  }
  status = status == SN_OK ? set_limits(config, &made, err) : status;
  if (status == SN_OK) {
    *limb = made;
  }
  return status;
}

void sn__limb_ik_prefer_middle(sn__limb_ik *limb, double share) {
  if (limb->nominal != NULL) {
    return;
  }
  for (size_t i = 0; i < limb->count; i++) {
    double lower, upper;
    sn_ik_limits(limb->ik, i, &lower, &upper);
    /* A joint that turns without end may be many turns away from 0: it prefers nothing. */
    limb->middle[i] = isfinite(lower + upper) ? 0.5 * (lower + upper) : NAN;
  }
  limb->nominal = limb->middle;
  limb->nominal_share = share;
}

/* A measured pose, or one commanded by others, may be slightly outside the limits. */
static void take_seed(sn__limb_ik *limb, const double *q) {
  for (size_t i = 0; i < limb->count; i++) {
    double lower, upper;
    sn_ik_limits(limb->ik, i, &lower, &upper);
    limb->seed[i] = fmin(fmax(q[limb->joints[i]], lower), upper);
    if (limb->nominal != NULL) {
      const double way = isnan(limb->nominal[i]) ? 0.0 : limb->nominal[i] - limb->seed[i];
      limb->prefer[i] = limb->seed[i] + limb->nominal_share * way;
    }
  }
}

static void hold(sn__limb_ik *limb) {
  bool is_near = limb->has_pose;
  for (size_t i = 0; i < limb->count; i++) {
    is_near = is_near && fabs(limb->pose[i] - limb->seed[i]) <= limb->jump[i];
  }
  if (!is_near) {
    memcpy(limb->pose, limb->seed, limb->count * sizeof *limb->pose);
  }
  memset(limb->rate, 0, limb->count * sizeof *limb->rate);
  limb->has_pose = true;
  limb->failed = true;
  limb->trouble = SN__LIMB_NO_POSE;
}

void sn__limb_ik_fail(sn__limb_ik *limb, const double *q) {
  take_seed(limb, q);
  hold(limb);
}

static void solve_rate(sn__limb_ik *limb, const sn_pose *target, const sn_spatial *twist) {
  /* In the axes of the tip, which free axes are axes of. */
  const sn_ik_velocity_query query = {.q = limb->pose,
                                      .twist = {sn_mat3_apply_transposed(target->rot, twist->ang),
                                                sn_mat3_apply_transposed(target->rot, twist->lin)},
                                      .frame = SN_IK_FRAME_TIP,
                                      .free_axes = limb->free_axes};
  (void)sn_ik_velocity_solve(limb->velocity, &query, limb->rate, NULL); /* zeros if not finite */
}

/* The part of a vector, in the axes of the target, that is not free. */
static double length_of(sn_vec3 v, unsigned free_axes) {
  const double x = (free_axes & 1u) != 0 ? 0.0 : v.x;
  const double y = (free_axes & 2u) != 0 ? 0.0 : v.y;
  const double z = (free_axes & 4u) != 0 ? 0.0 : v.z;
  return sqrt(x * x + y * y + z * z);
}

static void measure(sn__limb_ik *limb, const sn_pose *target) {
  const sn_pose tip = sn_chain_fk(limb->chain, limb->pose);
  const sn_pose gap = sn_pose_between(*target, tip);
  limb->short_m = length_of(gap.pos, limb->free_axes);
  limb->short_rad = length_of(sn_mat3_log(gap.rot), limb->free_axes >> 3);
}

/* What keeps the tip from its target. */
static void find_trouble(sn__limb_ik *limb) {
  static const double near_m = 1e-4, near_limit = 1e-6;
  limb->trouble = limb->short_m <= near_m ? SN__LIMB_TURNED : SN__LIMB_OUT_OF_REACH;
  for (size_t i = 0; i < limb->count; i++) {
    double lower, upper;
    sn_ik_limits(limb->ik, i, &lower, &upper);
    if (limb->pose[i] <= lower + near_limit || limb->pose[i] >= upper - near_limit) {
      limb->trouble = SN__LIMB_AT_LIMIT;
      limb->joint = limb->joints[i];
    }
  }
  for (size_t i = 0; i < limb->count; i++) {
    if (fabs(limb->pose[i] - limb->seed[i]) >= limb->jump[i] - near_limit) {
      limb->trouble = SN__LIMB_FAR;
    }
  }
}

/* A straight limb is a local optimum for a target between its ends: no small step shortens it. A
   slightly bent start may get nearer, and is used if it clearly does. */
static void try_bent(sn__limb_ik *limb, const sn_pose *target, double cost) {
  for (int side = -1; side <= 1; side += 2) {
    for (size_t i = 0; i < limb->count; i++) {
      const double q = limb->seed[i] + 0.5 * side * limb->jump[i];
      limb->bent[i] = fmin(fmax(q, limb->lower[i]), limb->upper[i]);
    }
    const double other = sn__approach_run(&limb->approach, target, limb->free_axes, limb->lower,
                                          limb->upper, limb->bent);
    if (other < 0.99 * cost) {
      cost = other;
      memcpy(limb->pose, limb->bent, limb->count * sizeof *limb->pose);
    }
  }
}

/* Descend from here, by no more than a joint may move at once. */
static void go_near(sn__limb_ik *limb, const sn_pose *target) {
  for (size_t i = 0; i < limb->count; i++) {
    double lower, upper;
    sn_ik_limits(limb->ik, i, &lower, &upper);
    limb->lower[i] = fmax(lower, limb->seed[i] - limb->jump[i]);
    limb->upper[i] = fmin(upper, limb->seed[i] + limb->jump[i]);
  }
  memcpy(limb->pose, limb->seed, limb->count * sizeof *limb->pose);
  const double cost = sn__approach_run(&limb->approach, target, limb->free_axes, limb->lower,
                                       limb->upper, limb->pose);
  try_bent(limb, target, cost);
  limb->has_pose = limb->failed = true;
  memset(limb->rate, 0, limb->count * sizeof *limb->rate);
  measure(limb, target);
  find_trouble(limb);
}

/* Every answer found is refused. */
static void stay(sn__limb_ik *limb, const sn_pose *target) {
  hold(limb);
  measure(limb, target);
  limb->trouble = SN__LIMB_REFUSED;
}

static void without_solution(sn__limb_ik *limb, const sn_pose *target, sn_ik_code code) {
  const sn__limb_check *check = &limb->check;
  if (code == SN_IK_REFUSED) {
    stay(limb, target);
  } else if (!limb->goes_near) {
    hold(limb);
  } else {
    memcpy(limb->before, limb->pose, limb->count * sizeof *limb->pose);
    const bool had_pose = limb->has_pose;
    go_near(limb, target);
    if (check->accept != NULL && !check->accept(check->context, target, limb->pose)) {
      memcpy(limb->pose, limb->before, limb->count * sizeof *limb->pose);
      limb->has_pose = had_pose;
      stay(limb, target);
    }
  }
}

bool sn__limb_ik_solve(sn__limb_ik *limb, const double *q, const sn_pose *target,
                       const sn_spatial *twist) {
  const sn_ik_options options = {.consistency_limits = limb->jump,
                                 .consistency_count = limb->count,
                                 .callback = limb->check.accept,
                                 .callback_context = limb->check.context,
                                 .free_axes = limb->free_axes,
                                 .nominal = limb->nominal == NULL ? NULL : limb->prefer,
                                 .nominal_count = limb->nominal == NULL ? 0 : limb->count};
  take_seed(limb, q);
  if (limb->check.begin != NULL) {
    limb->check.begin(limb->check.context, q);
  }
  /* A solver writes its answer only on success. */
  const sn_ik_code code =
      sn_ik_get_position(limb->ik, target, limb->seed, limb->count, &options, limb->pose);
  if (code != SN_IK_OK) {
    without_solution(limb, target, code);
    return false;
  }
  limb->has_pose = true;
  limb->failed = false;
  memset(limb->rate, 0, limb->count * sizeof *limb->rate);
  if (twist != NULL) {
    solve_rate(limb, target, twist);
  }
  return true;
}
