/* The component around follow.h: takes poses from above and hands them to the aggregator. */
#include <string.h>

#include "base/fail.h"
#include "controllers/limbs.h"
#include "rt/components/robot_model_client.h"
#include "rt/ports/input_drain.h"
#include "sinew/components.h"
#include "sinew/follow.h"
#include "sinew/smoothing.h"
#include "sinew/system.h"

typedef struct follow_joint_state {
  sn_component component;
  sn__limbs limbs;
  double activation_delay_s, reference_timeout_s, source_interval_s;
  sn_input sync, in_joints_sorted, in_joints_ref;
  sn_output out_joints_ref, out_joints_src_reset, ref_support;
  sn_requester robot_model, smoothing;

  const sn_model *model;
  sn_follow *follow;
  double *q, *qd; /* [joints] */
  bool *owned;
  int64_t now_ns;
  int64_t told_ns; /* when a warning was given last: one a second */
  bool has_told;
  sn_log_limit silent;
} follow_joint_state;

static const sn_property properties[] = {
    SN__LIMBS_PROPERTIES(follow_joint_state, limbs),
    SN_PROPERTY(follow_joint_state, "activation_delay", activation_delay_s, .initial = "1.5",
                .unit = "s", .min = 0, .max = 3600,
                .doc = "How long the source is told the pose before it is listened to."),
    SN_PROPERTY(follow_joint_state, "reference_timeout", reference_timeout_s, .initial = "0.5",
                .unit = "s", .min = 0.001, .max = 3600,
                .doc = "After so much silence of the source the joints stand still."),
    SN_PROPERTY(follow_joint_state, "source_interval", source_interval_s, .initial = "0.25",
                .unit = "s", .min = 0, .max = 10,
                .doc = "Positions without velocities that come at most so far apart are joined by "
                       "lines, and followed one interval later, if there is a smoothing that forms "
                       "a motion; 0: each is a step."),
    {0}};

static const sn_port ports[] = {
    SN_INPUT(follow_joint_state, "sync", sync, &sn_timer_event_type, .flags = SN_PORT_EVENT,
             .doc = "The tick."),
    SN_INPUT(follow_joint_state, "in_joints_sorted", in_joints_sorted, &sn_joint_state_type,
             .flags = SN_PORT_FEEDBACK, .doc = "The state of the robot, complete and sorted."),
    SN_INPUT(follow_joint_state, "in_joints_ref", in_joints_ref, &sn_joint_state_type,
             .doc = "The desired pose: any order, any subset."),
    SN_OUTPUT(follow_joint_state, "out_joints_ref", out_joints_ref, &sn_joint_state_type,
              .doc = "The reference of all joints that it owns."),
    SN_OUTPUT(follow_joint_state, "out_joints_src_reset", out_joints_src_reset,
              &sn_joint_state_type, .doc = "The pose, for the source to adopt."),
    SN_OUTPUT(follow_joint_state, "ref_support", ref_support, &sn_support_state_type,
              .doc = "No weight on the limbs under control."),
    {0}};

/* ---- what it owns ---- */

/* Names and sizes of what is published change with the owned set only. */
static void renew(follow_joint_state *self) {
  sn_joint_state *ref = self->out_joints_ref.msg;
  sn__limbs_name_joints(&self->limbs, &ref->name, self->owned); /* configure saw that all fit */
  ref->position.count = ref->velocity.count = ref->name.count;
  sn__limbs_fill_supports(&self->limbs, self->ref_support.msg);
  sn_follow_own(self->follow, self->owned, 1e-9 * (double)sn_component_period_ns(&self->component),
                self->now_ns);
}

static void set_changed(void *context, const sn_resource_set *changed,
                        const sn_resource_set *held) {
  (void)changed;
  (void)held;
  renew(context);
}

