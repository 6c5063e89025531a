/** @file
 *  Internal: problems added to a report. */
#ifndef SN_BASE_REPORT_INTERNAL_H
#define SN_BASE_REPORT_INTERNAL_H

#include "sinew/report.h"

/** Add a problem, printf-like. The file name of @p place must outlive the report (a literal or an
 *  arena text); message and hint are copied.
 *  @param hint  NULL for none */
void sn__report_add(sn_report *report, sn_severity severity, sn_place place, const char *hint,
                    const char *format, ...) SN_PRINTF(5, 6);

#endif
