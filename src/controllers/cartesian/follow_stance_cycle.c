/* One cycle of FollowStance: what it reads, how it moves, what it publishes. */
#include <string.h>

#include "base/fail.h"
#include "controllers/cartesian/follow_stance.h"
#include "controllers/cartesian/publish.h"
#include "dyn/support_polygon.h"

static const char *name_of(const sn__follow_stance *self, size_t chain) {
  return sn_names_at(sn_model_chain_names(self->controller.model), chain);
}

/* ---- limbs ---- */

static bool owns_limb(const sn__follow_stance *self, size_t chain) {
  const sn__limb_ik *limb = &self->limbs[chain];
  for (size_t i = 0; i < limb->count; i++) {
    if (!self->controller.owned[limb->joints[i]]) {
      return false;
    }
  }
  return limb->ik != NULL;
}

void sn__follow_stance_owned_changed(sn_component *component, const bool *had) {
  sn__follow_stance *self = (sn__follow_stance *)component;
  sn_controller *c = &self->controller;
  (void)had;
  bool in_stance = false;
  for (size_t i = 0; i < self->chain_count; i++) {
    self->supports[i] = owns_limb(self, i);
    sn_controller_set_support(c, i, self->supports[i] ? 1.0 : 0.0);
    in_stance |= self->supports[i];
  }
  for (size_t j = 0; j < c->joint_count; j++) {
    self->q[j] = c->owned[j] ? c->q[j] : c->pose[j];
  }
  self->is_recovering = self->is_recovering && in_stance;
  self->is_short = self->has_twist = false;
  sn__stance_stand(self->stance, self->supports, self->q, self->world.base.pose);
}

sn_status sn__follow_stance_can_take(const sn_component *component, sn_error *err) {
  const sn__follow_stance *self = (const sn__follow_stance *)component;
  if (!self->controller.has_pose) {
    return sn__fail(err, SN_ENOTCONFIGURED,
                    "%s does not activate: no pose has arrived on in_joints_sorted",
                    component->name);
  }
  if (!self->has_limbs) {
    return sn__fail(err, SN_EUNSUPPORTED, "%s does not activate: no limb of the robot can stand",
                    component->name);
  }
  if (self->pose_feedback && !self->world.has_base) {
    return sn__fail(err, SN_ENOTCONFIGURED,
                    "%s does not activate: pose_feedback is set and no base has arrived on in_base",
                    component->name);
  }
  return SN_OK;
}

/* ---- references ---- */

static void object(sn__follow_stance *self, sn__stance_objection what) {
  static const char *const texts[] = {
      [SN__STANCE_NO_BODY] =
          "a reference was refused: it has no body with the name of the root link",
      [SN__STANCE_NOT_A_POSE] =
          "a reference was refused: not finite, or its quaternion is not of unit length",
      [SN__STANCE_NO_FRAME] = "a reference was refused: its frame is not the world (odom)",
      [SN__STANCE_NOT_BALANCED] = "a reference was ignored: the robot would not be balanced there",
      [SN__STANCE_RECOVERING] =
          "a reference was ignored: the controller moves the centre of mass back",
  };
  sn_component_log_limited(&self->controller.component, &self->objected[what],
                           self->controller.now_ns, SN_LOG_WARNING, texts[what], 0, NULL);
}

static sn__stance_objection take_reference(sn__follow_stance *self,
                                           const sn_rigid_body_state *msg) {
  sn__body_state wanted;
  if (msg->header.frame_id.count > 0 && !sn__world_is_world(&msg->header.frame_id)) {
    return SN__STANCE_NO_FRAME;
  }
  const char *root = sn_model_link(self->controller.model, 0)->name;
  const sn_status status = sn__world_read_body(msg, root, &wanted);
  if (status != SN_OK) {
    return status == SN_ENOENT ? SN__STANCE_NO_BODY : SN__STANCE_NOT_A_POSE;
  }
  if (self->is_recovering) {
    return SN__STANCE_RECOVERING;
  }
  self->reference_ns = self->controller.now_ns;
  self->has_twist = msg->twist.count > 0;
  const sn_spatial *twist = self->has_twist ? &wanted.twist : NULL;
  return sn__stance_want(self->stance, &wanted.pose, twist) == SN__STANCE_UNSTABLE
             ? SN__STANCE_NOT_BALANCED
             : SN__STANCE_OBJECTION_COUNT;
}

/* The newest counts; it is dropped while the controller is not active. */
static void read_reference(sn__follow_stance *self, bool owns_joints) {
  const sn_rigid_body_state *msg = sn_input_newest(&self->in_base_ref);
  if (msg != NULL && owns_joints) {
    const sn__stance_objection what = take_reference(self, msg);
    if (what != SN__STANCE_OBJECTION_COUNT) {
      object(self, what);
    }
  }
  const int64_t silent_ns = self->controller.now_ns - self->reference_ns;
  if (self->has_twist && silent_ns > (int64_t)(1e9 * self->reference_timeout_s)) {
    self->has_twist = false;
    sn__stance_rest(self->stance);
    const sn_log_arg args[] = {{.kind = SN_LOG_REAL, .value.real = self->reference_timeout_s}};
    sn_controller_warn(&self->controller,
                       "the source of in_base_ref fell silent while the base moved: no reference "
                       "for {} s, the base is held",
                       1, args);
  }
}