static sn_status can_take(const sn_component *component, sn_error *err) {
  return sn_follow_has_pose(((const follow_joint_state *)component)->follow)
             ? SN_OK
             : sn__fail(err, SN_ENOTCONFIGURED,
                        "%s does not activate: no pose has come on in_joints_sorted",
                        component->name);
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
  const bool is_fault = verdict.fault != SN_FOLLOW_GOOD && verdict.fault != SN_FOLLOW_EARLY;
  if (!is_fault || (self->has_told && self->now_ns - self->told_ns < INT64_C(1000000000))) {
    return;
  }
  self->has_told = true;
  self->told_ns = self->now_ns;
  const sn_component *writer = sn_input_writer(&self->in_joints_ref);
  const sn_log_arg args[] = {
      {.kind = SN_LOG_TEXT, .value.text = texts[verdict.fault]},
      {.kind = SN_LOG_TEXT,
       .value.text =
           verdict.joint < 0 ? "-" : sn_model_joint(self->model, (size_t)verdict.joint)->name},
      {.kind = SN_LOG_TEXT, .value.text = writer == NULL ? "outside" : writer->name},
  };
  sn_component_log(&self->component, self->now_ns, SN_LOG_WARNING, "{}; joint {}, from {}", 3,
                   args);
}

/* A source that stops in the middle of a motion has most likely failed. */
static void warn_silent(follow_joint_state *self) {
  const int joint = sn_follow_silent_joint(self->follow);
  if (joint < 0) {
    return;
  }
  const sn_component *writer = sn_input_writer(&self->in_joints_ref);
  const sn_log_arg args[] = {
      {.kind = SN_LOG_TEXT, .value.text = writer == NULL ? "outside" : writer->name},
      {.kind = SN_LOG_TEXT, .value.text = sn_model_joint(self->model, (size_t)joint)->name},
      {.kind = SN_LOG_REAL, .value.real = self->reference_timeout_s},
  };
  sn_component_log_limited(&self->component, &self->silent, self->now_ns, SN_LOG_WARNING,
                           "the source ({}) fell silent while joint '{}' moved: no reference for "
                           "{} s, the joints are held",
                           3, args);
}

/* All that has come, in order, but for a flood, whose rest waits; before it is operational it is
   read and forgotten. */
static void read_references(follow_joint_state *self) {
  size_t left = SN__DRAIN_MAX;
  for (const sn_joint_state *msg; (msg = sn__input_next(&self->in_joints_ref, &left)) != NULL;) {
    if (sn__limbs_are_wanted(&self->limbs)) {
      warn(self, sn_follow_take(self->follow, msg, self->now_ns));
    }
  }
}

static void publish_reset(follow_joint_state *self) {
  sn_joint_state *reset = self->out_joints_src_reset.msg;
  reset->header.stamp_ns = self->now_ns;
  memcpy(reset->position.data, sn_follow_pose(self->follow),
         reset->position.count * sizeof *reset->position.data);
  (void)sn_output_write(&self->out_joints_src_reset);
}

static sn_status publish(follow_joint_state *self) {
  const bool is_activating = sn_follow_step(self->follow, self->now_ns, self->q, self->qd);
  warn_silent(self);
  sn_joint_state *ref = self->out_joints_ref.msg;
  ref->header.stamp_ns = self->now_ns;
  size_t i = 0;
  for (size_t j = 0; j < sn_model_pose_size(self->model); j++) {
    if (self->owned[j]) {
      ref->position.data[i] = self->q[j];
      ref->velocity.data[i++] = self->qd[j];
    }
  }
  if (is_activating) {
    publish_reset(self);
  }
  ((sn_support_state *)self->ref_support.msg)->header.stamp_ns = self->now_ns;
  (void)sn_output_write(&self->ref_support); /* what does not fit is counted there */
  return sn_output_write(&self->out_joints_ref);
}

static sn_status step(sn_component *component, int64_t now_ns) {
  follow_joint_state *self = (follow_joint_state *)component;
  self->now_ns = now_ns;
  const sn_joint_state *pose = sn__input_newest(&self->in_joints_sorted);
  if (pose != NULL) {
    (void)sn_follow_set_pose(self->follow, pose);
  }
  sn__limbs_begin_step(&self->limbs, now_ns);
  read_references(self);
  return sn__limbs_move(&self->limbs) ? publish(self) : SN_OK;
}

/* ---- configuration ---- */

static sn_status make_filter(follow_joint_state *self, sn_smooth **filter, sn_error *err) {
  const sn_smoothing *smoothing = self->smoothing.iface;
  *filter = NULL;
  return smoothing == NULL
             ? SN_OK
             : smoothing->create(smoothing->component, sn_component_arena(&self->component),
                                 self->model, filter, err);
}

