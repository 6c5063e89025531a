/** @file
 *  Internal: the fastest motion along a path under limits, as an optimisation problem.
 *
 *  The unknown is x(p), the square of the rate of the path parameter p: a quadratic spline over a
 *  grid, by its coefficients c. With derivatives of the path by p,
 *    velocity     q' sqrt(x)
 *    acceleration q'' x + q' x'/2
 *    jerk         sqrt(x) (q''' x + 3/2 q'' x' + q' x''/2)
 *  (K. Shin and N. McKay, 1985; third order as in H. Pham and Q.-C. Pham, "On the structure of the
 *  time-optimal path parameterization problem with third-order constraints", 2017), and torque is
 *  linear in x and x' as acceleration is. The duration, the integral of x^-1/2, is convex in c;
 *  so are the limits, but for the factor sqrt(x) of the jerk.
 *
 *  Rows are divided by their limits: each is within -1 .. 1. */
#ifndef SN_PATH_RATE_PROBLEM_H
#define SN_PATH_RATE_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#include "math/pair.h"
#include "path/joint_path.h"
#include "path/rate_lanes.h"
#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/dyn.h"
#include "sinew/kin.h"
#include "sinew/otg.h"
#include "sinew/status.h"

enum {
  SN__RATE_TOOL_ROWS = 4,       /**< for the acceleration of a tool, the last ones */
  SN__RATE_TOOL_JERK_ROWS = 13, /**< for its jerk, likewise */
  SN__SEGMENT_INTERVALS = 128,  /**< the most of a segment that is not at an end */
  SN__RATE_SAMPLES = 129        /**< of an interval at most, in sn__rate_check() */
};

/** The rows of one point of a path. */
typedef struct sn__rate_rows {
  double x_max;         /**< by velocity limits */
  double tool;          /**< speed of the tool at a rate of 1, as share of its limit */
  double *a, *b, *off;  /**< [second_count] a x + b x' + off: acceleration and torque */
  double *j1, *j2, *j3; /**< [third_count] j3 x + j2 x' + j1 x'', times sqrt(x): jerk */
} sn__rate_rows;

/** A point between two intervals, or an end. */
typedef struct sn__rate_node {
  double weight;      /**< of x^-1/2 in the duration */
  double left, right; /**< x = left c[k] + right c[k+1] */
  double slope;       /**< x' = slope (c[k+1] - c[k]) */
  double unit;        /**< of x in the lanes: the greatest x with x' = x'' = 0 */
} sn__rate_node;

/** How x, x' and x'' at two nodes, side by side, depend on coefficients, in the units of the lanes:
 *  those of node k on c[k-1] .. c[k+2]. */
typedef struct sn__rate_stencil {
  sn__pair left, right;         /**< x = left c[k] + right c[k+1] */
  sn__pair slope;               /**< x' = slope (c[k+1] - c[k]) */
  sn__pair before[3], after[3]; /**< x'' = before . c[k-1 .. k+1] and after . c[k .. k+2] */
} sn__rate_stencil;

/** An interval between two nodes. */
typedef struct sn__rate_interval {
  size_t segment;
  double begin; /**< path parameter since the start of the segment */
  double width;
  double bend[3];   /**< x'' = bend . c[i .. i+2] */
  double strain[2]; /**< what sn__rate_check() found: the greatest row of second and of third
                         order */
} sn__rate_interval;

typedef struct sn__rate_problem {
  const sn__joint_path *path;
  const struct sn__rate_limits *limits;
  size_t interval_max, interval_count; /**< nodes: one more; coefficients: two more */
  size_t second_count, third_count;    /**< rows of a point */
  sn__path_point point;                /**< memory for one */
  sn__rate_rows rows, rows_after;      /**< likewise */
  double *samples;                     /**< memory for sn__rate_check() */
  sn__rate_node *nodes;
  sn__rate_stencil *stencils; /**< two for each block of the lanes */
  sn__rate_interval *intervals;
  sn__rate_lanes lanes;
} sn__rate_problem;

/** Limits that the rows state; arrays have an entry a joint. */
typedef struct sn__rate_limits {
  const sn_otg_limits *joints;
  const sn_otg_limits *inverse; /**< one over each of them */
  const sn_chain *chain;    /**< of the joints; may be NULL if neither torque nor tool is limited */
  sn_dyn_data *dyn;         /**< of the chain, with torque_max */
  const double *torque_max; /**< N·m or N, more than it takes to hold still; NULL: none */
  double tool_speed;        /**< m/s; infinite: none */
  double tool_acceleration; /**< m/s^2; infinite: none */
  double tool_jerk;         /**< m/s^3; infinite: none */
  double *work;             /**< [7][joints] */
} sn__rate_limits;

