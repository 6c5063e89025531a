#include "rt/ports/queue.h"

#include "sinew/fault.h"

bool sn__queue_init(sn__queue *queue, sn_arena *arena, uint64_t length) {
  const uint64_t slots = sn__queue_slots(length);
  uint32_t places = 4; /* a power of two, since a division takes longer than all the rest */
  while (places < slots) {
    places *= 2;
  }
  *queue = (sn__queue){
      .length = (uint32_t)length,
      .mask = places - 1,
      .waiting = SN_NEW(arena, _Atomic uint32_t, places),
      .returned = SN_NEW(arena, uint32_t, places),
      .idle = SN_NEW(arena, uint32_t, (size_t)slots),
      .back = 0,
      .front = (uint32_t)slots - 1,
  };
  if (queue->waiting == NULL || queue->returned == NULL || queue->idle == NULL) {
    return false;
  }
  /* At first slot 0 is the writer's, the last is the reader's, all between them are idle. */
  for (uint32_t slot = queue->front - 1; slot > 0; slot--) {
    queue->idle[queue->idle_count++] = slot;
  }
  return true;
}

/* Take the oldest waiting slot out. Its entry stays as it is until the tail has passed it, so what
   was read before a successful exchange is right. */
static bool take_oldest(sn__queue *queue, uint32_t *slot) {
  uint64_t tail = atomic_load_explicit(&queue->tail, memory_order_acquire);
  for (;;) {
    if (tail == atomic_load_explicit(&queue->head, memory_order_acquire)) {
      return false;
    }
    *slot = atomic_load_explicit(&queue->waiting[tail & queue->mask], memory_order_relaxed);
    if (atomic_compare_exchange_strong_explicit(&queue->tail, &tail, tail + 1, memory_order_acq_rel,
                                                memory_order_acquire)) {
      return true;
    }
  }
}

/* The next slot to fill. While the queue is not full there is one: of length + 3 slots the writer
   has one, the reader at most two (it gives the old one back right after it took the new), and at
   most length - 1 wait. Two are taken back at a time, so that those of a crowd become idle soon. */
static uint32_t take_free(sn__queue *queue) {
  const uint64_t returned = atomic_load_explicit(&queue->returned_head, memory_order_acquire);
  for (int i = 0; i < 2 && queue->returned_tail != returned; i++) {
    queue->idle[queue->idle_count++] = queue->returned[queue->returned_tail++ & queue->mask];
  }
  SN_ASSERT(queue->idle_count > 0);
  return queue->idle[--queue->idle_count];
}

/* The reader's line is only looked at when the queue seems to be full. */
static bool is_full(sn__queue *queue, uint64_t head) {
  if (head - queue->tail_seen >= queue->length) {
    queue->tail_seen = atomic_load_explicit(&queue->tail, memory_order_acquire);
  }
  return head - queue->tail_seen == queue->length;
}

sn__queue_result sn__queue_push(sn__queue *queue, bool drop_oldest) {
  const uint64_t head = atomic_load_explicit(&queue->head, memory_order_relaxed);
  const bool was_full = is_full(queue, head);
  if (was_full && !drop_oldest) {
    return SN__QUEUE_REFUSED;
  }
  uint32_t next = 0;
  const bool has_dropped = was_full && take_oldest(queue, &next); /* or the reader was quicker */
  if (!has_dropped) {
    next = take_free(queue);
  }
  atomic_store_explicit(&queue->waiting[head & queue->mask], queue->back, memory_order_relaxed);
  atomic_store_explicit(&queue->head, head + 1, memory_order_release);
  queue->back = next;
  return has_dropped ? SN__QUEUE_DROPPED : SN__QUEUE_GOOD;
}

bool sn__queue_pop(sn__queue *queue) {
  uint32_t slot = 0;
  if (!take_oldest(queue, &slot)) {
    return false;
  }
  const uint64_t returned = atomic_load_explicit(&queue->returned_head, memory_order_relaxed);
  queue->returned[returned & queue->mask] = queue->front;
  atomic_store_explicit(&queue->returned_head, returned + 1, memory_order_release);
  queue->front = slot;
  return true;
}

uint64_t sn__queue_count(const sn__queue *queue) {
  /* Tail first: it only grows, so the difference is never negative. */
  const uint64_t tail = atomic_load_explicit(&queue->tail, memory_order_acquire);
  return atomic_load_explicit(&queue->head, memory_order_acquire) - tail;
}
