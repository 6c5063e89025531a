/* MuJoCo's physics with Sinew's servos. Damping, dry friction and rotor are MuJoCo's own (joint
   damping, which it integrates implicitly, friction loss, armature); the drive is a force on the
   joint. The change of a stiff drive within the step acts as damping, so it is passed
   to MuJoCo as such. Stops have MuJoCo's softness. */
#include "plant/mujoco/mujoco_physics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "plant/mujoco/mjcf.h"
#include "plant/mujoco/mujoco_internal.h"
#include "plant/rigid/axle_load.h"

/* ---- creation ---- */

static bool load(sn__mujoco *p, const sn__physics_setup *setup, sn_error *err) {
  sn_arena work;
  sn_arena_init_growing(&work, "MJCF", 0);
  const size_t size = sn__mjcf_write(setup, NULL, 0);
  char *text = SN_NEW(&work, char, size + 1);
  char why[200] = "no memory";
  if (text != NULL) {
    (void)sn__mjcf_write(setup, text, size + 1);
    p->m = sn__mujoco_load(&p->library, text, size, why, sizeof why);
  }
  sn_arena_release(&work);
  p->d = p->m == NULL ? NULL : p->library.make_data(p->m);
  if (p->d == NULL) {
    (void)sn__fail(err, SN_EMODEL, "MuJoCo refuses the robot: %.180s", why);
  }
  return p->d != NULL;
}

static int find(const sn__mujoco *p, int type, char letter, size_t number) {
  char name[24];
  snprintf(name, sizeof name, "%c%zu", letter, number);
  return p->library.name_to_id(p->m, type, name);
}

/* The places of a joint with a servo. MuJoCo derives constants from the inertia of a joint, above
   all the stiffness of its friction: they must include the rotor. */
static void find_servo(sn__mujoco *p, size_t i, int joint, const sn__axle *axle) {
  p->position[i] = p->m->jnt_qposadr[joint];
  p->freedom[i] = p->m->jnt_dofadr[joint];
  p->m->dof_armature[p->freedom[i]] = axle->inertia;
}

static bool find_joints(sn__mujoco *p, sn_arena *arena, const sn__physics_setup *setup) {
  p->joint = SN_NEW(arena, int, p->tree.body_count);
  p->body = SN_NEW(arena, int, p->tree.body_count);
  p->forces = SN_NEW(arena, sn_spatial, p->tree.body_count + 1);
  p->position = SN_NEW(arena, int, p->count);
  p->freedom = SN_NEW(arena, int, p->count);
  if (p->joint == NULL || p->body == NULL || p->forces == NULL || p->position == NULL ||
      p->freedom == NULL) {
    return false;
  }
  for (size_t i = 0; i < p->tree.body_count; i++) {
    p->joint[i] = find(p, mjOBJ_JOINT, 'j', i);
    p->body[i] = find(p, mjOBJ_BODY, 'b', i);
  }
  for (size_t i = 0; i < p->count; i++) {
    const sn_joint *joint = sn_model_joint(setup->model, i);
    if (setup->axles[i].moves) {
      find_servo(p, i, p->joint[joint->body], &setup->axles[i]);
    }
  }
  p->library.set_const(p->m, p->d);
  return true;
}

static void release(sn__physics *physics) {
  sn__mujoco *p = (sn__mujoco *)physics;
  if (p->d != NULL) {
    p->library.delete_data(p->d);
  }
  if (p->m != NULL) {
    p->library.delete_model(p->m);
  }
  sn__mujoco_close(&p->library);
  p->d = NULL;
  p->m = NULL;
}

/* ---- a step ---- */

static void reset(sn__physics *physics, const sn__joint_motion *motion,
                  const sn__base_motion *base) {
  sn__mujoco *p = (sn__mujoco *)physics;
  p->library.reset_data(p->m, p->d);
  for (size_t i = 0; i < p->tree.body_count; i++) { /* including mimic joints */
    const int joint = p->joint[i], entry = p->tree.coord[i];
    const double scale = p->tree.q_scale[i];
    p->d->qpos[p->m->jnt_qposadr[joint]] = scale * motion->q[entry] + p->tree.q_offset[i];
    p->d->qvel[p->m->jnt_dofadr[joint]] = scale * motion->qd[entry];
  }
  if (base != NULL) {
    sn__mujoco_place_base(p, base);
  }
  if (p->contacts != NULL) {
    sn__contacts_reset(p->contacts);
  }
}

/* A gear whose friction grows with the load: between the torques for both directions it sticks, so
   their mean is the force on the joint and half their difference its friction. How they change
   with velocity and acceleration within the step is damping and armature.
   @param yielding  by which the drive falls with the velocity at the end of the step */
