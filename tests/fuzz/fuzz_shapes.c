/* Fuzzes the robot's text on its way to browsers: the page is the text with names of files left
   out, since none of them is there; put back, they make the text again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "foxglove/shapes.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Is the page what is left of the text? */
static bool is_part(const char *page, size_t size, const char *text) {
  size_t at = 0;
  for (; at < size && *text != '\0'; text++) {
    at += page[at] == *text;
  }
  return at == size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  SN_ASSERT(text != NULL);
  memcpy(text, data, size);
  text[size] = '\0';
  sn__shapes shapes;
  sn_error err;
  SN_ASSERT(sn__shapes_make(&shapes, text, "/nobody/r.urdf", &err) == SN_OK);
  SN_ASSERT(strcmp(shapes.urdf, text) == 0);
  SN_ASSERT(is_part(shapes.page.data, shapes.page.used, text));
  SN_ASSERT(shapes.count > 0 || shapes.page.used == strlen(text));
  for (size_t i = 0; i < shapes.count; i++) {
    SN_ASSERT(shapes.items[i].path == NULL);
  }
  sn__shapes_free(&shapes);
  free(text);
  return 0;
}
