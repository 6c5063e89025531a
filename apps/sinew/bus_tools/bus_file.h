/** @file
 *  Changes single lines of a deployment file and keeps all others. */
#ifndef SINEW_APP_BUS_FILE_H
#define SINEW_APP_BUS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "bus/driver/calibration.h"
#include "sinew/value.h"

typedef struct bus_file {
  char path[4096];
  char *text;
  size_t size;
  char **changed; /**< [line_count] the new line, or NULL */
  size_t line_count;
} bus_file;

/** All of these print their errors. */
bool bus_file_load(bus_file *file, const char *path);
/** Write the range into the line of a servo, which must have the form `- {joint: …, id: …}`. */
bool bus_file_set(bus_file *file, const sn_value *servo, const sn__servo_range *range);
/** Print the changed lines. */
void bus_file_print(const bus_file *file);
/** Replace the file atomically. */
bool bus_file_save(const bus_file *file);
void bus_file_free(bus_file *file);

#endif
