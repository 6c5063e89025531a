/* What each joint may do: the robot's limits, and what the gate's properties state in their place.
 */
#include <math.h>
#include <string.h>

#include "storm/storm.h"

json_t *storm_property(storm_run *run, const char *name) {
  sn__buffer out = {0};
  sn_error err;
  json_t *value = NULL;
  if (sn__remote_get(run->app.system, name, &out, &err) == SN_OK) {
    value = json_loadb(out.data, out.used, JSON_DECODE_ANY, NULL);
  }
  sn__buffer_free(&out);
  return value;
}

static double number_of(storm_run *run, const char *name, double otherwise) {
  json_t *value = storm_property(run, name);
  const double number = json_is_number(value) ? json_number_value(value) : otherwise;
  json_decref(value);
  return number;
}

/* The entry of a joint in `joint_limits`; 0: it has none. */
static double given(const json_t *list, const char *joint, const char *key) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *item = json_array_get(list, i);
    const char *name = json_string_value(json_object_get(item, "joint"));
    if (name != NULL && strcmp(name, joint) == 0) {
      return json_number_value(json_object_get(item, key));
    }
  }
  return 0.0;
}

static double stated(double set, double of_robot, double otherwise) {
  return set > 0.0 ? set : isfinite(of_robot) ? of_robot : otherwise;
}

static bool has_one_axis(const sn_joint *joint) {
  return joint->type == SN_JOINT_REVOLUTE || joint->type == SN_JOINT_CONTINUOUS ||
         joint->type == SN_JOINT_PRISMATIC;
}

static storm_limits limits_of(const sn_joint *joint, const json_t *list, double speed_default,
                              double acceleration_time) {
  const double set = given(list, joint->name, "acceleration");
  storm_limits limits = {.lower = joint->lower,
                         .upper = joint->upper,
                         .is_driven = joint->mimic < 0 && has_one_axis(joint)};
  limits.speed = stated(given(list, joint->name, "velocity"), joint->velocity_max, speed_default);
  limits.acceleration = stated(set, joint->acceleration_max, limits.speed / acceleration_time);
  limits.braking = stated(set, joint->deceleration_max, limits.acceleration);
  return limits;
}

bool storm_limits_read(storm_run *run) {
  run->limits = SN_NEW(&run->arena, storm_limits, run->joint_count + 1);
  if (run->limits == NULL) {
    return false;
  }
  const double speed_default = number_of(run, "aggregator.velocity_default", 1.0);
  const double acceleration_time = number_of(run, "aggregator.acceleration_time", 0.1);
  const double period_max = number_of(run, "aggregator.period_max", 0.0);
  json_t *list = storm_property(run, "aggregator.joint_limits");
  for (size_t i = 0; i < run->joint_count; i++) {
    run->limits[i] =
        limits_of(sn_model_joint(run->model, i), list, speed_default, acceleration_time);
  }
  json_decref(list);
  run->period_max_s = period_max > 0.0 ? period_max : 2e-9 * (double)run->period_ns;
  return true;
}
