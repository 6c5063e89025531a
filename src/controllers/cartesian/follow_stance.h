/** @file
 *  Internal: the component `FollowStance`. */
#ifndef SN_CONTROLLERS_CARTESIAN_FOLLOW_STANCE_H
#define SN_CONTROLLERS_CARTESIAN_FOLLOW_STANCE_H

#include "controllers/cartesian/stance.h"
#include "controllers/cartesian/world.h"
#include "sinew/controller.h"

/** Why a reference is not followed. */
typedef enum sn__stance_objection {
  SN__STANCE_NO_BODY,
  SN__STANCE_NOT_A_POSE,
  SN__STANCE_NO_FRAME,
  SN__STANCE_NOT_BALANCED,
  SN__STANCE_RECOVERING,
  SN__STANCE_OBJECTION_COUNT, /**< none */
} sn__stance_objection;

typedef struct sn__follow_stance {
  sn_controller controller;
  bool pose_feedback, check_balance, keep_balance;
  double feedback_time_s, feedback_max_m;
  double margin_m, safe_z_min, safe_z_max;
  double reference_timeout_s;
  sn_input in_base_ref, in_base, in_limbs, in_balance;
  sn_output out_base_ref, out_limbs_ref;
  sn_requester kinematics_inv, smoothing;

  sn__world world;
  sn__stance *stance;
  sn__limb_ik *limbs; /**< [chain_count] */
  size_t chain_count;
  bool *supports;       /**< [chain_count] */
  double *q;            /**< [joint_count] */
  bool has_limbs;       /**< at least one */
  bool has_own_legs;    /**< support_legs was empty: all chains that can stand */
  bool is_short;        /**< was reported */
  bool is_recovering;   /**< the centre of mass was outside */
  bool has_twist;       /**< the wanted pose moves */
  int64_t reference_ns; /**< when the last one arrived */
  sn_log_limit objected[SN__STANCE_OBJECTION_COUNT], reported[3];
} sn__follow_stance;

/** The hooks (follow_stance_cycle.c). */
sn_status sn__follow_stance_step(sn_component *component, int64_t now_ns) SN_RT;
sn_status sn__follow_stance_can_take(const sn_component *component, sn_error *err);
void sn__follow_stance_owned_changed(sn_component *component, const bool *had) SN_RT;

#endif
