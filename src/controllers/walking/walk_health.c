/* What keeps a robot from walking: a leg that does not follow, a low battery. */
#include <math.h>

#include "controllers/walking/walk_component.h"

typedef sn__walk_component walk;

static const double PATIENCE_S = 0.3; /* a push or a stumble is shorter */
static const double WINDOW_S = 1.0;   /* several strides */
static const double MOVES = 0.1;      /* rad: a range of commands that a working joint shows */
static const double SHARE = 0.1;      /* of that range: a joint that moves less is stuck */

/* The joint of a leg that is farthest from its command; -1: none */
static int worst_joint(const walk *self, double *far) {
  int worst = -1;
  *far = 0.0;
  for (size_t i = 0; i < self->walk.leg_count; i++) {
    for (size_t k = 0; k < self->limbs[i].count; k++) {
      const int j = self->limbs[i].joints[k];
      const double off = fabs(self->measured[j] - self->q[j]);
      if (self->controller.owned[j] && off > *far) {
        worst = j;
        *far = off;
      }
    }
  }
  return worst;
}

static void log_joint(walk *self, const char *format, int joint, double value) {
  const char *name = sn_names_at(sn_model_joint_names(self->controller.model), (size_t)joint);
  const sn_log_arg args[] = {{.kind = SN_LOG_TEXT, .value.text = name},
                             {.kind = SN_LOG_REAL, .value.real = value}};
  sn_component_log_limited(&self->controller.component, &self->lags, self->controller.now_ns,
                           SN_LOG_ERROR, format, 2, args);
}

static bool follows(walk *self, double dt_s) {
  double far = 0.0;
  const int joint = worst_joint(self, &far);
  self->off_s = self->follow_max > 0.0 && far > self->follow_max ? self->off_s + dt_s : 0.0;
  if (self->off_s <= PATIENCE_S) {
    return true;
  }
  log_joint(self, "joint {} is {} rad from its command: the robot stops walking", joint, far);
  return false;
}

static void widen(sn__walk_range *range, double value) {
  range->low = fmin(range->low, value);
  range->high = fmax(range->high, value);
}

/* The joint that was commanded to move in this window and did not; -1: none. */
static int stuck_joint(const walk *self) {
  for (size_t j = 0; j < self->controller.joint_count; j++) {
    const double wanted = self->wanted_range[j].high - self->wanted_range[j].low;
    const double moved = self->measured_range[j].high - self->measured_range[j].low;
    if (self->controller.owned[j] && wanted > MOVES && moved < SHARE * wanted) {
      return (int)j;
    }
  }
  return -1;
}

static void begin_window(walk *self) {
  self->window_s = 0.0;
  for (size_t j = 0; j < self->controller.joint_count; j++) {
    self->wanted_range[j] = (sn__walk_range){self->q[j], self->q[j]};
    self->measured_range[j] = (sn__walk_range){self->measured[j], self->measured[j]};
  }
}

static bool moves(walk *self, double dt_s) {
  for (size_t j = 0; j < self->controller.joint_count; j++) {
    widen(&self->wanted_range[j], self->q[j]);
    widen(&self->measured_range[j], self->measured[j]);
  }
  self->window_s += dt_s;
  if (self->window_s < WINDOW_S) {
    return true;
  }
  const int joint = stuck_joint(self);
  if (joint >= 0) {
    log_joint(self, "joint {} does not move (it is at {} rad): the robot stops walking", joint,
              self->measured[joint]);
  }
  begin_window(self);
  return joint < 0;
}

bool sn__walk_has_power(walk *self) {
  const sn_battery_state *battery = sn_input_newest(&self->in_battery);
  if (battery != NULL) {
    self->battery_V = (double)battery->voltage;
    self->has_battery = true;
  }
  if (!self->has_battery || !(self->battery_V < self->battery_min_V)) {
    return true;
  }
  const sn_log_arg args[] = {{.kind = SN_LOG_REAL, .value.real = self->battery_V},
                             {.kind = SN_LOG_REAL, .value.real = self->battery_min_V}};
  sn_component_log_limited(
      &self->controller.component, &self->low, self->controller.now_ns, SN_LOG_WARNING,
      "the battery has {} V, battery_min is {} V: the robot stops walking", 2, args);
  return false;
}

bool sn__walk_joints_work(walk *self, double dt_s) {
  if (!self->is_walking || !self->has_measured) {
    begin_window(self);
    return true;
  }
  const bool is_near = follows(self, dt_s);
  return moves(self, dt_s) && is_near;
}
