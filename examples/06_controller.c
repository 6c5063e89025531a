/* A controller of your own: copy this file, rename `nod`, change `step`. It takes one limb, holds
 * its joints where they are and moves one of them. What it writes reaches the robot only while the
 * limb is its own. The deployment, 06_controller.yaml, adds it to the standard one; the program
 * runs that for three seconds of simulated time and prints where the joints went. */
#include <math.h>
#include <sinew/sinew.h>
#include <stdio.h>
#include <string.h>

enum { JOINTS_MAX = 32 };

typedef struct nod {
  sn_component component; /* always first */
  const char *limb;
  const char *joint;
  sn_input sync, pose;
  sn_output out;
  sn_requester robot_model, arbiter;
  sn_controller controller; /* the connection to the arbiter */
  sn_resource_set wanted;
  int place[JOINTS_MAX]; /* in the sorted pose, of each joint of the limb */
  int moving;            /* which of them moves */
  double start[JOINTS_MAX];
  bool had_limb;
  int64_t since_ns;
} nod;

static const sn_property properties[] = {
    SN_PROPERTY(nod, "limb", limb, .initial = "head", .doc = "The chain that it takes."),
    SN_PROPERTY(nod, "joint", joint, .initial = "head_joint2", .doc = "The joint that moves."),
    {0}};
static const sn_port ports[] = {
    SN_INPUT(nod, "sync", sync, &sn_timer_event_type, .flags = SN_PORT_EVENT, .doc = "The tick."),
    SN_INPUT(nod, "in_joints_sorted", pose, &sn_joint_state_type, .flags = SN_PORT_FEEDBACK,
             .doc = "Where the robot is."),
    SN_OUTPUT(nod, "out_joints_ref", out, &sn_joint_state_type, .doc = "Where its limb shall be."),
    {0}};
static const sn_need needs[] = {
    SN_ROBOT_MODEL_NEED(nod),
    {.name = "arbiter", .interface = SN_RESOURCE_ARBITER, .offset = offsetof(nod, arbiter)},
    {0}};
static const sn_operation operations[] = {SN_RELEASE_RESOURCES, {0}};

static const void *iface(sn_component *component) {
  return &((nod *)component)->controller;
}
static const sn_service services[] = {{SN_RESOURCE_CONSUMER, iface, "It takes a limb."}, {0}};

/* Name the joints of the limb in the message, and remember where each is in the sorted pose. */
static sn_status find_joints(nod *n, const sn_model *model, sn_error *err) {
  const sn_resource_map *map = n->controller.map;
  sn_joint_state *msg = n->out.msg;
  sn_msg_names_clear(&msg->name);
  n->moving = -1;
  sn_status status =
      sn_controller_find(&n->controller, sn_model_joint_names(model), &n->limb, 1, &n->wanted, err);
  for (size_t j = 0; status == SN_OK && j < map->joint_count; j++) {
    const int resource = map->resource_of_joint[j];
    if (resource >= 0 && sn_resource_set_has(&n->wanted, (size_t)resource)) {
      const size_t k = msg->name.count;
      const char *name = sn_model_joint(model, j)->name;
      status = k < JOINTS_MAX ? sn_msg_names_add(&msg->name, name, strlen(name)) : SN_ENOSPC;
      n->place[k < JOINTS_MAX ? k : 0] = (int)j;
      n->moving = strcmp(name, n->joint) == 0 ? (int)k : n->moving;
    }
  }
  return status == SN_OK && n->moving < 0 ? SN_ENOENT : status;
}

static sn_status configure(sn_component *component, sn_error *err) {
  nod *n = (nod *)component;
  sn_robot_model *robot = (sn_robot_model *)n->robot_model.iface;
  sn_status status = sn_controller_attach(&n->controller, component, &n->arbiter, false, NULL, err);
  const sn_model *model = status == SN_OK ? sn_robot_model_hold(robot) : NULL;
  if (model == NULL) {
    return status == SN_OK ? SN_ENOTCONFIGURED : status;
  }
  status = find_joints(n, model, err);
  sn_robot_model_release(robot);
  return status;
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  nod *n = (nod *)component;
  (void)err;
  n->had_limb = false;
  n->since_ns = now_ns;
  return SN_OK;
}

