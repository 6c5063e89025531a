/* From the sorted pose to where the limbs are. */
#include <string.h>

#include "base/fail.h"
#include "msg/base_message.h"
#include "msg/name_map.h"
#include "rt/components/robot_model_client.h"
#include "sinew/components.h"
#include "sinew/kin.h"

typedef struct kinematics_fwd {
  sn_component component;
  const char *frame, *world_frame;
  bool with_virtual;
  sn_input joints_sorted, in_base;
  sn_output limbs;
  sn_requester robot_model;

  const sn_model *model;
  sn_kin_data *kin;
  const sn_link *origin; /* link of the frame; NULL: the root */
  size_t chain_count;
  const sn_link **tips; /* [chain_count] */
  sn__name_map names;   /* of joints_sorted */
  double *q, *qd;       /* sorted */
  bool has_pose;        /* every joint was named once */
  bool is_in_world;     /* the frame is that of the world */
  bool has_base;        /* in_base had the base once */
  sn_pose pose_world_base;
  sn_spatial base_twist; /* in the axes of the world */
} kinematics_fwd;

static const sn_property properties[] = {
    SN_PROPERTY(kinematics_fwd, "frame", frame,
                .doc =
                    "Link whose frame poses and twists are in; empty: the root link; or the world "
                    "frame, which needs in_base."),
    SN_PROPERTY(kinematics_fwd, "world_frame", world_frame, .initial = "odom",
                .doc = "Name of the world's frame."),
    SN_PROPERTY(
        kinematics_fwd, "with_virtual", with_virtual, .initial = "true",
        .doc = "End a chain at its virtual link if it has one, as inverse kinematics does."),
    {0}};

static const sn_port ports[] = {
    SN_INPUT(kinematics_fwd, "joints_sorted", joints_sorted, &sn_joint_state_type,
             .flags = SN_PORT_EVENT | SN_PORT_REQUIRED, .doc = "The pose of the whole robot."),
    SN_INPUT(kinematics_fwd, "in_base", in_base, &sn_rigid_body_state_type,
             .flags = SN_PORT_FEEDBACK, .doc = "The base in the world, for limbs in the world."),
    SN_OUTPUT(kinematics_fwd, "limbs", limbs, &sn_limb_state_type, .flags = SN_PORT_DERIVED,
              .doc = "Where the last link of every chain is, and how it moves."),
    {0}};

static const sn_need needs[] = {SN_ROBOT_MODEL_NEED(kinematics_fwd), {0}};

static sn_status find_frame(kinematics_fwd *self, sn_error *err) {
  const int link = sn_model_link_index(self->model, self->frame);
  self->origin = NULL;
  self->is_in_world = link < 0 && strcmp(self->frame, self->world_frame) == 0;
  self->has_base = false;
  if (*self->frame == '\0' || self->is_in_world) {
    return SN_OK;
  }
  if (link < 0) {
    return sn__fail(err, SN_ENOENT, "frame: the robot has no link '%s'", self->frame);
  }
  self->origin = link == 0 ? NULL : sn_model_link(self->model, (size_t)link);
  return SN_OK;
}

/* The constant parts of the message. */
static sn_status fill_message(kinematics_fwd *self, sn_error *err) {
  sn_limb_state *msg = self->limbs.msg;
  const sn_link *link = self->origin == NULL ? sn_model_link(self->model, 0) : self->origin;
  const char *frame = self->is_in_world ? self->world_frame : link->name;
  if (sn_msg_text_set(&msg->header.frame_id, frame) != SN_OK) {
    return sn__fail(err, SN_ENOSPC, "the name '%s' does not fit into a message", frame);
  }
  sn_msg_names_share(&msg->name, sn_model_chain_names(self->model));
  msg->pose.count = msg->twist.count = self->chain_count;
  return SN_OK;
}

static sn_status create_all(sn_component *component, sn_error *err) {
  kinematics_fwd *self = (kinematics_fwd *)component;
  sn_arena *arena = sn_component_arena(&self->component);
  const sn_limb_state *msg = self->limbs.msg;
  const size_t joint_count = sn_model_pose_size(self->model);
  self->chain_count = sn_names_count(sn_model_chain_names(self->model));
  self->has_pose = false;
  sn_status status = sn__fits(self->chain_count, msg->pose.capacity, "chains", err);
  if (status == SN_OK) {
    status = find_frame(self, err);
  }
  if (status == SN_OK) {
    status = sn_kin_create(arena, sn_model_tree(self->model), &self->kin, err);
  }
  if (status != SN_OK) {
    return status;
  }
  self->tips = SN_NEW(arena, const sn_link *, self->chain_count);
  self->q = SN_NEW(arena, double, joint_count);
  self->qd = SN_NEW(arena, double, joint_count);
  if (self->tips == NULL || self->q == NULL || self->qd == NULL ||
      !sn__name_map_init(&self->names, arena, sn_model_joint_names(self->model))) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  for (size_t i = 0; i < self->chain_count; i++) {
    const sn_chain *chain = sn_model_chain(self->model, i, self->with_virtual);
    self->tips[i] = sn_model_link(self->model, (size_t)chain->last_link);
  }
  return fill_message(self, err);
}

