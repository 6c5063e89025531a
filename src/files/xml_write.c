/* A tree as text, laid out as the reference of xacro prints it: two blanks for each level, blank
   texts left out, an element with nothing but a text on one line. */
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "files/xml.h"

static inline void put(sn__buffer *out, const char *text) {
  sn__buffer_append(out, text, strlen(text));
}

static void put_indent(sn__buffer *out, size_t level) {
  static const char blanks[] = "                                ";
  for (size_t left = 2 * level; left > 0;) {
    const size_t part = left < sizeof blanks - 1 ? left : sizeof blanks - 1;
    sn__buffer_append(out, blanks, part);
    left -= part;
  }
}

/* What is written for a character; NULL: itself. Line ends and tabs of an attribute would be read
   back as blanks. */
static const char *escape_of(char c, bool is_attribute) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\r':
      return "&#13;";
    case '\n':
      return is_attribute ? "&#10;" : NULL;
    case '\t':
      return is_attribute ? "&#9;" : NULL;
    default:
      return NULL;
  }
}

static void put_escaped(sn__buffer *out, const char *text, bool is_attribute) {
  const char *plain = text;
  for (; *text != '\0'; text++) {
    const bool may_need_it = *text <= '"' || *text == '&' || *text == '<' || *text == '>';
    const char *escape = may_need_it ? escape_of(*text, is_attribute) : NULL;
    if (escape != NULL) {
      sn__buffer_append(out, plain, (size_t)(text - plain));
      put(out, escape);
      plain = text + 1;
    }
  }
  sn__buffer_append(out, plain, (size_t)(text - plain));
}

static bool is_named(const sn__xml_node *node, const char *name) {
  return sn__xml_same(node->name, name);
}

static void put_other(sn__buffer *out, const sn__xml_node *node, size_t level) {
  if (is_named(node, "#text") && sn__text_is_empty(node->text)) {
    return;
  }
  if (is_named(node, "#cdata")) { /* where it stands: blanks around it would be part of the text */
    put(out, "<![CDATA[");
    put(out, node->text);
    put(out, "]]>");
    return;
  }
  put_indent(out, level);
  if (is_named(node, "#text")) {
    put_escaped(out, node->text, false);
  } else {
    const bool is_comment = is_named(node, "#comment");
    put(out, is_comment ? "<!--" : "<?");
    put(out, node->text);
    put(out, is_comment ? "-->" : "?>");
  }
  put(out, "\n");
}

static void put_attributes(sn__buffer *out, const sn__xml_node *node) {
  for (size_t i = 0; i < node->attribute_count; i++) {
    sn__buffer_append(out, " ", 1);
    put(out, node->attributes[i].name);
    sn__buffer_append(out, "=\"", 2);
    put_escaped(out, node->attributes[i].value, true);
    sn__buffer_append(out, "\"", 1);
  }
}

/* NOLINTNEXTLINE(misc-no-recursion): the caller bounds how deep the tree is */
static void put_element(sn__buffer *out, const sn__xml_node *node, size_t level) {
  put_indent(out, level);
  put(out, "<");
  put(out, node->name);
  put_attributes(out, node);
  const sn__xml_node *child = node->first_child;
  if (child == NULL) {
    put(out, "/>\n");
    return;
  }
  if (child->next == NULL && is_named(child, "#text")) {
    put(out, ">");
    put_escaped(out, child->text, false);
  } else {
    put(out, ">\n");
    for (; child != NULL; child = child->next) {
      if (child->name[0] == '#') {
        put_other(out, child, level + 1);
      } else {
        put_element(out, child, level + 1);
      }
    }
    put_indent(out, level);
  }
  put(out, "</");
  put(out, node->name);
  put(out, ">\n");
}

const char *sn__xml_write(sn_arena *arena, const sn__xml_node *root, size_t size_max,
                          size_t *size) {
  sn__buffer out = {.max = size_max};
  put(&out, "<?xml version=\"1.0\" ?>\n");
  put_element(&out, root, 0);
  const char *text = out.failed ? NULL : sn_arena_text(arena, out.data, out.used);
  *size = out.used;
  sn__buffer_free(&out);
  return text;
}
