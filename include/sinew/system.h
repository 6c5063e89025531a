/** @file
 *  A system: components, what connects them, and the activities that step them.
 *
 *  Build it (add, set, connect, assign), then configure and start; all of it may also be done while
 *  it runs. Calls here are management: they take a lock that the real-time path never takes, and
 *  may wait until a cycle has ended. */
#ifndef SINEW_SYSTEM_H
#define SINEW_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/activity.h"
#include "sinew/api.h"
#include "sinew/clock.h"
#include "sinew/component.h"
#include "sinew/component_registry.h"
#include "sinew/log.h"
#include "sinew/report.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Zero-initialise, then set what differs. */
typedef struct sn_system_config {
  sn_clock *clock;          /**< must outlive the system; simulated: sn_system_run() advances it */
  sn_log *log;              /**< NULL: nothing is logged */
  sn_msg_capacity capacity; /**< of messages whose port does not say more; zeros: the default */
} sn_system_config;

/** Create an empty system, on the heap. @return NULL if there is no memory. RT: no. */
SN_API sn_system *sn_system_create(const sn_system_config *config);

/** Stop, clean up and free everything. NULL is allowed. RT: no.  Threads: the last one. */
SN_API void sn_system_destroy(sn_system *system);

SN_API sn_clock *sn_system_clock(const sn_system *system);

/* ---- building ---- */

/** Add an activity. @return SN_OK, SN_EINVAL (name taken, values out of range), SN_ENOMEM */
SN_API sn_status sn_system_add_activity(sn_system *system, const sn_activity_config *config,
                                        sn_activity **out, sn_error *err);

/** Add a component with the initial values of its properties. A service inside a component has the
 *  name `host.service` and is added after its host; it has no activity, and is configured before
 * and cleaned up after its host.
 *  @return SN_OK, SN_EINVAL (the name is taken or no name), SN_ENOENT (no such host), SN_ENOMEM
 *  RT: no.  Threads: any. */
SN_API sn_status sn_system_add(sn_system *system, const sn_component_type *type, const char *name,
                               sn_component **out, sn_error *err);

/** Take a component out: it is stopped, cleaned up, disconnected and freed.
 *  @return SN_OK; SN_EBUSY: others require it, or the call comes from its own thread */
SN_API sn_status sn_system_remove(sn_system *system, sn_component *component, sn_error *err);

/** Let @p activity step the component: one that has a step hook needs an activity to start.
 *  @param deadline_ns  the longest that one step may take; 0: any time, and only the activity
 * counts its overruns
 *  @return SN_OK; SN_EBUSY: it runs, or the activity does */
SN_API sn_status sn_system_assign(sn_system *system, sn_component *component, sn_activity *activity,
                                  int64_t deadline_ns, sn_error *err);

/** Connect an output to an input, as `component.port`.
 *  @return SN_OK; SN_ENOENT: no such component or port; SN_EINVAL: directions or types do not fit,
 * a second writer; SN_ENOMEM. While the activity runs: a new ring in the data flow is SN_EINVAL,
 * too RT: no.  Threads: any. */
SN_API sn_status sn_system_connect(sn_system *system, const char *from, const char *to,
                                   const sn_connection *connection, sn_error *err);

/** @return SN_OK or SN_ENOENT: they are not connected */
SN_API sn_status sn_system_disconnect(sn_system *system, const char *from, const char *to,
                                      sn_error *err);

/** Satisfy a need: @p need is `component.requester`, @p peer a component that has the service or,
 * as `component` or `component.operation`, the operation.
 *  @return SN_OK, SN_ENOENT, SN_EINVAL (other interface, other types, already satisfied) */
SN_API sn_status sn_system_require(sn_system *system, const char *need, const char *peer,
                                   sn_error *err);

/** Set a property of a component: directly if it does not run, at the start of its next cycle if it
 *  does and the property is live. A component that is stopped takes notice of a property that is
 *  not live when it is configured: it is configured again before it starts.
 *  @param path    `property`, or `bag.property`
 *  @param report  receives every problem with its place
 *  @return SN_OK, SN_ENOENT (no such property), SN_EINVAL (see the report), SN_EBUSY (not live, and
 *          it runs, is in error, or is stopped and used by others; or a change is still under way),
 * SN_ETIMEDOUT, SN_ENOMEM */
SN_API sn_status sn_system_set(sn_system *system, sn_component *component, const char *path,
                               const sn_value *value, sn_report *report, sn_error *err);

/** The value of a property as JSON; @p path NULL: of all, as one object.
 *  @return SN_OK, SN_ENOENT, SN_ENOSPC (with what fits in @p out) */
SN_API sn_status sn_system_get(sn_system *system, sn_component *component, const char *path,
                               char *out, size_t size, sn_error *err);

/* ---- life ---- */

/** Hooks of one component. Each refuses from a wrong state (SN_EINVAL) with its reason; start
 *  refuses while a need is not satisfied or a required port has no writer. */
SN_API sn_status sn_system_configure(sn_system *system, sn_component *component, sn_error *err);
SN_API sn_status sn_system_start(sn_system *system, sn_component *component, sn_error *err);
SN_API sn_status sn_system_stop(sn_system *system, sn_component *component, sn_error *err);
SN_API sn_status sn_system_cleanup(sn_system *system, sn_component *component, sn_error *err);
SN_API sn_status sn_system_recover(sn_system *system, sn_component *component, sn_error *err);

/** Everything that a start would refuse, all in one report, without starting anything: dangling
 *  needs, required ports without a writer, components without activity, rings in the data flow.
 *  @param place  of a component, for the report; NULL: none known
 *  @return SN_OK or SN_EINVAL */
