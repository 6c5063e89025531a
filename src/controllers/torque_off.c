/* A controller that takes limbs and lets them go limp. The aggregator lets it, since it owns them,
   and meanwhile commands what is measured: whoever takes a limb next begins where it is. */
#include "base/fail.h"
#include "controllers/limbs.h"
#include "rt/components/robot_model_client.h"
#include "sinew/components.h"

typedef struct torque_off {
  sn_component component;
  sn__limbs limbs;
  sn_input sync;
  sn_output out_limp, ref_support;
  sn_requester robot_model;
  const sn_model *model;
} torque_off;

static const sn_property properties[] = {SN__LIMBS_PROPERTIES(torque_off, limbs), {0}};

static const sn_port ports[] = {
    SN_INPUT(torque_off, "sync", sync, &sn_timer_event_type, .flags = SN_PORT_EVENT,
             .doc = "The tick."),
    SN_OUTPUT(torque_off, "out_limp", out_limp, &sn_servo_goal_type,
              .doc = "All joints that it owns: let go."),
    SN_OUTPUT(torque_off, "ref_support", ref_support, &sn_support_state_type,
              .doc = "No weight on limbs that are limp."),
    {0}};

/* Names and flags change with the owned set only. */
static void set_changed(void *context, const sn_resource_set *changed,
                        const sn_resource_set *held) {
  torque_off *self = context;
  (void)changed;
  (void)held;
  sn_servo_goal *out = self->out_limp.msg;
  sn__limbs_name_joints(&self->limbs, &out->name, NULL);
  sn__limbs_fill_supports(&self->limbs, self->ref_support.msg);
  out->limp.count = out->name.count;
  for (size_t i = 0; i < out->limp.count; i++) {
    out->limp.data[i] = true;
  }
}

static sn_status step(sn_component *component, int64_t now_ns) {
  torque_off *self = (torque_off *)component;
  sn__limbs_begin_step(&self->limbs, now_ns);
  if (!sn__limbs_move(&self->limbs)) {
    return SN_OK;
  }
  ((sn_support_state *)self->ref_support.msg)->header.stamp_ns = now_ns;
  (void)sn_output_write(&self->ref_support); /* what does not fit is counted there */
  ((sn_servo_goal *)self->out_limp.msg)->header.stamp_ns = now_ns;
  return sn_output_write(&self->out_limp);
}

static sn_status create_all(sn_component *component, sn_error *err) {
  torque_off *self = (torque_off *)component;
  const sn_consumer_hooks hooks = {
      .context = self, .acquired = set_changed, .released = set_changed};
  const sn_servo_goal *out = self->out_limp.msg;
  const sn_status status =
      sn__fits(sn_model_pose_size(self->model), out->limp.capacity, "joints", err);
  return status == SN_OK ? sn__limbs_attach(&self->limbs, component, self->model, &hooks, err)
                         : status;
}

static sn_status configure(sn_component *component, sn_error *err) {
  torque_off *self = (torque_off *)component;
  return sn__configure_with_model(component, &self->robot_model, &self->model, create_all, err);
}

static void cleanup(sn_component *component) {
  sn__model_release(&((torque_off *)component)->robot_model);
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  (void)now_ns;
  (void)err;
  sn__limbs_start(&((torque_off *)component)->limbs);
  return SN_OK;
}

static const sn_operation operations[] = {SN__LIMBS_OPERATIONS, {0}};

static const void *controller_face(sn_component *component) {
  return &((torque_off *)component)->limbs.controller;
}

static const sn_service services[] = {
    {SN_RESOURCE_CONSUMER, controller_face, "It takes limbs, and lets them go."}, {0}};

static const sn_need needs[] = {
    SN_ROBOT_MODEL_NEED(torque_off), SN__LIMBS_NEED(torque_off, limbs), {0}};

const sn_component_type sn_torque_off_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "torque_off",
    .doc = "Takes limbs and lets them go limp: people may move them, and nothing jumps afterwards.",
    .size = sizeof(torque_off),
    .properties = properties,
    .ports = ports,
    .operations = operations,
    .services = services,
    .needs = needs,
    .configure = configure,
    .start = start,
    .step = step,
    .cleanup = cleanup,
    .example =
        "components:\n"
        "  torque_off:\n"
        "    type: torque_off\n"
        "    properties: {controlled_chains: [head]}\n",
};
