/** @file
 *  Components: the units that the runtime steps. A component is one struct, one constant table and
 *  a few hooks; start from `examples/05_component.c`.
 *
 *  Life cycle: configure, start, step …, stop, cleanup. The hooks configure, start and recover may
 *  fail, and report the reason. A fault in step (it returns an error, exceeds its deadline or
 *  writes a number that is not finite) holds the component in the error state until it is
 *  recovered; all other components keep running.
 */
#ifndef SINEW_COMPONENT_H
#define SINEW_COMPONENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/log.h"
#include "sinew/msg.h"
#include "sinew/port.h"
#include "sinew/property.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/* ---- operations ----
 *
 * What a component does on request. Arguments and results are messages, so that an operation can be
 * called from C, from the command line, from the cockpit and from ROS alike. A *client-thread*
 * operation runs in the thread of the caller, an *own-thread* operation in that of the component,
 * at the start of its next cycle, while the caller waits. */

struct sn_component;
struct sn__operation;

/** The function of an operation.
 *  @param request, response  messages of the declared types, or NULL
 *  @param err  receives the reason of a failure; never NULL
 *  @return SN_OK, or a failure with its reason */
typedef sn_status sn_operation_function(struct sn_component *component, const void *request,
                                        void *response, sn_error *err);

/** Where an operation runs, and whether it changes anything: `SN_OWN_THREAD | SN_READ_ONLY`. */
typedef enum sn_operation_flags {
  SN_CLIENT_THREAD = 0, /**< runs in any thread at any time: must not access the data of step() */
  SN_OWN_THREAD = 1,    /**< in the component's thread, between steps; only while it is running */
  SN_READ_ONLY = 2,     /**< changes nothing: clients with read-only access may call it */
  SN_IN_PARTS = 4       /**< client-thread: it changes the system only by calling own-thread
                             operations and setting properties. The journal records these, each in
                             its cycle, and a replay does not call the operation itself */
} sn_operation_flags;

/** One operation; constant data. A table ends with an entry without a name. */
typedef struct sn_operation {
  const char *name;
  unsigned flags;              /**< of sn_operation_flags */
  const sn_msg_type *request;  /**< NULL: no arguments */
  const sn_msg_type *response; /**< NULL: only the status */
  sn_operation_function *run;
  const char *doc; /**< one sentence */
} sn_operation;

/** An operation of another component, resolved. Filled by sn_caller_open(). Treat the fields as
 *  private. */
typedef struct sn_caller {
  sn_operation_function *run;
  struct sn_component *component;
  const sn_operation *operation;
  struct sn__operation *own_thread; /**< NULL for a client-thread operation */
  int64_t timeout_ns;
  bool is_outside; /**< from sn_caller_open(): the journal records its calls */
} sn_caller;

/** Default time-out of calls of own-thread operations. */
#define SN_CALL_TIMEOUT_NS INT64_C(1000000000)

/** @return whether it is connected to an operation.  RT: yes.  Threads: any. */
static inline bool sn_caller_is_ready(const sn_caller *caller) {
  return caller->run != NULL;
}

/** Private: call through the component's thread, or record the call in the journal. */
SN_API sn_status sn__call_own_thread(const sn_caller *caller, const void *request, void *response,
                                     sn_error *err);

/** Call and wait for the response.
 *  @param err  receives the reason on failure; must not be NULL
 *  @return what the operation returned; and for an own-thread operation SN_ESTOPPED (its component
 *          does not run), SN_ETIMEDOUT, SN_EBUSY (too many calls are queued), SN_EDEADLOCK (its
 * thread waits, directly or through others, for this one), SN_ENOSPC (the request, or the response,
 * does not fit). From within the component's own thread it runs at once. RT: client-thread as the
 * operation; own-thread no, waits.  Threads: any. */
static inline sn_status sn_call(const sn_caller *caller, const void *request, void *response,
                                sn_error *err) {
  return caller->own_thread == NULL && !caller->is_outside
             ? caller->run(caller->component, request, response, err)
             : sn__call_own_thread(caller, request, response, err);
}

/* ---- components ---- */

typedef struct sn_system sn_system;
typedef struct sn_component_type sn_component_type;
struct sn__component_runtime;

/** First member of every component's struct. */
typedef struct sn_component {
  const sn_component_type *type;
  const char *name; /**< `follow`; a service inside it is `follow.smoothing` */
  sn_system *system;
  struct sn__component_runtime *runtime; /**< private */
} sn_component;

typedef enum sn_component_state {
  SN_STATE_UNCONFIGURED, /**< created, or cleaned up */
  SN_STATE_STOPPED,      /**< configured */
  SN_STATE_RUNNING,
  SN_STATE_ERROR /**< held after a fault */
} sn_component_state;

