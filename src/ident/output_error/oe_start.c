/* Starting values: least squares of the law on a motion that is smoothed by parabolas through
   neighbours. Biased, but of the right size, whatever units kp implies. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "ident/output_error/oe_params.h"
#include "sinew/dense.h"

enum { COLUMNS = 6, ROWS_MIN = 50 };
#define WINDOW_S 0.025 /* on each side */
#define SPEED_MIN 0.05 /* rad/s */
#define BACKLASH_RAD 0.005

typedef enum column { SPEED, DRY, TORQUE, ACCEL, LOAD, LOAD_SQUARE } column;

typedef struct normal {
  double a[COLUMNS * COLUMNS];
  double b[COLUMNS];
  double square; /* of the left side */
  size_t rows;
} normal;

typedef struct motion {
  double q, qd, qdd;
} motion;

/* The parabola through the neighbours of a sample; times may be uneven. */
static bool fit_parabola(const sn__servo_log *log, size_t i, motion *out) {
  const sn__log_sample *s = log->samples;
  size_t first = i;
  size_t last = i;
  while (first > 0 && s[i].time_s - s[first - 1].time_s <= WINDOW_S) {
    first--;
  }
  while (last + 1 < log->count && s[last + 1].time_s - s[i].time_s <= WINDOW_S) {
    last++;
  }
  first = first > 0 && i - first < 2 ? first - 1 : first;
  last = last + 1 < log->count && last - i < 2 ? last + 1 : last;
  if (last - first < 3) {
    return false;
  }
  double a[9] = {0};
  double b[3] = {0};
  for (size_t k = first; k <= last; k++) {
    const double t = (s[k].time_s - s[i].time_s) / WINDOW_S;
    const double x[3] = {1.0, t, t * t};
    for (size_t r = 0; r < 3; r++) {
      b[r] += x[r] * s[k].position;
      for (size_t c = 0; c < 3; c++) {
        a[3 * r + c] += x[r] * x[c];
      }
    }
  }
  if (!sn_cholesky_factor(3, a)) {
    return false;
  }
  sn_cholesky_solve(3, a, b);
  *out = (motion){b[0], b[1] / WINDOW_S, 2.0 * b[2] / (WINDOW_S * WINDOW_S)};
  return true;
}

static void add_row(const sn__servo_log *log, const sn_servo_params *p, size_t i, normal *n) {
  const sn__log_sample *s = &log->samples[i];
  motion m;
  if (s->is_limp || !fit_parabola(log, i, &m) || fabs(m.qd) < SPEED_MIN) {
    return;
  }
  const double duty = p->kp * log->gain * (s->goal / p->kgear - m.q);
  if (p->ext.drive_max > 0.0 && fabs(duty) > 0.98 * p->ext.drive_max) {
    return;
  }
  const double tau =
      sn__pendulum_inertia(&log->load) * m.qdd + sn__pendulum_torque_at(&log->load, m.q);
  const double sign = copysign(1.0, m.qd);
  const double x[COLUMNS] = {m.qd, sign, tau, m.qdd, sign * fabs(tau), sign * tau * tau};
  const double y = duty * log->voltage;
  for (size_t r = 0; r < COLUMNS; r++) {
    n->b[r] += x[r] * y;
    for (size_t c = 0; c < COLUMNS; c++) {
      n->a[COLUMNS * r + c] += x[r] * x[c];
    }
  }
  n->square += y * y;
  n->rows++;
}

