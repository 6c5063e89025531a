#include "sinew/msg_estimation.h"

#include "msg/table.h"

static const sn_msg_field status_fields[] = {
    SN_MSG_FIELD_NESTED(sn_estimator_status, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_estimator_status, "mode", mode, ""),
    SN_MSG_FIELD(sn_estimator_status, "imu", imu, ""),
    SN_MSG_FIELD(sn_estimator_status, "at_rest", at_rest, ""),
    SN_MSG_FIELD_NESTED(sn_estimator_status, "gyro_bias", gyro_bias, &sn_vector3_type, "rad/s"),
    SN_MSG_FIELD_NESTED(sn_estimator_status, "accel_bias", accel_bias, &sn_vector3_type, "m/s²"),
    SN_MSG_FIELD(sn_estimator_status, "restarts", restarts, ""),
    SN_MSG_FIELD(sn_estimator_status, "foot", foot, ""),
    SN_MSG_FIELD(sn_estimator_status, "standing", standing, ""),
    SN_MSG_FIELD(sn_estimator_status, "state", state, ""),
};
const sn_msg_type sn_estimator_status_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "EstimatorStatus"),
                                              .brief = "Health of the estimate of the base.",
                                              .size = sizeof(sn_estimator_status),
                                              SN__FIELDS(status_fields)};

static const sn_msg_field fall_fields[] = {
    SN_MSG_FIELD_NESTED(sn_fall_state, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_fall_state, "fallen", fallen, ""),
    SN_MSG_FIELD(sn_fall_state, "reason", reason, ""),
    SN_MSG_FIELD(sn_fall_state, "tilt", tilt, "rad"),
    SN_MSG_FIELD(sn_fall_state, "count", count, ""),
};
const sn_msg_type sn_fall_state_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "FallState"),
                                        .brief = "A fall of the robot, and its end.",
                                        .size = sizeof(sn_fall_state), SN__FIELDS(fall_fields)};
