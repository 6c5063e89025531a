#include <stdlib.h>

#include "allocation.h"
#include "deployment_rig.h"
#include "program.h"
#include "sinew/msg_types.h"
#include "sinew/tap.h"

static rig r;
static char folder[64];

static int set_up(void **state) {
  (void)state;
  rig_start(&r);
  sn_test_folder_create(folder);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  rig_free(&r);
  sn_test_folder_remove(folder);
  return 0;
}

static sn_status load(const char *name, const char *const *settings, size_t count) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  const sn_deployment_config config = {
      .registry = r.registry, .settings = settings, .setting_count = count};
  return sn_deployment_load(&r.arena, path, &config, r.report, &r.deployment);
}

static void load_good(const char *name, const char *const *settings, size_t count) {
  if (load(name, settings, count) != SN_OK) {
    fail_msg("%s", sn_test_problems(r.report));
  }
}

static void parse_good(const char *yaml, const char *setting) {
  if (rig_parse(&r, yaml, setting) != SN_OK) {
    fail_msg("%s\n%s", yaml, sn_test_problems(r.report));
  }
}

typedef struct built {
  sn_clock clock;
  sn_system *system;
} built;

static void build(built *b) {
  sn_clock_init_simulated(&b->clock, 0);
  const sn_system_config config = {.clock = &b->clock,
                                   .capacity = sn_deployment_capacity(r.deployment)};
  b->system = sn_system_create(&config);
  assert_non_null(b->system);
  if (sn_deployment_build(r.deployment, b->system, r.report) != SN_OK) {
    fail_msg("%s", sn_test_problems(r.report));
  }
}