typedef sn_place sn_component_place(void *context, const sn_component *component);
SN_API sn_status sn_system_check(sn_system *system, sn_component_place *place, void *context,
                                 sn_report *report);

/** Configure every component and clean up again, without starting anything: what sn_system_begin()
 *  would refuse at configuration, all in one report. No component may be configured. Hooks must not
 *  reach outside of the process when they configure, so a rehearsal has no effect.
 *  @param place  as for sn_system_check()
 *  @return SN_OK, SN_EINVAL or SN_ENOMEM
 *  RT: no.  Threads: any. */
SN_API sn_status sn_system_rehearse(sn_system *system, sn_component_place *place, void *context,
                                    sn_report *report);

/** Configure all components, providers of services before their users, and start them in the order
 *  of the data flow. The first refusal stops, and cleans up, those that were begun.
 *  @return SN_OK, or what was refused, with the component's name in the reason */
SN_API sn_status sn_system_begin(sn_system *system, sn_error *err);

/** End the threads and stop all components. They stay configured, so that what they have written
 *  and logged last can still be read: names in it may be theirs, and go with cleanup. */
SN_API void sn_system_halt(sn_system *system);

/** Halt, and clean up all components. */
SN_API void sn_system_end(sn_system *system);

/** Start a thread for each activity; for real and accelerated clocks. What the system does not
 *  permit (priority, memory lock) is logged with its remedy, and done without.
 *  @return SN_OK; SN_EINVAL: the clock is simulated; SN_EIO: no thread */
SN_API sn_status sn_system_launch(sn_system *system, sn_error *err);

/** With a simulated clock: run all activities in this thread for @p duration_ns from now, cycle by
 *  cycle in the order of their time, then of their addition.
 *  @param after  called after each cycle; false ends the run; may be NULL
 *  RT: yes, but for what the components do.  Threads: one. */
typedef bool sn_system_after(void *context, int64_t now_ns);
SN_API sn_status sn_system_run(sn_system *system, int64_t duration_ns, sn_system_after *after,
                               void *context, sn_error *err);

/** With a simulated clock: one cycle of one activity at @p now_ns, to which the clock is moved;
 * what was recorded is repeated like that. Calls come from the same thread, by sn_caller_post().
 *  @return SN_OK; SN_EINVAL: the clock is not simulated, or beyond that time
 *  RT: yes, but for what the components do.  Threads: one. */
SN_API sn_status sn_system_cycle(sn_system *system, sn_activity *activity, int64_t now_ns,
                                 sn_error *err);

/** Are the components started, by sn_system_begin()? RT: yes.  Threads: any. */
SN_API bool sn_system_is_begun(const sn_system *system) SN_RT;

/** When the components were started, all at the same time; by the clock of the system. */
SN_API int64_t sn_system_begun_ns(const sn_system *system);

/* ---- looking ---- */

/** A text that says how to build this system again, such as sn_deployment_print() gives: recordings
 *  hold it. Copied. @return SN_OK or SN_ENOMEM.  RT: no.  Threads: any. */
SN_API sn_status sn_system_set_description(sn_system *system, const char *text);
/** NULL if there is none. RT: no.  Threads: any, while nobody sets it. */
SN_API const char *sn_system_description(const sn_system *system);

/** All components, in the order added. Pointers stay valid until the component is removed: who
 * looks while others may remove holds the system meanwhile. */
SN_API size_t sn_system_component_count(const sn_system *system);
SN_API sn_component *sn_system_component_at(const sn_system *system, size_t index);
SN_API sn_component *sn_system_find(const sn_system *system, const char *name);
SN_API size_t sn_system_activity_count(const sn_system *system);
SN_API sn_activity *sn_system_activity_at(const sn_system *system, size_t index);
SN_API sn_activity *sn_system_find_activity(const sn_system *system, const char *name);

/** Keep others from changing the system, for a look at several things at once. The same thread may
 *  hold it more than once. Never from a hook. */
SN_API void sn_system_hold(const sn_system *system);
/** The same for those who must not wait long.
 *  @param timeout_ns  of real time; 0: do not wait at all
 *  @return whether the system is held */
SN_API bool sn_system_hold_within(const sn_system *system, int64_t timeout_ns);
SN_API void sn_system_release(const sn_system *system);

/** What there is to know about a component besides its tables. */
typedef struct sn_component_info {
  sn_component_state state;
  sn_step_fault trouble;    /**< of the last fault */
  sn_status trouble_status; /**< what step returned */
  int64_t trouble_ns;       /**< when */
  uint64_t steps;
  uint64_t troubles; /**< faults so far */
  uint64_t calls;    /**< own-thread operations done */
  int64_t deadline_ns;
  const sn_activity *activity;  /**< NULL: none */
  const sn_histogram *duration; /**< of a step */
  size_t memory_size;           /**< bytes taken by its configuration */
} sn_component_info;
SN_API sn_component_info sn_component_info_of(const sn_component *component);

/** One connection, seen from a port. */
typedef struct sn_connection_info {
  const sn_component *writer; /**< NULL: outside */
  const char *writer_port;
  const sn_component *reader; /**< NULL: outside */
  const char *reader_port;
  sn_connection connection;
  sn_port_counts counts;
  size_t waiting; /**< messages in the queue now */
} sn_connection_info;

/** Connections of a component, in the order made: its outputs' and its inputs'.
 *  @return how many there are; up to @p room are put into @p list */
SN_API size_t sn_component_connections(const sn_component *component, sn_connection_info *list,
                                       size_t room);

SN_END_DECLS

#endif
