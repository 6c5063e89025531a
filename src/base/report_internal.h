/** @file
 *  Internal: problems added to a report. */
#ifndef SN_BASE_REPORT_INTERNAL_H
#define SN_BASE_REPORT_INTERNAL_H

#include "sinew/report.h"

/** What led to a place; what led to that is in its own place. */
struct sn_origin {
  const char *what; /**< "macro", "file" or "property" */
  const char *verb; /**< "called", "included" or "used" */
  const char *name;
  sn_place place; /**< where that was */
};

/** Add a problem, printf-like. The file name of @p place must outlive the report (a literal or an
 *  arena text); message and hint are copied, and the origins of the place become part of the hint.
 *  @param hint  NULL for none */
void sn__report_add(sn_report *report, sn_severity severity, sn_place place, const char *hint,
                    const char *format, ...) SN_PRINTF(5, 6);

/** The first error of a report as one line in @p err. @return @p status */
sn_status sn__report_fail(const sn_report *report, sn_status status, sn_error *err);

/** A copy of a text that lives as long as the report, for the file name of a place.
 *  @return NULL: no memory */
const char *sn__report_text(sn_report *report, const char *text);

#endif
