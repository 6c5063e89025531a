#include "foxglove/protocol.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sinew/api.h"

/* One message that is being parsed. */
typedef struct reading {
  const sn__fox_handler *handler;
  void *client;
} reading;

static void warn(const reading *r, const char *format, ...) SN_PRINTF(2, 3);

static void warn(const reading *r, const char *format, ...) {
  char message[240];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  r->handler->warn(r->client, message);
}

void sn__fox_put_u32(unsigned char *at, uint32_t value) {
  for (int i = 0; i < 4; i++) {
    at[i] = (unsigned char)(value >> (8 * i));
  }
}

void sn__fox_put_u64(unsigned char *at, uint64_t value) {
  sn__fox_put_u32(at, (uint32_t)value);
  sn__fox_put_u32(at + 4, (uint32_t)(value >> 32));
}

static uint32_t get_u32(const unsigned char *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* ---- binary ---- */

static void receive_call(const reading *r, const unsigned char *bytes, size_t size) {
  enum { HEAD = 13 };
  if (size < HEAD) {
    warn(r, "a service call has %zu bytes, expected at least %d", size, HEAD);
    return;
  }
  const uint32_t length = get_u32(bytes + 9);
  if (length > size - HEAD) {
    warn(r, "the encoding of a service call has %u bytes, but only %zu follow", (unsigned)length,
         size - HEAD);
    return;
  }
  const bool is_json = length == 4 && memcmp(bytes + HEAD, "json", 4) == 0;
  r->handler->call(r->client, get_u32(bytes + 1), get_u32(bytes + 5), is_json,
                   bytes + HEAD + length, size - HEAD - length);
}

static uint64_t get_u64(const unsigned char *at) {
  return (uint64_t)get_u32(at) | (uint64_t)get_u32(at + 4) << 32;
}

/* command, speed, whether it seeks, the time, the id of the request */
static void receive_control(const reading *r, const unsigned char *bytes, size_t size) {
  enum { COMMAND = 1, SPEED = 2, HAS_SEEK = 6, SEEK = 7, ID_SIZE = 15, HEAD = 19 };
  if (size < HEAD) {
    warn(r, "a playback control request has %zu bytes, expected at least %d", size, HEAD);
    return;
  }
  const uint32_t id_size = get_u32(bytes + ID_SIZE);
  if (id_size > size - HEAD) {
    warn(r, "the id of a playback control request has %u bytes, but only %zu follow",
         (unsigned)id_size, size - HEAD);
    return;
  }
  const uint32_t speed_bits = get_u32(bytes + SPEED);
  float speed = 0.0f;
  memcpy(&speed, &speed_bits, sizeof speed);
  if (bytes[COMMAND] > 1 || !(speed > 0.0f)) {
    warn(r,
         "a playback control request has the command %d and the speed %g, expected 0 or 1, and "
         "a positive speed",
         bytes[COMMAND], (double)speed);
    return;
  }
  const sn__playback_request request = {.plays = bytes[COMMAND] == 0,
                                        .speed = (double)speed,
                                        .has_seek = bytes[HAS_SEEK] != 0,
                                        .seek_ns = get_u64(bytes + SEEK)};
  r->handler->control(r->client, &request, (const char *)bytes + HEAD, id_size);
}

static void receive_binary(const reading *r, const unsigned char *bytes, size_t size) {
  enum { PUBLISH = 1, CALL = 2, CONTROL = 3, PUBLISH_HEAD = 5 };
  if (size > 0 && bytes[0] == CALL) {
    receive_call(r, bytes, size);
  } else if (r->handler->refusal != NULL) {
    warn(r, "%s", r->handler->refusal);
  } else if (size >= PUBLISH_HEAD && bytes[0] == PUBLISH) {
    r->handler->publish(r->client, get_u32(bytes + 1), bytes + PUBLISH_HEAD, size - PUBLISH_HEAD);
  } else if (size > 0 && bytes[0] == CONTROL) {
    receive_control(r, bytes, size);
  } else {
    warn(r,
         "a binary message of %zu bytes begins with %d: expected 1, a message, 2, a call, or 3, "
         "playback control",
         size, size > 0 ? bytes[0] : -1);
  }
}

/* ---- text ---- */

static bool read_u32(const reading *r, const json_t *object, const char *name, uint32_t *out) {
  const json_t *value = json_object_get(object, name);
  const json_int_t number = json_integer_value(value);
  if (!json_is_integer(value) || number < 0 || number > UINT32_MAX) {
    warn(r, "'%s' must be a number from 0 to 4294967295", name);
    return false;
  }
  *out = (uint32_t)number;
  return true;
}

/* @return NULL, with a warning, if it is not a text */
static const char *read_text(const reading *r, const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  if (text == NULL) {
    warn(r, "'%s' must be a text", name);
  }
  return text;
}

/* @return NULL, with a warning, if it is not a list */
static const json_t *read_list(const reading *r, const json_t *object, const char *name) {
  const json_t *list = json_object_get(object, name);
  if (!json_is_array(list)) {
    warn(r, "'%s' must be a list", name);
    return NULL;
  }
  return list;
}

static void read_subscribe(const reading *r, const json_t *message) {
  const json_t *list = read_list(r, message, "subscriptions");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *item = json_array_get(list, i);
    uint32_t id = 0;
    uint32_t channel = 0;
    if (read_u32(r, item, "id", &id) && read_u32(r, item, "channelId", &channel)) {
      r->handler->subscribe(r->client, id, channel);
    }
  }
}

