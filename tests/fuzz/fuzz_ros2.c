/* Fuzzes what a ROS 2 node receives over DDS before a message is decoded: fragmented samples,
   service requests and user data of endpoints. The first byte selects. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define asm __asm__ /* Cyclone's headers use GNU C */
#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/ddsi_sertype.h>
#include <dds/ddsi/q_radmin.h>
#undef asm

#include "msg/node/controller_msgs.h"
#include "msg/node/description_msgs.h"
#include "msg/node/parameter_msgs.h"
#include "ros/ros2/blob.h"
#include "ros/ros2/wire_names.h"
#include "sinew/fault.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_types.h"
#include "sinew/msg_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- fragments ---- */

enum { FRAGMENTS_MAX = 16, GAP = 8 };

/* The byte at an offset of the sample, the same in all fragments. */
static uint8_t byte_at(size_t place) {
  return (uint8_t)(31 * place + 7);
}

/* A fragment with bytes min .. maxp1 - 1 of the sample, in memory of exactly that size. */
static struct nn_rdata *create_fragment(uint32_t min, uint32_t maxp1) {
  struct nn_rdata *fragment = calloc(1, sizeof *fragment);
  struct nn_rmsg *packet = calloc(1, sizeof *packet + GAP + (maxp1 - min));
  SN_ASSERT(fragment != NULL && packet != NULL);
  for (uint32_t i = 0; i < maxp1 - min; i++) {
    NN_RMSG_PAYLOADOFF(packet, GAP)[i] = byte_at(min + i);
  }
  *fragment = (struct nn_rdata){.rmsg = packet, .min = min, .maxp1 = maxp1, .payload_zoff = GAP};
  return fragment;
}

/* A sample with a gap or beyond its end is rejected; otherwise it has the bytes of the fragments,
   and is sent as it was received. */
static void check_sample(const struct ddsi_sertype *type, struct ddsi_serdata *sample,
                         bool is_whole, size_t size, size_t covered) {
  SN_ASSERT((sample != NULL) == is_whole);
  if (sample == NULL) {
    return;
  }
  const struct ddsi_serdata_ops *ops = type->serdata_ops;
  SN_ASSERT(ops->get_size(sample) == size);
  uint8_t *out = malloc(size + 1);
  SN_ASSERT(out != NULL);
  ops->to_ser(sample, 0, size, out);
  for (size_t i = 0; i < size; i++) {
    SN_ASSERT(out[i] == (i < covered ? byte_at(i) : 0));
  }
  ddsrt_iovec_t lent;
  struct ddsi_serdata *held = ops->to_ser_ref(sample, 0, (size + 3) & ~(size_t)3, &lent);
  SN_ASSERT(memcmp(lent.iov_base, out, size) == 0);
  struct ddsi_serdata *again =
      ops->from_ser_iov(type, SDK_DATA, 1, &(ddsrt_iovec_t){lent.iov_base, size}, size);
  ops->to_ser_unref(held, &lent);
  SN_ASSERT(again != NULL && ops->eqkey(sample, again) && ops->get_size(again) == size);
  ddsi_serdata_unref(again);
  ddsi_serdata_unref(sample);
  free(out);
}

static void fuzz_fragments(const uint8_t *data, size_t length) {
  struct ddsi_sertype *type = sn__blob_type("fuzz");
  SN_ASSERT(type != NULL);
  const size_t size = length > 0 ? data[0] : 0;
  struct nn_rdata *first = NULL;
  struct nn_rdata **end = &first;
  size_t covered = 0;
  bool is_whole = true;
  for (size_t i = 1; i + 1 < length && i < 2 * FRAGMENTS_MAX; i += 2) {
    const uint32_t min = data[i];
    const uint32_t maxp1 = min + data[i + 1];
    *end = create_fragment(min, maxp1);
    end = &(*end)->nextfrag;
    is_whole = is_whole && min <= covered && maxp1 <= size;
    covered = is_whole && maxp1 > covered ? maxp1 : covered;
  }
  check_sample(type, type->serdata_ops->from_ser(type, SDK_DATA, first, size), is_whole, size,
               covered);
  while (first != NULL) {
    struct nn_rdata *next = first->nextfrag;
    free(first->rmsg);
    free(first);
    first = next;
  }
  ddsi_sertype_unref(type);
}

/* ---- requests ---- */

