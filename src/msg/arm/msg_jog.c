#include "msg/arm/msg_jog.h"

#include "msg/table.h"

static const sn_msg_field twist_stamped_fields[] = {
    SN_MSG_FIELD_NESTED(sn_twist_stamped, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD_NESTED(sn_twist_stamped, "twist", twist, &sn_twist_type, "m/s and rad/s"),
};
const sn_msg_type sn_twist_stamped_type = {SN_MSG_TYPE_NAMES("geometry_msgs", "TwistStamped"),
                                           .brief = "A velocity with its time and frame.",
                                           .size = sizeof(sn_twist_stamped),
                                           SN__FIELDS(twist_stamped_fields)};

static const sn_msg_field joint_jog_fields[] = {
    SN_MSG_FIELD_NESTED(sn_joint_jog, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_joint_jog, "joint_names", joint_names, ""),
    SN_MSG_FIELD(sn_joint_jog, "displacements", displacements, "rad or m"),
    SN_MSG_FIELD(sn_joint_jog, "velocities", velocities, "rad/s or m/s"),
    SN_MSG_FIELD(sn_joint_jog, "duration", duration, "s"),
};
const sn_msg_type sn_joint_jog_type = {SN_MSG_TYPE_NAMES("control_msgs", "JointJog"),
                                       .brief = "Velocities of joints, for a short time.",
                                       .size = sizeof(sn_joint_jog), SN__FIELDS(joint_jog_fields)};

static const sn_msg_field jog_state_fields[] = {
    SN_MSG_FIELD_NESTED(sn_jog_state, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_jog_state, "chain", chain, ""),
    SN_MSG_FIELD(sn_jog_state, "status", status, ""),
    SN_MSG_FIELD(sn_jog_state, "reason", reason, ""),
    SN_MSG_FIELD(sn_jog_state, "joint", joint, ""),
    SN_MSG_FIELD(sn_jog_state, "share", share, "0 … 1"),
    SN_MSG_FIELD_NESTED(sn_jog_state, "pose", pose, &sn_pose_type, "m"),
    SN_MSG_FIELD_NESTED(sn_jog_state, "twist", twist, &sn_twist_type, "m/s and rad/s"),
};
const sn_msg_type sn__jog_state_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "JogState"),
                                        .brief = "State of a tool that is jogged.",
                                        .size = sizeof(sn_jog_state), SN__FIELDS(jog_state_fields)};
