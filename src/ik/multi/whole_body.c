/* The solver `whole-body`: several tips at once, with joints that they share. Descents
 * (multi_tip.h) from the seed, then from poses in which the joints of tips that were not reached
 * are sampled again. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "ik/multi/multi_tip.h"
#include "ik/seen_solutions.h"
#include "ik/solvers.h"

/* Descents per query: seconds for a humanoid. With a frozen clock they end the search.
 */
enum { STARTS_MAX = 2000 };
/* Descents in a row without a new solution, after which all are assumed to be known. */
enum { BARREN_MAX = 64 };
/* Every so many seeds all joints are sampled again: a tip that was reached may block the others. */
enum { FRESH_EVERY = 4 };
/* Solutions that differ by less, rad or m, count as one unless the setup defines a step. */
static const double apart_default = 0.1;

static const sn__descent_budget quick = {60, 4, 0.7, INFINITY};
static const sn__descent_budget patient = {200, 12, 0.9, INFINITY};

typedef struct whole_body {
  sn__multi_tip multi;
  sn__seen_solutions seen;
  double apart;
  double *seed, *nominal, *y; /* [coord_count] */
  double *q;                  /* [joint_count] */
  bool *periodic;             /* [joint_count] */
  char text[96];
} whole_body;

static bool supports(const sn_ik_setup *setup, char *reason, size_t size) {
  if (setup->tip_count == 0) {
    snprintf(reason, size, "whole-body: no tip is given");
    return false;
  }
  for (size_t t = 0; t < setup->tip_count; t++) {
    const sn_chain *chain = setup->tips[t].chain;
    if (chain->joint_count == 0) {
      snprintf(reason, size, "whole-body: the chain of tip %zu has no movable joint", t);
      return false;
    }
    if (chain->tree.body_count != chain->joint_count) {
      snprintf(reason, size, "whole-body: the chain of tip %zu has a floating or planar joint", t);
      return false;
    }
  }
  return true;
}

static bool create_parts(sn_arena *arena, const sn_ik_setup *setup, whole_body *solver) {
  if (!sn__multi_tip_create(arena, setup, &solver->multi) ||
      !sn__seen_solutions_create(arena, setup->joint_count, &solver->seen)) {
    return false;
  }
  const sn__multi_tip *multi = &solver->multi;
  const size_t n = multi->coord_count;
  double *values = SN_NEW(arena, double, 3 * n + setup->joint_count);
  solver->periodic = SN_NEW(arena, bool, setup->joint_count);
  if (values == NULL || solver->periodic == NULL) {
    return false;
  }
  solver->seed = values;
  solver->nominal = values + n;
  solver->y = values + 2 * n;
  solver->q = values + 3 * n;
  for (size_t t = 0; t < multi->tip_count; t++) {
    const sn__multi_tip_tip *tip = &multi->tips[t];
    for (size_t k = 0; k < tip->serial.coord_count; k++) {
      solver->periodic[tip->joints[tip->serial.entry[k]]] = tip->serial.periodic[k];
    }
  }
  return true;
}

static sn_status create(sn_arena *arena, const sn_ik_setup *setup, void **state, sn_error *err) {
  char reason[120];
  if (!supports(setup, reason, sizeof reason)) {
    return sn__fail(err, SN_EUNSUPPORTED, "%s", reason);
  }
  const sn_arena_mark mark = sn_arena_save(arena);
  whole_body *solver = SN_NEW(arena, whole_body, 1);
  if (solver == NULL || !create_parts(arena, setup, solver)) {
    sn_arena_restore(arena, mark);
    return sn__fail(err, SN_ENOMEM, "whole-body: no room in arena '%s'", sn_arena_name(arena));
  }
  const double step = setup->search_discretization;
  solver->apart = step > 0.0 ? step : apart_default;
  snprintf(solver->text, sizeof solver->text, "%zu tips, %zu coordinates, Levenberg-Marquardt",
           setup->tip_count, solver->multi.coord_count);
  *state = solver;
  return SN_OK;
}

static bool prepare(whole_body *solver, const sn_ik_query *query) {
  sn__multi_tip *multi = &solver->multi;
  if (!sn__multi_tip_set_query(multi, query)) {
    return false;
  }
  sn__multi_tip_from_q(multi, query->seed, solver->seed);
  for (size_t c = 0; c < multi->coord_count; c++) {
    solver->seed[c] = fmin(fmax(solver->seed[c], multi->lower[c]), multi->upper[c]);
  }
  memcpy(solver->q, query->seed, multi->joint_count * sizeof *solver->q);
  memcpy(solver->y, solver->seed, multi->coord_count * sizeof *solver->y);
  solver->seen.count = 0;
  return true;
}

