#include <math.h>

#include "base/fail.h"
#include "ik/closed/analytic.h"
#include "ik/solvers.h"

/* The closed form where there is one, and beside it a solver that needs none. */
typedef struct auto_state {
  size_t joint_count;
  void *analytic; /* NULL if the group has no closed form */
  const sn_ik_solver *general;
  void *general_state;
  double *lower, *upper; /* [joint_count] scratch: limits around the seed */
} auto_state;

static const sn_ik_solver *general_for(const sn_ik_setup *setup) {
  return setup->tip_count > 1 ? &sn__ik_whole_body : &sn__ik_numeric;
}

static bool supports(const sn_ik_setup *setup, char *reason, size_t size) {
  return general_for(setup)->supports(setup, reason, size);
}

static sn_status create(sn_arena *arena, const sn_ik_setup *setup, void **out, sn_error *err) {
  auto_state *state = SN_NEW(arena, auto_state, 1);
  if (state == NULL) {
    return sn__fail(err, SN_ENOMEM, "ik: no room in arena '%s'", sn_arena_name(arena));
  }
  state->joint_count = setup->joint_count;
  state->lower = SN_NEW(arena, double, setup->joint_count);
  state->upper = SN_NEW(arena, double, setup->joint_count);
  if (state->lower == NULL || state->upper == NULL) {
    return sn__fail(err, SN_ENOMEM, "ik: no room in arena '%s'", sn_arena_name(arena));
  }
  char reason[160];
  sn_status status = SN_OK;
  if (sn__ik_analytic.supports(setup, reason, sizeof reason)) {
    status = sn__ik_analytic.create(arena, setup, &state->analytic, err);
  }
  if (status == SN_OK) {
    state->general = general_for(setup);
    status = state->general->create(arena, setup, &state->general_state, err);
  }
  *out = state;
  return status;
}

/* Movable joints minus constrained axes of the target: if positive, solutions form a continuum.
 */
static int spare_freedoms(const auto_state *state, const sn_ik_query *query) {
  int count = -6;
  for (size_t i = 0; i < state->joint_count; i++) {
    count += query->locked != NULL && query->locked[i] ? 0 : 1;
  }
  for (unsigned bit = SN_IK_FREE_X; bit <= SN_IK_FREE_RZ; bit <<= 1) {
    count += (query->free_axes & bit) != 0 ? 1 : 0;
  }
  return count;
}

/* The form of six joints that answers the query, or NULL: five joints and a free axis are six. */
static const sn__closed_6r_plan *plan_for(const sn__analytic *analytic, unsigned free_axes) {
  if (analytic->joint_count == 6) {
    return &analytic->closed_6r;
  }
  for (int axis = 0; analytic->joint_count == 5 && axis < 3; axis++) {
    if (free_axes == (unsigned)SN_IK_FREE_RX << axis && analytic->has_5r[axis]) {
      return &analytic->closed_5r[axis];
    }
  }
  return NULL;
}

/* Does the closed form give one solution directly? Other forms step along a joint, through a
 * continuum of solutions until all limits hold, or to where the chain closes. That finds every
 * branch, but descent finds a single one faster, and the nearest of a continuum is not among the
 * steps. */
static bool is_closed(const sn__analytic *analytic, const sn_ik_query *query, int spare) {
  const unsigned free_axes = query->free_axes;
  if (analytic->joint_count == 7 && spare == 1 && free_axes == 0 && query->nominal == NULL &&
      !query->restarts) {
    return true; /* it finds the nearest */
  }
  if (analytic->joint_count == 7 && free_axes == 0 && analytic->closed_7r.is_srs &&
      query->restarts) {
    return !analytic->closed_7r.srs_is_near;
  }
  if (spare > 0) {
    return false;
  }
  const sn__closed_6r_plan *plan = plan_for(analytic, free_axes);
  return plan == NULL || !plan->is_search;
}

/* Is the nearest solution wanted, of isolated ones that the closed form lists slowly? */
static bool wants_nearest(const sn__analytic *analytic, const sn_ik_query *query, int spare) {
  const sn__closed_6r_plan *plan = plan_for(analytic, query->free_axes);
  return !query->restarts && spare <= 0 && plan != NULL && plan->is_search;
}

/* Does an empty result of the closed form prove that the target is out of reach? Yes for an arm of
 * exactly that form. A closed form says little about the best pose for a target out of reach. */
static bool decides(const sn__analytic *analytic, const sn_ik_query *query) {
  if (query->approximate != NULL) {
    return false;
  }
  if (analytic->joint_count == 6) {
    return query->free_axes == 0 && !analytic->closed_6r.is_near && !analytic->closed_6r.is_search;
  }
  return analytic->joint_count == 3 && query->free_axes == SN_IK_FREE_ROTATION &&
         !analytic->closed_3r_is_near;
}

