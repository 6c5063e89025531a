/** @file
 *  A log ring of fixed-size records: the real-time path writes numbers and pointers, another thread
 * formats them. Nothing blocks; records that do not fit are counted. */
#ifndef SINEW_LOG_H
#define SINEW_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

typedef enum sn_log_level { SN_LOG_DEBUG, SN_LOG_INFO, SN_LOG_WARNING, SN_LOG_ERROR } sn_log_level;

typedef enum sn_log_arg_kind { SN_LOG_INT, SN_LOG_REAL, SN_LOG_TEXT } sn_log_arg_kind;

/** One argument of a record. */
typedef struct sn_log_arg {
  sn_log_arg_kind kind;
  union {
    int64_t integer;
    double real;
    const char *text; /**< copied: SN_LOG_TEXT_SIZE - 1 bytes of it, and more if the other texts of
                           the record leave room */
  } value;
} sn_log_arg;

#define SN_LOG_ARGS_MAX 4
#define SN_LOG_TEXT_SIZE 96 /**< bytes that every text of a record has, with its NUL */
#define SN_LOG_TEXTS_SIZE ((SN_LOG_ARGS_MAX + 1) * SN_LOG_TEXT_SIZE) /**< of all its texts */

/** A record. It is copied with its texts: the source may no longer exist when it is read. */
typedef struct sn_log_record {
  int64_t now_ns;
  sn_log_level level;
  const char *source;  /**< name of the source; copied; may be NULL */
  const char *format;  /**< a literal; each `{}` is replaced by the next argument */
  uint64_t suppressed; /**< lines of this call site that a limit suppressed before it */
  size_t arg_count;    /**< 0 .. SN_LOG_ARGS_MAX */
  sn_log_arg args[SN_LOG_ARGS_MAX];
  char texts[SN_LOG_TEXTS_SIZE]; /**< private: the copies, one behind the other, source last */
} sn_log_record;

/** Limits one call site to one line per second. Starts as zeros. */
typedef struct sn_log_limit {
  int64_t logged_ns;   /**< time of the last line */
  bool has_logged;     /**< a line was logged */
  uint64_t suppressed; /**< lines suppressed since then */
} sn_log_limit;

/** May this call site log a line now?
 *  @param suppressed  if true: lines suppressed since the last one
 *  @return false: a line was logged less than a second ago; this one is counted
 *  RT: yes.  Threads: the owner of the limit. */
SN_API bool sn_log_limit_pass(sn_log_limit *limit, int64_t now_ns, uint64_t *suppressed) SN_RT;

/** Opaque. Lives in the arena it was created from. */
typedef struct sn_log sn_log;

/** Create a ring for @p capacity records: 1 .. 2^20, rounded up to a power of two, at least 2.
 *  @param out  set on success, untouched on failure
 *  @param err  receives the reason on failure; may be NULL
 *  @return SN_OK, SN_EINVAL (capacity) or SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner of the arena. */
SN_API sn_status sn_log_create(sn_arena *arena, size_t capacity, sn_log **out, sn_error *err);

/** Read the oldest record. It contains its texts: do not copy the struct.
 *  @return false if there is none, @p record untouched
 *  RT: yes.  Threads: one reader. */
SN_API bool sn_log_read(sn_log *log, sn_log_record *record) SN_RT;

/** Records dropped so far because the ring was full. RT: yes.  Threads: any. */
SN_API uint64_t sn_log_dropped(const sn_log *log) SN_RT;

/** Format a record as one line of text, `source: message`, without its time and level. Cut to
 *  @p size with a NUL, and to about 1000 bytes. Control characters in texts are shown as \\xNN; a
 * `{}` without an argument stays, an argument without a `{}` is dropped. The number of suppressed
 * lines follows at the end.
 *  @return the length written
 *  RT: no, formats numbers.  Threads: any. */
SN_API size_t sn_log_format(const sn_log_record *record, char *text, size_t size);

SN_END_DECLS

#endif
