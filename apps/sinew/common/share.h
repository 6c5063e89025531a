/** @file
 *  Files that come with the program: robots and deployments. */
#ifndef SINEW_APP_SHARE_H
#define SINEW_APP_SHARE_H

#include <stdbool.h>

enum { SHARE_PATH_SIZE = 4096 };

/** Find a file such as `deployments/demo.yaml`: in $SINEW_SHARE, in `share/sinew` beside the folder
 *  of the program, in the source tree, or in the installation prefix.
 *  @return false: not found */
bool share_look(const char *name, char path[SHARE_PATH_SIZE]);

/** The same; prints an error if it is not found. */
bool share_find(const char *command, const char *name, char path[SHARE_PATH_SIZE]);

/** Find a program that was built with this one: in `bench` beside it, as in the build tree, in
 * `libexec/sinew` beside its folder, or in the installation prefix. Prints an error that ends with
 * @p remedy if it is not found. */
bool share_find_program(const char *command, const char *name, const char *remedy,
                        char path[SHARE_PATH_SIZE]);

#endif
