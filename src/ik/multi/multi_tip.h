/** @file
 *  Internal: several tips that share joints, as one least-squares problem.
 *
 *  The same damped descent as for one tip (descent.h), with the joints' own normal equations
 * instead of the tip's: a robot has some thirty joints and few of them move any one tip, so the
 * matrix is assembled tip by tip. */
#ifndef SN_IK_MULTI_MULTI_TIP_H
#define SN_IK_MULTI_MULTI_TIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ik/numeric/descent.h"
#include "ik/serial.h"
#include "sinew/ik_solver.h"

typedef struct sn__multi_tip_tip {
  const int *joints; /**< of the chain, in the group */
  sn__serial serial;
  sn__serial_data data;
  int *coord; /**< [serial.coord_count] places in the vector of all coordinates */
  /** [serial.coord_count] The chain's coordinate is factor * y + shift; that is y itself unless its
   *  joint mimics one that only another chain has. */
  double *factor, *shift;
  double *y; /**< [serial.coord_count] scratch */
  sn_pose pose_target_first;
  sn__vec3_pair error;
  sn__vec3_pair missing; /**< scratch: the error minus the contribution of fixed joints */
  bool reached;          /**< within tolerance at the last evaluation */
} sn__multi_tip_tip;

typedef struct sn__multi_tip {
  size_t joint_count; /**< of the group */
  size_t tip_count;
  sn__multi_tip_tip *tips;
  size_t coord_count;
  double length_m;
  double *lower, *upper;               /**< [coord_count] infinite for a joint without limits */
  double *sample_lower, *sample_upper; /**< [coord_count] finite */
  bool *locked;                        /**< [coord_count] */
  unsigned free_axes;
  double position_tolerance, rotation_tolerance; /**< without unit, rad */
  const sn_clock *clock;
  int64_t deadline_ns;

  double *best_room; /**< [coord_count] */
  double *best;      /**< best_room, or NULL if not wanted; as in sn__descent */
  double best_squared;
  double error_squared; /**< of the last evaluation, over all tips, without unit */

  double *normal;  /**< [coord_count][coord_count] scratch */
  double *right;   /**< [coord_count] scratch */
  double *step;    /**< [coord_count] scratch */
  double *kept;    /**< [coord_count] scratch */
  double *scratch; /**< 4 vectors of coord_count */
  bool *fixed;     /**< [coord_count] scratch */
  int *free_index; /**< [coord_count] place among the joints that are not fixed, or -1 */
} sn__multi_tip;

/** @return false if memory runs out. */
bool sn__multi_tip_create(sn_arena *arena, const sn_ik_setup *setup, sn__multi_tip *out);

/** Take limits, locks, targets, tolerances and the deadline of a query.
 *  @return false if the limits leave no room */
bool sn__multi_tip_set_query(sn__multi_tip *multi, const sn_ik_query *query);

/** Coordinates of the group's vector @p q. */
void sn__multi_tip_from_q(const sn__multi_tip *multi, const double *q, double *y);

/** Entries of the group's vector @p q; those of joints that move no tip are not touched. */
void sn__multi_tip_to_q(sn__multi_tip *multi, const double *y, const sn_ik_query *query, double *q);

/** Errors and Jacobians at @p y. @return true if every tip is within tolerance */
bool sn__multi_tip_evaluate(sn__multi_tip *multi, const double *y);

/** Iterate from @p y, which becomes the last pose. */
sn__descent_end sn__multi_tip_run(sn__multi_tip *multi, const sn__descent_budget *budget,
                                  double *y);

/** From a solution @p y move towards @p nominal in the null space of the targets. */
void sn__multi_tip_approach_nominal(sn__multi_tip *multi, const double *nominal, double *y);

/** The error at @p y in m and rad, as one Euclidean norm over all tips. */
double sn__multi_tip_error(sn__multi_tip *multi, const double *y);

#endif
