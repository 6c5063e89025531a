#include "ik/closed/slide.h"

#include <string.h>

#include "ik/closed/normal6.h"
#include "ik/closed/polish.h"

#define JOINTS 7
#define ROUNDS_MAX 14
/* rad: one step, and what counts as arrived; the distance is then known to its square. */
#define STEP_MAX 0.4
#define STEP_MIN 1e-6
/* A solution, as exact as arithmetic makes it. */
#define MISS_GOAL 1e-13
#define MISS_PROPER 1e-9
#define POLISH_MAX 8

void sn__slide_init(sn__slide *slide, const sn__frames *frames, sn_pose target, const double *lower,
                    const double *upper, const double *prefer) {
  double length_m = sn_vec3_norm(frames->tip.pos);
  for (int j = 1; j < JOINTS; j++) {
    length_m += sn_vec3_norm(frames->shift[j]);
  }
  length_m = length_m > 0.0 ? 0.5 * length_m : 1.0;
  *slide = (sn__slide){.frames = frames,
                       .target = target,
                       .lower = lower,
                       .upper = upper,
                       .prefer = prefer,
                       .length_m = length_m};
}

/* The Jacobian by columns, and the error of the pose. */
typedef struct linear {
  double column[JOINTS][6];
  double error[6];
} linear;

static void linearise(const sn__slide *slide, const double *q, linear *out) {
  sn_vec3 axis[JOINTS], place[JOINTS];
  const sn_pose tip = sn__frames_trace(slide->frames, q, axis, place);
  const double unit = 1.0 / slide->length_m;
  const sn_vec3 shift = sn_vec3_scale(sn_vec3_sub(slide->target.pos, tip.pos), unit);
  const sn_vec3 turn = sn__rotation_error(tip.rot, slide->target.rot);
  const double error[6] = {shift.x, shift.y, shift.z, turn.x, turn.y, turn.z};
  memcpy(out->error, error, sizeof error);
  for (int j = 0; j < JOINTS; j++) {
    const sn_vec3 z = axis[j];
    const sn_vec3 v = sn_vec3_scale(sn_vec3_cross(z, sn_vec3_sub(tip.pos, place[j])), unit);
    const double column[6] = {v.x, v.y, v.z, z.x, z.y, z.z};
    memcpy(out->column[j], column, sizeof column);
  }
}

/* L of J J^T = L L^T. */
static bool factor(const linear *l, double normal[6][6]) {
  memset(normal, 0, 36 * sizeof(double));
  for (int j = 0; j < JOINTS; j++) {
    for (int r = 0; r < 6; r++) {
      for (int c = 0; c <= r; c++) {
        normal[r][c] += l->column[j][r] * l->column[j][c];
      }
    }
  }
  return sn__factor6(normal);
}

static double dot(const double *a, const double *b) {
  double sum = 0.0;
  for (int j = 0; j < JOINTS; j++) {
    sum += a[j] * b[j];
  }
  return sum;
}

bool sn__slide_tangent(const sn__slide *slide, const double *q, sn__tangent *out) {
  linear l;
  double normal[6][6];
  linearise(slide, q, &l);
  if (!factor(&l, normal)) {
    return false;
  }
  double along[6] = {0.0};
  for (int j = 0; j < JOINTS; j++) {
    out->toward[j] = slide->prefer[j] - q[j];
    for (int r = 0; r < 6; r++) {
      along[r] += l.column[j][r] * out->toward[j];
    }
  }
  sn__solve6(normal, along);
  sn__solve6(normal, l.error);
  for (int j = 0; j < JOINTS; j++) {
    out->fix[j] = 0.0;
    for (int r = 0; r < 6; r++) {
      out->toward[j] -= l.column[j][r] * along[r];
      out->fix[j] += l.column[j][r] * l.error[r];
    }
  }
  return true;
}

/* How much of a step the limits admit, 0 .. 1. @param stop  the joint that stops it, or -1 */
static double admit(const sn__slide *slide, const double *q, const double *step, int *stop) {
  double share = 1.0;
  *stop = -1;
  for (int j = 0; j < JOINTS; j++) {
    const double room = step[j] > 0.0 ? slide->upper[j] - q[j] : slide->lower[j] - q[j];
    if (fabs(step[j]) > fabs(room) && fabs(room) < share * fabs(step[j])) {
      share = fabs(room / step[j]);
      *stop = j;
    }
  }
  return share;
}

/* Where the derivative of half the squared distance vanishes along the curve, by secants: the
   derivative is known, and would be linear if the curve were straight.
   @return the joint that its limit stops, or -1 */
static int approach(const sn__slide *slide, double *q) {
  double forward[JOINTS] = {0.0};
  double last_slope = 0.0, last_step = 0.0;
  for (int round = 0; round < ROUNDS_MAX; round++) {
    sn__tangent t;
    if (!sn__slide_tangent(slide, q, &t)) {
      break;
    }
    const double size = sqrt(dot(t.toward, t.toward));
    if (size < STEP_MIN) {
      break;
    }
    const double sense = dot(t.toward, forward) < 0.0 ? -1.0 : 1.0;
    for (int j = 0; j < JOINTS; j++) {
      forward[j] = sense * t.toward[j] / size;
    }
    const double slope = sense * size;
    double bend = 1.0; /* second derivative */
    if (round > 0) {
      bend = fmin(5.0, fmax(0.2, (last_slope - slope) / last_step));
    }
    const double step = fmin(STEP_MAX, fmax(-STEP_MAX, slope / bend));
    double move[JOINTS];
    for (int j = 0; j < JOINTS; j++) {
      move[j] = step * forward[j] + t.fix[j];
    }
    int stop = -1;
    const double share = admit(slide, q, move, &stop);
    for (int j = 0; j < JOINTS; j++) {
      q[j] = fmin(slide->upper[j], fmax(slide->lower[j], q[j] + share * move[j]));
    }
    if (stop >= 0) {
      return stop;
    }
    if (fabs(step) < STEP_MIN) {
      break;
    }
    last_slope = slope;
    last_step = step;
  }
  return -1;
}

static double distance_squared(const sn__slide *slide, const double *q) {
  double sum = 0.0;
  for (int j = 0; j < JOINTS; j++) {
    sum += (q[j] - slide->prefer[j]) * (q[j] - slide->prefer[j]);
  }
  return sum;
}

bool sn__slide_run(const sn__slide *slide, double *q) {
  double next[JOINTS], lower[JOINTS], upper[JOINTS];
  memcpy(next, q, sizeof next);
  memcpy(lower, slide->lower, sizeof lower);
  memcpy(upper, slide->upper, sizeof upper);
  const int stop = approach(slide, next);
  if (stop >= 0) {
    const double middle = 0.5 * (lower[stop] + upper[stop]);
    next[stop] = next[stop] > middle ? upper[stop] : lower[stop];
    lower[stop] = upper[stop] = next[stop];
  }
  const sn__miss miss =
      sn__frames_polish(slide->frames, slide->target, lower, upper, MISS_GOAL, POLISH_MAX, next);
  if (!(miss.position_m <= MISS_PROPER && miss.rotation_rad <= MISS_PROPER) ||
      !(distance_squared(slide, next) < distance_squared(slide, q))) {
    return false;
  }
  memcpy(q, next, sizeof next);
  return true;
}
