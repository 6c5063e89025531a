#include "ik/start_pose.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "math/halton.h"
#include "sinew/ik_solver.h"
#include "sinew/ik_velocity.h"
#include "sinew/kin.h"
#include "sinew/random.h"

enum { SAMPLES = 256, SHRINK_STEPS = 8 };

static const double half_turn = 3.141592653589793;
/* Sufficient distance to a limit: fraction of the half range, and its maximum. */
static const double room_part = 0.25, room_max = 0.35;
/* Sufficient smallest singular value, as a fraction of the largest one found. */
static const double singular_part = 0.6;
/* Weight of the distance from home against the quality of a pose, which is at most 1. */
static const double way_weight = 0.2;

typedef struct search {
  const sn_model *model;
  sn_kin_data *zero; /* the robot with all joints at zero */
  double *q;         /* [pose_size] the answer */
  bool *is_set;      /* [pose_size] */
} search;

/* One chain: vectors have joint_count entries. */
typedef struct limb {
  const sn_chain *chain;
  sn_ik_velocity *velocity;
  unsigned free_axes;
  bool *is_free;         /* this chain sets the joint */
  double *lower, *upper; /* where samples are drawn */
  double *home, *best, *trial, *speed;
  double singular_good; /* sufficient smallest singular value */
} limb;

static double clamp(double x, double lower, double upper) {
  return x < lower ? lower : x > upper ? upper : x;
}

static double margin_of(double lower, double upper) {
  return isfinite(upper - lower) ? fmin(0.5 * room_part * (upper - lower), room_max) : 0.0;
}

/* Zero, or the nearest value with enough distance to the limits. */
static double home_of(const sn_joint *joint) {
  const double margin = margin_of(joint->lower, joint->upper);
  return clamp(0.0, joint->lower + margin, joint->upper - margin);
}

static bool is_driven(const sn_joint *joint) {
  return joint->mimic < 0 && joint->type != SN_JOINT_FLOATING && joint->type != SN_JOINT_PLANAR;
}

/* 0 at a limit, 1 at the sufficient distance or more. */
static double room_of(const limb *l, const double *q) {
  double room = 1.0;
  for (size_t i = 0; i < l->chain->joint_count; i++) {
    const double margin = margin_of(l->chain->lower[i], l->chain->upper[i]);
    if (l->is_free[i] && margin > 0.0) {
      const double gap = fmin(q[i] - l->chain->lower[i], l->chain->upper[i] - q[i]);
      room = fmin(room, gap / margin);
    }
  }
  return room;
}

static double singular_of(limb *l, const double *q) {
  const sn_ik_velocity_query query = {.q = q, .free_axes = l->free_axes};
  sn_ik_velocity_result result = {0};
  return sn_ik_velocity_solve(l->velocity, &query, l->speed, &result) == SN_OK
             ? result.singular_value
             : 0.0;
}

/* Distance from home as a fraction of the ranges: 0 .. 1. */
static double way_of(const limb *l, const double *q) {
  double sum = 0.0;
  size_t count = 0;
  for (size_t i = 0; i < l->chain->joint_count; i++) {
    const double range = l->upper[i] - l->lower[i];
    if (l->is_free[i] && range > 0.0) {
      const double part = (q[i] - l->home[i]) / range;
      sum += part * part;
      count++;
    }
  }
  return count == 0 ? 0.0 : sqrt(sum / (double)count);
}

static double value_of(limb *l, const double *q) {
  const double good =
      l->singular_good > 0.0 ? fmin(singular_of(l, q) / l->singular_good, 1.0) : 1.0;
  return good * clamp(room_of(l, q), 0.0, 1.0) - way_weight * way_of(l, q);
}

static void consider(limb *l, double *best_value) {
  const double value = value_of(l, l->trial);
  if (value > *best_value) {
    *best_value = value;
    memcpy(l->best, l->trial, l->chain->joint_count * sizeof *l->best);
  }
}

/* Halton points, one prime for each joint; random values for further joints. */
static void draw(limb *l, size_t sample, sn_random *random) {
  static const size_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
  size_t k = 0;
  for (size_t i = 0; i < l->chain->joint_count; i++) {
    l->trial[i] = l->home[i];
    if (l->is_free[i]) {
      const double u = k < sizeof primes / sizeof *primes ? sn__radical_inverse(sample, primes[k])
                                                          : sn_random_unit(random);
      const double margin = margin_of(l->chain->lower[i], l->chain->upper[i]);
      const double lower = fmax(l->lower[i], l->chain->lower[i] + margin);
      const double upper = fmin(l->upper[i], l->chain->upper[i] - margin);
      l->trial[i] = lower + u * (upper - lower);
      k++;
    }
  }
}

