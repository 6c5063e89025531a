#include "controllers/jog/tool_bounds.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "ik/serial.h"
#include "math/eigen.h"
#include "sinew/kin.h"

/* Below this a singular value is rounding: nothing moves along its direction. */
static const double SINGULAR_ZERO = 1e-6;
/* Where a direction counts as lost, the joints slow down exponentially; before, with a constant
   deceleration. */
static const double SINGULAR_NEAR = 0.1;
/* Where they come to rest, so that it is known how to get out again. */
static const double SINGULAR_REST = 2e-3;
/* A singular value that grows by less with the joints is not changed by them. */
static const double GROWTH_MIN = 0.1;
/* Of joints, rad or m, for a derivative. */
static const double DIFFERENCE = 1e-5;
/* Share of the acceleration of the joints that this may take. */
static const double SINGULAR_SHARE = 0.3;
/* A bound that takes less of a twist is not worth a word. */
static const double TOLERANCE = 1e-9;

sn_status sn__tool_bounds_create(sn_arena *arena, const sn_chain *chain, sn__tool_bounds *out,
                                 sn_error *err) {
  const size_t n = chain->joint_count;
  const size_t most = 2 * (6 + n) + 1;
  *out = (sn__tool_bounds){.chain = chain,
                           .length_m = sn__serial_length(chain),
                           .is_positional = n < 6,
                           .jac = SN_NEW(arena, double, 15 * n),
                           .bounds = SN_NEW(arena, sn__tool_bound, most),
                           .rows = SN_NEW(arena, sn__qp_row, most),
                           .multipliers = SN_NEW(arena, double, most)};
  if (out->jac == NULL || out->bounds == NULL || out->rows == NULL || out->multipliers == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", n);
  }
  out->jac_ahead = out->jac + 6 * n;
  out->direction = out->jac + 12 * n;
  out->place = out->jac + 13 * n;
  out->q = out->jac + 14 * n;
  return sn__qp_create(arena, 6, most, &out->qp, err);
}

