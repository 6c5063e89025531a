/** @file
 *  A deployment's file in which some lines are changed and all others stay as they are. */
#ifndef SINEW_APP_BUS_FILE_H
#define SINEW_APP_BUS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/value.h"

typedef struct bus_file {
  char path[4096];
  char *text;
  size_t size;
  char **changed; /**< [line_count] the new line, or NULL */
  size_t line_count;
} bus_file;

/** What calibration finds of a servo. */
typedef struct bus_range {
  int zero, direction;
  double min, max; /**< rad */
} bus_range;

/** Complain on standard error. */
bool bus_file_load(bus_file *file, const char *path);
/** Put the range into the line of a servo, which must be `- {joint: …, id: …}` on one line. */
bool bus_file_set(bus_file *file, const sn_value *servo, const bus_range *range);
/** The lines that are changed. */
void bus_file_print(const bus_file *file);
/** Replace the file as a whole: at any moment it is the old one or the new one. */
bool bus_file_save(const bus_file *file);
void bus_file_free(bus_file *file);

#endif
