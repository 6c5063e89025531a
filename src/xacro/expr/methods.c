/* Methods of texts, lists and dicts. */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "xacro/expr/expr.h"

typedef bool method(sn__xacro *x, sn__xvalue self, const sn__xcall *call, sn__xvalue *out);

/* Argument @p index as text; @p otherwise if it is left out. */
static const char *text_at(sn__xacro *x, const sn__xcall *call, size_t index,
                           const char *otherwise) {
  if (index >= call->count) {
    return otherwise;
  }
  if (call->arguments[index].kind == SN__X_TEXT) {
    return call->arguments[index].as.text;
  }
  sn__xacro_fail(x, SN_EMODEL, NULL, "%s(): the argument is a %s, expected a text", call->name,
                 sn__xkind_name(call->arguments[index].kind));
  return NULL;
}

static bool give_copy(sn__xacro *x, const char *text, size_t length, sn__xvalue *out) {
  *out = sn__xstring(sn__xacro_copy(x, text, length));
  return out->as.text != NULL;
}

/* ---- texts ---- */

static bool add_part(sn__xacro *x, sn__xlist *list, const char *text, size_t length) {
  sn__xvalue part = sn__xnone();
  return give_copy(x, text, length, &part) && sn__xlist_add(x, list, part);
}

static bool split_at_blanks(sn__xacro *x, const char *text, sn__xlist *list) {
  bool good = true;
  for (const char *at = text; good;) {
    while (sn__text_is_blank(*at)) {
      at++;
    }
    const size_t length = strcspn(at, " \t\r\n");
    if (length == 0) {
      break;
    }
    good = add_part(x, list, at, length);
    at += length;
  }
  return good;
}

static bool text_split(sn__xacro *x, sn__xvalue self, const sn__xcall *call, sn__xvalue *out) {
  const char *separator = text_at(x, call, 0, "");
  bool good = separator != NULL && sn__xlist_make(x, SN__X_LIST, out);
  if (!good || (call->count > 0 && *separator == '\0')) {
    return good && sn__xacro_fail(x, SN_EMODEL, NULL, "split(): the separator is empty");
  }
  if (call->count == 0) {
    return split_at_blanks(x, self.as.text, out->as.list);
  }
  const char *at = self.as.text;
  for (const char *next = NULL; good && (next = strstr(at, separator)) != NULL;) {
    good = add_part(x, out->as.list, at, (size_t)(next - at));
    at = next + strlen(separator);
  }
  return good && add_part(x, out->as.list, at, strlen(at));
}

/* strip(), lstrip() and rstrip(), by name. */
static bool text_strip(sn__xacro *x, sn__xvalue self, const sn__xcall *call, sn__xvalue *out) {
  const char *set = text_at(x, call, 0, " \t\r\n\v\f");
  if (set == NULL) {
    return false;
  }
  const char *begin = self.as.text;
  begin += call->name[0] == 'r' ? 0 : strspn(begin, set);
  size_t length = strlen(begin);
  while (call->name[0] != 'l' && length > 0 && strchr(set, begin[length - 1]) != NULL) {
    length--;
  }
  return give_copy(x, begin, length, out);
}

/* upper(), lower() and capitalize(), by name; letters beyond ASCII stay. */
static bool text_case(sn__xacro *x, sn__xvalue self, const sn__xcall *call, sn__xvalue *out) {
  char *copy = sn__xacro_copy(x, self.as.text, strlen(self.as.text));
  for (char *c = copy; copy != NULL && *c != '\0'; c++) {
    const bool is_upper = call->name[0] == 'u' || (call->name[0] == 'c' && c == copy);
    const bool is_ascii = (unsigned char)*c < 0x80;
    *c = !is_ascii ? *c : (char)(is_upper ? toupper(*c) : tolower(*c));
  }
  *out = sn__xstring(copy);
  return copy != NULL;
}

