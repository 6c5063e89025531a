/* Messages from clients: each becomes the calls that it asks for, and nothing else. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "foxglove/protocol.h"
#include "sn_test.h"

/* The calls as text. */
static char recorded[4096];

static void record(const char *format, ...) SN_PRINTF(1, 2);

static void record(const char *format, ...) {
  const size_t used = strlen(recorded);
  va_list args;
  va_start(args, format);
  vsnprintf(recorded + used, sizeof recorded - used, format, args);
  va_end(args);
}

static void record_subscribe(void *client, uint32_t id, uint32_t channel) {
  (void)client;
  record("subscribe %u %u;", id, channel);
}

static void record_unsubscribe(void *client, uint32_t id) {
  (void)client;
  record("unsubscribe %u;", id);
}

static void record_advertise(void *client, uint32_t id, const char *topic, const char *encoding) {
  (void)client;
  record("advertise %u %s %s;", id, topic, encoding);
}

static void record_unadvertise(void *client, uint32_t id) {
  (void)client;
  record("unadvertise %u;", id);
}

static void record_publish(void *client, uint32_t id, const void *bytes, size_t size) {
  (void)client;
  record("publish %u '%.*s';", id, (int)size, (const char *)bytes);
}

static void record_control(void *client, const sn__playback_request *request, const char *id,
                           size_t id_size) {
  (void)client;
  record("%s %g ", request->plays ? "play" : "pause", request->speed);
  if (request->has_seek) {
    record("at %llu ", (unsigned long long)request->seek_ns);
  }
  record("'%.*s';", (int)id_size, id);
}

static void record_json(const char *what, const json_t *json, const char *id) {
  char *text = json_dumps(json, JSON_COMPACT);
  record("%s %s %s;", what, text, id == NULL ? "-" : id);
  free(text);
}

static void record_get(void *client, const json_t *names, const char *id) {
  (void)client;
  record_json("get", names, id);
}

static void record_set(void *client, const json_t *parameters, const char *id) {
  (void)client;
  record_json("set", parameters, id);
}

static void record_watch(void *client, const json_t *names, bool is_on) {
  (void)client;
  record_json(is_on ? "watch" : "unwatch", names, NULL);
}

static void record_call(void *client, uint32_t service, uint32_t call, bool is_json,
                        const void *bytes, size_t size) {
  (void)client;
  record("call %u %u %s '%.*s';", service, call, is_json ? "json" : "other", (int)size,
         (const char *)bytes);
}

static void record_fetch(void *client, const char *uri, uint32_t request) {
  (void)client;
  record("fetch %s %u;", uri, request);
}

static void record_warning(void *client, const char *message) {
  (void)client;
  record("warning: %s;", message);
}

static const sn__fox_handler handler = {.subscribe = record_subscribe,
                                        .unsubscribe = record_unsubscribe,
                                        .advertise = record_advertise,
                                        .unadvertise = record_unadvertise,
                                        .publish = record_publish,
                                        .control = record_control,
                                        .get = record_get,
                                        .set = record_set,
                                        .watch = record_watch,
                                        .call = record_call,
                                        .fetch = record_fetch,
                                        .warn = record_warning};

static const sn__fox_handler stop_only = {
    .call = record_call, .warn = record_warning, .refusal = "only calls"};

static const char *text(const char *message) {
  recorded[0] = '\0';
  sn__fox_receive(&handler, NULL, false, message, strlen(message));
  return recorded;
}

static const char *binary(const char *bytes, size_t size) {
  recorded[0] = '\0';
  sn__fox_receive(&handler, NULL, true, bytes, size);
  return recorded;
}

SN_TEST(each_operation_becomes_its_calls) {
  assert_string_equal(text("{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":0,\"channelId\":3},"
                           "{\"id\":4294967295,\"channelId\":5}]}"),
                      "subscribe 0 3;subscribe 4294967295 5;");
  assert_string_equal(text("{\"op\":\"unsubscribe\",\"subscriptionIds\":[0,7]}"),
                      "unsubscribe 0;unsubscribe 7;");
  assert_string_equal(text("{\"op\":\"advertise\",\"channels\":[{\"id\":1,\"topic\":\"/a/b\","
                           "\"encoding\":\"json\",\"schemaName\":\"x\"}]}"),
                      "advertise 1 /a/b json;");
  assert_string_equal(text("{\"op\":\"unadvertise\",\"channelIds\":[1]}"), "unadvertise 1;");
  assert_string_equal(text("{\"op\":\"getParameters\",\"parameterNames\":[\"a.b\"],\"id\":\"r\"}"),
                      "get [\"a.b\"] r;");
  assert_string_equal(text("{\"op\":\"getParameters\",\"parameterNames\":[]}"), "get [] -;");
  assert_string_equal(
      text("{\"op\":\"setParameters\",\"parameters\":[{\"name\":\"a.b\",\"value\":[1,2]}]}"),
      "set [{\"name\":\"a.b\",\"value\":[1,2]}] -;");
  assert_string_equal(text("{\"op\":\"subscribeParameterUpdates\",\"parameterNames\":[\"x\"]}"),
                      "watch [\"x\"] -;");
  assert_string_equal(text("{\"op\":\"unsubscribeParameterUpdates\",\"parameterNames\":[]}"),
                      "unwatch [] -;");
  assert_string_equal(text("{\"op\":\"fetchAsset\",\"uri\":\"package://a/b\",\"requestId\":9}"),
                      "fetch package://a/b 9;");
  assert_string_equal(binary("\1\2\0\0\0hello", 10), "publish 2 'hello';");
  assert_string_equal(binary("\1\2\1\0\0", 5), "publish 258 '';");
  assert_string_equal(binary("\2\3\0\0\0\4\0\0\0\4\0\0\0json{}", 19), "call 3 4 json '{}';");
  assert_string_equal(binary("\2\3\0\0\0\4\0\0\0\3\0\0\0cdrx", 17), "call 3 4 other 'x';");
}

