/* The path of the base: a cubic spline with uniform knots, whose control points minimise jerk,
   acceleration and the distance from a straight way, while the zero-moment point stays inside of
   the feet that bear weight and the base within reach of them.

   The zero-moment point is that of a mass at the height of the centre of mass that moves with the
   base (the cart on a table of Kajita et al., 2003), plus an offset that planner_check.c finds by
   inverse dynamics. Long plans are solved in windows that overlap by half. */
#include <math.h>
#include <string.h>

#include "dyn/support_polygon.h"
#include "gait/planner_internal.h"

/* A stride has this many knots. */
static const double STRIDE_KNOTS = 9.0, KNOT_MAX_S = 0.3;
static const double WEIGHT_JERK = 1e-3, WEIGHT_ACCELERATION = 1.0, WEIGHT_PLACE = 100.0;
static const sn_plane GROUND = {{0, 0, 1}, 0.0};

/* ---- the spline ---- */

typedef struct basis {
  size_t first; /* control point */
  double value[4], rate[4], rate2[4];
} basis;

static basis basis_at(const sn__planner *p, double time_s) {
  const double at = fmin(fmax(time_s / p->knot_s, 0.0), (double)p->knot_count);
  const size_t last = p->knot_count - 1;
  const size_t first = (size_t)at < last ? (size_t)at : last;
  const double u = at - (double)first, w = 1.0 - u, h = p->knot_s;
  return (basis){
      first,
      {w * w * w / 6.0, (3.0 * u * u * u - 6.0 * u * u + 4.0) / 6.0,
       (3.0 * w * w * w - 6.0 * w * w + 4.0) / 6.0, u * u * u / 6.0},
      {-0.5 * w * w / h, (1.5 * u * u - 2.0 * u) / h, (2.0 * w - 1.5 * w * w) / h, 0.5 * u * u / h},
      {w / (h * h), (3.0 * u - 2.0) / (h * h), (3.0 * w - 2.0) / (h * h), u / (h * h)}};
}

static sn_vec3 combine(const sn__planner *p, size_t first, const double *k) {
  sn_vec3 sum = {0, 0, 0};
  for (size_t i = 0; i < 4; i++) {
    sum = sn_vec3_add_scaled(sum, k[i], p->control[first + i]);
  }
  return sum;
}

sn_vec3 sn__planner_path(const sn__planner *p, double time_s, sn_vec3 *rate, sn_vec3 *rate2) {
  const basis b = basis_at(p, time_s);
  *rate = combine(p, b.first, b.rate);
  *rate2 = combine(p, b.first, b.rate2);
  return combine(p, b.first, b.value);
}

sn__plan_motion sn__planner_base(const sn__planner *p, double time_s) {
  double rate, hop_rate;
  sn_vec3 vel, acc;
  const double s = sn__planner_share(p, time_s, &rate);
  const double hop = sn__planner_hop(p, time_s, &hop_rate);
  const sn__plan_attitude a = p->from, b = p->to;
  const double roll = a.roll + s * (b.roll - a.roll), pitch = a.pitch + s * (b.pitch - a.pitch);
  const double yaw = s * b.yaw, roll_rate = rate * (b.roll - a.roll);
  const double pitch_rate = rate * (b.pitch - a.pitch);
  sn__plan_motion m = {.contact = false};
  m.pose.rot = sn_mat3_from_rpy(roll, pitch, yaw);
  m.pose.pos = sn__planner_path(p, time_s, &vel, &acc);
  m.pose.pos.z = a.z + s * (b.z - a.z) + hop;
  m.twist.lin = sn_vec3_make(vel.x, vel.y, rate * (b.z - a.z) + hop_rate);
  m.twist.ang = sn_vec3_make(roll_rate * cos(yaw) * cos(pitch) - pitch_rate * sin(yaw),
                             roll_rate * sin(yaw) * cos(pitch) + pitch_rate * cos(yaw),
                             rate * b.yaw - roll_rate * sin(pitch));
  return m;
}

/* ---- one quadratic programme ---- */

/* Control points first .. first + count - 1 are unknown, those around them are given. */
typedef struct window {
  sn__planner *p;
  size_t first, count;
  double end_s; /* constraints hold until then */
  bool *hints;  /* rows that were active in the last round */
  double margin_m, band_m, reach_share;
} window;

static bool is_unknown(const window *w, size_t control) {
  return control >= w->first && control < w->first + w->count;
}

