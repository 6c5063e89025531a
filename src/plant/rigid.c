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
   as a search direction, and the minimum along it is the next starting point.

   Forces of the ground are further terms of the same function (contacts.h). They are linearised
   about the last velocity, the joints are solved as above, and this is repeated until the forces at
   the new velocity are as predicted (Newton's method). */
#include <string.h>

#include "math/rotation.h"
#include "plant/rigid_internal.h"
#include "sinew/quat.h"

/* Velocity limit of every joint: the velocity products are explicit and, without friction, would
   not be bounded. */
static const double SPEED_BOUND = 1000.0;

/* ---- creation ---- */

static bool allocate(sn__rigid *r, sn_arena *arena, size_t entries, size_t n) {
  double **const vectors[] = {&r->v,    &r->b,   &r->free_b, &r->av,    &r->start, &r->pushed,
                              &r->from, &r->way, &r->a_way,  &r->lower, &r->upper};
  double **const squares[] = {&r->mass, &r->a, &r->free_a, &r->factors};
  bool is_good = true;
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = SN_NEW(arena, double, n);
    is_good = is_good && *vectors[i] != NULL;
  }
  for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) {
    *squares[i] = SN_NEW(arena, double, n *n);
    is_good = is_good && *squares[i] != NULL;
  }
  r->has_mass = SN_NEW(arena, bool, entries);
  r->inertias = SN_NEW(arena, double, entries);
  r->bias = SN_NEW(arena, double, entries);
  r->row_of = SN_NEW(arena, int, entries);
  r->modes = SN_NEW(arena, sn__axle_mode, n);
  return is_good && r->has_mass != NULL && r->inertias != NULL && r->bias != NULL &&
         r->row_of != NULL && r->modes != NULL;
}

