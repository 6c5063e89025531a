/** @file
 *  Internal: what an identifier remembers. */
#ifndef SN_SERVO_SERVO_IDENT_STATE_H
#define SN_SERVO_SERVO_IDENT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "servo/local_fit.h"
#include "sinew/rls.h"
#include "sinew/servo_ident.h"

/* What was commanded to a servo in a cycle. */
typedef struct sn__ident_order {
  double goal; /* NaN: it was let go */
  double tau;
  double qd, qdd; /* qdd is the change of qd since the cycle before */
  double voltage;
} sn__ident_order;

/* A measurement with the order in force when it was taken. */
typedef struct sn__ident_moment {
  int64_t cycle;
  double q;
  double qd; /* NaN: not measured */
  sn__ident_order order;
  bool has_order;
} sn__ident_moment;

/* Of one servo. */
typedef struct sn__ident_servo {
  sn_servo_params model;
  bool has_model;
  sn__ident_moment *history; /* [window] ring; the newest at newest */
  double *q;  /* [2 window] positions, twice, so that each window of them is in one piece */
  double *qd; /* [2 window] likewise */
  size_t newest;
  size_t history_count;
  size_t even_count;     /* newest moments that are a cycle apart */
  size_t velocity_count; /* newest moments with a velocity */
  bool is_running;
  sn_rls rls;
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
  size_t order_count;
  int64_t cycle; /* the current one; -1 before the first */
  int64_t message;
  double voltage;
  double error_decay;                  /* of a cycle */
  size_t window;                       /* moments of a servo: 2 smoothing + 1, at least 2 */
  double *torque_error;                /* [servo_count] */
  sn__local_weights with_v, without_v; /* for one measurement a cycle */
};

#endif
