/* YAML set on a rich table: a result for any bytes, all or nothing, and accepted values print as
 * text that is accepted again. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rich_table.h"
#include "rt/components/property_access.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *print(const rich *object) {
  const size_t length = sn__property_print_all(rich_table, object, NULL, 0);
  char *text = malloc(length + 1);
  SN_ASSERT(text != NULL && sn__property_print_all(rich_table, object, text, length + 1) == length);
  return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sn_arena arena;
  sn_arena problems;
  sn_arena_init_growing(&arena, "values", 4096);
  sn_arena_init_growing(&problems, "problems", 4096);
  sn_report *report = NULL;
  sn_report_create(&problems, &report, NULL);
  rich object;
  memset(&object, 0, sizeof object);
  SN_ASSERT(sn__property_init_values(rich_table, &object, &arena) == SN_OK);
  char *before = print(&object);
  const sn_value *value = NULL;
  if (sn_value_parse_text(&problems, (const char *)data, size, "fuzz", report, &value) == SN_OK) {
    const sn_status status = sn__property_set_all(rich_table, &object, value, "c", &arena, report);
    char *after = print(&object);
    SN_ASSERT((status == SN_OK) == (sn_report_error_count(report) == 0));
    SN_ASSERT(status == SN_OK || strcmp(before, after) == 0);
    SN_ASSERT(object.gain >= 0.0 && object.gain <= 2.0 && object.gains.count <= 5);
    const sn_value *again = NULL;
    if (sn_value_parse_text(&problems, after, strlen(after), "again", report, &again) == SN_OK) {
      SN_ASSERT(status != SN_OK ||
                sn__property_set_all(rich_table, &object, again, "c", &arena, report) == SN_OK);
      char *twice = print(&object);
      SN_ASSERT(status != SN_OK || strcmp(twice, after) == 0);
      free(twice);
    }
    free(after);
  }
  for (size_t i = 0; i < sn_report_count(report); i++) {
    SN_ASSERT(!sn__text_has_control(sn_report_at(report, i)->message));
  }
  free(before);
  sn_arena_release(&arena);
  sn_arena_release(&problems);
  return 0;
}
