/** @file
 *  A client of the Foxglove WebSocket protocol on a bare socket, which collects what it receives.
 */
#ifndef SN_WS_CLIENT_H
#define SN_WS_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ws_client {
  int fd;
  unsigned char *bytes; /**< received */
  size_t used, size;
} ws_client;

/** Connect to loopback and wait for the advertisements. @return false: refused */
bool ws_client_open(ws_client *c, int port);
void ws_client_close(ws_client *c);

/** Wait for bytes and append them. @return false: the connection has ended */
bool ws_client_read(ws_client *c, int timeout_ms);

/** Was the text received? */
bool ws_client_has(const ws_client *c, const char *text);

/** Wait for the text. @return whether it was received before the connection ended */
bool ws_client_wait(ws_client *c, const char *text);

void ws_client_send(ws_client *c, const void *bytes, size_t size);
/** @param opcode  1: text, 2: binary */
void ws_client_send_frame(ws_client *c, int opcode, const void *payload, size_t size);
void ws_client_send_text(ws_client *c, const char *text);

/** Call a service without arguments. */
void ws_client_call(ws_client *c, const char *name, unsigned id);

#endif
