#include "common/json_line.h"

#include <stdio.h>
#include <stdlib.h>

#include "command.h"

int json_line_print(json_t *json) {
  char *text = json == NULL ? NULL : json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(json);
  if (text == NULL) {
    fputs("sinew: out of memory\n", stderr);
    return EXIT_FAULT;
  }
  puts(text);
  free(text);
  return EXIT_GOOD;
}