/* Add weight |sum of k[i] times control point i, minus target|^2. */
static void add_cost(const window *w, size_t first, const double *k, sn_vec3 target,
                     double weight) {
  sn__planner *p = w->p;
  const size_t n = 2 * w->count;
  sn_vec3 rest = sn_vec3_neg(target);
  for (size_t i = 0; i < 4; i++) {
    if (!is_unknown(w, first + i)) {
      rest = sn_vec3_add_scaled(rest, k[i], p->control[first + i]);
    }
  }
  for (size_t i = 0; i < 4; i++) {
    if (!is_unknown(w, first + i)) {
      continue;
    }
    const size_t row = 2 * (first + i - w->first);
    p->gradient[row] += weight * k[i] * rest.x;
    p->gradient[row + 1] += weight * k[i] * rest.y;
    for (size_t j = 0; j < 4; j++) {
      if (is_unknown(w, first + j)) {
        const size_t column = 2 * (first + j - w->first);
        p->hessian[row * n + column] += weight * k[i] * k[j];
        p->hessian[(row + 1) * n + column + 1] += weight * k[i] * k[j];
      }
    }
  }
}

static void add_costs(const window *w) {
  const sn__planner *p = w->p;
  const double h = p->knot_s, jerk = 1.0 / (h * h * h);
  const double third[4] = {-jerk, 3.0 * jerk, -3.0 * jerk, jerk};
  const sn_vec3 zero = {0, 0, 0};
  const size_t begin = w->first < 3 ? 0 : w->first - 3;
  for (size_t s = begin; s < w->first + w->count && s < p->knot_count; s++) {
    add_cost(w, s, third, zero, WEIGHT_JERK * h);
    for (int k = 0; k < 2; k++) {
      double rate;
      const double time_s = h * ((double)s + 0.25 + 0.5 * k);
      const basis b = basis_at(p, time_s);
      const double share = sn__planner_share(p, time_s, &rate);
      add_cost(w, s, b.rate2, zero, 0.5 * h * WEIGHT_ACCELERATION);
      add_cost(w, s, b.value, sn_vec3_scale(p->base_to, share), 0.5 * h * WEIGHT_PLACE);
    }
  }
}

/* lower <= normal . (sum of k[i] times control point i) <= upper */
static void add_row(const window *w, size_t first, const double *k, sn_vec3 normal, double lower,
                    double upper) {
  sn__planner *p = w->p;
  double rest = 0.0;
  size_t count = 0, at = 0;
  if (p->row_count == SN__PLAN_ROWS_MAX) {
    return;
  }
  double *values = p->values + p->row_count * SN__PLAN_ROW_SIZE;
  for (size_t i = 0; i < 4; i++) {
    if (is_unknown(w, first + i)) {
      at = count == 0 ? 2 * (first + i - w->first) : at;
      values[count++] = k[i] * normal.x;
      values[count++] = k[i] * normal.y;
    } else {
      rest += k[i] * sn_vec3_dot(normal, p->control[first + i]);
    }
  }
  if (count > 0) {
    p->rows[p->row_count++] = (sn__qp_row){values, at, count, lower - rest, upper - rest};
  }
}

/* ---- the zero-moment point ---- */

static sn_vec3 offset_at(const sn__planner *p, double time_s) {
  const double at = fmin(fmax(time_s / p->grid_s, 0.0), (double)(p->point_count - 1));
  const size_t k = (size_t)at + 1 < p->point_count ? (size_t)at : p->point_count - 2;
  const sn_vec3 way = sn_vec3_sub(p->offset[k + 1], p->offset[k]);
  return sn_vec3_add_scaled(p->offset[k], at - (double)k, way);
}

/* Two feet: on the line between them, not too near to its ends. */
static void add_line(const window *w, const basis *b, const double *zmp, const sn_vec3 *corners,
                     sn_vec3 offset, double slack_m) {
  const sn_vec3 way = sn_vec3_sub(corners[1], corners[0]);
  const double length = sn_vec3_norm(way);
  const sn_vec3 along = sn_vec3_scale(way, 1.0 / length);
  const sn_vec3 across = {-along.y, along.x, 0.0};
  const double place = sn_vec3_dot(along, corners[0]) - sn_vec3_dot(along, offset);
  const double side = sn_vec3_dot(across, corners[0]) - sn_vec3_dot(across, offset);
  const double band = w->band_m + slack_m;
  add_row(w, b->first, zmp, across, side - band, side + band);
  add_row(w, b->first, zmp, along, place + 0.15 * length, place + 0.85 * length);
}

