#include "sinew/component.h"
#include "sinew/msg_types.h"
#include "sn_test.h"

typedef struct probe {
  sn_component component;
  double gain;
  sn_input in;
  sn_inputs many;
  sn_output out;
  sn_requester model;
  sn_caller call;
} probe;

static sn_status run(sn_component *component, const void *request, void *response, sn_error *err) {
  (void)component, (void)request, (void)response, (void)err;
  return SN_OK;
}

static const void *iface(sn_component *component) {
  return component;
}

static const sn_property properties[] = {
    SN_PROPERTY(probe, "gain", gain, .initial = "1", .max = 2.0), {0}};
static const sn_port ports[] = {
    SN_INPUT(probe, "in", in, &sn_joint_state_type, .flags = SN_PORT_EVENT),
    SN_INPUTS(probe, "many", many, &sn_joint_state_type, .doc = ""),
    SN_OUTPUT(probe, "out", out, &sn_joint_state_type, .doc = ""),
    {0}};
static const sn_operation operations[] = {{.name = "go", .run = run}, {0}};
static const sn_service services[] = {{.name = "Probe/2", .iface = iface}, {0}};
static const sn_need needs[] = {
    {.name = "model", .interface = "RobotModelURDF", .offset = offsetof(probe, model)},
    {.name = "call", .operation = "go", .offset = offsetof(probe, call)},
    {0}};

static const sn_component_type good = {.abi = SN_COMPONENT_ABI,
                                       .name = "Probe",
                                       .size = sizeof(probe),
                                       .properties = properties,
                                       .ports = ports,
                                       .operations = operations,
                                       .services = services,
                                       .needs = needs};

static sn_arena arena;
static sn_component_registry *registry;

static int set_up(void **state) {
  (void)state;
  sn_arena_init_growing(&arena, "registry", 0);
  registry = sn_component_registry_create(&arena);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sn_arena_release(&arena);
  return 0;
}

SN_TEST(added_types_are_found_by_name) {
  assert_null(sn_component_registry_find(registry, "Probe"));
  sn_error err;
  assert_int_equal(sn_component_registry_add(registry, &good, &err), SN_OK);
  static sn_component_type many[40];
  static char names[40][8];
  for (size_t i = 0; i < 40; i++) {
    snprintf(names[i], sizeof names[i], "t%zu", i);
    many[i] = good;
    many[i].name = names[i];
    assert_int_equal(sn_component_registry_add(registry, &many[i], &err), SN_OK);
  }
  assert_int_equal(sn_component_registry_count(registry), 41);
  assert_ptr_equal(sn_component_registry_find(registry, "Probe"), &good);
  assert_ptr_equal(sn_component_registry_find(registry, "t39"), &many[39]);
  assert_ptr_equal(sn_component_registry_at(registry, 1), &many[0]);
  assert_null(sn_component_registry_find(registry, "t"));
  assert_int_equal(sn_component_registry_add(registry, &good, &err), SN_EINVAL);
  assert_string_equal(err.message, "component type 'Probe' already exists");
}

static void refused(sn_component_type type, const char *reason) {
  sn_error err = {0};
  assert_int_equal(sn_component_registry_add(registry, &type, &err), SN_EINVAL);
  sn_assert_contains(err.message, reason);
  assert_int_equal(sn_component_registry_count(registry), 0);
}

SN_TEST(invalid_types_are_rejected) {
  sn_component_type bad = good;
  bad.abi = 7;
  refused(bad, "built for interface 7, this library has 3");
  bad = good;
  static const char *const names[] = {"", "1st", "a b", "a.b", "\xC3\xA4", "x-y"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    bad.name = names[i];
    refused(bad, "is not a valid name");
  }
  bad.name = NULL;
  refused(bad, "is not a valid name");
  bad = good;
  bad.size = 3;
  refused(bad, "has 3 bytes");
}

