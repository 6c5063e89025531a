/* The component around follow.h: follows the poses of a source. */
#include <string.h>

#include "arbiter/controller_internal.h"
#include "base/fail.h"
#include "controllers/follow.h"
#include "controllers/smoothing.h"
#include "sinew/controller.h"
#include "sinew/system.h"

typedef struct follow_joint_state {
  sn_controller controller;
  double activation_delay_s, reference_timeout_s, source_interval_s;
  sn_texts support_legs;
  sn_input in_joints_ref;
  sn_output out_joints_src_reset;
  sn_requester smoothing;

  sn_follow *follow;
  size_t *legs; /* chains */
  size_t leg_count;
  sn_log_limit silent;
} follow_joint_state;

static const sn_property properties[] = {
    SN_CONTROLLER_PROPERTIES,
    SN_PROPERTY(follow_joint_state, "activation_delay", activation_delay_s, .initial = "1.5",
                .unit = "s", .min = 0, .max = 3600,
                .doc = "How long the source receives the pose before its references count."),
    SN_PROPERTY(follow_joint_state, "reference_timeout", reference_timeout_s, .initial = "0.5",
                .unit = "s", .min = 0.001, .max = 3600,
                .doc = "The joints are held when the source is silent for longer."),
    SN_PROPERTY(
        follow_joint_state, "source_interval", source_interval_s, .initial = "0.25", .unit = "s",
        .min = 0, .max = 10,
        .doc = "Positions without velocities that arrive at most this far apart are joined by "
               "lines and followed one interval later, if a smoothing forms a motion; 0: each is a "
               "step."),
    SN_PROPERTY(follow_joint_state, "support_legs", support_legs,
                .doc = "Chains that bear weight while it owns them; '*': all chains with a default "
                       "contact; empty: none."),
    {0}};

static const sn_port ports[] = {
    SN_CONTROLLER_PORTS,
    SN_INPUT(follow_joint_state, "in_joints_ref", in_joints_ref, &sn_joint_state_type,
             .doc = "The desired pose: any order, any subset."),
    SN_OUTPUT(follow_joint_state, "out_joints_src_reset", out_joints_src_reset,
              &sn_joint_state_type, .doc = "The pose, for the source to adopt."),
    {0}};

static void owned_changed(sn_component *component, const bool *had) {
  const follow_joint_state *self = (const follow_joint_state *)component;
  (void)had;
  sn__follow_own(self->follow, self->controller.owned,
                 1e-9 * (double)sn_component_period_ns(component), self->controller.now_ns);
}

/* ---- every cycle ---- */

static void warn(follow_joint_state *self, sn_follow_verdict verdict) {
  static const char *const texts[] = {
      [SN_FOLLOW_CLAMPED] = "a reference is beyond the limits and was clamped",
      [SN_FOLLOW_LENGTHS] = "a reference was refused: its arrays differ in length",
      [SN_FOLLOW_NOT_FINITE] = "a reference was refused: it holds NaN or infinity",
      [SN_FOLLOW_DUPLICATE] = "a reference was refused: a joint appears twice",
      [SN_FOLLOW_OLD] = "a reference was refused: it is older than the last one",
  };
  if (verdict.fault == SN_FOLLOW_GOOD || verdict.fault == SN_FOLLOW_EARLY) {
    return;
  }
  const sn_component *writer = sn_input_writer(&self->in_joints_ref);
  const sn_log_arg args[] = {
      {.kind = SN_LOG_TEXT, .value.text = texts[verdict.fault]},
      {.kind = SN_LOG_TEXT,
       .value.text = verdict.joint < 0
                         ? "-"
                         : sn_model_joint(self->controller.model, (size_t)verdict.joint)->name},
      {.kind = SN_LOG_TEXT, .value.text = writer == NULL ? "outside" : writer->name},
  };
  sn_controller_warn(&self->controller, "{}; joint {}, from {}", 3, args);
}

/* A source that stops in the middle of a motion has most likely failed. */
static void warn_silent(follow_joint_state *self) {
  const int joint = sn__follow_silent_joint(self->follow);
  if (joint < 0) {
    return;
  }
  const sn_component *writer = sn_input_writer(&self->in_joints_ref);
  const sn_log_arg args[] = {
      {.kind = SN_LOG_TEXT, .value.text = writer == NULL ? "outside" : writer->name},
      {.kind = SN_LOG_TEXT,
       .value.text = sn_model_joint(self->controller.model, (size_t)joint)->name},
      {.kind = SN_LOG_REAL, .value.real = self->reference_timeout_s},
  };
  sn_component_log_limited(&self->controller.component, &self->silent, self->controller.now_ns,
                           SN_LOG_WARNING,
                           "the source ({}) fell silent while joint '{}' moved: no reference for "
                           "{} s, the joints are held",
                           3, args);
}

/* All new references in order, within a bound; they are dropped while it is not operational. */
static void read_references(follow_joint_state *self) {
  size_t left = SN_INPUT_BURST_MAX;
  for (const sn_joint_state *msg; (msg = sn_input_next(&self->in_joints_ref, &left)) != NULL;) {
    if (sn_controller_is_operational(&self->controller)) {
      warn(self, sn__follow_take(self->follow, msg, self->controller.now_ns));
    }
  }
}

