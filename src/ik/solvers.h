/** @file
 *  Internal: the built-in solvers. */
#ifndef SN_IK_SOLVERS_H
#define SN_IK_SOLVERS_H

#include "sinew/ik_solver.h"

extern const sn_ik_solver sn__ik_auto;       /**< picks one of the others */
extern const sn_ik_solver sn__ik_analytic;   /**< one tip, closed form, all solutions */
extern const sn_ik_solver sn__ik_numeric;    /**< one tip, any chain */
extern const sn_ik_solver sn__ik_whole_body; /**< one tip or several that share joints */

/** After a query: did an offer end it? */
bool sn__analytic_is_stopped(const void *state);
bool sn__numeric_is_stopped(const void *state);

/** Offer the last solution of a query once more, to @p query: the same, but perhaps another offer.
 */
bool sn__numeric_offer_again(const void *state, const sn_ik_query *query);

/** Inside an offer of sn__ik_numeric, which must be the last: is every other solution farther from
 * the seed? False also where that is not known (sn__serial_is_nearest()). */
bool sn__numeric_is_nearest(void *state, const sn_ik_query *query);

#endif
