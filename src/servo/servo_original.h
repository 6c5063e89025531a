/** @file
 *  Internal: servo models in the form of the system that Sinew succeeds. */
#ifndef SN_SERVO_SERVO_ORIGINAL_H
#define SN_SERVO_SERVO_ORIGINAL_H

#include "sinew/value.h"

/** The hook `translate` of components with `servo_models` and `default_servo_model`. Files of the
 *  original system state
 *
 *      kp·V·(g/kgear − q) = α0·q̈ + α1·q̇ + α2·sgn(q̇) + α3·τ
 *
 *  so its four α become `inertia`: α0 and `alpha`: [α1, α2, 0, α3]. A model is in that form if it
 * is a `struct` of a .cpf file whose type ends in `sweetie_bot_servo_model_msg/ServoModel`, or
 * whose `alpha` is a `struct` of elements that is not of a type `X[]`. Reported, once per property.
 */
const sn_value *sn__servo_translate(sn_arena *arena, const sn_value *bag, sn_report *report);

#endif
