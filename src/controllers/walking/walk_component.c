/* The component around walk.h: properties, ports, lifecycle. */
#include "controllers/walking/walk_component.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "controllers/cartesian/publish.h"
#include "controllers/walking/ground_boxes.h"
#include "rt/component_tables.h"
#include "rt/components/robot_model_client.h"
#include "sinew/components.h"
#include "steps/step_solve.h"

typedef sn__walk_component walk;

static const double SWING = 1.0;       /* duration of a swing, in times of a falling pendulum */
static const double TROT_SWING = 0.45; /* share of the stride: the longer, the slower the joints */
static const double JUMP_MAX = 0.4;    /* rad between two cycles: farther is another branch */

static const sn_property properties[] = {
    SN_PROPERTY(sn_controller, "start_operational", start_operational,
                .doc = "Ask for the limbs at the start, as soon as a pose has arrived."),
    SN_PROPERTY(sn_controller, "priority", priority, .unit = "", .min = -1000000, .max = 1000000,
                .doc = "Priority of its requests: higher ones win."),
    SN_PROPERTY(
        walk, "gait", gait, .initial = "trot",
        .choices =
            "trot|trot_right|walk|walk_right|walk_overlap|walk_overlap_right|pace|pace_right",
        .flags = SN_PROPERTY_LIVE,
        .doc = "Order of the legs; another one is used as soon as the robot stands."),
    SN_PROPERTY(walk, "speed_x_max", speed_x_max, .initial = "0", .unit = "m/s", .min = 0,
                .max = 10, .doc = "Maximum speed forward and backward; 0: what the legs allow."),
    SN_PROPERTY(walk, "speed_y_max", speed_y_max, .initial = "0", .unit = "m/s", .min = 0,
                .max = 10, .doc = "Maximum speed sideways; 0: what the legs allow."),
    SN_PROPERTY(walk, "turn_max", turn_max, .initial = "0", .unit = "rad/s", .min = 0, .max = 10,
                .doc = "Maximum turn rate; 0: what the legs allow."),
    SN_PROPERTY(walk, "timeout_s", timeout_s, .initial = "0.5", .unit = "s", .min = 0.01,
                .max = 3600, .doc = "A source that is silent for longer stops the robot."),
    SN_PROPERTY(walk, "period", settings.period_s, .initial = "0", .unit = "s", .min = 0, .max = 10,
                .doc = "Duration of one stride; 0: by the height of the robot."),
    SN_PROPERTY(walk, "step_height", settings.clearance_m, .initial = "0", .unit = "m", .min = 0,
                .max = 1, .doc = "Height of a step; 0: by the height of the robot."),
    SN_PROPERTY(walk, "acceleration", settings.accel, .initial = "1", .unit = "m/s^2", .min = 0.01,
                .max = 100, .doc = "Maximum change of the speed."),
    SN_PROPERTY(walk, "turn_acceleration", settings.turn_accel, .initial = "2", .unit = "rad/s^2",
                .min = 0.01, .max = 100, .doc = "Maximum change of the turn rate."),
    SN_PROPERTY(walk, "capture", settings.capture, .initial = "0.5", .unit = "", .min = 0, .max = 3,
                .flags = SN_PROPERTY_LIVE,
                .doc = "Correction of footholds: 1 steps to the capture point, 0 does not."),
    SN_PROPERTY(walk, "kp_tilt", settings.tilt_kp, .initial = "0", .unit = "", .min = 0, .max = 10,
                .flags = SN_PROPERTY_LIVE,
                .doc = "Correction of roll and pitch, as a multiple of the error."),
    SN_PROPERTY(walk, "ki_tilt", settings.tilt_ki, .initial = "0.5", .unit = "1/s", .min = 0,
                .max = 100, .flags = SN_PROPERTY_LIVE,
                .doc = "The same for the integral of the error."),
    SN_PROPERTY(walk, "kd_tilt", settings.tilt_kd, .initial = "0", .unit = "s", .min = 0, .max = 10,
                .flags = SN_PROPERTY_LIVE, .doc = "The same for its rate."),
    SN_PROPERTY(walk, "correction_max_tilt", settings.tilt_max, .initial = "0.2", .unit = "rad",
                .min = 0, .max = 1, .flags = SN_PROPERTY_LIVE,
                .doc = "Largest correction of roll and pitch."),
    SN_PROPERTY(walk, "track", settings.track, .initial = "2", .unit = "1/s", .min = 0, .max = 100,
                .flags = SN_PROPERTY_LIVE,
                .doc = "Correction of place and heading, as a multiple of the error."),
    SN_PROPERTY(walk, "comply", settings.comply, .initial = "0.1", .unit = "", .min = 0, .max = 1,
                .flags = SN_PROPERTY_LIVE,
                .doc = "Share of an unwanted velocity that the legs follow."),
    SN_PROPERTY(walk, "ground", ground, .initial = "plant",
                .doc = "The component whose list `boxes` names obstacles on the ground: the robot "
                       "stops before them. Empty or unknown: there are none."),
    SN_PROPERTY(walk, "battery_min", battery_min_V, .initial = "0", .unit = "V", .min = 0,
                .max = 1000, .flags = SN_PROPERTY_LIVE,
                .doc = "With less voltage the robot stops walking; 0: any."),
    SN_PROPERTY(walk, "follow_max", follow_max, .initial = "0.6", .unit = "rad", .min = 0,
                .max = 10, .flags = SN_PROPERTY_LIVE,
                .doc =
                    "A joint that is this far from its command for 0.3 s stops the walk, as does "
                    "one that does not move for 1 s; 0: any."),
    {0}};

