#include "ident_tools/load_urdf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "common/print.h"
#include "common/robot.h"
#include "sinew/dyn.h"

static const char prefix[] = "urdf:";
#define TORQUE_MIN 1e-6 /* N m: below, gravity does not show how voltage becomes torque */
#define HALF_PI 1.57079632679489661923

bool load_urdf_is_one(const char *text) {
  return strncmp(text, prefix, sizeof prefix - 1) == 0;
}

static int complain(const char *path, const char *joint, const char *what) {
  fprintf(stderr, "sinew ident: %s: joint '%.80s': %s\n", path, joint, what);
  return EXIT_NO;
}

/* Torque that holds the joint against gravity at an angle, the others at zero. */
static double holding_torque(sn_dyn_data *data, size_t n, size_t at, double angle,
                             double *numbers) {
  const sn_dyn_world world = {.gravity = {0.0, 0.0, -SN__PENDULUM_GRAVITY}};
  double *q = numbers, *zero = numbers + n, *tau = numbers + 2 * n;
  q[at] = angle;
  sn_dyn_inverse(data, &world, q, zero, zero, tau, NULL);
  q[at] = 0.0;
  return tau[at];
}

/* A body about a fixed axis swings like a point mass at its centre of oscillation, with the same
   moment of inertia and the same torque. */
static int find_load(robot *r, const char *joint, size_t at, sn__pendulum *out) {
  const sn_tree *tree = sn_model_tree(r->model);
  const size_t n = tree->coord_count;
  sn_dyn_data *data = NULL;
  sn_error err;
  if (sn_dyn_create(&r->arena, tree, &data, &err) != SN_OK) {
    return complain(r->urdf, joint, err.message);
  }
  double *numbers = SN_NEW(&r->arena, double, 3 * n);
  double *mass = SN_NEW(&r->arena, double, n *n);
  if (numbers == NULL || mass == NULL) {
    return out_of_memory();
  }
  sn_dyn_mass_matrix(data, numbers, mass);
  const double inertia = mass[at * n + at];
  const double at_zero = holding_torque(data, n, at, 0.0, numbers);
  const double at_right = holding_torque(data, n, at, HALF_PI, numbers);
  const double torque = hypot(at_zero, at_right);
  if (!(torque > TORQUE_MIN)) {
    return complain(
        r->urdf, joint,
        "gravity does not turn it, because its axis is vertical or what it carries is "
        "balanced: tilt the robot, or hang a weight on it and pass --load pendulum:...");
  }
  const double length = inertia * SN__PENDULUM_GRAVITY / torque;
  *out = (sn__pendulum){.mass_kg = torque / (SN__PENDULUM_GRAVITY * length),
                        .length_m = length,
                        .hangs_rad = atan2(-at_zero, at_right)};
  return EXIT_GOOD;
}

static int find_joint(robot *r, const char *name, sn__pendulum *out, load_limits *limits) {
  const int index = sn_model_joint_index(r->model, name);
  if (index < 0) {
    return complain(r->urdf, name, "the robot has no such joint");
  }
  const sn_joint *joint = sn_model_joint(r->model, (size_t)index);
  const bool turns = joint->type == SN_JOINT_REVOLUTE || joint->type == SN_JOINT_CONTINUOUS;
  if (!turns || joint->body < 0 || joint->mimic >= 0) {
    return complain(r->urdf, name, "expected a joint that a servo turns: revolute or continuous");
  }
  *limits = (load_limits){joint->type == SN_JOINT_REVOLUTE, joint->lower, joint->upper};
  return find_load(r, name, (size_t)sn_model_tree(r->model)->coord[joint->body], out);
}

int load_urdf_read(const char *text, sn__pendulum *out, load_limits *limits) {
  const char *file = text + sizeof prefix - 1;
  const char *colon = strrchr(file, ':');
  char path[4096];
  if (colon == NULL || colon == file || colon[1] == '\0' || (size_t)(colon - file) >= sizeof path) {
    return command_misused(&command_ident,
                           "option '--load': '%s' is not valid, expected "
                           "urdf:FILE:JOINT",
                           text);
  }
  memcpy(path, file, (size_t)(colon - file));
  path[colon - file] = '\0';
  robot r;
  int code = robot_require(&r, path);
  if (code == EXIT_GOOD) {
    code = find_joint(&r, colon + 1, out, limits);
  }
  robot_free(&r);
  return code;
}
