#include "gate_rig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sn_test.h"

#define LINK(name) "<link name='" name "'/>"
#define JOINT(name, type, parent, child, rest)                                            \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child \
  "'/>"                                                                                   \
  "<axis xyz='0 0 1'/>" rest "</joint>"

const char gate_robot[] = "<robot name='gate'>" LINK("base") LINK("l0") LINK("l1") LINK("l2")
    LINK("l3") LINK("l4") LINK("l5") LINK("l6") LINK("l7") LINK("l8") JOINT(
        "shoulder", "revolute", "base", "l0",
        "<limit lower='-1' upper='2' effort='10' velocity='3'/>")
        JOINT("elbow", "revolute", "l0", "l1",
              "<limit lower='-0.7' upper='0.7' effort='5' velocity='5' acceleration='20' "
              "deceleration='40'/>"
              "<safety_controller soft_lower_limit='-0.5' soft_upper_limit='0.5' k_velocity='1'/>")
            JOINT("wheel", "continuous", "l1", "l2", "<limit effort='2' velocity='8'/>") JOINT(
                "spinner", "continuous", "l2", "l3",
                "") JOINT("slide", "prismatic", "l3", "l4",
                          "<limit lower='0.1' upper='0.4' effort='50' velocity='0.5'/>")
                JOINT("finger", "prismatic", "l4", "l5",
                      "<limit lower='-0.2' upper='0.2' effort='50' velocity='0.6'/>"
                      "<mimic joint='slide' multiplier='-2' offset='0.5'/>")
                    JOINT("thumb", "revolute", "l5", "l6",
                          "<limit lower='-1' upper='1' effort='50' velocity='3' acceleration='6'/>"
                          "<mimic joint='finger' multiplier='3' offset='0.1'/>")
                        JOINT("stuck", "revolute", "l6", "l7",
                              "<limit lower='-1' upper='1' effort='1' velocity='0'/>")
                            JOINT("float", "floating", "l7", "l8", "") "</robot>";

