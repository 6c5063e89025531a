/** @file
 *  Internal: converts between the vectors of a query, which have an entry for every joint of the
 * group, and the coordinates of one chain (serial.h). */
#ifndef SN_IK_COORDS_H
#define SN_IK_COORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "ik/serial.h"
#include "sinew/ik_solver.h"

/** Ranges of the coordinates; arrays of [coord_count]. */
typedef struct sn__coords_range {
  double *lower, *upper; /**< infinite for a coordinate without limits */
  double *sample_lower;  /**< finite: where to draw samples from */
  double *sample_upper;
  bool *locked; /**< may be NULL: not wanted */
} sn__coords_range;

/** Limits of the coordinates, including those of the joints that mimic them. A coordinate with a
 * range of a whole turn or more has none: one of its values is always inside.
 *  @param lower, upper  of the group's joints
 *  @param locked        likewise; NULL means none
 *  @return false if the range of some coordinate is empty */
bool sn__coords_limits(const sn__serial *serial, const int *joints, const double *lower,
                       const double *upper, const bool *locked, const sn__coords_range *range);

/** Coordinates of the group's vector @p q. */
void sn__coords_from_q(const sn__serial *serial, const int *joints, const double *q, double *y);

/** Fill the entries of the chain's joints in the group's vector @p q. A joint of more than a turn
 * is put as near to @p seed as its limits allow; mimic joints follow. */
void sn__coords_to_q(const sn__serial *serial, const int *joints, const double *y,
                     const double *seed, const double *lower, const double *upper, double *q);

#endif