static const sn_port ports[] = {
    SN_CONTROLLER_PORTS,
    SN_INPUT(walk, "in_cmd_vel", in_cmd_vel, &sn_twist_type,
             .doc = "Wanted velocity of the base: linear.x forward, linear.y to the left, "
                    "angular.z to the left; the others are ignored."),
    SN_INPUT(walk, "in_base", in_base, &sn_rigid_body_state_type, .flags = SN_PORT_FEEDBACK,
             .doc = "The base in odom: pose and twist; without it the robot walks blindly."),
    SN_INPUT(walk, "in_joints_measured", in_joints_measured, &sn_joint_state_type,
             .flags = SN_PORT_FEEDBACK, .doc = "Measured positions: the slope of the ground."),
    SN_INPUT(walk, "in_contacts", in_contacts, &sn_support_state_type, .flags = SN_PORT_FEEDBACK,
             .doc = "Contacts of the feet, from sensors; without them a foot lands when its time "
                    "is over."),
    SN_INPUT(walk, "in_battery", in_battery, &sn_battery_state_type, .flags = SN_PORT_FEEDBACK,
             .doc = "Voltage of the battery; without it battery_min has no effect."),
    SN_OUTPUT(walk, "footholds", out_footholds, &sn_rigid_body_state_type,
              .doc = "Where the legs stand or will land, in odom."),
    SN_OUTPUT(walk, "out_base_ref", out_base_ref, &sn_rigid_body_state_type,
              .doc = "Where the base should be in odom."),
    SN_OUTPUT(walk, "out_limbs_ref", out_limbs_ref, &sn_limb_state_type, .flags = SN_PORT_DERIVED,
              .doc = "Commanded poses of the legs' ends in the base."),
    {0}};

static const sn_need needs[] = {SN_CONTROLLER_NEEDS, SN_INVERSE_KINEMATICS_NEED(walk), {0}};

/* ---- the legs ---- */

