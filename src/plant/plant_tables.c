/* Properties and ports of the component plant. */
#include "plant/plant_component.h"
#include "rt/components/robot_model_client.h"
#include "sinew/components.h"

/* What servo_models and default_servo_model have in common. */
#define SERVO_PROPERTIES                                                                         \
  SN_PROPERTY(sn__plant_servo_entry, "kp", kp, .unit = "1/rad", .min = 0, .max = 1e9,            \
              .doc = "Gain of the regulator; 0: a default."),                                    \
      SN_PROPERTY(sn__plant_servo_entry, "kgear", kgear, .unit = "", .initial = "1",             \
                  .doc = "Ratio of the servo's goal to the joint's position."),                  \
      SN_PROPERTY(sn__plant_servo_entry, "alpha", alpha, .unit = "V·s/rad, V, V, V/(N·m)",       \
                  .count_min = 0, .count_max = 4,                                                \
                  .doc =                                                                         \
                      "All four or none: viscous, Coulomb and Stribeck friction, volts per "     \
                      "torque. Empty: defaults."),                                               \
      SN_PROPERTY(sn__plant_servo_entry, "qs", qs, .unit = "rad/s", .min = 0, .max = 1e6,        \
                  .doc = "Stribeck velocity; 0: a default."),                                    \
      SN_PROPERTY(sn__plant_servo_entry, "delta", delta, .unit = "", .min = 0, .max = 100,       \
                  .doc = "Stribeck exponent; 0: a default."),                                    \
      SN_PROPERTY(sn__plant_servo_entry, "inertia", inertia, .unit = "V·s²/rad", .min = 0,       \
                  .max = 1e9,                                                                    \
                  .doc = "Inertia of the rotor; 0: none if alpha is set, else a default."),      \
      SN_PROPERTY(sn__plant_servo_entry, "torque_max", torque_max, .unit = "N·m", .min = 0,      \
                  .max = 1e9, .doc = "Torque limit of the motor; 0: the joint's effort limit."), \
      SN_PROPERTY(sn__plant_servo_entry, "speed_max", speed_max, .unit = "rad/s", .min = 0,      \
                  .max = 1e9,                                                                    \
                  .doc =                                                                         \
                      "Speed up to which the motor delivers torque; 0: the joint's velocity "    \
                      "limit."),                                                                 \
      SN__SERVO_EXTENSION_PROPERTIES(sn__plant_servo_entry, ext), {                              \
    0                                                                                            \
  }

static const sn_property servo_properties[] = {
    SN_PROPERTY(sn__plant_servo_entry, "name", name, .flags = SN_PROPERTY_REQUIRED,
                .doc = "Name of the joint."),
    SERVO_PROPERTIES};

static const sn_property default_servo_properties[] = {
    SN_PROPERTY(sn__plant_servo_entry, "name", name, .doc = "Not used."), SERVO_PROPERTIES};

static const sn_property box_properties[] = {
    SN_PROPERTY(sn__plant_box_entry, "position", position, .initial = "[0, 0, 0]", .unit = "m",
                .count_min = 3, .count_max = 3, .min = -1e6, .max = 1e6,
                .doc = "Centre of the box in odom."),
    SN_PROPERTY(sn__plant_box_entry, "rpy", rpy, .initial = "[0, 0, 0]", .unit = "rad",
                .count_min = 3, .count_max = 3, .min = -10, .max = 10,
                .doc = "Roll, pitch and yaw of the box."),
    SN_PROPERTY(sn__plant_box_entry, "size", size, .unit = "m", .count_min = 3, .count_max = 3,
                .min = 0, .max = 1e6, .flags = SN_PROPERTY_REQUIRED, .doc = "Its edges."),
    {0}};

