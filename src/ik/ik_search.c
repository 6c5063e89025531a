#include <math.h>
#include <string.h>

#include "ik/ik.h"

#define PI 3.14159265358979323846

bool sn__ik_range(const sn_ik *ik, int joint, const double *lower_limits,
                  const double *upper_limits, double centre, double *lower, double *upper) {
  *lower = lower_limits[joint];
  *upper = upper_limits[joint];
  if (ik->joints[joint].rotates) {
    *lower = isfinite(*lower) ? *lower : centre - PI;
    *upper = isfinite(*upper) ? *upper : centre + PI;
  }
  return isfinite(*lower) && isfinite(*upper);
}

static bool is_over(const sn__ik_run *run) {
  return run->stopped || sn_clock_now_ns(run->ik->clock) >= run->goal.deadline_ns;
}

/* One search with the redundant joints at their values in ik->start. */
static sn_ik_code solve_once(sn__ik_run *run, bool restarts, int64_t deadline_ns) {
  sn_ik *ik = run->ik;
  double approximate_error = INFINITY;
  const bool approximate = run->options->return_approximate_solution;
  const sn_ik_query query = {.targets = ik->targets,
                             .seed = ik->start,
                             .lower = ik->query_lower,
                             .upper = ik->query_upper,
                             .locked = run->has_locked ? ik->locked : NULL,
                             .free_axes = run->options->free_axes,
                             .position_tolerance_m = ik->position_tolerance_m,
                             .rotation_tolerance_rad = ik->rotation_tolerance_rad,
                             .nominal = run->options->nominal,
                             .context_state = run->options->context_state,
                             .restarts = restarts,
                             .all = run->goal.all,
                             .clock = ik->clock,
                             .deadline_ns = deadline_ns,
                             .random = &run->random,
                             .offer = sn__ik_offer,
                             .context = run,
                             .approximate = approximate ? ik->approximate : NULL,
                             .approximate_error = approximate ? &approximate_error : NULL};
  const size_t searched_before = ik->result.searched_count;
  const sn_ik_code code = ik->solver->solve(ik->state, &query);
  if (ik->result.searched_count == searched_before) {
    ik->result.searched_count++; /* a search without a result counts, too */
  }
  if (approximate_error < run->closest_error) {
    run->closest_error = approximate_error;
    memcpy(ik->closest, ik->approximate, ik->setup.joint_count * sizeof *ik->closest);
  }
  return code;
}

/* Steps to the lower and to the upper side of the seed that stay inside the range. */
typedef struct grid_axis {
  long below, above;
} grid_axis;

static grid_axis axis_of(const sn_ik *ik, int joint) {
  const double seed = ik->seed[joint];
  const double step = ik->step[joint] > 0.0 ? ik->step[joint] : ik->setup.search_discretization;
  double lower;
  double upper;
  sn__ik_range(ik, joint, ik->query_lower, ik->query_upper, seed, &lower, &upper);
  const double most = 1e6; /* with a step so tiny, the grid is never finished anyway */
  const grid_axis axis = {(long)fmin(floor((seed - lower) / step), most),
                          (long)fmin(floor((upper - seed) / step), most)};
  return axis;
}

/* The steps 0, 1, -1, 2, -2, ... as far as both sides go, then the rest of the longer side. */
static long zigzag(grid_axis axis, long tick) {
  const long both = axis.below < axis.above ? axis.below : axis.above;
  if (tick <= 2 * both) {
    return tick % 2 == 1 ? (tick + 1) / 2 : -(tick / 2);
  }
  return axis.above > axis.below ? tick - both : -(tick - both);
}

/* Number of grid points, capped: more are never finished anyway. */
static size_t grid_count(const sn__ik_run *run) {
  double count = 1.0;
  for (size_t i = 0; i < run->active_count; i++) {
    const grid_axis axis = axis_of(run->ik, run->ik->active[i]);
    count *= (double)(axis.below + axis.above + 1);
  }
  return (size_t)fmin(count, 1e9);
}

/* Set the active joints of ik->start to the current grid point. @return squared distance */
static double place_on_grid(sn__ik_run *run) {
  sn_ik *ik = run->ik;
  double distance = 0.0;
  for (size_t i = 0; i < run->active_count; i++) {
    const int joint = ik->active[i];
    const double offset = ik->step[joint] * (double)zigzag(axis_of(ik, joint), ik->tick[i]);
    ik->start[joint] =
        sn__ik_clamp(ik->seed[joint] + offset, ik->query_lower[joint], ik->query_upper[joint]);
    distance += offset * offset;
  }
  return distance;
}

/* @return false after the last grid point */
static bool next_on_grid(sn__ik_run *run) {
  for (size_t i = run->active_count; i-- > 0;) {
    const grid_axis axis = axis_of(run->ik, run->ik->active[i]);
    if (++run->ik->tick[i] <= axis.below + axis.above) {
      return true;
    }
    run->ik->tick[i] = 0;
  }
  return false;
}

