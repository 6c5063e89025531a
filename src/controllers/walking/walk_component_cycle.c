/* The cycle of the component: commands, limbs, what it publishes. */
#include <math.h>
#include <string.h>

#include "arbiter/controller_internal.h"
#include "base/fail.h"
#include "controllers/cartesian/publish.h"
#include "controllers/walking/walk_component.h"
#include "msg/msg_names_internal.h"
#include "rt/estop/estop.h"
#include "steps/step_solve.h"

typedef sn__walk_component walk;

enum { LEGS_MIN = 4 }; /* on fewer it cannot stand while two are in the air */

static const double PERIOD_MAX_S = 0.1;
static const double SILENCE_S = 0.1; /* after which the base and contacts are unknown */

/* ---- commands ---- */

sn__walk_verdict sn__walk_component_take(walk *self, sn__walk_source source,
                                         const sn_spatial *twist) {
  static const char *const names[] = {
      [SN__WALK_PORT] = "in_cmd_vel", [SN__WALK_OPERATION] = "setVelocity"};
  const sn__walk_velocity wanted = {twist->lin.x, twist->lin.y, twist->ang.z};
  sn_component *component = &self->controller.component;
  const int64_t now_ns = self->controller.now_ns;
  const sn__walk_verdict verdict =
      sn__walk_commands_take(&self->commands, (int)source, wanted, now_ns);
  const sn_log_arg args[] = {{.kind = SN_LOG_TEXT, .value.text = names[source]},
                             {.kind = SN_LOG_TEXT, .value.text = names[self->commands.owner]},
                             {.kind = SN_LOG_REAL, .value.real = self->commands.timeout_s}};
  if (verdict == SN__WALK_NOT_FINITE) {
    sn_component_log_limited(component, &self->not_finite, now_ns, SN_LOG_WARNING,
                             "a velocity of {} is rejected: not finite", 1, args);
  } else if (verdict == SN__WALK_CLAMPED) {
    sn_component_log_limited(component, &self->clamped, now_ns, SN_LOG_WARNING,
                             "a velocity of {} is beyond speed_x_max, speed_y_max or turn_max: "
                             "clamped",
                             1, args);
  } else if (verdict == SN__WALK_OTHER) {
    sn_component_log_limited(component, &self->other, now_ns, SN_LOG_WARNING,
                             "a velocity of {} is rejected: {} commands until it is silent for "
                             "{} s",
                             3, args);
  }
  return verdict;
}

static void read_command(walk *self) {
  const sn_spatial *twist = sn_input_newest(&self->in_cmd_vel);
  if (twist != NULL) {
    (void)sn__walk_component_take(self, SN__WALK_PORT, twist);
  }
  if (sn__walk_commands_now(&self->commands, self->controller.now_ns, &self->walk.command)) {
    sn_component_log_limited(&self->controller.component, &self->silent, self->controller.now_ns,
                             SN_LOG_WARNING, "the source of the velocity is silent: stop", 0, NULL);
  }
}

static void keep_off_boxes(walk *self) {
  static const sn__walk_velocity rest = {0, 0, 0};
  for (size_t i = 0; self->world.has_base && i < self->box_count; i++) {
    if (sn__walk_meets(&self->walk, &self->outline, &self->boxes[i], self->walk.command)) {
      const sn_log_arg args[] = {{.kind = SN_LOG_INT, .value.integer = (int64_t)i}};
      self->walk.command = rest;
      sn_component_log_limited(&self->controller.component, &self->near, self->controller.now_ns,
                               SN_LOG_WARNING, "box {} is in the way: the robot stops", 1, args);
      return;
    }
  }
}

/* ---- inputs ---- */

static void read_base(walk *self, int64_t now_ns) {
  const bool had = self->world.has_base;
  (void)sn__world_read_base(&self->world, &self->in_base, now_ns);
  if (had && now_ns - self->world.base_ns > (int64_t)(1e9 * SILENCE_S)) {
    self->world.has_base = false;
    sn_component_log_limited(&self->controller.component, &self->silent_base, now_ns,
                             SN_LOG_WARNING, "in_base is silent: the robot walks without it", 0,
                             NULL);
  }
}

