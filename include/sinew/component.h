/** @file
 *  Components: what the runtime runs. One struct, one table, a few hooks; `examples/05_component.c`
 *  is one to copy.
 *
 *  Life: configure, start, step …, stop, cleanup. Each hook but step and the two ends may refuse,
 *  saying why. A fault in step (an error returned, the deadline overrun, a number that is not
 * finite written) holds the component in the error state until it is recovered; the others go on.
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
  const char *name; /**< `follow`; of a service inside it `follow.smoothing` */
  sn_system *system;
  struct sn__component_runtime *runtime; /**< private */
} sn_component;

typedef enum sn_component_state {
  SN_STATE_UNCONFIGURED, /**< made, or cleaned up */
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
  SN_STEP_FAULT_ALLOCATED   /**< step or an operation asked the component's arena for memory */
} sn_step_fault;

typedef enum sn_port_kind {
  SN_PORT_IN,   /**< member is an sn_input */
  SN_PORT_MANY, /**< member is an sn_inputs */
  SN_PORT_OUT   /**< member is an sn_output */
} sn_port_kind;

enum {
  SN_PORT_EVENT = 1, /**< an input: a message triggers the component's step */
  SN_PORT_FEEDBACK =
      2,               /**< an input that takes the message of the last cycle: never in the order */
  SN_PORT_REQUIRED = 4 /**< an input: without a writer the component does not start */
};

/** One port; constant data. A table ends with an entry without a name. */
typedef struct sn_port {
  const char *name;
  sn_port_kind kind;
  const sn_msg_type *type;
  size_t offset;            /**< of the member in the struct */
  unsigned flags;           /**< SN_PORT_EVENT, … */
  sn_msg_capacity capacity; /**< of an output's messages; zeros: the system's */
  const char *doc;          /**< one sentence for people */
} sn_port;

/** Entries of a table: struct, name, member, type of the message; what follows are further fields
 * of sn_port, `.doc` at the least. */
#define SN_INPUT(...) SN__PORT(SN_PORT_IN, __VA_ARGS__)
#define SN_INPUTS(...) SN__PORT(SN_PORT_MANY, __VA_ARGS__)
#define SN_OUTPUT(...) SN__PORT(SN_PORT_OUT, __VA_ARGS__)
#define SN__PORT(kind_, struct_, name_, member, type_, ...)                                 \
  {                                                                                         \
    .name = (name_), .kind = (kind_), .type = (type_), .offset = offsetof(struct_, member), \
    __VA_ARGS__                                                                             \
  }

/** A C interface that a component offers to others in the process: its internal face. */
typedef struct sn_service {
  const char *name; /**< of the interface, with its version if it ever changes */
  /** The face, valid from configure to cleanup. Its type is a convention of the name. */
  const void *(*face)(sn_component *component);
  const char *doc;
} sn_service;

/** What a component needs from another: a member of its struct. */
typedef struct sn_requester {
  const void *face;   /**< NULL until connected and configured */
  sn_component *peer; /**< private: who provides it */
} sn_requester;

/** Is it there? RT: yes.  Threads: owner. */
static inline bool sn_requester_is_ready(const sn_requester *requester) {
  return requester->face != NULL;
}

/** One need; constant data. A table ends with an entry without a name. */
typedef struct sn_need {
  const char *name;                      /**< of the requester: `robot_model` */
  const char *interface;                 /**< of a service: the member is an sn_requester. NULL: */
  const char *operation;                 /**< of an operation: the member is an sn_caller */
  const sn_msg_type *request, *response; /**< of the operation */
  size_t offset;                         /**< of the member in the struct */
  bool is_optional;
  const char *doc;
} sn_need;

#define SN_COMPONENT_ABI 2

/** One type of component; constant data. Hooks may be NULL. */
struct sn_component_type {
  int abi;          /**< SN_COMPONENT_ABI */
  const char *name; /**< `FollowJointState` */
  const char *doc;  /**< one sentence for people */
  size_t size;      /**< of the struct, which begins with an sn_component and starts as zeros */
  const sn_property *properties;
  const sn_port *ports;
  const sn_operation *operations;
  const sn_service *services;
  const sn_need *needs;

  /** Properties are set, services of peers are there: take memory from sn_component_arena(), check
   *  everything. All it took goes with cleanup. It opens no port, socket or device and writes no
   *  file: `sinew check` configures, too. */
  sn_status (*configure)(sn_component *component, sn_error *err);
  sn_status (*start)(sn_component *component, int64_t now_ns, sn_error *err);
  /** One cycle: real-time. A negative status is a fault. */
  sn_status (*step)(sn_component *component, int64_t now_ns);
  void (*stop)(sn_component *component);
  void (*cleanup)(sn_component *component);
  /** After a fault: become as after start, or refuse. */
  sn_status (*recover)(sn_component *component, int64_t now_ns, sn_error *err);
  /** The component goes for good: free what does not live in its arena. */
  void (*dispose)(sn_component *component);
  /** A live property changed, in the component's thread: real-time. */
  void (*changed)(sn_component *component, const sn_property *property);

  /** For components that attend to the system as a whole: recorders, servers, bridges. All others
   *  are started, no lock is held: start threads, open taps, sources and callers on
   *  `component->system`; or refuse. */
  sn_status (*attend)(sn_component *component, sn_error *err);
  /** The component or the whole system is about to stop, no lock is held: end the threads, close
   *  what was opened. Called once for each attend that did not refuse, never from those threads. */
  void (*leave)(sn_component *component);

  /** Properties of a file in the form of another system, before they are set: return them in the
   *  form of the table. What is rewritten or not used is reported, as a warning.
   *  @param bag     as in the file
   *  @param arena   for what is new; the rest may be shared
   *  @return @p bag if there is nothing to do; NULL if there is no memory */
  const sn_value *(*translate)(sn_arena *arena, const sn_value *bag, sn_report *report);
};

/** Memory from configure to cleanup. It is sealed while the component runs: an allocation in a
 * step, an own-thread operation or the hook `changed` gives NULL, and the component is held in the
 * error state in the same cycle (SN_STEP_FAULT_ALLOCATED). RT: no.  Threads: the hooks configure,
 * start, stop and recover. */
SN_API sn_arena *sn_component_arena(sn_component *component);

/** RT: yes.  Threads: any. */
SN_API sn_component_state sn_component_state_now(const sn_component *component) SN_RT;

/** `running`, `error`, …; static. RT: yes. */
SN_API const char *sn_component_state_text(sn_component_state state) SN_RT;
SN_API const char *sn_step_fault_text(sn_step_fault trouble) SN_RT;

/** The period of the activity that steps it, ns; 0 if it has none or runs by events only.
 *  RT: yes.  Threads: any, once configured. */
SN_API int64_t sn_component_period_ns(const sn_component *component) SN_RT;

/** Write a line to the system's log: `{}` in the literal @p format stands for the next argument.
 *  RT: yes.  Threads: any. */
SN_API void sn_component_log(const sn_component *component, int64_t now_ns, sn_log_level level,
                             const char *format, size_t arg_count, const sn_log_arg *args) SN_RT;

/** As sn_component_log(), but at most one line a second: what is held back is counted, and the next
 *  line says how many. For everything that a peer or an operator can repeat.
 *  @param limit  of this call site, a member of the component's struct
 *  RT: yes.  Threads: the owner of the limit. */
SN_API void sn_component_log_limited(const sn_component *component, sn_log_limit *limit,
                                     int64_t now_ns, sn_log_level level, const char *format,
                                     size_t arg_count, const sn_log_arg *args) SN_RT;

SN_END_DECLS

#endif
