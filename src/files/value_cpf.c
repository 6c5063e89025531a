#include "files/value_cpf.h"

#include <stdio.h>
#include <string.h>

#include "base/report_internal.h"
#include "files/value_tree.h"
#include "files/xml.h"
#include "sinew/value.h"

/* Only these elements exist in a property file; `description` is for people. */
static sn__xml_verdict judge(void *context, sn_report *report, const sn__xml_node *parent,
                             const char *name, sn_place place) {
  (void)context;
  static const char *const known[] = {"struct", "sequence", "simple", "value"};
  if (parent == NULL) {
    return SN__XML_KEEP;
  }
  if (strcmp(name, "description") == 0) {
    return SN__XML_SKIP;
  }
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(name, known[i]) == 0) {
      return SN__XML_KEEP;
    }
  }
  sn__report_add(report, SN_SEVERITY_ERROR, place,
                 "known are struct, sequence, simple, value and description",
                 "unknown element <%.60s>", name);
  return SN__XML_SKIP;
}

/* Is it a struct of Element0, Element1, … and nothing else? */
static bool has_elements_only(const sn__xml_node *node) {
  size_t count = 0;
  for (const sn__xml_node *item = node->first_child; item != NULL; item = item->next, count++) {
    const char *name = sn__xml_attribute_value(item, "name");
    char expected[40];
    snprintf(expected, sizeof expected, "Element%zu", count);
    if (name == NULL || strcmp(name, expected) != 0) {
      return false;
    }
  }
  return count > 0;
}

/* A struct of type `X[]` and a sequence are lists whatever their items are called. */
static bool is_list(const sn__xml_node *node) {
  const char *type = sn__xml_attribute_value(node, "type");
  const size_t length = type == NULL ? 0 : strlen(type);
  return strcmp(node->name, "sequence") == 0 ||
         (length >= 2 && strcmp(type + length - 2, "[]") == 0) || has_elements_only(node);
}

static bool is_in_list(const sn__value_builder *builder) {
  return builder->levels[builder->depth - 1].value->kind == SN_VALUE_LIST;
}

/* The type of a struct distinguishes formats of other systems from ours. */
static bool keep_type(sn__value_builder *builder, const sn__xml_node *node) {
  const char *type = sn__xml_attribute_value(node, "type");
  if (type == NULL || strcmp(node->name, "struct") != 0) {
    return true;
  }
  const char *copy = sn_arena_text(builder->arena, type, strlen(type));
  builder->levels[builder->depth - 1].value->type = copy;
  builder->is_out_of_memory = builder->is_out_of_memory || copy == NULL;
  return copy != NULL;
}

static void read_simple(sn__value_builder *builder, const sn__xml_node *node, const char *name) {
  const sn__xml_node *value = node->first_child;
  if (value == NULL || strcmp(value->name, "value") != 0 || value->next != NULL) {
    sn__report_add(builder->report, SN_SEVERITY_ERROR, node->place, NULL,
                   "<simple name=\"%.60s\"> must hold one <value> and nothing else", name);
    return;
  }
  sn__value_text(builder, name, value->text, node->place);
}

/* Make the property of one element and open it if it has items.
   @return false if memory runs out */
static bool read_element(sn__value_builder *builder, const sn__xml_node *node, bool *opened) {
  const char *name = sn__xml_attribute_value(node, "name");
  *opened = false;
  if (strcmp(node->name, "value") == 0) {
    sn__report_add(builder->report, SN_SEVERITY_ERROR, node->place, NULL,
                   "<value> outside <simple>");
    return true;
  }
  if (name == NULL && is_in_list(builder)) {
    name = "";
  } else if (name == NULL || *name == '\0') {
    sn__report_add(builder->report, SN_SEVERITY_ERROR, node->place, NULL, "<%s> has no name",
                   node->name);
    return true;
  }
  if (strcmp(node->name, "simple") == 0) {
    read_simple(builder, node, name);
    return !builder->is_out_of_memory;
  }
  *opened =
      sn__value_open(builder, name, is_list(node) ? SN_VALUE_LIST : SN_VALUE_BAG, node->place);
  return !builder->is_out_of_memory && (!*opened || keep_type(builder, node));
}

/* Walk the elements without recursion; the XML reader bounds the depth. */
static bool walk(sn__value_builder *builder, const sn__xml_node *root) {
  const sn__xml_node *next[SN_VALUE_DEPTH_MAX + 2];
  size_t depth = 0;
  next[0] = root->first_child;
  for (;;) {
    const sn__xml_node *node = next[depth];
    if (node == NULL) {
      if (!sn__value_close(builder)) {
        return false;
      }
      if (depth == 0) {
        return true;
      }
      depth--;
      continue;
    }
    next[depth] = node->next;
    bool opened = false;
    if (!read_element(builder, node, &opened)) {
      return false;
    }
    if (opened) {
      next[++depth] = node->first_child;
    }
  }
}

sn_status sn__value_parse_cpf(sn_arena *arena, const char *text, size_t size, const char *file,
                              sn_report *report, const sn_value **out) {
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "cpf scratch", 64 * 1024);
  const char *file_copy = sn_arena_text(arena, file, strlen(file));
  const sn__xml_config config = {.file = file_copy,
                                 .size_max = SN_VALUE_SIZE_MAX,
                                 .depth_max = SN_VALUE_DEPTH_MAX,
                                 .attribute_max = 64 * 1024,
                                 .attributes_max = 256,
                                 .keep_text = true,
                                 .doctype_name = "properties",
                                 .doctype_system = "cpf.dtd",
                                 .judge = judge};
  const size_t errors_before = sn_report_error_count(report);
  sn__xml_node *root = NULL;
  sn_status status =
      file_copy == NULL ? SN_ENOMEM : sn__xml_parse(&scratch, text, size, &config, report, &root);
  if (status == SN_OK && strcmp(root->name, "properties") != 0) {
    sn__report_add(report, SN_SEVERITY_ERROR, root->place, NULL,
                   "the root element is <%.60s>, expected <properties>", root->name);
    status = SN_ESYNTAX;
  }
  if (status == SN_OK) {
    sn__value_builder builder;
    sn__value_builder_init(&builder, arena, &scratch, report);
    const bool good =
        sn__value_open(&builder, "", SN_VALUE_BAG, root->place) && walk(&builder, root);
    status = !good ? SN_ENOMEM : sn_report_error_count(report) > errors_before ? SN_ESYNTAX : SN_OK;
    if (status == SN_OK) {
      *out = builder.root;
    }
  }
  sn_arena_release(&scratch);
  return status;
}
