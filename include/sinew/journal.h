/** @file
 *  The journal of a system: what came from outside, in which cycle, so that a run can be repeated
 *  bit for bit. A cycle writes into a ring of its own and never waits; somebody else reads it. */
#ifndef SINEW_JOURNAL_H
#define SINEW_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/status.h"
#include "sinew/system.h"

SN_BEGIN_DECLS

/** What happened. */
typedef enum sn_journal_kind {
  SN_JOURNAL_CYCLE = 1, /**< an activity begins a cycle at `stamp_ns` */
  SN_JOURNAL_INPUT = 2, /**< `component.port` read a message from outside: CDR */
  SN_JOURNAL_CALL = 3,  /**< `component.operation` was called from outside; its request: CDR */
  SN_JOURNAL_SET = 4,   /**< `component.property` changed; its value: JSON */
  SN_JOURNAL_LIFE = 5,  /**< `component.start`, or a sibling, from outside */
  SN_JOURNAL_OPEN = 6,  /**< a source of `component.port`; how it is connected: JSON */
  SN_JOURNAL_CLOSE = 7, /**< that source was closed */
  SN_JOURNAL_BEGIN = 8, /**< all components were started, at `stamp_ns` */
  SN_JOURNAL_PART = 9,  /**< data of the entry that comes next begin with these */
  SN_JOURNAL_STOP = 10  /**< what the activity sees of the emergency stop from this cycle on: CDR of
                           an sn_journal_stop */
} sn_journal_kind;

/** One entry, as a message of type `sinew_msgs/msg/JournalEntry`. */
typedef struct sn_journal_entry {
  int64_t stamp_ns; /**< what the cycle's components take for the time; else the clock's reading */
  uint8_t kind;     /**< sn_journal_kind */
  /** True: it took effect in that cycle, where the entry stands. False: before that cycle, but
   *  perhaps while the one before it was under way. */
  bool is_exact;
  uint64_t cycle;       /**< of the activity, counted from 1 */
  uint64_t source;      /**< number of a source; 0: none is meant */
  sn_msg_text activity; /**< its name; empty: none */
  sn_msg_text name;
  sn_seq_u8 data;
} sn_journal_entry;

SN_API extern const sn_msg_type sn_journal_entry_type;

/** What an activity sees of the emergency stop, as `sinew_msgs/msg/JournalStop`. */
typedef struct sn_journal_stop {
  uint64_t number; /**< of the newest stop in force; 0: none is */
  uint64_t first;  /**< of the oldest stop in force */
  uint8_t gates;   /**< 0: there is none, 1: none brakes yet, 2: they brake, 3: they are at rest */
  bool is_limp;    /**< joints that freeze go limp */
  bool is_frozen;  /**< joints froze */
  bool has_text;   /**< who and why are known */
  sn_msg_text who; /**< of the oldest stop in force */
  sn_msg_text why;
} sn_journal_stop;

SN_API extern const sn_msg_type sn_journal_stop_type;

/** Let an activity see, from its next cycle on, what an entry of the kind SN_JOURNAL_STOP says.
 * From the first one on, no activity of the system sees any other stop: for repeating a run.
 *  @return SN_OK; SN_ENOENT: no such activity; SN_ESYNTAX: its data cannot be read
 *  RT: no.  Threads: the one that runs the cycles. */
SN_API sn_status sn_journal_replay_stop(sn_system *system, const sn_journal_entry *entry,
                                        sn_error *err);

/** Bytes of data in an entry. Longer data come in parts, one behind the other: entries of the kind
 *  SN_JOURNAL_PART, then the entry itself with the rest. What a cycle has to tell is lost if it is
 *  longer than 512 kB, what comes from others if it is longer than 64 MB. */
#define SN_JOURNAL_ENTRY_MAX SN_MSG_ITEMS_MAX

/** Opaque. */
typedef struct sn_journal sn_journal;

/** Begin: the first entries are the sources that are there.
 *  @return SN_OK; SN_EBUSY: there is a journal already; SN_ENOMEM
 *  RT: no.  Threads: any. */
SN_API sn_status sn_journal_open(sn_system *system, sn_journal **out, sn_error *err);

/** The next entry, or part of one. Those of one activity come in their order; with a simulated
 *  clock all do, but for those that are not exact.
 *  @param entry  a message of sn_journal_entry_type; its room for data is how long a part is
 *  @return false: there is none now.  RT: no.  Threads: one reader. */
SN_API bool sn_journal_read(sn_journal *journal, sn_journal_entry *entry);

/** Entries that did not fit, so far. RT: yes.  Threads: any. */
SN_API uint64_t sn_journal_lost(const sn_journal *journal) SN_RT;

/** End and free. NULL is allowed. RT: no.  Threads: the reader. */
SN_API void sn_journal_close(sn_journal *journal);

SN_END_DECLS

#endif