static void read_contacts(walk *self, int64_t now_ns) {
  const sn_support_state *msg = sn_input_newest(&self->in_contacts);
  if (msg != NULL) {
    self->contacts_ns = now_ns;
    self->has_contacts = true;
    for (size_t i = 0; i < self->walk.leg_count; i++) {
      const int at = sn__msg_names_index(&msg->name, self->chains[i]);
      self->touches[i] = at >= 0 && (size_t)at < msg->support.count && msg->support.data[at] > 0.5;
    }
  }
  self->has_contacts =
      self->has_contacts && now_ns - self->contacts_ns <= (int64_t)(1e9 * SILENCE_S);
}

/* ---- limbs ---- */

static bool owns_leg(const walk *self, size_t leg) {
  const sn__limb_ik *limb = &self->limbs[leg];
  for (size_t k = 0; k < limb->count; k++) {
    if (!self->controller.owned[limb->joints[k]]) {
      return false;
    }
  }
  return true;
}

static void begin(walk *self) {
  const sn__walk_velocity command = self->walk.command;
  sn__walk_begin(&self->walk, self->q);
  self->walk.command = command;
}

sn_status sn__walk_can_take(const sn_component *component, sn_error *err) {
  const walk *self = (const walk *)component;
  if (!self->controller.has_pose) {
    return sn__fail(err, SN_ENOTCONFIGURED,
                    "%s does not activate: no pose has arrived on in_joints_sorted",
                    component->name);
  }
  return self->walk.leg_count >= LEGS_MIN
             ? SN_OK
             : sn__fail(err, SN_EUNSUPPORTED,
                        "%s does not activate: %zu legs, at least %d are needed", component->name,
                        self->walk.leg_count, LEGS_MIN);
}

static size_t owned_legs(const walk *self) {
  size_t count = 0;
  for (size_t i = 0; i < self->walk.leg_count; i++) {
    count += owns_leg(self, i);
  }
  return count;
}

static void stop(walk *self, const char *why) {
  const bool moves = self->is_walking && self->walk.mode == SN__WALK_WALKS;
  self->must_rest = true;
  if (moves) {
    sn_component_log_limited(&self->controller.component, &self->stopped, self->controller.now_ns,
                             SN_LOG_WARNING, why, 0, NULL);
  }
}

static void halt(walk *self) {
  bool lost[SN__WALK_LEGS_MAX];
  for (size_t i = 0; i < self->walk.leg_count; i++) {
    lost[i] = !owns_leg(self, i);
  }
  self->must_rest = true;
  sn__walk_halt(&self->walk, lost);
}

/* With a joint that does not work, steps that correct a deviation are wrong, too. */
static void check_health(walk *self, double dt_s) {
  if (!sn__walk_joints_work(self, dt_s)) {
    halt(self);
  }
  self->must_rest = !sn__walk_has_power(self) || self->must_rest;
}

void sn__walk_owned_changed(sn_component *component, const bool *had) {
  walk *self = (walk *)component;
  sn_controller *c = &self->controller;
  (void)had;
  for (size_t j = 0; j < c->joint_count; j++) {
    self->q[j] = c->owned[j] ? c->q[j] : c->pose[j];
  }
  const size_t owned = owned_legs(self);
  const bool owns_all = owned > 0 && owned == self->walk.leg_count;
  if (self->is_walking && !owns_all) {
    stop(self, "a leg was taken while the robot walked: it puts the others down");
    halt(self);
  } else if (owns_all && (!self->is_walking || self->walk.is_halting)) {
    begin(self);
  }
  self->is_walking = owns_all || (self->is_walking && owned > 0);
}

static void take_legs(walk *self) {
  sn_error err = {.message = ""};
  const sn__walk_velocity v = self->walk.command;
  const bool rests = v.x == 0.0 && v.y == 0.0 && v.turn == 0.0;
  self->must_rest = self->must_rest && !rests;
  if (rests && self->walk.is_halting && owned_legs(self) == self->walk.leg_count) {
    begin(self);
  }
  if (self->must_rest) {
    self->walk.command = (sn__walk_velocity){0, 0, 0};
    return;
  }
  if ((self->is_walking && !self->walk.is_halting) || rests) {
    return;
  }
  if (sn_controller_take(&self->controller, self->chains, self->walk.leg_count, &err) != SN_OK) {
    const sn_log_arg args[] = {{.kind = SN_LOG_TEXT, .value.text = err.message}};
    sn_component_log_limited(&self->controller.component, &self->refused, self->controller.now_ns,
                             SN_LOG_WARNING, "cannot walk: {}", 1, args);
  }
}

