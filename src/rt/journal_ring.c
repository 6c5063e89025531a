#include "rt/journal_ring.h"

#include <string.h>

#include "sinew/journal.h"
#include "sinew/msg_cdr.h"

static size_t round_up(size_t size) {
  return (size + 7) & ~(size_t)7;
}

/* @return whether the data fit; their size is in the head then */
static bool put_data(sn__journal_draft *d, uint8_t *at, size_t room) {
  size_t size = d->data_size;
  if (d->data != NULL && d->type != NULL) {
    if (sn_cdr_write(d->type, d->data, at, room, &size) != SN_OK) {
      return false;
    }
  } else if (size > room) {
    return false;
  } else if (d->data != NULL) {
    memcpy(at, d->data, size);
  }
  d->head.data_size = (uint32_t)size;
  return true;
}

static bool put_entry(sn__journal_draft *d, uint8_t *at, size_t room) {
  const size_t first = strlen(d->name);
  const size_t second = strlen(d->point);
  const size_t name_size = first + (second > 0 ? second + 1 : 0);
  const size_t before = sizeof(sn__journal_head) + name_size;
  if (name_size >= SN__JOURNAL_NAME_SIZE || before > room) {
    return false;
  }
  memcpy(at + sizeof(sn__journal_head), d->name, first);
  if (second > 0) {
    at[sizeof(sn__journal_head) + first] = '.';
    memcpy(at + sizeof(sn__journal_head) + first + 1, d->point, second);
  }
  if (!put_data(d, at + before, room - before)) {
    return false;
  }
  d->head.name_size = (uint16_t)name_size;
  d->head.size = (uint32_t)round_up(before + d->head.data_size);
  memcpy(at, &d->head, sizeof d->head);
  return true;
}

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

void sn__journal_ring_put(sn__journal_ring *r, sn__journal_draft *d) {
  const uint64_t written = atomic_load_explicit(&r->written, memory_order_relaxed);
  const uint64_t read = atomic_load_explicit(&r->read, memory_order_acquire);
  const size_t place = (size_t)(written % SN__JOURNAL_RING_SIZE);
  const size_t to_end = SN__JOURNAL_RING_SIZE - place;
  const size_t room = SN__JOURNAL_RING_SIZE - (size_t)(written - read);
  const size_t max = SN_JOURNAL_ENTRY_MAX;
  if (put_entry(d, r->bytes + place, least(least(room, to_end), max))) {
    atomic_store_explicit(&r->written, written + d->head.size, memory_order_release);
    return;
  }
  if (room > to_end && put_entry(d, r->bytes, least(room - to_end, max))) {
    if (to_end >= sizeof(sn__journal_head)) { /* less than that is passed over without being told */
      const sn__journal_head rest = {.size = (uint32_t)to_end};
      memcpy(r->bytes + place, &rest, sizeof rest);
    }
    atomic_store_explicit(&r->written, written + to_end + d->head.size, memory_order_release);
    return;
  }
  atomic_fetch_add_explicit(&r->lost, 1, memory_order_relaxed);
}

/* @return the next entry, NULL: there is none */
const uint8_t *sn__journal_ring_look(sn__journal_ring *r, sn__journal_head *h) {
  for (;;) {
    const uint64_t read = atomic_load_explicit(&r->read, memory_order_relaxed);
    if (read == atomic_load_explicit(&r->written, memory_order_acquire)) {
      return NULL;
    }
    const size_t place = (size_t)(read % SN__JOURNAL_RING_SIZE);
    const size_t to_end = SN__JOURNAL_RING_SIZE - place;
    if (to_end >= sizeof *h) {
      memcpy(h, r->bytes + place, sizeof *h);
      if (h->kind != 0) {
        return r->bytes + place;
      }
    }
    atomic_store_explicit(&r->read, read + to_end, memory_order_release);
  }
}