void gate_rig_open(gate_rig *rig, const sn_gate_config *config) {
  memset(rig, 0, sizeof *rig);
  sn_test_robot_init(&rig->robot, gate_robot, NULL);
  if (rig->robot.model == NULL) {
    fail_msg("%s", sn_test_problems(rig->robot.report));
  }
  static const char *const order[GATE_JOINTS] = {"shoulder", "elbow", "wheel", "spinner", "slide",
                                                 "finger",   "thumb", "stuck", "float"};
  assert_int_equal(sn_model_pose_size(rig->robot.model), GATE_JOINTS);
  for (size_t i = 0; i < GATE_JOINTS; i++) {
    assert_string_equal(sn_names_at(sn_model_joint_names(rig->robot.model), i), order[i]);
  }
  sn_arena_init_growing(&rig->arena, "gate", 0);
  sn_error err = {.message = ""};
  if (sn__gate_create(&rig->arena, rig->robot.model, config, &rig->gate, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  rig->msg = sn_msg_create(&rig->arena, &sn_joint_state_type, NULL);
  rig->goal = sn_msg_create(&rig->arena, &sn_servo_goal_type, NULL);
  rig->now_ns = 1000000000;
  sn__gate_own(rig->gate, rig->owners, rig->now_ns);
}

void gate_rig_close(gate_rig *rig) {
  sn_arena_release(&rig->arena);
  sn_test_robot_free(&rig->robot);
}

void gate_rig_say(gate_rig *rig, size_t count, const int *joints, const double *positions) {
  sn_msg_reset(&sn_joint_state_type, rig->msg);
  for (size_t i = 0; i < count; i++) {
    const char *name = sn_names_at(sn_model_joint_names(rig->robot.model), (size_t)joints[i]);
    assert_int_equal(sn_msg_names_add(&rig->msg->name, name, strlen(name)), SN_OK);
    rig->msg->position.data[i] = positions[i];
  }
  rig->msg->position.count = count;
}

sn_status gate_rig_take(gate_rig *rig, size_t source, int joint, double position) {
  gate_rig_say(rig, 1, &joint, &position);
  return sn__gate_take(rig->gate, source, rig->msg, rig->now_ns);
}

const sn_gate_command *gate_rig_step(gate_rig *rig, int64_t dt_ns) {
  rig->now_ns += dt_ns;
  return sn__gate_step(rig->gate, rig->now_ns);
}

/* ---- the judge ---- */

void gate_judge_init(gate_judge *judge, const sn_model *model, const sn_gate_config *config) {
  *judge = (gate_judge){
      .model = model,
      .acceleration_time_s = config->acceleration_time_s == 0.0 ? 0.1 : config->acceleration_time_s,
      .velocity_default = config->velocity_default == 0.0 ? 1.0 : config->velocity_default,
      .period_max_ns =
          (int64_t)(1e9 * (config->period_max_s == 0.0 ? 0.02 : config->period_max_s))};
  assert_true(sn_model_pose_size(model) <= 64);
}

/* Change of velocity: braking and acceleration have separate limits; a reversal does both. */
static bool acceleration_is_good(double from, double to, double accel, double brake, double dt_s,
                                 double tol) {
  if (from * to < 0.0) {
    return fabs(from) / brake + fabs(to) / accel <= dt_s + tol / fmin(accel, brake);
  }
  const double change = fabs(to) - fabs(from);
  return change <= accel * dt_s + tol && -change <= brake * dt_s + tol;
}

static const char *violation(const sn_joint *joint, const char *what, double value, double limit) {
  static char text[200];
  snprintf(text, sizeof text, "joint %s: %s %.17g, limit %.17g", joint->name, what, value, limit);
  return text;
}

static const char *look_at_motion(gate_judge *judge, const sn_joint *joint, size_t i, double q,
                                  double dt_s) {
  const bool is_still = joint->type == SN_JOINT_FLOATING;
  const double speed = is_still                        ? 0.0
                       : isfinite(joint->velocity_max) ? joint->velocity_max
                       : joint->mimic >= 0             ? INFINITY
                                                       : judge->velocity_default;
  double accel = joint->acceleration_max;
  if (!isfinite(accel)) {
    accel = joint->mimic >= 0 ? INFINITY : speed / judge->acceleration_time_s;
  }
  const double brake = isfinite(joint->deceleration_max) ? joint->deceleration_max : accel;
  const double rounding = 1e-15 * (1.0 + fabs(q)); /* of a difference of positions */
  const double qd = (q - judge->q[i]) / dt_s;
  const double tol = 4.0 * rounding / dt_s + 1e-9 * fmin(speed, 1.0);
  if (fabs(qd) > speed + tol) {
    return violation(joint, "velocity", qd, speed);
  }
  if (!acceleration_is_good(judge->qd[i], qd, accel, brake, dt_s, tol)) {
    return violation(joint, "acceleration", (qd - judge->qd[i]) / dt_s, fmax(accel, brake));
  }
  const double left = qd > 0.0 ? joint->upper - q : q - joint->lower;
  if (isfinite(left) && qd * qd / (2.0 * brake) > left + tol * fabs(qd) / brake + 1e-12) {
    return violation(joint, "way that it needs to stop", qd * qd / (2.0 * brake), left);
  }
  judge->step_max = speed > 0.0 ? fmax(judge->step_max, fabs(qd) / speed) : judge->step_max;
  judge->qd[i] = qd;
  return NULL;
}

const char *gate_judge_look(gate_judge *judge, const sn_gate_command *command, int64_t now_ns) {
  int64_t dt_ns = judge->seen == 0 ? 0 : now_ns - judge->now_ns;
  dt_ns = dt_ns > judge->period_max_ns ? judge->period_max_ns : dt_ns;
  for (size_t i = 0; i < sn_model_pose_size(judge->model); i++) {
    const sn_joint *joint = sn_model_joint(judge->model, i);
    const double q = command->q[i];
    if (!isfinite(q) || !isfinite(command->qd[i]) || !isfinite(command->qdd[i]) ||
        (command->tau != NULL && !isfinite(command->tau[i]))) {
      return violation(joint, "not finite", q, 0.0);
    }
    if (q < joint->lower || q > joint->upper) {
      return violation(joint, "position", q, q < joint->lower ? joint->lower : joint->upper);
    }
    if (command->tau != NULL && fabs(command->tau[i]) > joint->effort_max) {
      return violation(joint, "effort", command->tau[i], joint->effort_max);
    }
    if (judge->seen > 0 && dt_ns <= 0 && q != judge->q[i]) {
      return violation(joint, "moved in no time to", q, judge->q[i]);
    }
    if (command->limp != NULL && command->limp[i]) {
      judge->qd[i] = command->qd[i]; /* the joint follows the command */
    } else if (dt_ns > 0) {
      const char *trouble = look_at_motion(judge, joint, i, q, 1e-9 * (double)dt_ns);
      if (trouble != NULL) {
        return trouble;
      }
    }
    judge->q[i] = q;
  }
  judge->seen++;
  judge->now_ns = now_ns > judge->now_ns || judge->seen == 1 ? now_ns : judge->now_ns;
  return NULL;
}
