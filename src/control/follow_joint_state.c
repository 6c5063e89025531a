/* The component around follow.h: takes poses from above and hands them to the aggregator. */
#include <string.h>

#include "base/fail.h"
#include "rt/model_use.h"
#include "sinew/components.h"
#include "sinew/controller.h"
#include "sinew/follow.h"
#include "sinew/smoothing.h"
#include "sinew/system.h"

typedef struct follow_joint_state {
  sn_component component;
  sn_texts controlled_chains;
  double activation_delay_s, reference_timeout_s;
  bool stay_operational, start_operational;
  int64_t priority;
  sn_input sync, in_joints_sorted, in_joints_ref;
  sn_output out_joints_ref, out_joints_src_reset, ref_support;
  sn_requester robot_model, arbiter, smoothing;

  const sn_model *model;
  sn_controller controller;
  sn_follow *follow;
  double *q, *qd; /* [joints] */
  bool *owned;
  bool must_start;   /* asks until it is active for the first time */
  bool must_release; /* after the reference of this cycle: until then the limbs are its own */
  int64_t now_ns;
  int64_t told_ns; /* when a warning was given last: one a second */
  bool has_told;
} follow_joint_state;

static const sn_property properties[] = {
    SN_PROPERTY(follow_joint_state, "controlled_chains", controlled_chains,
                .doc = "The limbs that it asks for; empty: all."),
    SN_PROPERTY(follow_joint_state, "activation_delay", activation_delay_s, .initial = "1.5",
                .unit = "s", .min = 0, .max = 3600,
                .doc = "How long the source is told the pose before it is listened to."),
    SN_PROPERTY(follow_joint_state, "stay_operational", stay_operational,
                .doc = "Stay active without all of the limbs, and get lost ones back."),
    SN_PROPERTY(follow_joint_state, "start_operational", start_operational,
                .doc = "Ask for the limbs as soon as the pose is known."),
    SN_PROPERTY(follow_joint_state, "reference_timeout", reference_timeout_s, .initial = "0.5",
                .unit = "s", .min = 0.001, .max = 3600,
                .doc = "After so much silence of the source the joints stand still."),
    SN_PROPERTY(follow_joint_state, "priority", priority, .min = -1000000, .max = 1000000,
                .doc = "Of its requests: higher ones win."),
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
  sn_msg_names_clear(&ref->name);
  for (size_t j = 0; j < sn_model_pose_size(self->model); j++) {
    self->owned[j] = sn_controller_has_joint(&self->controller, j);
    if (self->owned[j]) {
      const char *name = sn_model_joint(self->model, j)->name;
      (void)sn_msg_names_add(&ref->name, name, strlen(name)); /* configure saw that all fit */
    }
  }
  ref->position.count = ref->velocity.count = ref->name.count;
  sn_support_state *support = self->ref_support.msg;
  const sn_resource_map *map = self->controller.map;
  sn_msg_names_clear(&support->name);
  for (size_t i = 0; i < sn_names_count(map->resources); i++) {
    if (sn_consumer_has(&self->controller.consumer, (int)i)) {
      const char *name = sn_names_at(map->resources, i);
      (void)sn_msg_names_add(&support->name, name, strlen(name));
    }
  }
  support->support.count = support->name.count;
  for (size_t i = 0; i < support->support.count; i++) {
    support->support.data[i] = 0.0;
  }
  sn_follow_own(self->follow, self->owned, 1e-9 * (double)sn_component_period_ns(&self->component),
                self->now_ns);
}

static void set_changed(void *context, const sn_resource_set *changed,
                        const sn_resource_set *held) {
  (void)changed;
  (void)held;
  renew(context);
}

static sn_status find_resources(const follow_joint_state *self, const char *const *names,
                                size_t count, sn_resource_set *set, sn_error *err) {
  if (count == 0) {
    *set = sn_resource_set_first(sn_names_count(self->controller.map->resources));
    return SN_OK;
  }
  return sn_controller_find(&self->controller, sn_model_joint_names(self->model), names, count, set,
                            err);
}

