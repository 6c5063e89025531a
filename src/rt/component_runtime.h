/** @file
 *  Internal: what the runtime keeps of each component, activity and system. */
#ifndef SN_RT_COMPONENT_RUNTIME_H
#define SN_RT_COMPONENT_RUNTIME_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "rt/components/jobs.h"
#include "rt/estop/estop.h"
#include "rt/ports/channel.h"
#include "rt/reclaim.h"
#include "sinew/activity.h"
#include "sinew/component.h"
#include "sinew/msg_checker.h"
#include "sinew/system.h"

typedef struct sn__component_runtime sn__component_runtime;

/** The channels of an output. One that goes leaves a hole, so that going needs no memory; one that
 *  comes takes a hole, or the list is replaced by a longer one. */
typedef struct sn__fanout {
  sn__retired retired;
  size_t capacity;
  _Atomic size_t count; /**< channels; no more places than `capacity` are in use */
  sn__channel *_Atomic channels[];
} sn__fanout;

/** The runtime's part of an sn_output. */
typedef struct sn__output {
  sn__component_runtime *runtime;
  const sn_port *port;
  const sn_msg_checker *checker;
  sn_msg_capacity capacity;
  sn__fanout *_Atomic fanout;       /**< NULL: nobody ever listened */
  struct sn__shared_tap *first_hub; /**< what taps share; management's */
} sn__output;

/** One call of an own-thread operation under way. */
typedef struct sn__call {
  sn__job job;
  struct sn__operation *operation;
  void *request, *response; /**< copies; NULL where the operation has none */
  bool is_outside;          /**< the caller is in no cycle */
  sn_status status;
  sn_error error;
} sn__call;

enum { SN__CALLS_MAX = 8 };

/** The runtime's part of an own-thread operation. */
typedef struct sn__operation {
  sn__component_runtime *runtime;
  const sn_operation *spec;
  const sn_msg_copier *request_copier, *response_copier;
  sn__call calls[SN__CALLS_MAX];
} sn__operation;

/** A property that changes at the start of the owner's cycle. One at a time: management holds the
 *  system meanwhile. */
typedef struct sn__change {
  sn__job job;
  sn__component_runtime *runtime;
  const sn_property *property;
  void *value; /**< bytes that are exchanged with those of the member */
  size_t size;
} sn__change;

/** Where a component is that attends to the whole system. The two middle ones belong to the thread
 *  that calls the hook; everybody else has to wait. */
typedef enum sn__attendance {
  SN__ABSENT,
  SN__COMING,
  SN__LEAVING,
  SN__PRESENT,
} sn__attendance;

/** What belongs to one component. */
struct sn__component_runtime {
  sn_component *component;
  sn_system *system;
  sn__component_runtime *host;       /**< the component that it is a service of; NULL: none */
  sn_activity *activity;             /**< of its own, or its host's; NULL: none */
  int64_t deadline_ns;               /**< 0: none */
  sn_arena arena;                    /**< from creation to removal */
  sn_arena config_arena;             /**< from configure to cleanup */
  bool must_configure;               /**< a property changed that counts when it is configured */
  bool *property_is_set;             /**< [property] by the deployment */
  sn_arena *property_arenas;         /**< what each property's value needs, besides the member */
  sn__output **outputs;              /**< [port], NULL for inputs */
  sn__operation **operations;        /**< [operation], NULL for client-thread ones */
  sn__component_runtime **providers; /**< [need], NULL while it is open */
  sn__jobs jobs;
  sn__change change;
  _Atomic size_t holders; /**< taps, sources and callers from outside, and needs of others */
  /** Where order.c is in its walk over the data flow. */
  struct {
    enum { SN__WALK_NEW, SN__WALK_OPEN, SN__WALK_DONE } state;
    const sn_port *port;
    size_t index;                /**< next channel of the port */
    size_t need;                 /**< next need, when all ports are done */
    sn__component_runtime *from; /**< the reader that it was reached from */
  } walk;
  bool has_events;

  _Atomic int state;      /**< sn_component_state */
  _Atomic int attendance; /**< sn__attendance */
  _Atomic bool triggered;
  bool wrote_not_finite; /**< in its own thread */
  size_t refused;        /**< allocations in a cycle, not reported yet; atomic */
  _Atomic int trouble, trouble_status;
  _Atomic int64_t trouble_ns;
  _Atomic uint64_t steps, troubles, calls;
  sn_histogram duration;
};

