/* The solver `numeric`: any chain with one tip. Descents (descent.h) from the seed, from the
 * nearest samples of a table (seeds.h), then from random poses, until one is accepted. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "ik/coords.h"
#include "ik/numeric/descent.h"
#include "ik/numeric/nearness.h"
#include "ik/numeric/seeds.h"
#include "ik/offer_known.h"
#include "ik/seen_solutions.h"
#include "ik/serial.h"
#include "ik/solvers.h"

/* Descents per query: about 25 ms for an arm. The hardest of 1,280,000 reachable poses of 16
 * chains, with seeds not used for tuning, took 627. With a frozen clock they end the search. */
enum { STARTS_MAX = 10000 };
/* Nearest samples to try before random ones. */
enum { TABLE_STARTS_MAX = 16 };
/* Descents in a row without a new solution, after which all are assumed to be known. */
enum { BARREN_MAX = 256 };

/* Below this the angle of a rotation is its chord, but for 1e-9 of it. */
static const double CHORD_MAX = 1e-4;

/* A good start converges in four to eight evaluations, so others are given up early. */
static const sn__descent_budget quick = {40, 3, 0.5, INFINITY};
/* The seed goes first if it is near; otherwise the table is better. */
static const sn__descent_budget from_near = {40, 3, 0.5, 0.25};
/* Without restarts there is only one. */
static const sn__descent_budget patient = {200, 12, 0.9, INFINITY};

typedef struct numeric {
  const int *joints; /* places of the chain's joints in the group */
  size_t joint_count;
  double discretization;
  sn__serial serial;
  sn__descent descent;
  sn__seeds starts;
  sn__seen_solutions seen;
  double *range_lower, *range_upper;   /* [coord_count] at creation: of the table */
  double *sample_lower, *sample_upper; /* [coord_count] in this query */
  double *seed, *nominal, *best, *y;   /* [coord_count] */
  double *q;                           /* [joint_count] */
  bool *periodic;                      /* [joint_count] */
  bool is_stopped;                     /* an offer ended the last query */
  char text[96];
} numeric;

/* One query under way. */
typedef struct search_state {
  numeric *solver;
  const sn_ik_query *query;
  bool use_table;
  size_t table_starts;
  size_t draws;
  size_t barren;
  double apart;
} search_state;

static bool supports(const sn_ik_setup *setup, char *reason, size_t size) {
  if (setup->tip_count != 1) {
    snprintf(reason, size, "numeric: solves for one tip, not %zu", setup->tip_count);
    return false;
  }
  const sn_chain *chain = setup->tips[0].chain;
  if (chain->joint_count == 0) {
    snprintf(reason, size, "numeric: the chain has no movable joint");
    return false;
  }
  if (chain->tree.body_count != chain->joint_count) {
    snprintf(reason, size, "numeric: the chain has a floating or planar joint");
    return false;
  }
  return true;
}

static bool create_vectors(sn_arena *arena, numeric *solver) {
  const size_t n = solver->serial.coord_count;
  double *values = SN_NEW(arena, double, 8 * n + solver->joint_count);
  solver->periodic = SN_NEW(arena, bool, solver->joint_count);
  if (values == NULL || solver->periodic == NULL) {
    return false;
  }
  double **vectors[] = {
      &solver->range_lower, &solver->range_upper, &solver->sample_lower, &solver->sample_upper,
      &solver->seed,        &solver->nominal,     &solver->best,         &solver->y};
  for (size_t i = 0; i < 8; i++) {
    *vectors[i] = values + i * n;
  }
  solver->q = values + 8 * n;
  for (size_t k = 0; k < n; k++) {
    solver->periodic[solver->joints[solver->serial.entry[k]]] = solver->serial.periodic[k];
  }
  return true;
}

static bool create_parts(sn_arena *arena, const sn_ik_setup *setup, numeric *solver) {
  sn__descent *descent = &solver->descent;
  const sn_chain *chain = setup->tips[0].chain;
  if (!sn__serial_create(arena, chain, sn__serial_length(chain), &solver->serial) ||
      !sn__descent_create(arena, &solver->serial, descent) || !create_vectors(arena, solver) ||
      !sn__seen_solutions_create(arena, setup->joint_count, &solver->seen)) {
    return false;
  }
  const sn__coords_range range = {descent->lower, descent->upper, solver->range_lower,
                                  solver->range_upper, NULL};
  sn__coords_limits(&solver->serial, solver->joints, setup->lower, setup->upper, NULL, &range);
  return sn__seeds_create(arena, &solver->serial, &descent->data, solver->range_lower,
                          solver->range_upper, &solver->starts);
}

