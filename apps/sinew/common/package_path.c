#include "common/package_path.h"

#include <stdio.h>
#include <string.h>

bool package_path_add(char list[PACKAGE_PATH_SIZE], const char *folder) {
  const size_t used = strlen(list);
  if (*folder == '\0' || strchr(folder, ':') != NULL) {
    return false;
  }
  const int length =
      snprintf(list + used, PACKAGE_PATH_SIZE - used, "%s%s", used == 0 ? "" : ":", folder);
  return length > 0 && (size_t)length < PACKAGE_PATH_SIZE - used;
}
