/** @file
 *  Internal: the runtime's state of each component, activity and system. */
#ifndef SN_RT_COMPONENT_RUNTIME_H
#define SN_RT_COMPONENT_RUNTIME_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "msg/msg_checker.h"
#include "rt/components/jobs.h"
#include "rt/estop/estop.h"
#include "rt/ports/channel.h"
#include "rt/reclaim.h"
#include "rt/system_internal.h"
#include "sinew/activity.h"
#include "sinew/component.h"
#include "sinew/system.h"

typedef struct sn__component_runtime sn__component_runtime;

/** The channels of an output. A removed channel leaves a hole, so that removal needs no memory;
 *  a new one fills a hole, or the list is replaced by a longer one. */
typedef struct sn__fanout {
  sn__retired retired;
  size_t capacity;
  _Atomic size_t count; /**< used places, holes included */
  sn__channel *_Atomic channels[];
} sn__fanout;

/** The runtime's part of an sn_output. */
typedef struct sn__output {
  sn__component_runtime *runtime;
  const sn_port *port;
  const sn_msg_checker *checker;
  const sn_msg_copier *copier; /**< of all its channels, so that it stays in the caches */
  sn_msg_capacity capacity;
  sn__latest *_Atomic latest;              /**< messages that readers share; NULL: none */
  sn__fanout *_Atomic fanout;              /**< channels that a write copies to or that trigger */
  sn__fanout *_Atomic silent;              /**< all others */
  struct sn__shared_tap *first_shared_tap; /**< of management */
} sn__output;

/** One pending call of an own-thread operation. Its messages are created when they are first
 * needed, since most operations are never called by another thread. Who claimed the job owns the
 * rest. */
typedef struct sn__call {
  sn__job job;
  struct sn__operation *operation;
  sn_arena arena;           /**< of the messages */
  bool is_ready;            /**< the messages exist */
  void *request, *response; /**< copies; NULL if the operation has none */
  bool is_outside;          /**< the caller is not in a cycle */
  sn_status status;
  sn_error error;
} sn__call;

enum { SN__CALLS_MAX = 8 };

/** The runtime's part of an own-thread operation. */
typedef struct sn__operation {
  sn__component_runtime *runtime;
  const sn_operation *spec;
  const sn_msg_copier *request_copier, *response_copier;
  size_t reserved_count; /**< calls that are ready for callers within a cycle */
  sn__call calls[SN__CALLS_MAX];
} sn__operation;

/** A pending change of a property, applied at the start of the owner's cycle. One at a time: the
 *  caller holds the system. */
typedef struct sn__change {
  sn__job job;
  sn__component_runtime *runtime;
  const sn_property *property;
  void *value; /**< bytes that are swapped with those of the member */
  size_t size;
} sn__change;

/** Which of the hooks on_system_started and on_system_stopping was called last. STARTING and
 *  STOPPING belong to the thread that calls the hook; all others wait. */
typedef enum sn__notify_state {
  SN__NOTIFY_NONE,
  SN__NOTIFY_STARTING,
  SN__NOTIFY_STOPPING,
  SN__NOTIFY_STARTED,
} sn__notify_state;

/** The runtime's state of one component. What a cycle needs comes first, together. */
struct sn__component_runtime {
  sn_component *component;
  sn_system *system;
  int64_t deadline_ns; /**< 0: none */
  _Atomic int state;   /**< sn_component_state */
  bool has_events;
  bool wrote_not_finite; /**< of its own thread */
  _Atomic bool triggered;
  size_t refused; /**< allocations in a cycle that are not reported yet; atomic */
  _Atomic uint64_t steps;
  sn_activity *activity;             /**< its own, or its host's; NULL: none */
  sn__component_runtime *host;       /**< the component that contains this service; NULL: none */
  sn_arena arena;                    /**< from creation to removal */
  sn_arena config_arena;             /**< from configure to cleanup */
  bool must_configure;               /**< a property that is not live changed since configure */
  uint64_t *property_changes;        /**< [property] number of its last change; 0: never set */
  sn_arena *property_arenas;         /**< [property] memory of texts and lists */
  sn__output **outputs;              /**< [port], NULL for inputs */
  sn__operation **operations;        /**< [operation], NULL for client-thread ones */
  sn__component_runtime **providers; /**< [need], NULL while it is open */
  sn__jobs jobs;
  sn__change change;
  _Atomic size_t holders; /**< taps, sources, callers, and needs of others */
  /** State of the search in order.c. */
  struct {
    enum { SN__WALK_NEW, SN__WALK_OPEN, SN__WALK_DONE } state;
    const sn_port *port;
    size_t index;                /**< next channel of the port */
    size_t need;                 /**< next need, when all ports are done */
    sn__component_runtime *from; /**< the reader that led here */
  } walk;
  _Atomic int notify_state; /**< sn__notify_state */
  _Atomic int fault, fault_status;
  _Atomic int64_t fault_ns;
  _Atomic uint64_t fault_count, calls;
  sn_histogram duration;
};