/** The greater of two numbers. fmax() is a call, since it treats NaN. */
static inline double sn__rate_greater(double a, double b) {
  return a > b ? a : b;
}

/** The most intervals of a path of so many waypoints. */
size_t sn__rate_intervals_max(size_t waypoint_count) SN_RT;

/** Memory for a problem. @return SN_OK or SN_ENOMEM.  RT: no, allocates. */
sn_status sn__rate_problem_create(sn_arena *arena, size_t joint_count, size_t interval_max,
                                  const sn__rate_limits *limits, sn__rate_problem *out,
                                  sn_error *err);

/** Whether they limit a tool. RT: yes. */
bool sn__rate_limits_tool(const sn__rate_limits *limits) SN_RT;

/** The problem of a path; both must outlive its use; limits are those it was created for. RT: yes,
 * O(intervals * rows). */
void sn__rate_problem_build(sn__rate_problem *problem, const sn__joint_path *path,
                            const sn__rate_limits *limits) SN_RT;

/** The rows of any point of the path. RT: yes, O(rows). */
void sn__rate_rows_at(const sn__rate_problem *problem, size_t segment, double at,
                      sn__rate_rows *out) SN_RT;

/** Those of the tool at problem->point, if it is limited. RT: yes, O(joints). */
void sn__rate_tool_rows(const sn__rate_problem *problem, sn__rate_rows *out) SN_RT;

/** How much too large the squared rate is anywhere, between nodes, too: its greatest factor over
 *  what the limits allow; at most 1 if all limits hold; infinite if it is no finite rate. Sets
 * `strain` of each interval.
 *  @param c  [coefficients].  RT: yes, O(intervals * rows). */
double sn__rate_check(sn__rate_problem *problem, const double *c) SN_RT;

/** The same for one interval, with bounds that hold at every point, if there are: neither torque
 * nor tool is limited, and it is not at an end of the path. They may be too large by about 1e-3.
 *  @return whether there are; if not, nothing is set.  RT: yes, O(joints). */
bool sn__rate_bound(sn__rate_problem *problem, size_t i, const double *c) SN_RT;

/** Make the rows of intervals where the last check found an excess that much stricter. RT: yes. */
void sn__rate_tighten(sn__rate_problem *problem) SN_RT;

/** How the stencils follow from nodes and intervals. RT: yes, O(intervals). */
void sn__rate_stencils_build(sn__rate_problem *problem) SN_RT;

enum {
  SN__RATE_PARTS = 13, /**< derivatives that a node adds to those by coefficients */
  SN__RATE_PADDING = 8 /**< numbers before and after arrays that a search reads in pairs */
};

/** A search for the fastest motion. Its arrays can be read a few numbers beyond both ends. */
typedef struct sn__rate_search {
  double *c;         /**< [coefficients] */
  double *step;      /**< [coefficients] the next step */
  double *gradient;  /**< [coefficients] */
  double *factor[3]; /**< [coefficients] the matrix of second derivatives as L D L^T: one over D,
                        and the two diagonals of L */
  double *part[SN__RATE_PARTS]; /**< [nodes] derivatives by the coefficients around each node */
  double duration_s;            /**< about */
  sn__rate_aim aim;
} sn__rate_search;

/** Memory for a search. @return SN_OK or SN_ENOMEM.  RT: no, allocates. */
sn_status sn__rate_search_create(sn_arena *arena, size_t interval_max, sn__rate_search *out,
                                 sn_error *err);

/** x, x' and x'' at all nodes that belong to coefficients; of a step if it is one.
 *  RT: yes, O(intervals). */
void sn__rate_place(sn__rate_problem *problem, const double *c, bool is_step) SN_RT;

/** Newton's step from where the nodes were placed; sets the duration, too.
 *  @return how much it would gain, s.  RT: yes, O(intervals * rows). */
double sn__rate_newton(sn__rate_problem *problem, sn__rate_search *search) SN_RT;

/** Begin with a motion that is about as fast as limits allow without changes of the rate.
 *  RT: yes, O(intervals * rows). */
void sn__rate_begin(sn__rate_problem *problem, sn__rate_search *search) SN_RT;

/** Begin again where a search ended, after rows were changed. RT: yes, O(intervals * rows). */
void sn__rate_resume(sn__rate_problem *problem, sn__rate_search *search) SN_RT;

/** Go on until the motion is nearly the fastest within all limits at the nodes: a primal-dual
 *  interior-point method.
 *  @param gap  by which share it may be longer, about
 *  RT: yes, O(intervals * rows), with a bounded number of steps. */
void sn__rate_solve(sn__rate_problem *problem, double gap, sn__rate_search *search) SN_RT;

#endif