static void place_at_random(sn__ik_run *run) {
  sn_ik *ik = run->ik;
  for (size_t i = 0; i < run->active_count; i++) {
    const int joint = ik->active[i];
    double lower;
    double upper;
    sn__ik_range(ik, joint, ik->query_lower, ik->query_upper, ik->seed[joint], &lower, &upper);
    ik->start[joint] = sn_random_between(&run->random, lower, upper);
  }
}

/* The remaining time divided by the remaining grid points, so that one hopeless point cannot use it
 * all. */
static int64_t slice_end(const sn__ik_run *run, size_t places_left) {
  const int64_t now_ns = sn_clock_now_ns(run->ik->clock);
  const double share = (double)(run->goal.deadline_ns - now_ns) / (double)places_left;
  return now_ns + (int64_t)share + 1;
}

/* Try every grid point once, from the seed outwards, or as many random points, the seed first. A
 * point farther from the seed than a known solution is skipped if only the nearest is wanted. */
static sn_ik_code try_places(sn__ik_run *run, bool random, bool restarts) {
  sn_ik *ik = run->ik;
  const bool nearest_only = !run->goal.first && !run->goal.all && !run->is_ranked;
  memset(ik->tick, 0, run->active_count * sizeof *ik->tick);
  memcpy(ik->start, ik->seed, ik->setup.joint_count * sizeof *ik->start);
  sn_ik_code worst = SN_IK_NO_SOLUTION;
  const size_t count = grid_count(run);
  for (size_t place = 0; place < count && !is_over(run); place++) {
    double distance = 0.0;
    if (!random) {
      distance = place_on_grid(run);
    } else if (place > 0) {
      place_at_random(run);
    }
    const bool hopeless = nearest_only && distance > run->nearest;
    if (!hopeless) {
      const int64_t deadline_ns = restarts ? slice_end(run, count - place) : run->goal.deadline_ns;
      if (solve_once(run, restarts, deadline_ns) == SN_IK_TIMED_OUT) {
        worst = SN_IK_TIMED_OUT;
      }
    }
    if (!random && !next_on_grid(run)) {
      break;
    }
  }
  return is_over(run) ? SN_IK_TIMED_OUT : worst;
}

/* First all points without restarts, which is quick; then with restarts if the query allows them.
 */
static sn_ik_code walk(sn__ik_run *run, bool random) {
  sn_ik_code code = try_places(run, random, false);
  if (!run->goal.restarts || run->goal.all) {
    return code;
  }
  while (!is_over(run)) {
    code = try_places(run, random, true);
    if (!random && code == SN_IK_NO_SOLUTION) {
      break; /* every point is decided */
    }
  }
  return code;
}

/* Which redundant joints stay and which are varied. */
static void choose_active(sn__ik_run *run) {
  sn_ik *ik = run->ik;
  const sn_ik_discretization method = run->options->discretization_method;
  const bool vary = method > SN_IK_NO_DISCRETIZATION;
  const bool some = method == SN_IK_SOME_DISCRETIZED || method == SN_IK_SOME_RANDOM_SAMPLED;
  for (size_t i = 0; i < ik->redundant_count; i++) {
    const int joint = ik->redundant[i];
    ik->locked[joint] = true;
    run->has_locked = true;
    if (vary && !(some && ik->step[joint] == 0.0)) {
      ik->active[run->active_count++] = joint;
    }
  }
}

/* Without a solution: the best pose found, clamped to the limits. */
static void return_closest(sn__ik_run *run) {
  sn_ik *ik = run->ik;
  const size_t n = ik->setup.joint_count;
  for (size_t i = 0; i < n; i++) {
    const double x = ik->closest[i];
    ik->closest[i] = x >= ik->query_lower[i] && x <= ik->query_upper[i] ? x : ik->seed[i];
  }
  sn__ik_follow(ik, ik->closest);
  memcpy(run->goal.solutions, ik->closest, n * sizeof *ik->closest);
  ik->result.approximate = true;
  sn__ik_errors(ik, run->options->free_axes, ik->closest, &ik->result.position_error_m,
                &ik->result.rotation_error_rad);
}

sn_ik_code sn__ik_run_search(sn__ik_run *run) {
  sn_ik *ik = run->ik;
  const sn_ik_discretization method = run->options->discretization_method;
  choose_active(run);
  sn_ik_code code;
  if (run->active_count == 0) {
    memcpy(ik->start, ik->seed, ik->setup.joint_count * sizeof *ik->start);
    code = solve_once(run, run->goal.restarts, run->goal.deadline_ns);
  } else {
    code = walk(run, method >= SN_IK_ALL_RANDOM_SAMPLED);
  }
  sn_ik_result *result = &ik->result;
  result->solution_percentage = (double)run->found_count / (double)result->searched_count;
  if (run->found_count > 0) {
    result->cost = run->options->cost == NULL ? 0.0 : run->nearest;
    return SN_IK_OK;
  }
  if (run->options->return_approximate_solution) {
    return_closest(run);
  }
  if (result->refused_count > 0) {
    return SN_IK_REFUSED;
  }
  return code == SN_IK_TIMED_OUT ? SN_IK_TIMED_OUT : SN_IK_NO_SOLUTION;
}
