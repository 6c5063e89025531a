/* The search of qs and delta. All others enter linearly and are solved for at each trial, so the
   search has two dimensions only: a coarse grid, then Nelder and Mead's simplex (1965). */
#include <math.h>

#include "ident/offline/ident_work.h"

#define QS_MIN 0.003
#define QS_MAX 3.0
#define DELTA_MIN 0.3
#define DELTA_MAX 4.0

/* Below this velocity, rad/s, the shape is looked for at least. */
#define SLOW_MIN 0.8

/* Samples that a search looks at: more would only take longer. */
enum { SAMPLES_MAX = 60000 };

typedef struct search {
  const sn__ident_work *work;
  sn__ident_setup *setup;
  const bool *columns;
  sn__ident_row *rows;
} search;

typedef struct point {
  double at[2]; /* logarithms of qs and delta */
  double cost;
} point;

static double cost_at(search *s, const double *at) {
  const double qs = exp(at[0]);
  const double delta = exp(at[1]);
  if (!(qs >= QS_MIN && qs <= QS_MAX && delta >= DELTA_MIN && delta <= DELTA_MAX)) {
    return INFINITY;
  }
  s->setup->params.qs = qs;
  s->setup->params.delta = delta;
  const size_t count = sn__ident_rows(s->work, s->setup, s->rows);
  const sn_servo_params *p = &s->setup->params;
  const double fixed[SN_IDENT_PARAM_COUNT] = {
      [SN_IDENT_ALPHA3] = p->alpha[3], [SN_IDENT_INERTIA] = p->inertia};
  sn__ident_solution solution;
  return sn__ident_solve(s->work, s->rows, count, s->columns, fixed, &solution)
             ? solution.square_sum
             : INFINITY;
}

static point make_point(search *s, double log_qs, double log_delta) {
  point p = {.at = {log_qs, log_delta}};
  p.cost = cost_at(s, p.at);
  return p;
}

static point best_of_grid(search *s) {
  static const double deltas[] = {0.5, 1.0, 2.0};
  enum { QS_COUNT = 11 };
  point best = make_point(s, log(s->setup->params.qs), log(s->setup->params.delta));
  for (int i = 0; i < QS_COUNT; i++) {
    for (size_t k = 0; k < sizeof deltas / sizeof *deltas; k++) {
      const point p = make_point(s, log(0.01 * pow(1.6, i)), log(deltas[k]));
      best = p.cost < best.cost ? p : best;
    }
  }
  return best;
}

static void sort(point p[3]) {
  for (size_t i = 0; i < 2; i++) {
    for (size_t j = 0; j < 2 - i; j++) {
      if (p[j + 1].cost < p[j].cost) {
        const point swap = p[j];
        p[j] = p[j + 1];
        p[j + 1] = swap;
      }
    }
  }
}

/* A point on the line from the worst one through the middle of the others. */
static point along(search *s, const point p[3], double factor) {
  double at[2];
  for (size_t k = 0; k < 2; k++) {
    const double middle = 0.5 * (p[0].at[k] + p[1].at[k]);
    at[k] = middle + factor * (p[2].at[k] - middle);
  }
  return make_point(s, at[0], at[1]);
}

static void improve(search *s, point p[3]) {
  const point mirrored = along(s, p, -1.0);
  if (mirrored.cost < p[0].cost) {
    const point further = along(s, p, -2.0);
    p[2] = further.cost < mirrored.cost ? further : mirrored;
  } else if (mirrored.cost < p[1].cost) {
    p[2] = mirrored;
  } else {
    const point nearer = along(s, p, mirrored.cost < p[2].cost ? -0.5 : 0.5);
    if (nearer.cost < fmin(mirrored.cost, p[2].cost)) {
      p[2] = nearer;
      return;
    }
    for (size_t i = 1; i < 3; i++) {
      p[i] = make_point(s, 0.5 * (p[i].at[0] + p[0].at[0]), 0.5 * (p[i].at[1] + p[0].at[1]));
    }
  }
}

void sn__ident_fit_stribeck(const sn__ident_work *work, sn__ident_setup *setup,
                            const bool columns[SN_IDENT_PARAM_COUNT], sn__ident_row *rows) {
  search s = {work, setup, columns, rows};
  const size_t end = setup->end;
  setup->end = end < SAMPLES_MAX ? end : SAMPLES_MAX;
  setup->slow_velocity = fmax(setup->slow_velocity, SLOW_MIN); /* the same data at each trial */
  point p[3];
  p[0] = best_of_grid(&s);
  const double limits_qs[2] = {log(QS_MIN), log(QS_MAX)};
  const double step_qs = p[0].at[0] + 0.2 < limits_qs[1] ? 0.2 : -0.2;
  const double step_delta = p[0].at[1] + 0.2 < log(DELTA_MAX) ? 0.2 : -0.2;
  p[1] = make_point(&s, p[0].at[0] + step_qs, p[0].at[1]);
  p[2] = make_point(&s, p[0].at[0], p[0].at[1] + step_delta);
  for (int i = 0; i < 120; i++) {
    sort(p);
    const double size = fabs(p[2].at[0] - p[0].at[0]) + fabs(p[2].at[1] - p[0].at[1]) +
                        fabs(p[1].at[0] - p[0].at[0]) + fabs(p[1].at[1] - p[0].at[1]);
    if (size < 1e-7) {
      break;
    }
    improve(&s, p);
  }
  sort(p);
  setup->params.qs = exp(p[0].at[0]);
  setup->params.delta = exp(p[0].at[1]);
  setup->end = end;
}
