#include "legs/leg_fit.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "legs/least_squares.h"
#include "math/halton.h"

enum { SEEDS = 14, ROWS_MAX = SN__LEG_JOINTS_MAX + SN__LEG_POINTS_MAX + 6, LEVEL_JOINTS_MIN = 5 };

static const double HALF_TURN = 3.141592653589793;
/* The best distance to a limit, as for start poses: a part of the half range, at most this. */
static const double ROOM_PART = 0.25, ROOM_MAX = 0.35;
/* Weights of distances from the plane and the place, in lengths of the leg; of joints from home, in
 * rad. */
static const double WEIGHT_PLANE = 100.0, WEIGHT_LOW = 10.0, WEIGHT_PLACE = 3.0, WEIGHT_HOME = 0.1,
                    WEIGHT_LEVEL = 1.0, WEIGHT_AHEAD = 0.5;
static const double SOLE_M = 2e-3; /* points this close in height are on one sole */
/* Weight of the direction of the knees, which decides between poses of the same quality. */
static const double WEIGHT_KNEES = 0.1;

/* ---- geometry ---- */

static void place(sn__leg_fit *fit, const double *q) {
  for (size_t i = 0; i < fit->count; i++) {
    fit->chain_q[fit->joint[i]] = q[i];
  }
  sn_kin_update(fit->kin, fit->chain_q);
}

static sn_pose body_pose(const sn__leg_fit *fit, int body) {
  return sn_pose_mul(fit->pose_base_first, sn_kin_body_pose(fit->kin, body));
}

static int last_body(const sn__leg_fit *fit) {
  return (int)fit->chain->tree.body_count - 1;
}

sn_pose sn__leg_fit_foot(const sn__leg_fit *fit, sn_vec3 *points) {
  const sn_pose tip = sn_pose_mul(body_pose(fit, last_body(fit)), fit->chain->pose_body_tip);
  for (size_t i = 0; i < fit->point_count; i++) {
    points[i] = sn_pose_apply(tip, fit->points[i]);
    points[i].z -= fit->radius;
  }
  return tip;
}

static sn_vec3 mean_of(const sn_vec3 *points, size_t count) {
  sn_vec3 sum = {0, 0, 0};
  for (size_t i = 0; i < count; i++) {
    sum = sn_vec3_add(sum, points[i]);
  }
  return sn_vec3_scale(sum, 1.0 / (double)count);
}

double sn__leg_fit_astray(const sn__leg_fit *fit, sn_vec3 shift) {
  sn_vec3 points[SN__LEG_POINTS_MAX];
  (void)sn__leg_fit_foot(fit, points);
  const sn_vec3 off =
      sn_vec3_sub(sn_vec3_sub(mean_of(points, fit->point_count), shift), fit->below);
  return hypot(off.x, off.y) / fit->length_m;
}

double sn__leg_fit_drop(const sn__leg_fit *fit) {
  sn_vec3 points[SN__LEG_POINTS_MAX];
  (void)sn__leg_fit_foot(fit, points);
  return fit->hip.z - mean_of(points, fit->point_count).z;
}

/* ---- the fit ---- */

typedef struct problem {
  sn__leg_fit *fit;
  const sn__foothold *goal;
  const double *near;  /* NULL: home */
  double plane, joint; /* weights */
} problem;

/* The points of the foot on the plane, or all at the same height and as low as possible. */
static size_t add_plane(const problem *p, const sn_vec3 *points, double *r) {
  const sn__leg_fit *fit = p->fit;
  const double scale = p->plane / fit->length_m;
  const double mean = mean_of(points, fit->point_count).z;
  for (size_t i = 0; i < fit->point_count; i++) {
    const double level = p->goal->reaches_down ? -mean : p->goal->height_m;
    r[i] = scale * (points[i].z + level);
  }
  r[fit->point_count] =
      p->goal->reaches_down ? WEIGHT_LOW * ((mean - fit->hip.z) / fit->length_m + 2.0) : 0.0;
  return fit->point_count + 1;
}

/* A foot that can turn has the orientation of the zero pose. */
static size_t add_level(const problem *p, sn_mat3 rot, double *r) {
  const bool can_turn = p->fit->count >= LEVEL_JOINTS_MIN;
  const sn_vec3 up = sn_mat3_apply(rot, p->fit->up);
  r[0] = can_turn ? WEIGHT_LEVEL * up.x : 0.0;
  r[1] = can_turn ? WEIGHT_LEVEL * up.y : 0.0;
  r[2] = can_turn ? WEIGHT_AHEAD * sn_mat3_apply(rot, p->fit->ahead).y : 0.0;
  return 3;
}