/** The components of an activity, sorted; replaced as a whole. */
typedef struct sn__order {
  sn__retired retired;
  size_t count;
  sn__component_runtime *runtimes[];
} sn__order;

/** Where the second began that an activity counts its overruns in; its own thread's. */
typedef struct sn__overruns {
  int64_t begun_ns;
  uint64_t cycles, overran, lost; /**< totals at that time */
  int bad_windows;                /**< in a row with more lost cycles than the bound allows */
} sn__overruns;

struct sn_activity {
  sn_activity_config config;
  uint32_t index; /**< in the system's list */
  sn_system *system;
  sn__order *_Atomic order;
  _Atomic uint64_t cycle; /**< odd while a cycle runs */
  _Atomic(const sn__component_runtime *)
      stepping;            /**< whose step or call runs now; NULL between cycles */
  _Atomic bool is_calling; /**< it answers calls, rather than being stepped */
  int64_t now_ns;          /**< of the cycle that runs; its own thread's */
  sn__estop_sight stop;    /**< likewise */
  _Atomic bool is_live;    /**< somebody steps it: a thread, or sn_system_run() */
  _Atomic bool must_end;
  _Atomic uint32_t wake; /**< counts wake-ups; the thread sleeps on it */
  _Atomic bool is_asleep;
  _Atomic(const sn_activity *) waits_for; /**< the thread waits for an answer of this one */
  uint32_t wake_seen;                     /**< wake-ups that were answered */
  int64_t due_ns;                         /**< of the next cycle; written atomically */
  sn__overruns overruns;
  sn_activity_timing timing;
  pthread_t thread;
  bool has_thread;
};

struct sn_system {
  sn_system_config config;
  pthread_mutex_t mutex; /**< management; recursive */
  sn__component_runtime **runtimes;
  uint32_t *name_hashes; /**< of the runtimes: a search by name is a run over this list */
  size_t cell_count, cell_capacity;
  sn_activity **activities;
  size_t activity_count, activity_capacity;
  sn__retired *retired;
  struct sn_journal *_Atomic journal;   /**< NULL: nobody wants to know */
  pthread_mutex_t journal_lock;         /**< of those in no cycle who write to it; held briefly */
  char *description;                    /**< how to build it again; NULL: nobody said */
  int64_t begun_ns;                     /**< when all were started */
  _Atomic bool is_beginning;            /**< they are being started */
  _Atomic(const sn_component *) hooked; /**< whose hook management runs; NULL: none */
  _Atomic(const char *) hook;           /**< which one: static text */
  uint64_t source_count;                /**< sources so far: they are numbered */
  _Atomic bool is_begun;                /**< components that start from now on attend at once */
  sn__estop estop;                      /**< the emergency stop; needs no lock */
  bool is_stop_replayed;                /**< activities see the stops of a journal, not this one */
  int latency_file;                     /**< keeps the processor from sleeping deeply; -1: none */
};

/** The activity whose cycle this thread is in, or NULL. */
extern _Thread_local sn_activity *sn__activity_current;

static inline sn_component_state sn__runtime_state(const sn__component_runtime *runtime) {
  return (sn_component_state)atomic_load_explicit(&runtime->state, memory_order_acquire);
}

/* ---- runtime.c ---- */

/** A component with its ports, operations and initial properties. @return NULL: no memory */
sn__component_runtime *sn__runtime_create(sn_system *system, const sn_component_type *type,
                                          const char *name);
void sn__runtime_destroy(sn__component_runtime *runtime);
/** The member of a component's struct. */
static inline void *sn__member(const sn__component_runtime *runtime, size_t offset) {
  return (char *)runtime->component + offset;
}
const sn_port *sn__port_find(const sn_component_type *type, const char *name);
const sn_operation *sn__operation_find(const sn_component_type *type, const char *name);

/* ---- life.c ---- */

/** The hooks, by the rules of sn_system_configure() and its siblings; the system is held. */
sn_status sn__runtime_configure(sn__component_runtime *runtime, sn_error *err);
sn_status sn__runtime_start(sn__component_runtime *runtime, sn_error *err);
sn_status sn__runtime_stop(sn__component_runtime *runtime, sn_error *err);
sn_status sn__runtime_cleanup(sn__component_runtime *runtime, sn_error *err);
/** Who uses the faces of this component now, or NULL. */
const sn__component_runtime *sn__runtime_user(const sn__component_runtime *runtime);

