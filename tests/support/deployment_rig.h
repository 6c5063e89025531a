/* What tests of deployments share: a registry with the test components, a text in, problems out. */
#ifndef SN_DEPLOYMENT_RIG_H
#define SN_DEPLOYMENT_RIG_H

#include "components.h"
#include "robot.h"
#include "sinew/deployment.h"
#include "sn_test.h"

typedef struct rig {
  sn_arena arena;
  sn_arena problems;
  sn_report *report;
  sn_component_registry *registry;
  const sn_deployment *deployment;
} rig;

static inline void rig_start(rig *r) {
  *r = (rig){0};
  sn_arena_init_growing(&r->arena, "deployment", 0);
  sn_arena_init_growing(&r->problems, "problems", 0);
  assert_int_equal(sn_report_create(&r->problems, &r->report, NULL), SN_OK);
  r->registry = sn_component_registry_create(&r->arena);
  for (const sn_component_type *const *type = sn_test_components; *type != NULL; type++) {
    sn_error err;
    if (sn_component_registry_add(r->registry, *type, &err) != SN_OK) {
      fail_msg("%s", err.message);
    }
  }
}

static inline void rig_free(rig *r) {
  sn_arena_release(&r->arena);
  sn_arena_release(&r->problems);
}

/* @param setting  NULL: none */
static inline sn_status rig_parse(rig *r, const char *yaml, const char *setting) {
  const sn_deployment_config config = {
      .registry = r->registry, .settings = &setting, .setting_count = setting == NULL ? 0 : 1};
  return sn_deployment_parse(&r->arena, yaml, strlen(yaml), "d.yaml", &config, r->report,
                             &r->deployment);
}

#endif
