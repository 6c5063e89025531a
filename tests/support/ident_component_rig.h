/** @file
 *  What the tests of ident_component share. */
#ifndef SN_IDENT_COMPONENT_RIG_H
#define SN_IDENT_COMPONENT_RIG_H

#include "ident_rig.h"
#include "sn_test.h"

extern const size_t ident_component_two[];

const sn_ident_servo_state *ident_component_state_of(ident_rig *w, size_t servo);

const sn_ident_ended *ident_component_end(ident_rig *w);

void ident_component_assert_true_model(const ident_rig *w, size_t servo, const double alpha[4]);

#endif
