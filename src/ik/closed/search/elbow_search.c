/* The solutions of elbow_curve.h: its curves in pieces, and the zeros of the equation along them.
 */
#include <math.h>

#include "ik/closed/geometry/circle_roots.h"
#include "ik/closed/search/elbow_curve.h"
#include "ik/closed/search/zeros.h"

#define PI 3.14159265358979323846

/* Samples of a whole curve: the equation has up to 16 zeros. */
#define SAMPLES_CIRCLE 96.0
#define SAMPLES_ARC_MIN 48.0
/* Bends wider than this need no care; around others this much is searched apart. */
#define BEND_MAX 0.3
#define BEND_REACH 0.25
static void search_piece(const sn__elbow_curve *curve, double from, double to, double per_turn,
                         sn__branches *out) {
  const double wanted = 4.0 + per_turn * (to - from) / (2.0 * PI);
  const int sample_count = (int)fmin(wanted, SN__ZEROS_SAMPLES_MAX - 1);
  sn__zeros zeros = {.count = 0};
  (void)sn__zeros_find(sn__elbow_curve_equation, curve, from, to, sample_count, &zeros);
  for (int i = 0; i < zeros.count; i++) {
    sn__elbow_curve_add(curve, zeros.at[i], out);
  }
}

static void search_both_sides(sn__elbow_curve *curve, double from, double to, double per_turn,
                              sn__branches *out) {
  for (int i = 0; i < 2; i++) {
    curve->piece.side = i == 0 ? 1.0 : -1.0;
    search_piece(curve, from, to, per_turn, out);
  }
}

/* A range of t in which both values of q1 exist: all of it if it is not a turn, else it ends where
 * the two values join. */
typedef struct range {
  bool is_arc;
  double lower, upper;
} range;

/* The part lower .. upper of a range without sharp bends inside. */
static void search_smooth(sn__elbow_curve *curve, const range *whole, double lower, double upper,
                          sn__branches *out) {
  if (!(lower < upper)) {
    return;
  }
  if (!whole->is_arc) {
    curve->piece.kind = SN__ELBOW_PLAIN;
    search_both_sides(curve, lower, upper, SAMPLES_CIRCLE, out);
    return;
  }
  const double middle = 0.5 * (whole->lower + whole->upper);
  const double width = 0.5 * (whole->upper - whole->lower);
  curve->piece = (sn__elbow_piece){.kind = SN__ELBOW_ARC, .middle = middle, .width = width};
  const double per_turn = SAMPLES_ARC_MIN + 1.5 * SAMPLES_CIRCLE * width / PI;
  const double low = (lower - middle) / width, high = (upper - middle) / width;
  if (low <= -1.0 && high >= 1.0) {
    search_piece(curve, 0.0, 2.0 * PI, per_turn, out);
    return;
  }
  const double from = high >= 1.0 ? 0.0 : acos(high), to = low <= -1.0 ? PI : acos(low);
  search_piece(curve, from, to, per_turn, out);
  search_piece(curve, 2.0 * PI - to, 2.0 * PI - from, per_turn, out);
}

/* Where the gap nearly closes, q1 turns by up to half a turn within @p width. */
typedef struct bend {
  double at, width;
} bend;

/* The bends of all curves, in -pi .. pi. The gap has an extremum where its derivative, a quadratic
 * polynomial on the circle as well, is zero. */
static int find_bends(const sn__elbow_curve *curve, bend list[4]) {
  const double *g = curve->gap;
  const double slope[6] = {0.0, g[2], -g[1], g[4], 2.0 * (g[5] - g[3]), -g[4]};
  sn__turn root[4];
  const int count = sn__circle_roots(slope, 0.0, root);
  int found = 0;
  for (int i = 0; i < count; i++) {
    const double c = root[i].c, s = root[i].s;
    const double gap = g[0] + g[1] * c + g[2] * s + g[3] * c * c + g[4] * c * s + g[5] * s * s;
    const double curvature = slope[2] * c - slope[1] * s + 2.0 * slope[3] * (-c * s - s * c) +
                             slope[4] * (c * c - s * s);
    if (gap > 0.0 && curvature > 0.0 && 2.0 * gap < BEND_MAX * BEND_MAX * curvature) {
      list[found++] = (bend){atan2(s, c), fmax(sqrt(2.0 * gap / curvature), 1e-9)};
    }
  }
  return found;
}

