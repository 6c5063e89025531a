/** @file
 *  Internal: a bounded queue of slots between one writer and one reader. Neither waits for the
 *  other. When it is full, either the new message is refused or the oldest is dropped, as chosen.
 *
 *  Only indices are kept here. There are a few slots more than the queue is long: one is always the
 *  writer's to fill, one the reader's to read, so that no message changes while it is read. Slots
 *  that the reader returned are reused before idle ones: while the reader keeps up, a long queue
 *  touches no more memory than a short one, which stays in the caches.
 *
 *  A model that spin searches completely is in tests/models/queue.pml: change both. */
#ifndef SN_RT_PORTS_QUEUE_H
#define SN_RT_PORTS_QUEUE_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "sinew/arena.h"

typedef struct sn__queue {
  alignas(64) _Atomic uint64_t head; /**< filled slots put in so far; the writer's */
  uint64_t tail_seen;                /**< lower bound of the tail, as the writer knows it */
  uint64_t returned_tail;            /**< returned slots taken so far; the writer's */
  uint32_t idle_count;               /**< unused slots; the writer's */
  uint32_t back;                     /**< the slot that the writer fills */
  uint32_t *idle;                    /**< [length + 3] the writer's; the last one is used next */
  uint32_t length;                   /**< capacity in messages */
  uint32_t mask;                     /**< of a number, for its place in either ring */
  _Atomic uint32_t *waiting;         /**< [mask + 1] ring of filled slots */
  uint32_t *returned;                /**< [mask + 1] ring of slots that the reader gave back */

  alignas(64) _Atomic uint64_t tail; /**< filled slots taken out so far; both may advance it */

  alignas(64) _Atomic uint64_t returned_head; /**< slots returned so far; the reader's */
  uint32_t front;                             /**< the slot that the reader reads */
} sn__queue;

/** Slots that a queue of this length needs. */
static inline uint64_t sn__queue_slots(uint64_t length) {
  return length + 3;
}

/** @param length  1 to SN_BUFFER_MAX. @return false if memory runs out */
bool sn__queue_init(sn__queue *queue, sn_arena *arena, uint64_t length);

typedef enum sn__queue_result {
  SN__QUEUE_GOOD,
  SN__QUEUE_REFUSED, /**< full: the message in slot `back` was not taken */
  SN__QUEUE_DROPPED  /**< full: it was taken, the oldest is gone */
} sn__queue_result;

/** The writer has filled slot `back`. Wait-free. */
sn__queue_result sn__queue_push(sn__queue *queue, bool drop_oldest);

/** Bring the oldest message to slot `front`. @return false if there is none. Lock-free: it retries
 *  only if the writer dropped a message in the meantime. */
bool sn__queue_pop(sn__queue *queue);

/** Number of queued messages. */
uint64_t sn__queue_count(const sn__queue *queue);

#endif
