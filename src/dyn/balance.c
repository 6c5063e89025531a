#include "dyn/balance.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "dyn/contact_forces.h"
#include "dyn/data.h"
#include "dyn/point_set.h"
#include "dyn/support_polygon.h"
#include "sinew/dyn.h"
#include "sinew/fault.h"
#include "sinew/kin.h"

/* Motion of a body, or of a point of it, relative to the base, in the axes of the base. */
typedef struct motion {
  sn_vec3 ang, lin;         /* velocities; of the origin of the body's frame */
  sn_vec3 ang_acc, lin_acc; /* their rates of change */
} motion;

struct sn_balance {
  const sn_model *model;
  const sn_tree *tree;
  sn_tree own_tree; /* the robot's, with massless links where inertia is missing */
  sn_kin_data *kin;
  sn_dyn_data *dyn;
  double mass_kg;
  size_t chain_count;

  /* [body_count] */
  sn_pose *pose;
  motion *moves;

  double *zeros; /* [coord_count] */

  /* [points of all chains at most] */
  sn_contact_point *points;
  sn_vec3 *velocity, *acceleration; /* of each, relative to the base */
  sn_vec3 *wanted;                  /* what the base should do at each */
  sn_vec3 *forces;
  sn_vec3 *places;
  sn_vec3 *corners;
  size_t point_count;

  /* [chain_count]: of each support of the input */
  size_t *first_point;
  sn_spatial *wrenches;
};

/* ---- creation ---- */

static size_t points_at_most(const sn_model *model) {
  size_t most = 1;
  for (size_t i = 0; i < sn_names_count(sn_model_contact_names(model)); i++) {
    const size_t count = sn_model_contact(model, i)->point_count;
    most = count > most ? count : most;
  }
  return most * sn_names_count(sn_model_chain_names(model));
}

static bool create_arrays(sn_arena *arena, sn_balance *b) {
  const size_t points = points_at_most(b->model);
  b->pose = SN_NEW(arena, sn_pose, b->tree->body_count);
  b->moves = SN_NEW(arena, motion, b->tree->body_count);
  b->zeros = SN_NEW(arena, double, b->tree->coord_count);
  b->points = SN_NEW(arena, sn_contact_point, points);
  b->velocity = SN_NEW(arena, sn_vec3, points);
  b->acceleration = SN_NEW(arena, sn_vec3, points);
  b->wanted = SN_NEW(arena, sn_vec3, points);
  b->forces = SN_NEW(arena, sn_vec3, points);
  b->places = SN_NEW(arena, sn_vec3, points);
  b->corners = SN_NEW(arena, sn_vec3, points);
  b->first_point = SN_NEW(arena, size_t, b->chain_count + 1);
  b->wrenches = SN_NEW(arena, sn_spatial, b->chain_count);
  return b->pose != NULL && b->moves != NULL && b->zeros != NULL && b->points != NULL &&
         b->velocity != NULL && b->acceleration != NULL && b->wanted != NULL && b->forces != NULL &&
         b->places != NULL && b->corners != NULL && b->first_point != NULL && b->wrenches != NULL;
}

sn_status sn__balance_create(sn_arena *arena, const sn_model *model, sn_balance **out,
                             sn_error *err) {
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_balance *b = SN_NEW(arena, sn_balance, 1);
  sn_status status = SN_ENOMEM;
  if (b != NULL) {
    *b = (sn_balance){.model = model,
                      .tree = &b->own_tree,
                      .own_tree = *sn_model_tree(model),
                      .chain_count = sn_names_count(sn_model_chain_names(model))};
    b->own_tree.massless_link = NULL;
    status = sn__dyn_create_small(arena, b->tree, &b->dyn, err);
  }
  if (status == SN_OK) {
    status = sn_kin_create(arena, b->tree, &b->kin, err);
  }
  if (status == SN_OK && !create_arrays(arena, b)) {
    status = SN_ENOMEM;
  }
  if (status == SN_OK && !(sn_dyn_total_mass(b->dyn) > 0.0)) {
    status = sn__fail(err, SN_EMODEL, "the robot has no mass: no link has an inertial");
  }
  if (status != SN_OK) {
    sn_arena_restore(arena, mark);
    return status == SN_ENOMEM
               ? sn__fail(err, status, "balance: no room in arena '%s'", sn_arena_name(arena))
               : status;
  }
  b->mass_kg = sn_dyn_total_mass(b->dyn);
  *out = b;
  return SN_OK;
}

