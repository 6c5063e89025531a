/** @file
 *  Internal: arms with spherical shoulder and wrist: the search over the angle of the elbow. */
#ifndef SN_IK_CLOSED_SRS_SEARCH_H
#define SN_IK_CLOSED_SRS_SEARCH_H

#include "ik/closed/closed_7r.h"

/** Offer solutions from the preferred angle of the elbow outwards.
 *  @param closed  with is_srs
 *  @param step    of the angle, rad */
void sn__srs_search(const sn__closed_7r *closed, double step, sn__closed_run *run);

#endif
