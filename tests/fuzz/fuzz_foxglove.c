/* Fuzzes what clients of the cockpit send. The first byte says whether it is binary. Whatever
   comes, the handler is called with what is valid: texts that end, lists of what they should hold,
   bytes that lie in the message. */
#include <stdint.h>
#include <string.h>

#include "foxglove/protocol.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *begin;
static const uint8_t *end;

static void look_at_bytes(const void *bytes, size_t size) {
  const uint8_t *at = bytes;
  SN_ASSERT(at >= begin);
  SN_ASSERT(at + size == end);
}

static void look_at_texts(const json_t *list) {
  SN_ASSERT(json_is_array(list));
  for (size_t i = 0; i < json_array_size(list); i++) {
    SN_ASSERT(json_is_string(json_array_get(list, i)));
  }
}

static void look_at_ids(void *client, uint32_t a, uint32_t b) {
  (void)client, (void)a, (void)b;
}

static void look_at_id(void *client, uint32_t a) {
  (void)client, (void)a;
}

static void look_at_advertise(void *client, uint32_t id, const char *topic, const char *encoding) {
  (void)client, (void)id;
  SN_ASSERT(strlen(topic) + strlen(encoding) < SN__FOX_MESSAGE_MAX);
}

static void look_at_publish(void *client, uint32_t id, const void *bytes, size_t size) {
  (void)client, (void)id;
  look_at_bytes(bytes, size);
}

static void look_at_get(void *client, const json_t *names, const char *id) {
  (void)client;
  SN_ASSERT(id == NULL || strlen(id) < SN__FOX_MESSAGE_MAX);
  look_at_texts(names);
}

static void look_at_set(void *client, const json_t *parameters, const char *id) {
  (void)client, (void)id;
  for (size_t i = 0; i < json_array_size(parameters); i++) {
    const json_t *item = json_array_get(parameters, i);
    SN_ASSERT(json_is_string(json_object_get(item, "name")));
    SN_ASSERT(json_object_get(item, "value") != NULL);
  }
}

static void look_at_watch(void *client, const json_t *names, bool is_on) {
  (void)client, (void)is_on;
  look_at_texts(names);
}

static void look_at_call(void *client, uint32_t service, uint32_t call, bool is_json,
                         const void *bytes, size_t size) {
  (void)client, (void)service, (void)call, (void)is_json;
  look_at_bytes(bytes, size);
}

static void look_at_control(void *client, const sn__playback_request *request, const char *id,
                            size_t id_size) {
  (void)client;
  const uint8_t *at = (const uint8_t *)id; /* more fields may follow */
  SN_ASSERT(request->speed > 0.0);
  SN_ASSERT(at >= begin && at + id_size <= end);
}

static void look_at_fetch(void *client, const char *uri, uint32_t request) {
  (void)client, (void)request;
  SN_ASSERT(strlen(uri) < SN__FOX_MESSAGE_MAX);
}

static void look_at_warning(void *client, const char *message) {
  (void)client;
  SN_ASSERT(strlen(message) > 0);
}

static const sn__fox_handler handler = {.subscribe = look_at_ids,
                                        .unsubscribe = look_at_id,
                                        .advertise = look_at_advertise,
                                        .unadvertise = look_at_id,
                                        .publish = look_at_publish,
                                        .control = look_at_control,
                                        .get = look_at_get,
                                        .set = look_at_set,
                                        .watch = look_at_watch,
                                        .call = look_at_call,
                                        .fetch = look_at_fetch,
                                        .warn = look_at_warning};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) {
    return 0;
  }
  begin = data + 1;
  end = data + size;
  sn__fox_receive(&handler, NULL, (data[0] & 1) != 0, begin, size - 1);
  return 0;
}
