/** @file
 *  What the tests of ident_fit share. */
#ifndef SN_IDENT_FIT_RIG_H
#define SN_IDENT_FIT_RIG_H

#include "servo_rig.h"
#include "sn_test.h"

enum { COUNT = 12000 };
extern sn_ident_sample ident_fit_samples[COUNT];

/** alpha as far as it is known before: not at all. */
sn_servo_params ident_fit_unknown(const sn_servo_params *truth);

sn_ident_result ident_fit_fit(const sn_ident_fit_config *config, const sn_servo_params *params,
                              size_t count);

#endif
