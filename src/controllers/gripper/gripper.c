/* The component around grasp.h: goals of a gripper, which take its limb and end with what was
   found. */
#include <math.h>
#include <string.h>

#include "arbiter/controller_internal.h"
#include "base/fail.h"
#include "controllers/goals.h"
#include "controllers/gripper/grasp.h"
#include "msg/arm/msg_gripper.h"
#include "msg/name_map.h"
#include "sinew/components.h"
#include "sinew/controller.h"

typedef struct gripper {
  sn_controller controller;
  const char *joint_name;
  sn__grasp_config config;
  sn_input in_joints_measured;
  sn_output state;

  int joint; /* -1: the robot has no gripper */
  sn__goals goals;
  sn__goal *goal; /* in execution; NULL: none */
  bool is_goals_limb;
  sn__grasp grasp;
  sn__grasp_sample sample;
  bool has_sample;
  sn__name_map names;
  double *measured, *efforts; /* [joints] */
  sn__grasp_state found;      /* how the last goal ended */
  int64_t step_ns;
} gripper;

static const sn_property properties[] = {
    SN_CONTROLLER_PROPERTIES,
    SN_PROPERTY(gripper, "joint", joint_name,
                .doc = "The joint that moves the gripper; empty: the first one of the first chain "
                       "that is an end effector of the SRDF, or whose name ends in 'gripper'."),
    SN_PROPERTY(gripper, "speed", config.speed, .initial = "0.5", .unit = "rad/s or m/s",
                .min = 1e-6, .max = 1e3, .doc = "How fast it opens and closes."),
    SN_PROPERTY(gripper, "max_effort", config.effort_max, .initial = "1", .unit = "N·m or N",
                .min = 1e-6, .max = 1e6, .doc = "The greatest force; goals may ask for less."),
    SN_PROPERTY(gripper, "lead", config.lead, .initial = "0.1", .unit = "rad or m", .min = 1e-6,
                .max = 10,
                .doc = "How far the goal of its servo must be from its position for max_effort: "
                       "the command is never farther away."),
    SN_PROPERTY(gripper, "tolerance", config.tolerance, .initial = "0.01", .unit = "rad or m",
                .min = 1e-6, .max = 1, .doc = "How close to a position counts as reached."),
    SN_PROPERTY(gripper, "stall_time", config.stall_s, .initial = "0.2", .unit = "s", .min = 1e-3,
                .max = 60, .doc = "It holds something if it stands still under load for so long."),
    SN_PROPERTY(gripper, "goal_time", config.extra_s, .initial = "2", .unit = "s", .min = 0,
                .max = 3600, .doc = "Time for a goal, besides that of its way."),
    {0}};

static const sn_port ports[] = {
    SN_CONTROLLER_PORTS,
    SN_INPUT(gripper, "in_joints_measured", in_joints_measured, &sn_joint_state_type,
             .flags = SN_PORT_FEEDBACK,
             .doc = "Measured positions, and efforts if they are known: the load is found by them, "
                    "otherwise by how far the gripper stays behind."),
    SN_OUTPUT(gripper, "state", state, &sn__gripper_state_type,
              .doc = "Where it is and whether it holds something, while there is a goal."),
    {0}};

/* ---- goals, in the thread of the sender ---- */

