/* Poses that clients ask about: where links would be, and ways through several of them. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "gate/gate_component.h"
#include "msg/types/msg_collision.h"

/* Of a way, in one call: the cycle goes on. */
enum { LINES_MAX = 8 };

sn_status sn__gate_component_read_pose(sn__gate_component *a, const sn_joint_state *msg,
                                       size_t index, double *q, sn_error *err) {
  const double *positions = msg->position.data + index * msg->name.count;
  memcpy(q, sn__gate_pose(a->gate), sn_model_pose_size(a->model) * sizeof *q);
  for (size_t i = 0; i < msg->name.count; i++) {
    const char *name = sn_msg_names_at(&msg->name, i);
    const int joint = sn_model_joint_index(a->model, name);
    if (joint < 0 || !isfinite(positions[i])) {
      return sn__fail(err, joint < 0 ? SN_ENOENT : SN_EINVAL, "%s '%.80s'",
                      joint < 0 ? "the robot has no joint" : "no finite position of joint", name);
    }
    q[joint] = positions[i];
  }
  return SN_OK;
}

/* How many poses a message has. @return 0: too few, or not a whole number of them */
static size_t count_poses(const sn_joint_state *msg, sn_error *err) {
  const size_t n = msg->name.count, count = msg->position.count;
  if (n == 0 || count < 2 * n || count % n != 0) {
    (void)sn__fail(err, SN_EINVAL, "%zu positions for %zu joints, expected two or more poses",
                   count, n);
    return 0;
  }
  return count / n;
}

static void tell_block(const sn__gate_component *a, const sn__guard_block *block,
                       sn_checked_way *out) {
  out->blocked = true;
  out->distance = block->distance;
  sn__gate_component_set_text(&out->link_a,
                              sn__collision_name(a->collision.checker, block->link_a));
  sn__gate_component_set_text(&out->link_b,
                              sn__collision_name(a->collision.checker, block->link_b));
}

/* From one pose of the message to the next. @return false: no farther in this call */
static bool follow(sn__gate_component *a, const double *from, const double *to,
                   sn_checked_way *out) {
  sn__guard_block block;
  bool is_free = true;
  const double share = sn__gate_follow(a->gate, from, to, &block, &is_free);
  out->checked += share;
  if (!is_free) {
    tell_block(a, &block, out);
  }
  return is_free && share >= 1.0;
}

sn_status sn__gate_component_check_way(sn_component *component, const void *request, void *response,
                                       sn_error *err) {
  sn__gate_component *a = (sn__gate_component *)component;
  const sn_joint_state *msg = request;
  double *from = a->collision.asked, *to = a->collision.asked_next;
  sn_msg_reset(&sn_checked_way_type, response);
  const size_t count = count_poses(msg, err);
  sn_status status = count == 0 ? SN_EINVAL : sn__gate_component_read_pose(a, msg, 0, from, err);
  for (size_t i = 1; status == SN_OK && i < count && i <= LINES_MAX; i++) {
    status = sn__gate_component_read_pose(a, msg, i, to, err);
    if (status == SN_OK && !follow(a, from, to, response)) {
      break;
    }
    double *const last = from;
    from = to;
    to = last;
  }
  return status;
}
