/** @file
 *  Internal to rigid.c, rigid_solve.c and rigid_ground.c: the equations of one step.
 *
 *  Rows are the entries of the pose, then six of a floating base. */
#ifndef SN_PLANT_RIGID_RIGID_INTERNAL_H
#define SN_PLANT_RIGID_RIGID_INTERNAL_H

#include "plant/physics.h"
#include "plant/rigid/articulated.h"

struct sn__rigid {
  sn__physics physics;
  sn__articulated_tree tree;
  sn__contacts *contacts;
  double *inertias; /* [entries] of independent joints */
  /* [branches] */
  sn_spatial *twists, *forces;  /* at the beginning; forces that keep the velocities, less pushes */
  sn_spatial *moved, *gathered; /* for passes */
  sn_spatial *from_twists;      /* of a line search */
  /* [rows] */
  double *v, *b, *free_b, *av, *own; /* own: the diagonal of the matrix */
  double *start;                     /* where the forces of the ground were linearised */
  double *from, *way, *a_way;        /* start and direction of a line search */
  double *unit;
  double *lower, *upper; /* of velocities */
  double *slopes;        /* of the modes */
  bool *is_pinned;       /* likewise */
  sn__axle_mode *modes;
  /* [contact bodies] */
  sn_pose *contact_poses;
  sn__contact_force *ground_forces; /* linearised */
  sn_spatial *ground_twists;        /* where linearised */
  sn__sym6 *ground_slopes;          /* times the length of the step */
  sn__rigid_counts counts;
};

/** A row of the base, without drive, friction or stops. */
static const sn__axle SN__FREE_AXLE = {
    .moves = true, .lower = -HUGE_VAL, .upper = HUGE_VAL, .speed_max = HUGE_VAL};

static inline bool sn__rigid_is_joint(const sn__rigid *r, size_t row) {
  return row < r->tree.entry_count;
}

static inline const sn__axle *sn__rigid_axle(const sn__rigid *r, const sn__axle *axles, size_t k) {
  return sn__rigid_is_joint(r, k) ? &axles[k] : &SN__FREE_AXLE;
}

static inline double sn__rigid_position(const sn__rigid *r, const double *q, size_t k) {
  return sn__rigid_is_joint(r, k) ? q[k] : 0.0;
}

/* ---- rigid_solve.c ---- */

/** Find the velocities v at which all laws of the joints hold, with the forces of the ground as the
 *  matrix has them. @return false without convergence. RT: yes */
bool sn__rigid_solve(sn__rigid *r, const sn__axle *axles, const double *q, double h_s) SN_RT;

/** Line search from `from` towards v, within the bounds.
 *  @param ground  the forces of the ground are not in the matrix.  RT: yes */
void sn__rigid_search(sn__rigid *r, const sn__axle *axles, const double *q, double h_s,
                      bool ground) SN_RT;

/* ---- rigid_ground.c ---- */

/** Subtract the pushes on bodies from the forces. RT: yes */
void sn__rigid_push(sn__rigid *r, const sn__influences *acting, const sn__base_motion *base) SN_RT;

/** @return whether the ground may touch the robot in this step. RT: yes */
bool sn__rigid_begin_contacts(sn__rigid *r, double h_s, const sn__base_motion *base) SN_RT;

/** As sn__rigid_solve(), with the forces of the ground, which are not in the matrix. RT: yes */
bool sn__rigid_solve_on_ground(sn__rigid *r, const sn__axle *axles, const double *q,
                               double h_s) SN_RT;

/** A line search begins: `from` and `way` are set. RT: yes */
void sn__rigid_begin_search(sn__rigid *r) SN_RT;
/** Slope of the ground's terms at a share of the way from `from`. RT: yes */
double sn__rigid_ground_steepness(const sn__rigid *r, double h_s, double share) SN_RT;

/** Finish the step with these twists of the bodies.
 *  @param forces  the forces of the ground are subtracted.  RT: yes */
void sn__rigid_end_contacts(sn__rigid *r, double h_s, const sn__base_motion *base,
                            const sn_spatial *twists, sn_spatial *forces) SN_RT;

#endif