/* A solution that descent has found, and what is nearer. */
typedef struct nearest {
  const sn_ik_query *query;
  const auto_state *state;
  bool is_known, is_offered; /* what descent has found */
  double known_squared;      /* its distance */
  bool is_nearest;           /* no other is as near */
  bool stopped;
} nearest;

static double distance_squared(const nearest *n, const double *q) {
  const sn_ik_query *query = n->query;
  const double *prefer = query->nominal != NULL ? query->nominal : query->seed;
  double sum = 0.0;
  for (size_t i = 0; i < n->state->joint_count; i++) {
    sum += (q[i] - prefer[i]) * (q[i] - prefer[i]);
  }
  return sum;
}

static bool keep_known(void *context, const double *q) {
  nearest *n = context;
  n->is_known = true;
  n->known_squared = distance_squared(n, q);
  n->is_nearest = sn__numeric_is_nearest(n->state->general_state, n->query);
  return false;
}

static void offer_known(nearest *n) {
  n->is_offered = true;
  n->stopped = !sn__numeric_offer_again(n->state->general_state, n->query);
}

/* The closed form offers the nearest first, and what is known has its place among them. */
static bool offer_in_order(void *context, const double *q) {
  nearest *n = context;
  if (!n->is_offered && distance_squared(n, q) > n->known_squared) {
    offer_known(n);
  }
  n->stopped = n->stopped || !n->query->offer(n->query->context, q);
  return !n->stopped;
}

/* Whatever is nearer than what is known lies in a box around the seed. */
static void put_box(const nearest *n, sn_ik_query *query) {
  const double *prefer = query->nominal != NULL ? query->nominal : query->seed;
  const double reach = sqrt(n->known_squared) + 1e-9;
  for (size_t i = 0; i < n->state->joint_count; i++) {
    n->state->lower[i] = fmax(query->lower[i], prefer[i] - reach);
    n->state->upper[i] = fmin(query->upper[i], prefer[i] + reach);
  }
  query->lower = n->state->lower;
  query->upper = n->state->upper;
}

/* Descent finds a solution, usually the nearest, in a few steps. The closed form then searches only
 * where a nearer one could be. */
static sn_ik_code solve_nearest(const auto_state *state, const sn_ik_query *query) {
  nearest n = {.query = query, .state = state};
  sn_ik_query part = *query;
  part.context = &n;
  part.offer = keep_known;
  const sn_ik_code code = state->general->solve(state->general_state, &part);
  if (code == SN_IK_TIMED_OUT && !n.is_known) {
    return code;
  }
  if (n.is_nearest) {
    offer_known(&n);
  } else if (n.is_known) {
    part.offer = offer_in_order;
    part.approximate = NULL;
    put_box(&n, &part);
    (void)sn__ik_analytic.solve(state->analytic, &part);
    if (!n.stopped && !n.is_offered) {
      offer_known(&n);
    }
  }
  if (n.stopped) {
    return SN_IK_OK;
  }
  return sn__ik_analytic.solve(state->analytic, query); /* any that the caller accepts */
}

static sn_ik_code solve(void *opaque, const sn_ik_query *query) {
  const auto_state *state = opaque;
  if (state->analytic == NULL) {
    return state->general->solve(state->general_state, query);
  }
  const int spare = spare_freedoms(state, query);
  if (!query->all && wants_nearest(state->analytic, query, spare)) {
    return solve_nearest(state, query);
  }
  if (query->all || is_closed(state->analytic, query, spare)) {
    const sn_ik_code code = sn__ik_analytic.solve(state->analytic, query);
    const bool is_enough = sn__analytic_is_stopped(state->analytic) || code == SN_IK_TIMED_OUT;
    if (is_enough || (code == SN_IK_OK && query->all) || decides(state->analytic, query)) {
      return code;
    }
    return state->general->solve(state->general_state, query);
  }
  const sn_ik_code code = state->general->solve(state->general_state, query);
  if (sn__numeric_is_stopped(state->general_state) || code == SN_IK_TIMED_OUT) {
    return code;
  }
  return sn__ik_analytic.solve(state->analytic, query);
}

static const char *describe(const void *opaque) {
  const auto_state *state = opaque;
  return state->analytic != NULL ? sn__ik_analytic.describe(state->analytic)
                                 : state->general->describe(state->general_state);
}

const sn_ik_solver sn__ik_auto = {
    .abi = SN_IK_ABI,
    .name = "auto",
    .description = "analytic where the geometry allows it, numeric where not",
    .supports = supports,
    .create = create,
    .solve = solve,
    .describe = describe,
};
