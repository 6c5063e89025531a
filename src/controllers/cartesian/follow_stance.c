/* The component around stance.h: moves the base and keeps the feet where they are. */
#include "controllers/cartesian/follow_stance.h"

#include <string.h>

#include "base/fail.h"
#include "controllers/cartesian/cartesian_controller.h"
#include "controllers/cartesian/publish.h"
#include "sinew/components.h"

static const sn_property properties[] = {
    SN_PROPERTY(sn_controller, "support_legs", controlled_chains, .alias = "controlled_chains",
                .doc = "The limbs it stands on, unless it is activated with others; empty: all "
                       "chains that have a contact."),
    SN_CONTROLLER_REQUEST_PROPERTIES,
    SN_PROPERTY(sn__follow_stance, "pose_feedback", pose_feedback,
                .doc = "Correct the places of the feet by the base of in_base and the limbs of "
                       "in_limbs; false: the base is where it was commanded to be."),
    SN_PROPERTY(sn__follow_stance, "feedback_time", feedback_time_s, .initial = "0.5", .unit = "s",
                .min = 1e-3, .max = 1e3, .doc = "Time constant of that correction."),
    SN_PROPERTY(sn__follow_stance, "feedback_max", feedback_max_m, .initial = "0.02",
                .unit = "m or rad", .min = 0, .max = 1,
                .doc = "Maximum of that correction since the foot was put there."),
    SN_PROPERTY(sn__follow_stance, "check_balance", check_balance,
                .doc = "Ignore wanted poses that are not statically balanced."),
    SN_PROPERTY(sn__follow_stance, "keep_balance", keep_balance,
                .doc = "Move the centre of mass to the middle of the support polygon when it "
                       "leaves it."),
    SN_PROPERTY(sn__follow_stance, "balance_margin", margin_m, .initial = "0.005", .unit = "m",
                .min = 0, .max = 1,
                .doc = "Distance from the edge of the support polygon at which balance ends."),
    SN_PROPERTY(sn__follow_stance, "keep_balance_safe_z_min", safe_z_min, .initial = "0.05",
                .unit = "m", .min = 0, .max = 10,
                .doc = "Lowest height of the base above the feet that keep_balance goes to."),
    SN_PROPERTY(sn__follow_stance, "keep_balance_safe_z_max", safe_z_max, .initial = "1",
                .unit = "m", .min = 0, .max = 10, .doc = "Greatest height, likewise."),
    SN_PROPERTY(sn__follow_stance, "reference_timeout", reference_timeout_s, .initial = "0.5",
                .unit = "s", .min = 0.001, .max = 3600,
                .doc = "A reference that moves is held when its source is silent for longer."),
    {0}};

static const sn_port ports[] = {
    SN__CARTESIAN_PORTS("The limbs it stands on bear weight, others that it owns do not."),
    SN_INPUT(sn__follow_stance, "in_base_ref", in_base_ref, &sn_rigid_body_state_type,
             .doc = "Wanted pose of the base (the root link) in the world."),
    SN_INPUT(sn__follow_stance, "in_base", in_base, &sn_rigid_body_state_type,
             .flags = SN_PORT_FEEDBACK,
             .doc = "The base in the world; not connected: the world "
                    "is the base where the controller is activated."),
    SN_INPUT(sn__follow_stance, "in_limbs", in_limbs, &sn_limb_state_type,
             .flags = SN_PORT_FEEDBACK,
             .doc = "Where the limbs end in the base, for pose_feedback."),
    SN_INPUT(sn__follow_stance, "in_balance", in_balance, &sn_balance_state_type,
             .flags = SN_PORT_FEEDBACK,
             .doc = "Centre of mass and support polygon, for keep_balance; not connected: those "
                    "of the commanded pose."),
    SN_OUTPUT(sn__follow_stance, "out_base_ref", out_base_ref, &sn_rigid_body_state_type,
              .doc = "The commanded base in the world."),
    SN_OUTPUT(sn__follow_stance, "out_limbs_ref", out_limbs_ref, &sn_limb_state_type,
              .flags = SN_PORT_DERIVED, .doc = "The ends of the supporting limbs in the base."),
    {0}};

static const sn_need needs[] = {SN__CARTESIAN_NEEDS(sn__follow_stance), {0}};

/* ---- configuration ---- */

static const double middle_share = 1e-3; /* enough to choose a side, too little to be seen */

static bool is_listed(const sn__follow_stance *self, const char *chain) {
  const sn_texts *legs = &self->controller.controlled_chains;
  for (size_t i = 0; i < legs->count; i++) {
    if (strcmp(legs->data[i], chain) == 0) {
      return true;
    }
  }
  return false;
}

/* A limb can stand if it has a contact, or is listed. One that cannot be solved is an error only if
   it is listed. */
static sn_status create_limb(sn__follow_stance *self, size_t chain, sn_error *err) {
  const sn_model *model = self->controller.model;
  const bool listed = is_listed(self, sn_names_at(sn_model_chain_names(model), chain));
  if (!listed && sn_model_chain_default_contact(model, chain) < 0) {
    return SN_OK;
  }
  const sn__inverse_kinematics *service = self->kinematics_inv.iface;
  sn_error reason = {.message = ""};
  const sn_status status =
      service->create(service->component, sn_component_arena(&self->controller.component), chain,
                      &self->limbs[chain], &reason);
  if (status == SN_OK) {
    sn__limb_ik_prefer_middle(&self->limbs[chain], middle_share);
    self->has_limbs = true;
  }
  return status == SN_OK || (!listed && status != SN_ENOMEM)
             ? SN_OK
             : sn__fail(err, status, "%s", reason.message);
}