static void read_ids(const reading *r, const json_t *message, const char *name,
                     void (*take)(void *client, uint32_t id)) {
  const json_t *list = read_list(r, message, name);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *item = json_array_get(list, i);
    const json_int_t id = json_integer_value(item);
    if (json_is_integer(item) && id >= 0 && id <= UINT32_MAX) {
      take(r->client, (uint32_t)id);
    } else {
      warn(r, "'%s' must be a list of ids", name);
    }
  }
}

static void read_advertise(const reading *r, const json_t *message) {
  const json_t *list = read_list(r, message, "channels");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *item = json_array_get(list, i);
    uint32_t id = 0;
    if (!read_u32(r, item, "id", &id)) {
      continue;
    }
    const char *topic = read_text(r, item, "topic");
    const char *encoding = topic == NULL ? NULL : read_text(r, item, "encoding");
    if (encoding != NULL) {
      r->handler->advertise(r->client, id, topic, encoding);
    }
  }
}

/* @return false, with a warning, if an item is not a text */
static bool are_texts(const reading *r, const json_t *list, const char *name) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    if (!json_is_string(json_array_get(list, i))) {
      warn(r, "'%s' must be a list of texts", name);
      return false;
    }
  }
  return list != NULL;
}

/* @return false, with a warning, if it is neither missing nor a text */
static bool read_id(const reading *r, const json_t *message, const char **id) {
  const json_t *value = json_object_get(message, "id");
  *id = json_string_value(value);
  if (value != NULL && !json_is_null(value) && *id == NULL) {
    warn(r, "'id' must be a text");
    return false;
  }
  return true;
}

static void read_get(const reading *r, const json_t *message) {
  const json_t *names = read_list(r, message, "parameterNames");
  const char *id = NULL;
  if (are_texts(r, names, "parameterNames") && read_id(r, message, &id)) {
    r->handler->get(r->client, names, id);
  }
}

static void read_set(const reading *r, const json_t *message) {
  const json_t *list = read_list(r, message, "parameters");
  const char *id = NULL;
  bool is_good = list != NULL && read_id(r, message, &id);
  for (size_t i = 0; is_good && i < json_array_size(list); i++) {
    const json_t *item = json_array_get(list, i);
    is_good = read_text(r, item, "name") != NULL;
    const json_t *value = json_object_get(item, "value");
    const char *type = json_string_value(json_object_get(item, "type"));
    if (is_good && (value == NULL || (type != NULL && strcmp(type, "byte_array") == 0))) {
      warn(r, "parameter '%.100s' %s", json_string_value(json_object_get(item, "name")),
           value == NULL ? "cannot be removed" : "is not an array of bytes");
      is_good = false;
    }
  }
  if (is_good) {
    r->handler->set(r->client, list, id);
  }
}

static void read_watch(const reading *r, const json_t *message, bool is_on) {
  const json_t *names = read_list(r, message, "parameterNames");
  if (are_texts(r, names, "parameterNames")) {
    r->handler->watch(r->client, names, is_on);
  }
}

static void read_fetch(const reading *r, const json_t *message) {
  uint32_t request = 0;
  const char *uri = read_text(r, message, "uri");
  if (uri != NULL && read_u32(r, message, "requestId", &request)) {
    r->handler->fetch(r->client, uri, request);
  }
}

static void read_message(const reading *r, const json_t *message) {
  const char *op = json_string_value(json_object_get(message, "op"));
  if (op == NULL) {
    warn(r, "a message is an object with an 'op', a text");
  } else if (strcmp(op, "subscribe") == 0) {
    read_subscribe(r, message);
  } else if (strcmp(op, "unsubscribe") == 0) {
    read_ids(r, message, "subscriptionIds", r->handler->unsubscribe);
  } else if (strcmp(op, "advertise") == 0) {
    read_advertise(r, message);
  } else if (strcmp(op, "unadvertise") == 0) {
    read_ids(r, message, "channelIds", r->handler->unadvertise);
  } else if (strcmp(op, "getParameters") == 0) {
    read_get(r, message);
  } else if (strcmp(op, "setParameters") == 0) {
    read_set(r, message);
  } else if (strcmp(op, "subscribeParameterUpdates") == 0) {
    read_watch(r, message, true);
  } else if (strcmp(op, "unsubscribeParameterUpdates") == 0) {
    read_watch(r, message, false);
  } else if (strcmp(op, "fetchAsset") == 0) {
    read_fetch(r, message);
  } else {
    warn(r, "unknown operation '%.60s'", op);
  }
}

void sn__fox_receive(const sn__fox_handler *handler, void *client, bool is_binary,
                     const void *bytes, size_t size) {
  const reading r = {handler, client};
  if (is_binary) {
    receive_binary(&r, bytes, size);
    return;
  }
  if (handler->refusal != NULL) {
    warn(&r, "%s", handler->refusal);
    return;
  }
  json_error_t problem;
  json_t *message = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &problem);
  if (message == NULL) {
    warn(&r, "JSON, column %d: %.150s", problem.column, problem.text);
  } else {
    read_message(&r, message);
  }
  json_decref(message);
}
