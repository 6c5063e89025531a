/** @file
 *  A system: components, their connections, and the activities that step them.
 *
 *  Build it (add, set, connect, assign), then configure and start it; all of this is also possible
 *  while it runs. The calls below are management calls: they take a lock that the real-time path
 *  never takes, and may wait for the end of a cycle. */
#ifndef SINEW_SYSTEM_H
#define SINEW_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/activity.h"
#include "sinew/api.h"
#include "sinew/clock.h"
#include "sinew/component.h"
#include "sinew/log.h"
#include "sinew/report.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Zero-initialise, then set what differs. */
typedef struct sn_system_config {
  sn_clock *clock;          /**< must outlive the system; simulated: sn_system_run() advances it */
  sn_log *log;              /**< NULL: no log */
  sn_msg_capacity capacity; /**< of messages, unless their port sets one; zeros: the default */
} sn_system_config;

/** Create an empty system on the heap. @return NULL if memory is exhausted. RT: no. */
SN_API sn_system *sn_system_create(const sn_system_config *config);

/** Stop, clean up and free everything. NULL is allowed.
 *  RT: no.  Threads: no other thread uses the system. */
SN_API void sn_system_destroy(sn_system *system);

SN_API sn_clock *sn_system_clock(const sn_system *system);

/* ---- building ---- */

/** Add an activity. @return SN_OK, SN_EINVAL (name taken, values out of range), SN_ENOMEM */
SN_API sn_status sn_system_add_activity(sn_system *system, const sn_activity_config *config,
                                        sn_activity **out, sn_error *err);

/** Add a component with the initial values of its properties. A service inside a component has the
 *  name `host.service` and is added after its host; it has no activity, is configured before its
 *  host and cleaned up after it.
 *  @return SN_OK, SN_EINVAL (invalid name, or already used), SN_ENOENT (no such host), SN_ENOMEM
 *  RT: no.  Threads: any. */
SN_API sn_status sn_system_add(sn_system *system, const sn_component_type *type, const char *name,
                               sn_component **out, sn_error *err);

/** Let @p activity step the component. A component with a step hook does not start without one.
 *  @param deadline_ns  longest duration of one step; 0: no limit, only the activity counts overruns
 *  @return SN_OK; SN_EBUSY: the component or the activity is running */
SN_API sn_status sn_system_assign(sn_system *system, sn_component *component, sn_activity *activity,
                                  int64_t deadline_ns, sn_error *err);

/** Connect an output to an input, as `component.port`.
 *  @return SN_OK; SN_ENOENT: no such component or port; SN_EINVAL: directions or types do not
 *          match, the input has a writer, or (while the activity runs) the connection closes a
 *          cycle in the data flow; SN_ENOMEM
 *  RT: no.  Threads: any. */
SN_API sn_status sn_system_connect(sn_system *system, const char *from, const char *to,
                                   const sn_connection *connection, sn_error *err);

/** @return SN_OK or SN_ENOENT: they are not connected */
SN_API sn_status sn_system_disconnect(sn_system *system, const char *from, const char *to,
                                      sn_error *err);

/** Set a property of a component: immediately if it is not running, at the start of its next cycle
 *  if it is running and the property is live. A stopped component whose property is not live is
 *  configured again before its next start.
 *  @param path    `property`, or `bag.property`
 *  @param report  receives every problem with its place
 *  @return SN_OK, SN_ENOENT (no such property), SN_EINVAL (see the report), SN_EBUSY (not live, and
 *          the component runs, is in error, or is stopped and used by others; or another change is
 *          pending), SN_ETIMEDOUT, SN_ENOMEM */
SN_API sn_status sn_system_set(sn_system *system, sn_component *component, const char *path,
                               const sn_value *value, sn_report *report, sn_error *err);

/** The value of a property as JSON; @p path NULL: all properties, as one object.
 *  @return SN_OK, SN_ENOENT, SN_ENOSPC (with what fits in @p out) */
SN_API sn_status sn_system_get(sn_system *system, sn_component *component, const char *path,
                               char *out, size_t size, sn_error *err);

/* ---- life cycle ---- */

/** Call the hooks of one component. SN_EINVAL: not possible in its present state; start also fails
 *  while a need is not connected or a required port has no writer. */
SN_API sn_status sn_system_configure(sn_system *system, sn_component *component, sn_error *err);
SN_API sn_status sn_system_start(sn_system *system, sn_component *component, sn_error *err);
SN_API sn_status sn_system_stop(sn_system *system, sn_component *component, sn_error *err);
SN_API sn_status sn_system_cleanup(sn_system *system, sn_component *component, sn_error *err);
SN_API sn_status sn_system_recover(sn_system *system, sn_component *component, sn_error *err);

/** Report everything that makes a start fail, without starting anything: needs that are not
 *  connected, required ports without a writer, components without activity, cycles in the data
 *  flow.
 *  @param place  returns the place of a component for the report; NULL: unknown
 *  @return SN_OK or SN_EINVAL */
