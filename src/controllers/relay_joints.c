/* Passes on the references of a controller outside. The arbiter decides who owns a limb, and the
   gate what reaches the servos. */
#include "sinew/components.h"
#include "sinew/msg_types.h"

typedef struct relay_joints {
  sn_component component;
  sn_input sync, in_joints_ref;
  sn_output out_joints_ref;
  sn_log_limit too_large;
} relay_joints;

static const sn_port ports[] = {
    SN_INPUT(relay_joints, "sync", sync, &sn_timer_event_type, .flags = SN_PORT_EVENT,
             .doc = "The tick."),
    SN_INPUT(relay_joints, "in_joints_ref", in_joints_ref, &sn_joint_state_type,
             .doc = "References of the outside controller: joints of its limbs, in any order."),
    SN_OUTPUT(relay_joints, "out_joints_ref", out_joints_ref, &sn_joint_state_type,
              .doc = "The same, for the gate."),
    {0}};

/* Only the last one counts. Outside clocks differ, so it is stamped with the time of arrival. */
static sn_status step(sn_component *component, int64_t now_ns) {
  relay_joints *self = (relay_joints *)component;
  sn_joint_state *out = self->out_joints_ref.msg;
  bool is_new = false;
  size_t left = SN_INPUT_BURST_MAX;
  for (const sn_joint_state *msg; (msg = sn_input_next(&self->in_joints_ref, &left)) != NULL;) {
    if (sn_msg_copy(&sn_joint_state_type, out, msg) == SN_OK) {
      is_new = true;
    } else {
      sn_component_log_limited(component, &self->too_large, now_ns, SN_LOG_WARNING,
                               "a reference is too large", 0, NULL);
    }
  }
  out->header.stamp_ns = now_ns;
  return is_new ? sn_output_write(&self->out_joints_ref) : SN_OK;
}

const sn_component_type sn_relay_joints_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "relay_joints",
    .doc = "Passes on the references of an outside controller.",
    .size = sizeof(relay_joints),
    .ports = ports,
    .example =
        "components:\n"
        "  resources_control: {properties: {list_ros: [walker]}}\n"
        "  walker: {type: relay_joints}\n"
        "connections:\n"
        "  - timer.sync -> walker.sync\n"
        "  - walker.out_joints_ref -> aggregator.in_joints\n",
    .step = step,
};
