/* What the component plant can be told, and its ports. */
#include "plant/plant_component.h"
#include "rt/components/robot_model_client.h"
#include "sinew/components.h"

enum { OUT_ITEMS = 512 }; /* joints that fit into a message */

static const sn_property servo_properties[] = {
    SN_PROPERTY(sn__plant_servo_entry, "name", name, .flags = SN_PROPERTY_REQUIRED,
                .doc = "Of the joint."),
    SN_PROPERTY(sn__plant_servo_entry, "kp", kp, .unit = "1/rad", .min = 0, .max = 1e9,
                .doc = "Gain of the regulator; 0: by default."),
    SN_PROPERTY(sn__plant_servo_entry, "kgear", kgear, .initial = "1",
                .doc = "Goal of the servo over position of the joint."),
    SN_PROPERTY(sn__plant_servo_entry, "alpha", alpha, .unit = "V·s/rad, V, V, V/(N·m)",
                .count_min = 0, .count_max = 4,
                .doc = "Viscous, Coulomb and Stribeck friction, volts per torque; empty: by "
                       "default."),
    SN_PROPERTY(sn__plant_servo_entry, "qs", qs, .unit = "rad/s", .min = 0, .max = 1e6,
                .doc = "Stribeck velocity; 0: by default."),
    SN_PROPERTY(sn__plant_servo_entry, "delta", delta, .min = 0, .max = 100,
                .doc = "Stribeck exponent; 0: by default."),
    SN_PROPERTY(sn__plant_servo_entry, "inertia", inertia, .unit = "V·s²/rad", .min = 0, .max = 1e9,
                .doc = "Of the rotor; 0: none with alpha, by default without."),
    SN_PROPERTY(sn__plant_servo_entry, "torque_max", torque_max, .unit = "N·m", .min = 0,
                .max = 1e9, .doc = "Of the motor; 0: the limit of effort of the joint."),
    SN_PROPERTY(sn__plant_servo_entry, "speed_max", speed_max, .unit = "rad/s", .min = 0,
                .max = 1e9,
                .doc = "Up to which the motor drives; 0: the limit of velocity of the joint."),
    {0}};

