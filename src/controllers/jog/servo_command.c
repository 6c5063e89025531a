#include "controllers/jog/servo_command.h"

#include <math.h>
#include <string.h>

#include "sinew/ik.h"

static const double S_TO_NS = 1e9;

static bool is_tool(const sn_msg_text *frame) {
  return frame->count > 0 && strcmp(frame->data, SN__TOOL_FRAME) == 0;
}

static bool is_finite(sn_spatial twist) {
  const sn_vec3 sum = sn_vec3_add(twist.ang, twist.lin);
  return isfinite(sum.x) && isfinite(sum.y) && isfinite(sum.z);
}

/* A message that waited somewhere must not move anything. */
static bool is_old(const sn__jog_context *context, const sn_header *header) {
  return header->stamp_ns != 0 && header->stamp_ns < context->now_ns - context->timeout_ns;
}

static const char *const OLD = "its stamp is older than the time-out";
static const char *const NOT_FINITE = "it holds NaN or infinity";
static const char *const NO_FRAME =
    "its frame is unknown, expected 'tool', the name of a link, or none for the first link";

/* A link in the first link of the chain. */
static sn_pose pose_of_link(const sn__jog_context *context, int link) {
  const sn_kin_data *kin = context->world->kin;
  const sn_pose first =
      sn_kin_link_pose(kin, sn_model_link(context->model, (size_t)context->chain->first_link));
  return sn_pose_between(first, sn_kin_link_pose(kin, sn_model_link(context->model, (size_t)link)));
}

/* @return false: unknown. @param link  out; -1: the first link of the chain */
static bool find_link(const sn__jog_context *context, const sn_msg_text *frame, int *link) {
  *link = frame->count == 0 ? -1 : sn_model_link_index(context->model, frame->data);
  return frame->count == 0 || *link >= 0;
}

static void accept(const sn__jog_context *context, bool is_motion, sn__jog_command *command) {
  command->is_motion = is_motion;
  command->arrived_ns = context->now_ns;
  command->valid_ns = context->timeout_ns;
}

const char *sn__jog_read_twist(const sn__jog_context *context, const sn_twist_stamped *msg,
                               sn__jog_command *command) {
  const sn_msg_text *frame = &msg->header.frame_id;
  const bool is_of_tool = is_tool(frame) && sn_model_link_index(context->model, SN__TOOL_FRAME) < 0;
  int link = -1;
  if (!is_finite(msg->twist)) {
    return NOT_FINITE;
  }
  if (is_old(context, &msg->header)) {
    return OLD;
  }
  if (!is_of_tool && !find_link(context, frame, &link)) {
    return NO_FRAME;
  }
  const bool is_last = link == context->chain->last_link;
  *command =
      (sn__jog_command){.servo = {.kind = is_of_tool || is_last ? SN__SERVO_TOOL : SN__SERVO_TWIST,
                                  .twist = msg->twist},
                        .link = link};
  accept(context, sn_spatial_dot(msg->twist, msg->twist) > 0.0, command);
  return NULL;
}

const char *sn__jog_read_pose(const sn__jog_context *context, const sn_pose_stamped *msg,
                              sn__jog_command *command) {
  const sn_msg_text *frame = &msg->header.frame_id;
  sn_pose wanted;
  int link = -1;
  if (sn_ik_pose_from_quat(msg->pose.position, msg->pose.orientation, &wanted) != SN_IK_OK) {
    return "it is not finite, or its quaternion is not of unit length";
  }
  if (is_old(context, &msg->header)) {
    return OLD;
  }
  const bool is_known = find_link(context, frame, &link);
  if (!is_known && !is_tool(frame)) {
    return NO_FRAME;
  }
  const sn_pose in = !is_known  ? context->tool
                     : link < 0 ? sn_pose_identity()
                                : pose_of_link(context, link);
  *command = (sn__jog_command){.servo = {.kind = SN__SERVO_POSE, .pose = sn_pose_mul(in, wanted)},
                               .link = -1};
  accept(context, true, command);
  return NULL;
}

/* The place of a joint in the chain, or -1. */
static int find_joint(const sn__jog_context *context, const char *name) {
  const int joint = sn_model_joint_index(context->model, name);
  for (size_t j = 0; joint >= 0 && j < context->chain->joint_count; j++) {
    if (context->chain->joints[j] == joint) {
      return (int)j;
    }
  }
  return -1;
}

const char *sn__jog_read_joints(const sn__jog_context *context, const sn_joint_jog *msg, double *qd,
                                sn__jog_command *command) {
  const size_t count = msg->joint_names.count;
  double sum = 0.0;
  if (msg->velocities.count != count || msg->displacements.count > 0) {
    return "it needs one velocity for each joint, and no displacements";
  }
  for (size_t i = 0; i < count; i++) {
    sum += fabs(msg->velocities.data[i]);
    if (find_joint(context, sn_msg_names_at(&msg->joint_names, i)) < 0) {
      return "one of its joints does not belong to the chain that is moved";
    }
  }
  if (!isfinite(sum) || !(msg->duration >= 0.0)) {
    return "it holds NaN or infinity, or a negative duration";
  }
  if (is_old(context, &msg->header)) {
    return OLD;
  }
  memset(qd, 0, context->chain->joint_count * sizeof *qd);
  for (size_t i = 0; i < count; i++) {
    qd[find_joint(context, sn_msg_names_at(&msg->joint_names, i))] = msg->velocities.data[i];
  }
  *command = (sn__jog_command){.servo = {.kind = SN__SERVO_JOINTS, .qd = qd}, .link = -1};
  accept(context, sum > 0.0, command);
  if (msg->duration > 0.0 && S_TO_NS * msg->duration < (double)context->timeout_ns) {
    command->valid_ns = (int64_t)(S_TO_NS * msg->duration);
  }
  return NULL;
}

sn__servo_command sn__jog_command_now(const sn__jog_command *command,
                                      const sn__jog_context *context) {
  sn__servo_command now = command->servo;
  if (now.kind == SN__SERVO_TWIST && command->link >= 0) {
    const sn_mat3 rot = pose_of_link(context, command->link).rot;
    now.twist = (sn_spatial){sn_mat3_apply(rot, now.twist.ang), sn_mat3_apply(rot, now.twist.lin)};
  }
  return now;
}
