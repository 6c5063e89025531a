#include "rt/components/plugin.h"
#include "sinew/ik_solver.h"

sn_status sn_ik_load_plugin(sn_ik_registry *registry, const char *path, const sn_ik_solver **solver,
                            sn_error *err) {
  sn__plugin plugin;
  sn_status status = sn__plugin_open(&plugin, path, "sn_ik_plugin", "ik", err);
  if (status != SN_OK) {
    return status;
  }
  const sn_ik_solver *found = plugin.symbol;
  status = sn_ik_registry_add(registry, found, err);
  if (status != SN_OK) {
    sn__plugin_close(&plugin);
  } else if (solver != NULL) {
    *solver = found;
  }
  return status;
}
