/* Values, and what follows them: calls, indices, attributes. */
#include <string.h>

#include "base/text.h"
#include "xacro/expr/parser.h"

/* NOLINTBEGIN(misc-no-recursion): SN__XPARSER_DEPTH_MAX bounds it */

/* ---- atoms ---- */

static bool is_reserved(const char *name) {
  static const char *const words[] = {"and", "or", "not", "if",     "else",
                                      "for", "in", "is",  "lambda", NULL};
  for (const char *const *word = words; *word != NULL; word++) {
    if (strcmp(*word, name) == 0) {
      return true;
    }
  }
  return false;
}

static sn__xexpr *parse_name(sn__xparser *p) {
  const char *name = p->token.name;
  if (is_reserved(name)) {
    return sn__xparser_fail(p, "a value");
  }
  sn__xparser_advance(p);
  if (strcmp(name, "True") == 0 || strcmp(name, "False") == 0) {
    return sn__xparser_constant(p, sn__xbool(name[0] == 'T'));
  }
  if (strcmp(name, "None") == 0) {
    return sn__xparser_constant(p, sn__xnone());
  }
  sn__xexpr *expr = sn__xparser_make(p, SN__XE_NAME, "");
  if (expr != NULL) {
    expr->name = name;
    expr->hash = sn__text_hash(name, SIZE_MAX);
  }
  return expr;
}

/* Names after `for`, as children of the comprehension. */
static sn__xexpr *parse_targets(sn__xparser *p, sn__xexpr *names) {
  const bool has_bracket = sn__xparser_take_sign(p, "(");
  do {
    if (p->token.kind != SN__XT_NAME || is_reserved(p->token.name)) {
      return sn__xparser_fail(p, "a name");
    }
    sn__xexpr *name = parse_name(p);
    names = sn__xparser_join(p, names, name);
  } while (names != NULL && sn__xparser_take_sign(p, ","));
  if (names != NULL && has_bracket && !sn__xparser_take_sign(p, ")")) {
    return sn__xparser_fail(p, "')'");
  }
  return names;
}

/* After the result: for NAMES in SOURCE [if CONDITION]. */
static sn__xexpr *parse_comprehension(sn__xparser *p, sn__xexpr *result) {
  sn__xexpr *names = parse_targets(p, sn__xparser_make(p, SN__XE_TUPLE, ""));
  if (names == NULL) {
    return NULL;
  }
  if (!sn__xparser_take_word(p, "in")) {
    return sn__xparser_fail(p, "'in'");
  }
  sn__xexpr *source = sn__xparser_parse_or(p);
  sn__xexpr *condition = sn__xparser_take_word(p, "if") ? sn__xparser_parse_or(p)
                                                        : sn__xparser_constant(p, sn__xbool(true));
  sn__xexpr *expr = sn__xparser_join(p, sn__xparser_make(p, SN__XE_COMPREHENSION, ""), result);
  return sn__xparser_join(p, sn__xparser_join(p, sn__xparser_join(p, expr, source), condition),
                          names);
}

/* Values up to a closing sign, which is taken. @param expr  receives them */
static sn__xexpr *parse_items(sn__xparser *p, sn__xexpr *expr, const char *end) {
  while (expr != NULL && !sn__xparser_is_sign(p, end)) {
    expr = sn__xparser_join(p, expr, sn__xparser_parse_expression(p));
    if (expr != NULL && !sn__xparser_is_sign(p, end) && !sn__xparser_take_sign(p, ",")) {
      return sn__xparser_fail(p, "',' or the closing bracket");
    }
  }
  if (expr != NULL) {
    sn__xparser_advance(p);
  }
  return expr;
}

static sn__xexpr *parse_list(sn__xparser *p) {
  if (sn__xparser_is_sign(p, "]")) {
    sn__xparser_advance(p);
    return sn__xparser_make(p, SN__XE_LIST, "");
  }
  sn__xexpr *first = sn__xparser_parse_expression(p);
  if (first != NULL && sn__xparser_take_word(p, "for")) {
    sn__xexpr *expr = parse_comprehension(p, first);
    return expr == NULL || sn__xparser_take_sign(p, "]") ? expr : sn__xparser_fail(p, "']'");
  }
  sn__xexpr *expr = sn__xparser_join(p, sn__xparser_make(p, SN__XE_LIST, ""), first);
  if (expr != NULL && !sn__xparser_is_sign(p, "]") && !sn__xparser_take_sign(p, ",")) {
    return sn__xparser_fail(p, "',' or ']'");
  }
  return parse_items(p, expr, "]");
}

/* A value in brackets, or a tuple. */
static sn__xexpr *parse_group(sn__xparser *p) {
  if (sn__xparser_take_sign(p, ")")) {
    return sn__xparser_make(p, SN__XE_TUPLE, "");
  }
  sn__xexpr *first = sn__xparser_parse_expression(p);
  if (first == NULL || sn__xparser_take_sign(p, ")")) {
    return first;
  }
  if (!sn__xparser_take_sign(p, ",")) {
    return sn__xparser_fail(p, "')'");
  }
  return parse_items(p, sn__xparser_join(p, sn__xparser_make(p, SN__XE_TUPLE, ""), first), ")");
}

