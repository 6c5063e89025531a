/** @file
 *  What can be asked through the control socket: one function for each verb. */
#ifndef SINEW_APP_CONTROL_VERBS_H
#define SINEW_APP_CONTROL_VERBS_H

#include "control_request.h"

/** Writes one JSON value, the result, to answer->reply.
 *  @return SN_OK, or a failure with its reason in err; what was written is thrown away then */
typedef sn_status control_verb_function(control_request *request, control_answer *answer,
                                        sn_error *err);

typedef struct control_verb {
  const char *name;
  const char *arguments; /**< names with a blank between, those that must be there with a `!` */
  const char *purpose;   /**< one line */
  bool is_slow;          /**< may wait for a component */
  bool is_long;          /**< its line may have CONTROL_LONG_LINE_MAX bytes */
  control_verb_function *run;
} control_verb;

/** Ends with an entry without a name. */
extern const control_verb control_verbs[];

control_verb_function control_call, control_connect, control_describe, control_disconnect,
    control_echo, control_get, control_help, control_cancel, control_ls, control_names,
    control_read_log, control_set, control_top;

/** Fill @p err, printf-like. @return @p status */
sn_status control_fail(sn_error *err, sn_status status, const char *format, ...) SN_PRINTF(3, 4);

/** The text of an argument; NULL if it is not there. That it is one has been checked where the verb
 *  says `!`; another is a refusal. */
sn_status control_argument_text(const control_request *request, const char *name, const char **out,
                                sn_error *err);

/** A number from @p min to @p max; @p out is untouched if it is not there. */
sn_status control_argument_number(const control_request *request, const char *name, double min,
                                  double max, double *out, sn_error *err);

/** Find `component` or `component.rest`; a component's name may have a point in it, and the longest
 *  counts. The system must be held.
 *  @param rest  what follows the component's name, NULL if nothing does
 *  @return SN_OK or SN_ENOENT */
sn_status control_find(sn_system *system, const char *name, sn_component **component,
                       const char **rest, sn_error *err);

/** The state of a component for people and programs: members of the object that is open. */
void control_write_state(control_reply *reply, const sn_component *component);

/** `name: {count, mean_ns, p50_ns, p99_ns, max_ns}`, and with @p all its buckets. */
void control_write_histogram(control_reply *reply, const char *name, const sn_histogram *histogram,
                             bool all);

/** The value of a property as JSON; @p path NULL: of all. */
sn_status control_write_value(control_reply *reply, const char *name, sn_system *system,
                              sn_component *component, const char *path, sn_error *err);

/** A message as JSON. */
void control_write_msg(control_reply *reply, const char *name, const sn_msg_type *type,
                       const void *msg);

/** What every component can be asked to do besides its own operations. */
typedef struct control_life {
  const char *name;
  sn_status (*run)(sn_system *system, sn_component *component, sn_error *err);
  const char *doc;
} control_life;

/** Ends with an entry without a name. */
extern const control_life control_lives[];

#endif
