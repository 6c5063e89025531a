/* Movements out of whatever bytes: a verdict with its reason, and what is accepted is written and
   read again as the same message. */
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "movements/movement.h"
#include "msg/msg_text.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_again(sn_arena *arena, const sn__movement *movement) {
  const sn_msg_type *type = sn__movement_type(movement->kind);
  SN_ASSERT(sn_msg_is_finite(type, movement->msg));
  sn__buffer text = {.max = (size_t)64 << 20};
  sn__movement_write(movement, &text);
  SN_ASSERT(!text.failed);
  sn__movement again;
  SN_ASSERT(sn__movement_parse(text.data, text.used, "again", arena, &again, NULL) == SN_OK);
  SN_ASSERT(again.kind == movement->kind);
  SN_ASSERT(sn__msg_equal(type, movement->msg, again.msg));
  SN_ASSERT(sn_report_count(again.warnings) == 0);
  sn__buffer_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "movement", 4096);
  sn__movement movement;
  sn_error err = {SN_OK, ""};
  const sn_status status =
      sn__movement_parse((const char *)data, size, "fuzz", &arena, &movement, &err);
  if (status == SN_OK) {
    check_again(&arena, &movement);
  } else {
    SN_ASSERT(err.message[0] != '\0');
    SN_ASSERT(!sn__text_has_control(err.message));
  }
  sn_arena_release(&arena);
  return 0;
}
