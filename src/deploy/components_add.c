#include "sinew/components.h"

static const sn_component_type *const types[] = {
    &sn_robot_model_component,
    &sn_timer_component,
    &sn_resources_control_component,
    &sn_follow_joint_state_component,
    &sn_execute_joint_trajectory_component,
    &sn_execute_step_sequence_component,
    &sn_move_base_component,
    &sn_walk_component,
    &sn_follow_stance_component,
    &sn_follow_pose_component,
    &sn_move_tool_component,
    &sn_cartesian_servo_component,
    &sn_gripper_component,
    &sn_look_at_component,
    &sn_relay_joints_component,
    &sn_torque_off_component,
    &sn_leader_follower_component,
    &sn_hand_guiding_component,
    &sn_transient_exp_component,
    &sn_filter_exp_component,
    &sn_jerk_limited_component,
    &sn_filter_rigid_body_pd_component,
    &sn_jerk_limited_rigid_body_component,
    &sn_kinematics_fwd_component,
    &sn_kinematics_inv_component,
    &sn_dynamics_inv_component,
    &sn_odometry_component,
    &sn_state_estimator_component,
    &sn_limb_wrenches_component,
    &sn_aggregator_component,
    &sn_plant_component,
    &sn_plant_mujoco_component,
    &sn_servo_inv_7param_component,
    &sn_servo_ident_component,
    &sn_driver_dynamixel_component,
    &sn_driver_feetech_component,
    &sn_driver_herkulex_component,
    &sn_demo_motion_component,
    &sn_demo_breath_component,
    &sn_recorder_component,
    &sn_movements_component,
};

sn_status sn_components_add(sn_component_registry *registry, sn_error *err) {
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < sizeof types / sizeof *types; i++) {
    status = sn_component_registry_add(registry, types[i], err);
  }
  return status;
}