static sn_status configure(sn_component *component, sn_error *err) {
  kinematics_fwd *self = (kinematics_fwd *)component;
  return sn__configure_with_model(component, &self->robot_model, &self->model, create_all, err);
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  kinematics_fwd *self = (kinematics_fwd *)component;
  (void)now_ns;
  self->has_base = false;
  return self->is_in_world && !sn_input_is_connected(&self->in_base)
             ? sn__fail(err, SN_EINVAL, "frame '%s' needs in_base, which is not connected",
                        self->frame)
             : SN_OK;
}

static void cleanup(sn_component *component) {
  kinematics_fwd *self = (kinematics_fwd *)component;
  sn_msg_names_clear(&((sn_limb_state *)self->limbs.msg)->name);
  sn__model_release(&self->robot_model);
}

/* Relative to the frame and in its axes; both are given in the root. */
static sn_spatial twist_in(sn_pose frame, sn_spatial frame_twist, sn_pose tip, sn_spatial twist) {
  const sn_vec3 way = sn_vec3_sub(tip.pos, frame.pos);
  const sn_vec3 carried = sn_vec3_add(frame_twist.lin, sn_vec3_cross(frame_twist.ang, way));
  return (sn_spatial){sn_mat3_apply_transposed(frame.rot, sn_vec3_sub(twist.ang, frame_twist.ang)),
                      sn_mat3_apply_transposed(frame.rot, sn_vec3_sub(twist.lin, carried))};
}

/* From the base, which moves, to the world. */
static void put_into_world(const kinematics_fwd *self, sn_limb_state *msg) {
  const sn_mat3 rot = self->pose_world_base.rot;
  for (size_t i = 0; i < self->chain_count; i++) {
    const sn_pose tip = sn_kin_link_pose(self->kin, self->tips[i]);
    const sn_spatial twist = sn_kin_link_twist(self->kin, self->tips[i]);
    const sn_vec3 arm = sn_mat3_apply(rot, tip.pos);
    const sn_vec3 carried =
        sn_vec3_add(self->base_twist.lin, sn_vec3_cross(self->base_twist.ang, arm));
    msg->pose.data[i] = sn_msg_pose_from(sn_pose_mul(self->pose_world_base, tip));
    msg->twist.data[i].ang = sn_vec3_add(self->base_twist.ang, sn_mat3_apply(rot, twist.ang));
    msg->twist.data[i].lin = sn_vec3_add(carried, sn_mat3_apply(rot, twist.lin));
  }
}

static void fill_limbs(kinematics_fwd *self, sn_limb_state *msg) {
  const sn_pose frame =
      self->origin == NULL ? sn_pose_identity() : sn_kin_link_pose(self->kin, self->origin);
  const sn_spatial frame_twist =
      self->origin == NULL ? sn_spatial_zero() : sn_kin_link_twist(self->kin, self->origin);
  for (size_t i = 0; i < self->chain_count; i++) {
    const sn_pose tip = sn_kin_link_pose(self->kin, self->tips[i]);
    const sn_spatial twist = sn_kin_link_twist(self->kin, self->tips[i]);
    if (self->origin == NULL) {
      msg->pose.data[i] = sn_msg_pose_from(tip);
      msg->twist.data[i] = twist;
    } else {
      msg->pose.data[i] = sn_msg_pose_from(sn_pose_between(frame, tip));
      msg->twist.data[i] = twist_in(frame, frame_twist, tip, twist);
    }
  }
}

static void take_base(kinematics_fwd *self) {
  const sn_rigid_body_state *in = sn_input_newest(&self->in_base);
  if (in != NULL && sn__base_message_read(in, sn_model_link(self->model, 0)->name,
                                          &self->pose_world_base, &self->base_twist, NULL)) {
    self->has_base = true;
  }
}

static sn_status step(sn_component *component, int64_t now_ns) {
  kinematics_fwd *self = (kinematics_fwd *)component;
  (void)now_ns;
  take_base(self);
  const sn_joint_state *in = sn_input_newest(&self->joints_sorted);
  if (in == NULL) {
    return SN_OK;
  }
  if (!sn__read_is_good(sn__read_joint_state(&self->names, in, NULL))) {
    return SN_OK;
  }
  const size_t joint_count = self->names.count;
  const size_t known = sn__name_map_sort(&self->names, &in->position, self->q);
  self->has_pose = self->has_pose || known == joint_count;
  if (!self->has_pose || (self->is_in_world && !self->has_base)) {
    return SN_OK; /* zeros are not the pose of the robot */
  }
  memset(self->qd, 0, joint_count * sizeof *self->qd); /* without velocities it is at rest */
  (void)sn__name_map_sort(&self->names, &in->velocity, self->qd);
  sn_kin_update_velocity(self->kin, self->q, self->qd);
  sn_limb_state *msg = self->limbs.msg;
  msg->header.stamp_ns = in->header.stamp_ns;
  if (self->is_in_world) {
    put_into_world(self, msg);
  } else {
    fill_limbs(self, msg);
  }
  return sn_output_write(&self->limbs);
}

const sn_component_type sn_kinematics_fwd_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "kinematics_fwd",
    .doc = "Forward kinematics: where the limbs are, from the pose of the joints.",
    .size = sizeof(kinematics_fwd),
    .properties = properties,
    .ports = ports,
    .needs = needs,
    .example =
        "components:\n"
        "  kinematics_fwd:\n"
        "    type: kinematics_fwd\n"
        "    properties: {with_virtual: false}\n",
    .configure = configure,
    .start = start,
    .step = step,
    .cleanup = cleanup,
};
