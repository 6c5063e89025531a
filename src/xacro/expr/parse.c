/* Recursive descent over Python's grammar of expressions, one function for each precedence. */
#include <string.h>

#include "base/text.h"
#include "xacro/expr/parser.h"

void sn__xparser_advance(sn__xparser *p) {
  p->begin = p->at;
  while (sn__text_is_blank(*p->begin)) {
    p->begin++;
  }
  p->token = sn__xtoken_next(p->x, &p->at);
}

sn__xexpr *sn__xparser_fail(sn__xparser *p, const char *expected) {
  sn__xacro_fail(p->x, SN_EMODEL, NULL, "'%.120s' is not an expression: expected %s %s%.40s",
                 p->text, expected, *p->begin == '\0' ? "at its end" : "before ", p->begin);
  return NULL;
}

bool sn__xparser_is_sign(const sn__xparser *p, const char *sign) {
  return p->token.kind == SN__XT_SIGN && sn__xml_same(p->token.sign, sign);
}

bool sn__xparser_is_word(const sn__xparser *p, const char *word) {
  return p->token.kind == SN__XT_NAME && sn__xml_same(p->token.name, word);
}

bool sn__xparser_take_sign(sn__xparser *p, const char *sign) {
  const bool is_there = sn__xparser_is_sign(p, sign);
  if (is_there) {
    sn__xparser_advance(p);
  }
  return is_there;
}

bool sn__xparser_take_word(sn__xparser *p, const char *word) {
  const bool is_there = sn__xparser_is_word(p, word);
  if (is_there) {
    sn__xparser_advance(p);
  }
  return is_there;
}

sn__xexpr *sn__xparser_make(sn__xparser *p, sn__xexpr_kind kind, const char *sign) {
  sn__xexpr *expr = sn__xacro_alloc(p->x, sizeof *expr);
  if (expr != NULL) {
    expr->kind = kind;
    memcpy(expr->sign, sign, strlen(sign) + 1);
  }
  return expr;
}

sn__xexpr *sn__xparser_join(sn__xparser *p, sn__xexpr *parent, sn__xexpr *child) {
  if (parent == NULL || child == NULL) {
    return NULL;
  }
  *(parent->last == NULL ? &parent->first : &parent->last->next) = child;
  parent->last = child;
  parent->depth = parent->depth > child->depth ? parent->depth : child->depth + 1;
  if (parent->depth > SN__XPARSER_DEPTH_MAX) {
    sn__xacro_fail(p->x, SN_ELIMIT, "use a property for a part of it",
                   "an expression is nested more than %d deep", SN__XPARSER_DEPTH_MAX);
    return NULL;
  }
  return parent;
}

sn__xexpr *sn__xparser_constant(sn__xparser *p, sn__xvalue value) {
  sn__xexpr *expr = sn__xparser_make(p, SN__XE_CONSTANT, "");
  if (expr != NULL) {
    expr->constant = value;
  }
  return expr;
}

/* NOLINTBEGIN(misc-no-recursion): SN__XPARSER_DEPTH_MAX bounds it */

static sn__xexpr *parse_unary(sn__xparser *p);

/* ---- operators, from the strongest to the weakest ---- */

static sn__xexpr *parse_power(sn__xparser *p) {
  sn__xexpr *base = sn__xparser_parse_trailers(p);
  if (base == NULL || !sn__xparser_take_sign(p, "**")) {
    return base;
  }
  return sn__xparser_join(p, sn__xparser_join(p, sn__xparser_make(p, SN__XE_BINARY, "**"), base),
                          parse_unary(p));
}

static sn__xexpr *parse_unary(sn__xparser *p) {
  const char *sign = sn__xparser_is_sign(p, "-") ? "-" : sn__xparser_is_sign(p, "+") ? "+" : NULL;
  if (sign == NULL) {
    return parse_power(p);
  }
  if (++p->depth > SN__XPARSER_DEPTH_MAX) {
    return sn__xparser_fail(p, "fewer signs");
  }
  sn__xparser_advance(p);
  sn__xexpr *expr = sn__xparser_join(p, sn__xparser_make(p, SN__XE_UNARY, sign), parse_unary(p));
  p->depth--;
  return expr;
}

static const char *sign_of(const sn__xparser *p, const char *const *signs) {
  for (; *signs != NULL; signs++) {
    if (sn__xparser_is_sign(p, *signs)) {
      return *signs;
    }
  }
  return NULL;
}

static sn__xexpr *parse_product(sn__xparser *p) {
  static const char *const signs[] = {"*", "/", "//", "%", NULL};
  sn__xexpr *left = parse_unary(p);
  for (const char *sign = NULL; left != NULL && (sign = sign_of(p, signs)) != NULL;) {
    sn__xparser_advance(p);
    left = sn__xparser_join(p, sn__xparser_join(p, sn__xparser_make(p, SN__XE_BINARY, sign), left),
                            parse_unary(p));
  }
  return left;
}

static sn__xexpr *parse_sum(sn__xparser *p) {
  static const char *const signs[] = {"+", "-", NULL};
  sn__xexpr *left = parse_product(p);
  for (const char *sign = NULL; left != NULL && (sign = sign_of(p, signs)) != NULL;) {
    sn__xparser_advance(p);
    left = sn__xparser_join(p, sn__xparser_join(p, sn__xparser_make(p, SN__XE_BINARY, sign), left),
                            parse_product(p));
  }
  return left;
}

