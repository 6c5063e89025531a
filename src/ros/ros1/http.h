/** @file
 *  Internal: the part of HTTP/1.1 (RFC 9112) that XML-RPC needs: one head, one body of known
 * length. Pure, without sockets. */
#ifndef SN_ROS_ROS1_HTTP_H
#define SN_ROS_ROS1_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "ros/bytes.h"
#include "sinew/status.h"

#define SN__HTTP_HEAD_MAX ((size_t)16 << 10)

/** Head of a request or response. */
typedef struct sn__http_message {
  bool is_request;
  int code;          /**< of a response */
  size_t body_start; /**< offset of the body */
  size_t body_size;
  bool ends_by_close; /**< response without a length: the body ends with the connection */
  bool keep_alive;
} sn__http_message;

/** Parse the head at the start of @p bytes.
 *  @param body_max  largest allowed body
 *  @param out       set if the head is complete
 *  @return SN_OK; SN_EBUSY: more bytes are needed; SN_ESYNTAX, SN_ELIMIT, SN_EUNSUPPORTED (chunks,
 *          another method): invalid */
sn_status sn__http_parse(const char *bytes, size_t size, size_t body_max, sn__http_message *out,
                         sn_error *err);

/** Append the head of a POST, or of a response. */
void sn__http_put_request(sn__bytes *out, const char *host, int port, size_t body_size);
void sn__http_put_response(sn__bytes *out, int code, bool keep_alive, size_t body_size);

/** Split `http://host:port/…` or `rosrpc://host:port`.
 *  @param host  out, @p size bytes
 *  @return false if it is invalid */
bool sn__http_split_uri(const char *uri, const char *scheme, char *host, size_t size, int *port);

#endif
