#include "gait/nominal.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "steps/step_solve.h"

/* Legs that stretch and bend by this share of the height are bent. */
static const double FREE_SHARE = 0.05;

static bool can_move(const sn__step_leg *leg, const double *stance, double up_m, double *q,
                     size_t joint_count) {
  sn_pose end = sn__step_leg_end(leg, stance);
  end.pos.z += up_m;
  memcpy(q, stance, joint_count * sizeof *q);
  return sn__step_leg_solve(leg, end, q);
}

static bool is_bent(const sn_model *model, sn__limb_ik *limbs, const sn__legs *legs, double *q) {
  const size_t n = sn_model_pose_size(model);
  bool is_free = true;
  for (size_t i = 0; i < legs->count; i++) {
    const sn__step_leg leg = {legs->leg[i].chain, &limbs[legs->leg[i].chain]};
    const double by_m = FREE_SHARE * legs->height_m;
    is_free = is_free && leg.limb->ik != NULL && can_move(&leg, legs->stance, by_m, q, n) &&
              can_move(&leg, legs->stance, -by_m, q, n);
  }
  return is_free;
}

sn_status sn__nominal_find(sn_arena *arena, const sn_model *model, sn__limb_ik *limbs,
                           sn__legs *out, sn_error *err) {
  const size_t n = sn_model_pose_size(model);
  double *zero = SN_NEW(arena, double, n), *q = SN_NEW(arena, double, n);
  if (zero == NULL || q == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", n);
  }
  for (size_t j = 0; j < n; j++) {
    const sn_joint *joint = sn_model_joint(model, j);
    zero[j] = fmax(joint->lower, fmin(joint->upper, 0.0));
  }
  if (sn__legs_find(arena, model, zero, out, NULL) == SN_OK && is_bent(model, limbs, out, q)) {
    return SN_OK;
  }
  return sn__legs_find(arena, model, NULL, out, err);
}
