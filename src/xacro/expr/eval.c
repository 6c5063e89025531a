/* Evaluates trees of expressions. */
#include <string.h>

#include "base/nearest.h"
#include "xacro/expr/expr.h"
#include "xacro/scope.h"

/* NOLINTBEGIN(misc-no-recursion): sn__xacro_enter() bounds it */

static bool eval(sn__xacro *x, sn__xscope *scope, const sn__xexpr *e, sn__xvalue *out) {
  return sn__xexpr_eval(x, scope, e, out);
}

/* ---- names ---- */

static bool unknown_name(sn__xacro *x, sn__xscope *scope, const char *name) {
  char text[120];
  sn__nearest nearest;
  sn__nearest_init(&nearest, name);
  for (const sn__xscope *s = scope; s != NULL; s = s->parent) {
    for (size_t i = 0; i < s->bucket_count; i++) {
      for (const sn__xproperty *p = s->buckets[i]; p != NULL; p = p->next) {
        sn__nearest_offer(&nearest, p->name);
      }
    }
  }
  return sn__xacro_fail(x, SN_EMODEL, sn__nearest_hint(&nearest, text, sizeof text, NULL),
                        "unknown property '%.80s'", name);
}

static bool eval_name(sn__xacro *x, sn__xscope *scope, const sn__xexpr *e, sn__xvalue *out) {
  bool is_found = false;
  if (!sn__xscope_get_hashed(x, scope, e->name, e->hash, out, &is_found)) {
    return false;
  }
  return is_found || sn__xfunction_find(NULL, e->name, out) || unknown_name(x, scope, e->name);
}

/* owner.name of a dict, a module or a namespace. */
static bool attribute_of(sn__xacro *x, sn__xvalue owner, const char *name, sn__xvalue *out) {
  bool is_found = false;
  if (owner.kind == SN__X_DICT) {
    const sn__xvalue *value = sn__xdict_find(x, owner.as.dict, sn__xstring(name));
    if (value != NULL) {
      *out = *value;
      return true;
    }
    return sn__xacro_fail(x, SN_EMODEL, NULL, "the dict has no key '%.80s'", name);
  }
  if (owner.kind == SN__X_SCOPE) {
    return sn__xscope_get(x, owner.as.scope, name, out, &is_found) &&
           (is_found || unknown_name(x, owner.as.scope, name));
  }
  if (owner.kind == SN__X_MODULE && sn__xfunction_find(owner.as.module, name, out)) {
    return true;
  }
  return sn__xacro_fail(
      x, SN_EMODEL, NULL, "%s%.40s has no '%.80s'", owner.kind == SN__X_MODULE ? "" : "a ",
      owner.kind == SN__X_MODULE ? owner.as.module : sn__xkind_name(owner.kind), name);
}

static bool eval_attribute(sn__xacro *x, sn__xscope *scope, const sn__xexpr *e, sn__xvalue *out) {
  sn__xvalue owner = sn__xnone();
  return eval(x, scope, e->first, &owner) && attribute_of(x, owner, e->name, out);
}

/* ---- calls ---- */

enum { ARGUMENTS_MAX = 16 };

/* Arguments and keywords; @p keywords may have none. */
static bool eval_arguments(sn__xacro *x, sn__xscope *scope, const sn__xexpr *first,
                           sn__xvalue *arguments, size_t *count, sn__xdict *keywords) {
  for (const sn__xexpr *e = first; e != NULL; e = e->next) {
    const bool is_keyword = e->kind == SN__XE_KEYWORD;
    sn__xvalue value = sn__xnone();
    if (!is_keyword && *count == ARGUMENTS_MAX) {
      return sn__xacro_fail(x, SN_ELIMIT, "use a list", "a call has more than %d arguments",
                            ARGUMENTS_MAX);
    }
    if (!eval(x, scope, is_keyword ? e->first : e, &value) ||
        (is_keyword && !sn__xdict_set(x, keywords, sn__xstring(e->name), value))) {
      return false;
    }
    if (!is_keyword) {
      arguments[(*count)++] = value;
    }
  }
  return true;
}

static bool call_value(sn__xacro *x, sn__xvalue function, sn__xcall *call, sn__xvalue *out) {
  if (function.kind != SN__X_FUNCTION) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "a %s cannot be called",
                          sn__xkind_name(function.kind));
  }
  call->name = function.as.function->name;
  return sn__xfunction_call(x, function.as.function, call, out);
}

