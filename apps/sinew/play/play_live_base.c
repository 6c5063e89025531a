#include "play/play_live_base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "play/play_goal.h"

static const double RATE_HZ = 20.0;
static const double FIRST_S = 2.0; /* the longest wait for the first message */

/* The output with the base; the truth is the better one. */
static bool find_port(const json_t *components, char *out, size_t size) {
  static const char *const ports[][2] = {
      {"plant", "base_truth"}, {"plant_mujoco", "base_truth"}, {"state_estimator", "out_base"}};
  for (size_t k = 0; k < sizeof ports / sizeof *ports; k++) {
    for (size_t i = 0; i < json_array_size(components); i++) {
      const json_t *one = json_array_get(components, i);
      const char *type = json_string_value(json_object_get(one, "type"));
      if (type != NULL && strcmp(type, ports[k][0]) == 0) {
        snprintf(out, size, "%.100s.%s", json_string_value(json_object_get(one, "name")),
                 ports[k][1]);
        return true;
      }
    }
  }
  return false;
}

void live_base_open(live_base *base, const control_options *options, const json_t *components) {
  char port[160];
  *base = (live_base){.pose = sn_pose_identity()};
  if (!find_port(components, port, sizeof port) ||
      control_client_open(&base->client, options) != EXIT_GOOD) {
    return;
  }
  json_t *result = NULL;
  json_t *request = json_pack("{s:s, s:s, s:f}", "verb", "echo", "name", port, "rate", RATE_HZ);
  base->is_open = control_client_ask(&base->client, request, &result) == EXIT_GOOD;
  json_decref(result);
  if (!base->is_open) {
    control_client_close(&base->client);
  }
}

void live_base_close(live_base *base) {
  if (base->is_open) {
    control_client_close(&base->client);
  }
}

static double number(const json_t *object, const char *field) {
  return json_number_value(json_object_get(object, field));
}

static void take(live_base *base, const json_t *message) {
  const json_t *pose = json_array_get(json_object_get(message, "pose"), 0);
  const json_t *p = json_object_get(pose, "position"), *q = json_object_get(pose, "orientation");
  if (p == NULL || q == NULL) {
    return;
  }
  base->pose = sn_pose_from_msg(
      (sn_msg_pose){{number(p, "x"), number(p, "y"), number(p, "z")},
                    {number(q, "x"), number(q, "y"), number(q, "z"), number(q, "w")}});
  base->has_pose = true;
  const double tilt = acos(fmax(-1.0, fmin(1.0, base->pose.rot.z.z)));
  base->tilt_max_rad = fmax(base->tilt_max_rad, tilt);
}

void live_base_update(live_base *base) {
  while (base->is_open) {
    json_t *line = NULL;
    const int code = control_client_receive(&base->client, base->has_waited ? 0.0 : FIRST_S, &line);
    base->has_waited = true;
    if (code != EXIT_GOOD || line == NULL) {
      return;
    }
    take(base, json_object_get(line, "event"));
    json_decref(line);
  }
}

void live_base_measure(const live_base *base, sn_pose start, const sn__movement *movement,
                       play_result *result) {
  result->has_base = base->has_pose;
  if (!base->has_pose) {
    return;
  }
  result->base = base->pose;
  result->max_tilt_rad = base->tilt_max_rad;
  result->fell = base->tilt_max_rad > PLAY_TILT_FALL_RAD;
  play_goal_set_base(movement, start, result);
  play_goal_measure(result);
  if (result->fell) {
    result->is_ok = false;
    play_fail(result, -1, "the robot fell");
  }
}
