#include "remote/remote_msg.h"

void *sn__remote_msg_create(sn_arena *arena, const sn_msg_type *type) {
  for (size_t text_size = (size_t)1 << 20; text_size >= 256; text_size /= 4) {
    const sn_msg_capacity large = {.item_count = 256, .text_size = text_size};
    if (sn_msg_size(type, &large) <= (size_t)4 << 20) {
      return sn_msg_create(arena, type, &large);
    }
  }
  return sn_msg_create(arena, type, NULL);
}
