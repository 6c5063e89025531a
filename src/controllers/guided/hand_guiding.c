/* Limbs that carry their weight and yield to the hand, on servos that only know positions.

   The torque that a servo delivers follows from its model, its goal and where it is; what the pose
   takes follows from inverse dynamics. The difference is what someone else exerts (hand_guide.h).
 */
#include <math.h>
#include <string.h>

#include "arbiter/controller_internal.h"
#include "base/fail.h"
#include "controllers/guided/hand_guide.h"
#include "msg/name_map.h"
#include "servo/battery.h"
#include "servo/servo_setup.h"
#include "sinew/components.h"
#include "sinew/controller.h"

typedef struct hand_guiding {
  sn_controller controller;
  sn__hand_guide_config config;
  sn__battery battery;
  sn__servo_setup setup;
  sn_input in_joints_measured, in_joints_effort, in_goals, battery_state;

  sn__hand_guide *guides;                                /* [joint_count] */
  sn_servo_params *models;                               /* [joint_count] */
  bool *has_model;                                       /* [joint_count] */
  sn__name_map measured_names, effort_names, goal_names; /* of the inputs */
  double *measured, *effort, *goals;                     /* [joint_count] */
  bool has_measured, has_effort, has_goals;              /* every joint was named */
  int64_t measured_ns;                                   /* when the last message arrived */
  bool is_blind;                                         /* was reported */
} hand_guiding;

static const double NS = 1e-9;
static const int64_t BLIND_NS = 100000000; /* without measured positions the joints are held */

static const sn_property properties[] = {
    SN_CONTROLLER_PROPERTIES,
    SN_PROPERTY(hand_guiding, "torque_start", config.start_Nm, .initial = "0.1", .unit = "N·m or N",
                .min = 1e-6, .max = 1e6, .flags = SN_PROPERTY_LIVE,
                .doc = "A joint at rest begins to move when the estimated external torque changes "
                       "by this. Above the encoder's step times the stiffness of the servo."),
    SN_PROPERTY(hand_guiding, "torque_keep", config.keep_Nm, .initial = "0.04", .unit = "N·m or N",
                .min = 0, .max = 1e6, .flags = SN_PROPERTY_LIVE,
                .doc = "External torque that a moving joint ignores: errors of the models. Less "
                       "than torque_start."),
    SN_PROPERTY(hand_guiding, "damping", config.damping, .initial = "0.8", .unit = "N·m·s/rad",
                .min = 1e-3, .max = 1e6, .flags = SN_PROPERTY_LIVE,
                .doc = "External torque beyond torque_keep over the speed of the joint."),
    SN_PROPERTY(hand_guiding, "speed_max", config.speed_max, .initial = "1", .unit = "rad/s or m/s",
                .min = 1e-3, .max = 1e3, .flags = SN_PROPERTY_LIVE,
                .doc = "No joint is faster, be it commanded or pushed."),
    SN_PROPERTY(hand_guiding, "acceleration", config.acceleration, .initial = "10",
                .unit = "rad/s^2 or m/s^2", .min = 1e-3, .max = 1e4, .flags = SN_PROPERTY_LIVE,
                .doc = "Of the command."),
    SN_PROPERTY(hand_guiding, "rest_speed", config.rest_speed, .initial = "0.03",
                .unit = "rad/s or m/s", .min = 1e-6, .max = 1e3, .flags = SN_PROPERTY_LIVE,
                .doc = "A joint that stays slower comes to rest."),
    SN_PROPERTY(hand_guiding, "rest_time", config.rest_time_s, .initial = "0.15", .unit = "s",
                .min = 1e-3, .max = 10, .flags = SN_PROPERTY_LIVE, .doc = "For that long."),
    SN_PROPERTY(hand_guiding, "filter_time", config.filter_s, .initial = "0.02", .unit = "s",
                .min = 1e-4, .max = 1, .flags = SN_PROPERTY_LIVE,
                .doc = "Time constant of the estimated torque."),
    SN__BATTERY_PROPERTIES(hand_guiding, battery),
    SN__SERVO_SETUP_PROPERTIES(hand_guiding, setup, 0),
    {0}};

static const sn_port ports[] = {
    SN_CONTROLLER_PORTS,
    SN_INPUT(hand_guiding, "in_joints_measured", in_joints_measured, &sn_joint_state_type,
             .flags = SN_PORT_FEEDBACK, .doc = "Measured positions."),
    SN_INPUT(hand_guiding, "in_joints_effort", in_joints_effort, &sn_joint_state_type,
             .flags = SN_PORT_FEEDBACK, .doc = "Efforts that the commanded motion takes."),
    SN_INPUT(hand_guiding, "in_goals", in_goals, &sn_servo_goal_type, .flags = SN_PORT_FEEDBACK,
             .doc = "What was sent to the servos."),
    SN_INPUT(hand_guiding, "battery_state", battery_state, &sn_battery_state_type,
             .flags = SN_PORT_FEEDBACK, .doc = "The measured voltage."),
    {0}};

