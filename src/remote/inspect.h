/** @file
 *  Reports about a running system as JSON. Each function appends one value. */
#ifndef SN_REMOTE_INSPECT_H
#define SN_REMOTE_INSPECT_H

#include "remote/remote.h"

/** All components: type, state, activity and time. */
void sn__remote_append_components(sn__buffer *out, sn_system *system);

/** The names of components, ports, properties and operations. */
void sn__remote_append_names(sn__buffer *out, sn_system *system);

/** How activities and components spend their time. @param with_buckets  of the histograms */
void sn__remote_append_timing(sn__buffer *out, const sn__remote_context *context,
                              bool with_buckets);

/** Everything about `component`, or about `component.port`. @return SN_OK, SN_ENOENT, SN_ENOMEM */
sn_status sn__remote_append_description(sn__buffer *out, sn_system *system, const char *name,
                                        sn_error *err);

/** What does not change in every cycle, of all components: tables, state, connections and the
 * values of properties (null if longer than 4 kB). */
void sn__remote_append_catalog(sn__buffer *out, sn_system *system);

/** Who has obeyed an emergency stop. */
void sn__remote_append_stop_parties(sn__buffer *out, const char *member, sn_system *system,
                                    uint64_t number);

/** Lines of the log from @p number on, and the number to continue at.
 *  @param log  its lines; @param limit  lines at most */
void sn__remote_append_log(sn__buffer *out, sn__remote_log *log, uint64_t number, uint64_t limit);

/* ---- parts of the above, shared by inspect.c and describe.c ---- */

/** Members of the object that is open: name, type, state, fault and activity; counters too. */
void sn__remote_append_state(sn__buffer *out, const sn_component *component, bool with_counts);

void sn__remote_append_histogram(sn__buffer *out, const char *member, const sn_histogram *histogram,
                                 bool with_buckets);

#endif
