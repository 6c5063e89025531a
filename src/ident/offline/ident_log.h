/** @file
 *  Logs of servos as comma-separated values: a header line that names the columns, then a line for
 *  each measurement of a joint.
 *
 *      time,joint,goal,position,velocity,effort,voltage
 *      0.0000,knee,0.512,0.498,0.31,0.07,12.1
 *
 *  `time`, `joint`, `goal` and `position` must be there, the others may be missing; columns may
 *  stand in any order, and others are passed over. An empty cell is a value that was not measured.
 *  Numbers have a decimal point whatever the locale. The text is read in place: nothing is copied,
 *  and any part that begins at a line can be read on its own. RT: no.  Threads: any, each with a
 *  cursor of its own. */
#ifndef SN_IDENT_OFFLINE_IDENT_LOG_H
#define SN_IDENT_OFFLINE_IDENT_LOG_H

#include <stddef.h>

#include "ident/offline/ident_fit.h"
#include "sinew/api.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

#define SN_IDENT_COLUMNS_MAX 64 /**< columns of a log, others included */

/** What each column is. Treat the fields as private. */
typedef struct sn_ident_columns {
  size_t count;
  signed char field[SN_IDENT_COLUMNS_MAX];
} sn_ident_columns;

/** Where one is in the text. */
typedef struct sn_ident_cursor {
  const char *at;
  const char *end;
} sn_ident_cursor;

/** One line. */
typedef struct sn_ident_line {
  const char *joint; /**< in the text, without a NUL */
  size_t joint_length;
  sn_ident_sample sample; /**< goal, position and all behind them may be NaN: an empty cell */
} sn_ident_line;

typedef enum sn_ident_log_result {
  SN_IDENT_LOG_LINE,
  SN_IDENT_LOG_END,
  SN_IDENT_LOG_BAD /**< the cursor stays at the beginning of the line */
} sn_ident_log_result;

/** Read the header line and move behind it.
 *  @param err  receives the reason of a failure; may be NULL
 *  @return SN_OK, or SN_ESYNTAX (no header, a column twice, one missing) with the cursor unmoved */
SN_API sn_status sn__ident_log_header(sn_ident_cursor *cursor, sn_ident_columns *columns,
                                      sn_error *err);

/** Read the next line that is not blank.
 *  @param line  filled with SN_IDENT_LOG_LINE only
 *  @param err   receives what is wrong with the line; may be NULL */
SN_API sn_ident_log_result sn__ident_log_next(const sn_ident_columns *columns,
                                              sn_ident_cursor *cursor, sn_ident_line *line,
                                              sn_error *err);

SN_END_DECLS

#endif
