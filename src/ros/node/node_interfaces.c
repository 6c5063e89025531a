#include "ros/node/node_interfaces.h"

#include <string.h>

#include "base/fail.h"

#define POLL_NS INT64_C(20000000) /* of log and changes, which are not urgent */

sn_status sn__node_add(sn__bridge *bridge, sn_error *err) {
  struct sn__node_interfaces *interfaces = SN_NEW(&bridge->arena, struct sn__node_interfaces, 1);
  if (interfaces == NULL) {
    return sn__fail(err, SN_ENOMEM, "out of memory");
  }
  *interfaces = (struct sn__node_interfaces){.next_line = 1};
  bridge->interfaces = interfaces;
  sn_status status = sn__node_add_rosout(bridge, err);
  status = status == SN_OK ? sn__node_add_parameters(bridge, err) : status;
  status = status == SN_OK ? sn__node_add_parameter_events(bridge, err) : status;
  status = status == SN_OK ? sn__node_add_diagnostics(bridge, err) : status;
  status = status == SN_OK ? sn__node_add_type_descriptions(bridge, err) : status;
  return status == SN_OK ? sn__node_add_controller_manager(bridge, err) : status;
}

int64_t sn__node_step(sn__bridge *bridge, int64_t now_ns) {
  if (bridge->interfaces == NULL) {
    return POLL_NS;
  }
  sn__node_publish_log(bridge);
  sn__node_publish_parameters(bridge);
  sn__node_publish_diagnostics(bridge, now_ns);
  return POLL_NS;
}

void sn__node_close(sn__bridge *bridge) {
  bridge->interfaces = NULL; /* in the arena of the bridge */
}
