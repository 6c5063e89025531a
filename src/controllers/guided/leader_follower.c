/* The joints of this robot follow those of a second arm, the leader, which is moved by hand.

   The follower first closes its distance to the leader at a moderate speed: `gap` is that distance,
   it shrinks to nothing, and the follower is commanded leader + gap. So it follows the motion of
   the leader from the first moment, and nothing jumps. */
#include <math.h>
#include <string.h>

#include "arbiter/controller_internal.h"
#include "base/fail.h"
#include "controllers/follow.h"
#include "controllers/guided/leader_map.h"
#include "controllers/guided/reflection.h"
#include "rt/components/robot_model_client.h"
#include "sinew/components.h"
#include "sinew/controller.h"
#include "traj/otg_limits.h"

typedef enum leader_state {
  LEADER_UNKNOWN, /* it was not heard since the limbs are owned */
  LEADER_SILENT,
  LEADER_APPROACHED,
  LEADER_FOLLOWED
} leader_state;

typedef struct leader_follower {
  sn_controller controller;
  sn_bags items;
  double approach_speed, speed_max, timeout_s, memory_s, arrival;
  sn__reflection reflection;
  sn_input in_leader, in_joints_measured, in_joints_effort;
  sn_output out_leader_goals;

  sn__leader_map map;
  sn_smooth *gap;    /* of the distance to the leader */
  sn_follow *follow; /* what is commanded: within the limits of the joints */
  double *zero, *gap_q, *gap_qd, *gap_qdd;
  sn_joint_state *reference; /* of all joints that the leader drives */
  leader_state state;
  sn_log_limit refused, clamped;
} leader_follower;

static const double NS = 1e-9;

static const sn_property properties[] = {
    SN_CONTROLLER_PROPERTIES,
    SN_PROPERTY_BAGS_OF(leader_follower, "joints", items, sn__leader_item, sn__leader_item_table,
                        .doc = "Which joint of the leader drives which joint: follower = scale * "
                               "leader + offset. Empty: each the one of its own name."),
    SN_PROPERTY(leader_follower, "approach_speed", approach_speed, .initial = "0.5",
                .unit = "rad/s or m/s", .min = 1e-3, .max = 1e3,
                .doc = "How fast the distance to the leader is closed at first, and after it was "
                       "silent."),
    SN_PROPERTY(leader_follower, "speed_max", speed_max, .unit = "rad/s or m/s", .min = 0,
                .max = 1e3, .doc = "No joint is commanded faster; 0: the limits of the joints."),
    SN_PROPERTY(leader_follower, "leader_timeout", timeout_s, .initial = "0.1", .unit = "s",
                .min = 0.004, .max = 10,
                .doc = "The follower holds when a joint of the leader is silent for longer; it "
                       "begins to stop after a quarter of it."),
    SN_PROPERTY(leader_follower, "leader_memory", memory_s, .initial = "0.02", .unit = "s",
                .min = 1e-4, .max = 1,
                .doc = "How long the estimate of the leader's motion remembers: longer is "
                       "smoother, shorter follows faster turns."),
    SN_PROPERTY(leader_follower, "arrival", arrival, .initial = "0.002", .unit = "rad or m",
                .min = 1e-9, .max = 1, .doc = "The approach ends at this distance."),
    SN__REFLECTION_PROPERTIES(leader_follower, reflection),
    {0}};

static const sn_port ports[] = {
    SN_CONTROLLER_PORTS,
    SN_INPUT(leader_follower, "in_leader", in_leader, &sn_joint_state_type,
             .flags = SN_PORT_FEEDBACK,
             .doc = "Measured joints of the leader: any order, any subset."),
    SN_INPUT(leader_follower, "in_joints_measured", in_joints_measured, &sn_joint_state_type,
             .flags = SN_PORT_FEEDBACK, .doc = "Efforts of the follower, for the reflection."),
    SN_INPUT(leader_follower, "in_joints_effort", in_joints_effort, &sn_joint_state_type,
             .flags = SN_PORT_FEEDBACK,
             .doc = "Efforts that the commanded motion takes, for the reflection."),
    SN_OUTPUT(leader_follower, "out_leader_goals", out_leader_goals, &sn_servo_goal_type,
              .doc = "For the servos of the leader: limp, or the reflected efforts."),
    {0}};

/* ---- the leader ---- */