/* @param margin_m  inside of the polygon, or less if it is too small */
static void add_polygon(const window *w, const basis *b, const double *zmp, const sn_vec3 *corners,
                        size_t count, sn_vec3 offset, double margin_m) {
  sn_vec3 middle = {0, 0, 0};
  for (size_t i = 0; i < count; i++) {
    middle = sn_vec3_add_scaled(middle, 1.0 / (double)count, corners[i]);
  }
  const double most = 0.6 * sn__support_margin(GROUND, corners, count, middle);
  for (size_t i = 0; i < count; i++) {
    const sn_vec3 edge = sn_vec3_sub(corners[(i + 1) % count], corners[i]);
    const sn_vec3 inward =
        sn_vec3_scale(sn_vec3_make(-edge.y, edge.x, 0.0), 1.0 / sn_vec3_norm(edge));
    const double at = sn_vec3_dot(inward, corners[i]) - sn_vec3_dot(inward, offset);
    add_row(w, b->first, zmp, inward, at + fmin(margin_m, most), INFINITY);
  }
}

/* In the air nothing pushes the body. */
static void add_flight(const window *w, const basis *b) {
  const sn_vec3 x = {1, 0, 0}, y = {0, 1, 0};
  add_row(w, b->first, b->rate2, x, -0.2, 0.2);
  add_row(w, b->first, b->rate2, y, -0.2, 0.2);
}

/* ---- reach ---- */

/* The base stays where all legs that bear weight reach their feet. */
static void add_reach(const window *w, const basis *b, double time_s, double inside_s) {
  const sn__planner *p = w->p;
  double rate;
  const double yaw = p->to.yaw * sn__planner_share(p, time_s, &rate);
  const sn_vec3 x = {cos(yaw), sin(yaw), 0.0}, y = {-x.y, x.x, 0.0};
  double low[2] = {-INFINITY, -INFINITY}, high[2] = {INFINITY, INFINITY};
  for (size_t i = 0; i < p->leg_count; i++) {
    const sn__plan_leg *leg = &p->legs[i];
    if (!sn__planner_is_down(p, i, inside_s)) {
      continue;
    }
    const sn_vec3 foot = sn__planner_foot(p, i, inside_s).pose.pos;
    const double at[2] = {sn_vec3_dot(x, foot) - leg->nominal.pos.x,
                          sn_vec3_dot(y, foot) - leg->nominal.pos.y};
    for (size_t k = 0; k < 2; k++) {
      low[k] = fmax(low[k], at[k] - w->reach_share * leg->reach[2 * k + 1]);
      high[k] = fmin(high[k], at[k] + w->reach_share * leg->reach[2 * k]);
    }
  }
  for (size_t k = 0; k < 2; k++) {
    if (low[k] < high[k]) { /* otherwise inverse kinematics decides */
      add_row(w, b->first, b->value, k == 0 ? x : y, low[k], high[k]);
    }
  }
}

/* ---- samples ---- */

/* @param inside_s  a time of the same phase: which feet bear weight
 *  @param at_event  a foot lifts or lands: another polygon holds, too */
static void add_sample(const window *w, double time_s, double inside_s, bool at_event) {
  const sn__planner *p = w->p;
  sn_vec3 feet[SN__GAIT_LEGS_MAX], corners[SN__GAIT_LEGS_MAX];
  double zmp[4];
  size_t count = 0;
  const basis b = basis_at(p, time_s);
  if (b.first + 3 < w->first) {
    return;
  }
  for (size_t i = 0; i < 4; i++) {
    zmp[i] = b.value[i] - p->com_height_m / SN__GRAVITY * b.rate2[i];
  }
  for (size_t i = 0; i < p->leg_count; i++) {
    if (sn__planner_is_down(p, i, inside_s)) {
      feet[count] = sn__planner_foot(p, i, inside_s).pose.pos;
      feet[count++].z = 0.0;
    }
  }
  count = sn__support_polygon(GROUND, feet, count, corners);
  const sn_vec3 offset = offset_at(p, time_s);
  if (count >= 3) {
    add_polygon(w, &b, zmp, corners, count, offset,
                at_event ? fmin(0.0, w->margin_m) : w->margin_m);
  } else if (count == 2) {
    add_line(w, &b, zmp, corners, offset, at_event ? 0.002 : 0.0);
  } else if (count == 1) {
    const double half = w->band_m;
    const sn_vec3 x = {1, 0, 0}, y = {0, 1, 0}, at = sn_vec3_sub(corners[0], offset);
    add_row(w, b.first, zmp, x, at.x - half, at.x + half);
    add_row(w, b.first, zmp, y, at.y - half, at.y + half);
  } else {
    add_flight(w, &b);
  }
  add_reach(w, &b, time_s, inside_s);
}

