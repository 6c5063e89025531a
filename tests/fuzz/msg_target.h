/* What the fuzz targets of messages share. The first byte of an input chooses the type. */
#ifndef SN_FUZZ_MSG_TARGET_H
#define SN_FUZZ_MSG_TARGET_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "msg/msg_text.h"
#include "msg/types/action_types.h"
#include "msg/types/msg_action.h"
#include "msg/types/msg_actionlib.h"
#include "msg/types/msg_follow.h"
#include "sinew/fault.h"
#include "sinew/msg_types.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef sn_status read_function(const sn_msg_type *type, const void *bytes, size_t size, void *msg,
                                sn_error *err);
typedef sn_status make_function(const sn_msg_type *type, const void *bytes, size_t size,
                                sn_arena *arena, void **out, sn_error *err);
typedef sn_status write_function(const sn_msg_type *type, const void *msg, void *out, size_t size,
                                 size_t *written);

/* Those of ports, and what clients of actions send. */
static const sn_msg_type *fuzz_type(uint8_t choice) {
  static const sn_msg_type *const of_actions[] = {&sn__follow_send_request_type,
                                                  &sn__cancel_goal_request_type,
                                                  &sn__follow_result_request_type,
                                                  &sn__follow_action_goal_type,
                                                  &sn__actionlib_id_type,
                                                  &sn__step_send_request_type,
                                                  &sn__step_action_goal_type,
                                                  &sn__set_operational_send_request_type,
                                                  &sn__set_operational_action_goal_type};
  return choice < 240 ? sn_msg_type_at(choice % sn_msg_type_count())
                      : of_actions[choice % (sizeof of_actions / sizeof *of_actions)];
}

/* A message made from bytes equals one read from them, except for what does not fit. */
static void fuzz_make(make_function *make, const sn_msg_type *type, const uint8_t *data,
                      size_t size, sn_status read_status, const void *read) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "made", 0);
  sn_error err = {SN_OK, ""};
  void *made = NULL;
  const sn_status status = make(type, data, size, &arena, &made, &err);
  if (status == SN_OK) {
    SN_ASSERT(read_status == SN_OK ? sn__msg_equal(type, made, read) : read_status == SN_ENOSPC);
  } else {
    SN_ASSERT(read_status != SN_OK);
    SN_ASSERT(err.message[0] != '\0');
    SN_ASSERT(sn_arena_used(&arena) == 0);
  }
  sn_arena_release(&arena);
}

/* make may be NULL. For any input: a rejection has a reason and leaves the message untouched; an
   accepted message survives another round trip unchanged. */
static void fuzz_wire(read_function *read, make_function *make, write_function *write,
                      const uint8_t *data, size_t size) {
  if (size == 0) {
    return;
  }
  const sn_msg_type *type = fuzz_type(data[0]);
  const sn_msg_capacity capacity = {.item_count = 9, .text_size = 24};
  sn_arena arena;
  sn_arena_init_growing(&arena, "fuzz", 0);
  void *msg = sn_msg_create(&arena, type, &capacity);
  void *other = sn_msg_create(&arena, type, &capacity);
  SN_ASSERT(msg != NULL && other != NULL);

  sn_error err = {SN_OK, ""};
  const sn_status read_status = read(type, data + 1, size - 1, msg, &err);
  if (make != NULL) {
    fuzz_make(make, type, data + 1, size - 1, read_status, msg);
  }
  if (read_status != SN_OK) {
    SN_ASSERT(err.message[0] != '\0');
    SN_ASSERT(!sn__text_has_control(err.message));
    SN_ASSERT(sn__msg_equal(type, msg, other));
  } else {
    size_t needed = 0;
    const sn_status status = write(type, msg, NULL, 0, &needed);
    SN_ASSERT(status == SN_ENOSPC || status == SN_ELIMIT);
    uint8_t *bytes = malloc(needed); /* exactly, so that the sanitizer sees a byte too many */
    SN_ASSERT(bytes != NULL);
    if (status == SN_ENOSPC) {
      SN_ASSERT(write(type, msg, bytes, needed, &needed) == SN_OK);
      SN_ASSERT(read(type, bytes, needed, other, &err) == SN_OK);
      SN_ASSERT(sn__msg_equal(type, msg, other));
    }
    free(bytes);
  }
  sn_arena_release(&arena);
}

#endif
