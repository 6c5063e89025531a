#include "control/limb_ik.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"

static bool create_vectors(sn_arena *arena, sn__limb_ik *limb, double jump_max) {
  double *all = SN_NEW(arena, double, 4 * limb->count);
  if (all == NULL) {
    return false;
  }
  limb->jump = all;
  limb->seed = all + limb->count;
  limb->pose = all + 2 * limb->count;
  limb->rate = all + 3 * limb->count;
  for (size_t i = 0; i < limb->count; i++) {
    limb->jump[i] = jump_max;
  }
  return true;
}

sn_status sn__limb_ik_create(sn_arena *arena, const sn__limb_ik_config *config, sn__limb_ik *limb,
                             sn_error *err) {
  const sn_model *model = config->model;
  const sn_chain *chain = sn_model_chain(model, config->chain, config->with_virtual);
  const char *tip = sn_model_link(model, (size_t)chain->last_link)->name;
  const sn_ik_config ik_config = {
      .solver = config->solver,
      .base_frame = sn_model_link(model, (size_t)chain->first_link)->name,
      .tip_frames = &tip,
      .tip_count = 1,
      .default_timeout_s = config->timeout_s,
      .clock = config->clock};
  sn__limb_ik made = {.first = sn_model_link(model, (size_t)chain->first_link),
                      .count = chain->joint_count,
                      .joints = chain->joints,
                      .free_axes = config->free_axes};
  const sn_ik_velocity_config velocity_config = {.chain = chain};
  sn_status status = sn_ik_create(arena, model, &ik_config, &made.ik, err);
  if (status == SN_OK && sn_ik_joint_count(made.ik) != made.count) {
    status = sn__fail(err, SN_EUNSUPPORTED, "the solver has other joints than the chain");
  }
  if (status == SN_OK) {
    status = sn_ik_velocity_create(arena, &velocity_config, &made.velocity, err);
  }
  if (status == SN_OK && !create_vectors(arena, &made, config->jump_max)) {
    status = sn__fail(err, SN_ENOMEM, "no memory");
  }
  if (status == SN_OK) {
    *limb = made;
  }
  return status;
}

/* A pose that was measured, or commanded by others, may be a little outside. */
static void take_seed(sn__limb_ik *limb, const double *q) {
  for (size_t i = 0; i < limb->count; i++) {
    double lower, upper;
    sn_ik_limits(limb->ik, i, &lower, &upper);
    limb->seed[i] = fmin(fmax(q[limb->joints[i]], lower), upper);
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

bool sn__limb_ik_solve(sn__limb_ik *limb, const double *q, const sn_pose *target,
                       const sn_spatial *twist) {
  const sn_ik_options options = {.consistency_limits = limb->jump,
                                 .consistency_count = limb->count,
                                 .free_axes = limb->free_axes};
  take_seed(limb, q);
  /* A solver writes its answer only if it has one. */
  if (sn_ik_get_position(limb->ik, target, limb->seed, limb->count, &options, limb->pose) !=
      SN_IK_OK) {
    hold(limb);
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
