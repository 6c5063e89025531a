/** @file
 *  Internal: a bounded queue of slots between one writer and one reader. Neither waits for the
 *  other. When it is full, either the new message is refused or the oldest is dropped, as chosen.
 *
 *  Only indices are kept here. There are a few slots more than the queue is long: one is always the
 *  writer's to fill, one the reader's to look at, so that nothing is copied under anybody's eyes. A
 *  slot that the reader gave back is filled again before one that has lain idle: while the reader
 *  keeps up, a long queue has no more places to copy to than a short one, and they stay in the
 *  caches.
 */
#ifndef SN_RT_PORTS_QUEUE_H
#define SN_RT_PORTS_QUEUE_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "sinew/arena.h"

typedef struct sn__queue {
  alignas(64) _Atomic uint64_t head; /**< filled slots put in so far; the writer's */
  uint64_t tail_seen;                /**< what the writer knows of the tail: at least so far */
  uint64_t returned_tail;            /**< returned slots taken so far; the writer's */
  uint32_t idle_count;               /**< slots that nobody uses; the writer's */
  uint32_t back;                     /**< the slot that the writer fills */
  uint32_t *idle;                    /**< [length + 3] the writer's; the last one is used next */
  uint32_t length;                   /**< most messages that wait */
  uint32_t mask;                     /**< of a number, for its place in either ring */
  _Atomic uint32_t *waiting;         /**< [mask + 1] ring of filled slots */
  uint32_t *returned;                /**< [mask + 1] ring of slots that the reader gave back */

  alignas(64) _Atomic uint64_t tail; /**< filled slots taken out so far; both may advance it */

  alignas(64) _Atomic uint64_t returned_head; /**< slots returned so far; the reader's */
  uint32_t front;                             /**< the slot that the reader looks at */
} sn__queue;

/** Slots that a queue of this length needs. */
static inline uint64_t sn__queue_slots(uint64_t length) {
  return length + 3;
}

/** @param length  1 to SN_BUFFER_MAX. @return false if there is no memory */
bool sn__queue_init(sn__queue *queue, sn_arena *arena, uint64_t length);

typedef enum sn__queue_result {
  SN__QUEUE_GOOD,
  SN__QUEUE_REFUSED, /**< full: the message in slot `back` was not taken */
  SN__QUEUE_DROPPED  /**< full: it was taken, the oldest is gone */
} sn__queue_result;

/** The writer has filled slot `back`. Wait-free. */
sn__queue_result sn__queue_push(sn__queue *queue, bool drop_oldest);

/** Bring the oldest message to slot `front`. @return false if there is none. Lock-free: it starts
 *  anew only if the writer dropped a message meanwhile. */
bool sn__queue_pop(sn__queue *queue);

/** Messages that wait now. */
uint64_t sn__queue_count(const sn__queue *queue);

#endif
