/** @file
 *  Internal: lines of the control socket, each sent or received before a deadline. */
#ifndef SN_CLIENT_CLIENT_SOCKET_H
#define SN_CLIENT_CLIENT_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/client.h"

typedef struct sn__client_socket {
  int fd; /**< -1: the connection has ended */
  char *in;
  size_t in_size, in_used;
  size_t line_length; /**< of the last line, at the start of `in`, with its end; 0: none */
} sn__client_socket;

/** The deadline that is @p timeout_s from now. */
int64_t sn__client_deadline_ns(double timeout_s);

sn_status sn__client_connect(const sn_client_config *config, sn__client_socket *out, sn_error *err);
void sn__client_disconnect(sn__client_socket *socket);

sn_status sn__client_send(sn__client_socket *socket, const char *text, size_t size,
                          int64_t deadline_ns, sn_error *err);

/** The next line, without its end; valid until the next call. */
sn_status sn__client_receive(sn__client_socket *socket, int64_t deadline_ns, const char **line,
                             size_t *length, sn_error *err);

/** Read a line. @param is_answer  out: it answers the request @p id; other lines are ignored
 *  @return SN_EIO (not JSON); for an answer, the result of sn_client_call() */
sn_status sn__client_read_answer(const char *line, size_t size, int64_t id, const sn_msg_type *type,
                                 void *response, bool *is_answer, sn_error *err);

#endif