static sn_status make_follow(follow_joint_state *self, sn_error *err) {
  sn_arena *arena = sn_component_arena(&self->component);
  const size_t n = sn_model_pose_size(self->model);
  const sn_joint_state *ref = self->out_joints_ref.msg;
  if (sn__fits(n, ref->position.capacity, "joints", err) != SN_OK) {
    return SN_ENOSPC;
  }
  sn_follow_config config = {.model = self->model,
                             .activation_delay_s = self->activation_delay_s,
                             .reference_timeout_s = self->reference_timeout_s,
                             .source_interval_s = self->source_interval_s};
  sn_status status = make_filter(self, &config.smooth, err);
  if (status == SN_OK) {
    status = sn_follow_create(arena, &config, &self->follow, err);
  }
  self->q = SN_NEW(arena, double, n);
  self->qd = SN_NEW(arena, double, n);
  self->owned = SN_NEW(arena, bool, n);
  if (status == SN_OK && (self->q == NULL || self->qd == NULL || self->owned == NULL)) {
    status = sn__fail(err, SN_ENOMEM, "no memory for %zu joints", n);
  }
  sn_joint_state *reset = self->out_joints_src_reset.msg;
  sn_msg_names_share(&reset->name, sn_model_joint_names(self->model));
  reset->position.count = n;
  return status;
}

static sn_status create_all(sn_component *component, sn_error *err) {
  follow_joint_state *self = (follow_joint_state *)component;
  const sn_consumer_hooks hooks = {
      .context = self, .acquired = set_changed, .released = set_changed};
  self->limbs.can_take = can_take;
  const sn_status status = make_follow(self, err);
  return status == SN_OK ? sn__limbs_attach(&self->limbs, component, self->model, &hooks, err)
                         : status;
}

static sn_status configure(sn_component *component, sn_error *err) {
  follow_joint_state *self = (follow_joint_state *)component;
  return sn__configure_with_model(component, &self->robot_model, &self->model, create_all, err);
}

static void cleanup(sn_component *component) {
  follow_joint_state *self = (follow_joint_state *)component;
  sn__model_release(&self->robot_model);
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  follow_joint_state *self = (follow_joint_state *)component;
  (void)err;
  self->now_ns = now_ns;
  sn__limbs_start(&self->limbs);
  self->has_told = false;
  return SN_OK;
}

/* ---- tables ---- */

static const sn_operation operations[] = {SN__LIMBS_OPERATIONS, {0}};

static const void *controller_face(sn_component *component) {
  return &((follow_joint_state *)component)->limbs.controller;
}

static const sn_service services[] = {
    {SN_RESOURCE_CONSUMER, controller_face, "It takes limbs, and lets them go."}, {0}};

static const sn_need needs[] = {SN_ROBOT_MODEL_NEED(follow_joint_state),
                                SN__LIMBS_NEED(follow_joint_state, limbs),
                                {.name = "smoothing",
                                 .interface = SN_SMOOTHING,
                                 .offset = offsetof(follow_joint_state, smoothing),
                                 .is_optional = true,
                                 .doc = "Filters the reference."},
                                {0}};

const sn_component_type sn_follow_joint_state_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "FollowJointState",
    .doc = "Takes poses from above, joint by joint, and hands them to the aggregator.",
    .size = sizeof(follow_joint_state),
    .properties = properties,
    .ports = ports,
    .operations = operations,
    .services = services,
    .needs = needs,
    .configure = configure,
    .start = start,
    .step = step,
    .cleanup = cleanup,
    .example =
        "components:\n"
        "  look:\n"
        "    type: FollowJointState\n"
        "    properties: {controlled_chains: [head], activation_delay: 0.5}\n"
        "    services: {smoothing: {type: jerk_limited}}\n"
        "connections:\n"
        "  - timer.sync -> look.sync\n"
        "  - aggregator.joints_sorted -> look.in_joints_sorted\n"
        "  - look.out_joints_ref -> aggregator.in_joints\n"
        "  - look.ref_support -> aggregator.in_supports\n",
};
