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
#include "sinew/operation.h"
#include "sinew/port.h"
#include "sinew/property.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

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
  SN_PORT_REQUIRED = 4  /**< an input: the component does not start without a writer */
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
  /** One cycle: real-time. A negative status is a fault. */
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

SN_END_DECLS

#endif