static sn_status add_leg(walk *self, const sn__leg *found, sn_error *err) {
  sn_arena *arena = sn_component_arena(&self->controller.component);
  const sn__inverse_kinematics *service = self->kinematics_inv.iface;
  sn__walk *w = &self->walk;
  sn__limb_ik *limb = &self->limbs[w->leg_count];
  const sn_status status = service->create(service->component, arena, found->chain, limb, err);
  if (status != SN_OK || limb->count > SN__WALK_JOINTS_MAX) {
    return status != SN_OK ? status : sn__fail(err, SN_ELIMIT, "a leg has %zu joints", limb->count);
  }
  for (size_t k = 0; k < limb->count; k++) {
    limb->jump[k] = JUMP_MAX;
  }
  limb->goes_near = true;
  self->chains[w->leg_count] =
      sn_names_at(sn_model_chain_names(self->controller.model), found->chain);
  sn__walk_leg *leg = &w->legs[w->leg_count++];
  *leg = (sn__walk_leg){.leg = {found->chain, limb}};
  leg->nominal = sn__step_leg_end(&leg->leg, self->stance);
  return SN_OK;
}

static sn_status make_gait(walk *self, sn_error *err) {
  sn__walk *w = &self->walk;
  sn_vec3 feet[SN__WALK_LEGS_MAX];
  sn__gait_kind kind;
  bool is_right;
  for (size_t i = 0; i < w->leg_count; i++) {
    feet[i] = w->legs[i].nominal.pos;
  }
  if (!sn__gait_read(self->gait, &kind, &is_right)) {
    return sn__fail(err, SN_EINVAL, "gait: '%s' is not one of %s", self->gait, sn__gait_names());
  }
  sn__gait_make(kind, is_right, feet, w->leg_count, &w->gait);
  w->gait.swing = kind == SN__GAIT_TROT ? TROT_SWING : w->gait.swing;
  return SN_OK;
}

/* A robot without legs has the component, too: it does not walk. */
static sn_status find_legs(walk *self, sn_error *err) {
  sn__legs legs;
  sn_status status = sn__legs_find(sn_component_arena(&self->controller.component),
                                   self->controller.model, NULL, &legs, err);
  self->walk.leg_count = 0;
  if (status == SN_ENOENT) {
    return SN_OK;
  }
  self->stance = legs.stance;
  for (size_t i = 0; status == SN_OK && i < legs.count; i++) {
    status = add_leg(self, &legs.leg[i], err);
  }
  self->controller.controlled_chains =
      (sn_texts){.data = self->chains, .count = self->walk.leg_count};
  return status;
}

/* ---- how fast ---- */

static double slowest_joint(const walk *self) {
  double slowest = INFINITY;
  for (size_t i = 0; i < self->walk.leg_count; i++) {
    for (size_t k = 0; k < self->limbs[i].count; k++) {
      slowest = fmin(slowest, self->speed_max[self->limbs[i].joints[k]]);
    }
  }
  return slowest;
}

/* A limit that is not set, or that was chosen here before. */
static void choose(double *limit, double value, double *chosen) {
  if (*limit <= 0.0 || *limit == *chosen) {
    *limit = *chosen = value;
  }
}

/* A foot in the air must be faster than the body: the longer the stance, the more. The joints also
   have to lift it and to catch up after a disturbance. */
static void choose_speeds(walk *self) {
  sn__walk *w = &self->walk;
  static const double peak = 1.875; /* of the speed in a swing over its mean */
  const double joint = fmin(0.6 * slowest_joint(self), 20.0);
  const double by_joints = joint * w->height_m / (peak / w->gait.swing - 1.0);
  const double by_reach =
      1.5 * w->settings.reach_m / (w->settings.period_s * (1.0 - w->gait.swing));
  const double speed = fmin(by_joints, by_reach);
  double radius = 0.0;
  for (size_t i = 0; i < w->leg_count; i++) {
    radius = fmax(radius, hypot(w->legs[i].nominal.pos.x, w->legs[i].nominal.pos.y));
  }
  choose(&self->speed_x_max, speed, &self->chosen.x);
  choose(&self->speed_y_max, 0.5 * speed, &self->chosen.y);
  choose(&self->turn_max, 0.7 * speed / radius, &self->chosen.turn);
  self->commands.limit = (sn__walk_velocity){self->speed_x_max, self->speed_y_max, self->turn_max};
}

