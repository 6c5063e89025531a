#include "ik/numeric/descent.h"

#include <math.h>
#include <string.h>

#include "ik/numeric/gram.h"
#include "ik/pose_error.h"

/* Damping per squared error; 0.01 .. 0.1 do equally well. */
static const double damping_gain = 0.03;
/* Keeps the 6 x 6 system regular at a singularity, where the error may be zero. */
static const double damping_min = 1e-10;
/* Damping of a step in the null space, which need not be exact: the tip is corrected afterwards. */
static const double damping_wish = 1e-6;
/* A longer step leaves the region where the Jacobian is valid. */
static const double step_max = 1.0;
/* Iterations times coordinates between two readings of the clock: about 25 us. Reading it costs
 * time, and a query that is interrupted past its deadline may still finish if it is this close. */
enum { WORK_PER_CLOCK = 448 };

bool sn__descent_create(sn_arena *arena, const sn__serial *serial, sn__descent *out) {
  const size_t n = serial->coord_count;
  sn__descent descent = {.serial = serial};
  descent.lower = SN_NEW(arena, double, n);
  descent.upper = SN_NEW(arena, double, n);
  descent.step = SN_NEW(arena, double, n);
  descent.locked = SN_NEW(arena, bool, n);
  descent.fixed = SN_NEW(arena, bool, n);
  descent.kept = SN_NEW(arena, double, n);
  const bool has_data = sn__serial_data_create(arena, serial, &descent.data);
  *out = descent;
  return has_data && descent.lower != NULL && descent.upper != NULL && descent.step != NULL &&
         descent.locked != NULL && descent.fixed != NULL && descent.kept != NULL;
}

void sn__descent_set_target(sn__descent *descent, sn_pose target) {
  target.pos = sn_vec3_scale(target.pos, 1.0 / descent->serial->length_m);
  descent->pose_target_first = sn_pose_between(target, descent->serial->pose_base_first);
}

static void keep_best(sn__descent *descent, const double *y, double position2, double rotation2) {
  const double length_m = descent->serial->length_m;
  const double error = position2 * length_m * length_m + rotation2;
  if (error < descent->best_squared) {
    descent->best_squared = error;
    memcpy(descent->best, y, descent->serial->coord_count * sizeof *y);
  }
}

bool sn__descent_evaluate(sn__descent *descent, const double *y) {
  const sn__serial *serial = descent->serial;
  sn__serial_data *data = &descent->data;
  sn__serial_forward(serial, &descent->pose_target_first, y, data);
  sn__serial_jacobian(serial, data);
  descent->error = sn__pose_error(&data->tip, descent->free_axes);
  sn__pose_error_columns(&data->tip, descent->free_axes, serial->coord_count, data->column);
  const sn__pair squares = sn__vec3_pair_products(descent->error, descent->error);
  const double rotation2 = squares[0], position2 = squares[1];
  descent->error_squared = position2 + rotation2;
  if (descent->best != NULL) {
    keep_best(descent, y, position2, rotation2);
  }
  return position2 <= descent->position_tolerance * descent->position_tolerance &&
         rotation2 <= descent->rotation_tolerance * descent->rotation_tolerance;
}

double sn__descent_error(sn__descent *descent, const double *y) {
  sn__serial_forward(descent->serial, &descent->pose_target_first, y, &descent->data);
  return sqrt(
      sn__pose_error_squared(&descent->data.tip, descent->serial->length_m, descent->free_axes));
}

/* A joint on its limit that the error pushes outwards stays there. */
static void fix_pushed(sn__descent *descent, const double *y) {
  for (size_t i = 0; i < descent->serial->coord_count; i++) {
    descent->step[i] = 0.0;
    descent->fixed[i] = descent->locked[i];
    if (y[i] <= descent->lower[i] || y[i] >= descent->upper[i]) {
      const double push = sn__vec3_pair_dot(descent->data.column[i], descent->error);
      const bool outwards = y[i] <= descent->lower[i] ? push < 0.0 : push > 0.0;
      descent->fixed[i] |= outwards || descent->lower[i] == descent->upper[i];
    }
  }
}

/* Put joints whose step leaves the limits on them; their motion is subtracted from @p missing.
   @return true if there were any */
static bool fix_leaving(sn__descent *descent, const double *y, sn__vec3_pair *missing) {
  bool some = false;
  for (size_t i = 0; i < descent->serial->coord_count; i++) {
    const double there = y[i] + descent->step[i];
    if (!descent->fixed[i] && (there < descent->lower[i] || there > descent->upper[i])) {
      const double limit = there < descent->lower[i] ? descent->lower[i] : descent->upper[i];
      descent->step[i] = limit - y[i];
      descent->fixed[i] = true;
      *missing = sn__vec3_pair_add_scaled(*missing, -descent->step[i], descent->data.column[i]);
      some = true;
    }
  }
  return some;
}

/* The step of the joints that are not fixed: J^T (J J^T + lambda)^-1 missing. */
static void solve_step(sn__descent *descent, double lambda, sn__vec3_pair missing) {
  const size_t n = descent->serial->coord_count;
  sn__gram gram = sn__gram_damping(lambda);
  for (size_t i = 0; i < n; i++) {
    if (!descent->fixed[i]) {
      sn__gram_add(&gram, descent->data.column[i]);
    }
  }
  const sn__vec3_pair x = sn__gram_solve(&gram, missing);
  for (size_t i = 0; i < n; i++) {
    if (!descent->fixed[i]) {
      descent->step[i] = sn__vec3_pair_dot(descent->data.column[i], x);
    }
  }
}