static void set_gear(sn__mujoco *p, const sn__axle *axle, int dof, double drive, double yielding) {
  const double v = p->d->qvel[dof], acceleration = p->d->qacc[dof];
  const double rate = axle->damping + yielding;
  const double left = drive - rate * v - axle->inertia * acceleration;
  const double up = sn__axle_gear_torque(axle, left, 1.0);
  const double down = sn__axle_gear_torque(axle, left, -1.0);
  const double slope =
      v < 0.0 ? sn__axle_gear_slope(axle, down, -1.0) : sn__axle_gear_slope(axle, up, 1.0);
  p->m->dof_damping[dof] = slope * rate + axle->joint_damping;
  p->m->dof_armature[dof] = slope * axle->inertia;
  p->m->dof_frictionloss[dof] = 0.5 * (down - up) + axle->joint_dry;
  p->d->qfrc_applied[dof] =
      0.5 * (up + down) + slope * (rate * v + axle->inertia * acceleration) + axle->push;
}

static void set_joint(sn__mujoco *p, const sn__axle *axle, size_t i, double h) {
  const int dof = p->freedom[i];
  const double v = p->d->qvel[dof];
  double drive = axle->stiffness * (axle->target - p->d->qpos[p->position[i]]);
  double yielding = h * axle->stiffness;
  if (fabs(drive) > axle->torque_max) {
    drive = copysign(axle->torque_max, drive);
    yielding = 0.0;
  }
  if (fabs(v) >= axle->speed_max && drive * v > 0.0) {
    drive = yielding = 0.0;
  }
  if (axle->gear != NULL) {
    set_gear(p, axle, dof, drive, yielding);
    return;
  }
  p->m->dof_damping[dof] = axle->damping + yielding;
  p->m->dof_frictionloss[dof] = axle->dry;
  p->d->qfrc_applied[dof] = drive + axle->push;
}

static void set_influences(sn__mujoco *p, const sn__influences *acting, double h) {
  p->m->opt.timestep = h;
  p->m->opt.gravity[0] = acting->gravity.x;
  p->m->opt.gravity[1] = acting->gravity.y;
  p->m->opt.gravity[2] = acting->gravity.z;
  for (size_t i = 0; i < p->count; i++) {
    if (acting->axles[i].moves) {
      set_joint(p, &acting->axles[i], i, h);
    }
  }
}

/* MuJoCo finds positions, velocities and contacts in the first half of its step, forces in the
   second. */
static void advance(sn__mujoco *p, const sn__influences *acting) {
  p->library.step1(p->m, p->d);
  memset(p->forces, 0, p->tree.body_count * sizeof *p->forces);
  sn__mujoco_push(p, acting);
  sn__mujoco_correct_contacts(p);
  p->library.step2(p->m, p->d);
}

/* The accelerations of the step, and the loads that they and the forces on bodies mean. */
static void find_loads(sn__mujoco *p, const sn__influences *acting, double h,
                       sn__joint_motion *motion, const sn_base_state *base) {
  const sn_dyn_world world = {.gravity = acting->gravity, .base = base, .forces = p->forces};
  for (size_t i = 0; i < p->count; i++) {
    motion->qdd[i] = acting->axles[i].moves ? (p->d->qvel[p->freedom[i]] - motion->qd[i]) / h : 0.0;
  }
  sn_dyn_inverse(p->dyn, &world, motion->q, motion->qd, motion->qdd, motion->load, NULL);
}

static void step(sn__physics *physics, const sn__influences *acting, double h,
                 sn__joint_motion *motion, sn__base_motion *base) {
  sn__mujoco *p = (sn__mujoco *)physics;
  sn_base_state state = {.pose_world_base = sn_pose_identity()};
  set_influences(p, acting, h);
  advance(p, acting);
  if (p->contacts != NULL) {
    sn__mujoco_read_contacts(p);
  }
  if (base != NULL) {
    state.pose_world_base = base->pose_world_base;
    state.twist = base->twist;
    sn__mujoco_read_base(p, h, base);
    state.acceleration = base->acceleration;
  }
  find_loads(p, acting, h, motion, base == NULL ? NULL : &state);
  for (size_t i = 0; i < p->count; i++) {
    if (acting->axles[i].moves) {
      motion->load[i] -= acting->axles[i].push;
      motion->q[i] = p->d->qpos[p->position[i]];
      motion->qd[i] = p->d->qvel[p->freedom[i]];
    }
  }
}

sn__physics *sn__mujoco_create(sn_arena *arena, const sn__physics_setup *setup, sn_error *err) {
  sn__mujoco *p = SN_NEW(arena, sn__mujoco, 1);
  if (p == NULL) {
    (void)sn__fail(err, SN_ENOMEM, "no memory");
    return NULL;
  }
  p->physics = (sn__physics){.step = step, .reset = reset, .release = release};
  p->count = sn_model_pose_size(setup->model);
  p->contacts = setup->contacts;
  p->tree = *sn_model_tree(setup->model);
  p->tree.massless_link = NULL;
  bool is_good = sn__mujoco_open(&p->library, err) && load(p, setup, err);
  if (is_good && (!find_joints(p, arena, setup) || !sn__mujoco_find_ground(p, arena, setup) ||
                  sn_dyn_create(arena, &p->tree, &p->dyn, NULL) != SN_OK)) {
    (void)sn__fail(err, SN_ENOMEM, "no memory");
    is_good = false;
  }
  if (!is_good) {
    release(&p->physics);
    return NULL;
  }
  return &p->physics;
}