/* ---- how the bodies move ---- */

static motion next_motion(const motion *parent, sn_vec3 way, sn_vec3 axis, bool slides, double rate,
                          double rate_acc) {
  const sn_vec3 carried = sn_vec3_cross(parent->ang, way);
  const sn_vec3 carried_acc =
      sn_vec3_add(sn_vec3_cross(parent->ang_acc, way), sn_vec3_cross(parent->ang, carried));
  const sn_vec3 own = sn_vec3_scale(axis, rate);
  motion m = *parent;
  m.lin = sn_vec3_add(m.lin, carried);
  m.lin_acc = sn_vec3_add(m.lin_acc, carried_acc);
  if (slides) {
    const sn_vec3 coriolis = sn_vec3_scale(sn_vec3_cross(parent->ang, own), 2.0);
    m.lin = sn_vec3_add(m.lin, own);
    m.lin_acc = sn_vec3_add(m.lin_acc, sn_vec3_add_scaled(coriolis, rate_acc, axis));
  } else {
    m.ang = sn_vec3_add(m.ang, own);
    m.ang_acc =
        sn_vec3_add(m.ang_acc, sn_vec3_add_scaled(sn_vec3_cross(parent->ang, own), rate_acc, axis));
  }
  return m;
}

static void move_bodies(sn_balance *b, const double *q, const double *qd, const double *qdd) {
  static const motion still;
  const sn_tree *tree = b->tree;
  sn_kin_update(b->kin, q);
  for (size_t i = 0; i < tree->body_count; i++) {
    const int p = tree->parent[i];
    b->pose[i] = sn_kin_body_pose(b->kin, (int)i);
    const sn_vec3 way = p < 0 ? b->pose[i].pos : sn_vec3_sub(b->pose[i].pos, b->pose[p].pos);
    b->moves[i] =
        next_motion(p < 0 ? &still : &b->moves[p], way, b->pose[i].rot.z, tree->prismatic[i],
                    tree->q_scale[i] * qd[tree->coord[i]], tree->q_scale[i] * qdd[tree->coord[i]]);
  }
}

/* Centre of mass, and its velocity relative to the base. */
static void find_com(const sn_balance *b, sn_vec3 *com, sn_vec3 *velocity) {
  sn_vec3 h = b->tree->base_inertia.h, momentum = {0, 0, 0};
  for (size_t i = 0; i < b->tree->body_count; i++) {
    const sn_inertia *inertia = &b->tree->inertia[i];
    const sn_vec3 arm = sn_mat3_apply(b->pose[i].rot, inertia->h);
    h = sn_vec3_add(h, sn_vec3_add_scaled(arm, inertia->mass_kg, b->pose[i].pos));
    const motion *m = &b->moves[i];
    momentum = sn_vec3_add(
        momentum, sn_vec3_add_scaled(sn_vec3_cross(m->ang, arm), inertia->mass_kg, m->lin));
  }
  const double per_mass = b->mass_kg > 0.0 ? 1.0 / b->mass_kg : 0.0;
  *com = sn_vec3_scale(h, per_mass);
  *velocity = sn_vec3_scale(momentum, per_mass);
}

/* ---- supports ---- */

static const sn_link *last_link(const sn_balance *b, size_t chain) {
  return sn_model_link(b->model, (size_t)sn_model_chain(b->model, chain, false)->last_link);
}

static double share_of(const sn_support *support) {
  return support->support > 0.0 ? fmin(support->support, 1.0) : 0.0; /* NaN counts as 0 */
}