/* Both ends of a phase and points between them. On one or two feet for a moment the robot does not
   fall far. */
static void add_phase(const window *w, double begin_s, double end_s) {
  const double length_s = end_s - begin_s, inside_s = 0.5 * (begin_s + end_s);
  if (sn__planner_is_short(w->p, begin_s, end_s)) {
    return;
  }
  const size_t parts = 1 + (size_t)(length_s / (0.5 * w->p->knot_s));
  const bool has_more = begin_s > 0.0;
  for (size_t k = 0; k <= parts; k++) {
    const double time_s = begin_s + length_s * (double)k / (double)parts;
    const bool at_event = (k == 0 && has_more) || (k == parts && end_s < w->p->duration_s);
    if (time_s <= w->end_s) {
      add_sample(w, time_s, inside_s, at_event);
    }
  }
}

static void add_phases(const window *w) {
  const sn__planner *p = w->p;
  const double from_s = p->knot_s * ((double)w->first - 4.0);
  double begin_s = 0.0;
  for (size_t k = 0; k <= p->event_count && begin_s <= w->end_s; k++) {
    const double end_s = k < p->event_count ? p->events[k] : p->duration_s;
    if (end_s >= from_s && end_s > begin_s) {
      add_phase(w, begin_s, end_s);
    }
    begin_s = end_s;
  }
}

static bool solve_window(const window *w) {
  sn__planner *p = w->p;
  const size_t n = 2 * w->count;
  sn__qp_result result;
  memset(p->hessian, 0, n * n * sizeof *p->hessian);
  memset(p->gradient, 0, n * sizeof *p->gradient);
  p->row_count = 0;
  add_costs(w);
  add_phases(w);
  const sn__qp_task task = {n, p->row_count, p->hessian, p->gradient, p->rows, w->hints};
  p->round_count++;
  if (!sn__qp_solve(p->qp, &task, p->x, NULL, &result)) {
    return false;
  }
  for (size_t i = 0; i < w->count; i++) {
    p->control[w->first + i] = sn_vec3_make(p->x[2 * i], p->x[2 * i + 1], 0.0);
  }
  return true;
}

/* The first and the last three control points make it begin and end at rest; those that are not
   solved yet follow the straight way. */
void sn__planner_begin_body(sn__planner *p) {
  const double wanted_s =
      p->step_count == 0 ? KNOT_MAX_S : fmin(p->stride_s / STRIDE_KNOTS, KNOT_MAX_S);
  const double count = fmin(fmax(ceil(p->duration_s / wanted_s), 8.0), SN__PLAN_KNOTS_MAX);
  p->knot_count = (size_t)count;
  p->knot_s = p->duration_s / count;
  for (size_t i = 3; i < p->knot_count; i++) {
    double rate;
    const double share = sn__planner_share(p, p->knot_s * ((double)i - 1.0), &rate);
    p->control[i] = sn_vec3_scale(p->base_to, share);
  }
  for (size_t i = 0; i < 3; i++) {
    p->control[i] = p->base_from;
    p->control[p->knot_count + i] = p->base_to;
  }
}

bool sn__planner_find_body(sn__planner *p, double margin_m, double band_m, double reach_share,
                           bool is_warm) {
  sn__planner_begin_body(p);
  window w = {.p = p,
              .margin_m = margin_m,
              .band_m = band_m,
              .reach_share = reach_share,
              .hints = p->hints};
  bool is_good = true;
  if (!is_warm) {
    memset(p->hints, 0, (size_t)SN__PLAN_WINDOWS_MAX * SN__PLAN_ROWS_MAX * sizeof *p->hints);
  }
  for (w.first = 3; is_good && w.first < p->knot_count; w.hints += SN__PLAN_ROWS_MAX) {
    const size_t left = p->knot_count - w.first;
    const bool is_last = left <= SN__PLAN_WINDOW;
    w.count = is_last ? left : SN__PLAN_WINDOW;
    w.end_s = is_last ? p->duration_s : p->knot_s * (double)(w.first + w.count - 3);
    is_good = solve_window(&w);
    w.first += is_last ? left : SN__PLAN_WINDOW / 2;
  }
  return is_good;
}
