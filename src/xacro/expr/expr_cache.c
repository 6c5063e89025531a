/* Expressions by their text: those of a macro are parsed once, however often it is called. */
#include <string.h>

#include "base/text.h"
#include "xacro/expr/expr.h"

struct sn__xexpr_entry {
  const char *text;
  uint32_t hash;
  const sn__xexpr *expr;
  sn__xexpr_entry *next;
};

const sn__xexpr *sn__xexpr_get(sn__xacro *x, const char *text, size_t length) {
  const uint32_t hash = sn__text_hash(text, length);
  sn__xexpr_entry **bucket = &x->expressions[hash % SN__XEXPR_BUCKETS];
  for (const sn__xexpr_entry *e = *bucket; e != NULL; e = e->next) {
    if (e->hash == hash && strncmp(e->text, text, length) == 0 && e->text[length] == '\0') {
      return e->expr;
    }
  }
  const char *copy = sn__xacro_copy(x, text, length);
  const sn__xexpr *expr = copy == NULL ? NULL : sn__xexpr_parse(x, copy);
  sn__xexpr_entry *entry = expr == NULL ? NULL : sn__xacro_alloc(x, sizeof *entry);
  if (entry == NULL) {
    return NULL;
  }
  *entry = (sn__xexpr_entry){copy, hash, expr, *bucket};
  *bucket = entry;
  return expr;
}
