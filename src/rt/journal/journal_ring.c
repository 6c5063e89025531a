#include "rt/journal/journal_ring.h"

#include <stdlib.h>
#include <string.h>

#include "rt/journal/journal_read.h"
#include "sinew/msg_wire.h"

static size_t round_up(size_t size) {
  return (size + 7) & ~(size_t)7;
}

void sn__journal_set_apart(sn__journal_draft *d, size_t max) {
  size_t size = d->data_size;
  if (d->data != NULL && d->type != NULL) {
    (void)sn_cdr_write(d->type, d->data, NULL, 0, &size); /* how many there are */
  }
  uint8_t *apart =
      d->data != NULL && size > max && size <= SN__JOURNAL_APART_MAX ? malloc(size) : NULL;
  if (apart == NULL) {
    return;
  }
  if (d->type != NULL && sn_cdr_write(d->type, d->data, apart, size, &size) != SN_OK) {
    free(apart);
    return;
  }
  if (d->type == NULL) {
    memcpy(apart, d->data, size);
  }
  d->apart = apart;
  d->data_size = size;
}

/* @return whether the data fit; their size is in the head then, and that in the ring in @p used */
static bool put_data(sn__journal_draft *d, uint8_t *at, size_t room, size_t *used) {
  size_t size = d->data_size;
  if (d->apart != NULL) {
    *used = sizeof d->apart;
    if (*used > room) {
      return false;
    }
    memcpy(at, &d->apart, sizeof d->apart);
    d->head.is_apart = true;
    d->head.data_size = (uint32_t)size;
    return true;
  }
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
  *used = size;
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
  size_t used = 0;
  if (!put_data(d, at + before, room - before, &used)) {
    return false;
  }
  d->head.name_size = (uint8_t)name_size;
  d->head.size = (uint32_t)round_up(before + used);
  memcpy(at, &d->head, sizeof d->head);
  return true;
}

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

/* @return false if the ring is full */
static bool put(sn__journal_ring *r, sn__journal_draft *d) {
  const uint64_t written = atomic_load_explicit(&r->written, memory_order_relaxed);
  const uint64_t read = atomic_load_explicit(&r->read, memory_order_acquire);
  const size_t place = (size_t)(written % SN__JOURNAL_RING_SIZE);
  const size_t to_end = SN__JOURNAL_RING_SIZE - place;
  const size_t room = SN__JOURNAL_RING_SIZE - (size_t)(written - read);
  const size_t max = SN__JOURNAL_IN_RING_MAX;
  if (put_entry(d, r->bytes + place, least(least(room, to_end), max))) {
    atomic_store_explicit(&r->written, written + d->head.size, memory_order_release);
    return true;
  }
  if (room > to_end && put_entry(d, r->bytes, least(room - to_end, max))) {
    if (to_end >= sizeof(sn__journal_head)) { /* a shorter rest is skipped without a marker */
      const sn__journal_head rest = {.size = (uint32_t)to_end};
      memcpy(r->bytes + place, &rest, sizeof rest);
    }
    atomic_store_explicit(&r->written, written + to_end + d->head.size, memory_order_release);
    return true;
  }
  return false;
}

void sn__journal_ring_put(sn__journal_ring *r, sn__journal_draft *d) {
  bool is_in = false;
  if (d->apart == NULL) {
    is_in = put(r, d);
  } else {
    const size_t size = d->data_size;
    const uint64_t before = atomic_fetch_add_explicit(&r->apart, size, memory_order_relaxed);
    is_in = before + size <= SN__JOURNAL_APART_MAX && put(r, d);
    if (!is_in) {
      atomic_fetch_sub_explicit(&r->apart, size, memory_order_relaxed);
      free(d->apart);
    }
  }
  if (!is_in) {
    atomic_fetch_add_explicit(&r->lost, 1, memory_order_relaxed);
  }
}

/* @return the next entry, NULL: there is none */
static const uint8_t *find_next(sn__journal_ring *r, sn__journal_head *h) {
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

static uint8_t *apart_of(const uint8_t *entry, const sn__journal_head *h) {
  uint8_t *apart = NULL;
  memcpy(&apart, entry + sizeof *h + h->name_size, sizeof apart);
  return apart;
}

bool sn__journal_ring_look(sn__journal_ring *r, size_t max, sn__journal_piece *piece) {
  sn__journal_head h;
  const uint8_t *entry = find_next(r, &h);
  if (entry == NULL) {
    return false;
  }
  const uint8_t *data = h.is_apart ? apart_of(entry, &h) : entry + sizeof h + h.name_size;
  const size_t rest = h.data_size - r->done;
  *piece = (sn__journal_piece){.head = h,
                               .name = (const char *)entry + sizeof h,
                               .data = data + r->done,
                               .size = least(rest, max),
                               .is_last = rest <= max};
  return true;
}

void sn__journal_ring_take(sn__journal_ring *r, const sn__journal_piece *piece, bool all) {
  if (!piece->is_last && !all) {
    r->done += piece->size;
    return;
  }
  if (piece->head.is_apart) {
    free(apart_of((const uint8_t *)piece->name - sizeof piece->head, &piece->head));
    atomic_fetch_sub_explicit(&r->apart, piece->head.data_size, memory_order_relaxed);
  }
  r->done = 0;
  atomic_fetch_add_explicit(&r->read, piece->head.size, memory_order_release);
}

void sn__journal_ring_free(sn__journal_ring *r) {
  sn__journal_piece piece;
  while (r->bytes != NULL && sn__journal_ring_look(r, 1, &piece)) {
    sn__journal_ring_take(r, &piece, true);
  }
  free(r->bytes);
}
