/** @file
 *  Internal: how far a solution is from every other one. */
#ifndef SN_IK_NUMERIC_ISOLATION_H
#define SN_IK_NUMERIC_ISOLATION_H

#include "ik/serial.h"

/** Within this distance (Euclidean, rad) of a solution there is no other solution for the same pose
 *  of the tip: a lower bound, for six turning joints; 0 if the chain is another or the solution is
 *  singular.
 *
 *  Let q' = q + d be another solution, and follow the straight line from q to q'. The angular
 *  velocity w of the tip changes at most by the sum over i < j of |d_i d_j|, so the tip ends within
 *  half of that from where the constant w would turn it; it ends where it began, so |w| is at most
 *  half of that sum. For the velocity of the tip likewise, with p_j the distance of the tip from
 *  axis j at most, half the sum over all i, j of |d_i d_j| p_max(i, j). Together |J d| <= k |d|^2,
 *  and |J d| >= s |d| with s the smallest singular value of J; hence |d| >= s / k.
 *  @param data  as sn__serial_jacobian() left it at the solution */
double sn__serial_isolation(const sn__serial *serial, const sn__serial_data *data);

#endif
