/** @file
 *  Internal: XML-RPC (xmlrpc.com/spec), by which nodes of ROS 1 and their master speak: calls and
 *  responses as text and back. Pure; no socket here. */
#ifndef SN_ROS_ROS1_RPC_H
#define SN_ROS_ROS1_RPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ros/bytes.h"
#include "ros/ros1/rpc_xml.h"
#include "sinew/arena.h"
#include "sinew/status.h"

/** A value that was read: the element `<value>`. */
typedef sn__rpc_node sn__rpc_value;

#define SN__RPC_PARAMS_MAX 8

/** What was read. Everything in it lives in the arena. */
typedef struct sn__rpc_message {
  const char *method; /**< of a call; NULL in a response */
  bool is_fault;      /**< of a response: the other side could not do it */
  size_t count;
  const sn__rpc_value *values[SN__RPC_PARAMS_MAX]; /**< parameters; of a response the result */
} sn__rpc_message;

/** Read a call or a response.
 *  @return SN_OK, SN_ESYNTAX (no XML, or no XML-RPC), SN_ELIMIT, SN_ENOMEM */
sn_status sn__rpc_parse(sn_arena *arena, const char *text, size_t size, sn__rpc_message *out,
                        sn_error *err);

/** The text of a string, or NULL if the value is something else. */
const char *sn__rpc_text(const sn__rpc_value *value);
/** @return false if it is no integer (or boolean) of 32 bits */
bool sn__rpc_int(const sn__rpc_value *value, int32_t *out);
/** @return whether it is an array; `*first` is its first item, the others follow by `next` */
bool sn__rpc_array(const sn__rpc_value *value, const sn__rpc_value **first);

/** What every answer of ROS is: [code, status text, value].
 *  @param value  out; untouched if it is no such answer
 *  @return SN_OK; SN_EINVAL: refused by the other side, with its reason; SN_ESYNTAX: no such answer
 */
sn_status sn__rpc_answer(const sn__rpc_message *response, const sn__rpc_value **value,
                         sn_error *err);

/** Writes one call or response; all zero, then `text`. */
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

/** A whole response that is a fault. */
void sn__rpc_put_fault(sn__bytes *text, int code, const char *reason);

#endif
