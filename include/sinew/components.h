/** @file
 *  The types of components that come with Sinew. Their ports, properties and operations are in
 * their tables: `sinew ls` shows those of a running system. */
#ifndef SINEW_COMPONENTS_H
#define SINEW_COMPONENTS_H

#include "sinew/api.h"
#include "sinew/component.h"
#include "sinew/component_registry.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** `RobotModelURDF`: the robot model as a service. Its interface SN_ROBOT_MODEL gives an
 *  `sn_robot_model *` (robot_model.h); who uses it holds the model from configure to cleanup. */
SN_API extern const sn_component_type sn_robot_model_component;
#define SN_ROBOT_MODEL "RobotModelURDF"
/* NOLINTBEGIN(bugprone-macro-parentheses): name of a type */
/** Line of a table of needs: the robot; @p struct_ has a member `sn_requester robot_model`. */
#define SN_ROBOT_MODEL_NEED(struct_)                                                              \
  {                                                                                               \
    .name = "robot_model", .interface = SN_ROBOT_MODEL, .offset = offsetof(struct_, robot_model), \
    .doc = "The robot."                                                                           \
  }
/* NOLINTEND(bugprone-macro-parentheses) */

/** `timer`: the tick. */
SN_API extern const sn_component_type sn_timer_component;

/** `resources_control`: decides which controller may move which limb (arbiter.h, controller.h,
 *  owners.h). */
SN_API extern const sn_component_type sn_resources_control_component;

/** `FollowJointState`: takes poses from above and hands them to the aggregator (follow.h). */
SN_API extern const sn_component_type sn_follow_joint_state_component;

/** `execute_joint_trajectory`: moves joints along trajectories (execute.h, trajectory.h). */
SN_API extern const sn_component_type sn_execute_joint_trajectory_component;

/** `relay_joints`: the references of a controller outside, which is in `list_ros` of
 *  `resources_control` by the name of this component: what comes from there is let through while it
 *  owns the limbs. */
SN_API extern const sn_component_type sn_relay_joints_component;

/** `torque_off`: takes limbs and lets them go limp. */
SN_API extern const sn_component_type sn_torque_off_component;

/** `transient_exp`, `filter_exp`, `jerk_limited`: smoothing, as services inside a controller
 *  (smoothing.h). */
SN_API extern const sn_component_type sn_transient_exp_component;
SN_API extern const sn_component_type sn_filter_exp_component;
SN_API extern const sn_component_type sn_jerk_limited_component;

/** `kinematics_fwd`: where the limbs are, from the pose of the joints. */
SN_API extern const sn_component_type sn_kinematics_fwd_component;

/** `kinematics_inv`: the pose of the joints that brings limbs where they should be. A limb that
 *  cannot get there keeps its last pose, is reported, and never jumps. */
SN_API extern const sn_component_type sn_kinematics_inv_component;

/** `dynamics_inv`: efforts, contact forces and balance, from the pose and the supports. In
 *  `BalanceState` a contact is named `chain/contact`, or `chain` if it is the origin of the chain's
 *  last link, and its wrench is about the mean of its points. */
SN_API extern const sn_component_type sn_dynamics_inv_component;

/** `aggregator`: the gate between controllers and servos (gate.h). Who writes to `in_joints` is
 * known by the connection; `owners` (owners.h) says what each may move. */
SN_API extern const sn_component_type sn_aggregator_component;

/** `plant`: the robot simulated, servos and all (plant.h). Its ports are those of the drivers of
 *  real servos. */
SN_API extern const sn_component_type sn_plant_component;

/** `plant_mujoco`: the same with MuJoCo's physics; it does not start where MuJoCo is missing. */
SN_API extern const sn_component_type sn_plant_mujoco_component;

/** `servo_inv_7param`: the goals of the servos, by their models (servo_inv.h). */
SN_API extern const sn_component_type sn_servo_inv_7param_component;

/** `servo_ident`: identification of servos while they move, and the torque that nobody commanded
 *  (servo_ident.h, servo_ident_msg.h). */
SN_API extern const sn_component_type sn_servo_ident_component;

/** `driver_dynamixel`, `driver_feetech`, `driver_herkulex`: real servos on serial buses, with the
 *  ports of `plant` and their health besides (docs/hardware.md). */
SN_API extern const sn_component_type sn_driver_dynamixel_component;
SN_API extern const sn_component_type sn_driver_feetech_component;
SN_API extern const sn_component_type sn_driver_herkulex_component;

/** `demo_motion`: references that sway a robot gently, for one that should look alive. */
SN_API extern const sn_component_type sn_demo_motion_component;

/** `recorder`: records outputs into files of a folder, on request (recorder.h, docs/recordings.md).
 */
SN_API extern const sn_component_type sn_recorder_component;

/** Add all of them to a registry.
 *  @return as sn_component_registry_add().  RT: no.  Threads: one owner. */
SN_API sn_status sn_components_add(sn_component_registry *registry, sn_error *err);

/** The standard deployment, which `sinew run any.urdf` runs and which other deployments include as
 *  `standard.yaml`, whether or not a file of that name is there (sn_deployment_config.files).
 *  @param size  of the text without its NUL; may be NULL.  RT: yes.  Threads: any. */
SN_API const char *sn_standard_deployment(size_t *size) SN_RT;

SN_END_DECLS

#endif
