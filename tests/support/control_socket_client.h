/** @file
 *  A minimal client of the control socket. Failures fail the test. */
#ifndef SN_TEST_CONTROL_SOCKET_CLIENT_H
#define SN_TEST_CONTROL_SOCKET_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define STALL_MS 60000 /**< for tests that would otherwise hang */

typedef struct client {
  int fd;
  char *text; /**< bytes received and not yet used */
  size_t used, size;
} client;

/** Connect; waits while the backlog is full. */
client client_open(const char *socket);
void client_close(client *c);

/** Send as much as possible without blocking. @return bytes */
size_t client_try_send(client *c, const char *text, size_t length);

/** Read available bytes. @return false at the end */
bool client_read(client *c);

/** Send all. The server reads no requests while its answers wait, so a blocked client reads. */
void client_send(client *c, const char *text, size_t length);
void client_send_line(client *c, const char *line);

/** The next line as JSON; NULL if the connection has ended. */
json_t *client_receive(client *c);

/** The next line must be the answer to this id. */
void client_expect_answer(client *c, int id, bool ok);

/** A new client must get an answer. */
void client_expect_served(const char *socket);

#endif
