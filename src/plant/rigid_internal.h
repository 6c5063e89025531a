/** @file
 *  Internal to rigid.c, rigid_solve.c and rigid_ground.c: the equations of one step. */
#ifndef SN_PLANT_RIGID_INTERNAL_H
#define SN_PLANT_RIGID_INTERNAL_H

#include "plant/physics.h"
#include "plant/sparse.h"
#include "sinew/dyn.h"

/** How one row moves a contact body. */
typedef struct sn__rigid_column {
  size_t row;
  sn_spatial axis;
} sn__rigid_column;

struct sn__rigid {
  sn__physics physics;
  sn_dyn_data *dyn; /* NULL: independent joints */
  const sn_tree *tree;
  bool floats;
  sn__contacts *contacts;
  sn__sparse shape;
  bool *has_mass; /* [entries] moves something with mass */
  double *inertias;
  /* of the pose */
  double *mass; /* [count][count], the rows of the base first */
  double *bias;
  sn_spatial base_bias;
  /* in the order of elimination */
  int *row_of;                  /* [entries] */
  double *a, *free_a, *factors; /* [count][count]; free_a is a without the ground */
  double *v, *b, *free_b, *av;
  double *pushed;                   /* load of the pushes on bodies */
  double *start;                    /* where the forces of the ground were linearised */
  sn__rigid_column *columns;        /* of one contact body */
  sn_pose *contact_poses;           /* of the contact bodies, in the base */
  sn__contact_force *ground_forces; /* of the contact bodies, linearised */
  sn_spatial *ground_twists;        /* of the contact bodies, where linearised */
  double *from, *way, *a_way;       /* start and direction of a line search */
  double *lower, *upper;            /* of velocities */
  sn__axle_mode *modes;
  sn__rigid_counts counts;
};

/** A row of the base, without drive, friction or stops. */
static const sn__axle SN__FREE_AXLE = {
    .moves = true, .lower = -HUGE_VAL, .upper = HUGE_VAL, .speed_max = HUGE_VAL};

static inline const sn__axle *sn__rigid_axle(const sn__rigid *r, const sn__axle *axles, size_t k) {
  return r->shape.place[k] < 0 ? &SN__FREE_AXLE : &axles[r->shape.place[k]];
}

static inline double sn__rigid_position(const sn__rigid *r, const double *q, size_t k) {
  return r->shape.place[k] < 0 ? 0.0 : q[r->shape.place[k]];
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

/** Load of the pushes on each row. RT: yes */
void sn__rigid_push(sn__rigid *r, const sn__influences *acting, const sn__base_motion *base) SN_RT;

/** @return whether the ground may touch the robot in this step. RT: yes */
bool sn__rigid_begin_contacts(sn__rigid *r, double h_s, const sn__base_motion *base) SN_RT;

/** As sn__rigid_solve(), with the forces of the ground, which are not in the matrix. RT: yes */
bool sn__rigid_solve_on_ground(sn__rigid *r, const sn__axle *axles, const double *q,
                               double h_s) SN_RT;

/** Slope of the ground's terms at a share of the way from `from`. RT: yes */
double sn__rigid_ground_steepness(const sn__rigid *r, const sn__axle *axles, double h_s,
                                  double share) SN_RT;

/** Load of the ground and of pushes on each row at the velocities v. @param loads  out: a number
 * for each row. RT: yes */
void sn__rigid_ground_loads(sn__rigid *r, const sn__axle *axles, double h_s, double *loads) SN_RT;

/** Finish the step with the velocities v. RT: yes */
void sn__rigid_end_contacts(sn__rigid *r, const sn__axle *axles, double h_s,
                            const sn__base_motion *base) SN_RT;

#endif
