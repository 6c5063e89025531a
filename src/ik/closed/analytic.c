/* The solver `analytic`: recognises the geometry of a chain and solves it in closed form.

   3 joints place a point (closed_3r.c). 5 joints with a free rotation of the tip are 6 joints (the
   free axis is the sixth). 6 joints have a closed form if three neighbouring axes meet or are
   parallel (closed_6r.c); otherwise solutions are zeros along one joint (closed_6r_search.c).
   7 joints have one more degree of freedom: the elbow angle if shoulder and wrist are spherical
   (srs.c), otherwise one joint is locked and moved until the rest fits (closed_7r.c). With a joint
   that the query locks they are 6 (locked_7r.c).

   A joint that may turn by more than 2 pi reaches the same pose in several windings. Of each branch
   one is offered, in every joint the winding next to what is preferred that lies inside the limits:
   the others are the same pose of every link, and there may be 64 of them. */
#include "ik/closed/analytic.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "ik/solvers.h"

/* Is it one open chain of turning joints? */
static bool is_plain(const sn_ik_setup *setup, char *reason, size_t size) {
  if (setup->tip_count != 1) {
    snprintf(reason, size, "%zu tips, one is supported", setup->tip_count);
    return false;
  }
  const sn_chain *chain = setup->tips[0].chain;
  const sn_tree *tree = &chain->tree;
  if (tree->has_mimic || tree->body_count != chain->joint_count || !tree->is_serial) {
    snprintf(reason, size, "a joint mimics another or is not driven");
    return false;
  }
  for (size_t i = 0; i < tree->body_count; i++) {
    if (tree->prismatic[i]) {
      snprintf(reason, size, "joint %zu of the chain slides", i + 1);
      return false;
    }
  }
  return true;
}

static bool find_leg(sn__analytic *self, const sn_chain *chain, const sn__arm *arm) {
  self->closed_3r_is_near = !sn__closed_3r_init(&self->closed_3r, arm, SN__TOLERANCE_EXACT);
  sn__frames_init(&self->closed_3r_frames, chain, true, -1);
  if (self->closed_3r_is_near) {
    return false;
  }
  snprintf(self->text, sizeof self->text, "3R leg, position");
  return true;
}

static bool find_six(sn__analytic *self, const sn_chain *chain, const sn__arm *arm) {
  sn__frames frames;
  sn__frames_init(&frames, chain, false, -1);
  if (!sn__closed_6r_plan_init(&self->closed_6r, arm, &frames)) {
    return false;
  }
  const int n = snprintf(self->text, sizeof self->text, "6R, ");
  sn__closed_6r_plan_describe(&self->closed_6r, self->text + n, sizeof self->text - (size_t)n);
  return true;
}

/* A free axis of the tip is a sixth joint there. */
static bool find_five(sn__analytic *self, const sn_chain *chain, const sn__arm *arm) {
  bool found = false;
  for (int axis = 2; axis >= 0; axis--) {
    sn__arm longer = *arm;
    longer.h[5] = axis == 0 ? arm->tip.rot.x : axis == 1 ? arm->tip.rot.y : arm->tip.rot.z;
    longer.r[5] = arm->tip.pos;
    longer.count = 6;
    sn__frames frames;
    sn__frames_init(&frames, chain, false, axis);
    self->has_5r[axis] = sn__closed_6r_plan_init(&self->closed_5r[axis], &longer, &frames);
    if (self->has_5r[axis] && !found) {
      const int n =
          snprintf(self->text, sizeof self->text, "5R, turn about %c free, ", "xyz"[axis]);
      sn__closed_6r_plan_describe(&self->closed_5r[axis], self->text + n,
                                  sizeof self->text - (size_t)n);
      found = true;
    }
  }
  return found;
}

static bool find_seven(sn__analytic *self, const sn_chain *chain, const sn__arm *arm,
                       const sn_ik_setup *setup) {
  sn__frames frames;
  sn__frames_init(&frames, chain, false, -1);
  double lower[7], upper[7];
  for (int i = 0; i < 7; i++) {
    lower[i] = setup->lower[self->tip->joints[i]];
    upper[i] = setup->upper[self->tip->joints[i]];
  }
  if (!sn__closed_7r_init(&self->closed_7r, arm, &frames, lower, upper)) {
    return false;
  }
  sn__closed_7r_describe(&self->closed_7r, self->text, sizeof self->text);
  return true;
}