/* In an emergency stop the gate holds the joints: the robot stands as it is. */
static void obey_stop(walk *self) {
  if (sn__estop_snapshot_of(&self->controller.component).view.number != 0) {
    stop(self, "emergency stop while the robot walked: it holds its pose");
    memcpy(self->q, self->controller.pose, self->controller.joint_count * sizeof *self->q);
    sn__walk_begin(&self->walk, self->q);
  }
}

static void change_gait(walk *self) {
  if (self->wants_gait && self->walk.mode == SN__WALK_STANDS && self->walk.leg_count > 0) {
    (void)sn__walk_component_use_gait(self, NULL); /* the property accepts known gaits only */
  }
}

/* ---- commands of the joints ---- */

static void command(walk *self, double dt_s) {
  sn_controller *c = &self->controller;
  const sn__walk *w = &self->walk;
  const sn__walk_input input = {.dt_s = dt_s,
                                .has_base = self->world.has_base,
                                .base = self->world.base.pose,
                                .twist = self->world.base.twist,
                                .q = self->has_measured ? self->measured : NULL,
                                .touches = self->has_contacts ? self->touches : NULL};
  sn__walk_step(&self->walk, &input, self->q);
  for (size_t i = 0; i < w->leg_count; i++) {
    for (size_t k = 0; k < self->limbs[i].count; k++) {
      const int j = self->limbs[i].joints[k];
      c->qd[j] = dt_s > 0.0 ? (self->q[j] - c->q[j]) / dt_s : 0.0;
      c->q[j] = self->q[j];
    }
    sn_controller_set_support(c, w->legs[i].leg.chain, w->feet[i].in_stance ? 1.0 : 0.0);
  }
}

/* ---- outputs ---- */

static void publish_footholds(walk *self, sn_pose level) {
  sn_rigid_body_state *msg = self->out_footholds.msg;
  msg->header.stamp_ns = self->controller.now_ns;
  for (size_t i = 0; i < self->walk.leg_count; i++) {
    const sn_pose foothold = {sn_mat3_from_rpy(0.0, 0.0, self->walk.feet[i].yaw),
                              self->walk.feet[i].foothold};
    msg->pose.data[i] = sn_msg_pose_from(sn_pose_mul(level, foothold));
  }
  (void)sn_output_write(&self->out_footholds); /* what does not fit is counted there */
}

static void publish(walk *self) {
  const sn__walk *w = &self->walk;
  const int64_t now_ns = self->controller.now_ns;
  const sn_pose base = self->world.base.pose;
  const sn_pose level = {sn_mat3_from_rpy(0.0, 0.0, atan2(base.rot.x.y, base.rot.x.x)), base.pos};
  const sn_mat3 ahead = sn_mat3_from_rpy(0.0, 0.0, w->heading);
  const sn__body_state wanted = {
      .pose = {sn_mat3_mul(ahead, w->tilt_command),
               sn_vec3_make(w->place.x, w->place.y, base.pos.z)},
      .twist = {{0, 0, w->speed.turn},
                sn_mat3_apply(ahead, sn_vec3_make(w->speed.x, w->speed.y, 0.0))}};
  publish_footholds(self, level);
  sn__publish_base(&self->out_base_ref, &wanted, now_ns);
  sn__publish_limbs_begin(&self->out_limbs_ref, now_ns);
  for (size_t i = 0; i < w->leg_count; i++) {
    const sn__body_state end = {.pose = sn__step_leg_end(&w->legs[i].leg, self->q)};
    sn__publish_limbs_add(&self->out_limbs_ref, self->chains[i], &end);
  }
  (void)sn_output_write(&self->out_limbs_ref);
}

sn_status sn__walk_component_step(sn_component *component, int64_t now_ns) {
  walk *self = (walk *)component;
  sn_controller *c = &self->controller;
  const double dt_s = fmin(PERIOD_MAX_S, fmax(0.0, 1e-9 * (double)(now_ns - self->last_ns)));
  self->last_ns = now_ns;
  sn__controller_read_measured(c, &self->in_joints_measured, &self->measured_names, self->measured,
                               &self->has_measured);
  read_base(self, now_ns);
  read_contacts(self, now_ns);
  (void)sn_controller_begin_step(c, now_ns);
  read_command(self);
  check_health(self, dt_s);
  obey_stop(self);
  take_legs(self);
  change_gait(self);
  if (self->is_walking) {
    keep_off_boxes(self);
    command(self, dt_s);
    publish(self);
  }
  return sn_controller_publish(c);
}
