/** @file
 *  Internal: what the parts of the parser of expressions share (parse.c, parse_atom.c). */
#ifndef SN_XACRO_EXPR_PARSER_H
#define SN_XACRO_EXPR_PARSER_H

#include "xacro/expr/expr.h"

/** Levels of a tree, and brackets inside brackets. */
enum { SN__XPARSER_DEPTH_MAX = 150 };

typedef struct sn__xparser {
  sn__xacro *x;
  const char *text;
  const char *begin, *at; /**< the next word begins and ends here */
  sn__xtoken token;       /**< the next word */
  int depth;
} sn__xparser;

void sn__xparser_advance(sn__xparser *p);

/** Report what was expected before the next word. @return NULL */
sn__xexpr *sn__xparser_fail(sn__xparser *p, const char *expected);

/** Is the next word this one? */
bool sn__xparser_is_sign(const sn__xparser *p, const char *sign);
bool sn__xparser_is_word(const sn__xparser *p, const char *word);

/** If it is, take it. */
bool sn__xparser_take_sign(sn__xparser *p, const char *sign);
bool sn__xparser_take_word(sn__xparser *p, const char *word);

/** @return NULL: no memory */
sn__xexpr *sn__xparser_make(sn__xparser *p, sn__xexpr_kind kind, const char *sign);
sn__xexpr *sn__xparser_constant(sn__xparser *p, sn__xvalue value);

/** Add a child. @return the parent; NULL if either is NULL, or the tree is too deep */
sn__xexpr *sn__xparser_join(sn__xparser *p, sn__xexpr *parent, sn__xexpr *child);

/** An expression; one without a conditional; a value with calls, indices and attributes. */
sn__xexpr *sn__xparser_parse_expression(sn__xparser *p);
sn__xexpr *sn__xparser_parse_or(sn__xparser *p);
sn__xexpr *sn__xparser_parse_trailers(sn__xparser *p);

#endif