typedef sn_place sn_component_place(void *context, const sn_component *component);

/** Configure all components, providers of services before their users, and start them in data-flow
 *  order. After the first failure those that were started are stopped and cleaned up.
 *  @return SN_OK, or the status of the failure, with the component's name in the message */
SN_API sn_status sn_system_begin(sn_system *system, sn_error *err);

/** Join the threads and stop all components. They stay configured, so that their last messages and
 *  log lines, which may refer to names they own, can still be read. */
SN_API void sn_system_halt(sn_system *system);

/** Halt, and clean up all components. */
SN_API void sn_system_end(sn_system *system);

/** Start a thread for each activity; for real and accelerated clocks. If the operating system does
 *  not permit a priority or a memory lock, a log line says how to permit it, and the activity runs
 *  without.
 *  @return SN_OK; SN_EINVAL: the clock is simulated; SN_EIO: no thread */
SN_API sn_status sn_system_launch(sn_system *system, sn_error *err);

/** The same for several systems. Activities of different systems with the same name, period,
 *  priority, processor and memory lock share a thread, which wakes once and runs a cycle of each,
 *  in the order of the systems; so their cycles end together, too: with the first system that is
 *  halted. A step that hangs holds up the others.
 *  @return as sn_system_launch(); SN_EBUSY: one is running; SN_ENOMEM. Then none runs */
SN_API sn_status sn_systems_launch(sn_system *const *systems, size_t count, sn_error *err);

/** Let an emergency stop of one of these systems stop them all, at once. Each is resumed on its
 * own. From then on halt all before one is destroyed.
 *  @return SN_OK, or SN_EINVAL: one is in such a set already, or no memory.
 *  RT: no.  Threads: one, before they are launched. */
SN_API sn_status sn_systems_stop_together(sn_system *const *systems, size_t count, sn_error *err);

/** With a simulated clock: run all activities in this thread for @p duration_ns from now, cycle by
 *  cycle in the order of their time, then in the order added.
 *  @param after  called after each cycle; false ends the run; may be NULL
 *  RT: yes, if the components are.  Threads: one. */
typedef bool sn_system_after(void *context, int64_t now_ns);
SN_API sn_status sn_system_run(sn_system *system, int64_t duration_ns, sn_system_after *after,
                               void *context, sn_error *err);

/** With a simulated clock: advance the clock to @p now_ns and run one cycle of one activity. Replay
 *  uses it. Calls come from the same thread, by sn_caller_post().
 *  @return SN_OK; SN_EINVAL: the clock is not simulated, or is later than that
 *  RT: yes, if the components are.  Threads: one. */
SN_API sn_status sn_system_cycle(sn_system *system, sn_activity *activity, int64_t now_ns,
                                 sn_error *err);

/* ---- inspection ---- */

/** All components, in the order added. Pointers are valid until the component is removed; hold the
 *  system while other threads may remove components. */
SN_API size_t sn_system_component_count(const sn_system *system);
SN_API sn_component *sn_system_component_at(const sn_system *system, size_t index);
SN_API sn_component *sn_system_find(const sn_system *system, const char *name);
SN_API size_t sn_system_activity_count(const sn_system *system);
SN_API sn_activity *sn_system_activity_at(const sn_system *system, size_t index);
SN_API sn_activity *sn_system_find_activity(const sn_system *system, const char *name);

/** Lock the system against changes by other threads, to inspect several things consistently. The
 *  lock is recursive. Not from a hook. */
SN_API void sn_system_hold(const sn_system *system);
/** The same with a time-out.
 *  @param timeout_ns  of real time; 0: do not wait at all
 *  @return whether the system is held */
SN_API bool sn_system_hold_within(const sn_system *system, int64_t timeout_ns);
SN_API void sn_system_release(const sn_system *system);

/** State and counters of a component. */
typedef struct sn_component_info {
  sn_component_state state;
  sn_step_fault fault;    /**< kind of the last fault */
  sn_status fault_status; /**< what step returned */
  int64_t fault_ns;       /**< when */
  uint64_t steps;
  uint64_t fault_count; /**< faults so far */
  uint64_t calls;       /**< own-thread operations done */
  int64_t deadline_ns;
  const sn_activity *activity;  /**< NULL: none */
  const sn_histogram *duration; /**< of a step */
  size_t memory_size;           /**< bytes allocated from configure to now */
} sn_component_info;
SN_API sn_component_info sn_component_info_of(const sn_component *component);

/** One connection. */
typedef struct sn_connection_info {
  const sn_component *writer; /**< NULL: outside */
  const char *writer_port;
  const sn_component *reader; /**< NULL: outside */
  const char *reader_port;
  sn_connection connection;
  sn_port_counts counts;
  size_t waiting; /**< messages in the queue now */
} sn_connection_info;

/** Connections of a component's outputs and inputs, in the order made.
 *  @return the number of connections; at most @p room of them are copied into @p list */
SN_API size_t sn_component_connections(const sn_component *component, sn_connection_info *list,
                                       size_t room);

SN_END_DECLS

#endif
