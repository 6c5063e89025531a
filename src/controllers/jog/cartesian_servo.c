/* The component around tool_servo.h: jogs the tool of one limb. It takes the limb when a command
   asks for motion, and releases it when it has been at rest for a while. */
#include "controllers/jog/cartesian_servo.h"

#include <math.h>
#include <string.h>

#include "arbiter/controller_internal.h"
#include "base/fail.h"
#include "controllers/jog/joint_follow.h"
#include "msg/arm/msg_jog.h"
#include "sinew/components.h"
#include "traj/otg_limits.h"

/* What the gate may change without being noticed, rad or m. */
static const double GATE_TOLERANCE = 1e-9;
/* Speed of a joint where neither the robot nor anybody else states one: that of the gate. */
static const double SPEED_DEFAULT = 1.0;
static const sn_property properties[] = {
    SN_CONTROLLER_PROPERTIES,
    SN_PROPERTY(sn__cartesian_servo, "chain", chain, .flags = SN_PROPERTY_LIVE,
                .doc = "The chain whose last link is the tool; empty: the first one of "
                       "controlled_chains, or else the first one with six joints or more, or else "
                       "the first one. A change counts when the tool is at rest."),
    SN_PROPERTY(sn__cartesian_servo, "speed", speed, .flags = SN_PROPERTY_LIVE, .initial = "1",
                .unit = "", .min = 0, .max = 1,
                .doc = "Share of the greatest speeds of tool and joints that commands may have."),
    SN_PROPERTY(sn__cartesian_servo, "linear_speed", linear_speed, .flags = SN_PROPERTY_LIVE,
                .initial = "0.25", .unit = "m/s", .min = 1e-6, .max = 1e3,
                .doc = "The greatest speed of the tool."),
    SN_PROPERTY(sn__cartesian_servo, "angular_speed", angular_speed, .flags = SN_PROPERTY_LIVE,
                .initial = "1", .unit = "rad/s", .min = 1e-6, .max = 1e3,
                .doc = "The greatest angular speed of the tool."),
    SN_PROPERTY(sn__cartesian_servo, "timeout", timeout_s, .flags = SN_PROPERTY_LIVE,
                .initial = "0.2", .unit = "s", .min = 0.001, .max = 10,
                .doc = "A command counts for so long; then the tool stops unless it is repeated."),
    SN_PROPERTY(sn__cartesian_servo, "release_delay", release_delay_s, .flags = SN_PROPERTY_LIVE,
                .initial = "1", .unit = "s", .min = 0, .max = 3600,
                .doc = "How long after the last motion a limb is released that was taken for it."),
    SN_PROPERTY(sn__cartesian_servo, "acceleration_time", acceleration_time_s, .initial = "0.25",
                .unit = "s", .min = 1e-3, .max = 1e3,
                .doc = "From rest to full speed: of the tool, and of joints where the URDF states "
                       "no limit of acceleration."),
    SN_PROPERTY(sn__cartesian_servo, "jerk_time", jerk_time_s, .initial = "0.1", .unit = "s",
                .min = 1e-3, .max = 1e3,
                .doc = "From no to full acceleration: of the tool, and of joints where the URDF "
                       "states no limit of jerk."),
    {0}};

static const sn_port ports[] = {
    SN_CONTROLLER_PORTS,
    SN_INPUT(sn__cartesian_servo, "in_twist", in_twist, &sn_twist_stamped_type,
             .doc = "Wanted velocity of the tool's origin. Its axes: header.frame_id is 'tool' or "
                    "a link, empty: the first link of the chain."),
    SN_INPUT(sn__cartesian_servo, "in_jog", in_jog, &sn_joint_jog_type,
             .doc = "Wanted velocities of joints of the chain; the others stay. For duration, if "
                    "that is less than timeout."),
    SN_INPUT(sn__cartesian_servo, "in_pose", in_pose, &sn_pose_stamped_type,
             .doc = "Wanted pose of the tool, in a frame as that of in_twist."),
    SN_INPUT(sn__cartesian_servo, "in_collision", in_collision, &sn_collision_state_type,
             .flags = SN_PORT_FEEDBACK,
             .doc = "What is nearest to the robot: the tool slows down before it and slides along "
                    "it. Without it only the gate holds joints back."),
    SN_OUTPUT(sn__cartesian_servo, "state", state, &sn__jog_state_type,
              .doc = "What becomes of the commands, while it owns the limb."),
    {0}};

