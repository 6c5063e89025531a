/** @file
 *  A client of the control socket, for `sinew ls`, `get`, `call` and others. Prints all errors; the
 *  functions return exit codes. */
#ifndef SINEW_APP_CONTROL_CLIENT_H
#define SINEW_APP_CONTROL_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "command.h"
#include "run/control_path.h"

/** Options of all these commands. */
typedef struct control_options {
  const char *command;      /**< for messages */
  const char *socket;       /**< --socket */
  const char *name;         /**< --name */
  bool json;                /**< --json */
  double timeout_s;         /**< --timeout; 0: not given */
  double default_timeout_s; /**< time limit without --timeout; 0: the default */
} control_options;

/** Their table, for structs that begin with control_options. */
extern const command_option control_option_table[];

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

/** Connect. @return EXIT_GOOD, EXIT_USAGE or EXIT_FAULT */
int control_client_open(control_client *client, const control_options *options);
void control_client_close(control_client *client);

/** Send a request and wait for the answer.
 *  @param request  an object with the verb and its arguments; the call takes ownership
 *  @param result   json_decref() it; set if EXIT_GOOD
 *  @return EXIT_GOOD; EXIT_NO: refused; EXIT_FAULT: no answer */
int control_client_ask(control_client *client, json_t *request, json_t **result);

/** Send a request without waiting. @return its id, or -1 */
int control_client_send(control_client *client, json_t *request);

/** Wait for the next line.
 *  @param timeout_s  negative: without limit
 *  @param out        json_decref() it; NULL on timeout
 *  @return EXIT_GOOD or EXIT_FAULT */
int control_client_receive(control_client *client, double timeout_s, json_t **out);

/** Print the result of the last line unchanged, for --json. */
void control_client_print_result(const control_client *client, const json_t *result);

/** Open, ask, close. With --json the result is printed and @p result is NULL. */
int control_ask_once(const control_options *options, json_t *request, json_t **result);

#endif
