/* What the fuzz targets of both property formats check: a verdict for whatever bytes, a tree that
   is consistent with itself, and then a model with these properties. */
#ifndef SN_FUZZ_VALUE_TARGET_H
#define SN_FUZZ_VALUE_TARGET_H

#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "sinew/fault.h"
#include "sinew/model.h"
#include "sinew/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef sn_status parse_function(sn_arena *arena, const char *text, size_t size, const char *file,
                                 sn_report *report, const sn_value **out);

/* Walk the tree without recursion: it must be as shallow as promised. */
static void check_props(const sn_value *root) {
  const sn_value *open[SN_VALUE_DEPTH_MAX + 2];
  size_t next[SN_VALUE_DEPTH_MAX + 2] = {0};
  size_t depth = 1;
  open[0] = root;
  while (depth > 0) {
    const sn_value *value = open[depth - 1];
    if (next[depth - 1] == value->item_count) {
      depth--;
      continue;
    }
    const sn_value *item = value->items[next[depth - 1]++];
    SN_ASSERT((item->kind == SN_VALUE_TEXT) == (item->text != NULL));
    if (value->kind == SN_VALUE_BAG) {
      SN_ASSERT(sn_value_find(value, item->name) == item); /* names are unique */
    }
    if (item->kind != SN_VALUE_TEXT) {
      SN_ASSERT(depth < sizeof open / sizeof *open);
      open[depth] = item;
      next[depth] = 0;
      depth++;
    }
  }
}

static const char robot[] =
    "<robot name='r'><link name='base'/><link name='a'/><link name='b'/>"
    "<joint name='j1' type='continuous'><parent link='base'/><child link='a'/></joint>"
    "<joint name='j2' type='continuous'><parent link='a'/><child link='b'/></joint></robot>";

static void fuzz_props(parse_function *parse, const uint8_t *data, size_t size) {
  sn_arena arena;
  sn_arena problems;
  sn_arena_init_growing(&arena, "model", 4096);
  sn_arena_init_growing(&problems, "problems", 4096);
  sn_report *report = NULL;
  sn_report_create(&problems, &report, NULL);
  const sn_value *root = NULL;
  const sn_status status = parse(&problems, (const char *)data, size, "fuzz", report, &root);
  SN_ASSERT((status == SN_OK) == (sn_report_error_count(report) == 0));
  if (status == SN_OK) {
    check_props(root);
    const sn_model_config config = {.properties = root};
    const sn_model *model = NULL;
    const sn_status built =
        sn_model_parse(&arena, robot, sizeof robot - 1, &config, report, &model, NULL);
    SN_ASSERT((built == SN_OK) == (sn_report_error_count(report) == 0));
  }
  for (size_t i = 0; i < sn_report_count(report); i++) {
    SN_ASSERT(!sn__text_has_control(sn_report_at(report, i)->message));
  }
  sn_arena_release(&arena);
  sn_arena_release(&problems);
}

#endif
