/** @file
 *  The journal of a system: every external input with its cycle, so that a run can be repeated bit
 *  for bit. Each activity writes into its own ring and never waits; another thread reads it. */
#ifndef SN_RT_JOURNAL_JOURNAL_READ_H
#define SN_RT_JOURNAL_JOURNAL_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/status.h"
#include "sinew/system.h"

SN_BEGIN_DECLS

/** Kinds of entries. */
typedef enum sn_journal_kind {
  SN_JOURNAL_CYCLE = 1, /**< an activity begins a cycle at `stamp_ns` */
  SN_JOURNAL_INPUT = 2, /**< `component.port` read a message from outside: CDR */
  SN_JOURNAL_CALL = 3,  /**< `component.operation` was called from outside; its request: CDR */
  SN_JOURNAL_SET = 4,   /**< `component.property` changed; its value: JSON */
  SN_JOURNAL_LIFE = 5,  /**< `component.start`, or a sibling, from outside */
  SN_JOURNAL_OPEN = 6,  /**< a source of `component.port`; how it is connected: JSON */
  SN_JOURNAL_CLOSE = 7, /**< that source was closed */
  SN_JOURNAL_BEGIN = 8, /**< all components were started, at `stamp_ns` */
  SN_JOURNAL_PART = 9,  /**< the first part of the data of the next entry */
  SN_JOURNAL_STOP = 10  /**< the emergency stop as the activity sees it from this cycle on: CDR of
                             an sn_journal_stop */
} sn_journal_kind;

/** One entry, as a message of type `sinew_msgs/msg/JournalEntry`. */
typedef struct sn_journal_entry {
  int64_t stamp_ns; /**< in a cycle: its time, as components see it; else the clock's time */
  uint8_t kind;     /**< sn_journal_kind */
  /** True: it took effect in that cycle, at the position of the entry. False: it took effect before
   *  that cycle, possibly during the previous one. */
  bool is_exact;
  uint64_t cycle;       /**< of the activity, counted from 1 */
  uint64_t source;      /**< number of a source; 0: none */
  sn_msg_text activity; /**< its name; empty: none */
  sn_msg_text name;
  sn_seq_u8 data;
} sn_journal_entry;

SN_API extern const sn_msg_type sn__journal_entry_type;

/** The emergency stop as an activity sees it: `sinew_msgs/msg/JournalStop`. */
typedef struct sn_journal_stop {
  uint64_t number; /**< of the newest stop in force; 0: none */
  uint64_t first;  /**< of the oldest stop in force */
  uint8_t gates;   /**< 0: no gates, 1: none brakes yet, 2: braking, 3: at rest */
  bool is_limp;    /**< joints that freeze go limp */
  bool wants_limp; /**< a stop in force requests it */
  bool is_frozen;  /**< joints froze */
  bool has_text;   /**< who and why are known */
  sn_msg_text who; /**< of the oldest stop in force */
  sn_msg_text why;
} sn_journal_stop;

extern const sn_msg_type sn_journal_stop_type;

/** Replay an entry of the kind SN_JOURNAL_STOP: the activity sees that state from its next cycle
 *  on. After the first such call no activity of the system sees any other stop.
 *  @return SN_OK; SN_ENOENT: no such activity; SN_ESYNTAX: its data cannot be read
 *  RT: no.  Threads: the one that runs the cycles. */
SN_API sn_status sn__journal_replay_stop(sn_system *system, const sn_journal_entry *entry,
                                         sn_error *err);

/** Bytes of data in an entry. Longer data are split: entries of the kind SN_JOURNAL_PART, then the
 *  entry itself with the rest. Data that a cycle writes are lost if longer than 512 kB, data that
 *  other threads write if longer than 64 MB. */
#define SN_JOURNAL_ENTRY_MAX SN_MSG_ITEMS_MAX

/** Opaque. */
typedef struct sn_journal sn_journal;

/** Start the journal. The first entries are the sources that exist.
 *  @return SN_OK; SN_EBUSY: there is a journal already; SN_ENOMEM
 *  RT: no.  Threads: any. */
sn_status sn__journal_open(sn_system *system, sn_journal **out, sn_error *err);

/** Read the next entry, or part of one. Entries of one activity are in order; with a simulated
 *  clock all exact entries are.
 *  @param entry  a message of sn__journal_entry_type; its capacity for data limits a part
 *  @return false: no entry is available.  RT: no.  Threads: one reader. */
bool sn__journal_read(sn_journal *journal, sn_journal_entry *entry);

/** Number of lost entries. RT: yes.  Threads: any. */
uint64_t sn__journal_lost(const sn_journal *journal) SN_RT;

/** Stop and free the journal. NULL is allowed. RT: no.  Threads: the reader. */
void sn__journal_close(sn_journal *journal);

SN_END_DECLS

#endif
