#include "controllers/cartesian/world.h"

#include <math.h>
#include <string.h>

#include "msg/msg_names_internal.h"
#include "sinew/ik.h"
#include "sinew/quat.h"

sn_status sn__world_create(sn__world *world, sn_arena *arena, const sn_model *model,
                           sn_error *err) {
  *world = (sn__world){.model = model};
  sn__world_start(world);
  return sn_kin_create(arena, sn_model_tree(model), &world->kin, err);
}

void sn__world_start(sn__world *world) {
  world->base = (sn__body_state){.pose = sn_pose_identity()};
  world->has_base = false;
}

static bool is_finite_twist(sn_spatial t) {
  return isfinite(t.ang.x + t.ang.y + t.ang.z + t.lin.x + t.lin.y + t.lin.z);
}

bool sn__world_begin_step(sn__world *world, sn_controller *controller, int64_t now_ns) {
  const bool owns_joints = sn_controller_begin_step(controller, now_ns);
  if (controller->has_pose) {
    sn__world_update(world, controller->pose);
  }
  return owns_joints;
}

sn_status sn__world_read_body(const sn_rigid_body_state *msg, const char *name,
                              sn__body_state *body) {
  const bool is_nameless = msg->name.count == 0 && msg->pose.count == 1;
  const int index = is_nameless ? 0 : sn__msg_names_index(&msg->name, name);
  if (index < 0 || (size_t)index >= msg->pose.count) {
    return SN_ENOENT;
  }
  const sn_msg_pose *pose = &msg->pose.data[index];
  sn__body_state found = {.twist = {{0, 0, 0}, {0, 0, 0}}};
  if (sn_ik_pose_from_quat(pose->position, pose->orientation, &found.pose) != SN_IK_OK) {
    return SN_EINVAL;
  }
  if (msg->twist.count > (size_t)index) {
    found.twist = msg->twist.data[index];
  }
  if (!is_finite_twist(found.twist)) {
    return SN_EINVAL;
  }
  *body = found;
  return SN_OK;
}

bool sn__world_read_base(sn__world *world, sn_input *in_base, int64_t now_ns) {
  const sn_rigid_body_state *msg = sn_input_newest(in_base);
  if (msg == NULL) {
    return true;
  }
  const char *root = sn_model_link(world->model, 0)->name;
  if (sn__world_read_body(msg, root, &world->base) != SN_OK) {
    return false;
  }
  world->has_base = true;
  world->base_ns = now_ns;
  return true;
}

void sn__world_update(sn__world *world, const double *q) {
  sn_kin_update(world->kin, q);
}

static bool is_name(const sn_msg_text *text, const char *name) {
  return text->count > 0 && strcmp(text->data, name) == 0;
}

bool sn__world_is_world(const sn_msg_text *name) {
  return is_name(name, SN__WORLD_FRAME) || is_name(name, "world");
}

sn_pose sn__world_path(sn_pose pose_world_base) {
  const sn_vec3 ahead = pose_world_base.rot.x;
  const bool is_upright = ahead.x * ahead.x + ahead.y * ahead.y > 1e-12;
  const double heading = is_upright ? atan2(ahead.y, ahead.x) : 0.0;
  return (sn_pose){sn_mat3_from_rpy(0, 0, heading),
                   {pose_world_base.pos.x, pose_world_base.pos.y, 0.0}};
}

bool sn__world_find_frame(const sn__world *world, const sn_msg_text *name, sn_pose *in_base) {
  const sn_pose base = world->base.pose;
  if (name->count == 0) {
    *in_base = sn_pose_identity();
    return true;
  }
  if (sn__world_is_world(name)) {
    *in_base = sn_pose_inverse(base);
    return true;
  }
  if (is_name(name, SN__PATH_FRAME)) {
    *in_base = sn_pose_between(base, sn__world_path(base));
    return true;
  }
  const int link = sn_model_link_index(world->model, name->data);
  if (link >= 0) {
    *in_base = sn_kin_link_pose(world->kin, sn_model_link(world->model, (size_t)link));
  }
  return link >= 0;
}
