/** @file
 *  Internal: an instance of the solver `analytic`, and the parts that work on it. */
#ifndef SN_IK_CLOSED_ANALYTIC_H
#define SN_IK_CLOSED_ANALYTIC_H

#include "ik/closed/closed_3r.h"
#include "ik/closed/closed_6r_plan.h"
#include "ik/closed/closed_7r.h"
#include "sinew/ik_solver.h"

typedef struct sn__analytic {
  const sn_ik_tip *tip;
  int joint_count; /**< of the chain */
  size_t group_count;
  double *q; /**< scratch: the group's vector */
  sn__windows windows;
  double step;
  bool is_stopped; /**< an offer ended the last query */
  char text[120];

  sn__closed_3r closed_3r; /**< 3 joints */
  bool closed_3r_is_near;
  sn__frames closed_3r_frames;
  sn__closed_6r_plan closed_6r; /**< 6 joints */
  sn__closed_7r closed_7r;      /**< 7 joints */
  bool has_5r[3];
  sn__closed_6r_plan closed_5r[3]; /**< 5 joints and one about axis x, y, z of the tip */
} sn__analytic;

#endif
