/* A floating base and its contacts with the ground in MuJoCo. */
#include <stdio.h>

#include "plant/mujoco/mujoco_internal.h"
#include "sinew/quat.h"

static sn_vec3 vec3_of(const mjtNum *x) {
  return sn_vec3_make(x[0], x[1], x[2]);
}

static sn_mat3 mat3_of(const mjtNum *x) {
  return (sn_mat3){{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}}};
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
    p->body_of[i] = p->m->geom_bodyid[p->geom_of[i]];
    p->point_of[p->geom_of[i]] = (int)i;
  }
}

bool sn__mujoco_find_ground(sn__mujoco *p, sn_arena *arena) {
  const size_t points = p->contacts->point_count;
  const int joint = p->library.name_to_id(p->m, mjOBJ_JOINT, "base");
  p->base_position = p->m->jnt_qposadr[joint];
  p->base_freedom = p->m->jnt_dofadr[joint];
  p->body_of = SN_NEW(arena, int, points + 1);
  p->geom_of = SN_NEW(arena, int, points + 1);
  p->point_of = SN_NEW(arena, int, (size_t)p->m->ngeom);
  if (p->body_of == NULL || p->geom_of == NULL || p->point_of == NULL) {
    return false;
  }
  find_points(p);
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

/* ---- contacts ---- */

/* The force on the contact point of a contact, in the world. */
static sn_vec3 force_of(const sn__mujoco *p, int contact) {
  const mjContact *c = &p->d->contact[contact];
  double force[6];
  p->library.contact_force(p->m, p->d, contact, force);
  const sn_vec3 on_second = sn_mat3_apply_transposed(mat3_of(c->frame), vec3_of(force));
  return sn_vec3_scale(on_second, p->point_of[c->geom2] >= 0 ? 1.0 : -1.0);
}

static void add_force(sn__mujoco *p, int contact) {
  const mjContact *c = &p->d->contact[contact];
  const int second = p->point_of[c->geom2];
  const int point = second >= 0 ? second : p->point_of[c->geom1];
  sn__contact_point *at = &p->contacts->points[point];
  const sn_vec3 normal = sn_vec3_scale(vec3_of(c->frame), second >= 0 ? 1.0 : -1.0);
  const sn_vec3 force = force_of(p, contact);
  at->force_N = sn_vec3_add(at->force_N, force);
  at->normal_N += sn_vec3_dot(normal, force);
  at->is_touching = true;
}

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

static void sum_forces(sn__mujoco *p, const sn__contact_body *body) {
  for (size_t i = body->first; i < body->first + body->count; i++) {
    const sn__contact_point *point = &p->contacts->points[i];
    const sn_mat3 turn = mat3_of(p->d->xmat + 9 * p->body_of[i]);
    const sn_vec3 force = sn_mat3_apply_transposed(turn, point->force_N);
    const sn_spatial wrench = {sn_vec3_cross(point->at, force), force};
    p->forces[body->body] = sn_spatial_add(p->forces[body->body], wrench);
  }
}

void sn__mujoco_read_contacts(sn__mujoco *p, const sn__base_motion *base) {
  clear_points(p, &base->pose_world_base);
  for (int i = 0; i < p->d->ncon; i++) {
    if (p->d->contact[i].efc_address >= 0) {
      add_force(p, i);
    }
  }
  for (size_t i = 0; i < p->contacts->body_count; i++) {
    if (p->contacts->bodies[i].body >= 0) {
      sum_forces(p, &p->contacts->bodies[i]);
    }
  }
}
