#include "traj/otg_family.h"

#include <math.h>
#include <stdbool.h>

static double max2(double a, double b) {
  return a > b ? a : b;
}

static double min2(double a, double b) {
  return a < b ? a : b;
}

static double root(double x) {
  return x > 0.0 ? sqrt(x) : 0.0;
}

static double square(double x) {
  return x * x;
}

/* Distance and time of a change between two velocities that starts and ends without acceleration,
   by their sum and difference. */
static double change_distance(double sum, double dv) {
  return dv < 1.0 ? sum * root(dv) : 0.5 * sum * (dv + 1.0);
}

static double change_time(double dv) {
  return dv < 1.0 ? 2.0 * root(dv) : dv + 1.0;
}

/* c^2 / (4 p) of the ramps; c is 0 wherever p can be. */
static double ramps_pole(const sn__otg_family *f, double p) {
  return f->c == 0.0 ? 0.0 : 0.25 * f->c * (f->c / p);
}

static double hold_value(double u, double x) {
  return x * (2.0 * u + x * (u + 0.5 + x * (1.0 + 0.5 * x)));
}

/* Common terms of the distances of one kind. */
static double kind_offset(const sn__otg_family *f, sn__otg_kind kind) {
  const double squares = f->c * (f->w + f->vt);
  const double sum = f->w + f->vt;
  switch (kind) {
    case SN__OTG_BRAKE_HOLD:
      return 0.5 * (squares + sum);
    case SN__OTG_DRIVE_HOLD:
      return 0.5 * (sum - squares);
    case SN__OTG_BOTH_HOLD:
      return 0.5 * (sum - squares) + f->vt;
    default:
      return 0.0;
  }
}

double sn__otg_family_distance(const sn__otg_family *f, sn__otg_point point) {
  const double x = point.x;
  const double offset = f->base + kind_offset(f, point.kind);
  switch (point.kind) {
    case SN__OTG_RAMPS:
      return offset + x * (0.25 * x * x + f->w + f->vt) - ramps_pole(f, x);
    case SN__OTG_BRAKE_HOLD:
      return offset + hold_value(f->w, x);
    case SN__OTG_DRIVE_HOLD:
      return offset + hold_value(f->vt, x);
    case SN__OTG_BOTH_HOLD:
      return offset + x * (x + 2.0 * f->vt + 1.0);
    default:
      return f->cruise_distance + f->v_max * x;
  }
}

double sn__otg_family_time(const sn__otg_family *f, sn__otg_point point) {
  const double x = point.x;
  switch (point.kind) {
    case SN__OTG_RAMPS:
      return 2.0 * x - f->a0;
    case SN__OTG_BRAKE_HOLD:
      return square(x + 1.0) + f->c - f->a0;
    case SN__OTG_DRIVE_HOLD:
      return square(x + 1.0) - f->c - f->a0;
    case SN__OTG_BOTH_HOLD:
      return 2.0 * (x + 1.0) - f->c - f->a0;
    default:
      return f->cruise_time + x;
  }
}

/* The inverse of the above. */
static double x_of_time(const sn__otg_family *f, sn__otg_kind kind, double time) {
  switch (kind) {
    case SN__OTG_RAMPS:
      return 0.5 * (time + f->a0);
    case SN__OTG_BRAKE_HOLD:
      return root(time - f->c + f->a0) - 1.0;
    case SN__OTG_DRIVE_HOLD:
      return root(time + f->c + f->a0) - 1.0;
    case SN__OTG_BOTH_HOLD:
      return 0.5 * (time + f->a0 + f->c) - 1.0;
    default:
      return time - f->cruise_time;
  }
}

/* One end of the early turns: the acceleration at the turn, and p. */
typedef struct early_end {
  double a1, p;
} early_end;

static void add_piece(sn__otg_family *f, sn__otg_kind kind, double lo, double hi) {
  if (hi > lo) {
    f->pieces[f->count++] = (sn__otg_piece){kind, lo, hi};
  }
}