/* ---- busy.c ---- */

/** Management runs a hook of a component. @return what sn__hook_end() needs */
const sn_component *sn__hook_begin(sn__component_runtime *runtime, const char *hook);
void sn__hook_end(sn__component_runtime *runtime, const sn_component *outer);

/* ---- attend.c ---- */

/** Outside of the system's lock, all three: the hooks may wait for threads that want it.
 *  @return SN_OK also if there is nothing to do; else the component's reason */
sn_status sn__component_on_system_started(sn__component_runtime *runtime, sn_error *err);
/** @return SN_OK; SN_EBUSY: another thread is about it */
sn_status sn__component_on_system_stopping(sn__component_runtime *runtime, sn_error *err);
sn_status sn__system_notify_started(sn_system *system, sn_error *err);
void sn__system_leave(sn_system *system);

/* ---- connect.c ---- */

/** Find `component.port`. */
sn_status sn__port_resolve(const sn_system *system, const char *path, sn__end *out, sn_error *err);
/** Put a channel behind an output, or take it away. */
sn_status sn__output_add(sn__output *output, sn__channel *channel, sn_error *err);
void sn__output_remove(sn__output *output, const sn__channel *channel);
sn__output *sn__output_of(const sn__end *end);
/** Put a channel before an input, or take it away; one of several inputs is made, or goes. */
sn_status sn__input_check(const sn__end *end, sn_error *err);
sn_status sn__input_add(const sn__end *end, sn__channel *channel, sn_error *err);
void sn__input_remove(const sn__end *end, sn__channel *channel);
bool sn__port_is_connected(const sn__component_runtime *runtime, const sn_port *port);
/** All connections of a component go. */
void sn__runtime_disconnect(sn__component_runtime *runtime);
/** Check what the user asked for. @param is_tap  else it ends at an input */
sn_status sn__connection_check(const sn_connection *connection, bool is_tap, sn_error *err);

/* ---- port.c ---- */

/** Tell the reader that there is something to do. @param writers_activity  NULL: outside */
void sn__channel_trigger(const sn__channel *channel, const sn_activity *writers_activity) SN_RT;

/* ---- order.c ---- */

/** Sort the components of an activity by the data flow.
 *  @return SN_OK; SN_EINVAL: a ring, named in @p err; SN_ENOMEM */
sn_status sn__activity_sort(sn_activity *activity, sn_error *err);

/* ---- activity.c ---- */

/** Answer calls that came when nobody steps the activity any more. */
void sn__activity_drain(sn_activity *activity);
/** One cycle of an activity at @p now_ns. RT: yes, but for what components do. */
void sn__activity_cycle(sn_activity *activity, int64_t now_ns) SN_RT;
/** The first cycle that is due after one at due_ns has ended at @p now_ns; counts what is late. */
void sn__activity_advance(sn_activity *activity, int64_t now_ns) SN_RT;
/** A component has something to do: if its activity runs by events, wake it. */
void sn__activity_notify(sn_activity *activity);

/* ---- overruns.c ---- */

/** The activity begins to run: count from here. */
void sn__overruns_begin(sn_activity *activity, int64_t now_ns) SN_RT;
/** After each cycle: once a second log what was lost, and beyond the bound stop the robot. */
void sn__overruns_look(sn_activity *activity, int64_t now_ns) SN_RT;

/* ---- activity_thread.c ---- */

sn_status sn__activity_launch(sn_activity *activity, sn_error *err);
void sn__activity_join(sn_activity *activity);

/* ---- quiet.c ---- */

/** Wait until the activity is outside of a cycle that began before; NULL is quiet always.
 *  @return false if its cycle does not end in time, or it is this thread's */
bool sn__activity_quiet(const sn_activity *activity);
/** Free it as soon as nobody can look at it any more. */
void sn__system_retire(sn_system *system, sn__retired *what);
/** Free what can be freed. */
void sn__system_sweep(sn_system *system);

/* ---- system.c ---- */

void sn__system_log(const sn_system *system, sn_log_level level, const char *source,
                    const char *format, size_t arg_count, const sn_log_arg *args);
sn__component_runtime *sn__system_find_part(const sn_system *system, const char *name,
                                            size_t length);

#endif
