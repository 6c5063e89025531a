/* Elements of a parsed document. */
#include <string.h>

#include "base/text.h"
#include "files/xml.h"

const char *sn__xml_attribute_value(const sn__xml_node *node, const char *name) {
  for (size_t i = 0; i < node->attribute_count; i++) {
    if (sn__xml_same(node->attributes[i].name, name)) {
      return node->attributes[i].value;
    }
  }
  return NULL;
}

const sn__xml_node *sn__xml_child(const sn__xml_node *node, const char *name) {
  for (const sn__xml_node *child = node->first_child; child != NULL; child = child->next) {
    if (sn__xml_same(child->name, name)) {
      return child;
    }
  }
  return NULL;
}

sn_place sn__xml_attribute_place(const char *text, size_t size, const sn__xml_node *node,
                                 const char *name) {
  sn_place place = node->place;
  const size_t length = strlen(name);
  if (node->offset >= size || text[node->offset] != '<') {
    return place;
  }
  char quote = '\0';
  for (size_t i = node->offset; i < size && (quote != '\0' || text[i] != '>'); i++) {
    const char c = text[i];
    if (quote == '\0' && i > node->offset && sn__text_is_blank(text[i - 1]) && size - i > length &&
        memcmp(text + i, name, length) == 0 &&
        (text[i + length] == '=' || sn__text_is_blank(text[i + length]))) {
      return place;
    }
    if (c == '"' || c == '\'') {
      quote = quote == '\0' ? c : quote == c ? '\0' : quote;
    }
    place.column += ((unsigned char)c & 0xC0) != 0x80 ? 1 : 0; /* once for each UTF-8 character */
    if (c == '\n') {
      place.line++;
      place.column = 1;
    }
  }
  return node->place;
}

bool sn__xml_is_known(const sn__xml_known *table, size_t count, const char *parent,
                      const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (sn__xml_same(table[i].parent, parent)) {
      for (const char *const *child = table[i].children; *child != NULL; child++) {
        if (sn__xml_same(*child, name)) {
          return true;
        }
      }
      return false;
    }
  }
  return false;
}