static double limited(double x, double lower, double upper) {
  return x < lower ? lower : x > upper ? upper : x;
}

/* Apply the step, scaled down to @p length_max. @return its largest entry before that */
static double apply_step(const sn__descent *descent, double length_max, double *y) {
  const size_t n = descent->serial->coord_count;
  double longest = 0.0;
  for (size_t i = 0; i < n; i++) {
    const double length = fabs(descent->step[i]);
    longest = length > longest ? length : longest;
  }
  const double scale = longest > length_max ? length_max / longest : 1.0;
  for (size_t i = 0; i < n; i++) {
    const double there = y[i] + scale * descent->step[i];
    y[i] = limited(there, descent->lower[i], descent->upper[i]);
  }
  return longest;
}

/* After four rounds whatever still leaves is stopped at its limit by apply_step(). */
enum { ROUNDS = 4 };

static void advance(sn__descent *descent, double *y) {
  const double lambda = damping_gain * descent->error_squared + damping_min;
  sn__vec3_pair missing = descent->error;
  fix_pushed(descent, y);
  for (int round = 0; round < ROUNDS; round++) {
    solve_step(descent, lambda, missing);
    if (!fix_leaving(descent, y, &missing)) {
      break;
    }
  }
  apply_step(descent, step_max, y);
}

bool sn__descent_is_late(sn__descent *descent) {
  const size_t every = WORK_PER_CLOCK / (descent->serial->coord_count + 1) + 1;
  descent->clock_next = descent->iterations + every;
  return sn_clock_now_ns(descent->clock) >= descent->deadline_ns;
}

sn__descent_end sn__descent_run(sn__descent *descent, const sn__descent_budget *budget, double *y) {
  double mark = 0.0; /* squared error at the last progress */
  int stalled = 0;
  for (int i = 1;; i++) {
    descent->iterations++;
    if (sn__descent_evaluate(descent, y)) {
      return SN__DESCENT_SOLVED;
    }
    if (i == 1) {
      if (descent->error_squared > budget->start_max) {
        return SN__DESCENT_STALLED;
      }
      mark = descent->error_squared;
    } else if (descent->error_squared < budget->stall_ratio * mark) {
      mark = descent->error_squared;
      stalled = 0;
    } else {
      stalled++;
    }
    if (stalled >= budget->stall_max || i >= budget->iterations_max) {
      return SN__DESCENT_STALLED;
    }
    if (descent->iterations >= descent->clock_next && sn__descent_is_late(descent)) {
      return SN__DESCENT_LATE;
    }
    advance(descent, y);
  }
}

/* Step towards the nominal pose in the null space, plus the correction of the tip, over the joints
 * that are not fixed. */
static void solve_nullspace(sn__descent *descent, const double *nominal, const double *y) {
  const size_t n = descent->serial->coord_count;
  sn__vec3_pair missing = descent->error;
  for (size_t i = 0; i < n; i++) {
    if (!descent->fixed[i]) {
      missing = sn__vec3_pair_add_scaled(missing, y[i] - nominal[i], descent->data.column[i]);
    }
  }
  solve_step(descent, damping_wish, missing);
  for (size_t i = 0; i < n; i++) {
    descent->step[i] += descent->fixed[i] ? 0.0 : nominal[i] - y[i];
  }
}

/* Joints on their limits that the step would carry outwards are fixed. @return true if there were
   any */
static bool fix_outwards(sn__descent *descent, const double *y) {
  bool some = false;
  for (size_t i = 0; i < descent->serial->coord_count; i++) {
    const bool outwards = (y[i] <= descent->lower[i] && descent->step[i] < 0.0) ||
                          (y[i] >= descent->upper[i] && descent->step[i] > 0.0);
    if (outwards && !descent->fixed[i]) {
      descent->fixed[i] = true;
      descent->step[i] = 0.0;
      some = true;
    }
  }
  return some;
}

static void nullspace_step(sn__descent *descent, const double *nominal, const double *y) {
  for (size_t i = 0; i < descent->serial->coord_count; i++) {
    descent->fixed[i] = descent->locked[i];
    descent->step[i] = 0.0;
  }
  for (int round = 0; round < ROUNDS; round++) {
    solve_nullspace(descent, nominal, y);
    if (!fix_outwards(descent, y)) {
      break;
    }
  }
}

static double distance_squared(size_t n, const double *a, const double *b) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sum;
}

/* Steps are as long as the correction can follow, and get shorter where it cannot. */
enum { STRIDES_MAX = 48 };
static const double stride_max = 0.4;
static const double stride_min = 1e-4;

void sn__descent_approach_nominal(sn__descent *descent, const double *nominal, double *y) {
  static const sn__descent_budget correction = {8, 2, 0.5, INFINITY};
  const size_t n = descent->serial->coord_count;
  const size_t bytes = n * sizeof *y;
  double distance = distance_squared(n, nominal, y);
  double stride = stride_max;
  memcpy(descent->kept, y, bytes);
  for (int i = 0; i < STRIDES_MAX && stride > stride_min && !sn__descent_is_late(descent); i++) {
    sn__descent_evaluate(descent, y);
    nullspace_step(descent, nominal, y);
    const bool arrived = apply_step(descent, stride, y) < stride_min;
    const bool solved = sn__descent_run(descent, &correction, y) == SN__DESCENT_SOLVED;
    const double distance_now = distance_squared(n, nominal, y);
    if (solved && distance_now < distance) {
      distance = distance_now;
      memcpy(descent->kept, y, bytes);
    } else {
      stride *= 0.25;
      memcpy(y, descent->kept, bytes);
    }
    if (arrived) {
      return;
    }
  }
}
