/* A controller of your own: copy this file, rename `nod`, fill in `step`. It takes one limb and
 * swings its second joint; what it writes reaches the robot only while the limb is its own. The
 * deployment is 06_controller.yaml; the program runs it for two seconds of simulated time. */
#include <math.h>
#include <sinew/sinew.h>
#include <stdio.h>
#include <string.h>

typedef struct nod {
  sn_component component; /* always first */
  const char *limb;
  sn_input sync;
  sn_output out;
  sn_requester robot_model, arbiter;
  sn_controller controller; /* the connection to the arbiter */
  sn_resource_set wanted;
} nod;

static const sn_property properties[] = {
    SN_PROPERTY(nod, "limb", limb, .initial = "head", .doc = "The chain that it moves."), {0}};
static const sn_port ports[] = {
    SN_INPUT(nod, "sync", sync, &sn_timer_event_type, .flags = SN_PORT_EVENT, .doc = "The tick."),
    SN_OUTPUT(nod, "out", out, &sn_joint_state_type, .doc = "The reference of its limb."),
    {0}};
static const sn_need needs[] = {
    SN_ROBOT_MODEL_NEED(nod),
    {.name = "arbiter", .interface = SN_RESOURCE_ARBITER, .offset = offsetof(nod, arbiter)},
    {0}};
static const sn_operation operations[] = {SN_RELEASE_RESOURCES, {0}};

static const void *face(sn_component *component) {
  return &((nod *)component)->controller;
}
static const sn_service services[] = {{SN_RESOURCE_CONSUMER, face, "It takes a limb."}, {0}};

/* Say which limb is wanted, and name its joints: those it will own, in the order of the pose. */
static sn_status configure(sn_component *component, sn_error *err) {
  nod *n = (nod *)component;
  sn_robot_model *robot = (sn_robot_model *)n->robot_model.face;
  sn_status status = sn_controller_attach(&n->controller, component, &n->arbiter, true, NULL, err);
  const sn_model *model = status == SN_OK ? sn_robot_model_hold(robot) : NULL;
  if (model == NULL) {
    return status == SN_OK ? SN_ENOTCONFIGURED : status;
  }
  status =
      sn_controller_find(&n->controller, sn_model_joint_names(model), &n->limb, 1, &n->wanted, err);
  sn_msg_names *names = &((sn_joint_state *)n->out.msg)->name;
  sn_msg_names_clear(names);
  for (size_t j = 0; status == SN_OK && j < n->controller.map->joint_count; j++) {
    const int resource = n->controller.map->resource_of_joint[j];
    if (resource >= 0 && sn_resource_set_has(&n->wanted, (size_t)resource)) {
      const char *name = sn_model_joint(model, j)->name;
      status = sn_msg_names_add(names, name, strlen(name));
    }
  }
  sn_robot_model_release(robot);
  return status;
}

/* Ask until the limb is there; then say in every cycle where all of its joints shall be. Ask before
   you write: what you get is yours in this very step. */
static sn_status step(sn_component *component, int64_t now_ns) {
  nod *n = (nod *)component;
  sn_joint_state *msg = n->out.msg;
  if (!sn_consumer_is_operational(&n->controller.consumer)) {
    (void)sn_consumer_request_exclusive(&n->controller.consumer, &n->wanted);
  }
  msg->header.stamp_ns = now_ns;
  msg->position.count = msg->name.count;
  msg->position.data[1] = 0.3 * sin(2e-9 * (double)now_ns);
  const sn_resource_set held = sn_consumer_held(&n->controller.consumer);
  return sn_resource_set_is_empty(&held) ? SN_OK : sn_output_write(&n->out);
}

static const sn_component_type nod_type = {.abi = SN_COMPONENT_ABI,
                                           .name = "nod",
                                           .size = sizeof(nod),
                                           .properties = properties,
                                           .ports = ports,
                                           .needs = needs,
                                           .operations = operations,
                                           .services = services,
                                           .configure = configure,
                                           .step = step};

int main(void) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "example", 1 << 16);
  sn_clock clock;
  sn_clock_init_simulated(&clock, 0);
  sn_report *report = sn_report_create(&arena);
  sn_component_registry *registry = sn_component_registry_create(&arena);
  sn_system *system = sn_system_create(&(sn_system_config){.clock = &clock});
  const sn_deployment *deployment = NULL;
  sn_tap *tap = NULL;
  sn_error err = {.message = "see the report"};
  if (sn_components_add(registry, &err) != SN_OK ||
      sn_component_registry_add(registry, &nod_type, &err) != SN_OK ||
      sn_deployment_load(&arena, "examples/06_controller.yaml",
                         &(sn_deployment_config){.registry = registry}, report,
                         &deployment) != SN_OK ||
      sn_deployment_build(deployment, system, report) != SN_OK ||
      sn_tap_open(system, "aggregator.joints_sorted", NULL, &tap, &err) != SN_OK ||
      sn_system_begin(system, &err) != SN_OK ||
      sn_system_run(system, INT64_C(2000000000), NULL, NULL, &err) != SN_OK) {
    fprintf(stderr, "%s\n", err.message);
    return 1;
  }
  const sn_joint_state *pose = sn_tap_read(tap, NULL);
  const int joint = sn_msg_names_index(&pose->name, "head_joint2");
  printf("head_joint2 is at %.3f rad\n", pose->position.data[joint]);
  sn_tap_close(tap);
  sn_system_destroy(system);
  sn_arena_release(&arena);
  return 0;
}
