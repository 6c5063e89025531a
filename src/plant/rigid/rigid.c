/* Sinew's physics: rigid bodies, and a servo with dry friction on each joint, advanced by an
   implicit step (time stepping after Moreau, with the velocity at the end as the unknown).

       (M + J) (v' - v) = h (drive(q + h v') - damping v' - friction(v') + stops - bias + push)

   Drive, damping, friction and stops depend on the resulting velocity v', so that any stiffness is
   stable, a joint at rest is at rest exactly, and nothing passes a stop. Only M, the velocity
   products and gravity are taken from the beginning of the step. If the base floats, its twist is
   part of v.

   The force on each joint falls with its own v' only, hence v' is the only minimum of a convex
   function. It is found by guessing for each joint the piece of its law that holds (sticks,
   slides, drives at its limit, ...), solving the remaining linear equations and checking the
   guess: the first is usually right, and one solution is enough. If guesses cycle, the guess serves
   as a search direction; the minimum along it, improved joint by joint, is the next starting point.

   Forces of the ground are further terms of the same function (contacts.h). They are linearised
   about the last velocity, the joints are solved as above, and this is repeated until the forces at
   the new velocity are as predicted (Newton's method). */
#include <string.h>

#include "math/rotation.h"
#include "plant/rigid/rigid_internal.h"
#include "sinew/quat.h"

/* Velocity limit of every joint: the velocity products are explicit and, without friction, would
   not be bounded. */
static const double SPEED_BOUND = 1000.0;

/* Mass of the base that keeps the equations of a weightless robot solvable, kg and kg·m². */
static const double BASE_MIN = 1e-15;

/* ---- creation ---- */

static bool allocate_rows(sn__rigid *r, sn_arena *arena) {
  double **const rows[] = {&r->v,     &r->b,     &r->free_b, &r->av,    &r->own,
                           &r->start, &r->from,  &r->way,    &r->a_way, &r->unit,
                           &r->lower, &r->upper, &r->slopes};
  bool is_good = true;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    *rows[i] = SN_NEW(arena, double, r->tree.row_count + 1);
    is_good = is_good && *rows[i] != NULL;
  }
  r->inertias = SN_NEW(arena, double, r->tree.entry_count + 1);
  r->is_pinned = SN_NEW(arena, bool, r->tree.row_count + 1);
  r->modes = SN_NEW(arena, sn__axle_mode, r->tree.row_count + 1);
  return is_good && r->inertias != NULL && r->is_pinned != NULL && r->modes != NULL;
}

static bool allocate_bodies(sn__rigid *r, sn_arena *arena) {
  sn_spatial **const bodies[] = {&r->twists, &r->forces, &r->moved, &r->gathered, &r->from_twists};
  bool is_good = true;
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    *bodies[i] = SN_NEW(arena, sn_spatial, r->tree.branch_count);
    is_good = is_good && *bodies[i] != NULL;
  }
  const size_t count = r->contacts == NULL ? 0 : r->contacts->body_count;
  r->contact_poses = SN_NEW(arena, sn_pose, count + 1);
  r->ground_forces = SN_NEW(arena, sn__contact_force, count + 1);
  r->ground_twists = SN_NEW(arena, sn_spatial, count + 1);
  r->ground_slopes = SN_NEW(arena, sn__sym6, count + 1);
  return is_good && r->contact_poses != NULL && r->ground_forces != NULL &&
         r->ground_twists != NULL && r->ground_slopes != NULL;
}

void sn__find_massive(const sn_tree *tree, bool *has_mass) {
  for (size_t i = 0; i < tree->body_count; i++) {
    const sn_inertia *one = &tree->inertia[i];
    const sn_sym3 t = one->tensor;
    for (int j = (int)i; j >= 0 && (one->mass_kg > 0.0 || t.xx + t.yy + t.zz > 0.0);
         j = tree->parent[j]) {
      has_mass[tree->coord[j]] = true;
    }
  }
}

static void step(sn__physics *physics, const sn__influences *acting, double h,
                 sn__joint_motion *motion, sn__base_motion *base);
static void reset(sn__physics *physics, const sn__joint_motion *motion,
                  const sn__base_motion *base);