/* Move back towards home, joint by joint, as long as the value improves. */
static void shrink(limb *l, double *best_value) {
  for (size_t i = 0; i < l->chain->joint_count; i++) {
    for (int step = 0; l->is_free[i] && step <= SHRINK_STEPS; step++) {
      memcpy(l->trial, l->best, l->chain->joint_count * sizeof *l->trial);
      const double part = (double)step / SHRINK_STEPS;
      l->trial[i] = l->home[i] + part * (l->best[i] - l->home[i]);
      consider(l, best_value);
    }
  }
}

/* The standard for this limb: the best of the samples. */
static void set_standard(limb *l, size_t samples) {
  sn_random random;
  sn_random_init(&random, 1);
  double most = singular_of(l, l->home);
  for (size_t sample = 1; sample <= samples; sample++) {
    draw(l, sample, &random);
    most = fmax(most, singular_of(l, l->trial));
  }
  l->singular_good =
      most > 1e-6 ? singular_part * most : 0.0; /* otherwise it is singular everywhere */
}

static void search_limb(limb *l) {
  const size_t n = l->chain->joint_count;
  const size_t samples = n <= 16 ? SAMPLES : SAMPLES / 8;
  sn_random random;
  sn_random_init(&random, 1);
  memcpy(l->best, l->home, n * sizeof *l->best);
  set_standard(l, samples);
  double best_value = value_of(l, l->home);
  if (best_value >= 1.0) {
    return;
  }
  for (size_t sample = 1; sample <= samples; sample++) { /* the first is the middle of the range */
    draw(l, sample, &random);
    consider(l, &best_value);
  }
  for (int round = 0; n <= 16 && round < 2; round++) {
    shrink(l, &best_value);
  }
}

/* Where a joint is with all joints at zero, in the frame of the root. */
typedef struct place {
  sn_vec3 origin, axis;
  bool slides;
} place;

static place place_of(const sn_kin_data *zero, const sn_model *model, int joint) {
  const sn_joint *j = sn_model_joint(model, (size_t)joint);
  const sn_pose pose = sn_kin_link_pose(zero, sn_model_link(model, (size_t)j->child_link));
  return (place){pose.pos, sn_mat3_apply(pose.rot, j->axis), j->type == SN_JOINT_PRISMATIC};
}

/* The diagonal of each map. */
static sn_vec3 map(int way, sn_vec3 v) {
  static const sn_vec3 signs[] = {{1, -1, 1}, {1, 1, 1}, {-1, 1, 1}, {-1, -1, 1}};
  return (sn_vec3){signs[way].x * v.x, signs[way].y * v.y, signs[way].z * v.z};
}

static bool is_mirror(int way) {
  return way == 0 || way == 2;
}

static sn_vec3 tip_of(const sn_kin_data *zero, const sn_model *model, const sn_chain *chain) {
  return sn_kin_link_pose(zero, sn_model_link(model, (size_t)chain->last_link)).pos;
}

/* Copy the pose of chain `from` to `out` if chain `to` is that chain shifted, or mirrored at a
   plane through the axes of the root: left and right, front and rear. Limits are not checked. */
static bool copy_mirrored(const sn_kin_data *zero, const sn_model *model, const sn_chain *from,
                          const sn_chain *to, int way, const double *q, double *out) {
  if (from->joint_count != to->joint_count) {
    return false;
  }
  const sn_vec3 tip_from = tip_of(zero, model, from), tip_to = tip_of(zero, model, to);
  const double tolerance_m = 1e-3;
  for (size_t i = 0; i < to->joint_count; i++) {
    const place a = place_of(zero, model, from->joints[i]);
    const place b = place_of(zero, model, to->joints[i]);
    const sn_vec3 expected = map(way, sn_vec3_sub(tip_from, a.origin));
    const sn_vec3 found = sn_vec3_sub(tip_to, b.origin);
    const double same = sn_vec3_dot(map(way, a.axis), b.axis);
    if (a.slides != b.slides || sn_vec3_norm(sn_vec3_sub(expected, found)) > tolerance_m ||
        fabs(fabs(same) - 1.0) > 1e-4) {
      return false;
    }
    /* A mirrored turn goes the other way about the mirrored axis. */
    const double sign = (same > 0.0) == (is_mirror(way) && !a.slides) ? -1.0 : 1.0;
    out[i] = sign * q[from->joints[i]] + 0.0; /* no -0 */
  }
  return true;
}

/* Copy the pose of an earlier limb of the same shape if the limits allow it. */
static bool copy_limb(const search *s, size_t chain, limb *l) {
  for (int way = 0; way < 4; way++) {
    for (size_t other = 0; other < chain; other++) {
      const sn_chain *from = sn_model_chain(s->model, other, true);
      if (copy_mirrored(s->zero, s->model, from, l->chain, way, s->q, l->best) &&
          room_of(l, l->best) >= 0.99) {
        return true;
      }
    }
  }
  return false;
}