static void choose_settings(walk *self) {
  sn__walk *w = &self->walk;
  sn__walk_settings *s = &w->settings;
  w->height_m = 0.0;
  for (size_t i = 0; i < w->leg_count; i++) {
    w->height_m -= w->legs[i].nominal.pos.z / (double)w->leg_count;
  }
  w->com = sn_dyn_com(self->dyn, self->stance);
  const double swing_s = SWING * sqrt((w->height_m + w->com.z) / 9.81);
  *s = self->settings;
  s->period_s = s->period_s > 0.0 ? s->period_s : swing_s / w->gait.swing;
  s->clearance_m = s->clearance_m > 0.0 ? s->clearance_m : 0.07 * w->height_m;
  s->reach_m = 0.35 * w->height_m;
  choose_speeds(self);
}

sn_status sn__walk_component_use_gait(walk *self, sn_error *err) {
  self->wants_gait = false;
  const sn_status status = make_gait(self, err);
  if (status == SN_OK) {
    choose_settings(self);
  }
  return status;
}

/* ---- lifecycle ---- */

static bool create_arrays(walk *self, sn_arena *arena) {
  const size_t n = self->controller.joint_count;
  self->limbs = SN_NEW(arena, sn__limb_ik, SN__WALK_LEGS_MAX);
  self->q = SN_NEW(arena, double, n);
  self->measured = SN_NEW(arena, double, n);
  self->speed_max = SN_NEW(arena, double, n);
  self->wanted_range = SN_NEW(arena, sn__walk_range, n);
  self->measured_range = SN_NEW(arena, sn__walk_range, n);
  return self->limbs != NULL && self->q != NULL && self->measured != NULL &&
         self->speed_max != NULL && self->wanted_range != NULL && self->measured_range != NULL &&
         sn__name_map_init(&self->measured_names, arena,
                           sn_model_joint_names(self->controller.model));
}

/* Links of unknown mass are massless. */
static sn_status create_dynamics(walk *self, sn_arena *arena, sn_error *err) {
  sn_tree *tree = SN_NEW(arena, sn_tree, 1);
  if (tree == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  *tree = *sn_model_tree(self->controller.model);
  tree->massless_link = NULL;
  return sn_dyn_create(arena, tree, &self->dyn, err);
}

/* Boxes, and the room that the robot needs between them. */
static sn_status find_obstacles(walk *self, sn_arena *arena, sn_error *err) {
  const sn_model *model = self->controller.model;
  const sn__walk *w = &self->walk;
  sn_kin_data *kin = NULL;
  self->boxes =
      sn__ground_boxes(&self->controller.component, self->ground, arena, &self->box_count);
  const sn_status status =
      self->box_count == 0 ? SN_OK : sn_kin_create(arena, sn_model_tree(model), &kin, err);
  if (kin != NULL) {
    self->outline = sn__outline_of(model, kin, self->stance, w->height_m, w->settings.clearance_m);
  }
  return status;
}

static sn_status prepare_footholds(walk *self, sn_error *err) {
  sn_rigid_body_state *msg = self->out_footholds.msg;
  sn_status status = sn_msg_text_set(&msg->header.frame_id, SN__WORLD_FRAME);
  sn_msg_names_clear(&msg->name);
  for (size_t i = 0; status == SN_OK && i < self->walk.leg_count; i++) {
    status = sn_msg_names_add(&msg->name, self->chains[i], strlen(self->chains[i]));
  }
  if (status != SN_OK || msg->pose.capacity < self->walk.leg_count) {
    return sn__fail(err, SN_ENOSPC, "the legs do not fit into a message");
  }
  msg->pose.count = self->walk.leg_count;
  return SN_OK;
}

static sn_status create(sn_component *component, sn_error *err) {
  walk *self = (walk *)component;
  sn_arena *arena = sn_component_arena(component);
  const sn_model *model = self->controller.model;
  self->controller.has_velocity = true;
  if (!create_arrays(self, arena)) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", self->controller.joint_count);
  }
  for (size_t j = 0; j < self->controller.joint_count; j++) {
    const double speed = sn_model_joint(model, j)->velocity_max;
    self->speed_max[j] = speed > 0.0 ? speed : INFINITY;
  }
  self->walk.speed_max = self->speed_max;
  sn_status status = sn__world_create(&self->world, arena, model, err);
  status = status == SN_OK ? create_dynamics(self, arena, err) : status;
  status = status == SN_OK ? find_legs(self, err) : status;
  if (status == SN_OK && self->walk.leg_count > 0) {
    status = sn__walk_component_use_gait(self, err);
    status = status == SN_OK ? find_obstacles(self, arena, err) : status;
  }
  status = status == SN_OK
               ? sn__publish_prepare(model, &self->out_base_ref, &self->out_limbs_ref, err)
               : status;
  return status == SN_OK ? prepare_footholds(self, err) : status;
}

