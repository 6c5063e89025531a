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
#include "steps/step_solve.h"

enum { ROUNDS = 3, REDUCTIONS = 32, LOCAL_REDUCTIONS = 20 };
static const double GRAVITY = 9.81, SHIFT_MAX_M = 0.05, BLUR_S = 0.04, REDUCTION_S = 0.25;
static const sn_plane GROUND = {{0, 0, 1}, 0.0};

typedef struct shifting {
  sn__step_plan *plan;
  const sn__step_plan_config *config;
  size_t joint_count;
  double *qd, *qdd, *tau, *pivot;
  sn_vec3 *wanted, *blurred; /* change of the zero-moment point */
  double height_m;
} shifting;

static sn_vec3 middle_of(const sn_vec3 *corners, size_t count) {
  sn_vec3 sum = {0, 0, 0};
  for (size_t i = 0; i < count; i++) {
    sum = sn_vec3_add_scaled(sum, 1.0 / (double)count, corners[i]);
  }
  return sum;
}

/* The point on the way to the middle of the polygon that is a margin inside it, or the middle. */
static sn_vec3 move_inside(const sn_vec3 *corners, size_t count, sn_vec3 point, double margin_m) {
  const sn_vec3 middle = middle_of(corners, count);
  const double most = fmin(margin_m, sn__support_margin(GROUND, corners, count, middle));
  if (sn__support_margin(GROUND, corners, count, point) >= most) {
    return point;
  }
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 30; i++) {
    const double share = 0.5 * (low + high);
    const sn_vec3 at = sn_vec3_add_scaled(point, share, sn_vec3_sub(middle, point));
    if (sn__support_margin(GROUND, corners, count, at) >= most) {
      high = share;
    } else {
      low = share;
    }
  }
  return sn_vec3_add_scaled(point, high, sn_vec3_sub(middle, point));
}

/* The nearest point of a line between two corners, a margin from its ends. */
static sn_vec3 move_to_line(const sn_vec3 *corners, sn_vec3 point) {
  const sn_vec3 way = sn_vec3_sub(corners[1], corners[0]);
  const double share = sn_vec3_dot(sn_vec3_sub(point, corners[0]), way) / sn_vec3_dot(way, way);
  return sn_vec3_add_scaled(corners[0], fmin(fmax(share, 0.2), 0.8), way);
}

static sn_vec3 wanted_at(shifting *s, size_t sample) {
  sn_support supports[SN_CHAINS_MAX];
  sn_vec3 feet[SN_CHAINS_MAX], corners[SN_CHAINS_MAX];
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
  size_t count = 0;
  for (size_t i = 0; i < s->plan->path.limb_count; i++) {
    const sn__step_motion foot = sn__step_path_foot(&s->plan->path, i, time_s);
    if (foot.contact) {
      feet[count++] = foot.pose.pos;
    }
  }
  count = sn__support_polygon(GROUND, feet, count, corners);
  sn_pose base = sn__step_path_base(&s->plan->path, time_s).pose;
  base.pos = sn_vec3_add(base.pos, s->plan->shift[sample]);
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

/* Solve shift - c shift'' = change, 0 at both ends, and add it to the shift. */
static void add_response(shifting *s) {
  const size_t n = s->plan->sample_count;
  const double step_s = s->plan->sample_s * s->plan->stretch;
  const double c = s->height_m / GRAVITY / (step_s * step_s), diagonal = 1.0 + 2.0 * c;
  sn_vec3 *x = s->wanted;
  s->pivot[0] = 0.0;
  x[0] = sn_vec3_make(0, 0, 0);
  for (size_t k = 1; k + 1 < n; k++) {
    const double d = diagonal - c * s->pivot[k - 1];
    s->pivot[k] = c / d;
    x[k] = sn_vec3_scale(sn_vec3_add_scaled(s->blurred[k], c, x[k - 1]), 1.0 / d);
  }
  x[n - 1] = sn_vec3_make(0, 0, 0);
  for (size_t k = n - 1; k-- > 1;) {
    x[k] = sn_vec3_add_scaled(x[k], s->pivot[k], x[k + 1]);
  }
  for (size_t k = 0; k < n; k++) {
    sn_vec3 sum = sn_vec3_add(s->plan->shift[k], x[k]);
    const double length = sn_vec3_norm(sum);
    if (length > SHIFT_MAX_M) {
      sum = sn_vec3_scale(sum, SHIFT_MAX_M / length);
    }
    s->plan->shift[k] = sum;
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

/* Halve the shift at a time; the change fades out before and after it, farther away with a larger
   width. */
static void reduce(sn__step_plan *plan, double time_s, double width_s) {
  const double reach_s = width_s / plan->stretch;
  for (size_t k = 0; k < plan->sample_count; k++) {
    const double off = fabs(plan->sample_s * (double)k - time_s) / reach_s;
    const double u = fmax(0.0, 1.0 - off), share = u * u * (3.0 - 2.0 * u);
    plan->shift[k] = sn_vec3_scale(plan->shift[k], 1.0 - 0.5 * share);
  }
}

/* Without a shift everything is within reach. */
static void solve_within_reach(sn__step_plan *plan, const sn__step_plan_config *config) {
  sn__step_trouble trouble;
  bool is_solved = sn__step_solve(plan, config, &trouble);
  for (int i = 0; !is_solved && i < REDUCTIONS; i++) {
    reduce(plan, trouble.time_s, i < LOCAL_REDUCTIONS ? REDUCTION_S : INFINITY);
    is_solved = sn__step_solve(plan, config, &trouble);
  }
  if (!is_solved) {
    memset(plan->shift, 0, plan->sample_count * sizeof *plan->shift);
    (void)sn__step_solve(plan, config, &trouble);
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
                0.0};
  if (s.qd == NULL || s.qdd == NULL || s.tau == NULL || s.pivot == NULL || s.wanted == NULL ||
      s.blurred == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu samples", count);
  }
  for (int round = 0; round < ROUNDS; round++) {
    for (size_t k = 0; k < count; k++) {
      s.wanted[k] = wanted_at(&s, k);
    }
    blur(&s);
    add_response(&s);
    solve_within_reach(plan, config);
  }
  plan->shift_max = longest(plan);
  plan->lean = find_lean(&s);
  return SN_OK;
}
