/** @file
 *  Internal: what an identifier remembers. */
#ifndef SN_IDENT_ONLINE_SERVO_IDENT_STATE_H
#define SN_IDENT_ONLINE_SERVO_IDENT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ident/online/rls.h"
#include "ident/online/servo_ident.h"

/* Cycles between two measurements of a servo that are averaged over; more are a gap. */
enum { SN__IDENT_GAP_MAX = 16 };

/* What was commanded to a servo in a cycle. */
typedef struct sn__ident_order {
  double goal; /* NaN: it was let go */
  double tau;
  double q, qd, qdd; /* qdd is the change of qd since the cycle before */
  double voltage;
} sn__ident_order;

/* A measurement with the order in force when it was taken. */
typedef struct sn__ident_moment {
  int64_t cycle;
  double q;
  double qd; /* NaN: not measured */
  sn__ident_order order;
  bool has_order;
  /* From the measurement before to this one: mean goal, torque and voltage of the cycles. */
  sn__ident_order held;
  double cycles;
  bool is_linked; /* is all of that known? */
} sn__ident_moment;

/* Residuals times regressors, added up over groups of samples that are longer than noise and errors
   of the model stay alike: from their spread comes the deviation of the estimate. */
typedef struct sn__ident_scores {
  double sum[SN_RLS_MAX];                 /* of the group that is not full */
  double square[SN_RLS_MAX * SN_RLS_MAX]; /* of the groups before, with forgetting */
  double weight, weight_square;           /* of the groups */
  double sample_count;                    /* of the group that is not full */
  int64_t begin;                          /* its first cycle */
  /* Sums over equations, with forgetting. */
  double noise_square; /* of the acceleration */
  double steep_square; /* how much a part more velocity changes the Stribeck term */
  /* Sums over samples. */
  double blur_square;       /* noise of the velocity over qs */
  double tau_change_square; /* of the commanded torque in a cycle */
} sn__ident_scores;

/* What a sample of the law is made of. */
enum {
  SN__IDENT_QD,
  SN__IDENT_DRY,
  SN__IDENT_STRIBECK,
  SN__IDENT_TAU,
  SN__IDENT_VOLTS,
  SN__IDENT_MISSED_Q, /* measured less commanded */
  SN__IDENT_WANTED_Q,
  SN__IDENT_WANTED_QDD,
  SN__IDENT_TAU_RIPPLE, /* of blocks only: the torque is evenly within +- this */
  SN__IDENT_TERMS
};

/* Neighbouring samples, whose mean is one equation of least squares. */
typedef struct sn__ident_block {
  double sum[SN__IDENT_TERMS];  /* integral over time since the first, by trapezoids */
  double last[SN__IDENT_TERMS]; /* the newest sample ... */
  double last_s;                /* ... this long after the first */
  double last_center;           /* ... in the middle of these cycles */
  double first_qd;
  double noise_square; /* of the velocity, the largest */
  size_t count;        /* samples */
  size_t length;       /* cycles that it should reach */
  size_t wait;         /* measurements until the next sample */
} sn__ident_block;

/* How the commanded torque of a joint depends on its commanded motion, and how far the joint is
   from that motion: sums over blocks, with forgetting. */
typedef struct sn__ident_load {
  double weight;
  double q, qdd, tau;
  double q_q, q_qdd, qdd_qdd, q_tau, qdd_tau, tau_tau;
  double missed_q, missed_qdd; /* squares of measured less commanded ones */
  double correction_square;    /* of the torque */
  double stiffness, inertia;   /* N m per rad and per rad/s² */
  double unknown;              /* part of the torque's square that motion leaves unexplained */
} sn__ident_load;

/* Of one servo. */
typedef struct sn__ident_servo {
  sn_servo_params model;
  size_t delay; /* cycles from a goal to its effect: of the bus, and of the servo itself */
  bool has_model;
  sn__ident_moment *history; /* [window] ring; the newest at newest */
  size_t newest;
  size_t history_count;
  size_t even_count;     /* newest moments that are a cycle apart */
  size_t velocity_count; /* newest moments with a velocity */
  double noise_variance; /* of positions ... */
  double noise_weight;   /* ... from this many */
  /* Sums over cycles, times the commanded velocity, with forgetting: the mean velocity in a cycle,
     and by how much the velocities that are measured at its ends exceed it. */
  double mean_sum, excess_sum;
  bool is_running;
  sn_rls rls;        /* alpha, then: */
  size_t inertia_at; /* ... its place; 0: not identified */
  size_t load_at;    /* ... the first of two; 0: not identified */
  sn__ident_scores scores;
  sn__ident_block block;
  sn__ident_load load;
  double error_decay;  /* of a block */
  double drive;        /* kp V of the last sample */
  double error_sum;    /* exponential mean of the prediction error ... */
  double kept_sum;     /* the same with the model's own volts per torque ... */
  double error_weight; /* ... over this much */
  size_t sample_count;
  int64_t seen; /* message that named it last: finds it twice */
} sn__ident_servo;

struct sn_servo_ident {
  sn_servo_ident_config config;
  sn__ident_servo *servos; /* [servo_count] */
  sn__ident_order *orders; /* [order_count][servo_count] ring over cycles */
  bool *has_orders;        /* [order_count] */
  size_t order_count;      /* reaches back SN__IDENT_GAP_MAX cycles behind the delay */
  int64_t cycle;           /* the current one; -1 before the first */
  int64_t message;
  double voltage;
  double error_decay;   /* of a cycle */
  size_t window;        /* moments of a servo, at least 2 */
  size_t span;          /* cycles that the law is averaged over */
  size_t stride;        /* measurements from one such average to the next */
  double *torque_error; /* [servo_count] */
};

#endif