static bool text_replace(sn__xacro *x, sn__xvalue self, const sn__xcall *call, sn__xvalue *out) {
  const char *from = text_at(x, call, 0, NULL), *to = text_at(x, call, 1, NULL);
  if (from == NULL || to == NULL || *from == '\0') {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "replace(): expected two texts");
  }
  sn__xtext text = {0};
  const char *at = self.as.text;
  bool good = true;
  for (const char *next = NULL; good && (next = strstr(at, from)) != NULL;) {
    good = sn__xtext_put(x, &text, at, (size_t)(next - at)) && sn__xtext_add(x, &text, to);
    at = next + strlen(from);
  }
  *out = sn__xstring(good && sn__xtext_add(x, &text, at) ? sn__xtext_end(x, &text) : NULL);
  return out->as.text != NULL;
}

/* startswith() and endswith(), by name. */
static bool text_with(sn__xacro *x, sn__xvalue self, const sn__xcall *call, sn__xvalue *out) {
  const char *part = text_at(x, call, 0, NULL);
  if (part == NULL) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "%s(): expected a text", call->name);
  }
  const size_t length = strlen(part), whole = strlen(self.as.text);
  const char *at = self.as.text + (call->name[0] == 'e' && whole > length ? whole - length : 0);
  *out = sn__xbool(whole >= length && strncmp(at, part, length) == 0);
  return true;
}

static bool text_join(sn__xacro *x, sn__xvalue self, const sn__xcall *call, sn__xvalue *out) {
  const sn__xlist *items = call->count == 1 ? sn__xvalue_items(x, call->arguments[0]) : NULL;
  sn__xtext text = {0};
  bool good = items != NULL;
  for (size_t i = 0; good && i < items->count; i++) {
    if (items->items[i].kind != SN__X_TEXT) {
      return sn__xacro_fail(x, SN_EMODEL, "str(...) makes a text", "join(): item %zu is a %s", i,
                            sn__xkind_name(items->items[i].kind));
    }
    good = (i == 0 || sn__xtext_add(x, &text, self.as.text)) &&
           sn__xtext_add(x, &text, items->items[i].as.text);
  }
  *out = sn__xstring(good ? sn__xtext_end(x, &text) : NULL);
  return out->as.text != NULL || sn__xacro_fail(x, SN_EMODEL, NULL, "join(): expected a list");
}

static bool text_find(sn__xacro *x, sn__xvalue self, const sn__xcall *call, sn__xvalue *out) {
  const char *part = text_at(x, call, 0, NULL);
  const char *found = part == NULL ? NULL : strstr(self.as.text, part);
  *out = sn__xint(found == NULL ? -1 : found - self.as.text);
  return part != NULL || sn__xacro_fail(x, SN_EMODEL, NULL, "find(): expected a text");
}

static bool text_isdigit(sn__xacro *x, sn__xvalue self, const sn__xcall *call, sn__xvalue *out) {
  (void)x, (void)call;
  const size_t digits = strspn(self.as.text, "0123456789");
  *out = sn__xbool(digits > 0 && self.as.text[digits] == '\0');
  return true;
}

static bool text_format(sn__xacro *x, sn__xvalue self, const sn__xcall *call, sn__xvalue *out) {
  return sn__xformat_braces(x, self.as.text, call, out);
}

/* ---- lists ---- */

/* index() and count(), by name. */
static bool list_index(sn__xacro *x, sn__xvalue self, const sn__xcall *call, sn__xvalue *out) {
  const bool is_count = call->name[0] == 'c';
  int64_t count = 0;
  for (size_t i = 0; call->count == 1 && i < self.as.list->count; i++) {
    if (sn__xvalue_equal(x, self.as.list->items[i], call->arguments[0])) {
      count++;
      *out = sn__xint((int64_t)i);
      if (!is_count) {
        return true;
      }
    }
  }
  *out = sn__xint(count);
  return is_count || sn__xacro_fail(x, SN_EMODEL, NULL, "index(): the list has no such item");
}