/* The foot where it should be, seen from above. */
static size_t add_place(const problem *p, sn_vec3 foot, double *r) {
  const sn_vec3 off = sn_vec3_sub(sn_vec3_sub(foot, p->goal->shift), p->fit->below);
  r[0] = WEIGHT_PLACE * off.x / p->fit->length_m;
  r[1] = WEIGHT_PLACE * off.y / p->fit->length_m;
  return 2;
}

static size_t evaluate(void *context, const double *q, double *r) {
  const problem *p = context;
  sn__leg_fit *fit = p->fit;
  sn_vec3 points[SN__LEG_POINTS_MAX];
  place(fit, q);
  const sn_pose tip = sn__leg_fit_foot(fit, points);
  size_t rows = add_plane(p, points, r);
  rows += add_level(p, tip.rot, r + rows);
  if (p->near == NULL) {
    rows += add_place(p, mean_of(points, fit->point_count), r + rows);
  }
  const double *near = p->near == NULL ? fit->home : p->near;
  for (size_t i = 0; i < fit->count; i++) {
    r[rows++] = p->joint * (q[i] - near[i]);
  }
  return rows;
}

static double solve(const problem *p, double *q) {
  double rows[ROWS_MAX], jac[ROWS_MAX * SN__LEG_JOINTS_MAX];
  const sn__least_squares task = {.count = p->fit->count,
                                  .lower = p->fit->lower,
                                  .upper = p->fit->upper,
                                  .evaluate = evaluate,
                                  .context = (void *)p,
                                  .rows = rows,
                                  .jac = jac};
  const double cost = sn__least_squares_solve(&task, q);
  place(p->fit, q);
  return cost;
}

static problem problem_of(sn__leg_fit *fit, const sn__foothold *goal) {
  return (problem){.fit = fit, .goal = goal, .plane = WEIGHT_PLANE, .joint = WEIGHT_HOME};
}

void sn__leg_fit_refine(sn__leg_fit *fit, const sn__foothold *goal) {
  const problem p = problem_of(fit, goal);
  (void)solve(&p, fit->q);
}

double sn__leg_fit_touch(sn__leg_fit *fit, double height_m) {
  enum { ROUNDS = 4 };
  const sn__foothold goal = {.height_m = height_m};
  double near[SN__LEG_JOINTS_MAX];
  for (int i = 0; i < ROUNDS; i++) {
    memcpy(near, fit->q, sizeof near);
    const problem p = {
        .fit = fit, .goal = &goal, .near = near, .plane = WEIGHT_PLANE, .joint = 1e-3};
    (void)solve(&p, fit->q);
  }
  sn_vec3 points[SN__LEG_POINTS_MAX];
  double most = 0.0;
  (void)sn__leg_fit_foot(fit, points);
  for (size_t i = 0; i < fit->point_count; i++) {
    most = fmax(most, fabs(points[i].z + height_m));
  }
  return most;
}

/* ---- seeds ---- */

/* Where the joints between hip and foot are, against where they should be. */
static double knees_of(const sn__leg_fit *fit) {
  sn_vec3 points[SN__LEG_POINTS_MAX];
  (void)sn__leg_fit_foot(fit, points);
  const sn_vec3 foot = mean_of(points, fit->point_count);
  double most = 0.0;
  for (size_t i = 0; i < fit->chain->tree.body_count; i++) {
    const sn_vec3 knee = body_pose(fit, (int)i).pos;
    const double part = fmin(fmax((fit->hip.z - knee.z) / (fit->hip.z - foot.z + 1e-9), 0.0), 1.0);
    const sn_vec3 line = sn_vec3_add_scaled(fit->hip, part, sn_vec3_sub(foot, fit->hip));
    const double bend = sn_vec3_dot(sn_vec3_sub(knee, line), fit->knees) / fit->length_m;
    most = fabs(bend) > fabs(most) ? bend : most;
  }
  return most;
}

/* Pose 0 is home, pose 1 the last answer, the others are spread over the ranges. */
static void draw(const sn__leg_fit *fit, size_t seed, double *q) {
  static const size_t primes[SN__LEG_JOINTS_MAX] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  for (size_t i = 0; i < fit->count; i++) {
    const double lower = fmax(fit->lower[i], fit->home[i] - 0.5 * HALF_TURN);
    const double upper = fmin(fit->upper[i], fit->home[i] + 0.5 * HALF_TURN);
    q[i] = seed == 0   ? fit->home[i]
           : seed == 1 ? fit->q[i]
                       : lower + sn__radical_inverse(seed - 1, primes[i]) * (upper - lower);
  }
}