sn__rigid *sn__rigid_create(sn_arena *arena, const sn__rigid_config *config) {
  const size_t entries = config->entry_count;
  sn__rigid *r = SN_NEW(arena, sn__rigid, 1);
  if (r == NULL) {
    return NULL;
  }
  r->contacts = config->contacts;
  if (!sn__articulated_create(arena, config->tree, entries, config->floats, &r->tree) ||
      !allocate_rows(r, arena) || !allocate_bodies(r, arena)) {
    return NULL;
  }
  if (config->tree == NULL) {
    memcpy(r->inertias, config->inertias, entries * sizeof *r->inertias);
  }
  r->physics = (sn__physics){.step = step, .reset = reset};
  reset(&r->physics, NULL, NULL);
  return r;
}

sn__physics *sn__rigid_physics(sn__rigid *rigid) {
  return &rigid->physics;
}

const sn__rigid_counts *sn__rigid_counts_now(const sn__rigid *rigid) {
  return &rigid->counts;
}

static void reset(sn__physics *physics, const sn__joint_motion *motion,
                  const sn__base_motion *base) {
  sn__rigid *r = (sn__rigid *)physics;
  (void)motion;
  (void)base;
  for (size_t k = 0; k < r->tree.row_count; k++) {
    r->modes[k] = (sn__axle_mode){.is_pinned = sn__rigid_is_joint(r, k)};
  }
  for (size_t i = 0; i < r->tree.branch_count; i++) {
    r->tree.branches[i].resistance = 0.0; /* unknown */
  }
  if (r->contacts != NULL) {
    sn__contacts_reset(r->contacts);
  }
}

/* ---- the equations ---- */

static double component(sn_spatial s, size_t i) {
  const double all[6] = {s.ang.x, s.ang.y, s.ang.z, s.lin.x, s.lin.y, s.lin.z};
  return all[i];
}

/* The velocities at the beginning, and the diagonal. */
static void fill_rows(sn__rigid *r, const sn__axle *axles, const sn__joint_motion *m,
                      const sn__base_motion *base) {
  const size_t entries = r->tree.entry_count;
  for (size_t k = 0; k < entries; k++) {
    r->v[k] = axles[k].moves ? m->qd[k] : 0.0;
    r->tree.diagonal[k] = axles[k].moves ? axles[k].inertia + r->inertias[k] : 1.0;
  }
  for (size_t k = entries; k < r->tree.row_count; k++) {
    r->v[k] = component(base->twist, k - entries);
    r->tree.diagonal[k] = BASE_MIN;
  }
}

/* The forces that keep the velocities of the bodies as they are. Gravity is taken as an
   acceleration of the base upwards. */
static void find_forces(sn__rigid *r, sn_vec3 gravity, const sn__base_motion *base) {
  const sn_vec3 down =
      base == NULL ? gravity : sn_mat3_apply_transposed(base->pose_world_base.rot, gravity);
  sn_spatial *drift = r->moved;
  drift[0] = (sn_spatial){{0, 0, 0}, sn_vec3_neg(down)};
  for (size_t i = 0; i < r->tree.branch_count; i++) {
    const sn__branch *b = &r->tree.branches[i];
    const sn_spatial v = r->twists[i];
    if (i > 0) {
      const sn_spatial carried = r->twists[b->parent];
      drift[i] = sn_spatial_add(drift[b->parent], sn_spatial_cross_motion(carried, v));
    }
    const sn_spatial turned = sn_spatial_cross_force(v, sn_inertia_apply(b->inertia, v));
    r->forces[i] = sn_spatial_add(sn_inertia_apply(b->inertia, drift[i]), turned);
  }
}

/* Momentum and impulse. */
static void fill_sides(sn__rigid *r, const sn__axle *axles, double h) {
  for (size_t i = 0; i < r->tree.branch_count; i++) {
    const sn_spatial momentum = sn_inertia_apply(r->tree.branches[i].inertia, r->twists[i]);
    r->gathered[i] = sn_spatial_sub(momentum, sn_spatial_scale(r->forces[i], h));
  }
  for (size_t k = 0; k < r->tree.row_count; k++) {
    r->b[k] = r->tree.diagonal[k] * r->v[k] + h * sn__rigid_axle(r, axles, k)->push;
  }
  sn__articulated_gather(&r->tree, r->gathered, r->b);
}

