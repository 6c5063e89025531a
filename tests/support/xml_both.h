/** @file
 *  Reads a text by both ways through XML, the plain one and expat, and compares. */
#ifndef SN_TEST_XML_BOTH_H
#define SN_TEST_XML_BOTH_H

#include <string.h>

#include "files/xml_plain.h"

/** Elements "no..." are skipped, as a stand-in for those that a URDF does not know. */
static inline sn__xml_verdict xml_both_judge(void *context, sn_report *report,
                                             const sn__xml_node *parent, const char *name,
                                             sn_place place) {
  (void)context;
  (void)report;
  (void)place;
  return parent != NULL && strncmp(name, "no", 2) == 0 ? SN__XML_SKIP : SN__XML_KEEP;
}

static inline sn__xml_config xml_both_config(void) {
  return (sn__xml_config){.file = "text",
                          .size_max = 1u << 20,
                          .depth_max = 8,
                          .attribute_max = 200,
                          .attributes_max = 10,
                          .judge = xml_both_judge};
}

static inline int xml_both_same_node(const sn__xml_node *a, const sn__xml_node *b) {
  int same = strcmp(a->name, b->name) == 0 && a->attribute_count == b->attribute_count &&
             a->offset == b->offset && a->place.line == b->place.line &&
             a->place.column == b->place.column;
  for (size_t i = 0; same && i < a->attribute_count; i++) {
    same = strcmp(a->attributes[i].name, b->attributes[i].name) == 0 &&
           strcmp(a->attributes[i].value, b->attributes[i].value) == 0;
  }
  return same;
}

/** Are two trees the same? The depth is bounded by the configuration. */
static inline int xml_both_same_tree(const sn__xml_node *a, const sn__xml_node *b) {
  while (a != NULL && b != NULL) {
    if (!xml_both_same_node(a, b) || !xml_both_same_tree(a->first_child, b->first_child)) {
      return 0;
    }
    a = a->next;
    b = b->next;
  }
  return a == NULL && b == NULL;
}

typedef enum xml_both_result {
  XML_BOTH_PLAIN,
  XML_BOTH_NOT_PLAIN,
  XML_BOTH_DIFFER
} xml_both_result;

/** What is plain must be well-formed, by expat, and lead to the same tree. */
static inline xml_both_result xml_both_read(const char *text, size_t size) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "both", 1 << 14);
  sn_report *report = sn_report_create(&arena);
  sn__xml_config config = xml_both_config();
  sn__xml_node *plain = NULL;
  sn__xml_node *full = NULL;
  xml_both_result result = XML_BOTH_NOT_PLAIN;
  if (sn__xml_parse_plain(&arena, text, size, &config, &plain) == SN__XML_PLAIN) {
    config.keep_text = true; /* this is for expat always */
    const sn_status status = sn__xml_parse(&arena, text, size, &config, report, &full);
    result = status == SN_OK && xml_both_same_tree(plain, full) ? XML_BOTH_PLAIN : XML_BOTH_DIFFER;
  }
  sn_arena_release(&arena);
  return result;
}

#endif