static sn_status configure(sn_component *component, sn_error *err) {
  static const sn_controller_hooks hooks = {
      .create = create, .can_take = sn__walk_can_take, .owned_changed = sn__walk_owned_changed};
  return sn_controller_configure(component, &hooks, err);
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  walk *self = (walk *)component;
  self->commands =
      (sn__walk_commands){.limit = {self->speed_x_max, self->speed_y_max, self->turn_max},
                          .timeout_s = self->timeout_s};
  sn__world_start(&self->world);
  self->has_measured = self->has_contacts = self->is_walking = self->must_rest = false;
  self->has_battery = false;
  self->off_s = 0.0;
  self->last_ns = now_ns;
  return sn_controller_start(component, now_ns, err);
}

/* Another gait waits until the robot stands. */
static void changed(sn_component *component, const sn_property *property) {
  walk *self = (walk *)component;
  sn__walk_settings *s = &self->walk.settings;
  s->capture = self->settings.capture;
  s->tilt_kp = self->settings.tilt_kp;
  s->tilt_ki = self->settings.tilt_ki;
  s->tilt_kd = self->settings.tilt_kd;
  s->tilt_max = self->settings.tilt_max;
  s->track = self->settings.track;
  s->comply = self->settings.comply;
  self->wants_gait = self->wants_gait || strcmp(property->name, "gait") == 0;
}

static sn_status run_set_velocity(sn_component *component, const void *request, void *response,
                                  sn_error *err) {
  walk *self = (walk *)component;
  sn_call_outcome *outcome = response;
  const sn__walk_verdict verdict = sn__walk_component_take(self, SN__WALK_OPERATION, request);
  static const char *const texts[] = {
      [SN__WALK_TAKEN] = "",
      [SN__WALK_CLAMPED] = "beyond the limits: clamped",
      [SN__WALK_NOT_FINITE] = "rejected: not finite",
      [SN__WALK_OTHER] = "rejected: in_cmd_vel commands at present"};
  (void)err;
  outcome->success = verdict == SN__WALK_TAKEN || verdict == SN__WALK_CLAMPED;
  return sn_msg_text_set(&outcome->message, texts[verdict]);
}

static const sn_operation operations[] = {
    {"setVelocity", SN_OWN_THREAD, &sn_twist_type, &sn_call_outcome_type, run_set_velocity,
     "Walk with this velocity for timeout_s; as in_cmd_vel."},
    SN_CONTROLLER_OPERATIONS,
    {0}};

const sn_component_type sn_walk_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "Walk",
    .doc = "Walks with a commanded velocity, and steps where it must to keep its balance.",
    .size = sizeof(walk),
    SN__COMPONENT_TABLES,
    .services = sn_controller_services,
    .example =
        "components:\n"
        "  walk:\n"
        "    type: Walk\n"
        "    properties: {gait: trot, speed_x_max: 0.2}\n"
        "connections:\n"
        "  - timer.sync -> walk.sync\n"
        "  - aggregator.joints_sorted -> walk.in_joints_sorted\n"
        "  - walk.out_joints_ref -> aggregator.in_joints\n"
        "  - walk.ref_support -> aggregator.in_supports\n",
    .configure = configure,
    .start = start,
    .step = sn__walk_component_step,
    .cleanup = sn_controller_cleanup,
    .changed = changed,
};
