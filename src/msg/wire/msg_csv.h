/** @file
 *  Messages as rows of a table (CSV, RFC 4180), for spreadsheets and scripts.
 *
 *  Sequences are columns: a message has as many rows as its longest one has elements, at least one,
 *  and all other fields are repeated in each of them. So a joint state has one row per joint. The
 *  time of the message (sn_msg_stamp_ns()) has no column: the caller prints it first. */
#ifndef SN_MSG_WIRE_MSG_CSV_H
#define SN_MSG_WIRE_MSG_CSV_H

#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"

SN_BEGIN_DECLS

/** The names of the columns, as `frame_id,name,pose.position.x`; of joint states just
 *  `joint,position,velocity,effort`. Sequences in elements of sequences have no column.
 *  @param out  @p size bytes, truncated if too small, always ends with a NUL if size > 0
 *  @return the length of the whole text without the NUL
 *  RT: no.  Threads: any. */
SN_API size_t sn__msg_csv_names(const sn_msg_type *type, char *out, size_t size);

/** @return how many rows the message has. RT: yes.  Threads: owner of the message. */
SN_API size_t sn__msg_csv_row_count(const sn_msg_type *type, const void *msg) SN_RT;

/** One row, without the end of the line. Cells of sequences that have ended are empty; numbers read
 *  back to the same value, times are seconds, truth is 1 or 0.
 *  Parameters and result as for sn__msg_csv_names(). */
SN_API size_t sn__msg_csv_row(const sn_msg_type *type, const void *msg, size_t row, char *out,
                              size_t size);

/** Any text as a cell: in quotes if it has to be, control characters and bytes that are not UTF-8
 *  as \\xNN. */
SN_API size_t sn__msg_csv_text(const char *text, char *out, size_t size);

/** A time as a cell: seconds with nine decimals. */
SN_API size_t sn__msg_csv_time(int64_t time_ns, char *out, size_t size);

SN_END_DECLS

#endif