static void refused_port(sn_port port, const char *reason) {
  sn_component_type bad = good;
  const sn_port table[] = {port, {0}};
  bad.ports = table;
  refused(bad, reason);
}

SN_TEST(invalid_ports_are_rejected) {
  sn_component_type bad = good;
  const sn_port twice[] = {ports[0], ports[2], ports[0], {0}};
  bad.ports = twice;
  refused(bad, "'Probe': port 'in' appears twice");
  sn_port port = ports[0];
  port.name = "in put";
  refused_port(port, "port 'in put' is not a valid name");
  port = ports[0];
  port.type = NULL;
  refused_port(port, "port 'in' has no message type");
  port = ports[0];
  port.offset = sizeof(probe) - sizeof(sn_input) + 1;
  refused_port(port, "is outside");
  port.offset = SIZE_MAX;
  refused_port(port, "is outside");
  port.offset = 0;
  refused_port(port, "is outside");
  port = ports[0];
  port.kind = (sn_port_kind)3;
  refused_port(port, "neither input nor output");
  port = ports[2];
  port.flags = SN_PORT_EVENT;
  refused_port(port, "flags of an input");
  port = ports[0];
  port.flags |= SN_PORT_DERIVED;
  refused_port(port, "a flag of outputs");
  port = ports[2];
  port.capacity.item_count = SN_MSG_ITEMS_MAX + 1;
  refused_port(port, "too large");
}

static void refused_need(sn_need need, const char *reason) {
  sn_component_type bad = good;
  const sn_need table[] = {need, {0}};
  bad.needs = table;
  refused(bad, reason);
}

SN_TEST(invalid_operations_services_and_needs_are_rejected) {
  sn_component_type bad = good;
  const sn_operation twice[] = {operations[0], operations[0], {0}};
  bad.operations = twice;
  refused(bad, "operation 'go' appears twice");
  const sn_operation empty[] = {{.name = "go"}, {0}};
  bad.operations = empty;
  refused(bad, "operation 'go' has no function");
  const sn_operation lost[] = {{.name = "go", .run = run, .flags = 9}, {0}};
  bad.operations = lost;
  refused(bad, "has unknown flags");
  const sn_operation whole[] = {{.name = "go", .run = run, .flags = SN_OWN_THREAD | SN_IN_PARTS},
                                {0}};
  bad.operations = whole;
  refused(bad, "runs in its own thread and cannot be SN_IN_PARTS");
  const sn_operation odd[] = {{.name = "g o", .run = run}, {0}};
  bad.operations = odd;
  refused(bad, "operation 'g o' is not a valid name");
  bad = good;
  const sn_service faceless[] = {{.name = "X"}, {0}};
  bad.services = faceless;
  refused(bad, "service 'X' has no function");
  const sn_service same[] = {services[0], services[0], {0}};
  bad.services = same;
  refused(bad, "service 'Probe/2' appears twice");
  bad = good;
  const sn_need needed_twice[] = {needs[0], needs[0], {0}};
  bad.needs = needed_twice;
  refused(bad, "need 'model' appears twice");
  sn_need need = needs[0];
  need.operation = "go";
  refused_need(need, "neither an interface nor an operation, or both");
  need.interface = need.operation = NULL;
  refused_need(need, "neither an interface nor an operation, or both");
  need = needs[1];
  need.offset = sizeof(probe) - 1;
  refused_need(need, "is outside");
  need = needs[1];
  need.name = "a b";
  refused_need(need, "is not a valid name");
}

static void refused_property(sn_property property, const char *reason) {
  sn_component_type bad = good;
  const sn_property table[] = {property, {0}};
  bad.properties = table;
  refused(bad, reason);
}

