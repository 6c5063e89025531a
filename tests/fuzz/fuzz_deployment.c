/* A deployment of whatever bytes: a verdict with a reason, and what is accepted can be built, begun
   and run. A first line `--set …` is a setting of the command line. */
#include <string.h>

#include "base/text.h"
#include "components.c" /* NOLINT(bugprone-suspicious-include): fuzz targets are one file each */
#include "sinew/deployment.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Buffers of many connections would take memory that the reader is not responsible for. */
enum { CONNECTIONS_BUILT_MAX = 8 };

static void build_and_run(const sn_deployment *deployment, sn_report *report) {
  sn_clock clock;
  sn_clock_init_simulated(&clock, 0);
  const sn_system_config config = {.clock = &clock};
  sn_system *system = sn_system_create(&config);
  SN_ASSERT(system != NULL);
  const sn_status status = sn_deployment_build(deployment, system, report);
  SN_ASSERT(status == SN_OK); /* everything was found out before */
  sn_error err;
  if (sn_system_begin(system, &err) == SN_OK) {
    SN_ASSERT(sn_system_run(system, 100000, NULL, NULL, &err) == SN_OK);
    sn_system_end(system);
  }
  sn_system_destroy(system);
}

/* Printed, it is a deployment again, and prints the same. */
static void print_again(const sn_deployment *deployment, sn_component_registry *registry) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "again", 4096);
  const size_t size = sn_deployment_print(deployment, true, NULL, 0);
  char *first = sn_arena_alloc(&arena, size + 1, 1);
  char *second = sn_arena_alloc(&arena, size + 1, 1);
  sn_report *report = NULL;
  sn_report_create(&arena, &report, NULL);
  const sn_deployment_config config = {.registry = registry};
  const sn_deployment *again = NULL;
  SN_ASSERT(first != NULL && second != NULL && report != NULL);
  SN_ASSERT(sn_deployment_print(deployment, true, first, size + 1) == size);
  SN_ASSERT(sn_deployment_parse(&arena, first, size, "again", &config, report, &again) == SN_OK);
  SN_ASSERT(sn_deployment_print(again, true, second, size + 1) == size);
  SN_ASSERT(memcmp(first, second, size) == 0);
  sn_arena_release(&arena);
}

static void read_deployment(const char *text, size_t size, const char *setting) {
  sn_arena arena;
  sn_arena problems;
  sn_arena_init_growing(&arena, "deployment", 4096);
  sn_arena_init_growing(&problems, "problems", 4096);
  sn_report *report = NULL;
  sn_report_create(&problems, &report, NULL);
  sn_component_registry *registry = sn_component_registry_create(&arena);
  for (const sn_component_type *const *type = sn_test_components; *type != NULL; type++) {
    SN_ASSERT(sn_component_registry_add(registry, *type, NULL) == SN_OK);
  }
  const sn_deployment_config config = {
      .registry = registry, .settings = &setting, .setting_count = setting == NULL ? 0 : 1};
  const sn_deployment *deployment = NULL;
  const sn_status status =
      sn_deployment_parse(&arena, text, size, "fuzz", &config, report, &deployment);
  SN_ASSERT((status == SN_OK) == (sn_report_error_count(report) == 0));
  SN_ASSERT((status == SN_OK) == (deployment != NULL));
  if (deployment != NULL && sn_deployment_connection_count(deployment) <= CONNECTIONS_BUILT_MAX) {
    build_and_run(deployment, report);
    print_again(deployment, registry);
  }
  for (size_t i = 0; i < sn_report_count(report); i++) {
    SN_ASSERT(!sn__text_has_control(sn_report_at(report, i)->message));
    SN_ASSERT(sn_report_at(report, i)->place.file != NULL);
  }
  sn_arena_release(&arena);
  sn_arena_release(&problems);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char mark[] = "--set ";
  const size_t mark_size = sizeof mark - 1;
  const char *text = (const char *)data;
  const char *end = size == 0 ? NULL : memchr(data, '\n', size);
  char setting[256];
  if (end != NULL && size > mark_size && memcmp(data, mark, mark_size) == 0 &&
      (size_t)(end - text) < sizeof setting) {
    const size_t length = (size_t)(end - text) - mark_size;
    memcpy(setting, text + mark_size, length);
    setting[length] = '\0';
    read_deployment(end + 1, size - (size_t)(end + 1 - text), setting);
  } else {
    read_deployment(text, size, NULL);
  }
  return 0;
}