const sn_property sn__plant_properties[] = {
    SN_PROPERTY(sn__plant_component, "dynamics", dynamics, .initial = "coupled",
                .choices = "coupled|decoupled",
                .doc = "coupled: the rigid bodies of the robot; decoupled: each joint by itself, "
                       "without gravity."),
    SN_PROPERTY_BAGS_OF(sn__plant_component, "servo_models", servo_models, sn__plant_servo_entry,
                        servo_properties,
                        .doc = "Servos that are known; the others are geared motors with the "
                               "limits of their joint."),
    SN_PROPERTY(sn__plant_component, "initial_pose", initial_pose,
                .doc = "Joints and where they start; start_pose says where the others do."),
    SN_PROPERTY(
        sn__plant_component, "start_pose", start_pose, .initial = "zero", .choices = "zero|movable",
        .doc = "zero: at zero, or at the limit that is nearest to it; movable: so that "
               "every limb can move in all directions, away from limits and singular poses."),
    SN_PROPERTY(sn__plant_component, "seed", seed, .initial = "1",
                .doc = "Of noise and faults: the same seed, the same run."),
    SN_PROPERTY(sn__plant_component, "integration_step", integration_step, .initial = "0.00025",
                .unit = "s", .min = 0.00001, .max = 0.01,
                .doc = "The longest step of integration; a cycle is divided into equal ones."),
    SN_PROPERTY(sn__plant_component, "joint_limits", joint_limits, .initial = "true",
                .doc = "Joints have stops where the robot has hard limits."),
    SN_PROPERTY(sn__plant_component, "gravity", gravity, .initial = "[0, 0, -9.81]",
                .unit = "m/s^2", .count_min = 3, .count_max = 3, .min = -1000, .max = 1000,
                .flags = SN_PROPERTY_LIVE, .doc = "In the frame of the root link."),
    SN_PROPERTY(sn__plant_component, "bus_delay", bus_delay, .unit = "cycles", .min = 0,
                .max = SN_PLANT_DELAY_MAX, .flags = SN_PROPERTY_LIVE,
                .doc = "Cycles until a goal has an effect; 0: in the cycle that it comes."),
    SN_PROPERTY(sn__plant_component, "goal_timeout", goal_timeout, .unit = "s", .min = 0,
                .max = 3600, .flags = SN_PROPERTY_LIVE,
                .doc = "After so long without goals the servos let go; 0: they hold the last."),
    SN_PROPERTY(sn__plant_component, "encoder_step", encoder_step, .unit = "rad or m", .min = 0,
                .max = 10, .flags = SN_PROPERTY_LIVE,
                .doc = "Measured positions are multiples of it; 0: exact."),
    SN_PROPERTY(sn__plant_component, "position_noise", position_noise, .unit = "rad or m", .min = 0,
                .max = 10, .flags = SN_PROPERTY_LIVE,
                .doc = "Standard deviation, before the encoder rounds."),
    SN_PROPERTY(sn__plant_component, "velocity_noise", velocity_noise, .unit = "rad/s or m/s",
                .min = 0, .max = 1000, .flags = SN_PROPERTY_LIVE, .doc = "Standard deviation."),
    SN_PROPERTY(sn__plant_component, "effort_noise", effort_noise, .unit = "N·m or N", .min = 0,
                .max = 1e6, .flags = SN_PROPERTY_LIVE, .doc = "Standard deviation."),
    SN_PROPERTY(sn__plant_component, "measure_velocity", measure_velocity, .initial = "true",
                .flags = SN_PROPERTY_LIVE, .doc = "Velocities are in the messages."),
    SN_PROPERTY(sn__plant_component, "measure_effort", measure_effort, .initial = "true",
                .flags = SN_PROPERTY_LIVE, .doc = "Efforts are in the messages."),
    SN_PROPERTY(sn__plant_component, "dropout_rate", dropout_rate, .min = 0, .max = 1,
                .flags = SN_PROPERTY_LIVE,
                .doc = "Fault: probability that a servo is missing in a message, for each."),
    SN_PROPERTY(sn__plant_component, "message_loss_rate", message_loss_rate, .min = 0, .max = 1,
                .flags = SN_PROPERTY_LIVE,
                .doc = "Fault: probability that a measured message is lost."),
    SN_PROPERTY(sn__plant_component, "goal_loss_rate", goal_loss_rate, .min = 0, .max = 1,
                .flags = SN_PROPERTY_LIVE, .doc = "Fault: probability that goals are lost."),
    SN_PROPERTY(sn__plant_component, "frozen", frozen, .flags = SN_PROPERTY_LIVE,
                .doc = "Fault: joints whose encoder goes on saying what it says now."),
    SN_PROPERTY(sn__plant_component, "silent", silent, .flags = SN_PROPERTY_LIVE,
                .doc = "Fault: joints that are missing in every measured message."),
    SN_PROPERTY(sn__plant_component, "battery_voltage", battery_voltage, .initial = "12",
                .unit = "V", .min = 0.1, .max = 1000, .flags = SN_PROPERTY_LIVE,
                .doc = "Without load."),
    SN_PROPERTY(sn__plant_component, "battery_resistance", battery_resistance, .unit = "Ohm",
                .min = 0, .max = 100, .flags = SN_PROPERTY_LIVE,
                .doc = "Inner resistance: the voltage falls with the current."),
    SN_PROPERTY(sn__plant_component, "current_per_torque", current_per_torque, .initial = "0.5",
                .unit = "A/(N·m)", .min = 0, .max = 1000, .flags = SN_PROPERTY_LIVE,
                .doc = "Current that a motor takes."),
    {0}};

const sn_port sn__plant_ports[] = {
    SN_INPUT(sn__plant_component, "goals", goals, &sn_servo_goal_type,
             .doc = "What is sent to the servos: any of them in any order."),
    SN_INPUT(sn__plant_component, "push", push, &sn_joint_state_type,
             .doc = "Efforts on joints from outside, until the next message; joints that are not "
                    "named feel none."),
    SN_OUTPUT(sn__plant_component, "joints_measured", joints_measured, &sn_joint_state_type,
              .capacity = {.item_count = OUT_ITEMS},
              .doc = "Position, velocity and delivered effort, as the encoders have it."),
    SN_OUTPUT(sn__plant_component, "battery_state", battery_state, &sn_battery_state_type,
              .doc = "The battery."),
    {0}};

const sn_need sn__plant_needs[] = {SN_ROBOT_MODEL_NEED(sn__plant_component), {0}};
