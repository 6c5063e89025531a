/** @file
 *  Internal: arms of seven revolute joints, which have one redundant degree of freedom. */
#ifndef SN_IK_CLOSED_CLOSED_7R_H
#define SN_IK_CLOSED_CLOSED_7R_H

#include "ik/closed/closed_6r_plan.h"
#include "ik/closed/closed_run.h"
#include "ik/closed/srs.h"

/** How hard to try: arms of exactly the form, nearly of the form, and poses that are hard to reach.
 */
extern const sn__effort sn__effort_7r_exact, sn__effort_7r_near, sn__effort_7r_hard;

/** What is left when one joint is locked. */
typedef struct sn__lock_plan {
  sn__closed_6r_form form; /**< kind NONE unless it is closed for every angle of the joint */
  bool is_near;
  sn__general_choice general; /**< unless the form is exact: elimination */
  bool has_steps;             /**< if neither: a search in steps */
} sn__lock_plan;

/** An arm of six joints, the last that a query asked for. */
typedef struct sn__locked_7r {
  bool is_valid;
  int joint;
  double value;
  sn__closed_6r_plan plan;
  sn__windows windows;
} sn__locked_7r;

/** An arm with a joint locked at a value. */
typedef struct sn__locked_6r {
  bool is_valid;
  int joint;
  double value;
  sn__turn turn;
  sn__closed_6r closed_6r;
} sn__locked_6r;

typedef struct sn__closed_7r {
  sn__arm arm;
  sn__frames frames;
  bool is_srs; /**< spherical shoulder and wrist: the elbow angle is the redundancy */
  bool srs_is_near;
  sn__srs srs;
  sn__lock_plan lock[7];
  sn__locked_6r kept; /**< the last one used in steps */
  sn__locked_7r given;
  int best;   /**< the joint to lock where the query names none; -1 if there is none */
  int second; /**< another one, if possible with a cheap form; else as `best` */
} sn__closed_7r;

/** @param lower, upper  limits of the joints, to find out which is best locked
 *  @return false if the arm has no closed form */
bool sn__closed_7r_init(sn__closed_7r *closed, const sn__arm *arm, const sn__frames *frames,
                        const double *lower, const double *upper);

/** Write a description, as snprintf(). */
int sn__closed_7r_describe(const sn__closed_7r *closed, char *text, size_t size);

/** Answer a query. @param step  rad, over the redundancy */
void sn__closed_7r_run(sn__closed_7r *closed, double step, sn__closed_run *run);

/** Does a query that locks this joint leave an arm whose branches can be listed? No for the elbow
 *  between spherical joints: it does not fix the elbow angle. */
bool sn__closed_7r_can_lock(const sn__closed_7r *closed, int joint);

/** Offer all branches with @p joint, which can be locked, at the value that the limits leave it. */
void sn__locked_7r_run(sn__closed_7r *closed, int joint, double step, sn__closed_run *run);

/** Offer what steps over the redundancy find, and with more effort if that is nothing. */
void sn__closed_7r_search(sn__closed_7r *closed, double step, sn__closed_run *run);

/** Offer what steps over the redundancy find, from what is preferred outward. No joint is locked.
 *  An offer may reduce the reach of @p run.
 *  @param joint  that the steps are along: `best` or `second`; without effect if is_srs */
void sn__closed_7r_scan(sn__closed_7r *closed, int joint, double step, sn__closed_run *run);

#endif
