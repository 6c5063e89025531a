/* A controller of a user's own in the standard deployment, in simulated time. It takes the head
   and releases it in its steps, then an operation makes it take a leg.
   usage: controller FOLDER [-]     of the installed robots; -: built without YAML */
#include <string.h>

#include "check.h"

typedef struct guest {
  sn_controller controller;
  sn_joint_state *listed; /* receives the names of its joints */
  int starts, takes;
  bool was_operational, was_idle, was_refused;
} guest;

static int cleanups;

static sn_status create(sn_component *component, sn_error *err) {
  (void)err;
  guest *self = (guest *)component;
  self->listed = sn_msg_create(sn_component_arena(component), &sn_joint_state_type, NULL);
  return self->listed == NULL ? SN_ENOMEM : SN_OK;
}

static sn_status configure(sn_component *component, sn_error *err) {
  static const sn_controller_hooks hooks = {.create = create};
  return sn_controller_configure(component, &hooks, err);
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  ((guest *)component)->starts++;
  return sn_controller_start(component, now_ns, err);
}

static void cleanup(sn_component *component) {
  cleanups++;
  sn_controller_cleanup(component);
}

/* Takes the head once, keeps it for one step, and releases it. */
static void visit(guest *self) {
  static const char *const wing[] = {"wing"};
  static const char *const head[] = {"head"};
  sn_error err;
  if (self->takes == 0 && self->controller.has_pose) {
    self->was_idle = !sn_controller_is_operational(&self->controller);
    self->was_refused = sn_controller_take(&self->controller, wing, 1, &err) == SN_ENOENT;
    self->takes += sn_controller_take(&self->controller, head, 1, &err) == SN_OK;
    self->was_operational = sn_controller_is_operational(&self->controller);
    sn_controller_name_joints(&self->controller, &self->listed->name);
    sn_controller_set_support(&self->controller, 0, 0.0);
    sn_controller_warn(&self->controller, "has taken the head", 0, NULL);
  } else if (self->takes == 1) {
    self->takes++;
    sn_controller_release(&self->controller);
  }
}

static sn_status step(sn_component *component, int64_t now_ns) {
  guest *self = (guest *)component;
  sn_controller_begin_step(&self->controller, now_ns);
  visit(self);
  return sn_controller_publish(&self->controller);
}

static const sn_property properties[] = {SN_CONTROLLER_PROPERTIES, {0}};
static const sn_operation operations[] = {SN_CONTROLLER_OPERATIONS, {0}};
static const sn_component_type guest_type = {.abi = SN_COMPONENT_ABI,
                                             .name = "guest",
                                             .doc = "Takes limbs.",
                                             .size = sizeof(guest),
                                             .properties = properties,
                                             .ports = sn_controller_ports,
                                             .operations = operations,
                                             .services = sn_controller_services,
                                             .needs = sn_controller_needs,
                                             .configure = configure,
                                             .start = start,
                                             .step = step,
                                             .cleanup = cleanup};

static const char text[] =
    "include: [standard.yaml]\n"
    "components: {guest: {type: guest, properties: {priority: 1}}}\n"
    "connections:\n"
    "  - timer.sync -> guest.sync\n"
    "  - aggregator.joints_sorted -> guest.in_joints_sorted\n"
    "  - guest.out_joints_ref -> aggregator.in_joints\n"
    "  - guest.ref_support -> aggregator.in_supports\n";

/* @return as sn_deployment_parse(): SN_EINVAL without YAML */
static sn_status build(sn_arena *arena, const char *folder, sn_system *system, sn_report *report) {
  char path[1024];
  static const char *const without[] = {"cockpit"};
  sn_deployment_file standard = {.name = "standard.yaml"};
  standard.text = sn_standard_deployment(&standard.size);
  sn_component_registry *registry = sn_component_registry_create(arena);
  CHECK(sn_components_add(registry, NULL) == SN_OK);
  CHECK(sn_component_registry_add(registry, &guest_type, NULL) == SN_OK);
  const sn_deployment_config config = {
      .registry = registry,
      .files = &standard,
      .file_count = 1,
      .robot = check_path(path, sizeof path, folder, "quadruped.yaml"),
      .without = without,
      .without_count = 1,
      .may_read = true};
  const sn_deployment *deployment = NULL;
  const sn_status status =
      sn_deployment_parse(arena, text, sizeof text - 1, "controller", &config, report, &deployment);
  return status == SN_OK ? sn_deployment_build(deployment, system, report) : status;
}