/* One point of a contact: where it is, and how it moves relative to the base. */
static void add_point(sn_balance *b, int body, sn_vec3 place, double weight) {
  static const motion still;
  const motion *m = body < 0 ? &still : &b->moves[body];
  const sn_vec3 arm = body < 0 ? place : sn_vec3_sub(place, b->pose[body].pos);
  const sn_vec3 turn = sn_vec3_cross(m->ang, arm);
  const size_t i = b->point_count++;
  b->points[i] = (sn_contact_point){place, weight};
  b->velocity[i] = sn_vec3_add(m->lin, turn);
  b->acceleration[i] = sn_vec3_add(
      m->lin_acc, sn_vec3_add(sn_vec3_cross(m->ang_acc, arm), sn_vec3_cross(m->ang, turn)));
}

/* @return how many supports carry */
static size_t collect_points(sn_balance *b, const sn_balance_input *input) {
  SN_ASSERT(input->support_count <= b->chain_count);
  static const sn_vec3 origin;
  size_t carrying = 0;
  b->point_count = 0;
  for (size_t s = 0; s < input->support_count; s++) {
    const sn_support *support = &input->supports[s];
    const double share = share_of(support);
    b->first_point[s] = b->point_count;
    if (share > 0.0) {
      const sn_contact *contact =
          support->contact < 0 ? NULL : sn_model_contact(b->model, (size_t)support->contact);
      const size_t count = contact == NULL ? 1 : contact->point_count;
      const sn_link *link = last_link(b, support->chain);
      const sn_pose pose = link->body < 0 ? link->pose_body_link
                                          : sn_pose_mul(b->pose[link->body], link->pose_body_link);
      for (size_t k = 0; k < count; k++) {
        const sn_vec3 p = contact == NULL ? origin : contact->points[k];
        add_point(b, link->body, sn_pose_apply(pose, p), share / (double)count);
      }
      carrying++;
    }
  }
  b->first_point[input->support_count] = b->point_count;
  return carrying;
}

/* The base moves so that the points that carry do not. With the twist (ang, lin) of the base and
   the place p and velocity u of a point relative to it, its velocity is v = lin + ang x p + u, and
   its acceleration lin' + ang' x p + ang x v + ang x u + u'. */
static void move_base(sn_balance *b, sn_spatial *twist, sn_spatial *acceleration) {
  const sn__point_set set = sn__point_set_of(b->points, b->point_count);
  for (size_t i = 0; i < b->point_count; i++) {
    b->wanted[i] = sn_vec3_neg(b->velocity[i]);
  }
  *twist = sn__point_set_fit(&set, b->wanted);
  for (size_t i = 0; i < b->point_count; i++) {
    const sn_vec3 u = b->velocity[i];
    const sn_vec3 carried = sn_vec3_add(twist->lin, sn_vec3_cross(twist->ang, b->points[i].place));
    const sn_vec3 twice = sn_vec3_add(carried, sn_vec3_scale(u, 2.0));
    b->wanted[i] = sn_vec3_neg(sn_vec3_add(sn_vec3_cross(twist->ang, twice), b->acceleration[i]));
  }
  *acceleration = sn__point_set_fit(&set, b->wanted);
}

/* ---- joint torques ---- */

/* Wrench of a support about the mean of its points, and about the origin. */
static sn_spatial sum_forces(sn_balance *b, size_t support, sn_spatial *at_points) {
  const size_t first = b->first_point[support], end = b->first_point[support + 1];
  sn_spatial sum = sn_spatial_zero();
  sn_vec3 mean = {0, 0, 0};
  for (size_t i = first; i < end; i++) {
    const sn_vec3 place = b->points[i].place;
    sum.lin = sn_vec3_add(sum.lin, b->forces[i]);
    sum.ang = sn_vec3_add(sum.ang, sn_vec3_cross(place, b->forces[i]));
    mean = sn_vec3_add_scaled(mean, 1.0 / (double)(end - first), place);
  }
  *at_points = (sn_spatial){sn_vec3_sub(sum.ang, sn_vec3_cross(mean, sum.lin)), sum.lin};
  return sum;
}