/* Where bends are sharp, x is stretched so that they look as smooth as the rest: in the complex
 * plane the singularities at +-i width move to +-i pi/2. */
static void search_bend(sn__elbow_curve *curve, const bend *b, double lower, double upper,
                        sn__branches *out) {
  curve->piece = (sn__elbow_piece){.kind = SN__ELBOW_SHARP, .middle = b->at, .width = b->width};
  search_both_sides(curve, asinh((lower - b->at) / b->width), asinh((upper - b->at) / b->width),
                    SAMPLES_CIRCLE, out);
}

/* The part lower .. upper of a range: its sharp bends one by one, and what is between. */
static void search_range(sn__elbow_curve *curve, const range *whole, double lower, double upper,
                         const bend *bends, int bend_count, sn__branches *out) {
  double from = fmax(lower, whole->lower);
  const double to = fmin(upper, whole->upper);
  while (from < to) {
    const bend *next = NULL;
    bend shifted = {0.0, 0.0};
    for (int i = 0; i < bend_count; i++) { /* the first one that ends behind `from` */
      bend b = bends[i];
      b.at += 2.0 * PI * ceil((from + 1e-9 - BEND_REACH - b.at) / (2.0 * PI));
      if (next == NULL || b.at < shifted.at) {
        shifted = b;
        next = &bends[i];
      }
    }
    const double start = next == NULL ? to : fmin(to, fmax(from, shifted.at - BEND_REACH));
    search_smooth(curve, whole, from, start, out);
    from = start;
    if (from < to) {
      const double end = fmin(to, shifted.at + BEND_REACH);
      search_bend(curve, &shifted, from, end, out);
      from = end > from ? end : to;
    }
  }
}

static double gap_at(const sn__elbow_curve *curve, double angle_rad) {
  const double *g = curve->gap;
  const double c = cos(angle_rad), s = sin(angle_rad);
  return g[0] + g[1] * c + g[2] * s + g[3] * c * c + g[4] * c * s + g[5] * s * s;
}

/* The ranges of t, in one turn. */
static int find_ranges(const sn__elbow_curve *curve, range list[4]) {
  sn__turn root[4];
  double border[5] = {0.0};
  const int count = sn__circle_roots(curve->gap, 0.0, root);
  if (count == 0) {
    list[0] = (range){false, -PI, PI};
    return gap_at(curve, 0.0) > 0.0 ? 1 : 0;
  }
  for (int i = 0; i < count; i++) {
    const double angle = atan2(root[i].s, root[i].c);
    int at = i;
    for (; at > 0 && border[at - 1] > angle; at--) {
      border[at] = border[at - 1];
    }
    border[at] = angle;
  }
  border[count] = border[0] + 2.0 * PI;
  int found = 0;
  for (int i = 0; i < count; i++) {
    if (border[i] < border[i + 1] && gap_at(curve, 0.5 * (border[i] + border[i + 1])) > 0.0) {
      list[found++] = (range){true, border[i], border[i + 1]};
    }
  }
  return found;
}

void sn__elbow_curve_solve(sn__elbow_curve *curve, double lower, double upper, sn__branches *out) {
  const bool is_anywhere = !(upper - lower < 2.0 * PI);
  range ranges[4];
  bend bends[4];
  const int range_count = find_ranges(curve, ranges);
  const int bend_count = find_bends(curve, bends);
  for (int i = 0; i < range_count; i++) {
    range r = ranges[i];
    if (is_anywhere) {
      search_range(curve, &r, r.lower, r.upper, bends, bend_count, out);
      continue;
    }
    /* The limits of the joint may be some turns away. */
    const double shift = 2.0 * PI * ceil((lower - r.upper) / (2.0 * PI));
    for (r.lower += shift, r.upper += shift; r.lower < upper;
         r.lower += 2.0 * PI, r.upper += 2.0 * PI) {
      search_range(curve, &r, lower, upper, bends, bend_count, out);
    }
  }
}