/* ---- feedback and balance ---- */

static void correct_feet(sn__follow_stance *self, const sn_limb_state *limbs) {
  if (!self->pose_feedback || limbs == NULL) {
    return;
  }
  const double period_s = 1e-9 * (double)sn_component_period_ns(&self->controller.component);
  const double share = period_s / (period_s + self->feedback_time_s);
  for (size_t i = 0; i < limbs->name.count && i < limbs->pose.count; i++) {
    const int chain =
        sn_model_chain_index(self->controller.model, sn_msg_names_at(&limbs->name, i));
    sn_pose end;
    if (chain >= 0 && sn__stance_supports(self->stance, (size_t)chain) &&
        sn_ik_pose_from_quat(limbs->pose.data[i].position, limbs->pose.data[i].orientation, &end) ==
            SN_IK_OK) {
      const sn_pose seen = sn_pose_mul(self->world.base.pose, end);
      sn__stance_shift_foot(self->stance, (size_t)chain, &seen, share, self->feedback_max_m);
    }
  }
}

/* Of what in_balance says, else of the commanded pose. */
static double find_margin(sn__follow_stance *self, const sn_balance_state *msg) {
  if (msg == NULL || msg->polygon.count == 0) {
    return sn__stance_margin(self->stance);
  }
  const sn_plane ground = {
      .normal = sn_mat3_apply_transposed(self->world.base.pose.rot, (sn_vec3){0, 0, 1})};
  return sn__support_margin(ground, msg->polygon.data, msg->polygon.count, msg->com);
}

static void keep_balance(sn__follow_stance *self, const sn_balance_state *msg) {
  if (!self->keep_balance) {
    return;
  }
  const double margin = find_margin(self, msg);
  const sn_log_arg args[] = {{.kind = SN_LOG_REAL, .value.real = margin}};
  if (!self->is_recovering && margin < self->margin_m) {
    self->is_recovering = true;
    sn__stance_recover(self->stance);
    sn_component_log_limited(&self->controller.component, &self->reported[0],
                             self->controller.now_ns, SN_LOG_WARNING,
                             "the centre of mass is {} m from the edge of the support polygon: "
                             "the base moves back over the middle",
                             1, args);
  } else if (self->is_recovering && margin >= 2.0 * self->margin_m) {
    self->is_recovering = false;
  }
}

/* ---- every cycle ---- */

static void report(sn__follow_stance *self, const sn__stance_state *state) {
  const bool is_short = state->is_short || state->is_blocked;
  if (is_short && !self->is_short) {
    const sn_log_arg args[] = {
        {.kind = SN_LOG_REAL, .value.real = state->short_m},
        {.kind = SN_LOG_REAL, .value.real = state->short_rad},
        {.kind = SN_LOG_TEXT,
         .value.text =
             state->blocking_chain < 0 ? "balance" : name_of(self, (size_t)state->blocking_chain)}};
    sn_component_log_limited(&self->controller.component, &self->reported[1],
                             self->controller.now_ns, SN_LOG_WARNING,
                             "the base cannot get there: it goes as far as it can, {} m and {} rad "
                             "short, because of {}",
                             3, args);
  }
  self->is_short = is_short;
}

static void publish(sn__follow_stance *self, const sn__stance_state *state) {
  sn__publish_base(&self->out_base_ref, &state->base, self->controller.now_ns);
  sn__publish_limbs_begin(&self->out_limbs_ref, self->controller.now_ns);
  for (size_t c = 0; c < self->chain_count; c++) {
    if (sn__stance_supports(self->stance, c)) {
      const sn__body_state end = sn__seen_from_base(&state->base, sn__stance_foot(self->stance, c));
      sn__publish_limbs_add(&self->out_limbs_ref, name_of(self, c), &end);
    }
  }
  (void)sn_output_write(&self->out_limbs_ref); /* what does not fit is counted there */
}

sn_status sn__follow_stance_step(sn_component *component, int64_t now_ns) {
  sn__follow_stance *self = (sn__follow_stance *)component;
  sn_controller *c = &self->controller;
  c->now_ns = now_ns;
  if (!sn__world_read_base(&self->world, &self->in_base, now_ns)) {
    sn_component_log_limited(component, &self->reported[2], now_ns, SN_LOG_WARNING,
                             "a state of the base on in_base was refused", 0, NULL);
  }
  const bool owns_joints = sn_controller_begin_step(c, now_ns);
  const sn_limb_state *limbs = sn_input_newest(&self->in_limbs);
  const sn_balance_state *balance = sn_input_newest(&self->in_balance);
  read_reference(self, owns_joints);
  if (!owns_joints) {
    return SN_OK;
  }
  sn__stance_state state;
  correct_feet(self, limbs);
  keep_balance(self, balance);
  memset(c->qd, 0, c->joint_count * sizeof *c->qd);
  sn__stance_step(self->stance, c->q, c->qd, &state);
  report(self, &state);
  publish(self, &state);
  return sn_controller_publish(c);
}
