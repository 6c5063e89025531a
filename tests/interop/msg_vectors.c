/* Prints, for each type, one line of JSON with its definitions, its MD5 sum and messages with
   random values, each as JSON and as bytes in hexadecimal. msg_compare.mjs compares them with its
   peers. usage: msg_vectors [COUNT]     messages of each type */
#include <stdio.h>
#include <stdlib.h>

#include "msg/wire/msg_ros1.h"
#include "msg/wire/msg_schema.h"
#include "random_msg.h"
#include "sinew/fault.h"
#include "sinew/msg_types.h"
#include "sinew/msg_wire.h"

#define OUT_SIZE 65536

static char text[OUT_SIZE];

/* Only line ends need escaping in definitions. */
static void print_schema(const char *key, size_t length) {
  SN_ASSERT(length < OUT_SIZE);
  printf("\"%s\":\"", key);
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '\n') {
      fputs("\\n", stdout);
    } else {
      putchar(text[i]);
    }
  }
  fputs("\",", stdout);
}

static void print_bytes(const char *key, const uint8_t *bytes, size_t size) {
  printf(",\"%s\":\"", key);
  for (size_t i = 0; i < size; i++) {
    printf("%02x", (unsigned)bytes[i]);
  }
  putchar('"');
}

static void print_values(const sn_msg_type *type, const void *msg) {
  static uint8_t bytes[OUT_SIZE];
  size_t size = 0;
  SN_ASSERT(sn_msg_to_json(type, msg, text, sizeof text) < sizeof text);
  printf("{\"json\":%s", text);
  SN_ASSERT(sn_cdr_write(type, msg, bytes, sizeof bytes, &size) == SN_OK);
  print_bytes("cdr", bytes, size);
  SN_ASSERT(sn__ros1_write(type, msg, bytes, sizeof bytes, &size) == SN_OK);
  print_bytes("ros1", bytes, size);
  putchar('}');
}

int main(int argc, char **argv) {
  const size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 50;
  const sn_msg_capacity capacity = {.item_count = 9, .text_size = 24};
  sn_random random;
  sn_random_init(&random, 41);
  for (size_t t = 0; t < sn_msg_type_count(); t++) {
    const sn_msg_type *type = sn_msg_type_at(t);
    sn_arena arena;
    sn_arena_init_growing(&arena, "vectors", 0);
    void *msg = sn_msg_create(&arena, type, &capacity);
    char md5[SN_ROS1_MD5_SIZE];
    sn__ros1_md5(type, md5);
    printf("{\"name\":\"%s\",\"md5\":\"%s\",", type->ros1_name, md5);
    print_schema("schema_ros1", sn__msg_schema_ros1(type, text, sizeof text));
    print_schema("schema_ros2", sn__msg_schema_ros2(type, text, sizeof text));
    fputs("\"messages\":[", stdout);
    for (size_t i = 0; i < count; i++) {
      fputs(i == 0 ? "" : ",", stdout);
      print_values(type, msg); /* the first one is empty */
      const sn_random_msg_config config = {
          .is_valid_time = true, .is_json = true, .is_ascii = i % 2 == 0};
      sn_random_msg_fill(type, msg, &config, &random);
    }
    fputs("]}\n", stdout);
    sn_arena_release(&arena);
  }
  return 0;
}