/* The turn comes before the acceleration is at its limit. */
static void add_early_turns(sn__otg_family *f, early_end lo, early_end hi) {
  const double room = 1.0 - f->c; /* ap < 1 where a1^2 is below */
  if (!(room > 0.0)) {
    add_piece(f, SN__OTG_BRAKE_HOLD, lo.a1, hi.a1);
    return;
  }
  const double edge = sqrt(room);
  if (lo.a1 < -edge) {
    add_piece(f, SN__OTG_BRAKE_HOLD, lo.a1, min2(-edge, hi.a1));
    lo = (early_end){-edge, f->c / (1.0 + edge)};
  }
  if (lo.a1 < edge && lo.a1 <= hi.a1) {
    add_piece(f, SN__OTG_RAMPS, lo.p, hi.a1 < edge ? hi.p : edge + 1.0);
  }
  add_piece(f, SN__OTG_BRAKE_HOLD, max2(lo.a1, edge), hi.a1);
}

/* The turn comes later, while the acceleration is at its limit. */
static void add_late_turns(sn__otg_family *f) {
  add_piece(f, SN__OTG_DRIVE_HOLD, root(1.0 + f->c), min2(1.0, root(f->v_max - f->vt)));
  add_piece(f, SN__OTG_BOTH_HOLD, max2(f->c, 0.0) + 1.0, f->v_max - f->vt);
}

/* Differences of velocities come first, small terms after: a state close to the target or to the
   limit keeps what makes it different. */
void sn__otg_family_direct(sn__otg_family *f, double v0, double a0, double vt) {
  const double half = 0.5 * a0 * a0;
  f->a0 = a0;
  f->vt = vt;
  f->w = v0 - half;
  f->c = v0 - vt - half;
  f->base = -a0 * (f->w + a0 * a0 * (1.0 / 6.0));
  const double a1 = root(-f->c);
  f->direct =
      a1 < 1.0 ? (sn__otg_point){SN__OTG_RAMPS, a1} : (sn__otg_point){SN__OTG_DRIVE_HOLD, 0.0};
}

/* The pieces before the cruise. Differences that go into a root are written the same way wherever
   two pieces, or the two directions, meet: otherwise rounding would tear the curve apart there. */
static void add_turns(sn__otg_family *f, double v0) {
  const double a0 = f->a0;
  const double a1_max = min2(1.0, root(f->room));
  const early_end hi = {a1_max, a1_max + root(f->room > 1.0 ? 1.0 + f->c : f->v_max - f->vt)};
  if (v0 - f->vt + 0.5 * a0 * fabs(a0) > 0.0) {
    const double ap = root(v0 - f->vt + 0.5 * a0 * a0);
    const early_end lo = {a0, a0 >= 0.0 ? a0 + ap : f->c / (ap - a0)};
    f->direct =
        ap < 1.0 ? (sn__otg_point){SN__OTG_RAMPS, lo.p} : (sn__otg_point){SN__OTG_BRAKE_HOLD, a0};
    add_early_turns(f, lo, hi);
  } else if (f->direct.kind == SN__OTG_RAMPS) {
    add_early_turns(f, (early_end){f->direct.x, f->direct.x}, hi);
  }
  if (f->room > 1.0) {
    add_late_turns(f);
  }
}

void sn__otg_family_init(sn__otg_family *f, double v_max, double v0, double a0, double vt) {
  sn__otg_family_direct(f, v0, a0, vt);
  f->v_max = v_max;
  f->room = max2(v_max - v0 + 0.5 * a0 * a0, a0 > 0.0 ? a0 * a0 : 0.0);
  f->count = 0;
  add_turns(f, v0);
  f->cruise_distance =
      f->base + change_distance(v_max + f->w, f->room) + change_distance(v_max + vt, v_max - vt);
  f->cruise_time = change_time(f->room) + change_time(v_max - vt) - a0;
  f->pieces[f->count++] = (sn__otg_piece){SN__OTG_CRUISE, 0.0, INFINITY};
}

/* Where the distance turns from falling to rising or back, inside a piece, in rising order; only
   with a target that moves against the direction. */
static size_t find_turns(const sn__otg_family *f, sn__otg_kind kind, double turns[2]) {
  if (kind == SN__OTG_RAMPS) {
    const double sum = f->w + f->vt;
    const double under = 4.0 * sum * sum - 3.0 * f->c * f->c;
    if (sum >= 0.0 || under <= 0.0) {
      return 0;
    }
    const double larger = (sqrt(under) - 2.0 * sum) / 3.0;
    turns[0] = sqrt(f->c * f->c / (3.0 * larger));
    turns[1] = sqrt(larger);
    return 2;
  }
  if (kind == SN__OTG_BOTH_HOLD) {
    turns[0] = -0.5 - f->vt;
    return 1;
  }
  const double u = kind == SN__OTG_BRAKE_HOLD ? f->w : f->vt;
  const double under = 1.0 - 16.0 * u;
  if (kind == SN__OTG_CRUISE || under <= 0.0) {
    return 0;
  }
  turns[0] = 0.25 * (-1.0 - sqrt(under));
  turns[1] = 0.25 * (-1.0 + sqrt(under));
  return 2;
}