/* Sample the joints that move a tip that was not reached; all of them if @p fresh. */
static void draw(whole_body *solver, const sn_ik_query *query, bool fresh) {
  const sn__multi_tip *multi = &solver->multi;
  bool *drawn = multi->fixed; /* scratch of the descent, which is over */
  for (size_t c = 0; c < multi->coord_count; c++) {
    drawn[c] = fresh;
  }
  for (size_t t = 0; t < multi->tip_count; t++) {
    const sn__multi_tip_tip *tip = &multi->tips[t];
    for (size_t k = 0; k < tip->serial.coord_count; k++) {
      drawn[tip->coord[k]] = drawn[tip->coord[k]] || !tip->reached;
    }
  }
  for (size_t c = 0; c < multi->coord_count; c++) {
    if (multi->locked[c]) {
      solver->y[c] = solver->seed[c];
    } else if (drawn[c]) {
      solver->y[c] =
          sn_random_between(query->random, multi->sample_lower[c], multi->sample_upper[c]);
    }
  }
}

static void approach_nominal(whole_body *solver, const sn_ik_query *query) {
  sn__multi_tip *multi = &solver->multi;
  sn__multi_tip_from_q(multi, query->nominal, solver->nominal);
  for (size_t c = 0; c < multi->coord_count; c++) {
    if (multi->lower[c] == -INFINITY && multi->upper[c] == INFINITY) {
      const double way = solver->nominal[c] - solver->y[c];
      solver->nominal[c] = solver->y[c] + remainder(way, 6.283185307179586);
    }
  }
  sn__multi_tip_approach_nominal(multi, solver->nominal, solver->y);
}

/* @return true to continue; counts seeds without a new solution */
static bool offer(whole_body *solver, const sn_ik_query *query, size_t *barren) {
  if (query->nominal != NULL) {
    approach_nominal(solver, query);
  }
  sn__multi_tip_to_q(&solver->multi, solver->y, query, solver->q);
  if (!sn__seen_solutions_add(&solver->seen, solver->q, solver->periodic, solver->apart)) {
    ++*barren;
    return true;
  }
  *barren = 0;
  return query->offer(query->context, solver->q);
}

/* @return false if the deadline ended it */
static bool search(whole_body *solver, const sn_ik_query *query) {
  const size_t starts_max = query->restarts ? STARTS_MAX : 1;
  size_t barren = 0;
  for (size_t i = 0; i < starts_max && barren < BARREN_MAX; i++) {
    if (sn_clock_now_ns(query->clock) >= query->deadline_ns) {
      return false;
    }
    if (i > 0) {
      draw(solver, query, i % FRESH_EVERY == 0 || solver->seen.count > 0);
    }
    const sn__descent_end end =
        sn__multi_tip_run(&solver->multi, query->restarts ? &quick : &patient, solver->y);
    if (end == SN__DESCENT_LATE) {
      return false;
    }
    if (end == SN__DESCENT_SOLVED && !offer(solver, query, &barren)) {
      return true;
    }
    barren += end == SN__DESCENT_STALLED && solver->seen.count > 0 ? 1 : 0;
  }
  return true;
}

static void give_approximate(whole_body *solver, const sn_ik_query *query) {
  sn__multi_tip *multi = &solver->multi;
  if (query->approximate != NULL && multi->best_squared < INFINITY) {
    memcpy(query->approximate, query->seed, multi->joint_count * sizeof *query->approximate);
    sn__multi_tip_to_q(multi, multi->best, query, query->approximate);
    if (query->approximate_error != NULL) {
      *query->approximate_error = sn__multi_tip_error(multi, multi->best);
    }
  }
}

static sn_ik_code solve(void *state, const sn_ik_query *query) {
  whole_body *solver = state;
  if (!prepare(solver, query)) {
    return SN_IK_NO_SOLUTION;
  }
  const bool in_time = search(solver, query);
  give_approximate(solver, query);
  if (solver->seen.count > 0) {
    return SN_IK_OK;
  }
  return in_time ? SN_IK_NO_SOLUTION : SN_IK_TIMED_OUT;
}

static const char *describe(const void *state) {
  return ((const whole_body *)state)->text;
}

const sn_ik_solver sn__ik_whole_body = {
    .abi = SN_IK_ABI,
    .name = "whole-body",
    .description = "several tips with shared joints, damped least squares inside limits",
    .supports = supports,
    .create = create,
    .solve = solve,
    .describe = describe,
};