void sn__leg_fit_search(sn__leg_fit *fit, const sn__foothold *goal) {
  const problem p = problem_of(fit, goal);
  double best[SN__LEG_JOINTS_MAX] = {0}, q[SN__LEG_JOINTS_MAX];
  double least = HUGE_VAL;
  for (size_t seed = 0; seed < SEEDS; seed++) {
    draw(fit, seed, q);
    const double cost = solve(&p, q) - WEIGHT_KNEES * knees_of(fit);
    if (cost < least - 1e-9) {
      least = cost;
      memcpy(best, q, sizeof best);
    }
  }
  memcpy(fit->q, best, sizeof best);
  place(fit, fit->q);
}

/* ---- creation ---- */

static double clamp(double x, double lower, double upper) {
  return fmin(fmax(x, lower), upper);
}

/* The joint that divides the leg best. */
static int find_knee(const sn__leg_fit *fit, sn_vec3 foot) {
  int knee = 0;
  double most = -1.0;
  for (int i = 0; i <= last_body(fit); i++) {
    const sn_vec3 at = body_pose(fit, i).pos;
    const double share =
        fmin(sn_vec3_norm(sn_vec3_sub(at, fit->hip)), sn_vec3_norm(sn_vec3_sub(foot, at)));
    if (share > most + 1e-9) {
      most = share;
      knee = i;
    }
  }
  return knee;
}

/* Below the first joint that is parallel to the knee, in the plane in which the knee moves the
 * foot: what the leg is built sideways of its hip stays so. */
static void find_below(sn__leg_fit *fit) {
  sn_vec3 points[SN__LEG_POINTS_MAX];
  place(fit, fit->home);
  (void)sn__leg_fit_foot(fit, points);
  const sn_vec3 foot = mean_of(points, fit->point_count);
  const int knee = find_knee(fit, foot);
  const sn_vec3 axis = body_pose(fit, knee).rot.z;
  int pitch = 0;
  while (pitch < knee && fabs(sn_vec3_dot(body_pose(fit, pitch).rot.z, axis)) < 0.99) {
    pitch++;
  }
  const sn_vec3 at = body_pose(fit, pitch).pos;
  const double aside = sn_vec3_dot(sn_vec3_sub(foot, at), axis);
  fit->below = fabs(axis.z) < 0.5 ? sn_vec3_add_scaled(at, aside, axis) : fit->hip;
}

void sn__leg_fit_tighten(sn__leg_fit *fit, const double *lower, const double *upper) {
  for (size_t i = 0; i < fit->count; i++) {
    const int joint = fit->chain->joints[fit->joint[i]];
    const double least = fmax(fit->hard_lower[i], lower[joint]);
    const double most = fmin(fit->hard_upper[i], upper[joint]);
    if (least <= most) {
      fit->hard_lower[i] = least;
      fit->hard_upper[i] = most;
    }
  }
}

void sn__leg_fit_limit(sn__leg_fit *fit, double margin_part) {
  for (size_t i = 0; i < fit->count; i++) {
    const double lower = fit->hard_lower[i], upper = fit->hard_upper[i];
    const double range = upper - lower;
    const double room =
        isfinite(range) ? margin_part * fmin(0.5 * ROOM_PART * range, ROOM_MAX) : 0.0;
    fit->lower[i] = lower + room;
    fit->upper[i] = upper - room;
    fit->home[i] = clamp(0.0, fit->lower[i], fit->upper[i]);
    fit->q[i] = clamp(fit->q[i], fit->lower[i], fit->upper[i]);
  }
  find_below(fit);
}

/* Contacts may have points below the sole, to state which rotations they allow: the foot touches
 * with the highest ones. A point on a sphere of the last link becomes its centre. */
static void take_points(const sn_model *model, const sn_contact *contact, sn__leg_fit *fit) {
  const sn_link *tip = sn_model_link(model, (size_t)fit->chain->last_link);
  double highest = -HUGE_VAL;
  for (size_t i = 0; i < contact->point_count; i++) {
    highest = fmax(highest, sn_vec3_dot(contact->points[i], fit->up));
  }
  for (size_t i = 0; i < contact->point_count && fit->point_count < SN__LEG_POINTS_MAX; i++) {
    if (sn_vec3_dot(contact->points[i], fit->up) >= highest - SOLE_M) {
      fit->points[fit->point_count++] = contact->points[i];
    }
  }
  for (size_t i = 0; i < tip->shape_count && contact->point_count == 1; i++) {
    const sn_shape *shape = &tip->shapes[i];
    const sn_vec3 centre = shape->pose_link_shape.pos;
    const double far = sn_vec3_norm(sn_vec3_sub(contact->points[0], centre));
    if (shape->kind == SN_SHAPE_SPHERE && fabs(far - shape->radius) < 1e-6) {
      fit->points[0] = centre;
      fit->radius = shape->radius;
    }
  }
}

