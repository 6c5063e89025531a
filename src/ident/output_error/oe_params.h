/** @file
 *  Internal: the parameters of a servo as a vector of numbers that may take any value: logarithms
 * of those that are positive. So no fit has a friction that is negative. */
#ifndef SN_IDENT_OUTPUT_ERROR_OE_PARAMS_H
#define SN_IDENT_OUTPUT_ERROR_OE_PARAMS_H

#include "ident/output_error/oe_fit.h"

/** The part of alpha[0] that is taken for back-EMF where no row is limp: of geared motors. */
#define SN__OE_BACK_EMF_PART 0.75

/** Values of the parameters <-> servo. What is not positive where it must be becomes 0. */
void sn__oe_to_servo(const double value[SN__OE_COUNT], const bool is_free[SN__OE_COUNT],
                     sn__servo_on_load *servo);

/** Must the parameter not be negative? */
bool sn__oe_is_positive(sn__oe_param which);

/** Which parameters of a model the logs can show: back-EMF apart from viscous friction only where
 *  the servo is limp. */
void sn__oe_choose(const sn__oe_config *config, const sn__servo_log *logs, size_t count,
                   bool is_free[SN__OE_COUNT]);

/** A value moved by a number of units; it stays in its range.
 *  @param size  typical value of the parameter */
double sn__oe_moved(sn__oe_param which, double value, double size, double step);

/** The unit at a value: d value / d step. */
double sn__oe_unit_step(sn__oe_param which, double value, double size);

/** Rows in which the servo is limp. */
size_t sn__oe_limp_rows(const sn__servo_log *logs, size_t count);

/** Starting values by least squares.
 *  @return SN_OK, SN_EINVAL (too little motion) or SN_ENOMEM */
sn_status sn__oe_start(const sn__oe_config *config, const sn_servo_params *params,
                       const sn__servo_log *logs, size_t count, double value[SN__OE_COUNT],
                       sn_error *err);

#endif
