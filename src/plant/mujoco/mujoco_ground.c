/* A floating base, its contacts with the ground and pushes on links in MuJoCo. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plant/mujoco/mujoco_internal.h"
#include "sinew/quat.h"

static sn_vec3 vec3_of(const mjtNum *x) {
  return sn_vec3_make(x[0], x[1], x[2]);
}

/* MuJoCo stores rows. */
static sn_mat3 mat3_of(const mjtNum *x) {
  return (sn_mat3){{x[0], x[3], x[6]}, {x[1], x[4], x[7]}, {x[2], x[5], x[8]}};
}

/* Pose of one of MuJoCo's bodies at the beginning of the step. */
static sn_pose pose_of(const sn__mujoco *p, int body) {
  return (sn_pose){.rot = mat3_of(p->d->xmat + 9 * body), .pos = vec3_of(p->d->xpos + 3 * body)};
}

/* ---- creation ---- */

static void find_points(sn__mujoco *p) {
  for (int i = 0; i < p->m->ngeom; i++) {
    p->point_of[i] = -1;
  }
  for (size_t i = 0; i < p->contacts->point_count; i++) {
    char name[24];
    snprintf(name, sizeof name, "p%zu", i);
    p->point_of[p->library.name_to_id(p->m, mjOBJ_GEOM, name)] = (int)i;
  }
}

bool sn__mujoco_find_ground(sn__mujoco *p, sn_arena *arena, const sn__physics_setup *setup) {
  if (setup->floats) {
    const int joint = p->library.name_to_id(p->m, mjOBJ_JOINT, "base");
    p->base = p->m->jnt_bodyid[joint];
    p->base_position = p->m->jnt_qposadr[joint];
    p->base_freedom = p->m->jnt_dofadr[joint];
  }
  if (p->contacts != NULL) {
    p->point_of = SN_NEW(arena, int, (size_t)p->m->ngeom + 1);
    if (p->point_of == NULL) {
      return false;
    }
    find_points(p);
  }
  return true;
}

/* ---- the base: MuJoCo has its linear velocity in the axes of the world ---- */