/** Why a component is in the error state. */
typedef enum sn_step_fault {
  SN_STEP_FAULT_NONE,
  SN_STEP_FAULT_STATUS,     /**< step returned an error */
  SN_STEP_FAULT_OVERRUN,    /**< step took longer than its deadline */
  SN_STEP_FAULT_NOT_FINITE, /**< step wrote NaN or infinity */
  SN_STEP_FAULT_ALLOCATED   /**< step or an operation allocated from the component's arena */
} sn_step_fault;

typedef enum sn_port_kind {
  SN_PORT_IN,   /**< member is an sn_input */
  SN_PORT_MANY, /**< member is an sn_inputs */
  SN_PORT_OUT   /**< member is an sn_output */
} sn_port_kind;

enum {
  SN_PORT_EVENT = 1,    /**< an input: a message triggers the component's step */
  SN_PORT_FEEDBACK = 2, /**< an input that reads the message of the last cycle: it does not
                             determine the order of the steps */
  SN_PORT_REQUIRED = 4, /**< an input: the component does not start without a writer */
  SN_PORT_DERIVED = 8   /**< an output: it repeats other outputs or follows from them, so that
                             recordings have it 100 times a second unless it is asked for */
};

/** One port; constant data. A table ends with an entry without a name. */
typedef struct sn_port {
  const char *name;
  sn_port_kind kind;
  const sn_msg_type *type;
  size_t offset;            /**< of the member in the struct */
  unsigned flags;           /**< SN_PORT_EVENT, … */
  sn_msg_capacity capacity; /**< of an output's messages; zeros: the system's */
  const char *doc;          /**< one sentence */
} sn_port;

/** Entries of a table: struct, name, member, message type, then further fields of sn_port, at least
 *  `.doc`. */
#define SN_INPUT(...) SN__PORT(SN_PORT_IN, __VA_ARGS__)
#define SN_INPUTS(...) SN__PORT(SN_PORT_MANY, __VA_ARGS__)
#define SN_OUTPUT(...) SN__PORT(SN_PORT_OUT, __VA_ARGS__)
#define SN__PORT(kind_, struct_, name_, member, type_, ...)                                 \
  {                                                                                         \
    .name = (name_), .kind = (kind_), .type = (type_), .offset = offsetof(struct_, member), \
    __VA_ARGS__                                                                             \
  }

/** A C interface that a component provides to others in the process. */
typedef struct sn_service {
  const char *name; /**< of the interface, with its version if it ever changes */
  /** @return the interface, valid from configure to cleanup; the name determines its C type */
  const void *(*iface)(sn_component *component);
  const char *doc;
} sn_service;

/** An interface that a component uses: a member of its struct. */
typedef struct sn_requester {
  const void *iface;  /**< NULL until connected and configured */
  sn_component *peer; /**< private: the provider */
} sn_requester;

/** @return whether the interface can be used.  RT: yes.  Threads: owner. */
static inline bool sn_requester_is_ready(const sn_requester *requester) {
  return requester->iface != NULL;
}

/** One need; constant data. A table ends with an entry without a name. */
typedef struct sn_need {
  const char *name;                      /**< of the requester: `robot_model` */
  const char *interface;                 /**< a service: the member is an sn_requester; or NULL */
  const char *operation;                 /**< an operation: the member is an sn_caller; or NULL */
  const sn_msg_type *request, *response; /**< of the operation */
  size_t offset;                         /**< of the member in the struct */
  bool is_optional;
  const char *doc;
} sn_need;

/** Version of the layout of sn_component_type and of the tables that it points to. */
#define SN_COMPONENT_ABI 3

/** One component type; constant data. Hooks may be NULL. */
struct sn_component_type {
  int abi;          /**< SN_COMPONENT_ABI */
  const char *name; /**< `FollowJointState` */
  const char *doc;  /**< its purpose, one sentence */
  size_t size;      /**< of the struct, which begins with an sn_component and starts as zeros */
  const sn_property *properties;
  const sn_port *ports;
  const sn_operation *operations;
  const sn_service *services;
  const sn_need *needs;

  /** All properties are set, the interfaces of peers are available. Check everything and allocate
   *  from sn_component_arena(), which is released after cleanup. Open no port, socket or device and
   *  write no file: `sinew check` configures, too. */
  sn_status (*configure)(sn_component *component, sn_error *err);
  sn_status (*start)(sn_component *component, int64_t now_ns, sn_error *err);
  /** One cycle: real-time. A negative status is a fault. @p now_ns is the time of its tick, and in
   *  an activity without a period that of the wake-up. */
  sn_status (*step)(sn_component *component, int64_t now_ns);
  void (*stop)(sn_component *component);
  void (*cleanup)(sn_component *component);
  /** After a fault: return to the state after start, or fail. */
  sn_status (*recover)(sn_component *component, int64_t now_ns, sn_error *err);
  /** The component is removed: free what is not in its arena. */
  void (*dispose)(sn_component *component);
  /** A live property changed. Called in the component's thread: real-time. */
  void (*changed)(sn_component *component, const sn_property *property);

