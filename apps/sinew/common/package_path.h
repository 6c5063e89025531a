/** @file
 *  `--package-path DIR`, given any number of times. */
#ifndef SINEW_APP_PACKAGE_PATH_H
#define SINEW_APP_PACKAGE_PATH_H

#include <stdbool.h>

enum { PACKAGE_PATH_SIZE = 8192 };

/** Add a folder to a list with colons between them, which begins as "".
 *  @return false: there is no room, or the folder's name is empty or holds a colon */
bool package_path_add(char list[PACKAGE_PATH_SIZE], const char *folder);

#endif