static sn_status create(sn_arena *arena, const sn_ik_setup *setup, void **state, sn_error *err) {
  char reason[120];
  if (!supports(setup, reason, sizeof reason)) {
    return sn__fail(err, SN_EUNSUPPORTED, "%s", reason);
  }
  const sn_arena_mark mark = sn_arena_save(arena);
  numeric *solver = SN_NEW(arena, numeric, 1);
  if (solver != NULL) {
    solver->joints = setup->tips[0].joints;
    solver->joint_count = setup->joint_count;
    solver->discretization = setup->search_discretization;
  }
  if (solver == NULL || !create_parts(arena, setup, solver)) {
    sn_arena_restore(arena, mark);
    return sn__fail(err, SN_ENOMEM, "numeric: no room in arena '%s'", sn_arena_name(arena));
  }
  snprintf(solver->text, sizeof solver->text,
           "%zu coordinates, Levenberg-Marquardt, %d sampled starts", solver->serial.coord_count,
           solver->starts.usable ? SN__SEEDS_COUNT : 0);
  *state = solver;
  return SN_OK;
}

static double limited(double x, double lower, double upper) {
  return x < lower ? lower : x > upper ? upper : x;
}

/* The table samples the full ranges and whole poses: it does not apply to a query that locks
 * joints, frees axes or narrows the ranges. */
static bool table_applies(const numeric *solver, const sn_ik_query *query) {
  if (!solver->starts.usable || query->free_axes != 0) {
    return false;
  }
  for (size_t k = 0; k < solver->serial.coord_count; k++) {
    const double room = solver->sample_upper[k] - solver->sample_lower[k];
    if (solver->descent.locked[k] ||
        room < 0.5 * (solver->range_upper[k] - solver->range_lower[k])) {
      return false;
    }
  }
  return true;
}

/* Solutions of a redundant chain form a continuum: those one step of the search apart count as
 * different. */
static double distance_apart(const numeric *solver, const sn_ik_query *query) {
  int freedoms = -6;
  for (size_t k = 0; k < solver->serial.coord_count; k++) {
    freedoms += solver->descent.locked[k] ? 0 : 1;
  }
  for (unsigned bit = 1; bit <= SN_IK_FREE_RZ; bit <<= 1) {
    freedoms += (query->free_axes & bit) != 0 ? 1 : 0;
  }
  return freedoms <= 0 ? 1e-3 : solver->discretization > 0.0 ? solver->discretization : 0.1;
}

/* @return false if the limits leave no room */
static bool prepare(numeric *solver, const sn_ik_query *query, search_state *out) {
  sn__descent *descent = &solver->descent;
  const sn__coords_range range = {descent->lower, descent->upper, solver->sample_lower,
                                  solver->sample_upper, descent->locked};
  if (!sn__coords_limits(&solver->serial, solver->joints, query->lower, query->upper, query->locked,
                         &range)) {
    return false;
  }
  sn__coords_from_q(&solver->serial, solver->joints, query->seed, solver->seed);
  for (size_t k = 0; k < solver->serial.coord_count; k++) {
    solver->seed[k] = limited(solver->seed[k], descent->lower[k], descent->upper[k]);
  }
  descent->free_axes = query->free_axes;
  descent->position_tolerance = query->position_tolerance_m / solver->serial.length_m;
  descent->rotation_tolerance = query->rotation_tolerance_rad;
  descent->best = query->approximate != NULL ? solver->best : NULL;
  descent->best_squared = INFINITY;
  sn__descent_set_target(descent, query->targets[0]);
  memcpy(solver->q, query->seed, solver->joint_count * sizeof *solver->q);
  solver->seen.count = 0;
  *out = (search_state){.solver = solver, .query = query};
  out->use_table = query->restarts && table_applies(solver, query);
  out->apart = distance_apart(solver, query);
  return true;
}

/* Clamp a computed outer joint to its range. @return false if that changes it too much
 */