/* Solve for the wanted columns. @return the most negative of them, COLUMNS if none is */
static size_t solve_wanted(const normal *n, const bool *wanted, double *x) {
  size_t at[COLUMNS];
  size_t count = 0;
  for (size_t c = 0; c < COLUMNS; c++) {
    x[c] = 0.0;
    if (wanted[c] && n->a[COLUMNS * c + c] > 0.0) {
      at[count++] = c;
    }
  }
  double a[COLUMNS * COLUMNS];
  double b[COLUMNS];
  for (size_t r = 0; r < count; r++) {
    const double scale_r = 1.0 / sqrt(n->a[COLUMNS * at[r] + at[r]]);
    b[r] = n->b[at[r]] * scale_r;
    for (size_t c = 0; c < count; c++) {
      const double scale_c = 1.0 / sqrt(n->a[COLUMNS * at[c] + at[c]]);
      a[count * r + c] = n->a[COLUMNS * at[r] + at[c]] * scale_r * scale_c + (r == c ? 1e-6 : 0.0);
    }
  }
  if (count == 0 || !sn_cholesky_factor(count, a)) {
    return COLUMNS;
  }
  sn_cholesky_solve(count, a, b);
  size_t worst = COLUMNS;
  double least = 0.0;
  for (size_t r = 0; r < count; r++) {
    x[at[r]] = b[r] / sqrt(n->a[COLUMNS * at[r] + at[r]]);
    if (b[r] < least) {
      least = b[r];
      worst = at[r];
    }
  }
  return worst;
}

/* All columns that come out negative are left out, one by one. */
static void solve_positive(const normal *n, const sn__oe_config *config, double *x) {
  bool wanted[COLUMNS] = {true, true, true, true, true, true};
  wanted[LOAD] = config->model != SN__OE_BASIC;
  wanted[LOAD_SQUARE] = config->model == SN__OE_FULL;
  for (int k = 0; k < COLUMNS; k++) {
    const size_t worst = solve_wanted(n, wanted, x);
    if (worst == COLUMNS) {
      return;
    }
    wanted[worst] = false;
  }
}

size_t sn__oe_limp_rows(const sn__servo_log *logs, size_t count) {
  size_t limp = 0;
  for (size_t k = 0; k < count; k++) {
    for (size_t i = 0; i < logs[k].count; i++) {
      limp += logs[k].samples[i].is_limp;
    }
  }
  return limp;
}

sn_status sn__oe_start(const sn__oe_config *config, const sn_servo_params *params,
                       const sn__servo_log *logs, size_t count, double value[SN__OE_COUNT],
                       sn_error *err) {
  normal n = {.rows = 0};
  for (size_t k = 0; k < count; k++) {
    for (size_t i = 0; i < logs[k].count; i++) {
      add_row(&logs[k], params, i, &n);
    }
  }
  const size_t limp = sn__oe_limp_rows(logs, count);
  if (n.rows < ROWS_MIN) {
    return sn__fail(err, SN_EINVAL,
                    "%zu rows in which the servo drives its load and is not at its limit, expected "
                    "%d (%zu rows are limp): move it more%s",
                    n.rows, ROWS_MIN, limp,
                    limp > 0 ? " with its torque on" : ", or with a lower gain");
  }
  double x[COLUMNS] = {0};
  solve_positive(&n, config, x);
  const double volts = sqrt(n.square / (double)n.rows); /* what is zero starts at a part of this */
  double mean[COLUMNS];
  for (size_t c = 0; c < COLUMNS; c++) {
    mean[c] = sqrt(n.a[COLUMNS * c + c] / (double)n.rows);
    x[c] = fmax(x[c], 0.02 * volts / fmax(mean[c], 1e-9));
  }
  memset(value, 0, SN__OE_COUNT * sizeof *value);
  const bool is_apart = config->model != SN__OE_BASIC && limp > 0;
  value[SN__OE_ALPHA0] = is_apart ? (1.0 - SN__OE_BACK_EMF_PART) * x[SPEED] : x[SPEED];
  value[SN__OE_BACK_EMF] = SN__OE_BACK_EMF_PART * x[SPEED];
  value[SN__OE_ALPHA1] = x[DRY];
  value[SN__OE_ALPHA2] = 0.3 * x[DRY];
  value[SN__OE_QS] = params->qs;
  value[SN__OE_ALPHA3] = x[TORQUE];
  value[SN__OE_INERTIA] = x[ACCEL];
  value[SN__OE_LOAD] = x[LOAD];
  value[SN__OE_LOAD_SQUARE] = x[LOAD_SQUARE];
  value[SN__OE_BACK_LOAD] = x[LOAD];
  value[SN__OE_BACK_LOAD_SQUARE] = x[LOAD_SQUARE];
  value[SN__OE_BACKLASH] = BACKLASH_RAD;
  return SN_OK;
}
