/* The module `math`, whose names are also known without it. */
#include <math.h>
#include <string.h>

#include "xacro/expr/expr.h"

#define PI 3.14159265358979323846

static double radians(double angle) {
  return angle * (PI / 180.0);
}

static double degrees(double angle) {
  return angle * (180.0 / PI);
}

/* Two numbers. @return false with an error: they are not */
static bool pair(sn__xacro *x, const sn__xcall *call, double *a, double *b) {
  return (sn__xvalue_number(call->arguments[0], a) && sn__xvalue_number(call->arguments[1], b)) ||
         sn__xacro_fail(x, SN_EMODEL, NULL, "%s(): the arguments are %s and %s, expected numbers",
                        call->name, sn__xkind_name(call->arguments[0].kind),
                        sn__xkind_name(call->arguments[1].kind));
}

static bool give(sn__xacro *x, const sn__xcall *call, double result, sn__xvalue *out) {
  *out = sn__xfloat(result);
  return !isnan(result) || sn__xacro_fail(x, SN_EMODEL, NULL,
                                          "%s(): the arguments are outside its domain", call->name);
}

static bool run_atan2(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  double a = 0.0, b = 0.0;
  return pair(x, call, &a, &b) && give(x, call, atan2(a, b), out);
}

static bool run_pow(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  double a = 0.0, b = 0.0;
  return pair(x, call, &a, &b) && give(x, call, pow(a, b), out);
}

static bool run_hypot(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  double a = 0.0, b = 0.0;
  return pair(x, call, &a, &b) && give(x, call, hypot(a, b), out);
}

static bool run_fmod(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  double a = 0.0, b = 0.0;
  return pair(x, call, &a, &b) && give(x, call, fmod(a, b), out);
}

static bool run_copysign(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  double a = 0.0, b = 0.0;
  return pair(x, call, &a, &b) && give(x, call, copysign(a, b), out);
}

static bool run_log(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  double a = 0.0, base = 0.0;
  const bool has_base = call->count == 2;
  if (!sn__xvalue_number(call->arguments[0], &a) ||
      (has_base && !sn__xvalue_number(call->arguments[1], &base)) || !(a > 0.0) ||
      (has_base && !(base > 0.0))) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "log(): expected numbers above 0");
  }
  return give(x, call, has_base ? log(a) / log(base) : log(a), out);
}

/* A float as integer, after rounding. */
static bool to_integer(sn__xacro *x, const sn__xcall *call, double (*rounding)(double),
                       sn__xvalue *out) {
  double number = 0.0;
  if (call->arguments[0].kind == SN__X_INT) {
    *out = call->arguments[0];
    return true;
  }
  if (!sn__xvalue_number(call->arguments[0], &number) || !(fabs(number) < 9.2e18)) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "%s(): expected a number of at most 64 bits",
                          call->name);
  }
  *out = sn__xint((int64_t)rounding(number));
  return true;
}

static bool run_floor(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  return to_integer(x, call, floor, out);
}

static bool run_ceil(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  return to_integer(x, call, ceil, out);
}

static bool run_trunc(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  return to_integer(x, call, trunc, out);
}

/* isnan() and the like, by name. */
static bool run_is(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  double a = 0.0;
  if (!sn__xvalue_number(call->arguments[0], &a)) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "%s(): expected a number", call->name);
  }
  *out = sn__xbool(strcmp(call->name, "isnan") == 0   ? isnan(a) != 0
                   : strcmp(call->name, "isinf") == 0 ? isinf(a) != 0
                                                      : isfinite(a) != 0);
  return true;
}

const sn__xfunction sn__xmath_functions[] = {{"math", "sin", 1, 1, false, NULL, sin},
                                             {"math", "cos", 1, 1, false, NULL, cos},
                                             {"math", "tan", 1, 1, false, NULL, tan},
                                             {"math", "asin", 1, 1, false, NULL, asin},
                                             {"math", "acos", 1, 1, false, NULL, acos},
                                             {"math", "atan", 1, 1, false, NULL, atan},
                                             {"math", "sinh", 1, 1, false, NULL, sinh},
                                             {"math", "cosh", 1, 1, false, NULL, cosh},
                                             {"math", "tanh", 1, 1, false, NULL, tanh},
                                             {"math", "asinh", 1, 1, false, NULL, asinh},
                                             {"math", "acosh", 1, 1, false, NULL, acosh},
                                             {"math", "atanh", 1, 1, false, NULL, atanh},
                                             {"math", "sqrt", 1, 1, false, NULL, sqrt},
                                             {"math", "exp", 1, 1, false, NULL, exp},
                                             {"math", "log10", 1, 1, false, NULL, log10},
                                             {"math", "log2", 1, 1, false, NULL, log2},
                                             {"math", "fabs", 1, 1, false, NULL, fabs},
                                             {"math", "radians", 1, 1, false, NULL, radians},
                                             {"math", "degrees", 1, 1, false, NULL, degrees},
                                             {"math", "log", 1, 2, false, run_log, NULL},
                                             {"math", "atan2", 2, 2, false, run_atan2, NULL},
                                             {"math", "pow", 2, 2, false, run_pow, NULL},
                                             {"math", "hypot", 2, 2, false, run_hypot, NULL},
                                             {"math", "fmod", 2, 2, false, run_fmod, NULL},
                                             {"math", "copysign", 2, 2, false, run_copysign, NULL},
                                             {"math", "floor", 1, 1, false, run_floor, NULL},
                                             {"math", "ceil", 1, 1, false, run_ceil, NULL},
                                             {"math", "trunc", 1, 1, false, run_trunc, NULL},
                                             {"math", "isnan", 1, 1, false, run_is, NULL},
                                             {"math", "isinf", 1, 1, false, run_is, NULL},
                                             {"math", "isfinite", 1, 1, false, run_is, NULL},
                                             {0}};
