/* A plan that is stretched in time loses the accelerations that balanced it. The body is shifted
   such that the zero-moment point is above the feet again: the cart-table model (Kajita et al.,
   "Biped walking pattern generation by using preview control of zero-moment point", 2003) says
   shift - height / g * shift'' = change of the zero-moment point; with a shift of 0 at both ends
   that is a tridiagonal system. */
#include "steps/step_shift.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "dyn/support_polygon.h"
#include "legs/shape_points.h"
#include "sinew/kin.h"
#include "steps/step_solve.h"

enum { JOINTS_MAX = 64, SWEEPS = 20, ROUNDS = 3, REDUCTIONS = 60, LOCAL_REDUCTIONS = 45 };
/* The longest shift is a part of the height of the centre of mass. */
static const double GRAVITY = 9.81, SHIFT_MAX = 0.5, BLUR_S = 0.04, REDUCTION_S = 0.25,
                    REDUCTION = 0.1;
static const sn_plane GROUND = {{0, 0, 1}, 0.0};

typedef struct shifting {
  sn__step_plan *plan;
  const sn__step_plan_config *config;
  size_t joint_count;
  double *qd, *qdd, *tau, *pivot;
  sn_vec3 *wanted, *blurred; /* further change of the zero-moment point */
  sn_vec3 *change;           /* of the zero-moment point, by the shift */
  double height_m;
} shifting;

static sn_vec3 middle_of(const sn_vec3 *corners, size_t count) {
  sn_vec3 sum = {0, 0, 0};
  for (size_t i = 0; i < count; i++) {
    sum = sn_vec3_add_scaled(sum, 1.0 / (double)count, corners[i]);
  }
  return sum;
}

/* By which a point is less than a margin inside of an edge, as a way to the inside. */
static sn_vec3 way_inside(sn_vec3 from, sn_vec3 to, sn_vec3 point, double margin_m) {
  const sn_vec3 left = sn_vec3_make(from.y - to.y, to.x - from.x, 0.0);
  const double length = sn_vec3_norm(left);
  const double inside_m = sn_vec3_dot(left, sn_vec3_sub(point, from)) / length;
  return sn_vec3_scale(left, fmax(0.0, margin_m - inside_m) / length);
}

/* A near point that is a margin inside the polygon, or as far inside as its middle: edge by edge,
   which converges for convex sets. */
static sn_vec3 move_inside(const sn_vec3 *corners, size_t count, sn_vec3 point, double margin_m) {
  const sn_vec3 middle = middle_of(corners, count);
  const double most = fmin(margin_m, sn__support_margin(GROUND, corners, count, middle));
  for (int i = 0; i < SWEEPS; i++) {
    for (size_t k = 0; k < count; k++) {
      point = sn_vec3_add(point, way_inside(corners[k], corners[(k + 1) % count], point, most));
    }
  }
  return point;
}

/* The nearest point of a line between two corners, a margin from its ends. */
static sn_vec3 move_to_line(const sn_vec3 *corners, sn_vec3 point) {
  const sn_vec3 way = sn_vec3_sub(corners[1], corners[0]);
  const double share = sn_vec3_dot(sn_vec3_sub(point, corners[0]), way) / sn_vec3_dot(way, way);
  return sn_vec3_add_scaled(corners[0], fmin(fmax(share, 0.2), 0.8), way);
}

/* Where a foot presses on the ground. Legs without an ankle that rolls stand on an edge of their
   soles when the body moves sideways, and that edge moves with the body. */
static sn_vec3 touch_of(const shifting *s, size_t limb, size_t sample, sn_pose base) {
  const sn_model *model = s->config->model;
  const sn_chain *chain = sn_model_chain(model, s->config->legs[limb].chain, false);
  const double *q = &s->plan->q[sample * s->joint_count];
  double own[JOINTS_MAX] = {0};
  for (size_t i = 0; i < chain->joint_count && i < JOINTS_MAX; i++) {
    own[i] = q[chain->joints[i]];
  }
  const double time_s = s->plan->sample_s * (double)sample;
  sn_vec3 at = sn__step_path_foot(&s->plan->path, limb, time_s).pose.pos;
  (void)sn__link_touch(sn_model_link(model, (size_t)chain->last_link),
                       sn_pose_mul(base, sn_chain_fk(chain, own)), &at);
  return at;
}