/* The stretched length from the first moved joint on. */
static double measure(const sn__leg_fit *fit, size_t first_body) {
  const sn_tree *tree = &fit->chain->tree;
  double length = 0.0;
  for (size_t i = first_body + 1; i < tree->body_count; i++) {
    length += sn_vec3_norm(tree->pose_parent_joint[i].pos);
  }
  return length + sn_vec3_norm(sn_pose_apply(fit->chain->pose_body_tip, fit->points[0]));
}

static size_t body_of(const sn__leg_fit *fit, size_t joint) {
  const sn_tree *tree = &fit->chain->tree;
  size_t body = 0;
  while (body + 1 < tree->body_count && tree->coord[body] != (int)joint) {
    body++;
  }
  return body;
}

/* Moved joints: those that the chain owns and that follow no other. */
static size_t list_joints(const sn_model *model, size_t chain, sn__leg_fit *fit) {
  size_t count = 0;
  for (size_t i = 0; i < fit->chain->joint_count; i++) {
    const sn_joint *joint = sn_model_joint(model, (size_t)fit->chain->joints[i]);
    const bool is_driven = joint->mimic < 0 && joint->body >= 0;
    if (is_driven && joint->chain == (int)chain) {
      if (count < SN__LEG_JOINTS_MAX) {
        fit->joint[count] = i;
      }
      count++;
    }
  }
  return count;
}

/* Up and ahead in the frame of a link, with all joints at zero. */
static void look_at_zero(const sn_model *model, int link, sn_vec3 *up, sn_vec3 *ahead) {
  sn_mat3 rot = sn_mat3_identity();
  for (int joint = sn_model_link(model, (size_t)link)->parent_joint; joint >= 0;
       joint = sn_model_link(model, (size_t)link)->parent_joint) {
    const sn_joint *j = sn_model_joint(model, (size_t)joint);
    rot = sn_mat3_mul(j->pose_parent_joint.rot, rot);
    link = j->parent_link;
  }
  *up = sn_mat3_apply_transposed(rot, sn_vec3_make(0, 0, 1));
  *ahead = sn_mat3_apply_transposed(rot, sn_vec3_make(1, 0, 0));
}

sn_status sn__leg_fit_create(sn_arena *arena, const sn_model *model, size_t chain,
                             const sn_kin_data *kin, const double *q, sn__leg_fit *fit,
                             sn_error *err) {
  const sn_chain *c = sn_model_chain(model, chain, false);
  const int contact = sn_model_chain_default_contact(model, chain);
  const char *name = sn_names_at(sn_model_chain_names(model), chain);
  *fit = (sn__leg_fit){.chain = c, .chain_q = SN_NEW(arena, double, c->joint_count + 1)};
  fit->pose_base_first = sn_kin_link_pose(kin, sn_model_link(model, (size_t)c->first_link));
  if (fit->chain_q == NULL || sn_kin_create(arena, &c->tree, &fit->kin, NULL) != SN_OK) {
    return sn__fail(err, SN_ENOMEM, "legs: no memory");
  }
  fit->count = list_joints(model, chain, fit);
  if (fit->count == 0 || fit->count > SN__LEG_JOINTS_MAX) {
    return sn__fail(err, SN_ENOENT, "chain '%.80s' has %zu joints, a leg has 1 to %d", name,
                    fit->count, SN__LEG_JOINTS_MAX);
  }
  for (size_t i = 0; i < c->joint_count; i++) {
    fit->chain_q[i] = q[c->joints[i]];
  }
  for (size_t i = 0; i < fit->count; i++) {
    fit->q[i] = fit->chain_q[fit->joint[i]];
    fit->hard_lower[i] = c->lower[fit->joint[i]];
    fit->hard_upper[i] = c->upper[fit->joint[i]];
  }
  look_at_zero(model, c->last_link, &fit->up, &fit->ahead);
  take_points(model, sn_model_contact(model, (size_t)contact), fit);
  const size_t first = body_of(fit, fit->joint[0]);
  fit->length_m = fmax(measure(fit, first), 1e-6);
  place(fit, fit->q);
  fit->hip = body_pose(fit, (int)first).pos;
  return SN_OK;
}