/* Valid items among invalid ones are executed, except in lists that are executed as a whole. */
SN_TEST(invalid_parts_are_reported_and_the_rest_is_executed) {
  assert_string_equal(text("{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":-1,\"channelId\":3},"
                           "{\"id\":1,\"channelId\":4294967296},{\"id\":2,\"channelId\":2}]}"),
                      "warning: 'id' must be a number from 0 to 4294967295;"
                      "warning: 'channelId' must be a number from 0 to 4294967295;"
                      "subscribe 2 2;");
  assert_string_equal(text("{\"op\":\"setParameters\",\"parameters\":[{\"name\":\"a\",\"value\":1},"
                           "{\"name\":\"b\"}]}"),
                      "warning: parameter 'b' cannot be removed;");
  assert_string_equal(text("{\"op\":\"setParameters\",\"parameters\":[{\"name\":\"a\",\"value\":"
                           "\"QQ==\",\"type\":\"byte_array\"}]}"),
                      "warning: parameter 'a' is not an array of bytes;");
  assert_string_equal(text("{\"op\":\"getParameters\",\"parameterNames\":[\"a\",1]}"),
                      "warning: 'parameterNames' must be a list of texts;");
  assert_string_equal(text("{\"op\":\"getParameters\",\"parameterNames\":[],\"id\":5}"),
                      "warning: 'id' must be a text;");
  assert_string_equal(text("{\"op\":\"fly\"}"), "warning: unknown operation 'fly';");
  assert_string_equal(text("[]"), "warning: a message is an object with an 'op', a text;");
  assert_string_equal(text("{\"op\":\"subscribe\"}"), "warning: 'subscriptions' must be a list;");
  assert_non_null(strstr(text("{"), "warning: JSON, column"));
  assert_non_null(strstr(text("{\"op\":\"a\",\"op\":\"b\"}"), "warning: JSON"));
  assert_non_null(strstr(text("{\"op\":\"fetchAsset\",\"uri\":\"a\\u0000b\"}"), "warning: JSON"));
}

SN_TEST(short_and_inconsistent_binary_messages_are_reported) {
  assert_non_null(strstr(binary("", 0), "warning: a binary message of 0 bytes begins with -1"));
  assert_non_null(strstr(binary("\1\0\0\0", 4), "warning: a binary message of 4 bytes"));
  assert_non_null(strstr(binary("\4xxxxxxxx", 9), "begins with 4"));
  assert_non_null(strstr(binary("\2xxxxxxxxxxx", 12), "has 12 bytes, expected at least 13"));
  assert_string_equal(binary("\2\3\0\0\0\4\0\0\0\4\0\0\0jso", 16),
                      "warning: the encoding of a service call has 4 bytes, but only 3 follow;");
  assert_non_null(strstr(binary("\2\3\0\0\0\4\0\0\0\377\377\377\377json", 17), "4294967295 bytes"));
}

/* Bytes as the protocol has them: 1.0f is 00 00 80 3f. */
SN_TEST(playback_is_controlled) {
  assert_string_equal(binary("\3\0\0\0\200\77\0\0\0\0\0\0\0\0\0\2\0\0\0ab", 21), "play 1 'ab';");
  assert_string_equal(binary("\3\1\0\0\0\100\1\1\2\0\0\0\0\0\0\1\0\0\0x", 20),
                      "pause 2 at 513 'x';");
  assert_string_equal(binary("\3\0\0\0\200\77\0\0\0\0\0\0\0\0\0\0\0\0\0", 19), "play 1 '';");
}

SN_TEST(invalid_control_of_playback_is_reported) {
  assert_non_null(strstr(binary("\3\0\0\0\200\77\0\0\0\0\0\0\0\0\0\2\0\0", 18),
                         "has 18 bytes, expected at least 19"));
  assert_non_null(strstr(binary("\3\0\0\0\200\77\0\0\0\0\0\0\0\0\0\2\0\0\0x", 20),
                         "has 2 bytes, but only 1 follow"));
  assert_non_null(strstr(binary("\3\2\0\0\200\77\0\0\0\0\0\0\0\0\0\0\0\0\0", 19), "command 2"));
  assert_non_null(strstr(binary("\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 19), "speed 0"));
  assert_non_null(strstr(binary("\3\0\0\0\300\177\0\0\0\0\0\0\0\0\0\0\0\0\0", 19), "speed nan"));
}

SN_TEST(numbers_are_little_endian) {
  unsigned char bytes[8];
  sn__fox_put_u64(bytes, UINT64_C(0x0123456789abcdef));
  assert_memory_equal(bytes, "\xef\xcd\xab\x89\x67\x45\x23\x01", 8);
}

SN_TEST(handler_that_refuses_gets_calls_only) {
  static const char *const messages[] = {
      "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":0,\"channelId\":3}]}",
      "{\"op\":\"setParameters\",\"parameters\":[]}", "nonsense"};
  for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
    recorded[0] = '\0';
    sn__fox_receive(&stop_only, NULL, false, messages[i], strlen(messages[i]));
    assert_string_equal(recorded, "warning: only calls;");
  }
  recorded[0] = '\0';
  sn__fox_receive(&stop_only, NULL, true, "\1\0\0\0\0x", 6);
  assert_string_equal(recorded, "warning: only calls;");
  recorded[0] = '\0';
  sn__fox_receive(&stop_only, NULL, true, "\2\7\0\0\0\1\0\0\0\4\0\0\0json{}", 19);
  assert_string_equal(recorded, "call 7 1 json '{}';");
}
