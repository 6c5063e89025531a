#include <string.h>

#include "base/fail.h"
#include "ik/closed/analytic.h"
#include "ik/solvers.h"

/* The closed form where there is one, and beside it a solver that needs none. */
typedef struct auto_state {
  size_t joint_count;
  void *analytic; /* NULL if the group has no closed form */
  const sn_ik_solver *general;
  void *general_state;
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

/* Forwards offers and records whether there were any. */
typedef struct forwarder {
  const sn_ik_query *query;
  bool offered, stopped;
} forwarder;

static bool forward_offer(void *context, const double *q) {
  forwarder *f = context;
  f->offered = true;
  f->stopped = !f->query->offer(f->query->context, q);
  return !f->stopped;
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

/* Does the closed form give one solution directly? Other forms step along a joint, through a
 * continuum of solutions until all limits hold, or to where the chain closes. That finds every
 * branch, but descent finds a single one faster, and the nearest of a continuum is not among the
 * steps. */
static bool is_closed(const sn__analytic *analytic, const sn_ik_query *query, int spare) {
  const unsigned free_axes = query->free_axes;
  if (analytic->joint_count == 7 && free_axes == 0 && analytic->closed_7r.is_srs &&
      query->restarts) {
    return !analytic->closed_7r.srs_is_near;
  }
  if (spare > 0) {
    return false;
  }
  if (analytic->joint_count == 6) {
    return !analytic->closed_6r.is_search;
  }
  for (int axis = 0; analytic->joint_count == 5 && axis < 3; axis++) {
    if (free_axes == (unsigned)SN_IK_FREE_RX << axis && analytic->has_5r[axis]) {
      return !analytic->closed_5r[axis].is_search;
    }
  }
  return true;
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

static sn_ik_code solve_forwarded(const sn_ik_solver *solver, void *state, forwarder *f) {
  sn_ik_query forwarded = *f->query;
  forwarded.offer = forward_offer;
  forwarded.context = f;
  return solver->solve(state, &forwarded);
}

static sn_ik_code solve(void *opaque, const sn_ik_query *query) {
  const auto_state *state = opaque;
  if (state->analytic == NULL) {
    return state->general->solve(state->general_state, query);
  }
  forwarder f = {.query = query};
  if (query->all || is_closed(state->analytic, query, spare_freedoms(state, query))) {
    const sn_ik_code code = solve_forwarded(&sn__ik_analytic, state->analytic, &f);
    if (f.stopped || code == SN_IK_TIMED_OUT || (f.offered && query->all) ||
        decides(state->analytic, query)) {
      return code;
    }
    return state->general->solve(state->general_state, query);
  }
  const sn_ik_code code = solve_forwarded(state->general, state->general_state, &f);
  if (f.stopped || code == SN_IK_TIMED_OUT) {
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