static void log_refused(leader_follower *self, sn__read_verdict verdict, int entry) {
  const sn_log_arg args[] = {
      {.kind = SN_LOG_TEXT, .value.text = sn__read_verdict_text(verdict)},
      {.kind = SN_LOG_TEXT,
       .value.text = entry < 0 ? "-" : sn_names_at(self->map.names, (size_t)entry)}};
  sn_component_log_limited(&self->controller.component, &self->refused, self->controller.now_ns,
                           SN_LOG_WARNING, "a message of the leader was refused: {}; joint {}", 2,
                           args);
}

static void read_leader(leader_follower *self) {
  size_t left = SN_INPUT_BURST_MAX;
  for (const sn_joint_state *msg; (msg = sn_input_next(&self->in_leader, &left)) != NULL;) {
    int entry = -1;
    const sn__read_verdict verdict =
        sn__leader_map_take(&self->map, msg, self->controller.now_ns, &entry);
    if (!sn__read_is_good(verdict)) {
      log_refused(self, verdict, entry);
    }
  }
}

static void log_silent(const leader_follower *self, int index, int64_t age_ns) {
  const sn_log_arg args[] = {
      {.kind = SN_LOG_TEXT, .value.text = sn_names_at(self->map.names, (size_t)index)},
      {.kind = SN_LOG_REAL, .value.real = NS * (double)age_ns}};
  sn_component_log(&self->controller.component, self->controller.now_ns, SN_LOG_WARNING,
                   "the leader is silent: no position of its joint '{}' for {} s; holding until it "
                   "is back",
                   2, args);
}

/* The gaps begin with what the joints are commanded now, so nothing jumps. */
static void engage(leader_follower *self) {
  const sn_controller *c = &self->controller;
  for (size_t i = 0; i < self->map.count; i++) {
    const size_t j = self->map.joints[i].follower;
    double q = 0.0, qd = 0.0;
    sn__leader_joint_wants(&self->map, i, c->now_ns, &q, &qd);
    const sn_otg_state gap = {.q = c->q[j] - q};
    (void)sn__smooth_reset_joint(self->gap, j, gap); /* both were checked */
  }
  self->state = LEADER_APPROACHED;
}

static void look_at_leader(leader_follower *self) {
  const sn_controller *c = &self->controller;
  int64_t age_ns = 0;
  const int oldest = sn__leader_map_oldest(&self->map, c->owned, c->now_ns, &age_ns);
  const bool is_heard = oldest >= 0 && age_ns <= self->map.timeout_ns;
  const bool is_engaged = self->state == LEADER_APPROACHED || self->state == LEADER_FOLLOWED;
  if (is_engaged && !is_heard) {
    if (oldest >= 0) {
      log_silent(self, oldest, age_ns);
    }
    self->state = LEADER_SILENT;
  } else if (!is_engaged && is_heard) {
    engage(self);
  }
}

/* ---- the follower ---- */

static void close_gaps(leader_follower *self) {
  const sn_smooth_reference closed = {.q = self->zero};
  const sn_smooth_state out = {.q = self->gap_q, .qd = self->gap_qd, .qdd = self->gap_qdd};
  (void)sn__smooth_update(self->gap, NULL, &closed, &out); /* the reference is zero */
  bool has_arrived = true;
  for (size_t i = 0; i < self->map.count; i++) {
    const size_t j = self->map.joints[i].follower;
    has_arrived &= !self->controller.owned[j] || fabs(self->gap_q[j]) <= self->arrival;
  }
  if (has_arrived && self->state == LEADER_APPROACHED) {
    self->state = LEADER_FOLLOWED;
    sn_component_log(&self->controller.component, self->controller.now_ns, SN_LOG_INFO,
                     "with the leader", 0, NULL);
  }
}

static void follow_leader(leader_follower *self) {
  const sn_controller *c = &self->controller;
  sn_joint_state *reference = self->reference;
  close_gaps(self);
  for (size_t i = 0; i < self->map.count; i++) {
    const size_t j = self->map.joints[i].follower;
    double *q = &reference->position.data[i], *qd = &reference->velocity.data[i];
    sn__leader_joint_wants(&self->map, i, c->now_ns, q, qd);
    *q += self->gap_q[j];
    *qd += self->gap_qd[j];
  }
  const sn_follow_verdict verdict = sn__follow_take(self->follow, reference, c->now_ns);
  if (verdict.fault == SN_FOLLOW_CLAMPED) {
    const sn_log_arg arg = {.kind = SN_LOG_TEXT,
                            .value.text = sn_model_joint(c->model, (size_t)verdict.joint)->name};
    sn_component_log_limited(&c->component, &self->clamped, c->now_ns, SN_LOG_WARNING,
                             "the leader is beyond the limits of '{}': it stays at its limit", 1,
                             &arg);
  }
}

