#include "gate/world_message.h"

#include <stdio.h>

#include "base/fail.h"
#include "base/text.h"

sn_status sn__world_message_read(const sn_world_object *msg, sn__object *out, sn_error *err) {
  *out = (sn__object){.pose = sn_pose_from_msg(msg->pose)};
  const sn_quat r = msg->pose.orientation;
  if (r.w == 0.0 && r.x == 0.0 && r.y == 0.0 && r.z == 0.0) {
    out->pose.rot = sn_pose_identity().rot;
  }
  if (msg->name.count >= sizeof out->name || sn__text_has_control(msg->name.data)) {
    return sn__fail(err, SN_EINVAL,
                    "the name of an object must have 1 to %zu characters, none of them a control "
                    "character",
                    sizeof out->name - 1);
  }
  (void)snprintf(out->name, sizeof out->name, "%s", msg->name.data);
  return sn__object_shape(msg->shape.data, msg->size.data, msg->size.count, msg->points.data,
                          msg->points.count, out, err);
}