static bool admit(const numeric *solver, size_t k, double *y) {
  const double low = solver->descent.lower[k], high = solver->descent.upper[k];
  if (low == -INFINITY && high == INFINITY) {
    return true;
  }
  const double middle = 0.5 * (solver->sample_lower[k] + solver->sample_upper[k]);
  const double value = middle + remainder(y[k] - middle, 6.283185307179586);
  y[k] = limited(value, low, high);
  return fabs(value - y[k]) < 0.3;
}

/* The next sample of the table whose outer joints fit. */
static bool next_sample(search_state *search) {
  numeric *solver = search->solver;
  const size_t n = solver->serial.coord_count;
  while (search->table_starts < TABLE_STARTS_MAX && sn__seeds_next(&solver->starts, solver->y)) {
    search->table_starts++;
    if (admit(solver, 0, solver->y) && admit(solver, n - 1, solver->y)) {
      for (size_t k = 1; k + 1 < n; k++) {
        solver->y[k] = limited(solver->y[k], solver->descent.lower[k], solver->descent.upper[k]);
      }
      return true;
    }
  }
  return false;
}

/* Evenly over the range, or with the density of arcsine, which is highest at the limits: solutions
   in a corner of several limits have small basins, and even draws rarely meet them. */
static double draw_joint(search_state *search, size_t k, bool outwards) {
  const numeric *solver = search->solver;
  const double low = solver->sample_lower[k], high = solver->sample_upper[k];
  double u = sn_random_unit(search->query->random);
  if (outwards && solver->descent.lower[k] > -INFINITY) {
    const double sine = sin(1.5707963267948966 * u);
    u = sine * sine;
  }
  return low + (high - low) * u;
}

/* Every second sample draws the outer joints randomly, too: near the first axis, the azimuth of the
 * target says little about the joint. */
static void draw(search_state *search) {
  numeric *solver = search->solver;
  const size_t n = solver->serial.coord_count;
  const size_t draw = search->draws++;
  sn__gathering gathering = {0};
  if (sn__is_long(n)) {
    gathering = sn__gathering_make(n, sn_random_unit(search->query->random), draw % 8 < 4);
  }
  for (size_t k = 0; k < n; k++) {
    solver->y[k] =
        solver->descent.locked[k]
            ? solver->seed[k]
            : sn__gathering_apply(gathering, solver->sample_lower[k], solver->sample_upper[k],
                                  draw_joint(search, k, draw % 4 >= 2));
  }
  if (search->use_table && draw % 2 == 0) {
    const double first = solver->y[0], last = solver->y[n - 1];
    sn__seeds_align(&solver->starts, &solver->descent.data, solver->y);
    solver->y[0] = admit(solver, 0, solver->y) ? solver->y[0] : first;
    solver->y[n - 1] = admit(solver, n - 1, solver->y) ? solver->y[n - 1] : last;
  }
}

/* Choose a start. @return its budget */
static const sn__descent_budget *choose_start(search_state *search, size_t attempt) {
  numeric *solver = search->solver;
  if (attempt == 0) {
    memcpy(solver->y, solver->seed, solver->serial.coord_count * sizeof *solver->y);
    return search->use_table ? &from_near : search->query->restarts ? &quick : &patient;
  }
  if (attempt == 1 && search->use_table) {
    sn_pose target = search->query->targets[0];
    target.pos = sn_vec3_scale(target.pos, 1.0 / solver->serial.length_m);
    sn__seeds_set_target(&solver->starts, target);
  }
  if (!search->use_table || !next_sample(search)) {
    draw(search);
  }
  return &quick;
}

/* The nominal pose in coordinates, turned as near to the solution as whole turns bring it. */
static void approach_nominal(search_state *search) {
  numeric *solver = search->solver;
  sn__coords_from_q(&solver->serial, solver->joints, search->query->nominal, solver->nominal);
  for (size_t k = 0; k < solver->serial.coord_count; k++) {
    if (solver->descent.lower[k] == -INFINITY && solver->serial.periodic[k]) {
      solver->nominal[k] =
          solver->y[k] + remainder(solver->nominal[k] - solver->y[k], 6.283185307179586);
    }
  }
  sn__descent_approach_nominal(&solver->descent, solver->nominal, solver->y);
}

/* Offer solver->q, which is where the last evaluation of the descent was unless a nominal pose
 * moved it on. */