static double dot(const double *a, const double *b) {
  double sum = 0.0;
  for (size_t i = 0; i < 6; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

static void to_array(const sn__tool_bounds *b, sn_spatial twist, double v[6]) {
  v[0] = twist.ang.x, v[1] = twist.ang.y, v[2] = twist.ang.z;
  v[3] = twist.lin.x / b->length_m;
  v[4] = twist.lin.y / b->length_m;
  v[5] = twist.lin.z / b->length_m;
}

static sn_spatial to_spatial(const sn__tool_bounds *b, const double v[6]) {
  return (sn_spatial){{v[0], v[1], v[2]},
                      {v[3] * b->length_m, v[4] * b->length_m, v[5] * b->length_m}};
}

/* ---- the Jacobian ---- */

static void column(const sn__tool_bounds *b, size_t joint, double out[6]) {
  for (size_t r = 0; r < 6; r++) {
    out[r] = b->jac[r * b->chain->joint_count + joint];
  }
}

void sn__tool_bounds_update(sn__tool_bounds *b, const double *q, sn_pose *pose) {
  const size_t n = b->chain->joint_count;
  memcpy(b->q, q, n * sizeof *b->q);
  sn_chain_fk_jacobian(b->chain, q, pose, b->jac);
  for (size_t i = 0; i < 3 * n; i++) {
    b->jac[3 * n + i] /= b->length_m;
    b->jac[i] = b->is_positional ? 0.0 : b->jac[i];
  }
  double gram[36] = {0.0};
  for (size_t j = 0; j < n; j++) {
    double c[6];
    column(b, j, c);
    for (size_t i = 0; i < 36; i++) {
      gram[i] += c[i / 6] * c[i % 6];
    }
  }
  sn__eigen_symmetric(6, gram, b->singular, b->axes);
  for (size_t i = 0; i < 6; i++) {
    b->singular[i] = sqrt(fmax(b->singular[i], 0.0));
  }
}

/* (J J^T)^-1 v, without the directions that are lost. */
static void invert_gram(const sn__tool_bounds *b, const double v[6], double out[6]) {
  memset(out, 0, 6 * sizeof *out);
  for (size_t i = 0; i < 6; i++) {
    const double s = b->singular[i];
    double axis[6];
    for (size_t r = 0; r < 6; r++) {
      axis[r] = b->axes[r * 6 + i];
    }
    const double along = s > SINGULAR_ZERO ? dot(axis, v) / (s * s) : 0.0;
    for (size_t r = 0; r < 6; r++) {
      out[r] += along * axis[r];
    }
  }
}

void sn__tool_bounds_solve(const sn__tool_bounds *b, sn_spatial twist, double *qd) {
  double v[6];
  double x[6];
  to_array(b, twist, v);
  invert_gram(b, v, x);
  for (size_t j = 0; j < b->chain->joint_count; j++) {
    double c[6];
    column(b, j, c);
    qd[j] = dot(c, x);
  }
}

sn_spatial sn__tool_bounds_twist(const sn__tool_bounds *b, const sn__jog_joint *joints) {
  double v[6] = {0.0};
  for (size_t j = 0; j < b->chain->joint_count; j++) {
    for (size_t r = 0; r < 6; r++) {
      v[r] += b->jac[r * b->chain->joint_count + j] * joints[j].qd;
    }
  }
  return to_spatial(b, v);
}

/* ---- bounds ---- */

/* In the direction of the normal, or against it. */
static void add_bound(sn__tool_bounds *b, const double normal[6], double sign,
                      const sn__tool_bound *like) {
  sn__tool_bound *bound = &b->bounds[b->count++];
  *bound = *like;
  for (size_t r = 0; r < 6; r++) {
    bound->normal[r] = sign * normal[r];
  }
}

static double slowest_acceleration(const sn__tool_bounds *b, const sn__jog_joint *joints) {
  double least = INFINITY;
  for (size_t j = 0; j < b->chain->joint_count; j++) {
    least = fmin(least, joints[j].limits.acceleration);
  }
  return SINGULAR_SHARE * least;
}

/* How fast joints may move along a direction with this singular value. It changes by at most as
   much as they move, so they can stop where the direction is lost.
   @param growth  of the singular value, as they move */
static double singular_speed(double singular, double acceleration, double growth) {
  const double near = SINGULAR_NEAR * acceleration; /* squared speed at that place */
  if (singular >= SINGULAR_NEAR) {
    return sqrt(near + 2.0 * acceleration * (singular - SINGULAR_NEAR));
  }
  if (growth > GROWTH_MIN) {
    return sqrt(near); /* out of it */
  }
  const double rest = growth < -GROWTH_MIN ? SINGULAR_REST : 0.0;
  return sqrt(near) * fmax(singular - rest, 0.0) / (SINGULAR_NEAR - rest);
}

/* The derivative of a singular value, where the joints move along its own direction: u' dJ v, by a
   difference. */
static double growth_of(sn__tool_bounds *b, const double axis[6], double singular) {
  const size_t n = b->chain->joint_count;
  double along[6] = {0.0};
  sn_pose pose;
  for (size_t j = 0; j < n; j++) {
    double c[6];
    column(b, j, c);
    b->direction[j] = dot(c, axis) / singular;
    b->place[j] = b->q[j] + DIFFERENCE * b->direction[j];
  }
  sn_chain_fk_jacobian(b->chain, b->place, &pose, b->jac_ahead);
  for (size_t r = 0; r < 6; r++) {
    const double unit = r < 3 ? (b->is_positional ? 0.0 : 1.0) : 1.0 / b->length_m;
    for (size_t j = 0; j < n; j++) {
      const size_t at = r * n + j;
      along[r] += (unit * b->jac_ahead[at] - b->jac[at]) * b->direction[j];
    }
  }
  return dot(along, axis) / DIFFERENCE;
}

static void add_singular(sn__tool_bounds *b, const sn__jog_joint *joints) {
  const double acceleration = slowest_acceleration(b, joints);
  for (size_t i = 0; i < 6; i++) {
    const double s = b->singular[i];
    double normal[6];
    for (size_t r = 0; r < 6; r++) {
      normal[r] = b->axes[r * 6 + i];
    }
    const bool is_lost = s <= SINGULAR_ZERO;
    const double growth = is_lost || s >= SINGULAR_NEAR ? 0.0 : growth_of(b, normal, s);
    for (int way = -1; way <= 1; way += 2) {
      const sn__tool_bound like = {
          .most = is_lost ? 0.0 : s * singular_speed(s, acceleration, way * growth),
          .reason = SN__JOG_SINGULAR,
          .joint = -1};
      add_bound(b, normal, way, &like);
    }
  }
}

/* How a twist moves one joint, and how fast that may go towards its limits. */
static void add_limits(sn__tool_bounds *b, const sn__jog_joint *joint, size_t index) {
  double c[6];
  double normal[6];
  column(b, index, c);
  invert_gram(b, c, normal);
  for (int way = -1; way <= 1; way += 2) {
    const double most = sn__jog_speed_max(joint, way);
    if (isfinite(most)) {
      const sn__tool_bound like = {.most = most, .reason = SN__JOG_LIMIT, .joint = (int)index};
      add_bound(b, normal, way, &like);
    }
  }
}

/* How a twist approaches the obstacle. */
static void add_obstacle(sn__tool_bounds *b) {
  double all[6] = {0.0};
  double normal[6];
  for (size_t j = 0; j < b->chain->joint_count; j++) {
    double c[6];
    column(b, j, c);
    for (size_t r = 0; r < 6; r++) {
      all[r] += b->approach[j] * c[r];
    }
  }
  invert_gram(b, all, normal);
  const sn__tool_bound like = {.most = b->approach_max, .reason = SN__JOG_OBSTACLE, .joint = -1};
  add_bound(b, normal, 1.0, &like);
}

/* ---- projection ---- */

/* The parts of a twist that may change: entries first .. first + count - 1. */
typedef struct part {
  size_t first, count;
} part;

/* Rows of the quadratic programme. What does not change uses up some of a bound, but never more
   than all of it: no motion at all is always within the bounds. */
static void write_rows(sn__tool_bounds *b, part may, const double v[6]) {
  for (size_t i = 0; i < b->count; i++) {
    const sn__tool_bound *bound = &b->bounds[i];
    double most = bound->most;
    for (size_t r = 0; r < 6; r++) {
      most -= r < may.first || r >= may.first + may.count ? bound->normal[r] * v[r] : 0.0;
    }
    b->rows[i] = (sn__qp_row){.values = bound->normal + may.first,
                              .count = may.count,
                              .lower = -INFINITY,
                              .upper = fmax(most, 0.0)};
  }
}

/* Only rounding errors keep the programme from being solved. Then the part is as long as all
   bounds allow. */
static void scale_down(const sn__tool_bounds *b, part may, const double *v, double *x) {
  double share = 1.0;
  for (size_t i = 0; i < b->count; i++) {
    double along = 0.0;
    for (size_t r = 0; r < may.count; r++) {
      along += b->rows[i].values[r] * v[may.first + r];
    }
    share = along > b->rows[i].upper ? fmin(share, b->rows[i].upper / along) : share;
  }
  for (size_t r = 0; r < may.count; r++) {
    x[r] = share * v[may.first + r];
  }
}

/* The bound that takes most, by its multiplier. */
static const sn__tool_bound *strongest(const sn__tool_bounds *b) {
  const sn__tool_bound *found = NULL;
  double most = TOLERANCE;
  for (size_t i = 0; i < b->count; i++) {
    const double *n = b->bounds[i].normal;
    const double takes = -b->multipliers[i] * sqrt(dot(n, n));
    if (takes > most) {
      most = takes;
      found = &b->bounds[i];
    }
  }
  return found;
}

/* The nearest twist within all bounds. It depends continuously on them: a sequence of projections
   onto one bound after the other would not, and joints that follow it would swing. */
static const sn__tool_bound *project(sn__tool_bounds *b, part may, double v[6]) {
  double hessian[36] = {0.0};
  double gradient[6];
  double x[6];
  for (size_t r = 0; r < may.count; r++) {
    hessian[r * may.count + r] = 1.0;
    gradient[r] = -v[may.first + r];
  }
  write_rows(b, may, v);
  const sn__qp_task task = {.variable_count = may.count,
                            .row_count = b->count,
                            .hessian = hessian,
                            .gradient = gradient,
                            .rows = b->rows};
  sn__qp_result result;
  if (!sn__qp_solve(b->qp, &task, x, b->multipliers, &result)) {
    scale_down(b, may, v, x);
  }
  memcpy(v + may.first, x, may.count * sizeof *x);
  return strongest(b);
}

const sn__tool_bound *sn__tool_bounds_apply(sn__tool_bounds *b, const sn__jog_joint *joints,
                                            sn_spatial *twist, bool may_turn, bool may_shift) {
  const part may = {may_turn ? 0 : 3, may_turn && may_shift ? 6 : 3};
  double v[6];
  to_array(b, *twist, v);
  b->count = 0;
  add_singular(b, joints);
  for (size_t j = 0; j < b->chain->joint_count; j++) {
    add_limits(b, &joints[j], j);
  }
  if (b->approach != NULL) {
    add_obstacle(b);
  }
  const sn__tool_bound *bound = project(b, may, v);
  *twist = to_spatial(b, v);
  return bound;
}