static sn_status activate(follow_joint_state *self, const sn_resource_set *set, sn_error *err) {
  if (!sn_follow_has_pose(self->follow)) {
    return sn__fail(err, SN_ENOTCONFIGURED,
                    "%s does not activate: no pose has come on in_joints_sorted",
                    self->component.name);
  }
  const sn_arbiter_answer answer =
      sn_consumer_request(&self->controller.consumer, set, (int32_t)self->priority, 0);
  return answer == SN_ARBITER_GRANTED
             ? SN_OK
             : sn__fail(err, SN_EBUSY, "%s does not activate: the request was %s",
                        self->component.name, sn_arbiter_answer_text(answer));
}

static bool is_operational(const follow_joint_state *self) {
  return sn_consumer_is_operational(&self->controller.consumer);
}

static void deactivate(follow_joint_state *self) {
  const sn_resource_set none = sn_resource_set_none();
  (void)sn_consumer_request(&self->controller.consumer, &none, 0, 0); /* always granted */
  self->must_release = false;
}

/* ---- every cycle ---- */

static void warn(follow_joint_state *self, sn_follow_verdict verdict) {
  static const char *const texts[] = {
      [SN_FOLLOW_CLAMPED] = "a reference is beyond the limits and was clamped",
      [SN_FOLLOW_LENGTHS] = "a reference was refused: its arrays differ in length",
      [SN_FOLLOW_NOT_FINITE] = "a reference was refused: it holds NaN or infinity",
      [SN_FOLLOW_DUPLICATE] = "a reference was refused: a joint stands twice",
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

/* All that has come, in order; before it is operational it is read and forgotten. */
static void read_references(follow_joint_state *self) {
  sn_flow flow = SN_NO_DATA;
  const sn_joint_state *msg = sn_input_read(&self->in_joints_ref, &flow);
  for (; flow == SN_NEW_DATA; msg = sn_input_read(&self->in_joints_ref, &flow)) {
    if (is_operational(self)) {
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

static void start_by_itself(follow_joint_state *self) {
  sn_resource_set set;
  sn_error err;
  if (find_resources(self, self->controlled_chains.data, self->controlled_chains.count, &set,
                     &err) == SN_OK) {
    (void)activate(self, &set, &err); /* refused by a stronger one: asked again in the next cycle */
  }
}

static sn_status step(sn_component *component, int64_t now_ns) {
  follow_joint_state *self = (follow_joint_state *)component;
  self->now_ns = now_ns;
  sn_flow flow = SN_NO_DATA;
  const sn_joint_state *pose = sn_input_read(&self->in_joints_sorted, &flow);
  if (flow == SN_NEW_DATA) {
    (void)sn_follow_set_pose(self->follow, pose);
  }
  if (self->must_start && sn_follow_has_pose(self->follow)) {
    start_by_itself(self);
    self->must_start = !is_operational(self);
  }
  read_references(self);
  const sn_resource_set held = sn_consumer_held(&self->controller.consumer);
  const sn_status status = sn_resource_set_is_empty(&held) ? SN_OK : publish(self);
  if (self->must_release) {
    deactivate(self);
  }
  return status;
}

/* ---- configuration ---- */

static sn_status make_filter(follow_joint_state *self, sn_smooth **filter, sn_error *err) {
  const sn_smoothing *smoothing = self->smoothing.face;
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
                             .reference_timeout_s = self->reference_timeout_s};
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

static sn_status configure(sn_component *component, sn_error *err) {
  follow_joint_state *self = (follow_joint_state *)component;
  self->model = sn__model_hold(&self->robot_model, err);
  if (self->model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  const sn_consumer_hooks hooks = {
      .context = self, .acquired = set_changed, .released = set_changed};
  sn_resource_set set;
  sn_status status = make_follow(self, err);
  if (status == SN_OK) {
    status = sn_controller_attach(&self->controller, component, &self->arbiter,
                                  self->stay_operational, &hooks, err);
  }
  if (status == SN_OK) { /* a mistyped limb is told now, not when it is wanted */
    status = find_resources(self, self->controlled_chains.data, self->controlled_chains.count, &set,
                            err);
  }
  if (status != SN_OK) {
    sn__model_release(&self->robot_model);
  }
  return status;
}

static void cleanup(sn_component *component) {
  follow_joint_state *self = (follow_joint_state *)component;
  sn__model_release(&self->robot_model);
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  follow_joint_state *self = (follow_joint_state *)component;
  (void)err;
  self->now_ns = now_ns;
  self->must_start = self->start_operational;
  self->must_release = false;
  self->has_told = false;
  return SN_OK;
}

/* ---- operations ---- */

static sn_status set_operational(follow_joint_state *self, bool on, const char *const *names,
                                 size_t count, sn_call_outcome *outcome, sn_error *err) {
  sn_resource_set set;
  sn_status status = SN_OK;
  if (on) {
    status = find_resources(self, names, count, &set, err);
    status = status == SN_OK ? activate(self, &set, err) : status;
    self->must_release = self->must_release && status != SN_OK;
  } else {
    self->must_release = is_operational(self);
  }
  outcome->success = status == SN_OK;
  /* The shape of the service has a text for this: a refusal is an answer. */
  (void)sn_msg_text_set(&outcome->message, "");
  if (status != SN_OK && sn_msg_text_set(&outcome->message, err->message) != SN_OK) {
    (void)sn_msg_text_set(&outcome->message, sn_status_text(status));
  }
  return SN_OK;
}

static sn_status ros_set_operational(sn_component *component, const void *request, void *response,
                                     sn_error *err) {
  follow_joint_state *self = (follow_joint_state *)component;
  return set_operational(self, ((const sn_call_switch *)request)->data,
                         self->controlled_chains.data, self->controlled_chains.count, response,
                         err);
}

static sn_status set_operational_for(sn_component *component, const void *request, void *response,
                                     sn_error *err) {
  follow_joint_state *self = (follow_joint_state *)component;
  const sn_set_operational *msg = request;
  const char *names[SN_RESOURCES_MAX];
  if (msg->resources.count > SN_RESOURCES_MAX) {
    return sn__fail(err, SN_ELIMIT, "%zu names, at most %d", msg->resources.count,
                    SN_RESOURCES_MAX);
  }
  for (size_t i = 0; i < msg->resources.count; i++) {
    names[i] = sn_msg_names_at(&msg->resources, i);
  }
  if (msg->resources.count == 0) {
    return set_operational(self, msg->operational, self->controlled_chains.data,
                           self->controlled_chains.count, response, err);
  }
  return set_operational(self, msg->operational, names, msg->resources.count, response, err);
}

static const sn_operation operations[] = {
    {"rosSetOperational", SN_OWN_THREAD, &sn_call_switch_type, &sn_call_outcome_type,
     ros_set_operational, "Take the limbs of controlled_chains, or let all go."},
    {"setOperational", SN_OWN_THREAD, &sn_set_operational_type, &sn_call_outcome_type,
     set_operational_for, "Take these limbs, or the limbs of these joints; or let all go."},
    SN_RELEASE_RESOURCES,
    {0}};

static const void *controller_face(sn_component *component) {
  return &((follow_joint_state *)component)->controller;
}

static const sn_service services[] = {
    {SN_RESOURCE_CONSUMER, controller_face, "It takes limbs, and lets them go."}, {0}};

static const sn_need needs[] = {{.name = "robot_model",
                                 .interface = SN_ROBOT_MODEL,
                                 .offset = offsetof(follow_joint_state, robot_model),
                                 .doc = "The robot."},
                                {.name = "arbiter",
                                 .interface = SN_RESOURCE_ARBITER,
                                 .offset = offsetof(follow_joint_state, arbiter),
                                 .doc = "Who decides about limbs."},
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
};
