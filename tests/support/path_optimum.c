#include "path_optimum.h"

#include <math.h>
#include <stdlib.h>

#include "path/joint_path.h"
#include "sn_test.h"

enum { ROWS_MAX = 2 * 16 + 8 };

/* a x + b u <= c, with x the square of the rate of the way and u its acceleration. */
typedef struct row {
  double a, b, c;
} row;

typedef struct station {
  size_t count;
  row rows[ROWS_MAX];
  double x_max;     /* by velocity */
  double reachable; /* the greatest x from which the end is reached */
  double step;      /* of the way to the next one */
} station;

static void add_row(station *at, double a, double b, double c) {
  at->rows[at->count++] = (row){a, b, c};
}

static void set_station(station *at, const sn__joint_path *path, size_t segment, double s,
                        const sn_otg_limits *limits) {
  const size_t n = path->joint_count;
  const double *c = path->coef + 4 * segment * n;
  at->count = 0;
  at->x_max = INFINITY;
  for (size_t j = 0; j < n; j++) {
    const double first = c[n + j] + s * (2.0 * c[2 * n + j] + 3.0 * s * c[3 * n + j]);
    const double second = 2.0 * c[2 * n + j] + 6.0 * s * c[3 * n + j];
    const double v = limits[j].velocity / fabs(first);
    at->x_max = fmin(at->x_max, v * v);
    add_row(at, second, first, limits[j].acceleration);
    add_row(at, -second, -first, limits[j].acceleration);
  }
}

/* The range of u for an x; empty if the first is above the second. */
static void range_of(const station *at, double x, double range[2]) {
  range[0] = -INFINITY;
  range[1] = INFINITY;
  for (size_t i = 0; i < at->count; i++) {
    const row *r = &at->rows[i];
    const double rest = r->c - r->a * x;
    if (r->b > 0.0) {
      range[1] = fmin(range[1], rest / r->b);
    } else if (r->b < 0.0) {
      range[0] = fmax(range[0], rest / r->b);
    } else if (rest < 0.0) {
      range[0] = INFINITY;
    }
  }
}

/* Whether some u leads from x to the next station, at most at its reachable x. */
static bool reaches(const station *at, double x, double next) {
  double range[2];
  range_of(at, x, range);
  return range[0] <= range[1] && x + 2.0 * at->step * range[0] <= next &&
         x + 2.0 * at->step * range[1] >= 0.0;
}

/* Those x are an interval from zero on. */
static double greatest_reaching(const station *at, double next) {
  double low = 0.0;
  double high = at->x_max;
  if (reaches(at, high, next)) {
    return high;
  }
  for (int i = 0; i < 100; i++) {
    const double middle = 0.5 * (low + high);
    if (reaches(at, middle, next)) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

static double walk(station *stations, size_t count) {
  stations[count - 1].reachable = 0.0;
  for (size_t i = count - 1; i-- > 0;) {
    stations[i].reachable = greatest_reaching(&stations[i], stations[i + 1].reachable);
  }
  double duration = 0.0;
  double x = 0.0;
  for (size_t i = 0; i + 1 < count; i++) {
    double range[2];
    range_of(&stations[i], x, range);
    const double next = fmin(x + 2.0 * stations[i].step * range[1], stations[i + 1].reachable);
    duration += 2.0 * stations[i].step / (sqrt(x) + sqrt(next));
    x = next;
  }
  return duration;
}

double path_optimum(const double *q, size_t count, const sn_otg_limits *limits, size_t joint_count,
                    size_t grid) {
  sn_arena arena;
  sn__joint_path path;
  double speed[16];
  sn_arena_init_growing(&arena, "optimum", 1u << 20);
  for (size_t j = 0; j < joint_count; j++) {
    speed[j] = limits[j].velocity;
  }
  assert_int_equal(sn__joint_path_create(&arena, joint_count, count, &path, NULL), SN_OK);
  sn__joint_path_fit(&path, &(sn__waypoints){.q = q, .count = count, .speed = speed});
  const size_t total = path.segment_count * grid + 1;
  station *stations = SN_NEW(&arena, station, total);
  assert_non_null(stations);
  for (size_t i = 0; i < total; i++) {
    const size_t segment = i / grid < path.segment_count ? i / grid : path.segment_count - 1;
    const double step = path.width[segment] / (double)grid;
    set_station(&stations[i], &path, segment, step * (double)(i - segment * grid), limits);
    stations[i].step = step;
  }
  const double duration = walk(stations, total);
  sn_arena_release(&arena);
  return duration;
}
