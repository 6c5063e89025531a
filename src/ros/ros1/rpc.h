/** @file
 *  Internal: XML-RPC (xmlrpc.com/spec), the protocol between ROS 1 nodes and their master: reads
 * and writes calls and responses. Pure, without sockets. */
#ifndef SN_ROS_ROS1_RPC_H
#define SN_ROS_ROS1_RPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ros/bytes.h"
#include "sinew/arena.h"
#include "sinew/status.h"

/** An element. Unknown elements, attributes and document types are rejected while parsing. */
typedef struct sn__rpc_node {
  const char *name; /**< static string */
  const char *text; /**< empty if there are child elements */
  const struct sn__rpc_node *first_child, *next;
} sn__rpc_node;

#define SN__RPC_SIZE_MAX ((size_t)4 << 20)
#define SN__RPC_NODES_MAX ((size_t)100000)
#define SN__RPC_DEPTH_MAX 64

/** A `<value>` element. */
typedef sn__rpc_node sn__rpc_value;

#define SN__RPC_PARAMS_MAX 8

/** A parsed message; it lives in the arena. */
typedef struct sn__rpc_message {
  const char *method; /**< of a call; NULL in a response */
  bool is_fault;      /**< response with a fault */
  size_t count;
  const sn__rpc_value *values[SN__RPC_PARAMS_MAX]; /**< parameters, or the result of a response */
} sn__rpc_message;

/** Parse a call or a response.
 *  @return SN_OK, SN_ESYNTAX (invalid XML or XML-RPC), SN_ELIMIT, SN_ENOMEM */
sn_status sn__rpc_parse(sn_arena *arena, const char *text, size_t size, sn__rpc_message *out,
                        sn_error *err);

/** The string, or NULL if the value has another type. */
const char *sn__rpc_text(const sn__rpc_value *value);
/** @return false if it is not a 32-bit integer or boolean */
bool sn__rpc_int(const sn__rpc_value *value, int32_t *out);
/** @return whether it is an array; `*first` is its first item, the others follow by `next` */
bool sn__rpc_array(const sn__rpc_value *value, const sn__rpc_value **first);

/** Unpack a ROS response: [code, status text, value].
 *  @param value  out; unchanged on failure
 *  @return SN_OK; SN_EINVAL: rejected by the peer, with its reason; SN_ESYNTAX: invalid response */
sn_status sn__rpc_answer(const sn__rpc_message *response, const sn__rpc_value **value,
                         sn_error *err);

/** Writes one call or response. */
typedef struct sn__rpc_writer {
  sn__bytes *text;
  unsigned depth; /**< of arrays */
  bool is_call;
} sn__rpc_writer;

void sn__rpc_begin_call(sn__rpc_writer *w, sn__bytes *text, const char *method);
void sn__rpc_begin_response(sn__rpc_writer *w, sn__bytes *text);
void sn__rpc_put_text(sn__rpc_writer *w, const char *value);
void sn__rpc_put_int(sn__rpc_writer *w, int64_t value);
void sn__rpc_put_bool(sn__rpc_writer *w, bool value);
void sn__rpc_begin_array(sn__rpc_writer *w);
void sn__rpc_end_array(sn__rpc_writer *w);
void sn__rpc_end(sn__rpc_writer *w);

/** Write a complete fault response. */
void sn__rpc_put_fault(sn__bytes *text, int code, const char *reason);

#endif
