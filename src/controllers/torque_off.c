/* A controller that takes limbs and makes them limp. Meanwhile the gate commands what is measured,
   so the next controller starts where the limb is. */
#include "arbiter/controller_internal.h"
#include "rt/components/robot_model_client.h"
#include "sinew/controller.h"

typedef struct torque_off {
  sn_controller controller;
  sn_output out_limp;
} torque_off;

static const sn_property properties[] = {SN_CONTROLLER_PROPERTIES, {0}};

static const sn_port ports[] = {
    SN_INPUT(sn_controller, "sync", sync, &sn_timer_event_type, .flags = SN_PORT_EVENT,
             .doc = "The tick."),
    SN_OUTPUT(torque_off, "out_limp", out_limp, &sn_servo_goal_type,
              .doc = "All joints it owns, limp."),
    SN_OUTPUT(sn_controller, "ref_support", ref_support, &sn_support_state_type,
              .doc = "No weight on limp limbs."),
    {0}};

static sn_status create(sn_component *component, sn_error *err) {
  const torque_off *self = (const torque_off *)component;
  const sn_servo_goal *out = self->out_limp.msg;
  return sn__fits(self->controller.joint_count, out->limp.capacity, "joints", err);
}

/* Names and flags change with the owned joints only. */
static void owned_changed(sn_component *component, const bool *had) {
  const torque_off *self = (const torque_off *)component;
  (void)had;
  sn_servo_goal *out = self->out_limp.msg;
  sn_controller_name_joints(&self->controller, &out->name);
  out->limp.count = out->name.count;
  for (size_t i = 0; i < out->limp.count; i++) {
    out->limp.data[i] = true;
  }
}

static sn_status configure(sn_component *component, sn_error *err) {
  static const sn_controller_hooks hooks = {.create = create, .owned_changed = owned_changed};
  return sn_controller_configure(component, &hooks, err);
}

static sn_status step(sn_component *component, int64_t now_ns) {
  torque_off *self = (torque_off *)component;
  if (!sn_controller_begin_step(&self->controller, now_ns)) {
    return SN_OK;
  }
  ((sn_servo_goal *)self->out_limp.msg)->header.stamp_ns = now_ns;
  const sn_status status = sn_controller_publish(&self->controller);
  return status == SN_OK ? sn_output_write(&self->out_limp) : status;
}

const sn_component_type sn_torque_off_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "torque_off",
    .doc = "Makes limbs limp, so that people can move them; nothing jumps afterwards.",
    .size = sizeof(torque_off),
    SN__CONTROLLER_TABLES(properties, ports, sn_controller_needs),
    .example =
        "components:\n"
        "  torque_off:\n"
        "    type: torque_off\n"
        "    properties: {controlled_chains: [head]}\n",
    .configure = configure,
    .start = sn_controller_start,
    .step = step,
    .cleanup = sn_controller_cleanup,
};