SN_TEST(invalid_properties_are_rejected) {
  sn_component_type bad = good;
  const sn_property twice[] = {properties[0], properties[0], {0}};
  bad.properties = twice;
  refused(bad, "property 'gain' appears twice");
  sn_property p = properties[0];
  p.initial = "3";
  refused_property(p, "'Probe': initial value: 'Probe.gain' is 3, expected 0 .. 2");
  p.initial = "[";
  refused_property(p, "initial value: not well-formed YAML");
  p.initial = NULL;
  p.min = 1.0;
  refused_property(p, "is 0, expected 1 .. 2");
  p.flags = SN_PROPERTY_REQUIRED;
  p.initial = "1";
  refused_property(p, "is required, and has an initial value");
  p = properties[0];
  p.min = 3.0;
  refused_property(p, "empty range");
  p = properties[0];
  p.offset = sizeof(sn_component) - 1;
  refused_property(p, "is outside");
  p.offset = sizeof(probe) - 1;
  refused_property(p, "is outside");
  p = properties[0];
  p.kind = (sn_property_kind)77;
  refused_property(p, "no known kind");
  p = properties[0];
  p.items = properties;
  refused_property(p, "does not match its kind");
  p.items = NULL;
  p.kind = SN_PROPERTY_BAG;
  refused_property(p, "does not match its kind");
  p = properties[0];
  p.name = "a.b";
  refused_property(p, "is not a valid name");
  p = properties[0];
  p.kind = SN_PROPERTY_TEXT;
  p.initial = NULL;
  p.choices = "a|b";
  refused_property(p, "expected a or b");
}

/* In the bags of a list nothing is made before the deployment does: it must come out now. */
SN_TEST(bad_initial_values_in_lists_of_bags_are_found) {
  typedef struct item {
    int64_t n;
  } item;
  const sn_property inner[] = {SN_PROPERTY(item, "n", n, .initial = "x"), {0}};
  const sn_property p = {.name = "list",
                         .kind = SN_PROPERTY_BAGS,
                         .offset = offsetof(probe, many),
                         .items = inner,
                         .item_size = sizeof(item)};
  refused_property(p, "is 'x', expected an integer");
  sn_property itself[2] = {p, {0}};
  itself[0].items = itself;
  itself[0].item_size = sizeof(probe);
  refused_property(itself[0], "nested too deep");
}

SN_TEST(files_that_are_not_plugins_are_rejected) {
  sn_error err;
  assert_int_equal(sn_component_registry_load(registry, "/no/such/file.so", &err), SN_EIO);
  sn_assert_contains(err.message, "components: plugin ");
  assert_int_equal(sn_component_registry_load(registry, "", &err), SN_EIO);
  assert_int_equal(sn_component_registry_load(registry, SINEW_IK_PLUGIN, &err), SN_ENOENT);
  sn_assert_contains(err.message, "exports no 'sn_component_plugin'");
  assert_int_equal(sn_component_registry_count(registry), 0);
}

SN_TEST(plugin_is_loaded_once_and_whole) {
  sn_error err = {0};
  if (sn_component_registry_load(registry, SINEW_TEST_PLUGIN, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  const size_t count = sn_component_registry_count(registry);
  assert_true(count > 3);
  assert_non_null(sn_component_registry_find(registry, "Gain"));
  assert_int_equal(sn_component_registry_load(registry, SINEW_TEST_PLUGIN, &err), SN_OK);
  assert_int_equal(sn_component_registry_count(registry), count);
  assert_ptr_equal(sn_component_registry_find(registry, "Gain")->ports[0].type,
                   &sn_vector3_type); /* there is one copy of the library */
}

SN_TEST(plugin_with_a_taken_name_adds_nothing) {
  sn_component_type sink = good;
  sink.name = "Sink"; /* not the first of the plugin */
  assert_int_equal(sn_component_registry_add(registry, &sink, NULL), SN_OK);
  sn_error err = {0};
  assert_int_equal(sn_component_registry_load(registry, SINEW_TEST_PLUGIN, &err), SN_EINVAL);
  assert_string_equal(err.message, "component type 'Sink' already exists");
  assert_int_equal(sn_component_registry_count(registry), 1);
}

SN_TEST_EACH(set_up, tear_down)