/* An initial guess for Halley's method: from the largest term alone for the ramps, from a chord for
 * the others. */
static double guess(const sn__otg_family *f, sn__otg_kind kind, double rest, double lo, double hi) {
  if (kind == SN__OTG_RAMPS) {
    const double sum = f->w + f->vt;
    const double by_cube = rest > 0.0 ? cbrt(4.0 * rest) : 0.0;
    return sum > 0.0 && rest < by_cube * sum ? rest / sum : by_cube;
  }
  const double u = kind == SN__OTG_BRAKE_HOLD ? f->w : f->vt;
  const double value_lo = hold_value(u, lo);
  return lo + (hi - lo) * (rest - value_lo) / (hold_value(u, hi) - value_lo);
}

/* A distance less the wanted one, its slope and its curvature over x. */
typedef struct taylor {
  double value, slope, curve;
} taylor;

static taylor expand(const sn__otg_family *f, sn__otg_kind kind, double rest, double x) {
  if (kind == SN__OTG_RAMPS) {
    const double sum = f->w + f->vt;
    const double m = f->c == 0.0 ? 0.0 : f->c / x;
    const double ratio = f->c == 0.0 ? 0.0 : m / x;
    return (taylor){x * (0.25 * x * x + sum) - 0.25 * f->c * m - rest,
                    0.75 * x * x + sum + 0.25 * m * m, 1.5 * x - 0.5 * m * ratio};
  }
  const double u = kind == SN__OTG_BRAKE_HOLD ? f->w : f->vt;
  return (taylor){hold_value(u, x) - rest, (x + 1.0) * (x * (2.0 * x + 1.0) + 2.0 * u),
                  6.0 * x * (x + 1.0) + 2.0 * u + 1.0};
}

/* Halley's method inside a bracket in which the distance rises; a step that leaves it becomes a
   bisection, so it always ends. */
static double solve_bracketed(const sn__otg_family *f, sn__otg_kind kind, double rest, double lo,
                              double hi) {
  double x = guess(f, kind, rest, lo, hi);
  x = x > lo && x < hi ? x : x >= hi ? hi : lo;
  double step_before = hi - lo;
  for (int i = 0; i < 100; i++) {
    const taylor t = expand(f, kind, rest, x);
    if (t.value < 0.0) {
      lo = x;
    } else {
      hi = x;
    }
    const double bend = t.value * t.curve;
    const double straight = t.slope * t.slope;
    double next = x - 2.0 * t.value * t.slope / (2.0 * straight - bend);
    double enough = 1e-7; /* the error behind a step is of the order of its third power */
    /* Steps must shrink, and not because the slope vanishes, or this is too far from the solution.
     */
    if (!(next >= lo && next <= hi) || fabs(next - x) > 0.75 * step_before ||
        fabs(bend) > straight) {
      next = 0.5 * (lo + hi);
      enough = 2.3e-16;
    }
    step_before = fabs(next - x);
    x = next;
    if (step_before <= enough * fabs(x)) {
      break;
    }
  }
  return x;
}

static sn__otg_point solve(const sn__otg_family *f, sn__otg_kind kind, double distance, double lo,
                           double hi) {
  const double rest = distance - f->base - kind_offset(f, kind);
  if (kind == SN__OTG_BOTH_HOLD) {
    const double b = 2.0 * f->vt + 1.0; /* x^2 + b x = rest, without cancellation */
    const double far = fabs(b) + root(b * b + 4.0 * rest);
    const double x = b > 0.0 ? 2.0 * rest / far : 0.5 * far;
    return (sn__otg_point){kind, min2(max2(x, lo), hi)};
  }
  return (sn__otg_point){kind, solve_bracketed(f, kind, rest, lo, hi)};
}

