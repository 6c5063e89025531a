/** @file
 *  What can be asked through the control socket: one function for each verb. */
#ifndef SN_REMOTE_VERBS_H
#define SN_REMOTE_VERBS_H

#include "base/fail.h"
#include "remote/request.h"

/** Writes one JSON value, the result, to answer->reply.
 *  @return SN_OK, or a failure with its reason in err; what was written is thrown away then */
typedef sn_status sn__remote_verb_function(sn__remote_request *request, sn__remote_answer *answer,
                                           sn_error *err);

typedef struct sn__remote_verb {
  const char *name;
  const char *arguments; /**< names with a blank between, those that must be there with a `!` */
  const char *purpose;   /**< one line */
  bool is_slow;          /**< may wait for a component */
  bool is_long;          /**< its line may have SN__REMOTE_LONG_LINE_MAX bytes */
  sn__remote_verb_function *run;
} sn__remote_verb;

/** Ends with an entry without a name. */
extern const sn__remote_verb sn__remote_verbs[];

sn__remote_verb_function sn__remote_call, sn__remote_connect, sn__remote_describe,
    sn__remote_disconnect, sn__remote_echo, sn__remote_get, sn__remote_help, sn__remote_cancel,
    sn__remote_ls, sn__remote_names, sn__remote_publish, sn__remote_read_log, sn__remote_set,
    sn__remote_stop_system, sn__remote_top;

/** The text of an argument; NULL if it is not there. That it is one has been checked where the verb
 *  says `!`; another is a refusal. */
sn_status sn__remote_argument_text(const sn__remote_request *request, const char *name,
                                   const char **out, sn_error *err);

/** A number from @p min to @p max; @p out is untouched if it is not there. */
sn_status sn__remote_argument_number(const sn__remote_request *request, const char *name,
                                     double min, double max, double *out, sn_error *err);

/** Find `component` or `component.rest`; a component's name may have a point in it, and the longest
 *  counts. The system must be held.
 *  @param rest  what follows the component's name, NULL if nothing does
 *  @return SN_OK or SN_ENOENT */
sn_status sn__remote_find(sn_system *system, const char *name, sn_component **component,
                          const char **rest, sn_error *err);

/** The state of a component for people and programs: members of the object that is open. */
void sn__remote_write_state(sn__buffer *reply, const sn_component *component);

/** Everything about a component that does not change in every cycle: its tables, the values of its
 *  properties (null if longer than 4 kB), its state and who is connected; one object. The system
 *  must be held. */
void sn__remote_write_component(sn__buffer *reply, sn_system *system, sn_component *component);

/** `name: {count, mean_ns, p50_ns, p99_ns, max_ns}`, and with @p all its buckets. */
void sn__remote_write_histogram(sn__buffer *reply, const char *name, const sn_histogram *histogram,
                                bool all);

/** The value of a property as JSON; @p path NULL: of all. */
sn_status sn__remote_write_value(sn__buffer *reply, const char *name, sn_system *system,
                                 sn_component *component, const char *path, sn_error *err);

/** A message as JSON. */
void sn__remote_write_msg(sn__buffer *reply, const char *name, const sn_msg_type *type,
                          const void *msg);

/** What every component can be asked to do besides its own operations. */
typedef struct sn__remote_life {
  const char *name;
  sn_status (*run)(sn_system *system, sn_component *component, sn_error *err);
  const char *doc;
} sn__remote_life;

/** Ends with an entry without a name. */
extern const sn__remote_life sn__remote_lives[];

#endif