static void publish_reset(follow_joint_state *self) {
  sn_joint_state *reset = self->out_joints_src_reset.msg;
  reset->header.stamp_ns = self->controller.now_ns;
  memcpy(reset->position.data, self->controller.pose,
         reset->position.count * sizeof *reset->position.data);
  (void)sn_output_write(&self->out_joints_src_reset);
}

static sn_status step(sn_component *component, int64_t now_ns) {
  follow_joint_state *self = (follow_joint_state *)component;
  sn_controller *c = &self->controller;
  const bool owns_joints = sn_controller_begin_step(c, now_ns);
  read_references(self);
  if (!owns_joints) {
    return SN_OK;
  }
  const bool is_activating = sn__follow_step(self->follow, now_ns, c->q, c->qd);
  warn_silent(self);
  if (is_activating) {
    publish_reset(self);
  }
  for (size_t i = 0; i < self->leg_count; i++) {
    sn_controller_set_support(c, self->legs[i], 1.0);
  }
  return sn_controller_publish(c);
}

/* ---- configuration ---- */

static sn_status create_filter(follow_joint_state *self, sn_smooth **filter, sn_error *err) {
  const sn_smoothing *smoothing = self->smoothing.iface;
  *filter = NULL;
  return smoothing == NULL ? SN_OK
                           : smoothing->create(smoothing->component,
                                               sn_component_arena(&self->controller.component),
                                               self->controller.model, filter, err);
}

/* All chains that can stand. */
static size_t list_feet(const sn_model *model, size_t *legs) {
  size_t count = 0;
  for (size_t i = 0; i < sn_names_count(sn_model_chain_names(model)); i++) {
    if (sn_model_chain_default_contact(model, i) >= 0) {
      legs[count++] = i;
    }
  }
  return count;
}

static sn_status find_legs(follow_joint_state *self, sn_error *err) {
  const sn_model *model = self->controller.model;
  const size_t count = self->support_legs.count;
  const size_t room = count + sn_names_count(sn_model_chain_names(model));
  self->legs = SN_NEW(sn_component_arena(&self->controller.component), size_t, room);
  if (self->legs == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu legs", room);
  }
  self->leg_count = 0;
  if (count == 1 && strcmp(self->support_legs.data[0], "*") == 0) {
    self->leg_count = list_feet(model, self->legs);
    return SN_OK;
  }
  for (size_t i = 0; i < count; i++) {
    const int chain = sn_model_chain_index(model, self->support_legs.data[i]);
    if (chain < 0) {
      return sn__fail(err, SN_ENOENT, "support_legs: the robot has no chain '%.80s'",
                      self->support_legs.data[i]);
    }
    self->legs[self->leg_count++] = (size_t)chain;
  }
  return SN_OK;
}

static sn_status create(sn_component *component, sn_error *err) {
  follow_joint_state *self = (follow_joint_state *)component;
  sn_controller *c = &self->controller;
  sn_joint_state *reset = self->out_joints_src_reset.msg;
  sn_msg_names_share(&reset->name, sn_model_joint_names(c->model));
  reset->position.count = c->joint_count;
  c->has_velocity = true;
  sn_follow_config config = {.model = c->model,
                             .pose = c->pose,
                             .activation_delay_s = self->activation_delay_s,
                             .reference_timeout_s = self->reference_timeout_s,
                             .source_interval_s = self->source_interval_s};
  sn_status status = find_legs(self, err);
  if (status == SN_OK) {
    status = create_filter(self, &config.smooth, err);
  }
  return status == SN_OK
             ? sn__follow_create(sn_component_arena(component), &config, &self->follow, err)
             : status;
}

static sn_status configure(sn_component *component, sn_error *err) {
  static const sn_controller_hooks hooks = {.create = create, .owned_changed = owned_changed};
  return sn_controller_configure(component, &hooks, err);
}

/* ---- tables ---- */

static const sn_need needs[] = {SN_CONTROLLER_NEEDS,
                                {.name = "smoothing",
                                 .interface = SN_SMOOTHING,
                                 .offset = offsetof(follow_joint_state, smoothing),
                                 .is_optional = true,
                                 .doc = "Filters the reference."},
                                {0}};

const sn_component_type sn_follow_joint_state_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "FollowJointState",
    .doc = "Follows the poses of a source: sliders, a planner, a program.",
    .size = sizeof(follow_joint_state),
    SN__CONTROLLER_TABLES(properties, ports, needs),
    .example =
        "components:\n"
        "  nod:\n"
        "    type: FollowJointState\n"
        "    properties: {controlled_chains: [head], activation_delay: 0.5}\n"
        "    services: {smoothing: {type: jerk_limited}}\n"
        "connections:\n"
        "  - timer.sync -> nod.sync\n"
        "  - aggregator.joints_sorted -> nod.in_joints_sorted\n"
        "  - nod.out_joints_ref -> aggregator.in_joints\n"
        "  - nod.ref_support -> aggregator.in_supports\n",
    .configure = configure,
    .start = sn_controller_start,
    .step = step,
    .cleanup = sn_controller_cleanup,
};