static bool run(sn_system *system, double duration_s) {
  return sn_system_run(system, (int64_t)(1e9 * duration_s), NULL, NULL, NULL) == SN_OK;
}

static size_t owned_count(const guest *self) {
  size_t count = 0;
  for (size_t i = 0; i < self->controller.joint_count; i++) {
    count += self->controller.owned[i];
  }
  return count;
}

static bool has_warned(sn_log *log) {
  sn_log_record record;
  bool found = false;
  while (sn_log_read(log, &record)) {
    found = found || strcmp(record.format, "has taken the head") == 0;
  }
  return found;
}

/* Posts an operation of the guest and lets it run. */
static void post(sn_system *system, const char *operation, const void *request) {
  sn_caller caller;
  CHECK(sn_caller_open(system, operation, &caller, NULL) == SN_OK);
  CHECK(sn_caller_post(&caller, request, NULL) == SN_OK);
  CHECK(run(system, 0.05));
  sn_caller_close(&caller);
}

static void check_guest(sn_arena *arena, sn_system *system, sn_log *log) {
  const guest *self = (const guest *)sn_system_find(system, "guest");
  CHECK(run(system, 0.5));
  CHECK(self->starts == 1 && self->was_idle && self->was_refused && self->was_operational);
  CHECK(self->takes == 2 && owned_count(self) == 0 && has_warned(log));
  size_t head_count = 0;
  const int head = sn_model_chain_index(self->controller.model, "head");
  const int *joints = sn_model_chain_joints(self->controller.model, (size_t)head, &head_count);
  CHECK(self->listed->name.count >= head_count);
  CHECK(strcmp(sn_msg_names_at(&self->listed->name, 0),
               sn_model_joint(self->controller.model, (size_t)joints[0])->name) == 0);

  sn_set_operational *leg = sn_msg_create(arena, &sn_set_operational_type, NULL);
  sn_resource_request *release = sn_msg_create(arena, &sn_resource_request_type, NULL);
  leg->operational = true;
  CHECK(sn_msg_names_add(&leg->resources, "leg1", 4) == SN_OK);
  post(system, "guest.setOperational", leg);
  size_t leg_count = 0;
  sn_model_chain_joints(self->controller.model, 0, &leg_count);
  CHECK(owned_count(self) == leg_count);
  CHECK(sn_msg_names_add(&release->resources, "leg1", 4) == SN_OK);
  post(system, "guest.releaseResources", release);
  CHECK(owned_count(self) == 0);
  post(system, "guest.rosSetOperational", &(sn_call_switch){.data = true});
  CHECK(owned_count(self) == self->controller.joint_count);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    return 2;
  }
  sn_arena arena;
  sn_arena problems;
  sn_arena_init_growing(&arena, "controller", 0);
  sn_arena_init_growing(&problems, "problems", 0);
  sn_report *report = NULL;
  sn_log *log = NULL;
  sn_clock clock;
  sn_clock_init_simulated(&clock, 0);
  CHECK(sn_report_create(&problems, &report, NULL) == SN_OK);
  CHECK(sn_log_create(&arena, 1024, &log, NULL) == SN_OK);
  sn_system *system = sn_system_create(&(sn_system_config){.clock = &clock, .log = log});
  const sn_status status = build(&arena, argv[1], system, report);
  if (CHECK(status == (argc == 2 ? SN_OK : SN_EINVAL)) && status == SN_OK &&
      CHECK(sn_system_begin(system, NULL) == SN_OK)) {
    check_guest(&arena, system, log);
    sn_system_end(system);
    CHECK(cleanups == 1);
  }
  sn_system_destroy(system);
  sn_arena_release(&problems);
  sn_arena_release(&arena);
  return check_result();
}
