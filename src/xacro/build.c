#include "xacro/build.h"

#include <string.h>

#include "base/text.h"

static const char mark_name[] = "#mark";

/* Room for one more of @p count items. */
static void *grow(sn__xacro *x, void *items, size_t count, size_t *capacity, size_t item_size) {
  if (count < *capacity) {
    return items;
  }
  const size_t room = 2 * count + 4;
  void *grown = sn__xacro_alloc(x, room * item_size);
  if (grown != NULL) {
    if (count > 0) {
      memcpy(grown, items, count * item_size);
    }
    *capacity = room;
  }
  return grown;
}

static sn__xml_attribute *find(const sn__xbuild *build, const char *name) {
  for (size_t i = 0; i < build->attribute_count; i++) {
    if (strcmp(build->attributes[i].name, name) == 0) {
      return &build->attributes[i];
    }
  }
  return NULL;
}

const char *sn__xbuild_attribute_value(const sn__xbuild *build, const char *name) {
  const sn__xml_attribute *attribute = find(build, name);
  return attribute == NULL ? NULL : attribute->value;
}

bool sn__xbuild_attribute(sn__xacro *x, sn__xbuild *build, const char *name, const char *value) {
  sn__xml_attribute *attribute = find(build, name);
  if (attribute != NULL) {
    attribute->value = value;
    return true;
  }
  sn__xml_attribute *all =
      grow(x, build->attributes, build->attribute_count, &build->attribute_capacity, sizeof *all);
  if (all == NULL) {
    return false;
  }
  build->attributes = all;
  all[build->attribute_count++] = (sn__xml_attribute){name, value};
  return true;
}

bool sn__xbuild_add(sn__xacro *x, sn__xbuild *build, sn__xml_node *node) {
  if (++x->node_count > SN__XACRO_NODES_MAX) {
    return sn__xacro_fail(x, SN_ELIMIT, "a macro may call itself without end",
                          "the result has more than %u elements and texts", SN__XACRO_NODES_MAX);
  }
  sn__xml_node **all =
      grow(x, build->children, build->child_count, &build->child_capacity, sizeof *all);
  if (all == NULL) {
    return false;
  }
  build->children = all;
  all[build->child_count++] = node;
  return true;
}

bool sn__xbuild_add_text(sn__xacro *x, sn__xbuild *build, const sn__xml_node *source,
                         const char *name, const char *text) {
  sn__xml_node *node = sn__xacro_alloc(x, sizeof *node);
  if (node == NULL) {
    return false;
  }
  node->name = name;
  node->text = text;
  if (source != NULL) {
    node->place = source->place;
    node->offset = source->offset;
  }
  return sn__xbuild_add(x, build, node);
}

bool sn__xbuild_mark(sn__xacro *x, sn__xbuild *build) {
  return sn__xbuild_add_text(x, build, NULL, mark_name, "");
}

/* A blank text with at most one line end. */
static bool is_gap(const sn__xml_node *node) {
  size_t lines = 0;
  if (strcmp(node->name, "#text") != 0 || *node->text == '\0') {
    return false;
  }
  for (const char *c = node->text; *c != '\0'; c++) {
    lines += *c == '\n' ? 1 : 0;
    if (!sn__text_is_blank(*c)) {
      return false;
    }
  }
  return lines <= 1;
}

bool sn__xbuild_forget_comments(sn__xbuild *build) {
  size_t at = build->child_count;
  while (at > 0) {
    at -= is_gap(build->children[at - 1]) ? 1 : 0;
    if (at == 0 || strcmp(build->children[at - 1]->name, "#comment") != 0) {
      return true;
    }
    memmove(build->children + at - 1, build->children + at,
            (build->child_count - at) * sizeof(sn__xml_node *));
    build->child_count--;
    at--;
  }
  return false;
}

sn__xml_node *sn__xbuild_end(sn__xacro *x, sn__xbuild *build) {
  sn__xml_node *node = sn__xacro_alloc(x, sizeof *node);
  if (node == NULL) {
    return NULL;
  }
  *node = (sn__xml_node){.name = build->name,
                         .attribute_count = build->attribute_count,
                         .attributes = build->attributes,
                         .offset = build->source->offset,
                         .place = build->source->place};
  sn__xml_node **link = &node->first_child;
  for (size_t i = 0; i < build->child_count; i++) {
    if (build->children[i]->name != mark_name) {
      *link = build->children[i];
      link = &build->children[i]->next;
    }
  }
  *link = NULL;
  return node;
}