/* Fill everything but the scratch. */
static bool recognise(sn__analytic *self, const sn_ik_setup *setup, char *reason, size_t size) {
  if (!is_plain(setup, reason, size)) {
    return false;
  }
  const sn_chain *chain = setup->tips[0].chain;
  *self = (sn__analytic){.tip = &setup->tips[0],
                         .joint_count = (int)chain->joint_count,
                         .group_count = setup->joint_count,
                         .step = setup->search_discretization};
  if (chain->joint_count < 3 || chain->joint_count > SN__ARM_JOINTS_MAX) {
    snprintf(reason, size, "%zu joints, closed forms exist for 3, 5, 6 and 7", chain->joint_count);
    return false;
  }
  sn__arm arm;
  sn__arm_init(&arm, chain);
  bool found = false;
  switch (chain->joint_count) {
    case 3:
      found = find_leg(self, chain, &arm);
      break;
    case 5:
      found = find_five(self, chain, &arm);
      break;
    case 6:
      found = find_six(self, chain, &arm);
      break;
    case 7:
      found = find_seven(self, chain, &arm, setup);
      break;
    default:
      break;
  }
  if (!found) {
    snprintf(reason, size, "%zuR without a closed form, and elimination does not apply",
             chain->joint_count);
  }
  return found;
}

static bool supports(const sn_ik_setup *setup, char *reason, size_t size) {
  sn__analytic trial;
  return recognise(&trial, setup, reason, size);
}

static sn_status create(sn_arena *arena, const sn_ik_setup *setup, void **state, sn_error *err) {
  char reason[160];
  sn__analytic trial;
  if (!recognise(&trial, setup, reason, sizeof reason)) {
    return sn__fail(err, SN_EUNSUPPORTED, "analytic: %s", reason);
  }
  const sn_arena_mark mark = sn_arena_save(arena);
  sn__analytic *self = SN_NEW(arena, sn__analytic, 1);
  double *q = SN_NEW(arena, double, setup->joint_count);
  if (self == NULL || q == NULL) {
    sn_arena_restore(arena, mark);
    return sn__fail(err, SN_ENOMEM, "analytic: no room in arena '%s'", sn_arena_name(arena));
  }
  *self = trial;
  self->q = q;
  *state = self;
  return SN_OK;
}

static void start_run(sn__analytic *self, const sn_ik_query *query, const sn__frames *frames,
                      sn__closed_run *run) {
  sn__closed_run_init(run, query, frames, self->tip->joints, self->joint_count, self->group_count,
                      self->q, &self->windows);
}

static void run_leg(const sn__analytic *self, sn__closed_run *run) {
  static const sn__effort effort = {
      .slack = 1e-4, .limit_slack = SN__LIMIT_SLACK, .iterations_max = 8};
  run->effort = effort;
  sn__turn turn[3];
  sn__closed_run_preferred(run, turn);
  sn__branches branches;
  sn__branches_start(&branches, NULL);
  sn__closed_3r_solve(&self->closed_3r, run->target.pos, run->effort.slack, turn, &branches);
  sn__closed_run_take(run, &branches);
  if (run->offered_count == 0 && run->query->approximate != NULL) {
    run->effort = sn__effort_any;
    sn__closed_3r_solve(&self->closed_3r, run->target.pos, run->effort.slack, turn, &branches);
    sn__closed_run_take(run, &branches);
  }
}

/* The plan for the axes that a query leaves free, or NULL. */
static const sn__closed_6r_plan *choose_six(const sn__analytic *self, unsigned free_axes) {
  if (self->joint_count == 6 && free_axes == 0) {
    return &self->closed_6r;
  }
  if (self->joint_count == 5) {
    for (int axis = 0; axis < 3; axis++) {
      if (free_axes == (unsigned)SN_IK_FREE_RX << axis && self->has_5r[axis]) {
        return &self->closed_5r[axis];
      }
    }
  }
  return NULL;
}

static sn_ik_code solve(void *state, const sn_ik_query *query) {
  sn__analytic *self = state;
  self->is_stopped = false;
  sn__closed_run run;
  const sn__closed_6r_plan *closed_6r = choose_six(self, query->free_axes);
  if (self->joint_count == 3 && query->free_axes == SN_IK_FREE_ROTATION) {
    start_run(self, query, &self->closed_3r_frames, &run);
    run_leg(self, &run);
  } else if (self->joint_count == 7 && query->free_axes == 0) {
    start_run(self, query, &self->closed_7r.frames, &run);
    sn__closed_7r_run(&self->closed_7r, self->step, &run);
  } else if (closed_6r != NULL) {
    start_run(self, query, &closed_6r->frames, &run);
    sn__closed_6r_plan_run(closed_6r, self->step, &run);
  } else {
    return SN_IK_NO_SOLUTION;
  }
  sn__closed_run_finish(&run);
  self->is_stopped = run.is_stopped;
  if (run.offered_count > 0) {
    return SN_IK_OK;
  }
  return run.is_late ? SN_IK_TIMED_OUT : SN_IK_NO_SOLUTION;
}

bool sn__analytic_is_stopped(const void *state) {
  return ((const sn__analytic *)state)->is_stopped;
}

static const char *describe(const void *state) {
  return ((const sn__analytic *)state)->text;
}

const sn_ik_solver sn__ik_analytic = {
    .abi = SN_IK_ABI,
    .name = "analytic",
    .description =
        "closed form: all solutions of 6R, 7R and 3-joint chains whose geometry allows it",
    .supports = supports,
    .create = create,
    .solve = solve,
    .describe = describe,
};
