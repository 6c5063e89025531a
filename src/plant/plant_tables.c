/* Properties and ports of the component plant. */
#include "plant/plant_component.h"
#include "rt/components/robot_model_client.h"
#include "sinew/components.h"

enum { OUT_ITEMS = 512 }; /* joints that fit into a message */

static const sn_property servo_properties[] = {
    SN_PROPERTY(sn__plant_servo_entry, "name", name, .flags = SN_PROPERTY_REQUIRED,
                .doc = "Name of the joint."),
    SN_PROPERTY(sn__plant_servo_entry, "kp", kp, .unit = "1/rad", .min = 0, .max = 1e9,
                .doc = "Gain of the regulator; 0: a default."),
    SN_PROPERTY(sn__plant_servo_entry, "kgear", kgear, .unit = "", .initial = "1",
                .doc = "Ratio of the servo's goal to the joint's position."),
    SN_PROPERTY(sn__plant_servo_entry, "alpha", alpha, .unit = "V·s/rad, V, V, V/(N·m)",
                .count_min = 0, .count_max = 4,
                .doc =
                    "All four or none: viscous, Coulomb and Stribeck friction, volts per torque. "
                    "Empty: defaults."),
    SN_PROPERTY(sn__plant_servo_entry, "qs", qs, .unit = "rad/s", .min = 0, .max = 1e6,
                .doc = "Stribeck velocity; 0: a default."),
    SN_PROPERTY(sn__plant_servo_entry, "delta", delta, .unit = "", .min = 0, .max = 100,
                .doc = "Stribeck exponent; 0: a default."),
    SN_PROPERTY(sn__plant_servo_entry, "inertia", inertia, .unit = "V·s²/rad", .min = 0, .max = 1e9,
                .doc = "Inertia of the rotor; 0: none if alpha is set, else a default."),
    SN_PROPERTY(sn__plant_servo_entry, "torque_max", torque_max, .unit = "N·m", .min = 0,
                .max = 1e9, .doc = "Torque limit of the motor; 0: the joint's effort limit."),
    SN_PROPERTY(
        sn__plant_servo_entry, "speed_max", speed_max, .unit = "rad/s", .min = 0, .max = 1e9,
        .doc = "Speed up to which the motor delivers torque; 0: the joint's velocity limit."),
    {0}};

const sn_property sn__plant_properties[] = {
    SN_PROPERTY(sn__plant_component, "dynamics", dynamics, .initial = "coupled",
                .choices = "coupled|decoupled",
                .doc = "coupled: the robot as rigid bodies; decoupled: each joint separately, "
                       "without gravity."),
    SN_PROPERTY_BAGS_OF(sn__plant_component, "servo_models", servo_models, sn__plant_servo_entry,
                        servo_properties,
                        .doc = "Known servos; all others are modelled as geared motors with the "
                               "limits of their joint."),
    SN_PROPERTY(sn__plant_component, "initial_pose", initial_pose,
                .doc = "Initial positions by joint; start_pose determines the others."),
    SN_PROPERTY(sn__plant_component, "start_pose", start_pose, .initial = "zero",
                .choices = "zero|movable",
                .doc = "zero: at zero, or at the nearest limit; movable: away from limits and "
                       "singularities, so that every limb can move in all directions."),
    SN_PROPERTY(sn__plant_component, "seed", seed, .unit = "", .initial = "1",
                .doc = "Seed of noise and faults; equal seeds give equal runs."),
    SN_PROPERTY(sn__plant_component, "integration_step", integration_step, .initial = "0.00025",
                .unit = "s", .min = 0.00001, .max = 0.01,
                .doc = "Longest integration step; a cycle is divided into equal steps."),
    SN_PROPERTY(sn__plant_component, "joint_limits", joint_limits, .initial = "true",
                .doc = "Simulate end stops at the hard limits of the joints."),
    SN_PROPERTY(sn__plant_component, "gravity", gravity, .initial = "[0, 0, -9.81]",
                .unit = "m/s^2", .count_min = 3, .count_max = 3, .min = -1000, .max = 1000,
                .flags = SN_PROPERTY_LIVE, .doc = "Gravity in the frame of the root link."),
    SN_PROPERTY(sn__plant_component, "bus_delay", bus_delay, .unit = "cycles", .min = 0,
                .max = SN_PLANT_DELAY_MAX, .flags = SN_PROPERTY_LIVE,
                .doc = "Delay between a goal and its effect; 0: none."),
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
    SN_OUTPUT(sn__plant_component, "joints_measured", joints_measured, &sn_joint_state_type,
              .capacity = {.item_count = OUT_ITEMS},
              .doc = "Measured positions, velocities and efforts."),
    SN_OUTPUT(sn__plant_component, "battery_state", battery_state, &sn_battery_state_type,
              .doc = "State of the battery."),
    {0}};

const sn_need sn__plant_needs[] = {SN_ROBOT_MODEL_NEED(sn__plant_component), {0}};