static void publish_goals(leader_follower *self) {
  const sn_controller *c = &self->controller;
  if (!sn_output_is_connected(&self->out_leader_goals)) {
    return;
  }
  const bool is_engaged = self->state == LEADER_FOLLOWED && sn__controller_owns_joints(c);
  sn_servo_goal *out = self->out_leader_goals.msg;
  for (size_t i = 0; i < self->map.count; i++) {
    const sn__leader_joint *joint = &self->map.joints[i];
    const double torque =
        !is_engaged || !c->owned[joint->follower]
            ? 0.0
            : sn__reflection_torque(&self->reflection, joint->follower, joint->scale);
    out->limp.data[i] = torque == 0.0;
    out->goal.data[i] = joint->sample + torque / self->reflection.stiffness;
  }
  out->header.stamp_ns = c->now_ns;
  (void)sn_output_write(&self->out_leader_goals); /* what does not fit is counted there */
}

static sn_status step(sn_component *component, int64_t now_ns) {
  leader_follower *self = (leader_follower *)component;
  sn_controller *c = &self->controller;
  const bool owns_joints = sn_controller_begin_step(c, now_ns);
  read_leader(self);
  sn__reflection_read(&self->reflection, &self->in_joints_measured, &self->in_joints_effort);
  if (owns_joints) {
    look_at_leader(self);
    if (self->state == LEADER_APPROACHED || self->state == LEADER_FOLLOWED) {
      follow_leader(self);
    }
    (void)sn__follow_step(self->follow, now_ns, c->q, c->qd);
  }
  publish_goals(self);
  return owns_joints ? sn_controller_publish(c) : SN_OK;
}

static void owned_changed(sn_component *component, const bool *had) {
  leader_follower *self = (leader_follower *)component;
  const sn_controller *c = &self->controller;
  (void)had;
  self->state = LEADER_UNKNOWN;
  sn__follow_own(self->follow, c->owned, NS * (double)sn_component_period_ns(component), c->now_ns);
}

/* ---- operations ---- */

static sn_status get_state(sn_component *component, const void *request, void *response,
                           sn_error *err) {
  static const char *const texts[] = {[LEADER_UNKNOWN] = "waiting",
                                      [LEADER_SILENT] = "silent",
                                      [LEADER_APPROACHED] = "approaching",
                                      [LEADER_FOLLOWED] = "following"};
  const leader_follower *self = (const leader_follower *)component;
  (void)request;
  (void)err;
  const bool is_active = sn__controller_owns_joints(&self->controller);
  return sn_msg_text_set(&((sn_call_text *)response)->text, is_active ? texts[self->state] : "off");
}

static const sn_operation operations[] = {
    SN_CONTROLLER_OPERATIONS,
    {"getLeader", SN_OWN_THREAD | SN_READ_ONLY, NULL, &sn_call_text_type, get_state,
     "off; waiting: the leader was not heard yet; approaching; following; silent: the leader was "
     "heard, and is not any more."},
    {0}};

/* ---- configuration ---- */