/** The components of an activity, sorted; replaced as a whole. */
typedef struct sn__order {
  sn__retired retired;
  size_t count;
  sn__component_runtime *runtimes[];
} sn__order;

/** The current window of one second in which overruns are counted; of the activity's thread. */
typedef struct sn__overruns {
  int64_t begun_ns;
  uint64_t cycles, overran, lost; /**< totals at the start of the window */
  int bad_windows;                /**< consecutive windows with more lost cycles than allowed */
} sn__overruns;

/** Activities of several systems in one thread. */
typedef struct sn__round {
  size_t count;
  sn_activity *members[]; /**< [count]; the first owns the thread */
} sn__round;

struct sn_activity {
  sn_activity_config config;
  uint32_t index; /**< in the system's list */
  sn_system *system;
  sn__order *_Atomic order;
  _Atomic uint64_t cycle; /**< odd while a cycle runs */
  _Atomic(const sn__component_runtime *)
      stepping;            /**< whose step or call is running; NULL between cycles */
  _Atomic bool is_calling; /**< it answers calls */
  int64_t now_ns;          /**< of the current cycle; of its own thread */
  sn__estop_snapshot stop; /**< likewise */
  _Atomic bool is_live;    /**< stepped by a thread or by sn_system_run() */
  _Atomic bool must_end;
  _Atomic uint32_t wake; /**< counts wake-ups; the thread sleeps on it */
  _Atomic bool is_asleep;
  _Atomic(const sn_activity *) waits_for; /**< the activity whose answer the thread waits for */
  uint32_t wake_seen;                     /**< handled wake-ups */
  int64_t due_ns;                         /**< of the next cycle; written atomically */
  sn__overruns overruns;
  sn_activity_timing timing;
  pthread_t thread; /**< of the first of the round */
  bool has_thread;  /**< one of its own, or that of its round */
  sn__round *round; /**< NULL: it has its thread for itself */
};

struct sn_system {
  sn_system_config config;
  pthread_mutex_t mutex; /**< management; recursive */
  sn__component_runtime **runtimes;
  uint32_t *name_hashes; /**< of the runtimes, for the search by name */
  size_t runtime_count, runtime_capacity;
  sn_activity **activities;
  size_t activity_count, activity_capacity;
  sn__retired *retired;
  struct sn_journal *_Atomic journal;   /**< NULL: none */
  pthread_mutex_t journal_lock;         /**< of writers outside of cycles; held briefly */
  char *description;                    /**< sn__system_set_description(); NULL: none */
  int64_t begun_ns;                     /**< start time of all components */
  _Atomic int64_t time_ns;              /**< the latest that a component has seen */
  _Atomic bool is_beginning;            /**< sn_system_begin() is running */
  _Atomic(const sn_component *) hooked; /**< whose hook a management call runs; NULL: none */
  _Atomic(const char *) hook;           /**< its name: static text */
  uint64_t source_count;                /**< number of the last source */
  _Atomic uint64_t change_count;        /**< number of the last change of a property */
  _Atomic bool is_begun; /**< components that start later call on_system_started at once */
  sn__estop estop;       /**< lock-free */
  bool is_stop_replayed; /**< activities see the stops of a journal instead of `estop` */
  int latency_file;      /**< /dev/cpu_dma_latency; -1: not open */
};

/** The activity whose cycle this thread is in, or NULL. */
extern _Thread_local sn_activity *sn__activity_current;

static inline sn_component_state sn__runtime_state(const sn__component_runtime *runtime) {
  return (sn_component_state)atomic_load_explicit(&runtime->state, memory_order_acquire);
}

/* ---- component_runtime.c ---- */

/** A component with its ports, operations and initial properties. @return NULL: no memory */
sn__component_runtime *sn__runtime_create(sn_system *system, const sn_component_type *type,
                                          const char *name);
void sn__runtime_destroy(sn__component_runtime *runtime);

/** The runtime's part of an own-thread operation, without messages. @return NULL: no memory */
sn__operation *sn__operation_create(sn__component_runtime *runtime, const sn_operation *spec);
/** Free the messages of its calls. NULL: nothing happens. */
void sn__operation_dispose(sn__operation *operation);
/** Keep the messages of one more call ready for a caller within a cycle, up to SN__CALLS_MAX. The
 *  caller holds the system. @return false: no memory */
bool sn__operation_reserve(sn__operation *operation);

/** The member of a component's struct. */
static inline void *sn__member(const sn__component_runtime *runtime, size_t offset) {
  return (char *)runtime->component + offset;
}
const sn_port *sn__port_find(const sn_component_type *type, const char *name);
const sn_operation *sn__operation_find(const sn_component_type *type, const char *name);

/* ---- lifecycle.c ---- */

/** As sn_system_configure() etc.; the caller holds the system. */
sn_status sn__runtime_configure(sn__component_runtime *runtime, sn_error *err);
sn_status sn__runtime_start(sn__component_runtime *runtime, sn_error *err);
sn_status sn__runtime_stop(sn__component_runtime *runtime, sn_error *err);
sn_status sn__runtime_cleanup(sn__component_runtime *runtime, sn_error *err);
/** A component that uses an interface of this one, or NULL. */
const sn__component_runtime *sn__runtime_user(const sn__component_runtime *runtime);

