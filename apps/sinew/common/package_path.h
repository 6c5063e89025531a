/** @file
 *  `--package-path DIR`, given any number of times. */
#ifndef SINEW_APP_PACKAGE_PATH_H
#define SINEW_APP_PACKAGE_PATH_H

#include <stdbool.h>

enum { PACKAGE_PATH_SIZE = 8192 };

/** Add a folder to a list with colons between them, a char[PACKAGE_PATH_SIZE] that begins as "".
 *  @return false: the list is full, or the folder's name is empty or contains a colon */
bool package_path_add(void *list, const char *folder);

#endif
