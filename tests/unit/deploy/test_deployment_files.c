/* Deployments in files: includes, problems with their place, robots, memory. */
#include <stdlib.h>

#include "allocation.h"
#include "deployment_case.h"
#include "program.h"

static sn_status load(const char *name, const char *const *settings, size_t count) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", deployment_folder, name);
  const sn_deployment_config config = {
      .registry = deployment_r.registry, .settings = settings, .setting_count = count};
  return sn_deployment_load(&deployment_r.arena, path, &config, deployment_r.report,
                            &deployment_r.deployment);
}

static void load_good(const char *name, const char *const *settings, size_t count) {
  if (load(name, settings, count) != SN_OK) {
    fail_msg("%s", sn_test_problems(deployment_r.report));
  }
}

SN_TEST(included_files_give_way) {
  sn_test_write(deployment_folder, "base.yaml",
                "include: [deeper/leaf.yaml]\n"
                "activities: {control: {period: 0.5, priority: 2}}\n"
                "components:\n"
                "  s: {type: Source, properties: {amplitude: 2, limits: {low: -5}}}\n"
                "  k: {type: Sink, properties: {label: base}}\n"
                "connections: [s.out -> k.in]\n");
  char command[160];
  snprintf(command, sizeof command, "mkdir %s/deeper", deployment_folder);
  assert_int_equal(system(command), 0);
  sn_test_write(deployment_folder, "deeper/leaf.yaml",
                "components:\n"
                "  s: {type: Scale, properties: {amplitude: 1, names: [leaf]}}\n"
                "  g: {type: Gain, property_file: g.yaml, properties: {mode: 'off'}}\n"
                "connections: [s.out -> g.in]\n");
  sn_test_write(deployment_folder, "deeper/g.yaml", "gain: 4\nmode: 'on'\n");
  sn_test_write(deployment_folder, "other.yaml",
                "include: [base.yaml]\nactivities: {control: {cpu: 1}}\n");
  sn_test_write(deployment_folder, "top.yaml",
                "include: [base.yaml, other.yaml, ./deeper/../base.yaml]\n"
                "activities: {control: {period: 0.25}}\n"
                "components:\n"
                "  k: {properties: {label: top}}\n"
                "connections: [g.out -> k.in]\n");
  load_good("top.yaml", NULL, 0);
  sn_assert_problems(deployment_r.report, "");
  assert_int_equal(sn_deployment_component_count(deployment_r.deployment), 3);
  assert_int_equal(sn_deployment_connection_count(deployment_r.deployment), 3); /* each once */
  built b;
  deployment_build(&b);
  assert_string_equal(deployment_get(&b, "s", "amplitude"), "2");
  assert_string_equal(deployment_get(&b, "s", "names"), "[\"leaf\"]");
  assert_string_equal(deployment_get(&b, "s", "limits"), "{\"low\":-5,\"high\":1}");
  assert_string_equal(deployment_get(&b, "k", "label"), "\"top\"");
  assert_string_equal(deployment_get(&b, "g", "gain"), "4");
  assert_string_equal(deployment_get(&b, "g", "mode"), "\"off\"");
  const sn_activity_config *config =
      sn_activity_config_of(sn_system_find_activity(b.system, "control"));
  assert_int_equal(config->period_ns, 250000000);
  assert_int_equal(config->priority, 2);
  assert_int_equal(config->cpu, 1);
  sn_system_destroy(b.system);
}

SN_TEST(problems_in_other_files_have_their_place) {
  sn_test_write(deployment_folder, "a.yaml",
                "include: [b.yaml, none.yaml]\ncomponents:\n  s: {properties: {amplitude: 5}}\n");
  sn_test_write(deployment_folder, "b.yaml",
                "include: [a.yaml]\n"
                "plugins: [none.so]\n"
                "robot: none.urdf\n"
                "components:\n"
                "  s: {type: Source, properties: {amplitude: 50}}\n"
                "  t: {type: Source, property_file: none.cpf}\n"
                "  u: {type: Source, property_file: u.cpf}\n");
  sn_test_write(deployment_folder, "u.cpf",
                "<?xml version=\"1.0\"?>\n<properties>\n"
                "  <simple name=\"amplitude\" type=\"double\"><value>12</value></simple>\n"
                "</properties>\n");
  assert_int_equal(load("a.yaml", NULL, 0), SN_EINVAL);
  const char *text = sn_test_problems(deployment_r.report);
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
    sn_test_write(deployment_folder, name,
                  i == SN_DEPLOYMENT_INCLUDES_MAX + 1 ? "components:\n" : text);
  }
  load_good("f1.yaml", NULL, 0); /* 64 others */
  assert_int_equal(load("f0.yaml", NULL, 0), SN_EINVAL);
  sn_assert_contains(sn_test_problems(deployment_r.report),
                     "/f64.yaml:1:11: error: more than 64 files are included");
}

typedef struct model {
  sn_component component;
  const char *robot_description;
  const char *robot_file, *robot_property_file;
  const sn_value *kinematics_chains, *contacts, *groups;
} model;

static const void *model_iface(sn_component *component) {
  return component;
}