/* ---- busy.c ---- */

/** A management call starts to run a hook of a component.
 *  @return the argument of sn__hook_end() */
const sn_component *sn__hook_begin(sn__component_runtime *runtime, const char *hook);
void sn__hook_end(sn__component_runtime *runtime, const sn_component *outer);

/* ---- system_notify.c ---- */

/** Call the hook on_system_started of a component, or of all. The caller does not hold the system,
 *  since the hooks may wait for threads that want to.
 *  @return SN_OK also without such a hook; else the component's failure */
sn_status sn__component_on_system_started(sn__component_runtime *runtime, sn_error *err);
/** The same for on_system_stopping.
 *  @return SN_OK; SN_EBUSY: another thread is starting or stopping it */
sn_status sn__component_on_system_stopping(sn__component_runtime *runtime, sn_error *err);
sn_status sn__system_notify_started(sn_system *system, sn_error *err);
void sn__system_notify_stopping(sn_system *system);

/* ---- connect.c ---- */

/** Find `component.port`. */
sn_status sn__port_resolve(const sn_system *system, const char *path, sn__end *out, sn_error *err);
/** Add a channel to an output, or remove it. */
sn_status sn__output_add(sn__output *output, sn__channel *channel, sn_error *err);
void sn__output_remove(sn__output *output, const sn__channel *channel);
sn__output *sn__output_of(const sn__end *end);
/** Set or remove the channel of an input; an SN_PORT_MANY gets one more input, or one less. */
sn_status sn__input_check(const sn__end *end, sn_error *err);
sn_status sn__input_add(const sn__end *end, sn__channel *channel, sn_error *err);
void sn__input_remove(const sn__end *end, sn__channel *channel);
bool sn__port_is_connected(const sn__component_runtime *runtime, const sn_port *port);
/** Remove all connections of a component. */
void sn__runtime_disconnect(sn__component_runtime *runtime);
/** Check the parameters of a connection. @param is_tap else it ends at an input */
sn_status sn__connection_check(const sn_connection *connection, bool is_tap, sn_error *err);

/* ---- port.c ---- */

/** Trigger the reader if the port is an event port. @param writers_activity NULL: outside */
void sn__channel_trigger(const sn__channel *channel, const sn_activity *writers_activity) SN_RT;

/* ---- order.c ---- */

/** Sort the components of an activity in data-flow order.
 *  @return SN_OK; SN_EINVAL: a loop, named in @p err; SN_ENOMEM */
sn_status sn__activity_sort(sn_activity *activity, sn_error *err);

/* ---- activity.c ---- */

/** Answer the calls that are queued after the activity has ended. */
void sn__activity_drain(sn_activity *activity);
/** @p at_ns, or the latest time that a component has seen, if that is later: the time that
 *  components see never goes back, although a tick may be older than a hook that was called since.
 *  RT: yes. */
int64_t sn__system_time(sn_system *system, int64_t at_ns) SN_RT;
/** One cycle of an activity at @p tick_ns. RT: yes, if the components are. */
void sn__activity_cycle(sn_activity *activity, int64_t tick_ns) SN_RT;

/** See the present emergency stop, and write it to the journal if it is another one. Cycles begin
 *  with it, and so do operations that run between two cycles.
 *  RT: yes in a cycle, else no.  Threads: the activity's; any while it does not run. */
void sn__activity_look_at_stop(sn_activity *activity) SN_RT;
/** Set due_ns to the next cycle after one that ended at @p now_ns; counts overruns. */
void sn__activity_advance(sn_activity *activity, int64_t now_ns) SN_RT;
/** Wake an activity that runs on events. */
void sn__activity_notify(sn_activity *activity);

/* ---- overruns.c ---- */

/** Start counting. */
void sn__overruns_begin(sn_activity *activity, int64_t now_ns) SN_RT;
/** After each cycle: once a second log lost cycles, and beyond max_lost stop the robot. */
void sn__overruns_look(sn_activity *activity, int64_t now_ns) SN_RT;

/* ---- activity_thread.c ---- */

sn_status sn__activity_launch(sn_activity *activity, sn_error *err);
void sn__activity_join(sn_activity *activity);

/* ---- reclaim.c ---- */

/** Wait until the current cycle of the activity has ended; NULL: no wait.
 *  @return false if the cycle does not end in time, or it is this thread's */
bool sn__activity_wait_quiescent(const sn_activity *activity);
/** Free it once no cycle can access it any more. */
void sn__system_retire(sn_system *system, sn__retired *what);
/** Free retired objects that no cycle can access. */
void sn__system_reclaim(sn_system *system);

/* ---- system.c ---- */

void sn__system_log(const sn_system *system, sn_log_level level, const char *source,
                    const char *format, size_t arg_count, const sn_log_arg *args);
sn__component_runtime *sn__system_find_part(const sn_system *system, const char *name,
                                            size_t length);

#endif
