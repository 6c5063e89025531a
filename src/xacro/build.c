#include "xacro/build.h"

#include <string.h>

#include "base/text.h"

static const sn__xml_node mark = {.name = "#mark"};

sn__xbuild sn__xbuild_begin(const sn__xacro *x, const char *name, const sn__xml_node *source) {
  return (sn__xbuild){.name = name,
                      .source = source,
                      .first_child = x->child_count,
                      .first_attribute = x->attribute_count};
}

/* Room for one more of @p count items. */
static void *grow(sn__xacro *x, void *items, size_t count, size_t *capacity, size_t item_size) {
  if (count < *capacity) {
    return items;
  }
  const size_t room = 2 * count + 64;
  void *grown = sn__xacro_alloc(x, room * item_size);
  if (grown != NULL) {
    if (count > 0) {
      memcpy(grown, items, count * item_size);
    }
    *capacity = room;
  }
  return grown;
}

/* ---- attributes ---- */

static sn__xml_attribute *find(const sn__xacro *x, const sn__xbuild *build, const char *name) {
  for (size_t i = build->first_attribute; i < x->attribute_count; i++) {
    if (sn__xml_same(x->attributes[i].name, name)) {
      return &x->attributes[i];
    }
  }
  return NULL;
}

const char *sn__xbuild_attribute_value(const sn__xacro *x, const sn__xbuild *build,
                                       const char *name) {
  const sn__xml_attribute *attribute = find(x, build, name);
  return attribute == NULL ? NULL : attribute->value;
}

bool sn__xbuild_new_attribute(sn__xacro *x, const char *name, const char *value) {
  sn__xml_attribute *all =
      grow(x, x->attributes, x->attribute_count, &x->attribute_capacity, sizeof *all);
  if (all == NULL) {
    return false;
  }
  x->attributes = all;
  all[x->attribute_count++] = (sn__xml_attribute){name, value};
  return true;
}

bool sn__xbuild_attribute(sn__xacro *x, const sn__xbuild *build, const char *name,
                          const char *value) {
  sn__xml_attribute *attribute = find(x, build, name);
  if (attribute == NULL) {
    return x->attribute_count - build->first_attribute < SN__XACRO_ATTRIBUTES_MAX
               ? sn__xbuild_new_attribute(x, name, value)
               : sn__xacro_fail(x, SN_ELIMIT, NULL,
                                "an element of the result has more than %u attributes",
                                SN__XACRO_ATTRIBUTES_MAX);
  }
  attribute->value = value;
  return true;
}

/* ---- children ---- */

bool sn__xbuild_add(sn__xacro *x, const sn__xml_node *node) {
  if (++x->node_count > SN__XACRO_NODES_MAX) {
    return sn__xacro_fail(x, SN_ELIMIT, "a macro may call itself without end",
                          "the result has more than %u elements and texts", SN__XACRO_NODES_MAX);
  }
  const sn__xml_node **all = grow(x, x->children, x->child_count, &x->child_capacity, sizeof *all);
  if (all == NULL) {
    return false;
  }
  x->children = all;
  all[x->child_count++] = node;
  return true;
}

static sn__xml_node *copy_text(sn__xacro *x, const sn__xml_node *source, const char *text) {
  sn__xml_node *node = sn__xacro_alloc(x, sizeof *node);
  if (node != NULL) {
    *node = (sn__xml_node){
        .name = source->name, .text = text, .offset = source->offset, .place = source->place};
  }
  return node;
}

bool sn__xbuild_add_text(sn__xacro *x, const sn__xml_node *source, const char *text) {
  /* Most texts are the blanks between elements. They are copied at the end, if at all. */
  const bool is_lent = text == source->text && sn__text_is_empty(text);
  const sn__xml_node *node = is_lent ? source : copy_text(x, source, text);
  return node != NULL && sn__xbuild_add(x, node);
}

bool sn__xbuild_mark(sn__xacro *x) {
  return sn__xbuild_add(x, &mark);
}

static bool is_text(const sn__xml_node *node) {
  return sn__xml_same(node->name, "#text");
}

/* A blank text with at most one line end. */
static bool is_gap(const sn__xml_node *node) {
  if (!is_text(node) || *node->text == '\0' || !sn__text_is_empty(node->text)) {
    return false;
  }
  const char *line_end = strchr(node->text, '\n');
  return line_end == NULL || strchr(line_end + 1, '\n') == NULL;
}

bool sn__xbuild_forget_comments(sn__xacro *x, const sn__xbuild *build) {
  const sn__xml_node **children = x->children;
  size_t at = x->child_count;
  while (at > build->first_child) {
    at -= is_gap(children[at - 1]) ? 1 : 0;
    if (at == build->first_child || !sn__xml_same(children[at - 1]->name, "#comment")) {
      return true;
    }
    memmove(children + at - 1, children + at, (x->child_count - at) * sizeof *children);
    x->child_count--;
    at--;
  }
  return false;
}

/* ---- the end ---- */

/* Is it part of the result whatever is beside it? */
static bool is_content(const sn__xml_node *node) {
  return node->name[0] != '#' ||
         (node != &mark && !(is_text(node) && sn__text_is_empty(node->text)));
}

/* An element without content keeps its blanks, all of them if there are several. */
static bool link_children(sn__xacro *x, const sn__xbuild *build, sn__xml_node *node) {
  bool has_content = false;
  for (size_t i = build->first_child; i < x->child_count && !has_content; i++) {
    has_content = is_content(x->children[i]);
  }
  sn__xml_node **link = &node->first_child;
  for (size_t i = build->first_child; i < x->child_count; i++) {
    const sn__xml_node *child = x->children[i];
    if (child == &mark || (has_content && !is_content(child))) {
      continue;
    }
    *link = has_content ? (sn__xml_node *)child : copy_text(x, child, child->text);
    if (*link == NULL) {
      return false;
    }
    link = &(*link)->next;
  }
  *link = NULL;
  return true;
}

/* Into the order of their names, which is that of the reference. */
static void sort_attributes(sn__xml_attribute *attributes, size_t count) {
  for (size_t i = 1; i < count; i++) {
    const sn__xml_attribute moved = attributes[i];
    size_t at = i;
    for (; at > 0 && strcmp(attributes[at - 1].name, moved.name) > 0; at--) {
      attributes[at] = attributes[at - 1];
    }
    attributes[at] = moved;
  }
}

sn__xml_node *sn__xbuild_end(sn__xacro *x, const sn__xbuild *build) {
  const size_t count = x->attribute_count - build->first_attribute;
  const size_t bytes = count * sizeof(sn__xml_attribute);
  sn__xml_node *node = sn__xacro_alloc(x, sizeof *node + bytes);
  if (node == NULL) {
    return NULL;
  }
  *node = (sn__xml_node){.name = build->name,
                         .attribute_count = count,
                         .attributes = (void *)(node + 1),
                         .offset = build->source->offset,
                         .place = build->source->place};
  if (count > 0) {
    memcpy(node + 1, x->attributes + build->first_attribute, bytes);
    sort_attributes((sn__xml_attribute *)(node + 1), count);
  }
  node->place.origin = x->origin;
  const bool good = link_children(x, build, node);
  x->child_count = build->first_child;
  x->attribute_count = build->first_attribute;
  return good ? node : NULL;
}