static bool make_limb(sn_arena *scratch, const search *s, size_t chain, limb *l) {
  const sn_chain *c = sn_model_chain(s->model, chain, true);
  const size_t n = c->joint_count;
  double *values = SN_NEW(scratch, double, 6 * n);
  *l = (limb){.chain = c,
              .free_axes = n < 6 ? SN_IK_FREE_ROTATION : 0,
              .is_free = SN_NEW(scratch, bool, n),
              .lower = values,
              .upper = values + n,
              .home = values + 2 * n,
              .best = values + 3 * n,
              .trial = values + 4 * n,
              .speed = values + 5 * n};
  for (size_t i = 0; values != NULL && l->is_free != NULL && i < n; i++) {
    const sn_joint *joint = sn_model_joint(s->model, (size_t)c->joints[i]);
    l->is_free[i] = is_driven(joint) && !s->is_set[c->joints[i]];
    l->home[i] = s->is_set[c->joints[i]] ? s->q[c->joints[i]] : home_of(joint);
    l->lower[i] = fmax(c->lower[i], fmin(c->upper[i], half_turn) - 2.0 * half_turn);
    l->upper[i] = fmin(c->upper[i], l->lower[i] + 2.0 * half_turn);
  }
  return values != NULL && l->is_free != NULL;
}

static sn_status choose_limb(sn_arena *scratch, search *s, size_t chain, sn_error *err) {
  limb l;
  if (!make_limb(scratch, s, chain, &l)) {
    return sn__fail(err, SN_ENOMEM, "start pose: no memory");
  }
  const sn_ik_velocity_config config = {.chain = l.chain};
  const sn_status status = sn_ik_velocity_create(scratch, &config, &l.velocity, err);
  if (status == SN_ENOMEM) {
    return status;
  }
  if (status != SN_OK) { /* it has an undriven joint */
    memcpy(l.best, l.home, l.chain->joint_count * sizeof *l.best);
  } else if (!copy_limb(s, chain, &l)) {
    search_limb(&l);
  }
  for (size_t i = 0; i < l.chain->joint_count; i++) {
    const size_t joint = (size_t)l.chain->joints[i];
    if (l.is_free[i]) {
      s->q[joint] = l.best[i];
      s->is_set[joint] = true;
    }
  }
  return SN_OK;
}

/* Joints of no chain, other fingers, mimic joints. */
static void fill_rest(const search *s) {
  const size_t n = sn_model_pose_size(s->model);
  for (size_t i = 0; i < n; i++) {
    const sn_joint *joint = sn_model_joint(s->model, i);
    if (!s->is_set[i]) {
      s->q[i] = is_driven(joint) ? home_of(joint) : 0.0;
    }
  }
  for (size_t i = 0; i < n; i++) {
    double scale = 1.0, offset = 0.0;
    int joint = (int)i; /* masters may mimic others */
    for (const sn_joint *j = sn_model_joint(s->model, i); j->mimic >= 0;
         j = sn_model_joint(s->model, (size_t)joint)) {
      offset += scale * j->mimic_offset;
      scale *= j->mimic_multiplier;
      joint = j->mimic;
    }
    s->q[i] = joint == (int)i ? s->q[i] : scale * s->q[joint] + offset;
  }
}

static sn_status choose(sn_arena *scratch, search *s, sn_error *err) {
  const size_t n = sn_model_pose_size(s->model);
  double *zeros = SN_NEW(scratch, double, n);
  s->is_set = SN_NEW(scratch, bool, n);
  if (zeros == NULL || s->is_set == NULL) {
    return sn__fail(err, SN_ENOMEM, "start pose: no memory");
  }
  sn_status status = sn_kin_create(scratch, sn_model_tree(s->model), &s->zero, err);
  if (status == SN_OK) {
    memset(s->q, 0, n * sizeof *s->q);
    sn_kin_update(s->zero, zeros);
  }
  for (size_t i = 0; status == SN_OK && i < sn_names_count(sn_model_chain_names(s->model)); i++) {
    const sn_arena_mark mark = sn_arena_save(scratch);
    status = choose_limb(scratch, s, i, err);
    sn_arena_restore(scratch, mark);
  }
  if (status == SN_OK) {
    fill_rest(s);
  }
  return status;
}

sn_status sn__start_pose(sn_arena *scratch, const sn_model *model, double *q, sn_error *err) {
  const sn_arena_mark mark = sn_arena_save(scratch);
  search s = {.model = model, .q = q};
  const sn_status status = choose(scratch, &s, err);
  sn_arena_restore(scratch, mark);
  return status;
}
