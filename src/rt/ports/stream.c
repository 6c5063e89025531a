#include "rt/ports/stream.h"

#include <stdlib.h>
#include <string.h>

/* A header: the tag in the upper 16 bits, below it the bytes of the record, header included. */
enum { HEADER = 8, TAG_SHIFT = 48, ALIGN = 64 };
/* The tag of a record without content, which ends where the ring begins again. */
#define SKIP UINT16_MAX
/* Beyond this the ring begins again as soon as everything is read. */
#define REWIND ((uint64_t)64 << 10)
/* More writers at once than there are activities: a ring that is that busy counts as full. */
enum { TRIES = 64 };

static _Atomic uint64_t *header_at(const sn__stream *stream, uint64_t at) {
  return (_Atomic uint64_t *)(void *)(stream->bytes + at);
}

static uint64_t header_of(uint64_t size, uint16_t tag) {
  return size | (uint64_t)tag << TAG_SHIFT;
}

static uint64_t size_of(uint64_t header) {
  return header & (((uint64_t)1 << TAG_SHIFT) - 1);
}

static uint64_t record_size(size_t content) {
  return ((uint64_t)content + HEADER + 7) / 8 * 8;
}

static void dispose(sn__retired *what) {
  sn__stream_destroy((sn__stream *)(void *)what); /* its first member */
}

sn__stream *sn__stream_create(size_t size) {
  sn__stream *stream = aligned_alloc(alignof(sn__stream), sizeof *stream);
  const size_t whole = (size + ALIGN - 1) / ALIGN * ALIGN;
  uint8_t *bytes = whole < size ? NULL : aligned_alloc(ALIGN, whole);
  if (stream == NULL || bytes == NULL) {
    free(stream);
    free(bytes);
    return NULL;
  }
  memset(bytes, 0, whole);
  *stream = (sn__stream){.retired.dispose = dispose, .bytes = bytes, .size = whole};
  return stream;
}

void sn__stream_destroy(sn__stream *stream) {
  free(stream->bytes);
  free(stream);
}

/* Half of it, since a record does not extend beyond the end of the ring. */
size_t sn__stream_content_max(const sn__stream *stream) {
  return (size_t)(stream->size / 2) - HEADER;
}

/* ---- writers ---- */

/* Bytes up to the begin of the ring, if the record does not fit in front of its end. */
static uint64_t bytes_to_skip(const sn__stream *stream, uint64_t head, uint64_t size) {
  const uint64_t left = stream->size - head % stream->size;
  return size > left ? left : 0;
}

/* The reader's line is looked at only if it matters. */
static bool fits(sn__stream *stream, uint64_t end) {
  /* Another writer may have stored an older tail: that is a lower bound, too. */
  if (end - atomic_load_explicit(&stream->tail_seen, memory_order_acquire) <= stream->size) {
    return true;
  }
  const uint64_t tail = atomic_load_explicit(&stream->tail, memory_order_acquire);
  atomic_store_explicit(&stream->tail_seen, tail, memory_order_release);
  return end - tail <= stream->size;
}

void *sn__stream_begin(sn__stream *stream, size_t content) {
  const uint64_t size = record_size(content);
  uint64_t head = atomic_load_explicit(&stream->head, memory_order_relaxed);
  for (int i = 0; i < TRIES && size <= stream->size; i++) {
    const uint64_t skip = bytes_to_skip(stream, head, size);
    if (!fits(stream, head + skip + size)) {
      const uint64_t now = atomic_load_explicit(&stream->head, memory_order_relaxed);
      if (now == head) {
        return NULL;
      }
      head = now; /* it was old: the tail may be beyond it */
      continue;
    }
    if (!atomic_compare_exchange_weak_explicit(&stream->head, &head, head + skip + size,
                                               memory_order_relaxed, memory_order_relaxed)) {
      continue;
    }
    if (skip > 0) {
      atomic_store_explicit(header_at(stream, head % stream->size), header_of(skip, SKIP),
                            memory_order_release);
    }
    return stream->bytes + (head + skip) % stream->size + HEADER;
  }
  return NULL;
}

void sn__stream_end(void *content, size_t size, uint16_t tag) {
  _Atomic uint64_t *header = (_Atomic uint64_t *)(void *)((uint8_t *)content - HEADER);
  atomic_store_explicit(header, header_of(record_size(size), tag), memory_order_release);
}

uint64_t sn__stream_head(const sn__stream *stream) {
  return atomic_load_explicit(&stream->head, memory_order_relaxed);
}

/* ---- the reader ---- */

/* Clear `size` bytes of the ring, and give all of the record of `length` back. */
static void give_back(sn__stream *stream, uint64_t tail, uint64_t size, uint64_t length) {
  const uint64_t at = tail % stream->size;
  atomic_store_explicit(header_at(stream, at), 0, memory_order_relaxed);
  memset(stream->bytes + at + HEADER, 0, (size_t)size - HEADER);
  atomic_store_explicit(&stream->tail, tail + length, memory_order_release);
}

/* Everything is read: begin the ring again, so that a short part of it is used. The reader does it,
   since the room is its to give. */
static void rewind_ring(sn__stream *stream, uint64_t tail) {
  const uint64_t at = tail % stream->size;
  const uint64_t begin = tail + stream->size - at;
  uint64_t head = tail; /* unless a record was begun meanwhile */
  if (at > REWIND && atomic_compare_exchange_strong_explicit(
                         &stream->head, &head, begin, memory_order_relaxed, memory_order_relaxed)) {
    atomic_store_explicit(&stream->tail, begin, memory_order_release);
  }
}

const void *sn__stream_look(sn__stream *stream, uint16_t *tag) {
  for (;;) { /* at most one record is without content: the next is at the begin of the ring */
    const uint64_t tail = atomic_load_explicit(&stream->tail, memory_order_relaxed);
    const uint64_t at = tail % stream->size;
    const uint64_t header = atomic_load_explicit(header_at(stream, at), memory_order_acquire);
    if (header == 0) {
      rewind_ring(stream, tail);
      return NULL;
    }
    *tag = (uint16_t)(header >> TAG_SHIFT);
    if (*tag != SKIP) {
      return stream->bytes + at + HEADER;
    }
    give_back(stream, tail, HEADER, size_of(header));
  }
}

void sn__stream_drop(sn__stream *stream) {
  const uint64_t tail = atomic_load_explicit(&stream->tail, memory_order_relaxed);
  const uint64_t header =
      atomic_load_explicit(header_at(stream, tail % stream->size), memory_order_relaxed);
  give_back(stream, tail, size_of(header), size_of(header));
}

bool sn__stream_has_reached(const sn__stream *stream, uint64_t head) {
  return atomic_load_explicit(&stream->tail, memory_order_relaxed) >= head;
}
