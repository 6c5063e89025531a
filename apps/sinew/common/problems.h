/** @file
 *  What a report holds, for people. */
#ifndef SINEW_APP_PROBLEMS_H
#define SINEW_APP_PROBLEMS_H

#include "sinew/report.h"

/** Print every problem as `file:line:column: error: message`, with the line it is about and the
 *  hint, to standard error. */
void problems_print(const sn_report *report);

#endif
