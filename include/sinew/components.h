/** @file
 *  The component types of the library. `docs/components.md` and `sinew types` list their
 *  properties, ports and operations. */
#ifndef SINEW_COMPONENTS_H
#define SINEW_COMPONENTS_H

#include "sinew/api.h"
#include "sinew/component.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** `RobotModelURDF`: the robot model as a service. Its interface SN_ROBOT_MODEL gives an
 *  `sn_robot_model *`, which only the library reads; hold the model from configure to cleanup. */
SN_API extern const sn_component_type sn_robot_model_component;
#define SN_ROBOT_MODEL "RobotModelURDF"
/* NOLINTBEGIN(bugprone-macro-parentheses): name of a type */
/** Entry of a table of needs; @p struct_ has a member `sn_requester robot_model`. */
#define SN_ROBOT_MODEL_NEED(struct_)                                                              \
  {                                                                                               \
    .name = "robot_model", .interface = SN_ROBOT_MODEL, .offset = offsetof(struct_, robot_model), \
    .doc = "The robot."                                                                           \
  }
/* NOLINTEND(bugprone-macro-parentheses) */

/** `timer`: triggers one cycle of the components that it is connected to. */
SN_API extern const sn_component_type sn_timer_component;

/** `resources_control`: decides which controller may move which limb (arbiter.h, controller.h,
 *  owners.h). */
SN_API extern const sn_component_type sn_resources_control_component;

/** `FollowJointState`: follows a stream of joint positions (follow.h). */
SN_API extern const sn_component_type sn_follow_joint_state_component;

/** `execute_joint_trajectory`: moves joints along trajectories (execute.h, trajectory.h). */
SN_API extern const sn_component_type sn_execute_joint_trajectory_component;
/** `ExecuteStepSequence`: executes step sequences, corrected by the estimated base. */
SN_API extern const sn_component_type sn_execute_step_sequence_component;
/** `MoveBase`: plans steps that bring the base to a goal, and has them executed. */
SN_API extern const sn_component_type sn_move_base_component;
/** Walks with a commanded velocity. */
SN_API extern const sn_component_type sn_walk_component;

/** `FollowStance`: moves the base and keeps the feet where they are (stance.h, docs/stance.md). */
SN_API extern const sn_component_type sn_follow_stance_component;

/** `FollowPose`: the end of one limb follows a pose (one_limb.h). `LookAt`: a limb turns to a
 *  point (gaze.h). */
SN_API extern const sn_component_type sn_follow_pose_component;
SN_API extern const sn_component_type sn_look_at_component;
/** `MoveTool`: moves a tool through targets on lines, arcs and curves. */
SN_API extern const sn_component_type sn_move_tool_component;
/** `CartesianServo`: jogs a tool by a velocity, by velocities of joints, or towards a pose. */
SN_API extern const sn_component_type sn_cartesian_servo_component;
/** `Gripper`: opens and closes with a bounded force, and notices when it holds something. */
SN_API extern const sn_component_type sn_gripper_component;

/** `relay_joints`: forwards the references of a controller in another process while it owns the
 *  limbs. `list_ros` of `resources_control` lists that controller under the name of this component.
 */
SN_API extern const sn_component_type sn_relay_joints_component;

/** `LeaderFollower`: joints follow those of a second arm. `HandGuiding`: limbs carry their weight
 *  and yield to the hand. */
SN_API extern const sn_component_type sn_leader_follower_component;
SN_API extern const sn_component_type sn_hand_guiding_component;

/** `torque_off`: takes limbs and switches their torque off. */
SN_API extern const sn_component_type sn_torque_off_component;

/** `transient_exp`, `filter_exp`, `jerk_limited`: smoothing, as services inside a controller
 *  (smoothing.h). */
SN_API extern const sn_component_type sn_transient_exp_component;
SN_API extern const sn_component_type sn_filter_exp_component;
SN_API extern const sn_component_type sn_jerk_limited_component;

