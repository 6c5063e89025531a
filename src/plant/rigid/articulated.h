/** @file
 *  Internal: the linear equations of one step over the tree of a robot, in time linear in its
 *  bodies (Featherstone, *Rigid Body Dynamics Algorithms*, 2008, section 7.3, with velocities in
 *  place of accelerations).
 *
 *  A x = b has a row for each entry of the pose and, behind them, six for a floating base (angular,
 *  linear). A = sum of J^T (inertia + slope) J over all bodies, plus a diagonal. Slopes belong to
 *  forces on bodies that fall with their velocity.
 *
 *  A row may be locked: its x is given. An entry that moves several bodies (a mimic joint) is not
 *  part of the elimination along the tree: the equations are solved for unit values of each such
 *  entry, and then for these values. So time is also proportional to the number of such entries.
 *
 *  Spatial vectors are in the frame of the base, about its origin. */
#ifndef SN_PLANT_RIGID_ARTICULATED_H
#define SN_PLANT_RIGID_ARTICULATED_H

#include "dyn/data.h"
#include "dyn/vec6.h"

/** A body; the first one is the base. */
typedef struct sn__branch {
  sn_inertia inertia;
  const sn__sym6 *slope; /**< NULL: none */
  sn_spatial axis;       /**< motion at unit velocity of its entry */
  int row;               /**< its entry; -1: the base */
  int parent;            /**< index of a branch */
  bool is_shared;        /**< its entry moves other bodies, too */

  /* factors */
  bool is_locked;
  sn__sym6 articulated; /**< inertia and slope of the body and all it carries */
  sn__vec6 pull;        /**< articulated times axis */
  double resistance;    /**< inertia that the joint feels */
  double inverse;       /**< of that and what is added to the diagonal; 0: locked */
  double given;         /**< right-hand side at its entry, less what it carries */
} sn__branch;

typedef struct sn__articulated_tree {
  const sn_tree *tree; /**< NULL: the matrix is diagonal */
  sn_dyn_data *dyn;    /**< poses of the bodies, after an update */
  bool floats;
  size_t entry_count, row_count, branch_count;
  sn__branch *branches;
  double *diagonal; /**< [row_count], set by the caller */

  size_t shared_count;
  int *shared;     /**< [shared_count] entries that move several bodies */
  double *columns; /**< [shared_count][row_count] solutions for unit values of them */
  double *square;  /**< [shared_count][shared_count] */
  double *side;    /**< [shared_count] */
  double *product; /**< [row_count] */
  double *unit;    /**< [row_count] */

  /* [branch_count] of the pass under way */
  sn__vec6 *force, *twist;
  sn_spatial *forces, *twists;
  /* of each body and all it carries, after sn__articulated_compose() */
  sn_inertia *composed;
  sn__sym6 *composed_slope;
  bool *has_slope;
  double root[36]; /**< factors of the base */
} sn__articulated_tree;

/** @param tree     NULL: a diagonal matrix
 *  @param entries  of the pose
 *  @return false if the arena is full */
bool sn__articulated_create(sn_arena *arena, const sn_tree *tree, size_t entries, bool floats,
                            sn__articulated_tree *out);

/** Poses, axes and inertias at a joint vector; no slopes. RT: yes */
void sn__articulated_update(sn__articulated_tree *t, const double *q) SN_RT;

/** Twists of all bodies with the velocities @p x. @param twists  out: branch_count.  RT: yes */
void sn__articulated_twists(const sn__articulated_tree *t, const double *x,
                            sn_spatial *twists) SN_RT;

/** rows += J^T forces. @param forces  branch_count; overwritten.  RT: yes */
void sn__articulated_gather(const sn__articulated_tree *t, sn_spatial *forces, double *rows) SN_RT;

/** y = A x. RT: yes */
void sn__articulated_apply(sn__articulated_tree *t, const double *x, double *y) SN_RT;

/** Compose the bodies. @param diagonal  out: that of A.  RT: yes */
void sn__articulated_compose(sn__articulated_tree *t, double *diagonal) SN_RT;

/** Change of the product A x at the row of branch @p i if the body that carries it moves by
 *  @p more; after composing. RT: yes */
double sn__articulated_change(const sn__articulated_tree *t, size_t i, sn_spatial more) SN_RT;

/** Solve (A + extra) x = b, where extra is diagonal.
 *  @param is_locked  row_count: x is given; not of the base
 *  @param x          in: b, or the given x; out: x.  RT: yes */
void sn__articulated_solve(sn__articulated_tree *t, const bool *is_locked, const double *extra,
                           double *x) SN_RT;

#endif