/* ---- commands ---- */

static void refuse(sn__cartesian_servo *self, const char *why) {
  const sn_log_arg args[] = {{.kind = SN_LOG_TEXT, .value.text = why}};
  sn_controller_warn(&self->controller, "a command was refused: {}", 1, args);
  sn__servo_explain(self, "refused");
}

static sn__jog_context context_of(const sn__cartesian_servo *self, int chain) {
  return (sn__jog_context){.model = self->controller.model,
                           .chain = self->tools[chain].chain,
                           .world = &self->world,
                           .tool = self->outcome.pose,
                           .now_ns = self->controller.now_ns,
                           .timeout_ns = (int64_t)(1e9 * self->timeout_s)};
}

/* The first command finds the tool where the robot is. */
static void find_tool(sn__cartesian_servo *self, int chain) {
  const sn_chain *c = self->tools[chain].chain;
  for (size_t j = 0; j < c->joint_count; j++) {
    self->chain_q[j] = self->controller.pose[c->joints[j]];
  }
  self->outcome = (sn__servo_outcome){
      .share = 1.0, .joint = -1, .pose = sn_chain_fk(c, self->chain_q), .is_still = true};
}

/* The newest message of each input; the last one counts. @return whether there is one to follow */
static bool read_commands(sn__cartesian_servo *self) {
  const sn_twist_stamped *twist = sn_input_newest(&self->in_twist);
  const sn_pose_stamped *pose = sn_input_newest(&self->in_pose);
  const sn_joint_jog *jog = sn_input_newest(&self->in_jog);
  const int chain = self->now >= 0 ? self->now : sn__servo_wanted_chain(self);
  if ((twist == NULL && pose == NULL && jog == NULL) || !self->controller.has_pose) {
    return false;
  }
  if (chain < 0) {
    refuse(self, "the robot has no such chain, or its joints are floating");
    return false;
  }
  if (self->now < 0) {
    sn__world_update(&self->world, self->controller.pose);
    find_tool(self, chain);
  }
  const sn__jog_context context = context_of(self, chain);
  const char *why = NULL;
  if (jog != NULL) {
    why = sn__jog_read_joints(&context, jog, self->qd, &self->command);
  } else if (pose != NULL) {
    why = sn__jog_read_pose(&context, pose, &self->command);
  } else {
    why = sn__jog_read_twist(&context, twist, &self->command);
  }
  if (why != NULL) {
    refuse(self, why);
  }
  return why == NULL && self->command.is_motion;
}

static void watch_source(sn__cartesian_servo *self) {
  const sn__jog_command *command = &self->command;
  if (command->servo.kind == SN__SERVO_STILL ||
      self->controller.now_ns - command->arrived_ns <= command->valid_ns) {
    return;
  }
  if (command->is_motion && command->servo.kind != SN__SERVO_POSE) {
    sn__servo_explain(self, "silent");
  }
  self->command = (sn__jog_command){0};
}

/* ---- every cycle ---- */

/* The gate may have held joints back: limits, obstacles, a stop. The tool goes on from where its
   command is now. */
static void read_gate(sn__cartesian_servo *self) {
  const sn_controller *c = &self->controller;
  const sn__jog_tool *t = &self->tools[self->now];
  self->is_held = false;
  for (size_t j = 0; j < t->chain->joint_count; j++) {
    const int joint = t->chain->joints[j];
    self->chain_q[j] = c->pose[joint];
    self->chain_qd[j] = c->pose_velocity[joint];
    self->is_held = self->is_held || fabs(c->pose[joint] - c->q[joint]) > GATE_TOLERANCE;
  }
  if (self->is_held) {
    sn__tool_servo_go_on_from(t->servo, self->chain_q, self->chain_qd);
  }
}