/* Half a second after the start, when the controllers that begin by themselves have what they want,
   it asks for its limb; others may take it away later, and then it lets them. Once it has the limb,
   it says in every cycle where all of its joints shall be. */
static sn_status step(sn_component *component, int64_t now_ns) {
  nod *n = (nod *)component;
  sn_joint_state *msg = n->out.msg;
  const sn_joint_state *pose = sn_input_read(&n->pose, NULL);
  if (!n->had_limb && pose != NULL && now_ns - n->since_ns > 500000000 &&
      sn_consumer_request_exclusive(&n->controller.consumer, &n->wanted)) {
    for (size_t k = 0; k < msg->name.count; k++) {
      n->start[k] = pose->position.data[n->place[k]];
    }
    n->had_limb = true;
    n->since_ns = now_ns;
  }
  if (!n->had_limb || !sn_controller_has_joint(&n->controller, (size_t)n->place[n->moving])) {
    return SN_OK;
  }
  msg->header.stamp_ns = now_ns;
  msg->position.count = msg->name.count;
  for (size_t k = 0; k < msg->name.count; k++) {
    msg->position.data[k] = n->start[k];
  }
  msg->position.data[n->moving] += 0.15 * (1.0 - cos(2e-9 * (double)(now_ns - n->since_ns)));
  return sn_output_write(&n->out);
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
                                           .start = start,
                                           .step = step};

/* @return 0 if the servo of head_joint2 went 0.1 rad or more and no other joint went anywhere */
static int judge(const double *before, const sn_joint_state *after) {
  int good = 0;
  for (size_t j = 0; j < after->position.count; j++) {
    const char *name = sn_msg_names_at(&after->name, j);
    const double way = after->position.data[j] - before[j];
    const int is_moving = strcmp(name, "head_joint2") == 0;
    if (is_moving || fabs(way) > 0.02) {
      printf("%s went %.3f rad\n", name, way);
    }
    good += is_moving ? fabs(way) > 0.1 : fabs(way) < 0.02;
  }
  return good == (int)after->position.count ? 0 : 1;
}

int main(void) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "example", 1 << 16);
  sn_clock clock;
  sn_clock_init_simulated(&clock, 0);
  sn_report *report = sn_report_create(&arena);
  sn_component_registry *registry = sn_component_registry_create(&arena);
  sn_system *system = sn_system_create(&(sn_system_config){.clock = &clock});
  sn_deployment_file standard = {.name = "standard.yaml"};
  standard.text = sn_standard_deployment(&standard.size);
  static const char *const without[] = {"cockpit"}; /* is no part of the library */
  const sn_deployment_config config = {.registry = registry,
                                       .files = &standard,
                                       .file_count = 1,
                                       .without = without,
                                       .without_count = 1};
  const sn_deployment *deployment = NULL;
  sn_tap *tap = NULL;
  sn_error err = {.message = "the deployment is not good"};
  if (sn_components_add(registry, &err) != SN_OK ||
      sn_component_registry_add(registry, &nod_type, &err) != SN_OK ||
      sn_deployment_load(&arena, "examples/06_controller.yaml", &config, report, &deployment) !=
          SN_OK ||
      sn_deployment_build(deployment, system, report) != SN_OK ||
      sn_tap_open(system, "plant.joints_measured", NULL, &tap, &err) != SN_OK ||
      sn_system_begin(system, &err) != SN_OK ||
      sn_system_run(system, INT64_C(500000000), NULL, NULL, &err) != SN_OK) {
    fprintf(stderr, "%s\n", err.message);
    for (size_t i = 0; i < sn_report_count(report); i++) {
      fprintf(stderr, "%s\n", sn_report_at(report, i)->message);
    }
    return 1;
  }
  double before[256];
  const sn_joint_state *pose = sn_tap_read(tap, NULL);
  memcpy(before, pose->position.data, pose->position.count * sizeof *before);
  int code = sn_system_run(system, INT64_C(2000000000), NULL, NULL, &err) == SN_OK ? 0 : 1;
  code = code == 0 ? judge(before, sn_tap_read(tap, NULL)) : code;
  sn_tap_close(tap);
  sn_system_destroy(system);
  sn_arena_release(&arena);
  return code;
}