/* ---- inputs ---- */

static bool sort(sn__name_map *names, const sn_seq_f64 *values, double *sorted, bool was_known) {
  return sn__name_map_sort(names, values, sorted) == names->count || was_known;
}

static void read_inputs(hand_guiding *self) {
  const sn_joint_state *measured = sn_input_newest(&self->in_joints_measured);
  const sn_joint_state *effort = sn_input_newest(&self->in_joints_effort);
  const sn_servo_goal *goals = sn_input_newest(&self->in_goals);
  if (measured != NULL &&
      sn__read_is_good(sn__read_joint_state(&self->measured_names, measured, NULL))) {
    self->has_measured =
        sort(&self->measured_names, &measured->position, self->measured, self->has_measured);
    self->measured_ns = self->controller.now_ns;
  }
  if (effort != NULL && sn__read_is_good(sn__read_joint_state(&self->effort_names, effort, NULL))) {
    self->has_effort = sort(&self->effort_names, &effort->effort, self->effort, self->has_effort);
  }
  if (goals != NULL && sn__read_is_good(sn__read_servo_goal(&self->goal_names, goals))) {
    self->has_goals = sort(&self->goal_names, &goals->goal, self->goals, self->has_goals);
  }
}

/* Without fresh positions it is unknown what the hand does. */
static bool can_see(hand_guiding *self) {
  const sn_controller *c = &self->controller;
  const bool is_blind = !self->has_measured || !self->has_effort || !self->has_goals ||
                        c->now_ns - self->measured_ns > BLIND_NS;
  if (is_blind && !self->is_blind) {
    const sn_log_arg arg = {.kind = SN_LOG_TEXT,
                            .value.text = self->has_effort && self->has_goals ? "in_joints_measured"
                                          : self->has_goals                   ? "in_joints_effort"
                                                                              : "in_goals"};
    sn_component_log(&c->component, c->now_ns, SN_LOG_WARNING,
                     "nothing arrives on {}: the limbs are held", 1, &arg);
  }
  self->is_blind = is_blind;
  return !is_blind;
}

/* ---- every cycle ---- */

/* A servo that delivers less than the pose takes is helped by a hand. */
static double external_torque(const hand_guiding *self, size_t j, double voltage) {
  const sn_servo_motion motion = {.q = self->measured[j], .qd = self->guides[j].speed};
  return self->effort[j] -
         sn_servo_torque_of(&self->models[j], voltage, self->goals[j], &motion, SN_SERVO_DEAD_ZONE);
}

/* How fast the servo would move the joint if the hand let go now and the command stayed: as its
   goal would, if it moved the joint on and not only held it. 0 if the model has no losses. */
static double recoil(const hand_guiding *self, size_t j, double voltage, double command) {
  const sn_servo_params *model = &self->models[j];
  const double speed = self->config.speed_max;
  const sn_servo_motion fast = {.qd = speed}, still = {.qd = 0.0};
  const double lead = (sn_servo_goal_of(model, voltage, &fast, SN_SERVO_DEAD_ZONE) -
                       sn_servo_goal_of(model, voltage, &still, SN_SERVO_DEAD_ZONE)) /
                      model->kgear;
  return lead > 0.0 ? speed * (command - self->measured[j]) / lead : 0.0;
}

/* The speed from which the joint can still stop before its limit, or its command can if that is
   closer. */
static double limit_speed(const hand_guiding *self, size_t j, double speed, double command) {
  const sn_joint *joint = sn_model_joint(self->controller.model, j);
  const double q = self->measured[j];
  const double way =
      speed > 0.0 ? joint->upper - fmax(q, command) : fmin(q, command) - joint->lower;
  const double most = sqrt(self->config.acceleration * fmax(0.0, way)); /* half of it for lags */
  return copysign(fmin(fabs(speed), most), speed);
}

static void guide_joint(hand_guiding *self, size_t j, double voltage, double dt_s) {
  sn_controller *c = &self->controller;
  const double from = c->pose[j]; /* where the gate stopped it, if it did: nothing to catch up */
  const sn__hand_guide_input input = {.q = self->measured[j],
                                      .command = from,
                                      .torque_Nm = external_torque(self, j, voltage),
                                      .recoil = recoil(self, j, voltage, from)};
  const double wanted = sn__hand_guide_step(&self->guides[j], &self->config, &input, dt_s);
  const double speed = limit_speed(self, j, wanted, from);
  if (self->guides[j].is_moving) {
    self->guides[j].speed = speed;
  }
  c->qd[j] = self->guides[j].speed;
  c->q[j] = from + speed * dt_s;
}

static void hold(hand_guiding *self) {
  sn_controller *c = &self->controller;
  memset(self->guides, 0, c->joint_count * sizeof *self->guides);
  memset(c->qd, 0, c->joint_count * sizeof *c->qd);
}

