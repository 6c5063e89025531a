#include <string.h>

#include "ik/ik.h"

/* Motion of a joint at position q, in its own frame. */
static sn_pose joint_motion(const sn_joint *joint, double q) {
  sn_pose motion = sn_pose_identity();
  if (joint->type == SN_JOINT_PRISMATIC) {
    motion.pos = sn_vec3_scale(joint->axis, q);
  } else if (joint->type != SN_JOINT_FIXED) {
    motion.rot = sn_mat3_from_axis_angle(joint->axis, q);
  }
  return motion;
}

static sn_ik_code refuse_link(sn_ik *ik, const char *name, const char *text, const char *joint) {
  sn__ik_reason reason = {.text = text};
  strncat(reason.name, joint == NULL ? name : joint, sizeof reason.name - 1);
  return sn__ik_refuse(ik, SN_IK_INVALID_ARGUMENT, reason);
}

/* Walks from the link up to the base over the joints of the file. This works for links outside the
 * chains and is independent of the compiled kernels. */
static sn_ik_code link_pose(sn_ik *ik, const char *name, sn_pose *out) {
  int link = name == NULL ? -1 : sn_model_link_index(ik->model, name);
  if (link < 0) {
    return refuse_link(ik, name == NULL ? "(null)" : name, "the robot has no link '{s}'", NULL);
  }
  sn_pose pose = sn_pose_identity();
  while (link != ik->base_link) {
    const int joint_index = sn_model_link(ik->model, (size_t)link)->parent_joint;
    if (joint_index < 0) {
      return refuse_link(ik, name, "link '{s}' is not below the base of the group", NULL);
    }
    const sn_joint *joint = sn_model_joint(ik->model, (size_t)joint_index);
    double q = 0.0;
    if (joint->type != SN_JOINT_FIXED) {
      const int place = ik->group_index[joint_index];
      if (place < 0) {
        return refuse_link(ik, name, "joint '{s}', which moves the link, is not in the group",
                           joint->name);
      }
      q = ik->candidate[place];
    }
    pose = sn_pose_mul(sn_pose_mul(joint->pose_parent_joint, joint_motion(joint, q)), pose);
    link = joint->parent_link;
  }
  *out = pose;
  return SN_IK_OK;
}

sn_ik_code sn_ik_fk(sn_ik *ik, const char *const *link_names, size_t link_count, const double *q,
                    size_t count, sn_pose *poses) {
  if (ik == NULL) {
    return SN_IK_SOLVER_NOT_ACTIVE;
  }
  ik->result = (sn_ik_result){.kinematic_error = SN_IK_OK};
  ik->reason.text = NULL;
  const sn_ik_code code =
      sn__ik_check_vector(ik, q, count, "q has {n} entries, the group has {m} joints",
                          "position of joint '{s}' is {x}");
  if (code != SN_IK_OK) {
    return code;
  }
  memcpy(ik->candidate, q, count * sizeof *q);
  sn__ik_follow(ik, ik->candidate);
  /* Two rounds, so that nothing is written if one name is wrong. */
  for (size_t i = 0; i < link_count; i++) {
    sn_pose ignored;
    const sn_ik_code link_code = link_pose(ik, link_names[i], &ignored);
    if (link_code != SN_IK_OK) {
      return link_code;
    }
  }
  for (size_t i = 0; i < link_count; i++) {
    (void)link_pose(ik, link_names[i], &poses[i]);
  }
  return SN_IK_OK;
}
