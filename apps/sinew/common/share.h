/** @file
 *  Files that come with the program: robots and deployments. */
#ifndef SINEW_APP_SHARE_H
#define SINEW_APP_SHARE_H

#include <stdbool.h>

enum { SHARE_PATH_SIZE = 4096 };

/** Find a file such as `deployments/demo.yaml`: in $SINEW_SHARE, in `share/sinew` beside the folder
 *  of the program, in the tree that the program was built in, or where it was to be installed.
 *  @return false: it is nowhere */
bool share_look(const char *name, char path[SHARE_PATH_SIZE]);

/** The same; if it is not there, says so. */
bool share_find(const char *command, const char *name, char path[SHARE_PATH_SIZE]);

#endif