/** `filter_rigid_body_pd`, `jerk_limited_rigid_body`: smoothing of poses, as services inside a
 *  controller (cartesian_smoothing.h). */
SN_API extern const sn_component_type sn_filter_rigid_body_pd_component;
SN_API extern const sn_component_type sn_jerk_limited_rigid_body_component;

/** `kinematics_fwd`: poses of the limbs from the positions of the joints. */
SN_API extern const sn_component_type sn_kinematics_fwd_component;

/** `kinematics_inv`: positions of the joints from poses of the limbs. A limb whose pose cannot be
 *  reached keeps its last one, is reported, and never jumps. */
SN_API extern const sn_component_type sn_kinematics_inv_component;

/** `dynamics_inv`: efforts, contact forces and balance, from the pose and the supports. In
 *  `BalanceState` a contact is named `chain/contact`, or `chain` if it is the origin of the chain's
 *  last link; its wrench is about the mean of its points. */
SN_API extern const sn_component_type sn_dynamics_inv_component;

/** `odometry`: the base in the world from the feet that stand. */
SN_API extern const sn_component_type sn_odometry_component;

/** `state_estimator`: the base in the world from an IMU, leg kinematics and contacts; detects
 * falls.
 */
SN_API extern const sn_component_type sn_state_estimator_component;

/** `limb_wrenches`: wrenches on the ends of limbs, from measured efforts. */
SN_API extern const sn_component_type sn_limb_wrenches_component;

/** `aggregator`: the gate between controllers and servos (gate.h). The connection identifies the
 *  writer of `in_joints`; `owners` (owners.h) lists what each may move. */
SN_API extern const sn_component_type sn_aggregator_component;

/** `plant`: the simulated robot with its servos (plant.h). It has the ports of the servo drivers.
 */
SN_API extern const sn_component_type sn_plant_component;

/** `plant_mujoco`: the same with MuJoCo's physics; it does not start if MuJoCo is not installed. */
SN_API extern const sn_component_type sn_plant_mujoco_component;

/** `servo_inv_7param`: goals of the servos from their models (servo_inv.h). */
SN_API extern const sn_component_type sn_servo_inv_7param_component;

/** `servo_ident`: identifies servo models while the servos move, and estimates external torques
 *  (servo_ident.h, servo_ident_msg.h). */
SN_API extern const sn_component_type sn_servo_ident_component;

/** `driver_dynamixel`, `driver_feetech`, `driver_herkulex`: servos on serial buses, with the ports
 *  of `plant` and a port for their health (docs/hardware.md). */
SN_API extern const sn_component_type sn_driver_dynamixel_component;
SN_API extern const sn_component_type sn_driver_feetech_component;
SN_API extern const sn_component_type sn_driver_herkulex_component;

/** `demo_motion`: references for a gentle swaying motion. */
SN_API extern const sn_component_type sn_demo_motion_component;

/** `demo_breath`: references for the base of a standing robot, which breathes. */
SN_API extern const sn_component_type sn_demo_breath_component;

/** `recorder`: records outputs into files of a folder, on request (recorder.h, docs/recordings.md).
 */
SN_API extern const sn_component_type sn_recorder_component;

/** `movements`: a folder of movements and scripts that are listed, played and recorded by name
 *  (docs/movements.md). */
SN_API extern const sn_component_type sn_movements_component;

/** Add all of them to a registry.
 *  @return as sn_component_registry_add().  RT: no.  Threads: one owner. */
SN_API sn_status sn_components_add(sn_component_registry *registry, sn_error *err);

/** The standard deployment, which `sinew run any.urdf` runs and which other deployments include as
 *  `standard.yaml` (sn_deployment_config.files).
 *  @param size  of the text without its NUL; may be NULL.  RT: yes.  Threads: any. */
SN_API const char *sn_standard_deployment(size_t *size) SN_RT;

SN_END_DECLS

#endif
