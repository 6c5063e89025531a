/* A floating base, its contacts with the ground and pushes on links in MuJoCo. */
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
    p->geom_of[i] = p->library.name_to_id(p->m, mjOBJ_GEOM, name);
    p->point_of[p->geom_of[i]] = (int)i;
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
    p->geom_of = SN_NEW(arena, int, p->contacts->point_count + 1);
    p->point_of = SN_NEW(arena, int, (size_t)p->m->ngeom + 1);
    if (p->geom_of == NULL || p->point_of == NULL) {
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
  if (acting->push_count > 0) {
    p->library.kinematics(p->m, p->d);
  }
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

static void clear_points(sn__mujoco *p, const sn_pose *pose_world_base) {
  for (size_t i = 0; i < p->contacts->point_count; i++) {
    sn__contact_point *point = &p->contacts->points[i];
    const sn_vec3 at = vec3_of(p->d->geom_xpos + 3 * p->geom_of[i]);
    point->where =
        sn_mat3_apply_transposed(pose_world_base->rot, sn_vec3_sub(at, pose_world_base->pos));
    point->force_N = sn_vec3_make(0, 0, 0);
    point->normal_N = 0.0;
    point->is_touching = false;
  }
}

/* The force on the contact point of a contact. A contact has that on its second geom. */
static void read_contact(sn__mujoco *p, const sn_pose *pose_world_base, int contact) {
  const mjContact *c = &p->d->contact[contact];
  const bool is_second = p->point_of[c->geom2] >= 0;
  sn__contact_point *point = &p->contacts->points[p->point_of[is_second ? c->geom2 : c->geom1]];
  double parts[6];
  p->library.contact_force(p->m, p->d, contact, parts);
  const sn_vec3 on_second = sn_mat3_apply_transposed(mat3_of(c->frame), vec3_of(parts));
  const sn_vec3 force = sn_vec3_scale(on_second, is_second ? 1.0 : -1.0);
  point->where = sn_mat3_apply_transposed(pose_world_base->rot,
                                          sn_vec3_sub(vec3_of(c->pos), pose_world_base->pos));
  point->force_N = sn_vec3_add(point->force_N, force);
  point->normal_N += parts[0];
  point->is_touching = point->normal_N > 0.0;
}

void sn__mujoco_read_contacts(sn__mujoco *p) {
  const sn_pose pose_world_base = pose_of(p, p->base);
  clear_points(p, &pose_world_base);
  for (int i = 0; i < p->d->ncon; i++) {
    if (p->d->contact[i].efc_address >= 0) {
      read_contact(p, &pose_world_base, i);
    }
  }
  for (size_t i = 0; i < p->contacts->body_count; i++) {
    const sn__contact_body *body = &p->contacts->bodies[i];
    for (size_t k = body->first; k < body->first + body->count; k++) {
      const sn__contact_point *point = &p->contacts->points[k];
      add_force(p, body->body, sn_pose_apply(pose_world_base, point->where),
                (sn_spatial){.lin = point->force_N});
    }
  }
}