void sn__mujoco_place_base(sn__mujoco *p, const sn__base_motion *base) {
  const sn_pose *pose = &base->pose_world_base;
  const sn_quat turn = sn_quat_from_mat3(pose->rot);
  const sn_vec3 v = sn_mat3_apply(pose->rot, base->twist.lin), w = base->twist.ang;
  const double position[7] = {pose->pos.x, pose->pos.y, pose->pos.z, turn.w,
                              turn.x,      turn.y,      turn.z};
  const double velocity[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
  memcpy(p->d->qpos + p->base_position, position, sizeof position);
  memcpy(p->d->qvel + p->base_freedom, velocity, sizeof velocity);
}

void sn__mujoco_read_base(const sn__mujoco *p, double h_s, sn__base_motion *base) {
  const mjtNum *x = p->d->qpos + p->base_position, *v = p->d->qvel + p->base_freedom;
  sn_pose *pose = &base->pose_world_base;
  pose->pos = vec3_of(x);
  pose->rot = sn_mat3_from_quat((sn_quat){.w = x[3], .x = x[4], .y = x[5], .z = x[6]});
  const sn_spatial twist = {vec3_of(v + 3), sn_mat3_apply_transposed(pose->rot, vec3_of(v))};
  base->acceleration = sn_spatial_scale(sn_spatial_sub(twist, base->twist), 1.0 / h_s);
  base->twist = twist;
}

/* ---- forces on bodies ---- */

/* Add a wrench about a point, both in the world, to the forces on a body of the tree. */
static void add_force(sn__mujoco *p, int body, sn_vec3 point, sn_spatial wrench) {
  if (body >= 0) {
    const sn_pose pose = pose_of(p, p->body[body]);
    const sn_vec3 torque = sn_mat3_apply_transposed(pose.rot, wrench.ang);
    const sn_vec3 force = sn_mat3_apply_transposed(pose.rot, wrench.lin);
    const sn_vec3 at = sn_mat3_apply_transposed(pose.rot, sn_vec3_sub(point, pose.pos));
    const sn_spatial sum = {sn_vec3_add(torque, sn_vec3_cross(at, force)), force};
    p->forces[body] = sn_spatial_add(p->forces[body], sum);
  }
}

/* MuJoCo takes forces at the centre of mass of a body, in the axes of the world. */
void sn__mujoco_push(sn__mujoco *p, const sn__influences *acting) {
  memset(p->d->xfrc_applied, 0, 6 * (size_t)p->m->nbody * sizeof *p->d->xfrc_applied);
  for (size_t i = 0; i < acting->push_count; i++) {
    const sn__body_push *push = &acting->pushes[i];
    const int body = push->body < 0 ? p->base : p->body[push->body];
    const sn_vec3 point = sn_pose_apply(pose_of(p, body), push->at);
    const sn_vec3 arm = sn_vec3_sub(point, vec3_of(p->d->xipos + 3 * body));
    const sn_vec3 force = push->wrench.lin;
    const sn_vec3 torque = sn_vec3_add(push->wrench.ang, sn_vec3_cross(arm, force));
    const double all[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    for (int k = 0; k < 6; k++) {
      p->d->xfrc_applied[6 * body + k] += all[k];
    }
    add_force(p, push->body, point, push->wrench);
  }
}

/* ---- contacts ---- */

/* How much deeper a contact point is than MuJoCo says, as a negative number: inside a box it counts
   only the radius of a sphere, not the way of its centre to the surface. */
static double missing_depth(const sn__mujoco *p, const mjContact *c) {
  const int point = p->point_of[c->geom1];
  if (point < 0 || p->m->geom_type[c->geom2] != mjGEOM_BOX) {
    return 0.0;
  }
  sn_vec3 normal;
  const sn_vec3 centre = vec3_of(p->d->geom_xpos + 3 * c->geom1);
  const double gap = sn__ground_gap(&p->contacts->ground, centre, &normal);
  return fmin(0.0, gap - p->m->geom_size[3 * c->geom1] - c->dist);
}

/* MuJoCo's contacts minimise a convex function, in which a contact that slides with speed v lifts
   off with friction times v: a sliding robot would hop. Subtracting that speed from the demand
   along the normal leaves Coulomb's law (de Saxce and Feng, "The bipotential method", 1998). */
void sn__mujoco_correct_contacts(sn__mujoco *p) {
  for (int i = 0; i < p->d->ncon; i++) {
    const mjContact *c = &p->d->contact[i];
    if (c->efc_address >= 0) {
      const mjtNum *v = p->d->efc_vel + c->efc_address;
      const mjtNum *law = p->d->efc_KBIP + 4 * c->efc_address; /* stiffness, damping, impedance */
      p->d->efc_aref[c->efc_address] -=
          law[0] * law[2] * missing_depth(p, c) + law[1] * c->friction[0] * hypot(v[1], v[2]);
    }
  }
}

/* The force on the contact point of a contact. A contact has that on its second geom. */
static void read_contact(sn__mujoco *p, int contact) {
  const mjContact *c = &p->d->contact[contact];
  const bool is_second = p->point_of[c->geom2] >= 0;
  sn__contact_point *point = &p->contacts->points[p->point_of[is_second ? c->geom2 : c->geom1]];
  double parts[6];
  p->library.contact_force(p->m, p->d, contact, parts);
  const sn_vec3 on_second = sn_mat3_apply_transposed(mat3_of(c->frame), vec3_of(parts));
  const sn_vec3 force = sn_vec3_scale(on_second, is_second ? 1.0 : -1.0);
  point->force_N = sn_vec3_add(point->force_N, force);
  point->normal_N += parts[0];
  point->is_touching = point->normal_N > 0.0;
  add_force(p, point->body, vec3_of(c->pos), (sn_spatial){.lin = force});
}

void sn__mujoco_read_contacts(sn__mujoco *p) {
  for (size_t i = 0; i < p->contacts->point_count; i++) {
    sn__contact_point *point = &p->contacts->points[i];
    point->force_N = sn_vec3_make(0, 0, 0);
    point->normal_N = 0.0;
    point->is_touching = false;
  }
  for (int i = 0; i < p->d->ncon; i++) {
    if (p->d->contact[i].efc_address >= 0) {
      read_contact(p, i);
    }
  }
}