/* append() and extend(), by name. */
static bool list_append(sn__xacro *x, sn__xvalue self, const sn__xcall *call, sn__xvalue *out) {
  *out = sn__xnone();
  if (call->count != 1) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "%s(): expected one argument", call->name);
  }
  if (call->name[0] == 'a') {
    return sn__xlist_add(x, self.as.list, call->arguments[0]);
  }
  const sn__xlist *items = sn__xvalue_items(x, call->arguments[0]);
  bool good = items != NULL;
  const size_t count = good ? items->count : 0;
  for (size_t i = 0; good && i < count; i++) {
    good = sn__xlist_add(x, self.as.list, items->items[i]);
  }
  return good;
}

static bool list_pop(sn__xacro *x, sn__xvalue self, const sn__xcall *call, sn__xvalue *out) {
  sn__xlist *list = self.as.list;
  const sn__xvalue index = call->count == 0 ? sn__xint(-1) : call->arguments[0];
  int64_t at = 0;
  if (!sn__xoperator_index(x, self, index, out) || !sn__xvalue_integer(index, &at)) {
    return false;
  }
  const size_t from = (size_t)(at < 0 ? at + (int64_t)list->count : at);
  memmove(list->items + from, list->items + from + 1,
          (list->count - from - 1) * sizeof *list->items);
  list->count--;
  return true;
}

/* ---- dicts ---- */

/* keys(), values() and items(), by name. */
static bool dict_list(sn__xacro *x, sn__xvalue self, const sn__xcall *call, sn__xvalue *out) {
  bool good = sn__xlist_make(x, SN__X_LIST, out);
  for (size_t i = 0; good && i < self.as.dict->count; i++) {
    const sn__xpair *pair = &self.as.dict->pairs[i];
    sn__xvalue item = call->name[0] == 'k' ? pair->key : pair->value;
    if (call->name[0] == 'i') {
      good = sn__xlist_make(x, SN__X_TUPLE, &item) && sn__xlist_add(x, item.as.list, pair->key) &&
             sn__xlist_add(x, item.as.list, pair->value);
    }
    good = good && sn__xlist_add(x, out->as.list, item);
  }
  return good;
}

static bool dict_get(sn__xacro *x, sn__xvalue self, const sn__xcall *call, sn__xvalue *out) {
  if (call->count == 0 || call->count > 2) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "get(): expected a key, and what it is otherwise");
  }
  const sn__xvalue *value = sn__xdict_find(x, self.as.dict, call->arguments[0]);
  *out = value != NULL ? *value : call->count == 2 ? call->arguments[1] : sn__xnone();
  return true;
}

/* ---- table ---- */

static const struct {
  sn__xkind kind;
  const char *name;
  method *run;
} methods[] = {
    {SN__X_TEXT, "split", text_split},     {SN__X_TEXT, "strip", text_strip},
    {SN__X_TEXT, "lstrip", text_strip},    {SN__X_TEXT, "rstrip", text_strip},
    {SN__X_TEXT, "upper", text_case},      {SN__X_TEXT, "lower", text_case},
    {SN__X_TEXT, "capitalize", text_case}, {SN__X_TEXT, "replace", text_replace},
    {SN__X_TEXT, "startswith", text_with}, {SN__X_TEXT, "endswith", text_with},
    {SN__X_TEXT, "join", text_join},       {SN__X_TEXT, "find", text_find},
    {SN__X_TEXT, "isdigit", text_isdigit}, {SN__X_TEXT, "format", text_format},
    {SN__X_LIST, "index", list_index},     {SN__X_LIST, "count", list_index},
    {SN__X_LIST, "append", list_append},   {SN__X_LIST, "extend", list_append},
    {SN__X_LIST, "pop", list_pop},         {SN__X_TUPLE, "index", list_index},
    {SN__X_TUPLE, "count", list_index},    {SN__X_DICT, "keys", dict_list},
    {SN__X_DICT, "values", dict_list},     {SN__X_DICT, "items", dict_list},
    {SN__X_DICT, "get", dict_get},
};

bool sn__xmethod_call(sn__xacro *x, sn__xvalue self, const sn__xcall *call, sn__xvalue *out,
                      bool *is_found) {
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    if (methods[i].kind == self.kind && strcmp(methods[i].name, call->name) == 0) {
      *is_found = true;
      return methods[i].run(x, self, call, out);
    }
  }
  *is_found = false;
  return true;
}
