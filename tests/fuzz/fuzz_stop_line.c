/* Fuzzes src/remote/stop_line.c: no line crashes it, and what a real JSON parser reads as an
 * emergency stop is never missed. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "remote/stop_line.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_stop(const json_t *json) {
  const char *verb = json_string_value(json_object_get(json, "verb"));
  const char *name = json_string_value(json_object_get(json, "name"));
  return verb != NULL &&
         (strcmp(verb, "stop") == 0 || (strcmp(verb, "call") == 0 && name != NULL &&
                                        strlen(name) < 200 && sn__is_stop_operation(name)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *line = malloc(size + 1); /* so that the sanitizer sees its end */
  if (line == NULL) {
    return 0;
  }
  memcpy(line, data, size);
  sn__stop_line found;
  const bool is_found = sn__stop_line_read(line, size, &found);
  SN_ASSERT(memchr(found.id, '\0', sizeof found.id) != NULL);
  SN_ASSERT(memchr(found.who, '\0', sizeof found.who) != NULL);
  SN_ASSERT(memchr(found.why, '\0', sizeof found.why) != NULL);
  json_t *json = json_loadb(line, size, JSON_REJECT_DUPLICATES, NULL);
  SN_ASSERT(!is_stop(json) || is_found);
  if (is_found) { /* an id is JSON, or null */
    json_t *id = json_loads(found.id, JSON_DECODE_ANY, NULL);
    SN_ASSERT(json == NULL || id != NULL);
    json_decref(id);
  }
  sn__stop_arguments_read(line, size, &found);
  SN_ASSERT(memchr(found.who, '\0', sizeof found.who) != NULL);
  SN_ASSERT(memchr(found.why, '\0', sizeof found.why) != NULL);
  json_decref(json);
  free(line);
  return 0;
}
