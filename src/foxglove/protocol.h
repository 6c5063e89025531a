/** @file
 *  Parses messages of the Foxglove WebSocket protocol: bytes in, calls of a handler out. Knows
 *  neither sockets nor the system. */
#ifndef SN_FOXGLOVE_PROTOCOL_H
#define SN_FOXGLOVE_PROTOCOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "foxglove/playback.h"

/** Bytes of a message from a client at most. */
#define SN__FOX_MESSAGE_MAX ((size_t)1 << 20)

/** One function for each request that a message may contain. Arguments are valid during the call
 *  only. */
typedef struct sn__fox_handler {
  void (*subscribe)(void *client, uint32_t subscription, uint32_t channel);
  void (*unsubscribe)(void *client, uint32_t subscription);
  void (*advertise)(void *client, uint32_t channel, const char *topic, const char *encoding);
  void (*unadvertise)(void *client, uint32_t channel);
  void (*publish)(void *client, uint32_t channel, const void *bytes, size_t size);
  /** @param id  of the request, not empty; not NUL-terminated */
  void (*control)(void *client, const sn__playback_request *request, const char *id,
                  size_t id_size);
  /** @param names  texts; empty: all. @param id  NULL: none */
  void (*get)(void *client, const json_t *names, const char *id);
  /** @param parameters  objects with a name, a text, and a value */
  void (*set)(void *client, const json_t *parameters, const char *id);
  void (*watch)(void *client, const json_t *names, bool is_on);
  void (*call)(void *client, uint32_t service, uint32_t call, bool is_json, const void *bytes,
               size_t size);
  void (*fetch)(void *client, const char *uri, uint32_t request);
  /** The message is invalid, or refused. */
  void (*warn)(void *client, const char *message);
  const char *refusal; /**< not NULL: calls are the only thing that is allowed, for this reason */
} sn__fox_handler;

/** Parse one message. */
void sn__fox_receive(const sn__fox_handler *handler, void *client, bool is_binary,
                     const void *bytes, size_t size);

/** Store a number, little-endian. */
void sn__fox_put_u32(unsigned char *at, uint32_t value);
void sn__fox_put_u64(unsigned char *at, uint64_t value);

/** First byte of a binary message from the server. */
enum {
  SN__FOX_MESSAGE = 1,  /**< subscription, 32 bits; stamp, 64 bits; payload */
  SN__FOX_TIME = 2,     /**< stamp, 64 bits */
  SN__FOX_RESPONSE = 3, /**< service, call, length of the encoding, its bytes; payload */
  SN__FOX_ASSET = 4,    /**< request, 32 bits; status, 8 bits; length of the error, its bytes */
  SN__FOX_PLAYBACK = 5, /**< status, 8 bits; time, 64; speed, a float; has it sought, 8; length of
                           the request's id, 32; its bytes */
  SN__FOX_MESSAGE_HEAD = 13, /**< bytes before the payload */
  SN__FOX_TIME_SIZE = 9
};

#endif