const sn_property sn__plant_properties[] = {
    SN_PROPERTY(sn__plant_component, "dynamics", dynamics, .initial = "coupled",
                .choices = "coupled|decoupled",
                .doc = "coupled: the robot as rigid bodies; decoupled: each joint separately, "
                       "without gravity."),
    SN_PROPERTY_BAGS_OF(sn__plant_component, "servo_models", servo_models, sn__plant_servo_entry,
                        servo_properties, .doc = "Known servos."),
    SN_PROPERTY_BAG_OF(sn__plant_component, "default_servo_model", default_servo,
                       default_servo_properties,
                       .doc = "All other servos; what it does not set is that of a geared motor "
                              "with the limits of the joint."),
    SN_PROPERTY(sn__plant_component, "initial_pose", initial_pose,
                .doc = "Initial positions by joint; start_pose determines the others."),
    SN_PROPERTY(sn__plant_component, "start_pose", start_pose, .initial = "zero",
                .choices = "zero|movable|stand",
                .doc = "zero: at zero, or at the nearest limit; movable: away from limits and "
                       "singularities, so that every limb can move in all directions; stand: on "
                       "bent legs, with all feet on one plane."),
    SN_PROPERTY(sn__plant_component, "seed", seed, .unit = "", .initial = "1",
                .doc = "Seed of noise and faults; equal seeds give equal runs."),
    SN_PROPERTY(sn__plant_component, "integration_step", integration_step, .initial = "0.00025",
                .unit = "s", .min = 0.00001, .max = 0.01,
                .doc = "Longest integration step; a cycle is divided into equal steps."),
    SN_PROPERTY(sn__plant_component, "joint_limits", joint_limits, .initial = "true",
                .doc = "Simulate end stops at the hard limits of the joints."),
    SN_PROPERTY(sn__plant_component, "gravity", gravity, .initial = "[0, 0, -9.81]",
                .unit = "m/s^2", .count_min = 3, .count_max = 3, .min = -1000, .max = 1000,
                .flags = SN_PROPERTY_LIVE,
                .doc = "Gravity in the frame of the root link, or in odom if the base floats."),
    SN_PROPERTY(
        sn__plant_component, "base", base, .initial = "fixed", .choices = "auto|fixed|floating",
        .doc =
            "fixed: the root link is fixed in the world; floating: the robot is on the "
            "ground; auto: floating if two or more chains have contacts, all below the root link."),
    SN_PROPERTY(sn__plant_component, "initial_base", initial_base, .unit = "m and rad",
                .count_min = 0, .count_max = 6, .min = -1e6, .max = 1e6,
                .doc = "Where a floating base starts in odom: x, y, z, roll, pitch, yaw; empty: "
                       "above the origin, on its feet."),
    SN_PROPERTY(sn__plant_component, "friction", friction, .initial = "0.8", .unit = "", .min = 0,
                .max = 100, .doc = "Coefficient of friction of the ground."),
    SN_PROPERTY(sn__plant_component, "slope_x", slope_x, .unit = "", .min = -10, .max = 10,
                .doc = "Rise of the ground per metre along x."),
    SN_PROPERTY(sn__plant_component, "slope_y", slope_y, .unit = "", .min = -10, .max = 10,
                .doc = "Rise of the ground per metre along y."),
    SN_PROPERTY_BAGS_OF(sn__plant_component, "boxes", boxes, sn__plant_box_entry, box_properties,
                        .doc = "Boxes on the ground, which do not move."),
    SN_PROPERTY(sn__plant_component, "gyro_bias", gyro_bias, .initial = "[0, 0, 0]",
                .unit = "rad/s", .count_min = 3, .count_max = 3, .min = -100, .max = 100,
                .flags = SN_PROPERTY_LIVE, .doc = "Constant error of the gyroscope."),
    SN_PROPERTY(sn__plant_component, "gyro_noise", gyro_noise, .unit = "rad/s", .min = 0,
                .max = 100, .flags = SN_PROPERTY_LIVE, .doc = "Standard deviation on each axis."),
    SN_PROPERTY(sn__plant_component, "accel_bias", accel_bias, .initial = "[0, 0, 0]",
                .unit = "m/s^2", .count_min = 3, .count_max = 3, .min = -1000, .max = 1000,
                .flags = SN_PROPERTY_LIVE, .doc = "Constant error of the accelerometer."),
    SN_PROPERTY(sn__plant_component, "accel_noise", accel_noise, .unit = "m/s^2", .min = 0,
                .max = 1000, .flags = SN_PROPERTY_LIVE, .doc = "Standard deviation on each axis."),
    SN_PROPERTY(sn__plant_component, "imu_delay", imu_delay, .unit = "cycles", .min = 0,
                .max = SN_PLANT_DELAY_MAX, .flags = SN_PROPERTY_LIVE,
                .doc = "Age of the readings of the IMU; 0: of this cycle."),
    SN_PROPERTY(sn__plant_component, "imu_orientation", imu_orientation, .flags = SN_PROPERTY_LIVE,
                .doc = "The IMU also measures its orientation, exactly."),
    SN_PROPERTY(sn__plant_component, "contact_threshold", contact_threshold, .initial = "1",
                .unit = "N", .min = 0, .max = 1e6, .flags = SN_PROPERTY_LIVE,
                .doc = "A foot touches the ground with more force than this."),
    SN_PROPERTY(sn__plant_component, "bus_delay", bus_delay, .unit = "cycles", .min = 0,
                .max = SN_PLANT_DELAY_MAX, .flags = SN_PROPERTY_LIVE,
                .doc = "Delay between a goal and its effect; 0: none."),
    SN_PROPERTY(sn__plant_component, "smooth_goals", smooth_goals, .flags = SN_PROPERTY_LIVE,
                .doc = "Servos move evenly from one goal to the next during a cycle, as those do "
                       "that get a time with their goals; otherwise a goal applies at once."),
    SN_PROPERTY(sn__plant_component, "goal_timeout", goal_timeout, .unit = "s", .min = 0,
                .max = 3600, .flags = SN_PROPERTY_LIVE,
                .doc = "Time without goals after which the servos switch their torque off; 0: they "
                       "hold the last goal."),
    SN_PROPERTY(sn__plant_component, "encoder_step", encoder_step, .unit = "rad or m", .min = 0,
                .max = 10, .flags = SN_PROPERTY_LIVE,
                .doc = "Resolution of measured positions; 0: exact."),
    SN_PROPERTY(
        sn__plant_component, "position_noise", position_noise, .unit = "rad or m", .min = 0,
        .max = 10, .flags = SN_PROPERTY_LIVE,
        .doc = "Standard deviation of measured positions, before rounding to encoder_step."),
    SN_PROPERTY(sn__plant_component, "velocity_noise", velocity_noise, .unit = "rad/s or m/s",
                .min = 0, .max = 1000, .flags = SN_PROPERTY_LIVE, .doc = "Standard deviation."),
    SN_PROPERTY(sn__plant_component, "effort_noise", effort_noise, .unit = "N·m or N", .min = 0,
                .max = 1e6, .flags = SN_PROPERTY_LIVE, .doc = "Standard deviation."),
    SN_PROPERTY(sn__plant_component, "measure_velocity", measure_velocity, .initial = "true",
                .flags = SN_PROPERTY_LIVE, .doc = "Include velocities in the measured messages."),
    SN_PROPERTY(sn__plant_component, "measure_effort", measure_effort, .initial = "true",
                .flags = SN_PROPERTY_LIVE, .doc = "Include efforts in the measured messages."),
    SN_PROPERTY(sn__plant_component, "dropout_rate", dropout_rate, .unit = "", .min = 0, .max = 1,
                .flags = SN_PROPERTY_LIVE,
                .doc = "Fault: probability that a servo is missing in a measured message."),
    SN_PROPERTY(sn__plant_component, "message_loss_rate", message_loss_rate, .unit = "", .min = 0,
                .max = 1, .flags = SN_PROPERTY_LIVE,
                .doc = "Fault: probability that a measured message is lost."),
    SN_PROPERTY(sn__plant_component, "goal_loss_rate", goal_loss_rate, .unit = "", .min = 0,
                .max = 1, .flags = SN_PROPERTY_LIVE,
                .doc = "Fault: probability that a message with goals is lost."),
    SN_PROPERTY(sn__plant_component, "frozen", frozen, .flags = SN_PROPERTY_LIVE,
                .doc = "Fault: joints whose measured position no longer changes."),
    SN_PROPERTY(sn__plant_component, "silent", silent, .flags = SN_PROPERTY_LIVE,
                .doc = "Fault: joints that are missing in all measured messages."),
    SN_PROPERTY(sn__plant_component, "hot", hot, .flags = SN_PROPERTY_LIVE,
                .doc = "Fault: joints whose servo is too hot and has switched its torque off."),
    SN_PROPERTY(sn__plant_component, "stuck", stuck, .flags = SN_PROPERTY_LIVE,
                .doc = "Fault: joints whose gear is jammed."),
    SN_PROPERTY(sn__plant_component, "noisy", noisy, .flags = SN_PROPERTY_LIVE,
                .doc = "Fault: joints whose measured position is off by 0.02 rad or m, standard "
                       "deviation."),
    SN_PROPERTY(sn__plant_component, "delayed", delayed, .flags = SN_PROPERTY_LIVE,
                .doc = "Fault: joints that obey their goals 20 cycles late."),
    SN_PROPERTY(sn__plant_component, "battery_voltage", battery_voltage, .initial = "12",
                .unit = "V", .min = 0.1, .max = 1000, .flags = SN_PROPERTY_LIVE,
                .doc = "Battery voltage without load."),
    SN_PROPERTY(sn__plant_component, "battery_resistance", battery_resistance, .unit = "Ohm",
                .min = 0, .max = 100, .flags = SN_PROPERTY_LIVE,
                .doc = "Internal resistance of the battery."),
    SN_PROPERTY(sn__plant_component, "current_per_torque", current_per_torque, .initial = "0.5",
                .unit = "A/(N·m)", .min = 0, .max = 1000, .flags = SN_PROPERTY_LIVE,
                .doc = "Current of a motor per torque."),
    {0}};

