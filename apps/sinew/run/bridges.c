#include "run/bridges.h"

#include "base/fail.h"
#include "ros/ros_components.h"
#if SINEW_COCKPIT
#include "foxglove/cockpit.h"
#endif

static const sn_component_type *const types[] = {
    &sn__ros1_component,
#if SINEW_ROS2
    &sn__ros2_component,
#endif
#if SINEW_COCKPIT
    &sn_cockpit_component,
#endif
};

sn_status sn_bridges_add(sn_component_registry *registry, sn_error *err) {
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < sizeof types / sizeof *types; i++) {
    status = sn_component_registry_add(registry, types[i], err);
  }
  return status;
}

static void log_to(sn_component *component, const sn_log_record *record) {
#if SINEW_ROS2
  if (component->type == &sn__ros2_component) {
    sn__ros2_log(component, record);
  }
#endif
#if SINEW_COCKPIT
  if (component->type == &sn_cockpit_component) {
    sn__cockpit_log(component, record);
  }
#endif
  (void)component, (void)record;
}

void sn_bridges_log(sn_system *system, const sn_log_record *record) {
  sn_system_hold(system);
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    log_to(sn_system_component_at(system, i), record);
  }
  sn_system_release(system);
}

#if SINEW_COCKPIT
void sn_bridges_address(sn_system *system, char *out, size_t size) {
  out[0] = '\0';
  sn_system_hold(system);
  for (size_t i = 0; i < sn_system_component_count(system) && out[0] == '\0'; i++) {
    sn_component *component = sn_system_component_at(system, i);
    if (component->type == &sn_cockpit_component) {
      sn__cockpit_address(component, out, size);
    }
  }
  sn_system_release(system);
}

sn_status sn_bridges_add_player(sn_system *system, const sn__playback *playback, sn_component **out,
                                sn_error *err) {
  const sn_status status = sn_system_add(system, &sn_cockpit_component, "cockpit", out, err);
  if (status == SN_OK) {
    sn__cockpit_play(*out, playback);
  }
  return status;
}
#else
sn_status sn_bridges_add_player(sn_system *system, const sn__playback *playback, sn_component **out,
                                sn_error *err) {
  (void)system, (void)playback, (void)out;
  return sn__fail(err, SN_EUNSUPPORTED, "this build does not include the cockpit");
}

void sn_bridges_address(sn_system *system, char *out, size_t size) {
  (void)system, (void)size;
  out[0] = '\0';
}
#endif