/* The state comes less often than cycles, so it is read while nothing moves, too. */
static void read_obstacle(sn__cartesian_servo *self) {
  const sn_collision_state *state = sn_input_newest(&self->in_collision);
  if (state != NULL && self->controller.has_pose) {
    sn__servo_obstacle_read(&self->obstacle, state, self->world.kin);
  }
  if (self->now < 0) {
    return;
  }
  const sn__jog_tool *t = &self->tools[self->now];
  for (size_t j = 0; j < t->chain->joint_count; j++) {
    self->approach[j] = self->obstacle.approach[t->chain->joints[j]];
  }
  sn__tool_servo_set_obstacle(t->servo, self->obstacle.is_near ? self->approach : NULL,
                              self->obstacle.speed_max);
}

static void move(sn__cartesian_servo *self) {
  sn_controller *c = &self->controller;
  const sn__jog_tool *t = &self->tools[self->now];
  const sn__jog_context context = context_of(self, self->now);
  sn__servo_command command = sn__jog_command_now(&self->command, &context);
  command.speed = self->speed;
  sn__tool_servo_set_speeds(t->servo, self->linear_speed, self->angular_speed);
  const double dt_s =
      sn__jog_step_time_s(c->now_ns - self->step_ns, sn_component_period_ns(&c->component));
  self->outcome = *sn__tool_servo_step(t->servo, dt_s, &command, self->chain_q, self->chain_qd);
  for (size_t j = 0; j < t->chain->joint_count; j++) {
    c->q[t->chain->joints[j]] = self->chain_q[j];
    c->qd[t->chain->joints[j]] = self->chain_qd[j];
  }
  if (!self->outcome.is_still || self->command.is_motion) {
    self->rest_ns = c->now_ns;
  }
}

/* A limb that was taken for commands is released when nothing comes any more. */
static void finish(sn__cartesian_servo *self) {
  if (self->is_own_limb && self->outcome.is_still &&
      self->controller.now_ns - self->rest_ns >= (int64_t)(1e9 * self->release_delay_s)) {
    sn_controller_release(&self->controller);
    self->is_own_limb = false;
  }
}

static sn_status step(sn_component *component, int64_t now_ns) {
  sn__cartesian_servo *self = (sn__cartesian_servo *)component;
  sn_controller *c = &self->controller;
  (void)sn__world_begin_step(&self->world, c, now_ns);
  const bool is_wanted = read_commands(self);
  if (is_wanted && !sn__servo_take_limb(self)) {
    self->command = (sn__jog_command){0};
  }
  watch_source(self);
  if (self->now >= 0 && self->is_shown) { /* else it has just begun */
    read_gate(self);
  }
  read_obstacle(self);
  if (self->now >= 0) {
    move(self);
  }
  if (self->now >= 0 || self->is_shown) { /* its end, too */
    sn__servo_publish_state(self);
  }
  self->is_shown = self->now >= 0;
  self->step_ns = now_ns;
  const sn_status status = sn_controller_publish(c);
  if (self->now >= 0) {
    finish(self);
  }
  return status;
}

/* ---- configuration ---- */

static sn_status create_tool(sn__cartesian_servo *self, size_t index, sn_error *err) {
  const sn_model *model = self->controller.model;
  sn_arena *arena = sn_component_arena(&self->controller.component);
  const sn_chain *chain = sn_model_chain(model, index, false);
  const sn__otg_defaults defaults = {.velocity = SPEED_DEFAULT,
                                     .acceleration_time_s = self->acceleration_time_s,
                                     .jerk_time_s = self->jerk_time_s};
  sn_otg_limits *limits = SN_NEW(arena, sn_otg_limits, chain->joint_count + 1);
  if (limits == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", chain->joint_count);
  }
  for (size_t j = 0; j < chain->joint_count; j++) {
    limits[j] = sn__otg_limits_of(sn_model_joint(model, (size_t)chain->joints[j]), &defaults);
  }
  const double linear = self->linear_speed / self->acceleration_time_s;
  const double angular = self->angular_speed / self->acceleration_time_s;
  const sn__tool_servo_config config = {
      .chain = chain,
      .joints = limits,
      .linear = {self->linear_speed, linear, linear / self->jerk_time_s},
      .angular = {self->angular_speed, angular, angular / self->jerk_time_s}};
  sn__jog_tool *t = &self->tools[index];
  t->chain = chain;
  const sn_status status = sn__tool_servo_create(arena, &config, &t->servo, err);
  return status == SN_EUNSUPPORTED ? SN_OK : status;
}