/* A method first: `d.items()` is one even if the dict has such a key. */
static bool call_method(sn__xacro *x, sn__xvalue owner, sn__xcall *call, sn__xvalue *out) {
  bool is_found = false;
  sn__xvalue function = sn__xnone();
  const char *name = call->name;
  if (!sn__xmethod_call(x, owner, call, out, &is_found)) {
    return false;
  }
  return is_found ||
         (attribute_of(x, owner, name, &function) && call_value(x, function, call, out));
}

static bool eval_call(sn__xacro *x, sn__xscope *scope, const sn__xexpr *e, sn__xvalue *out) {
  const sn__xexpr *callee = e->first;
  sn__xvalue *arguments = sn__xacro_alloc(x, ARGUMENTS_MAX * sizeof *arguments);
  sn__xdict keywords = {0};
  sn__xcall call = {.scope = scope, .arguments = arguments, .keywords = &keywords};
  sn__xvalue owner = sn__xnone();
  const bool is_method = callee->kind == SN__XE_ATTRIBUTE;
  if (arguments == NULL || !eval(x, scope, is_method ? callee->first : callee, &owner) ||
      !eval_arguments(x, scope, callee->next, arguments, &call.count, &keywords)) {
    return false;
  }
  call.name = callee->name == NULL ? "" : callee->name;
  return is_method ? call_method(x, owner, &call, out) : call_value(x, owner, &call, out);
}

/* ---- containers ---- */

static bool eval_items(sn__xacro *x, sn__xscope *scope, const sn__xexpr *e, sn__xvalue *out) {
  const sn__xkind kind = e->kind == SN__XE_LIST ? SN__X_LIST : SN__X_TUPLE;
  bool good = sn__xlist_make(x, kind, out);
  for (const sn__xexpr *item = e->first; good && item != NULL; item = item->next) {
    sn__xvalue value = sn__xnone();
    good = eval(x, scope, item, &value) && sn__xlist_add(x, out->as.list, value);
  }
  return good;
}

static bool eval_dict(sn__xacro *x, sn__xscope *scope, const sn__xexpr *e, sn__xvalue *out) {
  bool good = sn__xdict_make(x, out);
  for (const sn__xexpr *key = e->first; good && key != NULL; key = key->next->next) {
    sn__xvalue name = sn__xnone(), value = sn__xnone();
    good = eval(x, scope, key, &name) && eval(x, scope, key->next, &value) &&
           sn__xdict_set(x, out->as.dict, name, value);
  }
  return good;
}

/* Give an item to the names of a comprehension. */
static bool bind(sn__xacro *x, sn__xscope *local, const sn__xexpr *names, sn__xvalue item) {
  if (names->first->next == NULL) {
    return sn__xscope_set(x, local, names->first->name, item);
  }
  const sn__xlist *parts = sn__xvalue_items(x, item);
  size_t i = 0;
  for (const sn__xexpr *name = names->first; parts != NULL && name != NULL; name = name->next) {
    if (i == parts->count || !sn__xscope_set(x, local, name->name, parts->items[i])) {
      break;
    }
    i++;
    if (name->next == NULL && i == parts->count) {
      return true;
    }
  }
  return sn__xacro_fail(x, SN_EMODEL, NULL,
                        "an item does not have as many parts as there are names");
}

static bool eval_comprehension(sn__xacro *x, sn__xscope *scope, const sn__xexpr *e,
                               sn__xvalue *out) {
  const sn__xexpr *result = e->first, *source = result->next, *condition = source->next;
  sn__xvalue from = sn__xnone();
  sn__xscope *local = sn__xscope_make(x, scope, 4);
  if (local == NULL || !eval(x, scope, source, &from) || !sn__xlist_make(x, SN__X_LIST, out)) {
    return false;
  }
  const sn__xlist *items = sn__xvalue_items(x, from);
  for (size_t i = 0; items != NULL && i < items->count; i++) {
    sn__xvalue value = sn__xnone();
    if (!bind(x, local, condition->next, items->items[i]) || !eval(x, local, condition, &value)) {
      return false;
    }
    if (sn__xvalue_truth(value) &&
        (!eval(x, local, result, &value) || !sn__xlist_add(x, out->as.list, value))) {
      return false;
    }
  }
  return items != NULL;
}

static bool eval_index(sn__xacro *x, sn__xscope *scope, const sn__xexpr *e, sn__xvalue *out) {
  sn__xvalue container = sn__xnone(), index = sn__xnone();
  if (!eval(x, scope, e->first, &container) || !eval(x, scope, e->first->next, &index)) {
    return false;
  }
  return container.kind == SN__X_SCOPE && index.kind == SN__X_TEXT
             ? attribute_of(x, container, index.as.text, out)
             : sn__xoperator_index(x, container, index, out);
}

