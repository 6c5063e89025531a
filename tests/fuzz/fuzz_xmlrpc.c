/* Fuzzes HTTP heads and XML-RPC calls and responses. All accessors work on every parsed message. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ros/ros1/http.h"
#include "ros/ros1/rpc.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const sn__rpc_value *value, int depth) {
  const sn__rpc_value *item = NULL;
  int32_t number = 0;
  const char *text = sn__rpc_text(value);
  SN_ASSERT(text == NULL || strlen(text) < SN__RPC_SIZE_MAX);
  (void)sn__rpc_int(value, &number);
  if (depth < SN__RPC_DEPTH_MAX && sn__rpc_array(value, &item)) {
    for (; item != NULL; item = item->next) {
      ask(item, depth + 1);
    }
  }
}

static void parse_body(const char *body, size_t size) {
  sn_error err = {SN_OK, ""};
  sn__rpc_message message;
  sn_arena arena;
  sn_arena_init_growing(&arena, "fuzz", 4096);
  if (sn__rpc_parse(&arena, body, size, &message, &err) == SN_OK) {
    const sn__rpc_value *value = NULL;
    SN_ASSERT(message.count <= SN__RPC_PARAMS_MAX);
    for (size_t i = 0; i < message.count; i++) {
      ask(message.values[i], 0);
    }
    (void)sn__rpc_answer(&message, &value, &err);
  } else {
    SN_ASSERT(err.message[0] != '\0');
  }
  sn_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *copy = malloc(size + 1); /* exact size, so that overreads are detected */
  SN_ASSERT(copy != NULL);
  memcpy(copy, data, size);
  sn_error err = {SN_OK, ""};
  sn__http_message http;
  const sn_status status = sn__http_parse(copy, size, 100000, &http, &err);
  if (status == SN_OK) {
    SN_ASSERT(http.body_start <= size);
    const size_t come = size - http.body_start;
    parse_body(copy + http.body_start, come < http.body_size ? come : http.body_size);
  }
  parse_body(copy, size);
  copy[size] = '\0';
  char host[64];
  int port = 0;
  if (sn__http_split_uri(copy, "http", host, sizeof host, &port)) {
    SN_ASSERT(port > 0 && port < 65536);
  }
  free(copy);
  return 0;
}
