/** @file
 *  Other recordings of the same folder: a page asks for one of them, and the program plays it next.
 */
#ifndef SINEW_APP_VIEW_FILES_H
#define SINEW_APP_VIEW_FILES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "sinew/system.h"

/** Bytes of a path, and of the name of a file. */
enum { VIEW_PATH_SIZE = 4096, VIEW_FILE_SIZE = 256 };

typedef struct view_files {
  char folder[VIEW_PATH_SIZE];
  pthread_mutex_t lock;
  char wanted[VIEW_FILE_SIZE]; /**< under the lock; empty: none */
} view_files;

/** @param path  of the recording that is played first
 *  @return false: it is too long */
bool view_files_init(view_files *files, const char *path);
void view_files_free(view_files *files);

/** Add the component with the operation `play`, unless the recording has one of its name. */
sn_status view_files_add(view_files *files, sn_system *system, sn_error *err);

/** Whether a page has asked for a recording. */
bool view_files_is_wanted(view_files *files);

/** The path of the recording that a page has asked for, once. @return false: none, or too long */
bool view_files_take(view_files *files, char *path, size_t size);

#endif