static const char *get(const built *b, const char *component, const char *property) {
  static char text[1024];
  sn_error err;
  sn_component *found = sn_system_find(b->system, component);
  assert_non_null(found);
  if (sn_system_get(b->system, found, property, text, sizeof text, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  return text;
}

static void run(const built *b, double duration_s) {
  sn_error err;
  if (sn_system_begin(b->system, &err) != SN_OK ||
      sn_system_run(b->system, (int64_t)(duration_s * 1e9), NULL, NULL, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
}

static double last_x(const built *b, sn_tap *tap) {
  (void)b;
  const sn_vec3 *msg = sn_tap_read(tap, NULL);
  assert_non_null(msg);
  return msg->x;
}

static sn_tap *tap_of(const built *b, const char *port) {
  sn_tap *tap = NULL;
  sn_error err;
  assert_int_equal(sn_tap_open(b->system, port, NULL, &tap, &err), SN_OK);
  return tap;
}

static const char pipeline[] =
    "activities:\n"
    "  control: {period: 0.01, priority: 3}\n"
    "  slow: {period: 0.1}\n"
    "capacity: {items: 3, text: 100}\n"
    "components:\n"
    "  sink: {type: Sink, properties: {label: end}, activity: slow}\n"
    "  gain:\n"
    "    type: Gain\n"
    "    deadline: 0.005\n"
    "    properties: {gain: 3}\n"
    "    services: {scale: {type: Scale, properties: {factor: 5}}}\n"
    "  source: {type: Source}\n"
    "connections:\n"
    "  - source.out -> gain.in\n"
    "  - {from: gain.out, to: sink.in, buffer: 10, overflow: refuse}\n"
    "  - {from: sink.out, to: sink.back}\n";

SN_TEST(pipeline_runs_as_written) {
  parse_good(pipeline, NULL);
  assert_int_equal(sn_deployment_component_count(r.deployment), 4);
  assert_int_equal(sn_deployment_connection_count(r.deployment), 3);
  assert_int_equal(sn_deployment_activity_count(r.deployment), 2);
  assert_int_equal(sn_deployment_capacity(r.deployment).item_count, 3);
  assert_int_equal(sn_deployment_capacity(r.deployment).text_size, 100);
  assert_null(sn_deployment_model(r.deployment));
  built b;
  build(&b);
  sn_tap *tap = tap_of(&b, "gain.out");
  const sn_component_info info = sn_component_info_of(sn_system_find(b.system, "gain"));
  assert_int_equal(info.deadline_ns, 5000000);
  assert_string_equal(sn_activity_config_of(info.activity)->name, "control");
  assert_int_equal(sn_activity_config_of(info.activity)->period_ns, 10000000);
  assert_int_equal(sn_activity_config_of(info.activity)->priority, 3);
  run(&b, 1.0); /* 100 cycles: the last step writes 99 */
  sn_assert_near(last_x(&b, tap), 99.0 * 3.0 * 5.0, 0.0);
  sn_connection_info links[4];
  const size_t count = sn_component_connections(sn_system_find(b.system, "sink"), links, 4);
  size_t buffered = 0;
  for (size_t i = 0; i < count; i++) {
    if (links[i].connection.buffer == 10) {
      assert_int_equal(links[i].connection.overflow, SN_OVERFLOW_REFUSE);
      assert_string_equal(links[i].reader_port, "in");
      buffered++;
    }
  }
  assert_int_equal(buffered, 1);
  sn_tap_close(tap);
  sn_system_destroy(b.system);
}

SN_TEST(settings_win_over_the_file) {
  parse_good(pipeline, "gain.gain=7.5");
  built b;
  build(&b);
  assert_string_equal(get(&b, "gain", "gain"), "7.5");
  sn_system_destroy(b.system);
  parse_good(pipeline, "gain.scale.factor=9");
  build(&b);
  assert_string_equal(get(&b, "gain.scale", "factor"), "9");
  sn_system_destroy(b.system);
  parse_good(pipeline, "source.limits.high= 4 ");
  build(&b);
  assert_string_equal(get(&b, "source", "limits"), "{\"low\":-1,\"high\":4}");
  sn_system_destroy(b.system);
  parse_good(pipeline, "source.names=[a, 'b=c']");
  build(&b);
  assert_string_equal(get(&b, "source", "names"), "[\"a\",\"b=c\"]");
  sn_system_destroy(b.system);
  parse_good(pipeline, "slow.period=0.25");
  build(&b);
  assert_int_equal(sn_activity_config_of(sn_system_find_activity(b.system, "slow"))->period_ns,
                   250000000);
  sn_system_destroy(b.system);
}

SN_TEST(without_activities_there_is_one) {
  parse_good("components: {s: {type: Source}, c: {type: Scale}}\n", "main.priority=5");
  assert_int_equal(sn_deployment_activity_count(r.deployment), 1);
  built b;
  build(&b);
  const sn_activity *main_activity = sn_system_find_activity(b.system, "main");
  assert_int_equal(sn_activity_config_of(main_activity)->period_ns, 1000000);
  assert_int_equal(sn_activity_config_of(main_activity)->priority, 5);
  assert_ptr_equal(sn_component_info_of(sn_system_find(b.system, "s")).activity, main_activity);
  assert_null(sn_component_info_of(sn_system_find(b.system, "c")).activity); /* has no step */
  sn_system_destroy(b.system);
}

SN_TEST(empty_files_are_deployments_of_nothing) {
  static const char *const texts[] = {"", "components:\n", "components: {}\nconnections: []\n",
                                      "components:\nconnections:\nactivities:\ncapacity:\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    parse_good(texts[i], NULL);
    assert_int_equal(sn_deployment_component_count(r.deployment), 0);
    built b;
    build(&b);
    sn_system_destroy(b.system);
  }
}

SN_TEST(needs_are_met_by_the_only_one_that_can) {
  static const char two[] =
      "components:\n"
      "  s: {type: Source}\n"
      "  g: {type: Gain, needs: {scaler: b}}\n"
      "  h: {type: Gain, services: {own: {type: Scale, properties: {factor: 7}}}}\n"
      "  i: {type: Gain, needs: {scaler: own}, services: {own: {type: Scale}}}\n"
      "  j: {type: Gain, needs: {scaler: ~}}\n"
      "  b: {type: Scale, properties: {factor: 11}}\n"
      "  k: {type: Sink, properties: {label: x}, needs: {reset: s.reset}}\n"
      "connections: [s.out -> g.in, s.out -> h.in, s.out -> i.in, s.out -> j.in]\n";
  parse_good(two, NULL);
  built b;
  build(&b);
  sn_tap *taps[4];
  static const char *const ports[] = {"g.out", "h.out", "i.out", "j.out"};
  static const double factors[] = {11.0, 7.0, 1.0, 1.0};
  for (size_t i = 0; i < 4; i++) {
    taps[i] = tap_of(&b, ports[i]);
  }
  run(&b, 0.011);
  for (size_t i = 0; i < 4; i++) {
    sn_assert_near(last_x(&b, taps[i]), 10.0 * 2.0 * factors[i], 0.0);
    sn_tap_close(taps[i]);
  }
  sn_system_destroy(b.system);
}

SN_TEST(delayed_and_feedback_connections_make_no_ring) {
  parse_good(
      "components: {g: {type: Gain}, h: {type: Gain}}\n"
      "connections:\n"
      "  - g.out -> h.in\n"
      "  - {from: h.out, to: g.in, delayed: true}\n",
      NULL);
  built b;
  build(&b);
  sn_system_destroy(b.system);
}

/* A ring that spans two activities is none: each reads what the other wrote last. */
SN_TEST(rings_over_two_activities_are_allowed) {
  parse_good(
      "activities: {a: {period: 0.01}, b: {period: 0.02}}\n"
      "components: {g: {type: Gain, activity: a}, h: {type: Gain, activity: b}}\n"
      "connections: [g.out -> h.in, h.out -> g.in]\n",
      NULL);
  built b;
  build(&b);
  sn_system_destroy(b.system);
}

/* ---- files ---- */

SN_TEST(included_files_give_way) {
  sn_test_write(folder, "base.yaml",
                "include: [deeper/leaf.yaml]\n"
                "activities: {control: {period: 0.5, priority: 2}}\n"
                "components:\n"
                "  s: {type: Source, properties: {amplitude: 2, limits: {low: -5}}}\n"
                "  k: {type: Sink, properties: {label: base}}\n"
                "connections: [s.out -> k.in]\n");
  char command[160];
  snprintf(command, sizeof command, "mkdir %s/deeper", folder);
  assert_int_equal(system(command), 0);
  sn_test_write(folder, "deeper/leaf.yaml",
                "components:\n"
                "  s: {type: Scale, properties: {amplitude: 1, names: [leaf]}}\n"
                "  g: {type: Gain, property_file: g.yaml, properties: {mode: 'off'}}\n"
                "connections: [s.out -> g.in]\n");
  sn_test_write(folder, "deeper/g.yaml", "gain: 4\nmode: 'on'\n");
  sn_test_write(folder, "other.yaml", "include: [base.yaml]\nactivities: {control: {cpu: 1}}\n");
  sn_test_write(folder, "top.yaml",
                "include: [base.yaml, other.yaml, ./deeper/../base.yaml]\n"
                "activities: {control: {period: 0.25}}\n"
                "components:\n"
                "  k: {properties: {label: top}}\n"
                "connections: [g.out -> k.in]\n");
  load_good("top.yaml", NULL, 0);
  sn_assert_problems(r.report, "");
  assert_int_equal(sn_deployment_component_count(r.deployment), 3);
  assert_int_equal(sn_deployment_connection_count(r.deployment), 3); /* each once */
  built b;
  build(&b);
  assert_string_equal(get(&b, "s", "amplitude"), "2");
  assert_string_equal(get(&b, "s", "names"), "[\"leaf\"]");
  assert_string_equal(get(&b, "s", "limits"), "{\"low\":-5,\"high\":1}");
  assert_string_equal(get(&b, "k", "label"), "\"top\"");
  assert_string_equal(get(&b, "g", "gain"), "4");
  assert_string_equal(get(&b, "g", "mode"), "\"off\"");
  const sn_activity_config *config =
      sn_activity_config_of(sn_system_find_activity(b.system, "control"));
  assert_int_equal(config->period_ns, 250000000);
  assert_int_equal(config->priority, 2);
  assert_int_equal(config->cpu, 1);
  sn_system_destroy(b.system);
}

SN_TEST(problems_in_other_files_have_their_place) {
  sn_test_write(folder, "a.yaml",
                "include: [b.yaml, none.yaml]\ncomponents:\n  s: {properties: {amplitude: 5}}\n");
  sn_test_write(folder, "b.yaml",
                "include: [a.yaml]\n"
                "plugins: [none.so]\n"
                "robot: none.urdf\n"
                "components:\n"
                "  s: {type: Source, properties: {amplitude: 50}}\n"
                "  t: {type: Source, property_file: none.cpf}\n"
                "  u: {type: Source, property_file: u.cpf}\n");
  sn_test_write(folder, "u.cpf",
                "<?xml version=\"1.0\"?>\n<properties>\n"
                "  <simple name=\"amplitude\" type=\"double\"><value>12</value></simple>\n"
                "</properties>\n");
  assert_int_equal(load("a.yaml", NULL, 0), SN_EINVAL);
  const char *text = sn_test_problems(r.report);
  sn_assert_contains(text, "/b.yaml:1:11: error: 'a.yaml' includes itself, directly or indirectly");
  sn_assert_contains(text, "/a.yaml:1:19: error: ");
  sn_assert_contains(text, "/none.yaml: cannot read the file: No such file or directory");
  sn_assert_contains(text, "/b.yaml:2:11: error: components: plugin ");
  sn_assert_contains(text, "/b.yaml:3:8: error: ");
  sn_assert_contains(text, "/none.urdf: cannot read the file: No such file or directory");
  sn_assert_contains(text, "/b.yaml:6:36: error: ");
  sn_assert_contains(text, "/none.cpf: cannot read the file");
  sn_assert_contains(text, "/u.cpf:3:3: error: 'u.amplitude' is 12, expected 0 .. 10 m");
  /* What the including file replaced is gone with its problems. */
  assert_null(strstr(text, "'s.amplitude'"));
  assert_int_equal(load("none.yaml", NULL, 0), SN_EINVAL);
}

SN_TEST(too_many_includes_are_refused) {
  for (int i = 0; i < SN_DEPLOYMENT_INCLUDES_MAX + 2; i++) {
    char name[32];
    char text[64];
    snprintf(name, sizeof name, "f%d.yaml", i);
    snprintf(text, sizeof text, "include: [f%d.yaml]\n", i + 1);
    sn_test_write(folder, name, i == SN_DEPLOYMENT_INCLUDES_MAX + 1 ? "components:\n" : text);
  }
  load_good("f1.yaml", NULL, 0); /* 64 others */
  assert_int_equal(load("f0.yaml", NULL, 0), SN_EINVAL);
  sn_assert_contains(sn_test_problems(r.report),
                     "/f64.yaml:1:11: error: more than 64 files are included");
}

/* ---- the robot ---- */

typedef struct model {
  sn_component component;
  const char *robot_description;
  const char *robot_file;
  const sn_value *kinematics_chains, *contacts, *groups;
} model;

static const void *model_iface(sn_component *component) {
  return component;
}

static const sn_property model_properties[] = {
    SN_PROPERTY(model, "robot_description", robot_description, .flags = SN_PROPERTY_REQUIRED),
    SN_PROPERTY(model, "robot_file", robot_file, .doc = "Where it came from."),
    SN_PROPERTY(model, "kinematics_chains", kinematics_chains, .doc = ""),
    SN_PROPERTY(model, "contacts", contacts, .doc = ""),
    SN_PROPERTY(model, "groups", groups, .doc = ""),
    {0}};
static const sn_service model_services[] = {{.name = "RobotModelURDF", .iface = model_iface}, {0}};
static const sn_component_type model_type = {.abi = SN_COMPONENT_ABI,
                                             .name = "RobotModelURDF",
                                             .size = sizeof(model),
                                             .properties = model_properties,
                                             .services = model_services};

static void write_robot(void) {
  sn_test_write(folder, "r.urdf", sn_test_torso);
  char *text = malloc(8192);
  snprintf(text, 8192, "robot: r.urdf\n%s", sn_test_torso_yaml);
  sn_test_write(folder, "r.yaml", text);
  snprintf(text, 8192, "robot: r.urdf\ncomponents:\n%s", sn_test_torso_yaml);
  sn_test_write(folder, "own.yaml", text);
  free(text);
  sn_test_write(folder, "named.yaml", "robot: r.yaml\ncomponents:\n");
}

SN_TEST(robot_is_loaded_and_served) {
  write_robot();
  static const char *const files[] = {"own.yaml", "named.yaml"};
  for (size_t i = 0; i < 2; i++) {
    load_good(files[i], NULL, 0); /* without the type, the robot is only checked */
    assert_int_equal(sn_deployment_component_count(r.deployment), 0);
    assert_string_equal(sn_model_name(sn_deployment_model(r.deployment)), "torso");
    assert_int_equal(sn_names_count(sn_model_chain_names(sn_deployment_model(r.deployment))), 2);
  }
  assert_int_equal(sn_component_registry_add(r.registry, &model_type, NULL), SN_OK);
  for (size_t i = 0; i < 2; i++) {
    load_good(files[i], NULL, 0);
    assert_int_equal(sn_deployment_component_count(r.deployment), 1);
    built b;
    build(&b);
    const model *served = (const model *)sn_system_find(b.system, "robot_model");
    assert_non_null(served);
    assert_string_equal(served->robot_description, sn_test_torso);
    assert_int_equal(served->kinematics_chains->item_count, 2);
    assert_int_equal(served->contacts->item_count, 2);
    assert_int_equal(served->groups->item_count, 3);
    sn_system_destroy(b.system);
  }
}

SN_TEST(own_robot_model_gets_the_robot_too) {
  write_robot();
  assert_int_equal(sn_component_registry_add(r.registry, &model_type, NULL), SN_OK);
  sn_test_write(folder, "d.yaml",
                "robot: r.yaml\n"
                "components:\n"
                "  mine: {type: RobotModelURDF, properties: {groups: {}}}\n");
  load_good("d.yaml", NULL, 0);
  assert_int_equal(sn_deployment_component_count(r.deployment), 1);
  built b;
  build(&b);
  const model *served = (const model *)sn_system_find(b.system, "mine");
  assert_string_equal(served->robot_description, sn_test_torso);
  sn_system_destroy(b.system);
}

SN_TEST(bad_robots_are_told_with_the_rest) {
  write_robot();
  sn_test_write(folder, "bad.urdf", "<robot name='r'>\n<link/></robot>");
  sn_test_write(folder, "d.yaml",
                "robot: bad.urdf\ncomponents:\n  s: {type: Source, deadline: x}\n");
  assert_int_equal(load("d.yaml", NULL, 0), SN_EINVAL);
  sn_assert_contains(sn_test_problems(r.report), "/bad.urdf:2:1: error: <link> has no name");
  sn_assert_contains(sn_test_problems(r.report), "'components.s.deadline' is 'x'");
  sn_test_write(folder, "e.yaml", "robot: r.yaml\ncontacts: {}\ncomponents:\n");
  assert_int_equal(load("e.yaml", NULL, 0), SN_EINVAL);
  sn_assert_contains(sn_test_problems(r.report), "/e.yaml:2:1: error: 'contacts' belongs in '");
  assert_int_equal(sn_component_registry_add(r.registry, &model_type, NULL), SN_OK);
  sn_test_write(folder, "f.yaml", "robot: r.urdf\ncomponents:\n  robot_model: {type: Source}\n");
  assert_int_equal(load("f.yaml", NULL, 0), SN_EINVAL);
  sn_assert_contains(
      sn_test_problems(r.report),
      "/f.yaml:3:3: error: 'robot_model' is reserved for the component of the robot model");
}

SN_TEST(deployments_are_told_from_robots) {
  static const struct {
    const char *yaml;
    bool is_meant;
  } files[] = {{"robot: r.urdf", false},
               {"robot: r.urdf\nkinematics_chains: {}", false},
               {"components:", true},
               {"include: [x]", true},
               {"", false}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    const sn_value *root = NULL;
    assert_int_equal(
        sn_value_parse_yaml(&r.arena, files[i].yaml, strlen(files[i].yaml), "f", r.report, &root),
        SN_OK);
    assert_int_equal(sn_deployment_is_meant(root), files[i].is_meant);
  }
}

/* Every block that the arena takes may be the one that is not there. */
SN_TEST(without_memory_it_says_so) {
  static unsigned char memory[1 << 16];
  size_t refused = 0;
  for (size_t size = 0; size < sizeof memory; size += 64) {
    sn_arena small;
    sn_arena_init(&small, "small", memory, size);
    const sn_deployment *deployment = NULL;
    const char *setting = "gain.gain=3";
    const sn_deployment_config config = {
        .registry = r.registry, .settings = &setting, .setting_count = 1};
    const sn_status status = sn_deployment_parse(&small, pipeline, strlen(pipeline), "d.yaml",
                                                 &config, r.report, &deployment);
    sn_assert_problems(r.report, "");
    if (status == SN_OK) {
      assert_non_null(deployment);
      break;
    }
    assert_int_equal(status, SN_ENOMEM);
    assert_null(deployment);
    refused++;
  }
  assert_true(refused > 20 && refused < sizeof memory / 64);
}

/* The heap may end at any moment, for the reader as for the system. */
SN_TEST(any_allocation_may_fail) {
  if (!sn_test_heap_is_watched()) {
    skip();
  }
  size_t refused = 0;
  for (size_t n = 1;; n++) {
    sn_arena arena;
    sn_arena problems;
    sn_arena_init_growing(&arena, "deployment", 512);
    sn_arena_init_growing(&problems, "problems", 0);
    sn_report *report = NULL;
    assert_int_equal(sn_report_create(&problems, &report, NULL), SN_OK);
    const sn_deployment *deployment = NULL;
    const char *setting = "gain.gain=3";
    const sn_deployment_config config = {
        .registry = r.registry, .settings = &setting, .setting_count = 1};
    sn_test_heap_fail(n, 1);
    sn_status status = sn_deployment_parse(&arena, pipeline, strlen(pipeline), "d.yaml", &config,
                                           report, &deployment);
    sn_clock clock;
    sn_clock_init_simulated(&clock, 0);
    sn_system *system =
        status == SN_OK ? sn_system_create(&(sn_system_config){.clock = &clock}) : NULL;
    if (system != NULL) {
      status = sn_deployment_build(deployment, system, report);
    }
    const size_t failures = sn_test_heap_failures();
    sn_test_heap_fail(0, 0);
    const bool is_reported = status == SN_ENOMEM || /* a check reports it as a problem */
                             strstr(sn_test_problems(report), "no memory") != NULL;
    if (status != SN_OK && (failures != 1 || !is_reported)) {
      fail_msg("allocation %zu: %s\n%s", n, sn_status_text(status), sn_test_problems(report));
    }
    sn_system_destroy(system);
    sn_arena_release(&arena);
    sn_arena_release(&problems);
    if (failures == 0) {
      break;
    }
    refused += status != SN_OK;
  }
  assert_true(refused > 50);
}

SN_TEST_EACH(set_up, tear_down)
