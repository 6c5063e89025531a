/** @file
 *  Requests of the control socket without the socket, to the system of control_rig.h. */
#ifndef SN_REQUEST_RIG_H
#define SN_REQUEST_RIG_H

#include <jansson.h>

#include "control_rig.h"
#include "remote/request.h"

typedef struct request_rig {
  control_rig rig;
  sn__remote_context context;
  sn__remote_log log;
  sn__remote_taps taps;
} request_rig;

extern request_rig request_fixture;

/** Set-up and tear-down of a test. */
int request_rig_open(void **state);
int request_rig_close(void **state);

/** The answer to a line; it must be one line of JSON. */
json_t *request_ask_bytes(const char *line, size_t length, sn__remote_answer *answer);
json_t *request_ask(const char *line);

/** The result of a request that must succeed. */
json_t *request_result(const char *line);

/** The request must be refused with this status and a message that contains @p part. */
void request_refused(const char *line, const char *status, const char *part);

const char *request_text_at(const json_t *object, const char *name);

/** The item of a list whose member has this text. */
json_t *request_find(const json_t *list, const char *member, const char *text);

#endif