static sn_status create_filters(leader_follower *self, sn_error *err) {
  sn_controller *c = &self->controller;
  sn_arena *arena = sn_component_arena(&c->component);
  const sn__otg_defaults defaults = {
      .velocity = 10.0, .acceleration_time_s = 0.1, .jerk_time_s = 0.02};
  sn_otg_limits *limits = SN_NEW(arena, sn_otg_limits, c->joint_count);
  sn_otg_limits *slow = SN_NEW(arena, sn_otg_limits, c->joint_count);
  if (limits == NULL || slow == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  for (size_t j = 0; j < c->joint_count; j++) {
    limits[j] = sn__otg_limits_of(sn_model_joint(c->model, j), &defaults);
    limits[j].velocity =
        self->speed_max > 0.0 ? fmin(limits[j].velocity, self->speed_max) : limits[j].velocity;
    slow[j] = limits[j];
    slow[j].velocity = fmin(slow[j].velocity, self->approach_speed);
    slow[j].acceleration = fmin(slow[j].acceleration, 4.0 * slow[j].velocity);
    slow[j].jerk = fmin(slow[j].jerk, 10.0 * slow[j].acceleration);
  }
  const sn_smooth_config gap = {.joint_count = c->joint_count, .limits = slow};
  const sn_smooth_config whole = {.joint_count = c->joint_count, .limits = limits};
  const double period_s = NS * (double)sn_component_period_ns(&c->component);
  sn_follow_config config = {
      .model = c->model, .pose = c->pose, .reference_timeout_s = 1.5 * period_s};
  sn_status status = sn__smooth_create(arena, "jerk_limited", &gap, &self->gap, err);
  status = status == SN_OK ? sn__smooth_create(arena, "jerk_limited", &whole, &config.smooth, err)
                           : status;
  status = status == SN_OK ? sn__follow_create(arena, &config, &self->follow, err) : status;
  const sn_smooth_state at_rest = {.q = self->zero};
  return status == SN_OK ? sn__smooth_reset(self->gap, &at_rest, period_s) : status;
}

static sn_status create_messages(leader_follower *self, sn_error *err) {
  sn_controller *c = &self->controller;
  sn_arena *arena = sn_component_arena(&c->component);
  sn_servo_goal *goals = self->out_leader_goals.msg;
  const sn_msg_capacity room = {.item_count = self->map.count, .text_size = 128};
  self->reference = sn_msg_create(arena, &sn_joint_state_type, &room);
  sn_status status = self->reference == NULL
                         ? sn__fail(err, SN_ENOMEM, "no memory")
                         : sn__fits(self->map.count, goals->goal.capacity, "joints", err);
  for (size_t i = 0; status == SN_OK && i < self->map.count; i++) {
    const char *name = sn_model_joint(c->model, self->map.joints[i].follower)->name;
    status = sn_msg_names_add(&self->reference->name, name, strlen(name));
  }
  if (status == SN_OK) {
    self->reference->position.count = self->reference->velocity.count = self->map.count;
    sn_msg_names_share(&goals->name, self->map.names);
    goals->goal.count = goals->limp.count = self->map.count;
  }
  return status;
}

static sn_status create(sn_component *component, sn_error *err) {
  leader_follower *self = (leader_follower *)component;
  sn_controller *c = &self->controller;
  sn_arena *arena = sn_component_arena(component);
  c->has_velocity = true;
  if (sn_component_period_ns(component) <= 0) {
    return sn__fail(err, SN_EINVAL, "%s needs a periodic activity", component->name);
  }
  self->zero = SN_NEW(arena, double, 4 * c->joint_count);
  if (self->zero == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  self->gap_q = self->zero + c->joint_count;
  self->gap_qd = self->gap_q + c->joint_count;
  self->gap_qdd = self->gap_qd + c->joint_count;
  self->map.memory_s = self->memory_s;
  self->map.timeout_ns = (int64_t)llround(1e9 * self->timeout_s);
  sn_status status = sn__leader_map_create(arena, c->model, &self->items, &self->map, err);
  status = status == SN_OK ? create_filters(self, err) : status;
  status =
      status == SN_OK ? sn__reflection_create(&self->reflection, arena, c->model, err) : status;
  return status == SN_OK ? create_messages(self, err) : status;
}

static sn_status configure(sn_component *component, sn_error *err) {
  static const sn_controller_hooks hooks = {.create = create, .owned_changed = owned_changed};
  return sn_controller_configure(component, &hooks, err);
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  leader_follower *self = (leader_follower *)component;
  sn__leader_map_forget(&self->map);
  self->state = LEADER_UNKNOWN;
  return sn_controller_start(component, now_ns, err);
}

static void cleanup(sn_component *component) {
  leader_follower *self = (leader_follower *)component;
  sn_msg_names_clear(&((sn_servo_goal *)self->out_leader_goals.msg)->name);
  sn_controller_cleanup(component);
}

const sn_component_type sn_leader_follower_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "LeaderFollower",
    .doc = "The joints follow those of a second arm that is moved by hand, joint by joint.",
    .size = sizeof(leader_follower),
    .properties = properties,
    .ports = ports,
    .operations = operations,
    .services = sn_controller_services,
    .needs = sn_controller_needs,
    .example =
        "components:\n"
        "  lead:\n"
        "    type: LeaderFollower\n"
        "    properties:\n"
        "      joints:\n"
        "        - {leader: pan, follower: head_joint1}\n"
        "        - {leader: tilt, follower: head_joint2, scale: -0.5, offset: 0.1}\n"
        "connections:\n"
        "  - timer.sync -> lead.sync\n"
        "  - aggregator.joints_sorted -> lead.in_joints_sorted\n"
        "  - lead.out_joints_ref -> aggregator.in_joints\n"
        "  - lead.ref_support -> aggregator.in_supports\n",
    .configure = configure,
    .start = start,
    .step = step,
    .cleanup = cleanup,
};