static bool allocate_contacts(sn__rigid *r, sn_arena *arena) {
  const size_t count = r->contacts == NULL ? 0 : r->contacts->body_count;
  r->columns = SN_NEW(arena, sn__rigid_column, 6 + (r->tree == NULL ? 0 : r->tree->body_count));
  r->contact_poses = SN_NEW(arena, sn_pose, count + 1);
  r->ground_forces = SN_NEW(arena, sn__contact_force, count + 1);
  r->ground_twists = SN_NEW(arena, sn_spatial, count + 1);
  return r->columns != NULL && r->contact_poses != NULL && r->ground_forces != NULL &&
         r->ground_twists != NULL;
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
  if (r == NULL || !sn__sparse_create(arena, config->tree, entries, config->floats, &r->shape) ||
      !allocate(r, arena, entries, r->shape.count)) {
    return NULL;
  }
  r->tree = config->tree;
  r->floats = config->floats;
  r->contacts = config->contacts;
  if (!allocate_contacts(r, arena)) {
    return NULL;
  }
  for (size_t k = 0; k < entries; k++) {
    r->row_of[r->shape.place[k]] = (int)k;
  }
  if (r->tree == NULL) {
    memcpy(r->inertias, config->inertias, entries * sizeof *r->inertias);
  } else if (sn_dyn_create(arena, r->tree, &r->dyn, NULL) != SN_OK) {
    return NULL;
  } else {
    sn__find_massive(r->tree, r->has_mass);
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
  for (size_t k = 0; k < r->shape.count; k++) {
    r->modes[k] = (sn__axle_mode){.is_pinned = r->shape.place[k] >= 0};
  }
  if (r->contacts != NULL) {
    sn__contacts_reset(r->contacts);
  }
}

/* ---- the equations ---- */

/* The mass matrix, and the forces that keep the velocities as they are. */
static void update_dynamics(sn__rigid *r, sn_vec3 gravity, const sn__joint_motion *m,
                            const sn__base_motion *base) {
  if (r->dyn == NULL) {
    return;
  }
  sn_dyn_world world = {.gravity = gravity};
  if (!r->floats) {
    sn_dyn_mass_matrix(r->dyn, m->q, r->mass);
    sn_dyn_inverse(r->dyn, &world, m->q, m->qd, NULL, r->bias, NULL);
    return;
  }
  const sn_base_state state = {.pose_world_base = base->pose_world_base, .twist = base->twist};
  world.base = &state;
  sn_dyn_mass_matrix_floating(r->dyn, m->q, r->mass);
  sn_dyn_inverse(r->dyn, &world, m->q, m->qd, NULL, r->bias, &r->base_bias);
}

/* The matrix M + J in the order of elimination. */
static void fill_matrix(sn__rigid *r, const sn__axle *axles) {
  const size_t n = r->shape.count;
  const int first = r->floats ? 6 : 0; /* rows of the base in the mass matrix */
  for (size_t k = 0; k < n; k++) {
    const int place = r->shape.place[k];
    const double *row = r->mass + (size_t)(place + first) * n;
    const sn__axle *axle = sn__rigid_axle(r, axles, k);
    const double own = r->dyn == NULL                    ? r->inertias[place]
                       : place < 0 || r->has_mass[place] ? row[place + first]
                                                         : 0.0;
    r->a[k * n + k] = axle->moves ? own + axle->inertia : 1.0;
    for (size_t i = r->shape.start[k]; i < r->shape.start[k + 1]; i++) {
      const size_t j = (size_t)r->shape.above[i];
      const double entry = row[r->shape.place[j] + first];
      r->a[k * n + j] = r->a[j * n + k] = entry;
    }
  }
}

static double component(sn_spatial s, int i) {
  const double all[6] = {s.ang.x, s.ang.y, s.ang.z, s.lin.x, s.lin.y, s.lin.z};
  return all[i];
}

/* Momentum and impulse, and bounds that keep the joint within its stops or stop it outside. */
static void fill_sides(sn__rigid *r, const sn__axle *axles, double h, const sn__joint_motion *m,
                       const sn__base_motion *base) {
  for (size_t k = 0; k < r->shape.count; k++) {
    const int place = r->shape.place[k];
    const double v = place < 0 ? component(base->twist, place + 6) : m->qd[place];
    r->v[k] = sn__rigid_axle(r, axles, k)->moves ? v : 0.0;
  }
  sn__sparse_apply(&r->shape, r->a, r->v, r->b);
  for (size_t k = 0; k < r->shape.count; k++) {
    const int place = r->shape.place[k];
    const sn__axle *axle = sn__rigid_axle(r, axles, k);
    if (axle->moves) {
      const double q = place < 0 ? 0.0 : m->q[place];
      const double bias = place < 0 ? component(r->base_bias, place + 6) : r->bias[place];
      r->b[k] += h * (axle->push + r->pushed[k] - bias);
      r->lower[k] = sn__clamp((axle->lower - q) / h, -SPEED_BOUND, 0.0);
      r->upper[k] = sn__clamp((axle->upper - q) / h, 0.0, SPEED_BOUND);
    }
  }
}

/* ---- a step ---- */

static void finish_joints(sn__rigid *r, const sn__axle *axles, double h, sn__joint_motion *m) {
  for (size_t k = 0; k < r->shape.count; k++) {
    const int place = r->shape.place[k];
    const sn__axle *axle = sn__rigid_axle(r, axles, k);
    if (place < 0) {
      continue;
    }
    m->load[place] = 0.0;
    if (axle->moves) {
      m->load[place] =
          r->av[k] - axle->inertia * m->qdd[place] + r->bias[place] - axle->push - r->from[k];
      const double q = m->q[place], next = q + h * m->qd[place];
      m->q[place] = sn__clamp(next, fmin(axle->lower, q), fmax(axle->upper, q));
    }
  }
}

static void finish_base(const sn__rigid *r, double h, sn__base_motion *base) {
  const double *v = r->v + r->shape.count - 6;
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
  const size_t n = r->shape.count;
  for (size_t k = 0; k < n; k++) {
    const int place = r->shape.place[k];
    r->v[k] =
        sn__rigid_axle(r, axles, k)->moves ? sn__clamp(r->v[k], r->lower[k], r->upper[k]) : 0.0;
    const double before = place < 0 ? component(base->twist, place + 6) : m->qd[place];
    r->b[k] = (r->v[k] - before) / h;
    if (place >= 0) {
      m->qdd[place] = r->b[k];
      m->qd[place] = r->v[k];
    }
  }
  sn__sparse_apply(&r->shape, r->a, r->b, r->av);
  sn__rigid_ground_loads(r, axles, h, r->from);
  sn__rigid_end_contacts(r, axles, h, base);
  finish_joints(r, axles, h, m);
  if (r->floats) {
    finish_base(r, h, base);
  }
}

static void step(sn__physics *physics, const sn__influences *acting, double h,
                 sn__joint_motion *motion, sn__base_motion *base) {
  sn__rigid *r = (sn__rigid *)physics;
  const sn__axle *axles = acting->axles;
  update_dynamics(r, acting->gravity, motion, base);
  fill_matrix(r, axles);
  sn__rigid_push(r, acting, base);
  fill_sides(r, axles, h, motion, base);
  const bool is_near = sn__rigid_begin_contacts(r, h, base);
  r->counts.steps++;
  const bool is_solved = is_near ? sn__rigid_solve_on_ground(r, axles, motion->q, h)
                                 : sn__rigid_solve(r, axles, motion->q, h);
  r->counts.failures += !is_solved;
  finish(r, axles, h, motion, base);
}
