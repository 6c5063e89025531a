#include "foxglove/http/throttle.h"

#include <stddef.h>

#define SECOND_NS INT64_C(1000000000)

/* @return the index of its entry, else of a free one, else of the shared one */
static size_t find(const sn__throttle *throttle, const sn__party *party, int64_t now_ns) {
  size_t place = SN__THROTTLE_PARTIES;
  for (size_t i = 0; i < SN__THROTTLE_PARTIES; i++) {
    const sn__throttle_entry *entry = &throttle->entries[i];
    const bool is_over = entry->until_ns <= now_ns;
    if (!is_over && sn__party_equals(&entry->party, party)) {
      return i;
    }
    if (is_over && place == SN__THROTTLE_PARTIES) {
      place = i;
    }
  }
  return place;
}

unsigned sn__throttle_wait_s(const sn__throttle *throttle, const sn__party *party, int64_t now_ns) {
  const sn__throttle_entry *entry = &throttle->entries[find(throttle, party, now_ns)];
  const bool must_wait = entry->until_ns > now_ns && entry->wrong >= SN__THROTTLE_TRIES;
  return must_wait ? (unsigned)((entry->until_ns - now_ns + SECOND_NS - 1) / SECOND_NS) : 0;
}

void sn__throttle_record(sn__throttle *throttle, const sn__party *party, int64_t now_ns) {
  sn__throttle_entry *entry = &throttle->entries[find(throttle, party, now_ns)];
  if (entry->until_ns <= now_ns) {
    *entry =
        (sn__throttle_entry){.party = *party, .until_ns = now_ns + SN__THROTTLE_SPAN_S * SECOND_NS};
  }
  entry->wrong++;
}