const sn_port sn__plant_ports[] = {
    SN_INPUT(sn__plant_component, "goals", goals, &sn_servo_goal_type,
             .doc = "Goals of any servos, in any order."),
    SN_INPUT(sn__plant_component, "push", push, &sn_joint_state_type,
             .doc = "External efforts on joints, until the next message; zero for joints that are "
                    "not named."),
    SN_INPUT(sn__plant_component, "push_links", push_links, &sn_rigid_body_state_type,
             .doc = "External wrenches on links at their centres of mass, in the axes of odom, "
                    "until the next message; none on links that are not named."),
    SN_OUTPUT(sn__plant_component, "joints_measured", joints_measured, &sn_joint_state_type,
              .doc = "Measured positions, velocities and efforts."),
    SN_OUTPUT(sn__plant_component, "battery_state", battery_state, &sn_battery_state_type,
              .doc = "State of the battery."),
    SN_OUTPUT(sn__plant_component, "base_truth", base_truth, &sn_rigid_body_state_type,
              .doc = "Exact pose and twist of a floating base in odom."),
    SN_OUTPUT(sn__plant_component, "imu", imu, &sn_imu_type,
              .doc = "Measurements of an IMU at the origin of a floating base."),
    SN_OUTPUT(sn__plant_component, "contacts", contacts, &sn_support_state_type,
              .doc = "Contact switches of a floating robot: the chains that touch the ground."),
    SN_OUTPUT(sn__plant_component, "contact_forces", contact_forces, &sn_rigid_body_state_type,
              .doc = "Exact centre of pressure and force of each chain in odom."),
    SN_OUTPUT(sn__plant_component, "placed", placed, &sn_rigid_body_state_type,
              .doc = "The root link in odom, after an operation placed a floating robot there."),
    {0}};

const sn_need sn__plant_needs[] = {SN_ROBOT_MODEL_NEED(sn__plant_component), {0}};
