/** @file
 *  Internal: of the solutions of an arm with seven joints, which form curves, those nearest to what
 *  is preferred. */
#ifndef SN_IK_CLOSED_NEAREST_7R_H
#define SN_IK_CLOSED_NEAREST_7R_H

#include "ik/closed/closed_7r.h"

/** Offer local minima of the distance, the nearest first. No joint is locked.
 *
 *  The first one is found by descent from what is preferred. Unless no other can be nearer
 *  (nearness_7r.h), steps over the redundancy sample all curves as far as a nearer
 *  one could be; wherever the tangent promises one, slide.h finds it. None of the samples is nearer
 *  than the first offer.
 *  @param step  rad, over the redundancy */
void sn__nearest_7r(sn__closed_7r *closed, double step, sn__closed_run *run);

#endif