static sn_status step(sn_component *component, int64_t now_ns) {
  hand_guiding *self = (hand_guiding *)component;
  sn_controller *c = &self->controller;
  const bool owns_joints = sn_controller_begin_step(c, now_ns);
  const double voltage = sn__battery_read(&self->battery, &self->battery_state, component, now_ns);
  const double dt_s = NS * (double)sn_component_period_ns(component);
  read_inputs(self);
  if (!owns_joints) {
    return SN_OK;
  }
  if (!can_see(self)) {
    hold(self);
    return sn_controller_publish(c);
  }
  for (size_t j = 0; j < c->joint_count; j++) {
    if (c->owned[j] && self->has_model[j]) {
      guide_joint(self, j, voltage, dt_s);
    }
  }
  return sn_controller_publish(c);
}

static void owned_changed(sn_component *component, const bool *had) {
  hand_guiding *self = (hand_guiding *)component;
  (void)had;
  hold(self);
}

/* ---- configuration ---- */

static bool create_arrays(hand_guiding *self, sn_arena *arena) {
  const size_t n = self->controller.joint_count;
  const sn_names *joints = sn_model_joint_names(self->controller.model);
  self->guides = SN_NEW(arena, sn__hand_guide, n);
  self->models = SN_NEW(arena, sn_servo_params, n);
  self->has_model = SN_NEW(arena, bool, n);
  self->measured = SN_NEW(arena, double, n);
  self->effort = SN_NEW(arena, double, n);
  self->goals = SN_NEW(arena, double, n);
  return self->guides != NULL && self->models != NULL && self->has_model != NULL &&
         self->measured != NULL && self->effort != NULL && self->goals != NULL &&
         sn__name_map_init(&self->measured_names, arena, joints) &&
         sn__name_map_init(&self->effort_names, arena, joints) &&
         sn__name_map_init(&self->goal_names, arena, joints);
}

/* Torques follow from volts per torque: without that there is no model. */
static sn_status read_models(hand_guiding *self, sn_error *err) {
  const sn_controller *c = &self->controller;
  const sn_status status = sn__servo_setup_read(&self->setup, sn_model_joint_names(c->model),
                                                self->models, self->has_model, err);
  bool has_any = false;
  for (size_t j = 0; status == SN_OK && j < c->joint_count; j++) {
    self->has_model[j] = self->has_model[j] && self->models[j].alpha[3] > 0.0;
    has_any |= self->has_model[j];
  }
  return status != SN_OK || has_any
             ? status
             : sn__fail(err, SN_EINVAL,
                        "no servo has a model with volts per torque (alpha[3]): set servo_models, "
                        "servo_models_file or default_servo_model");
}

static sn_status create(sn_component *component, sn_error *err) {
  hand_guiding *self = (hand_guiding *)component;
  self->controller.has_velocity = true;
  if (sn_component_period_ns(component) <= 0) {
    return sn__fail(err, SN_EINVAL, "%s needs a periodic activity", component->name);
  }
  if (!(self->config.keep_Nm < self->config.start_Nm)) {
    return sn__fail(err, SN_EINVAL, "torque_keep is %g, must be less than torque_start, %g",
                    self->config.keep_Nm, self->config.start_Nm);
  }
  return create_arrays(self, sn_component_arena(component)) ? read_models(self, err)
                                                            : sn__fail(err, SN_ENOMEM, "no memory");
}

static sn_status configure(sn_component *component, sn_error *err) {
  static const sn_controller_hooks hooks = {.create = create, .owned_changed = owned_changed};
  return sn_controller_configure(component, &hooks, err);
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  hand_guiding *self = (hand_guiding *)component;
  self->has_measured = self->has_effort = self->has_goals = self->is_blind = false;
  sn__battery_reset(&self->battery);
  return sn_controller_start(component, now_ns, err);
}

const sn_component_type sn_hand_guiding_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "HandGuiding",
    .doc = "Limbs carry their weight and yield to the hand, by models of their servos.",
    .size = sizeof(hand_guiding),
    SN__CONTROLLER_TABLES(properties, ports, sn_controller_needs),
    .example =
        "components:\n"
        "  guide:\n"
        "    type: HandGuiding\n"
        "    properties:\n"
        "      controlled_chains: [head]\n"
        "      default_servo_model: {kp: 32, alpha: [8.9, 0, 1.27, 6.78], qs: 0.2, delta: 1}\n"
        "connections:\n"
        "  - timer.sync -> guide.sync\n"
        "  - aggregator.joints_sorted -> guide.in_joints_sorted\n"
        "  - plant.joints_measured -> guide.in_joints_measured\n"
        "  - dynamics_inv.joints_effort -> guide.in_joints_effort\n"
        "  - servo_inv_7param.out_goals -> guide.in_goals\n"
        "  - guide.out_joints_ref -> aggregator.in_joints\n"
        "  - guide.ref_support -> aggregator.in_supports\n",
    .configure = configure,
    .start = start,
    .step = step,
    .cleanup = sn_controller_cleanup,
};