/* The first rising part of a piece that comes up to the distance. */
static bool reach_in_piece(const sn__otg_family *f, sn__otg_piece piece, double distance,
                           sn__otg_point *out) {
  double turns[2];
  const size_t count = f->vt < 0.0 ? find_turns(f, piece.kind, turns) : 0;
  double lo = piece.lo;
  for (size_t i = 0; i <= count; i++) {
    const double hi = i < count ? min2(turns[i], piece.hi) : piece.hi;
    if (hi <= lo) {
      continue;
    }
    if (sn__otg_family_distance(f, (sn__otg_point){piece.kind, hi}) >= distance) {
      *out = solve(f, piece.kind, distance, lo, hi);
      return true;
    }
    lo = hi;
  }
  return false;
}

sn__otg_point sn__otg_family_reach(const sn__otg_family *f, double distance, double time_min) {
  const bool is_beyond = f->vt >= 0.0 && distance >= f->cruise_distance; /* the curve only rises */
  for (size_t i = 0; !is_beyond && i + 1 < f->count; i++) {
    sn__otg_piece piece = f->pieces[i];
    if (time_min > 0.0) {
      piece.lo = max2(piece.lo, x_of_time(f, piece.kind, time_min));
      if (piece.lo > piece.hi) {
        continue;
      }
    }
    sn__otg_point found;
    if (reach_in_piece(f, piece, distance, &found)) {
      return found;
    }
  }
  const double cruise = max2((distance - f->cruise_distance) / f->v_max, time_min - f->cruise_time);
  return (sn__otg_point){SN__OTG_CRUISE, max2(cruise, 0.0)};
}

sn__otg_point sn__otg_family_lasting(const sn__otg_family *f, double time) {
  for (size_t i = 0; i + 1 < f->count; i++) {
    const sn__otg_piece piece = f->pieces[i];
    const double x = x_of_time(f, piece.kind, time);
    if (x <= piece.hi) {
      return (sn__otg_point){piece.kind, max2(x, piece.lo)};
    }
  }
  return (sn__otg_point){SN__OTG_CRUISE, max2(time - f->cruise_time, 0.0)};
}

/* How high the acceleration gets, where the velocity limit or holds do not say it. */
static void find_peaks(const sn__otg_family *f, sn__otg_point point, double *a1, double *ap) {
  *a1 = 1.0;
  *ap = 1.0;
  if (point.kind == SN__OTG_RAMPS) {
    const double m = f->c == 0.0 ? 0.0 : f->c / point.x;
    *a1 = 0.5 * (point.x - m);
    *ap = max2(0.5 * (point.x + m), 0.0);
  } else if (point.kind == SN__OTG_BRAKE_HOLD) {
    *a1 = point.x;
  } else if (point.kind == SN__OTG_DRIVE_HOLD) {
    *ap = point.x;
  } else if (point.kind == SN__OTG_CRUISE) {
    *a1 = min2(root(f->room), 1.0);
    *ap = min2(root(f->v_max - f->vt), 1.0);
  }
  *a1 = min2(max2(*a1, f->a0), 1.0);
  *ap = min2(*ap, 1.0);
}

void sn__otg_family_shape(const sn__otg_family *f, sn__otg_point point, sn__otg_shape *shape) {
  double a1;
  double ap;
  find_peaks(f, point, &a1, &ap);
  const bool has_cruise = point.kind == SN__OTG_CRUISE;
  *shape = (sn__otg_shape){.a1 = a1, .ap = ap, .has_cruise = has_cruise};
  shape->time[0] = a1 - f->a0;
  shape->time[2] = point.kind == SN__OTG_RAMPS ? point.x : a1 + ap;
  shape->time[6] = ap;
  switch (point.kind) {
    case SN__OTG_RAMPS:
      break;
    case SN__OTG_BRAKE_HOLD:
      shape->time[5] = max2(f->c + a1 * a1 - 1.0, 0.0);
      break;
    case SN__OTG_DRIVE_HOLD:
      shape->time[1] = max2(ap * ap - f->c - 1.0, 0.0);
      break;
    case SN__OTG_BOTH_HOLD:
      shape->time[1] = max2(point.x - f->c - 1.0, 0.0);
      shape->time[5] = max2(point.x - 1.0, 0.0);
      break;
    case SN__OTG_CRUISE:
      shape->time[1] = max2(f->room - 1.0, 0.0);
      shape->time[2] = a1;
      shape->time[3] = point.x;
      shape->time[4] = ap;
      shape->time[5] = max2(f->v_max - f->vt - 1.0, 0.0);
      break;
  }
}
