/** @file
 *  The verbs of the control socket. */
#ifndef SN_REMOTE_VERBS_H
#define SN_REMOTE_VERBS_H

#include "remote/request.h"

/** Read the arguments, execute, and append the result, one JSON value, to answer->reply.
 *  @return SN_OK, or a failure with its reason in err; what was appended is discarded then */
typedef sn_status sn__remote_verb_function(sn__remote_request *request, sn__remote_answer *answer,
                                           sn_error *err);

typedef struct sn__remote_verb {
  const char *name;
  const char *arguments; /**< names separated by blanks, required ones followed by `!` */
  const char *purpose;   /**< one line */
  bool is_slow;          /**< may wait for a component */
  bool is_long;          /**< its line may have SN__REMOTE_LONG_LINE_MAX bytes */
  sn__remote_verb_function *run;
} sn__remote_verb;

/** Ends with an entry without a name. */
extern const sn__remote_verb sn__remote_verbs[];

#endif