/* Without support_legs it asks for all limbs that can stand, not for all of the robot. */
static sn_status default_legs(sn__follow_stance *self, sn_error *err) {
  sn_texts *legs = &self->controller.controlled_chains;
  const char **names =
      SN_NEW(sn_component_arena(&self->controller.component), const char *, self->chain_count + 1);
  self->has_own_legs = legs->count == 0;
  if (names == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  size_t count = 0;
  for (size_t c = 0; self->has_own_legs && c < self->chain_count; c++) {
    if (self->limbs[c].ik != NULL) {
      names[count++] = sn_names_at(sn_model_chain_names(self->controller.model), c);
    }
  }
  if (self->has_own_legs) {
    *legs = (sn_texts){.data = names, .count = count};
  }
  return SN_OK;
}

static sn_status create_limbs(sn__follow_stance *self, sn_error *err) {
  sn_arena *arena = sn_component_arena(&self->controller.component);
  self->chain_count = sn_names_count(sn_model_chain_names(self->controller.model));
  self->limbs = SN_NEW(arena, sn__limb_ik, self->chain_count + 1);
  self->supports = SN_NEW(arena, bool, self->chain_count + 1);
  self->q = SN_NEW(arena, double, self->controller.joint_count + 1);
  self->has_limbs = false;
  if (self->limbs == NULL || self->supports == NULL || self->q == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  sn_status status = SN_OK;
  for (size_t c = 0; status == SN_OK && c < self->chain_count; c++) {
    status = create_limb(self, c, err);
  }
  return status == SN_OK ? default_legs(self, err) : status;
}

static sn_status create_stance(sn__follow_stance *self, sn_error *err) {
  sn_arena *arena = sn_component_arena(&self->controller.component);
  sn__stance_config config = {
      .model = self->controller.model,
      .limbs = self->limbs,
      .period_s = 1e-9 * (double)sn_component_period_ns(&self->controller.component),
      .singular_min = 0.03,
      .check_balance = self->check_balance,
      .margin_m = self->margin_m,
      .height_min_m = self->safe_z_min,
      .height_max_m = self->safe_z_max};
  if (!(config.period_s > 0.0)) {
    return sn__fail(err, SN_EINVAL, "%s needs a periodic activity",
                    self->controller.component.name);
  }
  if (self->safe_z_max < self->safe_z_min) {
    return sn__fail(err, SN_EINVAL, "keep_balance_safe_z_min %g m is above its maximum %g m",
                    self->safe_z_min, self->safe_z_max);
  }
  const sn_status status =
      sn__cartesian_smoothing_create(&self->smoothing, arena, &config.filter, err);
  return status == SN_OK ? sn__stance_create(arena, &config, &self->stance, err) : status;
}

static sn_status create(sn_component *component, sn_error *err) {
  sn__follow_stance *self = (sn__follow_stance *)component;
  self->controller.has_velocity = true;
  sn_status status =
      sn__world_create(&self->world, sn_component_arena(component), self->controller.model, err);
  status = status == SN_OK ? create_limbs(self, err) : status;
  status = status == SN_OK ? create_stance(self, err) : status;
  return status == SN_OK ? sn__publish_prepare(self->controller.model, &self->out_base_ref,
                                               &self->out_limbs_ref, err)
                         : status;
}

static void forget_legs(sn__follow_stance *self) {
  if (self->has_own_legs) {
    self->controller.controlled_chains = (sn_texts){.data = NULL, .count = 0};
    self->has_own_legs = false;
  }
}

static sn_status configure(sn_component *component, sn_error *err) {
  static const sn_controller_hooks hooks = {.create = create,
                                            .can_take = sn__follow_stance_can_take,
                                            .owned_changed = sn__follow_stance_owned_changed};
  const sn_status status = sn_controller_configure(component, &hooks, err);
  if (status != SN_OK) {
    forget_legs((sn__follow_stance *)component);
  }
  return status;
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  sn__follow_stance *self = (sn__follow_stance *)component;
  sn__world_start(&self->world);
  self->is_recovering = self->is_short = self->has_twist = false;
  return sn_controller_start(component, now_ns, err);
}

static void cleanup(sn_component *component) {
  forget_legs((sn__follow_stance *)component);
  sn_controller_cleanup(component);
}

const sn_component_type sn_follow_stance_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "FollowStance",
    .doc = "Moves the base and keeps the feet where they are.",
    .size = sizeof(sn__follow_stance),
    SN__CONTROLLER_TABLES(properties, ports, needs),
    .example =
        "components:\n"
        "  crouch:\n"
        "    type: FollowStance\n"
        "    properties: {check_balance: true}\n"
        "    services: {smoothing: {type: jerk_limited_rigid_body}}\n"
        "connections:\n"
        "  - timer.sync -> crouch.sync\n"
        "  - aggregator.joints_sorted -> crouch.in_joints_sorted\n"
        "  - crouch.out_joints_ref -> aggregator.in_joints\n"
        "  - crouch.out_supports -> aggregator.in_supports\n",
    .configure = configure,
    .start = start,
    .step = sn__follow_stance_step,
    .cleanup = cleanup,
};
