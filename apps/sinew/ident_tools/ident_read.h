/** @file
 *  A log of servos in memory: read by several threads, sorted by servo. */
#ifndef SINEW_APP_IDENT_READ_H
#define SINEW_APP_IDENT_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "ident/offline/ident_fit.h"
#include "ident_tools/ident_topics.h"
#include "servo/servo_store.h"

/** The samples of one servo. */
typedef struct ident_track {
  sn_ident_sample *samples; /**< on the heap */
  size_t count;
  size_t capacity;
  size_t line_count; /**< lines of this servo; more than count if the log is huge */
} ident_track;

/** A whole log. */
typedef struct ident_data {
  ident_track *tracks; /**< [servo_count], on the heap */
  size_t servo_count;
  size_t line_count;    /**< of all joints */
  size_t unknown_count; /**< lines of joints without a model */
  char unknown[80];     /**< the first such joint */
} ident_data;

/** Read a log, comma-separated values or a recording; prints what is wrong as
 *  `file:line: error: ...`.
 *  Of a log with more samples than memory should hold, pieces of five seconds are kept, evenly over
 *  its time.
 *  @param topics    of a recording
 *  @param progress  show how far it is, on standard error
 *  @return EXIT_GOOD, EXIT_NO (the file is bad, nothing is kept) or EXIT_FAULT */
int ident_read(const char *path, const sn_servo_list *servos, const ident_topics *topics,
               bool progress, ident_data *out);

/** Append a sample. @return false: out of memory */
bool ident_track_push(ident_track *track, const sn_ident_sample *sample);

/** Say on standard error which lines were not used. */
void ident_data_warn(const char *path, const ident_data *data);

void ident_data_free(ident_data *data);

/** Number of threads to use. */
size_t ident_thread_count(void);

enum { IDENT_THREADS_MAX = 16 };

#endif
