/** @file
 *  All problems of a file in one run: a list with place, message and hint. */
#ifndef SINEW_REPORT_H
#define SINEW_REPORT_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

typedef enum sn_severity { SN_SEVERITY_WARNING, SN_SEVERITY_ERROR } sn_severity;

/** What led to a place: a macro, say. Opaque. */
typedef struct sn_origin sn_origin;

/** A place in a text. Lines and columns count from 1 (columns in characters); 0 means unknown. */
typedef struct sn_place {
  const char *file;
  unsigned line;
  unsigned column;
  const sn_origin *origin; /**< NULL: nothing but the file; in a problem the hint names it */
} sn_place;

/** One problem. Message and hint are at most 399 bytes of valid UTF-8 and contain no control
 * characters. */
typedef struct sn_problem {
  sn_severity severity;
  sn_place place;
  const char *message; /**< what was found and what was expected, in the user's names */
  const char *hint;    /**< what to do about it; may be NULL */
} sn_problem;

/** Maximum number of problems kept; more are only counted, but an error replaces a warning. */
#define SN_PROBLEMS_MAX 1000

/** Opaque. Lives in the arena it was created from. */
typedef struct sn_report sn_report;

/** Create an empty report.
 *  @param out  set on success, untouched on failure
 *  @param err  receives the reason on failure; may be NULL
 *  @return SN_OK or SN_ENOMEM
 *  RT: no, allocates, also when problems are added.  Threads: one owner of the arena. */
SN_API sn_status sn_report_create(sn_arena *arena, sn_report **out, sn_error *err);

/** How many problems are kept, and how many errors and warnings were found in all. */
SN_API size_t sn_report_count(const sn_report *report);
SN_API size_t sn_report_error_count(const sn_report *report);
SN_API size_t sn_report_warning_count(const sn_report *report);

/** The problem at @p index < count, in the order found. */
SN_API const sn_problem *sn_report_at(const sn_report *report, size_t index);

SN_END_DECLS

#endif
