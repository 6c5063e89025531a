/** @file
 *  Internal: writing to the journal. These functions do nothing while no journal is open. */
#ifndef SN_RT_JOURNAL_JOURNAL_H
#define SN_RT_JOURNAL_JOURNAL_H

#include "rt/component_runtime.h"
#include "rt/journal/journal_read.h"
#include "rt/journal/journal_ring.h"

/** A cycle begins. RT: yes.  Threads: the activity's. */
void sn__journal_cycle(sn_activity *activity, int64_t now_ns) SN_RT;

/** The activity sees another state of the emergency stop from this cycle on, or, between two
 * cycles, from now on. RT: yes in a cycle, else no.  Threads: the activity's. */
void sn__journal_stop(sn_activity *activity) SN_RT;

/** Write an entry about the activity: to its ring in a cycle, else between its cycles. */
void sn__journal_put(sn_activity *activity, sn__journal_draft *d) SN_RT;

/** A message from outside was read by its component in a step.
 *  RT: yes.  Threads: the activity's. */
void sn__journal_input(const sn__channel *channel, const void *msg) SN_RT;

/** An operation was called from outside; in the component's thread, or in the caller's.
 *  RT: yes in a cycle, else no. */
void sn__journal_call(const sn__component_runtime *runtime, const sn_operation *operation,
                      const void *request);

/** A property has its new value; in the component's thread, or in that of management.
 *  RT: yes in a cycle, else no. */
void sn__journal_set(const sn__component_runtime *runtime, const sn_property *property);

/** A hook was called from outside: `start`, … . RT: no.  Threads: any. */
void sn__journal_life(const sn__component_runtime *runtime, const char *hook);

/** All components are started. RT: no. Threads: that of sn_system_begin(). */
void sn__journal_begin(const sn_system *system);

/** A source was opened or closed. RT: no. Threads: any. */
void sn__journal_source(const sn__channel *channel, sn_journal_kind kind);

#endif