static bool offer_found(const numeric *solver, const sn_ik_query *query) {
  const sn__pair squares = sn__vec3_pair_products(solver->descent.error, solver->descent.error);
  const double chord = sqrt(squares[0]); /* 2 sin(angle / 2) */
  if (query->nominal != NULL || query->free_axes != 0 || chord > CHORD_MAX) {
    return query->offer(query->context, solver->q);
  }
  return sn__ik_offer_known(query, solver->q, sqrt(squares[1]) * solver->serial.length_m, chord);
}

/* @return true to continue */
static bool offer(search_state *search) {
  numeric *solver = search->solver;
  const sn_ik_query *query = search->query;
  if (query->nominal != NULL) {
    approach_nominal(search);
  }
  sn__coords_to_q(&solver->serial, solver->joints, solver->y, query->seed, query->lower,
                  query->upper, solver->q);
  if (!sn__seen_solutions_add(&solver->seen, solver->q, solver->periodic, search->apart)) {
    search->barren++;
    return true;
  }
  search->barren = 0;
  return offer_found(solver, query);
}

bool sn__numeric_is_stopped(const void *state) {
  return ((const numeric *)state)->is_stopped;
}

bool sn__numeric_offer_again(const void *state, const sn_ik_query *query) {
  return offer_found(state, query);
}

bool sn__numeric_is_nearest(void *state, const sn_ik_query *query) {
  numeric *solver = state;
  if (query->nominal != NULL || query->free_axes != 0) {
    return false;
  }
  sn__coords_from_q(&solver->serial, solver->joints, solver->q, solver->y);
  return sn__serial_is_nearest(&solver->serial, &solver->descent.data, solver->y, solver->seed);
}

static void give_approximate(search_state *search) {
  numeric *solver = search->solver;
  const sn_ik_query *query = search->query;
  if (query->approximate != NULL && solver->descent.best_squared < INFINITY) {
    memcpy(query->approximate, query->seed, solver->joint_count * sizeof *query->approximate);
    sn__coords_to_q(&solver->serial, solver->joints, solver->best, query->seed, query->lower,
                    query->upper, query->approximate);
    if (query->approximate_error != NULL) {
      *query->approximate_error = sn__descent_error(&solver->descent, solver->best);
    }
  }
}

/* @return false if the deadline ended it */
static bool search_all(search_state *search) {
  const sn_ik_query *query = search->query;
  sn__descent *descent = &search->solver->descent;
  const size_t starts_max = query->restarts ? STARTS_MAX : 1;
  for (size_t attempt = 0; attempt < starts_max && search->barren < BARREN_MAX; attempt++) {
    const sn__descent_budget *budget = choose_start(search, attempt);
    const sn__descent_end end = sn__descent_run(descent, budget, search->solver->y);
    if (end == SN__DESCENT_LATE) {
      return false;
    }
    if (end == SN__DESCENT_SOLVED) {
      if (!offer(search)) {
        search->solver->is_stopped = true;
        return true;
      }
      if (sn__descent_is_late(descent)) { /* the caller may have taken time */
        return false;
      }
    }
    if (end == SN__DESCENT_STALLED && search->solver->seen.count > 0) {
      search->barren++;
    }
  }
  return true;
}

static sn_ik_code solve(void *state, const sn_ik_query *query) {
  numeric *solver = state;
  solver->is_stopped = false;
  solver->descent.clock = query->clock;
  solver->descent.deadline_ns = query->deadline_ns;
  if (sn__descent_is_late(
          &solver->descent)) { /* first of all, so that the deadline covers everything */
    return SN_IK_TIMED_OUT;
  }
  search_state search;
  if (!prepare(solver, query, &search)) {
    return SN_IK_NO_SOLUTION;
  }
  const bool in_time = search_all(&search);
  give_approximate(&search);
  if (solver->seen.count > 0) {
    return SN_IK_OK;
  }
  return in_time ? SN_IK_NO_SOLUTION : SN_IK_TIMED_OUT;
}

static const char *describe(const void *state) {
  return ((const numeric *)state)->text;
}

const sn_ik_solver sn__ik_numeric = {
    .abi = SN_IK_ABI,
    .name = "numeric",
    .description = "damped least squares inside limits, from sampled and random starts",
    .supports = supports,
    .create = create,
    .solve = solve,
    .describe = describe,
};