/* The polygon of the feet that bear weight. Two feet carry the body with their whole soles: the
   line between their middles stays where it is. */
static size_t find_polygon(const shifting *s, size_t sample, sn_pose base, sn_vec3 *corners) {
  const double time_s = s->plan->sample_s * (double)sample;
  sn_vec3 middles[SN_CHAINS_MAX], edges[SN_CHAINS_MAX];
  size_t count = 0;
  for (size_t i = 0; i < s->plan->path.limb_count; i++) {
    const sn__step_motion foot = sn__step_path_foot(&s->plan->path, i, time_s);
    if (foot.contact) {
      middles[count] = foot.pose.pos;
      edges[count++] = touch_of(s, i, sample, base);
    }
  }
  return sn__support_polygon(GROUND, count > 2 ? edges : middles, count, corners);
}

static sn_vec3 wanted_at(shifting *s, size_t sample) {
  sn_support supports[SN_CHAINS_MAX];
  sn_vec3 corners[SN_CHAINS_MAX];
  sn_balance_result result;
  const double time_s = s->plan->sample_s * (double)sample;
  sn__step_rates(s->plan, sample, s->joint_count, s->qd, s->qdd);
  const sn_balance_input input = {
      .q = &s->plan->q[sample * s->joint_count],
      .qd = s->qd,
      .qdd = s->qdd,
      .supports = supports,
      .support_count = sn__step_supports(s->plan, s->config, sample, supports),
      .gravity = sn__step_gravity(s->plan, sample),
      .friction = s->config->friction};
  sn__balance_step(s->config->balance, &input, s->tau, &result);
  sn_pose base = sn__step_path_base(&s->plan->path, time_s).pose;
  base.pos = sn_vec3_add(base.pos, s->plan->shift[sample]);
  const size_t count = find_polygon(s, sample, base, corners);
  s->height_m = sn_pose_apply(base, result.com).z;
  if (!result.has_zmp || count < 2) {
    return sn_vec3_make(0, 0, 0);
  }
  const sn_vec3 zmp = sn_plane_project(GROUND, sn_pose_apply(base, result.zmp));
  const sn_vec3 inside = count == 2 ? move_to_line(corners, zmp)
                                    : move_inside(corners, count, zmp, s->config->margin_m);
  return sn_vec3_sub(inside, zmp);
}

/* Mean over a short time, so that the body does not jerk when a foot lifts. */
static void blur(shifting *s) {
  const size_t n = s->plan->sample_count;
  const double step_s = s->plan->sample_s * s->plan->stretch;
  const size_t reach = (size_t)(BLUR_S / step_s) + 1;
  for (size_t k = 0; k < n; k++) {
    const size_t first = k < reach ? 0 : k - reach, last = k + reach < n ? k + reach : n - 1;
    sn_vec3 sum = {0, 0, 0};
    for (size_t i = first; i <= last; i++) {
      sum = sn_vec3_add(sum, s->wanted[i]);
    }
    s->blurred[k] = sn_vec3_scale(sum, 1.0 / (double)(last - first + 1));
  }
}

/* Solve shift - c shift'' = change, with a shift of 0 at both ends. */
static void find_shift(shifting *s) {
  const size_t n = s->plan->sample_count;
  const double step_s = s->plan->sample_s * s->plan->stretch;
  const double c = s->height_m / GRAVITY / (step_s * step_s), diagonal = 1.0 + 2.0 * c;
  sn_vec3 *x = s->plan->shift;
  s->pivot[0] = 0.0;
  x[0] = sn_vec3_make(0, 0, 0);
  for (size_t k = 1; k + 1 < n; k++) {
    const double d = diagonal - c * s->pivot[k - 1];
    s->pivot[k] = c / d;
    x[k] = sn_vec3_scale(sn_vec3_add_scaled(s->change[k], c, x[k - 1]), 1.0 / d);
  }
  x[n - 1] = sn_vec3_make(0, 0, 0);
  for (size_t k = n - 1; k-- > 1;) {
    x[k] = sn_vec3_add_scaled(x[k], s->pivot[k], x[k + 1]);
  }
}