/* Bounds that keep the joint within its stops or stop it outside. */
static void fill_bounds(sn__rigid *r, const sn__axle *axles, double h, const double *q) {
  for (size_t k = 0; k < r->tree.row_count; k++) {
    const sn__axle *axle = sn__rigid_axle(r, axles, k);
    const double at = sn__rigid_position(r, q, k);
    r->lower[k] = axle->moves ? sn__clamp((axle->lower - at) / h, -SPEED_BOUND, 0.0) : 0.0;
    r->upper[k] = axle->moves ? sn__clamp((axle->upper - at) / h, 0.0, SPEED_BOUND) : 0.0;
  }
}

/* ---- a step ---- */

/* Forces of the joints: what the bodies need, less the forces of the ground and of pushes. */
static void find_loads(sn__rigid *r, double h, const sn__base_motion *base) {
  sn__articulated_twists(&r->tree, r->v, r->moved);
  for (size_t i = 0; i < r->tree.branch_count; i++) {
    const sn_spatial change = sn_spatial_scale(sn_spatial_sub(r->moved[i], r->twists[i]), 1.0 / h);
    r->gathered[i] =
        sn_spatial_add(r->forces[i], sn_inertia_apply(r->tree.branches[i].inertia, change));
  }
  sn__rigid_end_contacts(r, h, base, r->moved, r->gathered);
  memset(r->av, 0, r->tree.row_count * sizeof *r->av);
  sn__articulated_gather(&r->tree, r->gathered, r->av);
}

static void finish_joints(const sn__rigid *r, const sn__axle *axles, double h,
                          sn__joint_motion *m) {
  for (size_t k = 0; k < r->tree.entry_count; k++) {
    const sn__axle *axle = &axles[k];
    m->qdd[k] = (r->v[k] - m->qd[k]) / h;
    m->qd[k] = r->v[k];
    m->load[k] = 0.0;
    if (axle->moves) {
      m->load[k] = r->av[k] + r->inertias[k] * m->qdd[k] - axle->push;
      const double q = m->q[k], next = q + h * m->qd[k];
      m->q[k] = sn__clamp(next, fmin(axle->lower, q), fmax(axle->upper, q));
    }
  }
}

static void finish_base(const sn__rigid *r, double h, sn__base_motion *base) {
  const double *v = r->v + r->tree.entry_count;
  const sn_spatial twist = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
  base->acceleration = sn_spatial_scale(sn_spatial_sub(twist, base->twist), 1.0 / h);
  base->twist = twist;
  sn_pose *pose = &base->pose_world_base;
  pose->pos = sn_vec3_add(pose->pos, sn_mat3_apply(pose->rot, sn_vec3_scale(twist.lin, h)));
  const sn_mat3 turned = sn_mat3_mul(pose->rot, sn__mat3_exp(sn_vec3_scale(twist.ang, h)));
  pose->rot = sn_mat3_from_quat(sn_quat_normalize(sn_quat_from_mat3(turned)));
}

static void finish(sn__rigid *r, const sn__axle *axles, double h, sn__joint_motion *m,
                   sn__base_motion *base) {
  for (size_t k = 0; k < r->tree.row_count; k++) {
    r->v[k] = sn__clamp(r->v[k], r->lower[k], r->upper[k]);
  }
  find_loads(r, h, base);
  finish_joints(r, axles, h, m);
  if (r->tree.floats) {
    finish_base(r, h, base);
  }
}

static void step(sn__physics *physics, const sn__influences *acting, double h,
                 sn__joint_motion *motion, sn__base_motion *base) {
  sn__rigid *r = (sn__rigid *)physics;
  const sn__axle *axles = acting->axles;
  sn__articulated_update(&r->tree, motion->q);
  fill_rows(r, axles, motion, base);
  sn__articulated_twists(&r->tree, r->v, r->twists);
  find_forces(r, acting->gravity, base);
  sn__rigid_push(r, acting, base);
  fill_sides(r, axles, h);
  fill_bounds(r, axles, h, motion->q);
  const bool is_near = sn__rigid_begin_contacts(r, h, base);
  r->counts.steps++;
  const bool is_solved = is_near ? sn__rigid_solve_on_ground(r, axles, motion->q, h)
                                 : sn__rigid_solve(r, axles, motion->q, h);
  r->counts.failures += !is_solved;
  finish(r, axles, h, motion, base);
}