/* Requests to the services of the node itself get the memory that they need. What was read can be
   written, and reads back. */
static void fuzz_node_request(const sn__bytes *message) {
  static const sn_msg_type *const types[] = {&sn__list_request_type, &sn__get_request_type,
                                             &sn__set_request_type, &sn__switch_request_type,
                                             &sn__description_request_type};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    sn_arena arena;
    sn_arena_init_growing(&arena, "fuzz", 0);
    sn_error err = {SN_OK, ""};
    void *made = NULL;
    if (sn_cdr_make(types[i], message->data, message->used, &arena, &made, &err) == SN_OK) {
      size_t size = 0;
      (void)sn_cdr_write(types[i], made, NULL, 0, &size);
      char *bytes = malloc(size);
      SN_ASSERT(bytes != NULL);
      SN_ASSERT(sn_cdr_write(types[i], made, bytes, size, &size) == SN_OK);
      SN_ASSERT(sn_cdr_make(types[i], bytes, size, &arena, &made, &err) == SN_OK);
      free(bytes);
    } else {
      SN_ASSERT(err.message[0] != '\0');
    }
    sn_arena_release(&arena);
  }
}

/* A request that was split and joined is unchanged; its message is parsed or rejected. */
static void fuzz_request(const uint8_t *data, size_t size) {
  static const sn_msg_type *const types[] = {&sn_call_switch_type, &sn_call_name_type,
                                             &sn_resource_request_type};
  uint8_t caller[SN__ROS2_CALL_HEADER];
  sn__bytes message = {0};
  const char *why = sn__ros2_request_read(data, size, caller, &message);
  const bool is_good = size >= 4 + sizeof caller && data[0] == 0 && data[1] == 1;
  SN_ASSERT((why == NULL) == is_good);
  if (is_good) {
    SN_ASSERT(memcmp(message.data, data, 4) == 0 && memcmp(caller, data + 4, sizeof caller) == 0);
    SN_ASSERT(message.used == size - sizeof caller);
    SN_ASSERT(memcmp(message.data + 4, data + 4 + sizeof caller, message.used - 4) == 0);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
      sn_arena arena;
      sn_arena_init_growing(&arena, "fuzz", 0);
      void *msg = sn_msg_create(&arena, types[i], NULL);
      sn_error err = {SN_OK, ""};
      SN_ASSERT(msg != NULL);
      SN_ASSERT(sn_cdr_read(types[i], message.data, message.used, msg, &err) == SN_OK ||
                err.message[0] != '\0');
      sn_arena_release(&arena);
    }
    fuzz_node_request(&message);
  }
  sn__bytes_free(&message);
}

/* ---- user data ---- */

enum { VALUE_SIZE = 8 };

/* Reference implementation, entry by entry. @param at, end  out: where the value is */
static bool find_slowly(const uint8_t *data, size_t size, const char *key, size_t *at,
                        size_t *value_end) {
  const size_t length = strlen(key);
  for (size_t begin = 0; begin < size;) {
    size_t end = begin;
    while (end < size && data[end] != ';') {
      end++;
    }
    if (end - begin > length && memcmp(data + begin, key, length) == 0 &&
        data[begin + length] == '=') {
      *at = begin + length + 1;
      *value_end = end;
      return true;
    }
    begin = end + 1;
  }
  return false;
}

static void fuzz_user_data(const uint8_t *data, size_t size) {
  char value[VALUE_SIZE] = "";
  size_t at = 0;
  size_t end = 0;
  const bool is_there = find_slowly(data, size, "clientid", &at, &end);
  SN_ASSERT(sn__ros2_value(data, size, "clientid", value, sizeof value) == is_there);
  const size_t length = strlen(value);
  SN_ASSERT(length < sizeof value && length <= end - at);
  SN_ASSERT(memcmp(value, data + at, length) == 0);
  SN_ASSERT(length == end - at || length == sizeof value - 1 || data[at + length] == '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) {
    return 0;
  }
  uint8_t *copy = malloc(size > 1 ? size - 1 : 1); /* exact size, so that overreads are detected */
  SN_ASSERT(copy != NULL);
  memcpy(copy, data + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      fuzz_fragments(copy, size - 1);
      break;
    case 1:
      fuzz_request(copy, size - 1);
      break;
    default:
      fuzz_user_data(copy, size - 1);
  }
  free(copy);
  return 0;
}
