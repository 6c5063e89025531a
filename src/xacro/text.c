/* Texts with `${...}` and `$(...)` in them. */
#include <string.h>

#include "xacro/scope.h"
#include "xacro/template.h"

/* NOLINTBEGIN(misc-no-recursion): sn__xacro_enter() bounds it */

/* The value of a bracket with others inside: $(arg x) may stand in ${...}, and vice versa. */
static bool eval_nested(sn__xacro *x, sn__xscope *scope, const sn__xpart *part, sn__xvalue *out) {
  if (!sn__xacro_enter(x)) {
    return false;
  }
  const char *inside = sn__xacro_eval_text(x, scope, part->text);
  const bool good =
      inside != NULL && (part->kind == SN__XPART_NESTED ? sn__xexpr_run(x, scope, inside, out)
                                                        : sn__xacro_substitute(x, inside, out));
  sn__xacro_leave(x);
  return good;
}

static bool eval_part(sn__xacro *x, sn__xscope *scope, const sn__xpart *part, sn__xvalue *out) {
  switch (part->kind) {
    case SN__XPART_PLAIN:
      *out = sn__xstring(part->text);
      return true;
    case SN__XPART_EXPRESSION:
      return sn__xexpr_eval(x, scope, part->expr, out);
    default:
      return eval_nested(x, scope, part, out);
  }
}

/* All parts, one after the other. */
static bool eval_parts(sn__xacro *x, sn__xscope *scope, const sn__xpart *part, sn__xvalue *out) {
  const size_t begin = x->scratch.length;
  for (; part != NULL; part = part->next) {
    sn__xvalue value = sn__xnone();
    if (!eval_part(x, scope, part, &value) || !sn__xvalue_put(x, value)) {
      return false;
    }
  }
  *out = sn__xstring(sn__xacro_take_scratch(x, begin));
  return out->as.text != NULL;
}

bool sn__xacro_eval(sn__xacro *x, sn__xscope *scope, const char *text, sn__xvalue *out) {
  if (strchr(text, '$') == NULL) {
    *out = sn__xstring(text);
    return true;
  }
  const sn__xtemplate *template = sn__xtemplate_get(x, text);
  if (template == NULL) {
    return false;
  }
  const sn__xpart *first = template->first;
  return first->next == NULL ? eval_part(x, scope, first, out) /* which keeps its type */
                             : eval_parts(x, scope, first, out);
}

const char *sn__xacro_eval_text(sn__xacro *x, sn__xscope *scope, const char *text) {
  sn__xvalue value = sn__xnone();
  return sn__xacro_eval(x, scope, text, &value) ? sn__xvalue_text(x, value) : NULL;
}

/* NOLINTEND(misc-no-recursion) */
