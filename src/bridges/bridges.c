#include "sinew/bridges.h"

#include "ros1/ros1.h"

static const sn_component_type *const types[] = {
    &sn__ros1_component,
};

sn_status sn_bridges_add(sn_component_registry *registry, sn_error *err) {
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < sizeof types / sizeof *types; i++) {
    status = sn_component_registry_add(registry, types[i], err);
  }
  return status;
}
