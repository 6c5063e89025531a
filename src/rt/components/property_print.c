#include <string.h>

#include "base/sink.h"
#include "files/value_tree.h"
#include "rt/components/property.h"
#include "rt/components/property_access.h"
#include "sinew/fault.h"

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *at) {
  while (is_digit(*at)) {
    at++;
  }
  return at;
}

/* By RFC 8259, which permits less than a property file. */
static bool is_json_number(const char *text) {
  const char *at = text + (*text == '-');
  const char *digits = at;
  at = skip_digits(at);
  if (at == digits || (*digits == '0' && at > digits + 1)) {
    return false;
  }
  if (*at == '.') {
    digits = at + 1;
    at = skip_digits(digits);
    if (at == digits) {
      return false;
    }
  }
  if (*at == 'e' || *at == 'E') {
    at += 1 + (at[1] == '-' || at[1] == '+');
    digits = at;
    at = skip_digits(at);
    if (at == digits) {
      return false;
    }
  }
  return *at == '\0';
}

/* The scalars of a tree have no type: what looks like a number or a boolean is printed as one,
   and reads back as the same text. */
static void put_scalar(sn__sink *sink, const char *text) {
  if (is_json_number(text) || strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
    sn__sink_text(sink, text);
  } else {
    sn__sink_quoted(sink, text);
  }
}

static void put_name(sn__sink *sink, const char *name) {
  sn__sink_quoted(sink, name);
  sn__sink_text(sink, ":");
}

static void put_tree(sn__sink *sink, const sn_value *root) {
  const sn_value *open[SN__PROP_DEPTH_MAX];
  size_t next[SN__PROP_DEPTH_MAX];
  size_t depth = 0;
  for (const sn_value *prop = root; prop != NULL;) {
    if (prop->kind == SN_VALUE_TEXT) {
      put_scalar(sink, prop->text);
    } else {
      SN_ASSERT(depth < SN__PROP_DEPTH_MAX);
      sn__sink_text(sink, prop->kind == SN_VALUE_LIST ? "[" : "{");
      open[depth] = prop;
      next[depth++] = 0;
    }
    prop = NULL;
    while (depth > 0 && prop == NULL) {
      const sn_value *around = open[depth - 1];
      const size_t i = next[depth - 1]++;
      if (i == around->item_count) {
        sn__sink_text(sink, around->kind == SN_VALUE_LIST ? "]" : "}");
        depth--;
      } else {
        prop = around->items[i];
        sn__sink_text(sink, i == 0 ? "" : ",");
        if (around->kind == SN_VALUE_BAG) {
          put_name(sink, prop->name);
        }
      }
    }
  }
}

static void put_struct(sn__sink *sink, const sn_property *table, const char *object);

static void put_bags(sn__sink *sink, const sn_property *property, const sn_bags *bags) {
  sn__sink_text(sink, "[");
  for (size_t i = 0; i < bags->count; i++) {
    sn__sink_text(sink, i == 0 ? "" : ",");
    put_struct(sink, property->items, (const char *)bags->data + i * property->item_size);
  }
  sn__sink_text(sink, "]");
}

static void put_reals(sn__sink *sink, const sn_reals *reals) {
  sn__sink_text(sink, "[");
  for (size_t i = 0; i < reals->count; i++) {
    sn__sink_text(sink, i == 0 ? "" : ",");
    sn__sink_number(sink, reals->data[i]);
  }
  sn__sink_text(sink, "]");
}

static void put_texts(sn__sink *sink, const sn_texts *texts) {
  sn__sink_text(sink, "[");
  for (size_t i = 0; i < texts->count; i++) {
    sn__sink_text(sink, i == 0 ? "" : ",");
    sn__sink_quoted(sink, texts->data[i]);
  }
  sn__sink_text(sink, "]");
}

/* Members are accessed by copies, since only their offsets are known. */
static void put_value(sn__sink *sink, const sn_property *property, const char *object) {
  const char *member = object + property->offset;
  union {
    bool boolean;
    int64_t integer;
    double real;
    const char *text;
    sn_reals reals;
    sn_texts texts;
    const sn_value *tree;
    sn_bags bags;
  } value;
  switch (property->kind) {
    case SN_PROPERTY_BOOL:
      memcpy(&value.boolean, member, sizeof value.boolean);
      sn__sink_text(sink, value.boolean ? "true" : "false");
      break;
    case SN_PROPERTY_INT:
      memcpy(&value.integer, member, sizeof value.integer);
      sn__sink_signed(sink, value.integer);
      break;
    case SN_PROPERTY_REAL:
      memcpy(&value.real, member, sizeof value.real);
      sn__sink_number(sink, value.real);
      break;
    case SN_PROPERTY_TEXT:
      memcpy(&value.text, member, sizeof value.text);
      sn__sink_quoted(sink, value.text);
      break;
    case SN_PROPERTY_REALS:
      memcpy(&value.reals, member, sizeof value.reals);
      put_reals(sink, &value.reals);
      break;
    case SN_PROPERTY_TEXTS:
      memcpy(&value.texts, member, sizeof value.texts);
      put_texts(sink, &value.texts);
      break;
    case SN_PROPERTY_TREE:
      memcpy(&value.tree, member, sizeof value.tree);
      if (value.tree == NULL) {
        sn__sink_text(sink, "null");
      } else {
        put_tree(sink, value.tree);
      }
      break;
    case SN_PROPERTY_BAG:
      put_struct(sink, property->items, member);
      break;
    case SN_PROPERTY_BAGS:
      memcpy(&value.bags, member, sizeof value.bags);
      put_bags(sink, property, &value.bags);
      break;
  }
}

static void put_struct(sn__sink *sink, const sn_property *table, const char *object) {
  sn__sink_text(sink, "{");
  for (const sn_property *p = table; p != NULL && p->name != NULL; p++) {
    sn__sink_text(sink, p == table ? "" : ",");
    put_name(sink, p->name);
    put_value(sink, p, object);
  }
  sn__sink_text(sink, "}");
}

size_t sn__property_print(const sn_property *property, const void *object, char *out, size_t size) {
  sn__sink sink = {.out = out, .size = size};
  put_value(&sink, property, object);
  return sn__sink_end(&sink);
}

size_t sn__property_print_all(const sn_property *table, const void *object, char *out,
                              size_t size) {
  sn__sink sink = {.out = out, .size = size};
  put_struct(&sink, table, object);
  return sn__sink_end(&sink);
}