static sn__xexpr *parse_dict(sn__xparser *p) {
  sn__xexpr *expr = sn__xparser_make(p, SN__XE_DICT, "");
  while (expr != NULL && !sn__xparser_is_sign(p, "}")) {
    expr = sn__xparser_join(p, expr, sn__xparser_parse_expression(p));
    if (expr != NULL && !sn__xparser_take_sign(p, ":")) {
      return sn__xparser_fail(p, "':'");
    }
    expr = expr == NULL ? NULL : sn__xparser_join(p, expr, sn__xparser_parse_expression(p));
    if (expr != NULL && !sn__xparser_is_sign(p, "}") && !sn__xparser_take_sign(p, ",")) {
      return sn__xparser_fail(p, "',' or '}'");
    }
  }
  if (expr != NULL) {
    sn__xparser_advance(p);
  }
  return expr;
}

static sn__xexpr *parse_atom(sn__xparser *p) {
  const sn__xtoken token = p->token;
  switch (token.kind) {
    case SN__XT_NUMBER:
    case SN__XT_STRING:
      sn__xparser_advance(p);
      return sn__xparser_constant(p, token.value);
    case SN__XT_NAME:
      return parse_name(p);
    case SN__XT_SIGN:
      if (sn__xparser_take_sign(p, "(")) {
        return parse_group(p);
      }
      if (sn__xparser_take_sign(p, "[")) {
        return parse_list(p);
      }
      return sn__xparser_take_sign(p, "{") ? parse_dict(p) : sn__xparser_fail(p, "a value");
    default:
      return sn__xparser_fail(p, "a value");
  }
}

/* ---- what follows an atom ---- */

/* `name=value` or a value. */
static sn__xexpr *parse_argument(sn__xparser *p) {
  sn__xexpr *value = sn__xparser_parse_expression(p);
  if (value == NULL) {
    return NULL;
  }
  if (value->kind == SN__XE_NAME && sn__xparser_take_sign(p, "=")) {
    sn__xexpr *keyword = sn__xparser_make(p, SN__XE_KEYWORD, "");
    if (keyword != NULL) {
      keyword->name = value->name;
    }
    return sn__xparser_join(p, keyword, sn__xparser_parse_expression(p));
  }
  return sn__xparser_take_word(p, "for") ? parse_comprehension(p, value) : value;
}

static sn__xexpr *parse_call(sn__xparser *p, sn__xexpr *function) {
  sn__xexpr *expr = sn__xparser_join(p, sn__xparser_make(p, SN__XE_CALL, ""), function);
  while (expr != NULL && !sn__xparser_is_sign(p, ")")) {
    expr = sn__xparser_join(p, expr, parse_argument(p));
    if (expr != NULL && !sn__xparser_is_sign(p, ")") && !sn__xparser_take_sign(p, ",")) {
      return sn__xparser_fail(p, "',' or ')'");
    }
  }
  if (expr != NULL) {
    sn__xparser_advance(p);
  }
  return expr;
}

/* A part of a slice; None if it is left out. */
static sn__xexpr *parse_bound(sn__xparser *p) {
  return sn__xparser_is_sign(p, ":") || sn__xparser_is_sign(p, "]")
             ? sn__xparser_constant(p, sn__xnone())
             : sn__xparser_parse_expression(p);
}

static sn__xexpr *parse_subscript(sn__xparser *p, sn__xexpr *container) {
  sn__xexpr *first = parse_bound(p);
  if (!sn__xparser_is_sign(p, ":")) {
    sn__xexpr *expr = sn__xparser_join(
        p, sn__xparser_join(p, sn__xparser_make(p, SN__XE_INDEX, ""), container), first);
    return expr == NULL || sn__xparser_take_sign(p, "]") ? expr : sn__xparser_fail(p, "']'");
  }
  sn__xexpr *expr = sn__xparser_join(
      p, sn__xparser_join(p, sn__xparser_make(p, SN__XE_SLICE, ""), container), first);
  for (int i = 0; i < 2; i++) {
    expr = sn__xparser_join(
        p, expr,
        sn__xparser_take_sign(p, ":") ? parse_bound(p) : sn__xparser_constant(p, sn__xnone()));
  }
  return expr == NULL || sn__xparser_take_sign(p, "]") ? expr : sn__xparser_fail(p, "']'");
}

static sn__xexpr *parse_attribute(sn__xparser *p, sn__xexpr *owner) {
  if (p->token.kind != SN__XT_NAME) {
    return sn__xparser_fail(p, "a name");
  }
  sn__xexpr *expr = sn__xparser_make(p, SN__XE_ATTRIBUTE, "");
  if (expr != NULL) {
    expr->name = p->token.name;
    sn__xparser_advance(p);
  }
  return sn__xparser_join(p, expr, owner);
}

sn__xexpr *sn__xparser_parse_trailers(sn__xparser *p) {
  sn__xexpr *expr = parse_atom(p);
  while (expr != NULL) {
    if (sn__xparser_take_sign(p, ".")) {
      expr = parse_attribute(p, expr);
    } else if (sn__xparser_take_sign(p, "(")) {
      expr = parse_call(p, expr);
    } else if (sn__xparser_take_sign(p, "[")) {
      expr = parse_subscript(p, expr);
    } else {
      return expr;
    }
  }
  return NULL;
}

/* NOLINTEND(misc-no-recursion) */
