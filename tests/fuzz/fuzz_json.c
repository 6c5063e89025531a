/* Fuzzes src/base/json.c: jansson reads every text that it writes, with the same characters. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  SN_ASSERT(text != NULL);
  memcpy(text, data, size);
  text[size] = '\0';
  sn__buffer out = {.max = 12 * size + 64};
  sn__json_open(&out, NULL, '{');
  sn__json_text(&out, "a", text);
  sn__json_text(&out, text, "b");
  sn__json_close(&out, '}');
  SN_ASSERT(!out.failed);
  json_t *json = json_loadb(out.data, out.used, 0, NULL);
  SN_ASSERT(json != NULL);
  json_t *same = json_string(text); /* NULL: not UTF-8 */
  SN_ASSERT(same == NULL || strcmp(text, "a") == 0 || json_equal(json_object_get(json, "a"), same));
  json_decref(same);
  json_decref(json);
  sn__buffer_free(&out);
  free(text);
  return 0;
}