static sn_status read_goal(void *context, const void *msg, sn__goal *goal, int32_t *error,
                           sn_error *err) {
  const gripper *self = context;
  const sn_controller *c = &self->controller;
  const sn_gripper_command *command = &((const sn_gripper_goal *)msg)->command;
  *error = SN_TRAJECTORY_INVALID_GOAL;
  if (self->joint < 0) {
    return sn__fail(err, SN_EUNSUPPORTED,
                    "the robot has no gripper: name its joint in the property 'joint'");
  }
  const sn_joint *joint = sn_model_joint(c->model, (size_t)self->joint);
  if (!(command->position >= joint->lower && command->position <= joint->upper)) {
    return sn__fail(err, SN_EINVAL, "position %g is outside of the limits %g .. %g of joint '%s'",
                    command->position, joint->lower, joint->upper, joint->name);
  }
  if (!(command->max_effort >= 0.0) || !isfinite(command->max_effort)) {
    return sn__fail(err, SN_EINVAL, "max_effort is %g, expected a force, or 0 for %g",
                    command->max_effort, self->config.effort_max);
  }
  sn_gripper_command *copy = SN_NEW(&goal->arena, sn_gripper_command, 1);
  if (copy == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for a goal");
  }
  *copy = *command;
  goal->content = copy;
  goal->duration_ns = 0; /* not known */
  return sn__controller_find(c, &joint->name, 1, &goal->limbs, err);
}

/* ---- every cycle ---- */

static void read_measured(gripper *self) {
  size_t left = SN_INPUT_BURST_MAX;
  for (const sn_joint_state *msg;
       (msg = sn_input_next(&self->in_joints_measured, &left)) != NULL;) {
    if (!sn__read_is_good(sn__read_joint_state(&self->names, msg, NULL)) || self->joint < 0 ||
        self->names.at[self->joint] < 0) {
      continue;
    }
    (void)sn__name_map_sort(&self->names, &msg->position, self->measured);
    const bool has_effort = sn__name_map_sort(&self->names, &msg->effort, self->efforts) > 0;
    self->sample = (sn__grasp_sample){self->measured[self->joint],
                                      has_effort ? self->efforts[self->joint] : (double)NAN};
    self->has_sample = true;
  }
}

static void publish_state(gripper *self) {
  sn_gripper_state *out = self->state.msg;
  out->header.stamp_ns = self->controller.now_ns;
  out->goal_id = self->goal->id;
  out->position = self->sample.q;
  out->effort = isnan(self->sample.effort) ? 0.0 : self->sample.effort;
  out->stalled = self->found == SN__GRASP_HOLDS;
  out->reached_goal = self->found == SN__GRASP_REACHED;
  (void)sn_msg_text_set(&out->joint,
                        sn_model_joint(self->controller.model, (size_t)self->joint)->name);
  (void)sn_output_write(&self->state); /* a small reader is counted there */
}

static void end_goal(gripper *self, sn_trajectory_status status, sn_trajectory_error error,
                     const char *text) {
  const char *name = sn_model_joint(self->controller.model, (size_t)self->joint)->name;
  publish_state(self);
  sn__goal_end_with(self->goal, (sn__goal_end){status, error, text, error == 0 ? NULL : name});
  self->goal = NULL;
}

static void begin_goal(gripper *self, sn__goal *goal) {
  sn_controller *c = &self->controller;
  if (self->goal != NULL) {
    end_goal(self, SN_TRAJECTORY_CANCELED, SN_TRAJECTORY_SUCCESSFUL, "replaced by another goal");
  }
  self->goal = goal;
  self->found = SN__GRASP_MOVING;
  const char *refusal = sn__goal_take_limbs(goal, c, &self->is_goals_limb);
  refusal = refusal == NULL && !self->has_sample ? "nothing has been measured on in_joints_measured"
                                                 : refusal;
  if (refusal != NULL) {
    end_goal(self, SN_TRAJECTORY_ABORTED, SN_TRAJECTORY_INVALID_GOAL, refusal);
    return;
  }
  const sn_gripper_command *command = goal->content;
  sn__grasp_begin(&self->grasp, &self->config, c->q[self->joint], command->position,
                  command->max_effort);
}

/* It stays where it is, with the force that it has. */
static void handle_goals(gripper *self) {
  sn__goal *next = sn__goals_take(&self->goals);
  if (next != NULL) {
    begin_goal(self, next);
  }
  if (self->goal != NULL && !sn__goal_is_owned(self->goal, &self->controller)) {
    end_goal(self, SN_TRAJECTORY_ABORTED, SN_TRAJECTORY_INVALID_GOAL, "its limb was taken from it");
  }
  if (self->goal != NULL && atomic_load(&self->goal->must_cancel)) {
    end_goal(self, SN_TRAJECTORY_CANCELED, SN_TRAJECTORY_SUCCESSFUL, "cancelled");
  }
}