static const sn_property model_properties[] = {
    SN_PROPERTY(model, "robot_description", robot_description, .flags = SN_PROPERTY_REQUIRED),
    SN_PROPERTY(model, "robot_file", robot_file, .doc = "Where it came from."),
    SN_PROPERTY(model, "robot_property_file", robot_property_file, .doc = ""),
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
  sn_test_write(deployment_folder, "r.urdf", sn_test_torso);
  char *text = malloc(8192);
  snprintf(text, 8192, "robot: r.urdf\n%s", sn_test_torso_yaml);
  sn_test_write(deployment_folder, "r.yaml", text);
  snprintf(text, 8192, "robot: r.urdf\ncomponents:\n%s", sn_test_torso_yaml);
  sn_test_write(deployment_folder, "own.yaml", text);
  free(text);
  sn_test_write(deployment_folder, "named.yaml", "robot: r.yaml\ncomponents:\n");
}

SN_TEST(robot_is_loaded_and_served) {
  write_robot();
  static const char *const files[] = {"own.yaml", "named.yaml"};
  for (size_t i = 0; i < 2; i++) {
    load_good(files[i], NULL, 0); /* without the type, the robot is only checked */
    assert_int_equal(sn_deployment_component_count(deployment_r.deployment), 0);
    assert_string_equal(sn_model_name(sn_deployment_model(deployment_r.deployment)), "torso");
    assert_int_equal(
        sn_names_count(sn_model_chain_names(sn_deployment_model(deployment_r.deployment))), 2);
  }
  assert_int_equal(sn_component_registry_add(deployment_r.registry, &model_type, NULL), SN_OK);
  for (size_t i = 0; i < 2; i++) {
    load_good(files[i], NULL, 0);
    assert_int_equal(sn_deployment_component_count(deployment_r.deployment), 1);
    built b;
    deployment_build(&b);
    const model *served = (const model *)sn_system_find(b.system, "robot_model");
    assert_non_null(served);
    assert_string_equal(served->robot_description, sn_test_torso);
    assert_int_equal(served->kinematics_chains->item_count, 2);
    assert_int_equal(served->contacts->item_count, 2);
    assert_int_equal(served->groups->item_count, 3);
    assert_true(i == 0 || strstr(served->robot_property_file, "/r.yaml") != NULL);
    sn_system_destroy(b.system);
  }
}

SN_TEST(own_robot_model_gets_the_robot_too) {
  write_robot();
  assert_int_equal(sn_component_registry_add(deployment_r.registry, &model_type, NULL), SN_OK);
  sn_test_write(deployment_folder, "d.yaml",
                "robot: r.yaml\n"
                "components:\n"
                "  mine: {type: RobotModelURDF, properties: {groups: {}}}\n");
  load_good("d.yaml", NULL, 0);
  assert_int_equal(sn_deployment_component_count(deployment_r.deployment), 1);
  built b;
  deployment_build(&b);
  const model *served = (const model *)sn_system_find(b.system, "mine");
  assert_string_equal(served->robot_description, sn_test_torso);
  sn_system_destroy(b.system);
}

SN_TEST(bad_robots_are_told_with_the_rest) {
  write_robot();
  sn_test_write(deployment_folder, "bad.urdf", "<robot name='r'>\n<link/></robot>");
  sn_test_write(deployment_folder, "d.yaml",
                "robot: bad.urdf\ncomponents:\n  s: {type: Source, deadline: x}\n");
  assert_int_equal(load("d.yaml", NULL, 0), SN_EINVAL);
  sn_assert_contains(sn_test_problems(deployment_r.report),
                     "/bad.urdf:2:1: error: <link> has no name");
  sn_assert_contains(sn_test_problems(deployment_r.report), "'components.s.deadline' is 'x'");
  sn_test_write(deployment_folder, "e.yaml", "robot: r.yaml\ncontacts: {}\ncomponents:\n");
  assert_int_equal(load("e.yaml", NULL, 0), SN_EINVAL);
  sn_assert_contains(sn_test_problems(deployment_r.report),
                     "/e.yaml:2:1: error: 'contacts' belongs in '");
  assert_int_equal(sn_component_registry_add(deployment_r.registry, &model_type, NULL), SN_OK);
  sn_test_write(deployment_folder, "f.yaml",
                "robot: r.urdf\ncomponents:\n  robot_model: {type: Source}\n");
  assert_int_equal(load("f.yaml", NULL, 0), SN_EINVAL);
  sn_assert_contains(
      sn_test_problems(deployment_r.report),
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
    assert_int_equal(sn_value_parse_yaml(&deployment_r.arena, files[i].yaml, strlen(files[i].yaml),
                                         "f", deployment_r.report, &root),
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
        .registry = deployment_r.registry, .settings = &setting, .setting_count = 1};
    const sn_status status =
        sn_deployment_parse(&small, deployment_pipeline, strlen(deployment_pipeline), "d.yaml",
                            &config, deployment_r.report, &deployment);
    sn_assert_problems(deployment_r.report, "");
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
        .registry = deployment_r.registry, .settings = &setting, .setting_count = 1};
    sn_test_heap_fail(n, 1);
    sn_status status = sn_deployment_parse(&arena, deployment_pipeline, strlen(deployment_pipeline),
                                           "d.yaml", &config, report, &deployment);
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

SN_TEST_EACH(deployment_set_up, deployment_tear_down)
