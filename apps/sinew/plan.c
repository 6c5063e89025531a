#include "plan.h"

#include <string.h>

#include "sinew/bridges.h"
#include "sinew/components.h"

enum { LOG_RECORDS = 4096 };

static bool is_yaml(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

bool plan_is_meant(const char *path) {
  if (!is_yaml(path)) {
    return false;
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "look", 64 * 1024);
  sn_report *report = sn_report_create(&arena); /* who loads it will be told the same */
  const sn_prop *root = NULL;
  const bool is_meant = report != NULL && sn_props_load(&arena, path, report, &root) == SN_OK &&
                        sn_deployment_is_meant(root);
  sn_arena_release(&arena);
  return is_meant;
}

static bool build(plan *p) {
  const sn_system_config config = {
      .clock = &p->clock, .log = p->log, .capacity = sn_deployment_capacity(p->deployment)};
  p->system = sn_system_create(&config);
  if (p->system == NULL) {
    return false;
  }
  const sn_status status = sn_deployment_build(p->deployment, p->system, p->report);
  if (status != SN_OK) {
    sn_system_destroy(p->system);
    p->system = NULL;
  }
  return status != SN_ENOMEM;
}

bool plan_load(plan *p, const char *path, const char *const *settings, size_t setting_count) {
  const sn_clock clock = p->clock;
  *p = (plan){.clock = clock};
  sn_arena_init_growing(&p->arena, "deployment", 256 * 1024);
  sn_arena_init_growing(&p->report_arena, "problems", 64 * 1024);
  p->report = sn_report_create(&p->report_arena);
  p->registry = sn_component_registry_create(&p->arena);
  if (p->report == NULL || p->registry == NULL || sn_components_add(p->registry, NULL) != SN_OK ||
      sn_bridges_add(p->registry, NULL) != SN_OK ||
      sn_log_create(&p->arena, LOG_RECORDS, &p->log, NULL) != SN_OK) {
    return false;
  }
  const sn_deployment_config config = {
      .registry = p->registry, .settings = settings, .setting_count = setting_count};
  const sn_status status = sn_deployment_load(&p->arena, path, &config, p->report, &p->deployment);
  return status == SN_OK ? build(p) : status != SN_ENOMEM;
}

void plan_free(plan *p) {
  sn_system_destroy(p->system);
  sn_arena_release(&p->arena);
  sn_arena_release(&p->report_arena);
}
