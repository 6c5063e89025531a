/** @file
 *  Internal: from a start to the nearest zero of the pose error, inside joint limits.
 *
 *  Levenberg-Marquardt whose damping is the error itself (Sugihara, "Solvability-Unconcerned
 * Inverse Kinematics by the Levenberg-Marquardt Method", 2011): far away it passes singularities
 * slowly, near the solution it becomes Newton's method. No step is undone, so an iteration is
 * exactly one evaluation. Joints that a step would move past a limit are put on it and the others
 * are solved again (active set), so every iterate is inside the limits. */
#ifndef SN_IK_NUMERIC_DESCENT_H
#define SN_IK_NUMERIC_DESCENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ik/serial.h"
#include "sinew/clock.h"

typedef enum sn__descent_end {
  SN__DESCENT_SOLVED,
  SN__DESCENT_STALLED, /**< hopeless, or too many iterations */
  SN__DESCENT_LATE     /**< the deadline has passed */
} sn__descent_end;

/** When to give up a start. */
typedef struct sn__descent_budget {
  int iterations_max;
  int stall_max;      /**< iterations in a row without progress */
  double stall_ratio; /**< progress is a squared error below this ratio of the one at the last
                           progress */
  double start_max;   /**< starts with a larger squared error are skipped */
} sn__descent_budget;

/** The fields up to `deadline_ns` state the problem; set them before the first run. */
typedef struct sn__descent {
  const sn__serial *serial;
  sn_pose pose_target_first; /**< base of the chain, in the frame of the target */
  double *lower, *upper;     /**< [coord_count] infinite where periodic */
  bool *locked;              /**< [coord_count] */
  unsigned free_axes;        /**< SN_IK_FREE_... */
  double position_tolerance; /**< in units of length_m */
  double rotation_tolerance; /**< rad */
  const sn_clock *clock;
  int64_t deadline_ns;

  double *best;        /**< [coord_count] coordinates of the smallest error met, or NULL */
  double best_squared; /**< that error, in m and rad, squared */

  sn__vec3_pair error;  /**< of the last evaluation: the missing motion, masked */
  double error_squared; /**< its squared norm, without unit */
  sn__serial_data data;
  double *step;      /**< [coord_count] scratch */
  bool *fixed;       /**< [coord_count] scratch */
  double *kept;      /**< [coord_count] scratch */
  size_t iterations; /**< so far, over all runs */
  size_t clock_next; /**< the iteration at which the clock is read again */
} sn__descent;

/** @return false if memory runs out. */
bool sn__descent_create(sn_arena *arena, const sn__serial *serial, sn__descent *out);

/** Set the target, in the frame of the chain's base. */
void sn__descent_set_target(sn__descent *descent, sn_pose target);

/** The error at @p y: fills `error`, `error_squared` and the Jacobian. @return within tolerance */
bool sn__descent_evaluate(sn__descent *descent, const double *y);

/** The error at @p y in m and rad, as one Euclidean norm over the axes that are not free. */
double sn__descent_error(sn__descent *descent, const double *y);

/** Has the deadline passed? Runs check it too, but not at every iteration. */
bool sn__descent_is_late(sn__descent *descent);

/** Iterate from @p y, which becomes the last pose. */
sn__descent_end sn__descent_run(sn__descent *descent, const sn__descent_budget *budget, double *y);

/** From a solution @p y move towards @p nominal in the null space of the target. @p y stays a
 * solution and never moves away from it. */
void sn__descent_approach_nominal(sn__descent *descent, const double *nominal, double *y);

#endif
