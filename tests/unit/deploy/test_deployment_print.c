/* A deployment printed as one text is the same deployment; and what may differ from a file. */
#include <stdlib.h>
#include <string.h>

#include "deployment_rig.h"
#include "sinew/system.h"

static char *print(const sn_deployment *deployment, bool is_whole) {
  const size_t size = sn_deployment_print(deployment, is_whole, NULL, 0) + 1;
  char *text = malloc(size);
  assert_non_null(text);
  assert_int_equal(sn_deployment_print(deployment, is_whole, text, size), size - 1);
  assert_int_equal(strlen(text), size - 1);
  return text;
}

/* Texts that mean something to YAML, numbers to the last bit, needs that are open, rings. */
static const char odd[] =
    "capacity: {items: 100, text: 80}\n"
    "activities:\n"
    "  fast: {period: 0.00025, priority: 20, cpu: 1, lock_memory: true}\n"
    "  slow: {period: 0.1}\n"
    "components:\n"
    "  source:\n"
    "    type: Source\n"
    "    activity: slow\n"
    "    properties: {amplitude: 0.30000000000000004, names: ['', 'yes: \"no\"', \"a\\nb\", '# c', "
    "'-', '{'], limits: {low: -0.1}}\n"
    "  gain:\n"
    "    type: Gain\n"
    "    deadline: 0.0001\n"
    "    services: {scale: {type: Scale, properties: {factor: 1.5}}}\n"
    "  bare: {type: Gain, needs: {scaler: }}\n"
    "  sink: {type: Sink, properties: {label: 'end of it: \\'}}\n"
    "connections:\n"
    "  - source.out -> gain.in\n"
    "  - {from: source.out, to: bare.in, buffer: 7, overflow: refuse, delayed: true}\n"
    "  - gain.out -> sink.in\n"
    "  - {from: bare.out, to: sink.back, buffer: 2}\n";

static void describe(const sn_deployment *deployment, const rig *r, char *out, size_t size) {
  sn_clock clock;
  sn_clock_init_simulated(&clock, 0);
  sn_system *system = sn_system_create(
      &(sn_system_config){.clock = &clock, .capacity = sn_deployment_capacity(deployment)});
  assert_non_null(system);
  assert_int_equal(sn_deployment_build(deployment, system, r->report), SN_OK);
  size_t used = 0;
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    sn_component *component = sn_system_component_at(system, i);
    char values[2048];
    sn_error err;
    sn_connection_info links[8];
    const sn_component_info info = sn_component_info_of(component);
    assert_int_equal(sn_system_get(system, component, NULL, values, sizeof values, &err), SN_OK);
    used += (size_t)snprintf(
        out + used, size - used, "%s %s %s %lld %s\n", component->name, component->type->name,
        info.activity == NULL ? "-" : sn_activity_config_of(info.activity)->name,
        (long long)info.deadline_ns, values);
    const size_t count = sn_component_connections(component, links, 8);
    for (size_t k = 0; k < count; k++) {
      used += (size_t)snprintf(out + used, size - used, "  %s.%s %s.%s %zu %d %d\n",
                               links[k].writer->name, links[k].writer_port, links[k].reader->name,
                               links[k].reader_port, links[k].connection.buffer,
                               links[k].connection.overflow, links[k].connection.delayed);
    }
  }
  assert_true(used < size);
  sn_system_destroy(system);
}

SN_TEST(printed_deployment_builds_the_same_system) {
  rig r;
  rig_start(&r);
  assert_int_equal(rig_parse(&r, odd, "gain.gain=3.5"), SN_OK);
  char *text = print(r.deployment, true);
  char first[16384];
  char second[16384];
  describe(r.deployment, &r, first, sizeof first);
  assert_non_null(strstr(first, "3.5"));
  assert_int_equal(rig_parse(&r, text, NULL), SN_OK);
  describe(r.deployment, &r, second, sizeof second);
  assert_string_equal(first, second);
  char *again = print(r.deployment, true);
  assert_string_equal(text, again);
  free(text);
  free(again);
  rig_free(&r);
}

SN_TEST(a_text_that_does_not_fit_is_cut) {
  rig r;
  rig_start(&r);
  assert_int_equal(rig_parse(&r, odd, NULL), SN_OK);
  char *text = print(r.deployment, true);
  char part[64];
  assert_int_equal(sn_deployment_print(r.deployment, true, part, sizeof part), strlen(text));
  assert_memory_equal(part, text, sizeof part - 1);
  assert_int_equal(part[sizeof part - 1], '\0');
  free(text);
  rig_free(&r);
}

/* ---- what differs from the file ---- */

SN_TEST(types_that_are_not_wanted_are_left_out) {
  rig r;
  rig_start(&r);
  static const char *const without[] = {"Sink", "Missing"};
  const sn_deployment_config config = {
      .registry = r.registry, .without = without, .without_count = 2};
  assert_int_equal(
      sn_deployment_parse(&r.arena, odd, strlen(odd), "d.yaml", &config, r.report, &r.deployment),
      SN_OK);
  assert_int_equal(sn_deployment_component_count(r.deployment), 4);
  assert_int_equal(sn_deployment_connection_count(r.deployment), 2);
  rig_free(&r);
}

SN_TEST(files_in_memory_can_be_included) {
  rig r;
  rig_start(&r);
  static const char below[] = "components: {source: {type: Source, properties: {amplitude: 2}}}\n";
  static const char above[] =
      "include: [base.yaml, base.yaml]\ncomponents: {source: {properties: {amplitude: 3}}}\n";
  static const char ring[] = "include: [ring.yaml]\n";
  const sn_deployment_file files[] = {{"base.yaml", below, sizeof below - 1},
                                      {"ring.yaml", ring, sizeof ring - 1}};
  const sn_deployment_config config = {.registry = r.registry, .files = files, .file_count = 2};
  assert_int_equal(sn_deployment_parse(&r.arena, above, sizeof above - 1, "d.yaml", &config,
                                       r.report, &r.deployment),
                   SN_OK);
  char *text = print(r.deployment, true);
  sn_assert_contains(text, "amplitude: 3\n");
  free(text);
  /* Others are not to be read, and one must not include itself. */
  static const char other[] = "include: [other.yaml, ring.yaml]\n";
  assert_int_equal(sn_deployment_parse(&r.arena, other, sizeof other - 1, "d.yaml", &config,
                                       r.report, &r.deployment),
                   SN_EINVAL);
  assert_int_equal(sn_report_error_count(r.report), 2);
  sn_assert_contains(sn_report_at(r.report, 0)->message, "'other.yaml' is another file");
  sn_assert_contains(sn_report_at(r.report, 1)->message, "'ring.yaml' includes itself");
  rig_free(&r);
}
