/* Texts with `${...}` and `$(...)` in them. */
#include <string.h>

#include "xacro/expr/expr.h"
#include "xacro/scope.h"

/* The bracket that closes the one at @p open; brackets in quotes and pairs of them are skipped. If
   there is none, the first one counts, as in the reference. @return NULL: there is none at all */
static const char *closing(const char *open) {
  const char opening = *open, wanted = opening == '{' ? '}' : ')';
  int depth = 0;
  char quote = '\0';
  for (const char *at = open; *at != '\0'; at++) {
    if (quote != '\0') {
      quote = *at == quote ? '\0' : quote;
    } else if (*at == '\'' || *at == '"') {
      quote = *at;
    } else if (*at == opening) {
      depth++;
    } else if (*at == wanted && --depth == 0) {
      return at;
    }
  }
  return strchr(open, wanted);
}

/* The value of `${...}` or `$(...)` at @p at, which moves behind it. */
/* NOLINTNEXTLINE(misc-no-recursion): sn__xacro_enter() bounds it */
static bool eval_bracket(sn__xacro *x, sn__xscope *scope, const char **at, sn__xvalue *out) {
  const char *open = *at + 1, *end = closing(open);
  if (end == NULL) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "'%.60s' has no closing %c", *at,
                          *open == '{' ? '}' : ')');
  }
  const size_t length = (size_t)(end - open - 1);
  *at = end + 1;
  if (*open == '{' && memchr(open + 1, '$', length) == NULL) {
    const sn__xexpr *expr = sn__xexpr_get(x, open + 1, length);
    return expr != NULL && sn__xexpr_eval(x, scope, expr, out);
  }
  const char *inside = sn__xacro_copy(x, open + 1, length);
  if (inside == NULL || !sn__xacro_enter(x)) {
    return false;
  }
  inside = sn__xacro_eval_text(x, scope, inside); /* $(arg x) may stand in ${...}, and vice versa */
  const bool good = inside != NULL && (*open == '{' ? sn__xexpr_run(x, scope, inside, out)
                                                    : sn__xacro_substitute(x, inside, out));
  sn__xacro_leave(x);
  return good;
}

/* Length of the plain text at @p at; `$${` is a plain `${`, with *skip of its bytes left out.
   @return 0: a bracket begins here */
static size_t plain_length(const char *at, size_t *skip) {
  const size_t dollars = strspn(at, "$");
  *skip = 0;
  if (dollars == 0) {
    return strcspn(at, "$");
  }
  const bool is_bracket = at[dollars] == '{' || at[dollars] == '(';
  if (is_bracket && dollars == 1) {
    return 0;
  }
  *skip = is_bracket ? 1 : 0;
  return is_bracket ? dollars + 1 : dollars + strcspn(at + dollars, "$");
}

/* The next part of a text. */
/* NOLINTNEXTLINE(misc-no-recursion): as above */
static bool next_part(sn__xacro *x, sn__xscope *scope, const char **at, sn__xvalue *out) {
  size_t skip = 0;
  const size_t length = plain_length(*at, &skip);
  if (length == 0) {
    return eval_bracket(x, scope, at, out);
  }
  *out = sn__xstring(sn__xacro_copy(x, *at + skip, length - skip));
  *at += length;
  return out->as.text != NULL;
}

/* NOLINTNEXTLINE(misc-no-recursion): as above */
bool sn__xacro_eval(sn__xacro *x, sn__xscope *scope, const char *text, sn__xvalue *out) {
  if (strchr(text, '$') == NULL) {
    *out = sn__xstring(text);
    return true;
  }
  const char *at = text;
  if (!next_part(x, scope, &at, out)) {
    return false;
  }
  if (*at == '\0') {
    return true; /* one part keeps its type */
  }
  sn__xtext whole = {0};
  for (bool is_last = false; !is_last;) {
    const char *part = sn__xvalue_text(x, *out);
    if (part == NULL || !sn__xtext_add(x, &whole, part)) {
      return false;
    }
    is_last = *at == '\0';
    if (!is_last && !next_part(x, scope, &at, out)) {
      return false;
    }
  }
  *out = sn__xstring(sn__xtext_end(x, &whole));
  return out->as.text != NULL;
}

/* NOLINTNEXTLINE(misc-no-recursion): as above */
const char *sn__xacro_eval_text(sn__xacro *x, sn__xscope *scope, const char *text) {
  sn__xvalue value = sn__xnone();
  return sn__xacro_eval(x, scope, text, &value) ? sn__xvalue_text(x, value) : NULL;
}