/* What is still missing, over the height of the centre of mass. */
static double find_lean(shifting *s) {
  double worst = 0.0;
  for (size_t k = 0; k < s->plan->sample_count; k++) {
    s->wanted[k] = wanted_at(s, k);
  }
  blur(s);
  for (size_t k = 0; k < s->plan->sample_count; k++) {
    worst = fmax(worst, sn_vec3_norm(s->blurred[k]));
  }
  return worst / s->height_m;
}

/* ---- reach ---- */

/* Less change at a time; the reduction fades out before and after it, farther away with a larger
   width. The shift follows by the cart-table model: if it were reduced itself, the body would
   accelerate, and that moves the zero-moment point by more than the shift is worth. */
static void reduce(shifting *s, double time_s, double width_s) {
  const double reach_s = width_s / s->plan->stretch;
  for (size_t k = 0; k < s->plan->sample_count; k++) {
    const double off = fabs(s->plan->sample_s * (double)k - time_s) / reach_s;
    const double u = fmax(0.0, 1.0 - off), share = u * u * (3.0 - 2.0 * u);
    s->change[k] = sn_vec3_scale(s->change[k], 1.0 - REDUCTION * share);
  }
}

/* @param time_s  set to where the shift is too long, or a limb does not reach its point */
static bool is_within_reach(shifting *s, double *time_s) {
  sn__step_trouble trouble;
  for (size_t k = 0; k < s->plan->sample_count; k++) {
    if (sn_vec3_norm(s->plan->shift[k]) > SHIFT_MAX * s->height_m) {
      *time_s = s->plan->sample_s * (double)k;
      return false;
    }
  }
  const bool is_solved = sn__step_solve(s->plan, s->config, &trouble);
  *time_s = is_solved ? 0.0 : trouble.time_s;
  return is_solved;
}

/* Without a shift everything is within reach. */
static void shift_within_reach(shifting *s) {
  double time_s;
  find_shift(s);
  bool is_reached = is_within_reach(s, &time_s);
  for (int i = 0; !is_reached && i < REDUCTIONS; i++) {
    reduce(s, time_s, i < LOCAL_REDUCTIONS ? REDUCTION_S : INFINITY);
    find_shift(s);
    is_reached = is_within_reach(s, &time_s);
  }
  if (!is_reached) {
    memset(s->change, 0, s->plan->sample_count * sizeof *s->change);
    find_shift(s);
    (void)is_within_reach(s, &time_s);
  }
}

static double longest(const sn__step_plan *plan) {
  double most = 0.0;
  for (size_t k = 0; k < plan->sample_count; k++) {
    most = fmax(most, sn_vec3_norm(plan->shift[k]));
  }
  return most;
}

sn_status sn__step_shift(sn_arena *arena, sn__step_plan *plan, const sn__step_plan_config *config,
                         sn_error *err) {
  const size_t n = sn_model_pose_size(config->model), count = plan->sample_count;
  shifting s = {plan,
                config,
                n,
                SN_NEW(arena, double, n),
                SN_NEW(arena, double, n),
                SN_NEW(arena, double, n),
                SN_NEW(arena, double, count),
                SN_NEW(arena, sn_vec3, count),
                SN_NEW(arena, sn_vec3, count),
                SN_NEW(arena, sn_vec3, count),
                0.0};
  if (s.qd == NULL || s.qdd == NULL || s.tau == NULL || s.pivot == NULL || s.wanted == NULL ||
      s.blurred == NULL || s.change == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu samples", count);
  }
  for (int round = 0; round < ROUNDS; round++) {
    for (size_t k = 0; k < count; k++) {
      s.wanted[k] = wanted_at(&s, k);
    }
    blur(&s);
    for (size_t k = 0; k < count; k++) {
      s.change[k] = sn_vec3_add(s.change[k], s.blurred[k]);
    }
    shift_within_reach(&s);
  }
  plan->shift_max = longest(plan);
  plan->lean = find_lean(&s);
  return SN_OK;
}
