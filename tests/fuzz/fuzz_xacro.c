/* Fuzzes the expansion of xacro: whatever the bytes, it ends with a verdict; what comes out is
   well-formed XML that is printed the same after it was read again. The input is the document, the
   file that it may include and the YAML file that it may load, with zeros between them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sinew/fault.h"
#include "xacro/xacro.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct part {
  const char *text;
  size_t size;
} part;

static bool find_package(void *context, const char *name, char *folder, size_t size,
                         sn_error *why) {
  (void)context, (void)why;
  const bool is_known = strcmp(name, "pkg") == 0 && size > 4;
  if (is_known) {
    memcpy(folder, "/pkg", 5);
  }
  return is_known;
}

static sn_status read_part(void *context, const char *path, sn__file *file, sn_error *why) {
  (void)why;
  const part *parts = context;
  const part *found = &parts[sn__file_has_ending(path, ".yaml") ? 2 : 1];
  file->text = malloc(found->size + 1);
  SN_ASSERT(file->text != NULL);
  memcpy(file->text, found->text, found->size);
  file->text[found->size] = '\0';
  file->size = found->size;
  return SN_OK;
}

static sn__xml_verdict keep(void *context, sn_report *report, const sn__xml_node *parent,
                            const char *name, sn_place place) {
  (void)context, (void)report, (void)parent, (void)name, (void)place;
  return SN__XML_KEEP;
}

/* Texts with line ends move when they are indented again, so only elements are compared. */
static void check_same(const sn__xml_node *a, const sn__xml_node *b) {
  SN_ASSERT(strcmp(a->name, b->name) == 0);
  SN_ASSERT(a->attribute_count == b->attribute_count);
  for (size_t i = 0; i < a->attribute_count; i++) {
    SN_ASSERT(strcmp(a->attributes[i].value, b->attributes[i].value) == 0);
  }
}

/* Element and attribute names may come from expressions, so the text need not be XML. */
static void check_result(sn_arena *arena, const sn__xml_node *root, sn_report *report) {
  size_t length = 0;
  const char *text = sn__xml_write(arena, root, SN__XACRO_BYTES_MAX, &length);
  SN_ASSERT(text != NULL);
  SN_ASSERT(strlen(text) == length);
  const sn__xml_config config = {.file = "again",
                                 .size_max = SN__XACRO_BYTES_MAX,
                                 .depth_max = SN__XACRO_DEPTH_MAX + 1,
                                 .attribute_max = SN__XACRO_BYTES_MAX,
                                 .attributes_max = 100000,
                                 .keep_content = true,
                                 .judge = keep};
  sn__xml_node *again = NULL;
  if (sn__xml_parse(arena, text, length, &config, report, &again) == SN_OK) {
    check_same(root, again);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  part parts[3] = {{"", 0}, {"<a/>", 4}, {"", 0}};
  const char *at = (const char *)data;
  for (size_t i = 0, left = size; i < 3 && left > 0; i++) {
    const char *end = i == 2 ? NULL : memchr(at, '\0', left);
    parts[i] = (part){at, end == NULL ? left : (size_t)(end - at)};
    left -= parts[i].size + (end == NULL ? 0 : 1);
    at += parts[i].size + 1;
  }
  sn_arena arena, problems;
  sn_arena_init_growing(&arena, "xacro", 4096);
  sn_arena_init_growing(&problems, "problems", 4096);
  sn_report *report = NULL;
  SN_ASSERT(sn_report_create(&problems, &report, NULL) == SN_OK);
  static const char *const arguments[] = {"name:=bob", "number:=2", NULL};
  const sn__xacro_config config = {.file = "fuzz.xacro",
                                   .arguments = arguments,
                                   .files = {parts, find_package, read_part, NULL}};
  const sn__xml_node *root = NULL;
  const sn_status status =
      sn__xacro_expand(&arena, parts[0].text, parts[0].size, &config, report, &root);
  SN_ASSERT((status == SN_OK) == (root != NULL));
  SN_ASSERT((status == SN_OK) == (sn_report_error_count(report) == 0));
  for (size_t i = 0; i < sn_report_count(report); i++) {
    SN_ASSERT(!sn__text_has_control(sn_report_at(report, i)->message));
  }
  if (root != NULL) {
    check_result(&arena, root, report);
  }
  sn_arena_release(&arena);
  sn_arena_release(&problems);
  return 0;
}
