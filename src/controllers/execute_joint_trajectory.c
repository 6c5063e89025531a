/* The component `execute_joint_trajectory`: goals are trajectories of joints. */
#include "controllers/execute_component.h"
#include "sinew/components.h"

static const sn_property properties[] = {
    SN_CONTROLLER_PROPERTIES,
    SN__EXECUTE_PROPERTIES("0.1"),
    SN_PROPERTY(sn__execute_component, "clamp_positions", defaults.clamp_positions,
                .doc = "Move points beyond the limits of a joint to the limit; else such a goal is "
                       "rejected."),
    {0}};

static const sn_port ports[] = {SN__EXECUTE_PORTS, {0}};

static sn_status create(sn_component *component, sn_error *err) {
  sn__execute_component *self = (sn__execute_component *)component;
  return sn__execute_component_create(component, sn__joint_goal_read, &self->defaults, err);
}

static sn_status configure(sn_component *component, sn_error *err) {
  static const sn_controller_hooks hooks = {.create = create,
                                            .owned_changed = sn__execute_component_owned_changed};
  return sn_controller_configure(component, &hooks, err);
}

static const sn_operation operations[] = {
    {"execute", SN_CLIENT_THREAD, &sn_trajectory_goal_type, &sn_trajectory_answer_type,
     sn__execute_component_execute,
     "Take the limbs of these joints and move them along; replaces a goal in execution. Points "
     "whose times are all 0 are passed as fast as limits of the joints allow."},
    SN__EXECUTE_OPERATIONS,
    {0}};

const sn_component_type sn_execute_joint_trajectory_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "execute_joint_trajectory",
    .doc =
        "Moves joints along trajectories: takes their limbs, follows, releases them. Pseudo-joints "
        "support/CHAIN state which chains bear weight: more than 0.5 is contact.",
    .size = sizeof(sn__execute_component),
    .properties = properties,
    .ports = ports,
    .operations = operations,
    .services = sn_controller_services,
    .needs = sn_controller_needs,
    .example =
        "components:\n"
        "  execute:\n"
        "    type: execute_joint_trajectory\n"
        "    properties: {goal_tolerance: 0.02, release_when_done: false}\n",
    .configure = configure,
    .start = sn__execute_component_start,
    .step = sn__execute_component_step,
    .stop = sn__execute_component_stop,
    .cleanup = sn_controller_cleanup,
    .dispose = sn__execute_component_dispose,
};
