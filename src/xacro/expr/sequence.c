/* Items of texts, lists and dicts: one, a range, or all. */
#include <string.h>

#include "base/text.h"
#include "xacro/expr/expr.h"

/* Bytes of the character at @p text, at least one. */
static size_t character_size(const char *text) {
  const size_t size = sn__text_utf8_length(text);
  return size == 0 ? 1 : size;
}

static const sn__xlist *characters(sn__xacro *x, const char *text) {
  sn__xvalue list = sn__xnone();
  bool good = sn__xlist_make(x, SN__X_LIST, &list);
  while (good && *text != '\0') {
    const size_t size = character_size(text);
    const char *one = sn__xacro_copy(x, text, size);
    good = one != NULL && sn__xacro_step(x, 1) && sn__xlist_add(x, list.as.list, sn__xstring(one));
    text += size;
  }
  return good ? list.as.list : NULL;
}

const sn__xlist *sn__xvalue_items(sn__xacro *x, sn__xvalue value) {
  sn__xvalue list = sn__xnone();
  switch (value.kind) {
    case SN__X_LIST:
    case SN__X_TUPLE:
      return value.as.list;
    case SN__X_TEXT:
      return characters(x, value.as.text);
    case SN__X_DICT:
      if (!sn__xlist_make(x, SN__X_LIST, &list)) {
        return NULL;
      }
      for (size_t i = 0; i < value.as.dict->count; i++) {
        if (!sn__xlist_add(x, list.as.list, value.as.dict->pairs[i].key)) {
          return NULL;
        }
      }
      return list.as.list;
    default:
      sn__xacro_fail(x, SN_EMODEL, NULL, "a %s has no items", sn__xkind_name(value.kind));
      return NULL;
  }
}

static bool index_dict(sn__xacro *x, const sn__xdict *dict, sn__xvalue key, sn__xvalue *out) {
  const sn__xvalue *value = sn__xdict_find(x, dict, key);
  if (value == NULL) {
    const char *text = sn__xvalue_repr(x, key);
    return sn__xacro_fail(x, SN_EMODEL, NULL, "the dict has no key %.80s",
                          text == NULL ? "" : text);
  }
  *out = *value;
  return true;
}

bool sn__xoperator_index(sn__xacro *x, sn__xvalue container, sn__xvalue index, sn__xvalue *out) {
  int64_t at = 0;
  if (container.kind == SN__X_DICT) {
    return index_dict(x, container.as.dict, index, out);
  }
  const sn__xlist *items = sn__xvalue_items(x, container);
  if (items == NULL) {
    return false;
  }
  if (!sn__xvalue_integer(index, &at)) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "the index of a %s is a %s, expected an int",
                          sn__xkind_name(container.kind), sn__xkind_name(index.kind));
  }
  const int64_t count = (int64_t)items->count;
  if (at < -count || at >= count) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "index %lld of a %s with %zu items", (long long)at,
                          sn__xkind_name(container.kind), items->count);
  }
  *out = items->items[at < 0 ? at + count : at];
  return true;
}

/* A bound of a slice, from 0 to @p count (or from -1 if the slice goes backwards). */
static bool bound(sn__xacro *x, sn__xvalue part, int64_t otherwise, int64_t low, int64_t high,
                  int64_t *out) {
  if (part.kind == SN__X_NONE) {
    *out = otherwise;
    return true;
  }
  if (!sn__xvalue_integer(part, out)) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "a bound of a slice is a %s, expected an int",
                          sn__xkind_name(part.kind));
  }
  const int64_t count = low < 0 ? high + 1 : high;
  *out = *out < 0 && *out >= -count ? *out + count : *out < 0 ? low : *out;
  *out = *out > high ? high : *out;
  return true;
}

bool sn__xoperator_slice(sn__xacro *x, sn__xvalue container, const sn__xvalue parts[3],
                         sn__xvalue *out) {
  const sn__xlist *items = container.kind == SN__X_DICT ? NULL : sn__xvalue_items(x, container);
  int64_t step = 1, begin = 0, end = 0;
  if (items == NULL) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "a %s has no slices", sn__xkind_name(container.kind));
  }
  if (parts[2].kind != SN__X_NONE && (!sn__xvalue_integer(parts[2], &step) || step == 0)) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "the step of a slice must be an int other than 0");
  }
  const int64_t count = (int64_t)items->count;
  const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? count : count - 1;
  if (!bound(x, parts[0], step > 0 ? 0 : high, low, high, &begin) ||
      !bound(x, parts[1], step > 0 ? high : low, low, high, &end)) {
    return false;
  }
  const bool is_text = container.kind == SN__X_TEXT;
  sn__xtext text = {0};
  bool good = is_text || sn__xlist_make(x, container.kind, out);
  step = step > count ? count + 1 : step < -count ? -count - 1 : step; /* no overflow */
  for (int64_t i = begin; good && (step > 0 ? i < end : i > end); i += step) {
    good = is_text ? sn__xtext_add(x, &text, items->items[i].as.text)
                   : sn__xlist_add(x, out->as.list, items->items[i]);
  }
  if (good && is_text) {
    *out = sn__xstring(sn__xtext_end(x, &text));
    good = out->as.text != NULL;
  }
  return good;
}
