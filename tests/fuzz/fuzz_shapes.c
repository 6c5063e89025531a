/* Fuzzes the robot's text on its way to browsers: only names of files change in it, and none of
   them is there. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "foxglove/shapes.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  SN_ASSERT(text != NULL);
  memcpy(text, data, size);
  text[size] = '\0';
  sn__shapes shapes;
  sn_error err;
  SN_ASSERT(sn__shapes_init(&shapes, text, "/missing/r.urdf", NULL, &err) == SN_OK);
  SN_ASSERT(strcmp(shapes.urdf, text) == 0);
  const bool is_same =
      shapes.page.used == strlen(text) && memcmp(shapes.page.data, text, shapes.page.used) == 0;
  SN_ASSERT(shapes.count > 0 || is_same);
  for (size_t i = 0; i < shapes.count; i++) {
    SN_ASSERT(shapes.items[i].path == NULL);
    SN_ASSERT(shapes.items[i].missing != NULL);
  }
  sn__shapes_free(&shapes);
  free(text);
  return 0;
}
