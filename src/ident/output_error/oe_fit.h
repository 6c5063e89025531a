/** @file
 *  Internal: identification by output error (Ljung, *System Identification*, 1999, chapter 7): the
 *  parameters with which a forward simulation of the logs stays nearest to them.
 *
 *  Noise of the measured positions is then noise of the output only, so nothing needs to be
 *  differentiated or smoothed, and rows in which the servo is limp, saturated or at rest count like
 *  all others. Starting values come from least squares on smoothed motion; several starts avoid
 *  local minima, which dry friction has. RT: no.  Threads: one owner of the arena. */
#ifndef SN_IDENT_OUTPUT_ERROR_OE_FIT_H
#define SN_IDENT_OUTPUT_ERROR_OE_FIT_H

#include "ident/output_error/servo_simulate.h"
#include "sinew/arena.h"

/** What is identified. */
typedef enum sn__oe_param {
  SN__OE_ALPHA0, /**< without the back-EMF, if that is identified apart */
  SN__OE_ALPHA1,
  SN__OE_ALPHA2,
  SN__OE_ALPHA3,
  SN__OE_QS,
  SN__OE_INERTIA,
  SN__OE_BACK_EMF,
  SN__OE_LOAD,
  SN__OE_ZERO,
  SN__OE_LOAD_SQUARE,
  SN__OE_DELAY,
  SN__OE_BACK_LOAD,
  SN__OE_BACK_LOAD_SQUARE,
  SN__OE_BACKLASH,
  SN__OE_COUNT
} sn__oe_param;

/** How much of the model. */
typedef enum sn__oe_model {
  SN__OE_BASIC,       /**< the seven parameters, and the rotor: a pendulum always accelerates */
  SN__OE_LINEAR_LOAD, /**< and back-EMF, friction that grows with load, zero of the load */
  SN__OE_FULL         /**< and the square of the load, delay */
} sn__oe_model;

/** Zero-initialise, then set the fields that differ from their default. */
typedef struct sn__oe_config {
  sn__oe_model model;
  bool is_directional; /**< load friction differs when the load drives the servo */
  bool has_backlash;   /**< identify it; only in the full model */
  size_t start_count;  /**< 0 means 4 */
  bool keeps_delay;    /**< the delay is that of the given parameters */
  double gain_range;   /**< the basic model shall hold at gains up to this many times lower and
                            higher than those of the logs, too; 0 means 1: only at theirs */
} sn__oe_config;

/** Results. */
typedef struct sn__oe_result {
  sn__servo_on_load servo;
  bool is_free[SN__OE_COUNT]; /**< identified */
  double value[SN__OE_COUNT];
  double std[SN__OE_COUNT]; /**< standard deviation; infinite: the logs do not show it */
  double cost;              /**< what was minimised */
  bool is_widened;          /**< to `gain_range`: the logs show more than the basic model */
} sn__oe_result;

/** Name, as in files of servo models, and unit of a parameter. `viscous` is alpha[0] without the
 *  back-EMF. */
SN_API const char *sn__oe_name(const sn__oe_result *result, sn__oe_param which);
SN_API const char *sn__oe_unit(sn__oe_param which);

/** Identify a servo from its logs, which have passed their checks. A delay that they do not show is
 *  not identified; of back-EMF that they do not show a usual part of alpha[0] is assumed.
 *  @param params  kp, kgear, delta and drive_max are used as they are; so is a delay that is not
 *                 identified
 *  @param out     set on success, untouched on failure
 *  @return SN_OK, SN_EINVAL (the logs hold too little motion) or SN_ENOMEM */
SN_API sn_status sn__oe_fit(sn_arena *arena, const sn__oe_config *config,
                            const sn_servo_params *params, const sn__servo_log *logs, size_t count,
                            sn__oe_result *out, sn_error *err);

#endif
