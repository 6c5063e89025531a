#include "control/stop_box.h"

#include "base/text.h"

enum { FREE, WRITING, READY };

void sn__stop_box_put(sn__stop_box *box, const char *who, const char *why) {
  const uint64_t number = atomic_fetch_add(&box->count, 1);
  sn__stop_slot *slot = &box->slots[number % SN__STOP_SLOTS];
  int expected = FREE;
  if (!atomic_compare_exchange_strong(&slot->state, &expected, WRITING)) {
    return;
  }
  slot->number = number;
  (void)sn__text_clean(who, slot->text.who, sizeof slot->text.who);
  (void)sn__text_clean(why, slot->text.why, sizeof slot->text.why);
  atomic_store(&slot->state, READY);
}

uint64_t sn__stop_box_count(sn__stop_box *box) {
  return atomic_load(&box->count);
}

bool sn__stop_box_take(sn__stop_box *box, uint64_t number, sn__stop_text *out) {
  bool is_there = false;
  for (int i = 0; i < SN__STOP_SLOTS; i++) {
    sn__stop_slot *slot = &box->slots[i];
    if (atomic_load(&slot->state) != READY) {
      continue;
    }
    if (slot->number == number) {
      *out = slot->text;
      is_there = true;
    }
    atomic_store(&slot->state, FREE);
  }
  return is_there;
}
