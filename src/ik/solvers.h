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

/** Inside an offer of sn__ik_numeric: within this distance of the offered solution there is no
 * other (sn__serial_isolation()); 0 if that is not known. */
double sn__numeric_isolation(const void *state, const sn_ik_query *query);

#endif
