#include <string.h>

#include "base/fail.h"
#include "controllers/jog/cartesian_servo.h"

static bool owns_chain(const sn_controller *c, const sn_chain *chain) {
  for (size_t j = 0; j < chain->joint_count; j++) {
    if (!c->owned[chain->joints[j]]) {
      return false;
    }
  }
  return true;
}

/* The chain that commands are for; -1: none can be jogged. */
int sn__servo_wanted_chain(const sn__cartesian_servo *self) {
  const sn_controller *c = &self->controller;
  const bool is_named = self->chain != NULL && *self->chain != '\0';
  const char *name = is_named                         ? self->chain
                     : c->controlled_chains.count > 0 ? c->controlled_chains.data[0]
                                                      : NULL;
  if (name != NULL) {
    const int index = sn_model_chain_index(c->model, name);
    return index >= 0 && self->tools[index].servo != NULL ? index : -1;
  }
  int first = -1;
  for (size_t i = 0; i < self->tool_count; i++) {
    if (self->tools[i].servo == NULL) {
      continue;
    }
    if (self->tools[i].chain->joint_count >= 6) {
      return (int)i;
    }
    first = first < 0 ? (int)i : first;
  }
  return first;
}

static void begin_chain(sn__cartesian_servo *self, int index) {
  const sn_controller *c = &self->controller;
  self->now = index;
  const sn__jog_tool *t = &self->tools[index];
  for (size_t j = 0; j < t->chain->joint_count; j++) {
    self->chain_q[j] = c->pose[t->chain->joints[j]];
    self->chain_qd[j] = c->pose_velocity[t->chain->joints[j]];
  }
  sn__tool_servo_begin(t->servo, self->chain_q);
  sn__tool_servo_go_on_from(t->servo, self->chain_q, self->chain_qd);
  self->rest_ns = c->now_ns;
}

void sn__servo_owned_changed(sn_component *component, const bool *had) {
  sn__cartesian_servo *self = (sn__cartesian_servo *)component;
  const sn_controller *c = &self->controller;
  (void)had;
  const int index = sn__servo_wanted_chain(self);
  if (self->now >= 0 && !owns_chain(c, self->tools[self->now].chain)) {
    self->now = -1;
    if (self->command.is_motion) {
      sn__servo_explain(self, "lost");
    }
    self->command = (sn__jog_command){0};
  }
  if (self->now < 0 && index >= 0 && owns_chain(c, self->tools[index].chain)) {
    begin_chain(self, index);
  }
}

sn_status sn__servo_can_take(const sn_component *component, sn_error *err) {
  const sn__cartesian_servo *self = (const sn__cartesian_servo *)component;
  if (!self->controller.has_pose) {
    return sn__fail(err, SN_ENOTCONFIGURED,
                    "%s does not activate: no pose has arrived on in_joints_sorted",
                    component->name);
  }
  return sn__servo_wanted_chain(self) >= 0
             ? SN_OK
             : sn__fail(err, SN_EUNSUPPORTED,
                        "%s does not activate: the robot has no chain '%s' that can be jogged",
                        component->name, self->chain == NULL ? "" : self->chain);
}

/* The limb of a command is taken; that of an earlier one is released when it rests.
   @return whether it owns the limb */
bool sn__servo_take_limb(sn__cartesian_servo *self) {
  sn_controller *c = &self->controller;
  const int index = sn__servo_wanted_chain(self);
  if (self->now >= 0 && self->now != index && self->outcome.is_still) {
    sn_controller_release(c);
    self->is_own_limb = false;
    return false; /* it is taken in the next cycle, if the command is repeated */
  }
  if (self->now >= 0 || index < 0) {
    return self->now >= 0 && self->now == index;
  }
  const char *name = sn_names_at(sn_model_chain_names(c->model), (size_t)index);
  const bool was_operational = sn_controller_is_operational(c);
  const sn_status status = sn_controller_take(c, &name, 1, NULL);
  self->is_own_limb = self->is_own_limb || !was_operational;
  if (status != SN_OK) {
    sn_controller_warn(c, "a command was refused: a stronger controller holds the limb", 0, NULL);
  }
  return self->now >= 0;
}
