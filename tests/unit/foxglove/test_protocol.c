/* What clients send, taken apart: each message becomes the calls that it asks for, and nothing
 * else. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "foxglove/protocol.h"
#include "sn_test.h"

/* The calls as text, one after the other. */
static char heard[4096];

static void hear(const char *format, ...) SN_PRINTF(1, 2);

static void hear(const char *format, ...) {
  const size_t used = strlen(heard);
  va_list args;
  va_start(args, format);
  vsnprintf(heard + used, sizeof heard - used, format, args);
  va_end(args);
}

static void hear_subscribe(void *client, uint32_t id, uint32_t channel) {
  (void)client;
  hear("subscribe %u %u;", id, channel);
}

static void hear_unsubscribe(void *client, uint32_t id) {
  (void)client;
  hear("unsubscribe %u;", id);
}

static void hear_advertise(void *client, uint32_t id, const char *topic, const char *encoding) {
  (void)client;
  hear("advertise %u %s %s;", id, topic, encoding);
}

static void hear_unadvertise(void *client, uint32_t id) {
  (void)client;
  hear("unadvertise %u;", id);
}

static void hear_publish(void *client, uint32_t id, const void *bytes, size_t size) {
  (void)client;
  hear("publish %u '%.*s';", id, (int)size, (const char *)bytes);
}

static void hear_json(const char *what, const json_t *json, const char *id) {
  char *text = json_dumps(json, JSON_COMPACT);
  hear("%s %s %s;", what, text, id == NULL ? "-" : id);
  free(text);
}

static void hear_get(void *client, const json_t *names, const char *id) {
  (void)client;
  hear_json("get", names, id);
}

static void hear_set(void *client, const json_t *parameters, const char *id) {
  (void)client;
  hear_json("set", parameters, id);
}

static void hear_watch(void *client, const json_t *names, bool is_on) {
  (void)client;
  hear_json(is_on ? "watch" : "unwatch", names, NULL);
}

static void hear_call(void *client, uint32_t service, uint32_t call, bool is_json,
                      const void *bytes, size_t size) {
  (void)client;
  hear("call %u %u %s '%.*s';", service, call, is_json ? "json" : "other", (int)size,
       (const char *)bytes);
}

static void hear_fetch(void *client, const char *uri, uint32_t request) {
  (void)client;
  hear("fetch %s %u;", uri, request);
}

static void hear_complaint(void *client, const char *message) {
  (void)client;
  hear("complaint: %s;", message);
}

static const sn__fox_handler handler = {
    hear_subscribe, hear_unsubscribe, hear_advertise, hear_unadvertise, hear_publish,  hear_get,
    hear_set,       hear_watch,       hear_call,      hear_fetch,       hear_complaint};

static const char *text(const char *message) {
  heard[0] = '\0';
  sn__fox_receive(&handler, NULL, false, message, strlen(message));
  return heard;
}

static const char *binary(const char *bytes, size_t size) {
  heard[0] = '\0';
  sn__fox_receive(&handler, NULL, true, bytes, size);
  return heard;
}

static void each_operation_becomes_its_calls(void **state) {
  (void)state;
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

/* One good item among bad ones counts; a list to be done as a whole is done as a whole or not. */
static void what_is_wrong_is_told_and_the_rest_is_done(void **state) {
  (void)state;
  assert_string_equal(text("{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":-1,\"channelId\":3},"
                           "{\"id\":1,\"channelId\":4294967296},{\"id\":2,\"channelId\":2}]}"),
                      "complaint: 'id' must be a number from 0 to 4294967295;"
                      "complaint: 'channelId' must be a number from 0 to 4294967295;"
                      "subscribe 2 2;");
  assert_string_equal(text("{\"op\":\"setParameters\",\"parameters\":[{\"name\":\"a\",\"value\":1},"
                           "{\"name\":\"b\"}]}"),
                      "complaint: parameter 'b' cannot be removed;");
  assert_string_equal(text("{\"op\":\"setParameters\",\"parameters\":[{\"name\":\"a\",\"value\":"
                           "\"QQ==\",\"type\":\"byte_array\"}]}"),
                      "complaint: parameter 'a' is no array of bytes;");
  assert_string_equal(text("{\"op\":\"getParameters\",\"parameterNames\":[\"a\",1]}"),
                      "complaint: 'parameterNames' must be a list of texts;");
  assert_string_equal(text("{\"op\":\"getParameters\",\"parameterNames\":[],\"id\":5}"),
                      "complaint: 'id' must be a text;");
  assert_string_equal(text("{\"op\":\"fly\"}"), "complaint: there is no operation 'fly';");
  assert_string_equal(text("[]"), "complaint: a message is an object with an 'op', a text;");
  assert_string_equal(text("{\"op\":\"subscribe\"}"), "complaint: 'subscriptions' must be a list;");
  assert_non_null(strstr(text("{"), "complaint: JSON, column"));
  assert_non_null(strstr(text("{\"op\":\"a\",\"op\":\"b\"}"), "complaint: JSON"));
  assert_non_null(strstr(text("{\"op\":\"fetchAsset\",\"uri\":\"a\\u0000b\"}"), "complaint: JSON"));
}

static void short_and_lying_binary_messages_are_told(void **state) {
  (void)state;
  assert_non_null(strstr(binary("", 0), "complaint: a binary message of 0 bytes begins with -1"));
  assert_non_null(strstr(binary("\1\0\0\0", 4), "complaint: a binary message of 4 bytes"));
  assert_non_null(strstr(binary("\3xxxxxxxx", 9), "begins with 3"));
  assert_non_null(strstr(binary("\2xxxxxxxxxxx", 12), "has 12 bytes, at least 13"));
  assert_string_equal(binary("\2\3\0\0\0\4\0\0\0\4\0\0\0jso", 16),
                      "complaint: a service call names an encoding of 4 bytes, and has 3;");
  assert_non_null(strstr(binary("\2\3\0\0\0\4\0\0\0\377\377\377\377json", 17), "4294967295 bytes"));
}

static void numbers_are_little_endian(void **state) {
  (void)state;
  unsigned char bytes[8];
  sn__fox_put_u64(bytes, UINT64_C(0x0123456789abcdef));
  assert_memory_equal(bytes, "\xef\xcd\xab\x89\x67\x45\x23\x01", 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_operation_becomes_its_calls),
      cmocka_unit_test(what_is_wrong_is_told_and_the_rest_is_done),
      cmocka_unit_test(short_and_lying_binary_messages_are_told),
      cmocka_unit_test(numbers_are_little_endian),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