  /** For components that observe or manage the whole system: recorders, servers, bridges. All
   *  other components are started and no lock is held. Start threads, open taps, sources and
   *  callers on `component->system`; or fail. */
  sn_status (*on_system_started)(sn_component *component, sn_error *err);
  /** The component or the whole system is about to stop; no lock is held. Join the threads, close
   *  what was opened. Called once after each successful on_system_started, never from one of those
   *  threads. */
  void (*on_system_stopping)(sn_component *component);

  /** Convert the properties of a file in the format of another system, before they are set. Report
   *  what is converted or ignored as a warning.
   *  @param bag     as in the file
   *  @param arena   for new values; unchanged ones may be shared
   *  @return @p bag if there is nothing to convert; NULL if memory is exhausted */
  const sn_value *(*translate)(sn_arena *arena, const sn_value *bag, sn_report *report);

  /** YAML that uses this type on top of `standard.yaml`; NULL: `components: {name: {type: name}}`.
   *  docs/components.md and `sinew types` show it. */
  const char *example;
};

/** Memory from configure to cleanup. The arena is sealed while the component runs: an allocation in
 *  step, in an own-thread operation or in the hook `changed` returns NULL, and the component enters
 *  the error state in the same cycle (SN_STEP_FAULT_ALLOCATED).
 *  RT: no.  Threads: the hooks configure, start, stop and recover. */
SN_API sn_arena *sn_component_arena(sn_component *component);

/** RT: yes.  Threads: any. */
SN_API sn_component_state sn_component_state_now(const sn_component *component) SN_RT;

/** `running`, `error`, …; static. RT: yes. */
SN_API const char *sn_component_state_text(sn_component_state state) SN_RT;
SN_API const char *sn_step_fault_text(sn_step_fault fault) SN_RT;

/** The period of the activity that steps it, ns; 0 if it has no activity or is stepped by events.
 *  RT: yes.  Threads: any, once configured. */
SN_API int64_t sn_component_period_ns(const sn_component *component) SN_RT;

/** Write a line to the system's log. Each `{}` in the literal @p format is replaced by the next
 *  argument.  RT: yes.  Threads: any. */
SN_API void sn_component_log(const sn_component *component, int64_t now_ns, sn_log_level level,
                             const char *format, size_t arg_count, const sn_log_arg *args) SN_RT;

/** As sn_component_log(), but at most one line per second. Suppressed lines are counted, and the
 *  next line reports the count. Use it for everything that a peer or an operator can repeat.
 *  @param limit  one for each call site, a member of the component's struct
 *  RT: yes.  Threads: the owner of the limit. */
SN_API void sn_component_log_limited(const sn_component *component, sn_log_limit *limit,
                                     int64_t now_ns, sn_log_level level, const char *format,
                                     size_t arg_count, const sn_log_arg *args) SN_RT;

/* ---- types by name ---- */

/** The component types that a deployment may name. Opaque; lives in the arena it was created from.
 */
typedef struct sn_component_registry sn_component_registry;

/** An empty registry, or NULL if the arena is exhausted. RT: no. */
SN_API sn_component_registry *sn_component_registry_create(sn_arena *arena);

/** Add a type, which must outlive the registry. Its tables are checked: names (letters, digits and
 *  `_`, no digit first; unique in their table), members inside the struct and after its
 *  sn_component, types and functions not NULL, initial values of properties valid.
 *  @return SN_OK; SN_EINVAL: another ABI, an invalid table, or a name that is already used;
 *          SN_ENOMEM
 *  RT: no.  Threads: one owner. */
SN_API sn_status sn_component_registry_add(sn_component_registry *registry,
                                           const sn_component_type *type, sn_error *err);

/** @return the type with this name, or NULL */
SN_API const sn_component_type *sn_component_registry_find(const sn_component_registry *registry,
                                                           const char *name);

/** All types, in the order added. */
SN_API size_t sn_component_registry_count(const sn_component_registry *registry);
SN_API const sn_component_type *sn_component_registry_at(const sn_component_registry *registry,
                                                         size_t index);

/** Load a shared library and add the types that it exports as
 *  `const sn_component_type *const sn_component_plugin[]`, which ends with NULL. The library runs
 *  with all rights of the process and stays loaded until the process ends. Types that were added
 *  by an earlier load of the same library are skipped.
 *  @param path  of the file; a name without a slash is searched in the working directory
 *  @return SN_OK; SN_EIO (cannot be loaded); SN_ENOENT (no such symbol); else as
 *          sn_component_registry_add(), and then none of its types is added
 *  RT: no.  Threads: one owner. */
SN_API sn_status sn_component_registry_load(sn_component_registry *registry, const char *path,
                                            sn_error *err);

SN_END_DECLS

#endif