static sn_status check_chain(const sn__cartesian_servo *self, sn_error *err) {
  const bool is_named = self->chain != NULL && *self->chain != '\0';
  return !is_named || sn_model_chain_index(self->controller.model, self->chain) >= 0
             ? SN_OK
             : sn__fail(err, SN_ENOENT, "chain: the robot has no chain '%.80s'", self->chain);
}

static sn_status create(sn_component *component, sn_error *err) {
  sn__cartesian_servo *self = (sn__cartesian_servo *)component;
  sn_controller *c = &self->controller;
  sn_arena *arena = sn_component_arena(component);
  if (!(sn_component_period_ns(component) > 0)) {
    return sn__fail(err, SN_EINVAL, "%s needs a periodic activity", component->name);
  }
  c->has_velocity = true;
  self->now = -1;
  self->tool_count = sn_names_count(sn_model_chain_names(c->model));
  self->tools = SN_NEW(arena, sn__jog_tool, self->tool_count + 1);
  self->qd = SN_NEW(arena, double, c->joint_count);
  self->chain_q = SN_NEW(arena, double, c->joint_count);
  self->chain_qd = SN_NEW(arena, double, c->joint_count);
  self->approach = SN_NEW(arena, double, c->joint_count);
  if (self->tools == NULL || self->qd == NULL || self->approach == NULL ||
      !sn__servo_obstacle_create(arena, c->model, &self->obstacle) || self->chain_q == NULL ||
      self->chain_qd == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", c->joint_count);
  }
  sn_status status = check_chain(self, err);
  status = status == SN_OK ? sn__world_create(&self->world, arena, c->model, err) : status;
  for (size_t i = 0; status == SN_OK && i < self->tool_count; i++) {
    status = create_tool(self, i, err);
  }
  return status;
}

static sn_status configure(sn_component *component, sn_error *err) {
  static const sn_controller_hooks hooks = {
      .create = create, .can_take = sn__servo_can_take, .owned_changed = sn__servo_owned_changed};
  return sn_controller_configure(component, &hooks, err);
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  sn__cartesian_servo *self = (sn__cartesian_servo *)component;
  sn__world_start(&self->world);
  self->now = -1;
  self->is_own_limb = self->is_held = self->is_shown = false;
  self->command = (sn__jog_command){0};
  self->reason = NULL;
  self->obstacle.is_near = false;
  return sn_controller_start(component, now_ns, err);
}

const sn_component_type sn_cartesian_servo_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "CartesianServo",
    .doc = "Jogs a tool: by a velocity, by velocities of joints, or towards a pose.",
    .size = sizeof(sn__cartesian_servo),
    SN__CONTROLLER_TABLES(properties, ports, sn_controller_needs),
    .example =
        "components:\n"
        "  jog_left:\n"
        "    type: CartesianServo\n"
        "    properties: {linear_speed: 0.1}\n"
        "connections:\n"
        "  - timer.sync -> jog_left.sync\n"
        "  - aggregator.joints_sorted -> jog_left.in_joints_sorted\n"
        "  - aggregator.collision -> jog_left.in_collision\n"
        "  - jog_left.out_joints_ref -> aggregator.in_joints\n"
        "  - jog_left.ref_support -> aggregator.in_supports\n",
    .configure = configure,
    .start = start,
    .step = step,
    .cleanup = sn_controller_cleanup,
};
