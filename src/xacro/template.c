#include "xacro/template.h"

#include <stdint.h>
#include <string.h>

/* ---- parts ---- */

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

/* `${...}` or `$(...)` at @p at, which moves behind it. */
static bool read_bracket(sn__xacro *x, const char **at, sn__xpart *part) {
  const char *open = *at + 1, *end = closing(open);
  if (end == NULL) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "'%.60s' has no closing %c", *at,
                          *open == '{' ? '}' : ')');
  }
  part->length = (size_t)(end - open - 1);
  part->text = sn__xacro_copy(x, open + 1, part->length);
  *at = end + 1;
  if (part->text == NULL) {
    return false;
  }
  if (*open == '(') {
    part->kind = SN__XPART_COMMAND;
  } else if (strchr(part->text, '$') != NULL) {
    part->kind = SN__XPART_NESTED;
  } else {
    part->kind = SN__XPART_EXPRESSION;
    part->expr = sn__xexpr_parse(x, part->text);
  }
  return part->kind != SN__XPART_EXPRESSION || part->expr != NULL;
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

static sn__xpart *read_part(sn__xacro *x, const char **at) {
  size_t skip = 0;
  const size_t length = plain_length(*at, &skip);
  sn__xpart *part = sn__xacro_alloc(x, sizeof *part);
  if (part == NULL) {
    return NULL;
  }
  if (length == 0) {
    return read_bracket(x, at, part) ? part : NULL;
  }
  part->length = length - skip;
  part->text = sn__xacro_copy(x, *at + skip, part->length);
  *at += length;
  return part->text == NULL ? NULL : part;
}

static sn__xtemplate *read_parts(sn__xacro *x, const char *text) {
  sn__xtemplate *template = sn__xacro_alloc(x, sizeof *template);
  if (template == NULL) {
    return NULL;
  }
  const sn__xpart **link = &template->first;
  template->text = text;
  for (const char *at = text; *at != '\0';) {
    sn__xpart *part = read_part(x, &at);
    if (part == NULL) {
      return NULL;
    }
    *link = part;
    link = (const sn__xpart **)&part->next;
  }
  return template;
}

/* ---- the table ---- */

/* Where a text is, or the free slot where it belongs. */
static sn__xtemplate **slot_of(const sn__xtemplates *table, const char *text) {
  const uint64_t hash = (uint64_t)(uintptr_t)text * 0x9e3779b97f4a7c15u;
  size_t at = (size_t)(hash >> 32) & (table->slot_count - 1);
  while (table->slots[at] != NULL && table->slots[at]->text != text) {
    at = (at + 1) & (table->slot_count - 1);
  }
  return &table->slots[at];
}

/* At most half of the slots are used. */
static bool make_room(sn__xacro *x, sn__xtemplates *table) {
  if (2 * (table->count + 1) <= table->slot_count) {
    return true;
  }
  sn__xtemplates larger = {.count = table->count,
                           .slot_count = table->slot_count == 0 ? 256 : 2 * table->slot_count};
  larger.slots = sn__xacro_alloc(x, larger.slot_count * sizeof *larger.slots);
  if (larger.slots == NULL) {
    return false;
  }
  for (size_t i = 0; i < table->slot_count; i++) {
    if (table->slots[i] != NULL) {
      *slot_of(&larger, table->slots[i]->text) = table->slots[i];
    }
  }
  *table = larger;
  return true;
}

const sn__xtemplate *sn__xtemplate_get(sn__xacro *x, const char *text) {
  if (!make_room(x, &x->templates)) {
    return NULL;
  }
  sn__xtemplate **slot = slot_of(&x->templates, text);
  if (*slot == NULL) {
    *slot = read_parts(x, text);
    x->templates.count += *slot != NULL ? 1 : 0;
  }
  return *slot;
}
