/** @file
 *  Internal: arms with spherical shoulder and wrist: the search over the angle of the elbow. */
#ifndef SN_IK_CLOSED_SRS_SEARCH_H
#define SN_IK_CLOSED_SRS_SEARCH_H

#include "ik/closed/closed_7r.h"

/** Offer solutions from the preferred angle of the elbow outwards.
 *  @param closed  with is_srs
 *  @param step    of the angle, rad */
void sn__srs_search(const sn__closed_7r *closed, double step, sn__closed_run *run);

/** Offer solutions at angles of the elbow all around: those that sn__srs_search() lists if all are
 *  wanted, and one in every stretch between limits. */
void sn__srs_scan(const sn__closed_7r *closed, double step, sn__closed_run *run);

#endif