static void move(gripper *self, double dt_s) {
  sn_controller *c = &self->controller;
  const double before = c->q[self->joint];
  self->found = sn__grasp_step(&self->grasp, &self->config, self->sample, dt_s);
  c->q[self->joint] = self->grasp.command;
  c->qd[self->joint] = (self->grasp.command - before) / dt_s;
  switch (self->found) {
    case SN__GRASP_MOVING:
      atomic_store(&self->goal->status, SN_TRAJECTORY_EXECUTING);
      publish_state(self);
      break;
    case SN__GRASP_REACHED:
      end_goal(self, SN_TRAJECTORY_SUCCEEDED, SN_TRAJECTORY_SUCCESSFUL, "reached its position");
      break;
    case SN__GRASP_HOLDS:
      end_goal(self, SN_TRAJECTORY_SUCCEEDED, SN_TRAJECTORY_SUCCESSFUL, "holds something");
      break;
    case SN__GRASP_STUCK:
      end_goal(self, SN_TRAJECTORY_ABORTED, SN_TRAJECTORY_OFF_GOAL,
               "does not move although it is commanded to, and bears no load: is its servo "
               "connected and switched on?");
      break;
    case SN__GRASP_LATE:
      end_goal(self, SN_TRAJECTORY_ABORTED, SN_TRAJECTORY_OFF_GOAL,
               "neither reached its position nor met anything within goal_time");
      break;
  }
}

/* The next owner goes on with the same command: what is held stays held. */
static void finish(gripper *self) {
  if (self->is_goals_limb && self->goal == NULL) {
    sn_controller_release(&self->controller);
    self->is_goals_limb = false;
  }
}

static sn_status step(sn_component *component, int64_t now_ns) {
  gripper *self = (gripper *)component;
  sn_controller *c = &self->controller;
  const double dt_s = 1e-9 * (double)sn_component_period_ns(component);
  atomic_store(&self->goals.now_ns, now_ns);
  read_measured(self);
  (void)sn_controller_begin_step(c, now_ns);
  handle_goals(self);
  if (self->joint >= 0) {
    c->qd[self->joint] = 0.0;
  }
  if (self->goal != NULL) {
    move(self, dt_s);
  }
  const sn_status status = sn_controller_publish(c);
  finish(self);
  return status;
}

/* ---- configuration ---- */

static bool ends_in(const char *name, const char *end) {
  const size_t n = strlen(name);
  const size_t m = strlen(end);
  return n >= m && strcmp(name + n - m, end) == 0;
}

/* -1: none. */
static int find_gripper(const sn_model *model) {
  const sn_names *names = sn_model_chain_names(model);
  for (size_t i = 0; i < sn_names_count(names); i++) {
    const sn_chain *chain = sn_model_chain(model, i, false);
    const bool is_gripper = ends_in(sn_names_at(names, i), "gripper") ||
                            sn_model_chain_property(model, i, "end_effector") != NULL;
    if (is_gripper && chain->joint_count > 0) {
      return chain->joints[0];
    }
  }
  return -1;
}

static sn_status find_joint(gripper *self, sn_error *err) {
  const bool is_named = self->joint_name != NULL && *self->joint_name != '\0';
  size_t joint = 0;
  if (!is_named) {
    self->joint = find_gripper(self->controller.model);
    return SN_OK; /* a robot without one refuses goals */
  }
  const sn_status status =
      sn_controller_find_joint(&self->controller, self->joint_name, &joint, err);
  self->joint = (int)joint;
  return status;
}