/* The ground takes load off the joints above a foot: tau -= J^T wrench. */
static void relieve_joints(const sn_balance *b, int body, sn_spatial wrench, double *tau) {
  const sn_tree *tree = b->tree;
  for (int i = body; i >= 0; i = tree->parent[i]) {
    const sn_vec3 axis = b->pose[i].rot.z;
    const sn_vec3 torque = sn_vec3_sub(wrench.ang, sn_vec3_cross(b->pose[i].pos, wrench.lin));
    tau[tree->coord[i]] -=
        tree->q_scale[i] * sn_vec3_dot(axis, tree->prismatic[i] ? wrench.lin : torque);
  }
}

static void share_wrench(sn_balance *b, const sn_balance_input *input, sn_vec3 up, double *tau,
                         sn_balance_result *r) {
  const sn_contact_task task = {.points = b->points,
                                .point_count = b->point_count,
                                .normal = up,
                                .friction = input->friction,
                                .wrench = r->needed};
  sn_contact_outcome outcome;
  sn__contact_forces(&task, b->forces, &outcome);
  for (size_t s = 0; s < input->support_count; s++) {
    const sn_spatial wrench = sum_forces(b, s, &b->wrenches[s]);
    relieve_joints(b, last_link(b, input->supports[s].chain)->body, wrench, tau);
  }
  r->balanced = outcome.balanced;
  r->missing = outcome.missing;
  r->wrenches = b->wrenches;
}

static void find_support(sn_balance *b, sn_vec3 up, sn_balance_result *r) {
  sn_plane ground = {.normal = up};
  double weight = 0.0;
  for (size_t i = 0; i < b->point_count; i++) {
    b->places[i] = b->points[i].place;
    weight += b->points[i].weight;
    ground.height_m += b->points[i].weight * sn_vec3_dot(up, b->points[i].place);
  }
  r->corners = b->corners;
  if (b->point_count == 0) {
    return;
  }
  ground.height_m /= weight;
  r->corner_count = sn__support_polygon(ground, b->places, b->point_count, b->corners);
  r->has_zmp = sn__support_zmp(ground, r->needed, &r->zmp);
  if (r->has_zmp) {
    r->margin_m = sn__support_margin(ground, b->corners, r->corner_count, r->zmp);
  }
}

void sn__balance_step(sn_balance *b, const sn_balance_input *input, double *tau,
                      sn_balance_result *result) {
  const double *qd = input->qd == NULL ? b->zeros : input->qd;
  const double *qdd = input->qdd == NULL ? b->zeros : input->qdd;
  const double pull = sn_vec3_norm(input->gravity);
  SN_ASSERT(pull > 0.0);
  const sn_vec3 up = sn_vec3_scale(input->gravity, -1.0 / pull);
  sn_balance_result r = {.mass_kg = b->mass_kg};

  sn_vec3 com_velocity;
  move_bodies(b, input->q, qd, qdd);
  find_com(b, &r.com, &com_velocity);
  r.carrying_count = collect_points(b, input);
  if (r.carrying_count > 0 && !input->base_is_still) {
    move_base(b, &r.base_twist, &r.base_acceleration);
  } else if (!input->base_is_still && input->base_twist != NULL) {
    r.base_twist = *input->base_twist;
  }
  r.com_velocity = sn_vec3_add(
      com_velocity, sn_vec3_add(r.base_twist.lin, sn_vec3_cross(r.base_twist.ang, r.com)));

  const sn_base_state base = {.pose_world_base = sn_pose_identity(),
                              .twist = r.base_twist,
                              .acceleration = r.base_acceleration};
  const sn_dyn_world world = {.gravity = input->gravity, .base = &base};
  sn_dyn_inverse(b->dyn, &world, input->q, qd, qdd, tau, &r.needed);
  share_wrench(b, input, up, tau, &r);
  find_support(b, up, &r);
  if (result != NULL) {
    *result = r;
  }
}
