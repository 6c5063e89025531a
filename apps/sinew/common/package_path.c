#include "common/package_path.h"

#include <stdio.h>
#include <string.h>

bool package_path_add(void *list, const char *folder) {
  char *text = list;
  const size_t used = strlen(text);
  if (*folder == '\0' || strchr(folder, ':') != NULL) {
    return false;
  }
  const int length =
      snprintf(text + used, PACKAGE_PATH_SIZE - used, "%s%s", used == 0 ? "" : ":", folder);
  return length > 0 && (size_t)length < PACKAGE_PATH_SIZE - used;
}