static bool eval_slice(sn__xacro *x, sn__xscope *scope, const sn__xexpr *e, sn__xvalue *out) {
  sn__xvalue container = sn__xnone(), parts[3];
  const sn__xexpr *part = e->first->next;
  bool good = eval(x, scope, e->first, &container);
  for (int i = 0; good && i < 3; i++, part = part->next) {
    good = eval(x, scope, part, &parts[i]);
  }
  return good && sn__xoperator_slice(x, container, parts, out);
}

/* ---- operators ---- */

static bool eval_binary(sn__xacro *x, sn__xscope *scope, const sn__xexpr *e, sn__xvalue *out) {
  sn__xvalue a = sn__xnone(), b = sn__xnone();
  return eval(x, scope, e->first, &a) && eval(x, scope, e->first->next, &b) &&
         sn__xoperator_binary(x, e->sign, a, b, out);
}

static bool eval_unary(sn__xacro *x, sn__xscope *scope, const sn__xexpr *e, sn__xvalue *out) {
  sn__xvalue a = sn__xnone();
  return eval(x, scope, e->first, &a) && sn__xoperator_unary(x, e->sign, a, out);
}

static bool eval_compare(sn__xacro *x, sn__xscope *scope, const sn__xexpr *e, sn__xvalue *out) {
  sn__xvalue left = sn__xnone(), right = sn__xnone();
  bool truth = true;
  if (!eval(x, scope, e->first, &left)) {
    return false;
  }
  for (const sn__xexpr *operand = e->first->next; truth && operand != NULL;
       operand = operand->next, left = right) {
    if (!eval(x, scope, operand->first, &right) ||
        !sn__xoperator_compare(x, operand->sign, left, right, &truth)) {
      return false;
    }
  }
  *out = sn__xbool(truth);
  return true;
}

/* `and` and `or` have the value of the operand that decides. */
static bool eval_logic(sn__xacro *x, sn__xscope *scope, const sn__xexpr *e, sn__xvalue *out) {
  if (!eval(x, scope, e->first, out)) {
    return false;
  }
  const bool is_decided = sn__xvalue_truth(*out) == (e->kind == SN__XE_OR);
  return is_decided || eval(x, scope, e->first->next, out);
}

static bool eval_conditional(sn__xacro *x, sn__xscope *scope, const sn__xexpr *e, sn__xvalue *out) {
  sn__xvalue condition = sn__xnone();
  const sn__xexpr *value = e->first->next;
  return eval(x, scope, e->first, &condition) &&
         eval(x, scope, sn__xvalue_truth(condition) ? value : value->next, out);
}

static bool eval_kind(sn__xacro *x, sn__xscope *scope, const sn__xexpr *e, sn__xvalue *out) {
  static bool (*const kinds[])(sn__xacro *, sn__xscope *, const sn__xexpr *, sn__xvalue *) = {
      [SN__XE_NAME] = eval_name,
      [SN__XE_ATTRIBUTE] = eval_attribute,
      [SN__XE_INDEX] = eval_index,
      [SN__XE_SLICE] = eval_slice,
      [SN__XE_CALL] = eval_call,
      [SN__XE_UNARY] = eval_unary,
      [SN__XE_BINARY] = eval_binary,
      [SN__XE_COMPARE] = eval_compare,
      [SN__XE_AND] = eval_logic,
      [SN__XE_OR] = eval_logic,
      [SN__XE_LIST] = eval_items,
      [SN__XE_TUPLE] = eval_items,
      [SN__XE_DICT] = eval_dict,
      [SN__XE_CONDITIONAL] = eval_conditional,
      [SN__XE_COMPREHENSION] = eval_comprehension};
  if (e->kind == SN__XE_CONSTANT) {
    *out = e->constant;
    return true;
  }
  if (e->kind == SN__XE_NOT) {
    sn__xvalue value = sn__xnone();
    const bool good = eval(x, scope, e->first, &value);
    *out = sn__xbool(!sn__xvalue_truth(value));
    return good;
  }
  return kinds[e->kind](x, scope, e, out);
}

bool sn__xexpr_eval(sn__xacro *x, sn__xscope *scope, const sn__xexpr *expr, sn__xvalue *out) {
  if (!sn__xacro_step(x, 1) || !sn__xacro_enter(x)) {
    return false;
  }
  const bool good = eval_kind(x, scope, expr, out);
  sn__xacro_leave(x);
  return good && x->status == SN_OK;
}

/* NOLINTEND(misc-no-recursion) */

bool sn__xexpr_run(sn__xacro *x, sn__xscope *scope, const char *text, sn__xvalue *out) {
  const sn__xexpr *expr = sn__xexpr_parse(x, text);
  return expr != NULL && sn__xexpr_eval(x, scope, expr, out);
}