/* @return the sign of a comparison, taken; NULL: there is none, or an error */
static const char *take_comparison(sn__xparser *p) {
  static const char *const signs[] = {"==", "!=", "<=", ">=", "<", ">", NULL};
  const char *sign = sign_of(p, signs);
  if (sign != NULL) {
    sn__xparser_advance(p);
    return sign;
  }
  if (sn__xparser_take_word(p, "in")) {
    return "in";
  }
  if (sn__xparser_take_word(p, "is")) {
    return sn__xparser_take_word(p, "not") ? "is not" : "is";
  }
  if (sn__xparser_take_word(p, "not")) {
    if (!sn__xparser_take_word(p, "in")) {
      sn__xparser_fail(p, "'in'");
    }
    return "not in";
  }
  return NULL;
}

static sn__xexpr *parse_comparison(sn__xparser *p) {
  sn__xexpr *left = parse_sum(p);
  const char *sign = left == NULL ? NULL : take_comparison(p);
  if (sign == NULL) {
    return left;
  }
  sn__xexpr *expr = sn__xparser_join(p, sn__xparser_make(p, SN__XE_COMPARE, ""), left);
  while (expr != NULL && sign != NULL) {
    /* A wrapper keeps the sign, whatever the operand is. */
    sn__xexpr *operand =
        sn__xparser_join(p, sn__xparser_make(p, SN__XE_KEYWORD, sign), parse_sum(p));
    expr = sn__xparser_join(p, expr, operand);
    sign = expr == NULL ? NULL : take_comparison(p);
  }
  return expr;
}

static sn__xexpr *parse_not(sn__xparser *p) {
  if (!sn__xparser_is_word(p, "not")) {
    return parse_comparison(p);
  }
  if (++p->depth > SN__XPARSER_DEPTH_MAX) {
    return sn__xparser_fail(p, "fewer 'not'");
  }
  sn__xparser_advance(p);
  sn__xexpr *expr = sn__xparser_join(p, sn__xparser_make(p, SN__XE_NOT, ""), parse_not(p));
  p->depth--;
  return expr;
}

static sn__xexpr *parse_and(sn__xparser *p) {
  sn__xexpr *left = parse_not(p);
  while (left != NULL && sn__xparser_take_word(p, "and")) {
    left = sn__xparser_join(p, sn__xparser_join(p, sn__xparser_make(p, SN__XE_AND, ""), left),
                            parse_not(p));
  }
  return left;
}

sn__xexpr *sn__xparser_parse_or(sn__xparser *p) {
  sn__xexpr *left = parse_and(p);
  while (left != NULL && sn__xparser_take_word(p, "or")) {
    left = sn__xparser_join(p, sn__xparser_join(p, sn__xparser_make(p, SN__XE_OR, ""), left),
                            parse_and(p));
  }
  return left;
}

static sn__xexpr *parse_conditional(sn__xparser *p) {
  sn__xexpr *value = sn__xparser_parse_or(p);
  if (value == NULL || !sn__xparser_take_word(p, "if")) {
    return value;
  }
  sn__xexpr *condition = sn__xparser_parse_or(p);
  if (condition == NULL) {
    return NULL;
  }
  if (!sn__xparser_take_word(p, "else")) {
    return sn__xparser_fail(p, "'else'");
  }
  sn__xexpr *otherwise = sn__xparser_parse_expression(p);
  sn__xexpr *expr = sn__xparser_join(p, sn__xparser_make(p, SN__XE_CONDITIONAL, ""), condition);
  return sn__xparser_join(p, sn__xparser_join(p, expr, value), otherwise);
}

sn__xexpr *sn__xparser_parse_expression(sn__xparser *p) {
  if (++p->depth > SN__XPARSER_DEPTH_MAX) {
    return sn__xparser_fail(p, "fewer brackets");
  }
  sn__xexpr *expr = parse_conditional(p);
  p->depth--;
  return expr;
}

/* NOLINTEND(misc-no-recursion) */

const sn__xexpr *sn__xexpr_parse(sn__xacro *x, const char *text) {
  sn__xparser p = {.x = x, .text = text, .at = text};
  sn__xparser_advance(&p);
  sn__xexpr *expr = sn__xparser_parse_expression(&p);
  if (expr != NULL && sn__xparser_is_sign(&p, ",")) { /* a tuple without brackets */
    sn__xparser_advance(&p);
    expr = sn__xparser_join(&p, sn__xparser_make(&p, SN__XE_TUPLE, ""), expr);
    while (expr != NULL && p.token.kind != SN__XT_END) {
      expr = sn__xparser_join(&p, expr, sn__xparser_parse_expression(&p));
      if (expr != NULL && p.token.kind != SN__XT_END && !sn__xparser_take_sign(&p, ",")) {
        break;
      }
    }
  }
  if (expr != NULL && p.token.kind != SN__XT_END) {
    return sn__xparser_fail(&p, "an operator");
  }
  return x->status == SN_OK ? expr : NULL;
}
