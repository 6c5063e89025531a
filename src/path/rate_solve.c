/* A primal-dual interior-point method for the fastest motion.
 *
 * Each row has a distance from its limit and a multiplier; Newton's method drives all their
 * products to the same small number mu, which falls until one of them at each node adds up to the
 * gap: where the motion is the fastest, about one limit is active at a node. The limits are wider
 * in the beginning, so that the first motion is inside of them; each step takes its share of that
 * away. (S. Wright, "Primal-dual interior-point methods", 1997; J. Nocedal and S. Wright,
 * "Numerical optimization", 2006, chapter 19.) The factor sqrt(x) makes the limits of jerk
 * non-convex; what that subtracts from the curvature of the duration is only counted down to
 * zero. */
#include <math.h>

#include "path/rate_problem.h"

/* The first motion, as share of the greatest rate at each node. */
static const double START = 0.7;
/* The sum of all products in the beginning, as share of the duration. */
static const double GAP_START = 0.5;
/* Limits are widened to so many times the greatest row. */
static const double ROOM_START = 1.5;
static const double ROOM_AGAIN = 1.003;
/* The most of a distance that a step takes. */
static const double SHARE_MAX = 0.99;
/* By how much mu falls after a step that was nearly whole, and after one that was half. */
static const double FALL_WHOLE = 0.1;
static const double FALL_HALF = 0.4;
/* Widening that may be left in the end, and the share of the duration that the last step gains. */
static const double RELAXED_MAX = 0.02;
static const double GAIN_MAX = 2e-3;
/* It takes about ten steps; this bounds them. */
enum { STEPS_MAX = 60 };

static double product_count(const sn__rate_problem *self) {
  const size_t nodes = self->interval_count + 1;
  return (double)(nodes * (2 * self->second_count + 1) +
                  4 * self->interval_count * self->third_count);
}

static void widen(sn__rate_problem *self, sn__rate_search *search, double room) {
  sn__rate_place(self, search->c, false);
  for (size_t i = 0; i < self->lanes.block_count; i++) {
    sn__rate_block_widen(&self->lanes.blocks[i], &self->lanes, search->aim.relaxed, room);
  }
  search->aim.relaxed = 1.0;
}

void sn__rate_begin(sn__rate_problem *problem, sn__rate_search *search) {
  const size_t count = problem->interval_count;
  double duration_s = 0.0;
  for (size_t i = 0; i < count; i++) {
    const double x = START * fmin(problem->nodes[i].unit, problem->nodes[i + 1].unit);
    search->c[i + 1] = x;
    duration_s += problem->intervals[i].width / sqrt(x);
  }
  search->c[0] = search->c[1];
  search->c[count + 1] = search->c[count];
  for (size_t i = 0; i < SN__RATE_PADDING; i++) { /* of lanes without a node */
    search->c[count + 2 + i] = 1.0;
  }
  search->aim = (sn__rate_aim){.mu = GAP_START * duration_s / product_count(problem)};
  for (size_t i = 0; i < problem->lanes.block_count; i++) {
    sn__rate_block *block = &problem->lanes.blocks[i];
    block->relaxed = block->relaxed_side[0] = block->relaxed_side[1] = sn__quad_all(0.0);
  }
  widen(problem, search, ROOM_START);
  for (size_t i = 0; i < problem->lanes.block_count; i++) {
    sn__rate_block_begin(&problem->lanes.blocks[i], &problem->lanes, search->aim.mu);
  }
}

void sn__rate_resume(sn__rate_problem *problem, sn__rate_search *search) {
  widen(problem, search, ROOM_AGAIN);
}

/* Take the step, or the part of it that stays within limits.
   @return that part */
static double advance(sn__rate_problem *self, sn__rate_search *search) {
  double most = 0.0;
  sn__rate_place(self, search->step, true);
  for (size_t i = 0; i < self->lanes.block_count; i++) {
    const double share = sn__rate_block_advance(&self->lanes.blocks[i], &self->lanes, &search->aim);
    most = share > most ? share : most;
  }
  for (size_t i = 1; i <= self->interval_count; i++) { /* no coefficient gets to zero either */
    const double fall = -search->step[i];
    most = fall > most * search->c[i] ? fall / search->c[i] : most;
  }
  const double part = most > SHARE_MAX ? SHARE_MAX / most : 1.0;
  for (size_t i = 0; i < self->interval_count + 2; i++) {
    search->c[i] += part * search->step[i];
  }
  search->aim.relaxed *= 1.0 - part;
  return part;
}

void sn__rate_solve(sn__rate_problem *problem, double gap, sn__rate_search *search) {
  const double nodes = (double)(problem->interval_count + 1);
  sn__rate_aim *aim = &search->aim;
  for (int steps = 0; steps < STEPS_MAX; steps++) {
    sn__rate_place(problem, search->c, false);
    const double gain = sn__rate_newton(problem, search);
    const double goal = gap * search->duration_s / nodes;
    const bool is_last = aim->mu <= 1.05 * goal && gain < GAIN_MAX * search->duration_s;
    const double part = advance(problem, search);
    if (is_last && aim->relaxed < RELAXED_MAX) {
      return;
    }
    const double fall = part > 0.9 ? FALL_WHOLE : part > 0.5 ? FALL_HALF : 1.0;
    aim->mu = fmax(fall * aim->mu, goal);
  }
}
