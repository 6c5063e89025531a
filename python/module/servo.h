/** @file
 *  Parameters of servos as 18 numbers, in the order of python/sinew/servo.py. */
#ifndef SINEW_PYTHON_SERVO_H
#define SINEW_PYTHON_SERVO_H

#include "py.h"
#include "sinew/servo_model.h"

#define PY_SERVO_NUMBERS 19

/** @return false with an exception: the parameters are not valid */
bool py_servo_params_take(PyObject *object, sn_servo_params *out);

/** A tuple of numbers. */
PyObject *py_servo_params_make(const sn_servo_params *params);

#endif
