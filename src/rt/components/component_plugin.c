#include "rt/components/component_registry.h"
#include "rt/components/plugin.h"

static bool has(const sn_component_registry *registry, const sn_component_type *type) {
  return sn_component_registry_find(registry, type->name) == type;
}

/* All or none. If two files name one plugin, its types already exist. */
sn_status sn_component_registry_load(sn_component_registry *registry, const char *path,
                                     sn_error *err) {
  sn__plugin plugin;
  sn_status status = sn__plugin_open(&plugin, path, "sn_component_plugin", "components", err);
  if (status != SN_OK) {
    return status;
  }
  const size_t count_before = registry->count;
  const sn_component_type *const *types = plugin.symbol;
  for (; *types != NULL && status == SN_OK; types++) {
    if ((*types)->name == NULL || !has(registry, *types)) {
      status = sn_component_registry_add(registry, *types, err);
    }
  }
  if (status != SN_OK) {
    registry->count = count_before;
    sn__plugin_close(&plugin);
  }
  return status;
}
