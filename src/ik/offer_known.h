/** @file
 *  Internal: a solver of the library offers what it has confirmed. */
#ifndef SN_IK_OFFER_KNOWN_H
#define SN_IK_OFFER_KNOWN_H

#include <stdbool.h>

#include "sinew/ik_solver.h"

/** As the offer of @p query, for a solver that has computed the tip of @p q by forward kinematics
 * of the chain: a query of sn_ik_get_position() and the like takes these errors instead of
 * computing them a second time. Limits, tolerances and the callback decide as always.
 *  @param position_m, rotation_rad  how far the one tip is from its target, over the axes that are
 *                                   not free; not less than it is
 *  @return as the offer */
bool sn__ik_offer_known(const sn_ik_query *query, const double *q, double position_m,
                        double rotation_rad);

#endif
