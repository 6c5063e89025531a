/** @file
 *  The other end of the control socket: what `sinew ls`, `get`, `call` and their siblings share.
 *  Everything that goes wrong is said here, and the exit code is handed back. */
#ifndef SINEW_APP_CONTROL_CLIENT_H
#define SINEW_APP_CONTROL_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "run/control_path.h"

/** Options that all of these commands have. */
typedef struct control_options {
  const char *command; /**< for messages */
  const char *socket;  /**< --socket */
  const char *name;    /**< --name */
  bool json;           /**< --json */
  double timeout_s;    /**< --timeout; 0: as usual */
  double patience_s;   /**< how long an answer may take without --timeout; 0: as usual */
} control_options;

/** For the text of usage. */
#define CONTROL_USAGE "[--json] [--name NAME] [--socket PATH] [--timeout S]"

/** Take the option at argv[*i], and its value, if it is one of the above; *i is then the last
 *  argument that was used. */
bool control_options_take(control_options *options, int argc, char **argv, int *i);

/** Take the option @p name and its value, a number from @p min to @p max, in the same way. */
bool control_number_take(const char *name, double min, double max, double *out, int argc,
                         char **argv, int *i);

/** Is this argument an option? Negative numbers are none. */
bool control_is_option(const char *argument);

typedef struct control_client {
  const control_options *options;
  char path[CONTROL_PATH_SIZE];
  int fd;
  int next_id;
  char *in; /**< bytes received */
  size_t in_size, in_used;
  char *line; /**< the last line received, a text; in `in` */
  size_t line_length;
} control_client;

/** Connect. @return EXIT_GOOD, or EXIT_FAULT and it was said why */
int control_client_open(control_client *client, const control_options *options);
void control_client_close(control_client *client);

/** Ask and wait for the answer.
 *  @param request  an object with the verb and its arguments; the call takes it
 *  @param result   json_decref() it; set if EXIT_GOOD
 *  @return EXIT_GOOD; EXIT_NO: refused; EXIT_FAULT: no answer. It was said why */
int control_client_ask(control_client *client, json_t *request, json_t **result);

/** Send a request without waiting. @return its id, or -1 and it was said why */
int control_client_send(control_client *client, json_t *request);

/** Wait for the next line.
 *  @param timeout_s  negative: for ever
 *  @param out        json_decref() it; NULL if the time was over
 *  @return EXIT_GOOD or EXIT_FAULT */
int control_client_receive(control_client *client, double timeout_s, json_t **out);

/** The result in the last line as it came, for --json: no number is formatted anew. */
void control_client_print_result(const control_client *client, const json_t *result);

/** Open, ask, close. With --json the result is printed and @p result is NULL. */
int control_ask_once(const control_options *options, json_t *request, json_t **result);

#endif
