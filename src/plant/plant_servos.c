/* Default servos for a robot from its file. They are geared motors, defined by two numbers: stall
   torque and no-load speed. The other parameters are typical of such servos, in proportion to these
   two. */
#include <math.h>

#include "base/fail.h"
#include "plant/plant.h"
#include "plant/plant_state.h"
#include "sinew/dyn.h"

/* Defaults if the file has no limits: N·m and rad/s, or N and m/s. */
static const double TORQUE_DEFAULT = 10.0, FORCE_DEFAULT = 100.0;
static const double SPEED_DEFAULT = 6.0, SLIDE_DEFAULT = 0.5;
/* Limits of thousands in a file mean no limit. */
static const double SPEED_CAP = 30.0, SLIDE_CAP = 5.0;
static const double SPEED_FLOOR = 0.01;

static const double RATE_HZ = 40.0;        /* without load the error decays by e in 1/40 s */
static const double SPEED_STIFF = 6.0;     /* rad/s; faster motors do not get softer springs */
static const double SPIN_UP_S = 0.008;     /* of the rotor alone to 63 % of its speed */
static const double COULOMB = 0.03;        /* of the stall torque */
static const double STRIBECK = 0.02;       /* likewise */
static const double STRIBECK_SPEED = 0.02; /* of the no-load speed */

/* The largest torque of gravity for any attitude of the base: the norm over three directions. Also
   the inertia that the joint moves. */
typedef struct loads {
  double *weight, *inertia;
} loads;

static bool find_loads(sn_arena *arena, const sn_model *model, loads *out) {
  const size_t n = sn_model_pose_size(model);
  double *q = SN_NEW(arena, double, n), *tau = SN_NEW(arena, double, n);
  double *mass = SN_NEW(arena, double, n *n);
  bool *has_mass = SN_NEW(arena, bool, n);
  *out = (loads){SN_NEW(arena, double, n), SN_NEW(arena, double, n)};
  if (q == NULL || tau == NULL || mass == NULL || has_mass == NULL || out->weight == NULL ||
      out->inertia == NULL) {
    return false;
  }
  sn_tree tree = *sn_model_tree(model);
  tree.massless_link = NULL; /* links of unknown mass are massless */
  sn_dyn_data *dyn = NULL;
  if (sn_dyn_create(arena, &tree, &dyn, NULL) != SN_OK) {
    return false;
  }
  sn__find_massive(&tree, has_mass);
  for (size_t i = 0; i < n; i++) {
    const sn_joint *joint = sn_model_joint(model, i);
    q[i] = sn__has_servo(joint) ? sn__clamp(0.0, joint->lower, joint->upper) : 0.0;
  }
  for (int axis = 0; axis < 3; axis++) {
    const sn_dyn_world world = {
        .gravity = {axis == 0 ? 9.81 : 0.0, axis == 1 ? 9.81 : 0.0, axis == 2 ? 9.81 : 0.0}};
    sn_dyn_inverse(dyn, &world, q, NULL, NULL, tau, NULL);
    for (size_t i = 0; i < n; i++) {
      out->weight[i] = hypot(out->weight[i], tau[i]);
    }
  }
  sn_dyn_mass_matrix(dyn, q, mass);
  for (size_t i = 0; i < n; i++) {
    out->inertia[i] = has_mass[i] ? mass[i * n + i] : 0.0;
  }
  return true;
}

static double stall_torque(const sn_joint *joint, double weight, double inertia) {
  const double least = joint->type == SN_JOINT_PRISMATIC ? FORCE_DEFAULT : TORQUE_DEFAULT;
  if (isfinite(joint->effort_max) && joint->effort_max > 0.0) {
    return fmax(joint->effort_max, 2.0 * weight); /* limits in files are often placeholders */
  }
  const double needed = 4.0 * weight + 20.0 * inertia;
  return needed > 0.0 ? needed : least;
}

static double free_speed(const sn_joint *joint) {
  const bool slides = joint->type == SN_JOINT_PRISMATIC;
  if (!isfinite(joint->velocity_max) || !(joint->velocity_max > 0.0)) {
    return slides ? SLIDE_DEFAULT : SPEED_DEFAULT;
  }
  return sn__clamp(joint->velocity_max, SPEED_FLOOR, slides ? SLIDE_CAP : SPEED_CAP);
}

static sn_plant_servo make_servo(const sn_joint *joint, double torque, double speed) {
  const double v = SN_PLANT_VOLTAGE;
  return (sn_plant_servo){.params = {.kp = RATE_HZ / fmin(speed, SPEED_STIFF),
                                     .kgear = 1.0,
                                     .alpha = {v / speed, COULOMB * v, STRIBECK * v, v / torque},
                                     .qs = STRIBECK_SPEED * speed,
                                     .delta = 1.0,
                                     .inertia = SPIN_UP_S * v / speed},
                          .torque_max = torque,
                          .speed_max = joint->velocity_max > 0.0 ? joint->velocity_max : HUGE_VAL};
}

sn_status sn__plant_default_servos(sn_arena *arena, const sn_model *model, sn_plant_servo *servos,
                                   sn_error *err) {
  const sn_arena_mark mark = sn_arena_save(arena);
  loads known;
  const bool is_good = find_loads(arena, model, &known);
  for (size_t i = 0; is_good && i < sn_model_pose_size(model); i++) {
    const sn_joint *joint = sn_model_joint(model, i);
    servos[i] = make_servo(joint, stall_torque(joint, known.weight[i], known.inertia[i]),
                           free_speed(joint));
  }
  sn_arena_restore(arena, mark);
  return is_good ? SN_OK
                 : sn__fail(err, SN_ENOMEM, "plant: no room in arena '%s'", sn_arena_name(arena));
}
