/* Functions and constants by name, and calls of them. */
#include <math.h>
#include <string.h>

#include "xacro/expr/expr.h"

static const sn__xfunction *const tables[] = {sn__xmath_functions, sn__xbuiltin_functions,
                                              sn__xtool_functions};

static bool find_constant(const char *name, sn__xvalue *out) {
  static const struct {
    const char *name;
    double value;
  } constants[] = {{"pi", 3.14159265358979323846},
                   {"e", 2.71828182845904523536},
                   {"tau", 6.28318530717958647693},
                   {"inf", (double)INFINITY},
                   {"nan", (double)NAN}};
  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
    if (strcmp(constants[i].name, name) == 0) {
      *out = sn__xfloat(constants[i].value);
      return true;
    }
  }
  return false;
}

static bool find_module(const char *name, sn__xvalue *out) {
  static const char *const modules[] = {"math", "python", "xacro"};
  for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
    if (strcmp(modules[i], name) == 0) {
      *out = (sn__xvalue){.kind = SN__X_MODULE, .as.module = modules[i]};
      return true;
    }
  }
  return false;
}

bool sn__xfunction_find(const char *module, const char *name, sn__xvalue *out) {
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    for (const sn__xfunction *f = tables[i]; f->name != NULL; f++) {
      if (f->name[0] == name[0] && strcmp(f->name, name) == 0 &&
          (module == NULL || strcmp(f->module, module) == 0)) {
        *out = (sn__xvalue){.kind = SN__X_FUNCTION, .as.function = f};
        return true;
      }
    }
  }
  if (module == NULL || strcmp(module, "math") == 0) {
    return find_constant(name, out) || (module == NULL && find_module(name, out));
  }
  return false;
}

static bool call_map(sn__xacro *x, const sn__xfunction *function, sn__xvalue argument,
                     sn__xvalue *out) {
  double number = 0.0;
  if (!sn__xvalue_number(argument, &number)) {
    return sn__xacro_fail(x, SN_EMODEL,
                          argument.kind == SN__X_TEXT ? "float(...) reads a text" : NULL,
                          "%s(): the argument is a %s, expected a number", function->name,
                          sn__xkind_name(argument.kind));
  }
  const double result = function->map(number);
  if (!isfinite(result) && isfinite(number)) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "%s(%g) is not defined", function->name, number);
  }
  *out = sn__xfloat(result);
  return true;
}

bool sn__xfunction_call(sn__xacro *x, const sn__xfunction *function, sn__xcall *call,
                        sn__xvalue *out) {
  if (call->count < function->count_min || call->count > function->count_max) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "%s() has %zu arguments, expected %zu to %zu",
                          function->name, call->count, function->count_min, function->count_max);
  }
  if (call->keywords->count > 0 && !function->takes_keywords) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "%s() has no argument '%.60s'", function->name,
                          call->keywords->pairs[0].key.as.text);
  }
  return function->map != NULL ? call_map(x, function, call->arguments[0], out)
                               : function->run(x, call, out);
}