static sn_status create(sn_component *component, sn_error *err) {
  gripper *self = (gripper *)component;
  sn_controller *c = &self->controller;
  sn_arena *arena = sn_component_arena(component);
  if (!(sn_component_period_ns(component) > 0)) {
    return sn__fail(err, SN_EINVAL, "%s needs a periodic activity", component->name);
  }
  self->measured = SN_NEW(arena, double, c->joint_count);
  self->efforts = SN_NEW(arena, double, c->joint_count);
  if (self->measured == NULL || self->efforts == NULL ||
      !sn__name_map_init(&self->names, arena, sn_model_joint_names(c->model))) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", c->joint_count);
  }
  c->has_velocity = true;
  sn__goals_init(&self->goals);
  self->goals.reader = read_goal;
  self->goals.context = self;
  return find_joint(self, err);
}

static sn_status configure(sn_component *component, sn_error *err) {
  static const sn_controller_hooks hooks = {.create = create};
  return sn_controller_configure(component, &hooks, err);
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  gripper *self = (gripper *)component;
  self->goal = NULL;
  self->has_sample = self->is_goals_limb = false;
  atomic_store(&self->goals.now_ns, now_ns);
  sn__goals_open(&self->goals, component->system);
  return sn_controller_start(component, now_ns, err);
}

static void stop(sn_component *component) {
  gripper *self = (gripper *)component;
  self->goal = NULL;
  sn__goals_close(&self->goals);
}

static void dispose(sn_component *component) {
  sn__goals_dispose(&((gripper *)component)->goals);
}

/* ---- operations, in the thread of the caller ---- */

static sn_status grip(sn_component *component, const void *request, void *response, sn_error *err) {
  return sn__goals_run_execute(&((gripper *)component)->goals, request, SN_TRAJECTORY_INVALID_GOAL,
                               response, err);
}

static sn_status cancel(sn_component *component, const void *request, void *response,
                        sn_error *err) {
  (void)err;
  return sn__goals_run_cancel(&((gripper *)component)->goals, request, response);
}

static sn_status get_goal(sn_component *component, const void *request, void *response,
                          sn_error *err) {
  return sn__goals_read_state(&((gripper *)component)->goals,
                              ((const sn_trajectory_id *)request)->goal_id, response, err);
}

static const sn_operation operations[] = {
    {"grip", SN_CLIENT_THREAD, &sn__gripper_goal_type, &sn_trajectory_answer_type, grip,
     "Open or close to a position, with at most this force; replaces a goal in execution. It ends "
     "when the position is reached or something is held."},
    {"cancel", SN_CLIENT_THREAD, &sn_trajectory_id_type, &sn_call_outcome_type, cancel,
     "Cancel the goal with this number; 0: any."},
    {"getGoal", SN_CLIENT_THREAD | SN_READ_ONLY, &sn_trajectory_id_type, &sn_trajectory_state_type,
     get_goal, "The state of the goal with this number, or how it ended."},
    SN_CONTROLLER_OPERATIONS,
    {0}};

const sn_component_type sn_gripper_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "Gripper",
    .doc = "Opens and closes a gripper with a bounded force, and notices when it holds something.",
    .size = sizeof(gripper),
    .properties = properties,
    .ports = ports,
    .operations = operations,
    .services = sn_controller_services,
    .needs = sn_controller_needs,
    .example =
        "components:\n"
        "  gripper:\n"
        "    type: Gripper\n"
        "    properties: {max_effort: 0.5}\n"
        "connections:\n"
        "  - timer.sync -> gripper.sync\n"
        "  - aggregator.joints_sorted -> gripper.in_joints_sorted\n"
        "  - plant.joints_measured -> gripper.in_joints_measured\n"
        "  - gripper.out_joints_ref -> aggregator.in_joints\n"
        "  - gripper.ref_support -> aggregator.in_supports\n",
    .configure = configure,
    .start = start,
    .step = step,
    .stop = stop,
    .cleanup = sn_controller_cleanup,
    .dispose = dispose,
};
