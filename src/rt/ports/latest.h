/** @file
 *  Internal: the latest message of an output, in slots that all its readers share: a write copies
 *  it once, however many read it. One writer, any number of readers in any threads, all wait-free.
 *
 *  The method is that of M. Ianni, A. Pellegrini and F. Quaglia, "Anonymous Readers Counting"
 *  (2017). One word has the slot of the latest message and how many readers have taken it. With the
 *  next message the writer learns that number, and the slot is free when as many have returned it.
 *  A reader keeps one slot, so with two slots more than readers one is always free. */
#ifndef SN_RT_PORTS_LATEST_H
#define SN_RT_PORTS_LATEST_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "msg/msg_copier.h"
#include "rt/reclaim.h"
#include "sinew/arena.h"
#include "sinew/msg.h"
#include "sinew/status.h"

/* ---- which slot is whose; the messages are those of latest.c ---- */

typedef struct sn__latest_slot {
  void *msg;
  uint32_t taken;            /**< how often while it was the latest; of the writer */
  _Atomic uint32_t returned; /**< how often of these */
} sn__latest_slot;

/** The slot of the latest message in the upper half, how often it was taken in the lower one. */
typedef _Atomic uint64_t sn__latest_word;

static inline uint32_t sn__latest_index(uint64_t word) {
  return (uint32_t)(word >> 32);
}

/** The writer looks for a slot to fill. @return @p count: there is none */
static inline uint32_t sn__latest_find(sn__latest_word *word, sn__latest_slot *const *slots,
                                       uint32_t count) {
  const uint32_t latest = sn__latest_index(atomic_load_explicit(word, memory_order_relaxed));
  uint32_t i = 0;
  while (i < count &&
         (i == latest ||
          slots[i]->taken != atomic_load_explicit(&slots[i]->returned, memory_order_acquire))) {
    i++;
  }
  return i;
}

/** The writer has filled the slot that it found. */
static inline void sn__latest_publish(sn__latest_word *word, sn__latest_slot *const *slots,
                                      uint32_t index) {
  slots[index]->taken = 0;
  atomic_store_explicit(&slots[index]->returned, 0, memory_order_relaxed);
  const uint64_t old = atomic_exchange_explicit(word, (uint64_t)index << 32, memory_order_acq_rel);
  slots[sn__latest_index(old)]->taken = (uint32_t)old;
}

/** Is there something newer than what the reader has taken? */
static inline bool sn__latest_is_newer(sn__latest_word *word, uint32_t held) {
  return sn__latest_index(atomic_load_explicit(word, memory_order_relaxed)) != held;
}

/** A reader takes the latest, after it has returned what it had: a writer that sees this sees that,
 *  too. @return its slot */
static inline uint32_t sn__latest_take(sn__latest_word *word) {
  return sn__latest_index(atomic_fetch_add_explicit(word, 1, memory_order_acq_rel));
}

/** A reader returns what it has taken. */
static inline void sn__latest_return(sn__latest_slot *slot) {
  (void)atomic_fetch_add_explicit(&slot->returned, 1, memory_order_release);
}

/* ---- the messages of an output ---- */

/** All slots; replaced by a longer list when readers join. */
typedef struct sn__latest_list {
  sn__retired retired;
  uint32_t count;
  sn__latest_slot *slots[];
} sn__latest_list;

typedef struct sn__latest {
  alignas(64) sn__latest_word word;
  sn__latest_list *_Atomic list;
  const sn_msg_copier *copier;
  _Atomic uint64_t written, lost;
  _Atomic size_t readers; /**< changed by management */

  /* Of management. */
  const sn_msg_type *type;
  sn_msg_capacity capacity;
  sn_arena arena;    /**< of the slots */
  bool is_abandoned; /**< the output is gone: the last reader frees this */
} sn__latest;

/** @param copier  of the type, outlives the writer
 *  @return NULL if memory runs out */
sn__latest *sn__latest_create(const sn_msg_type *type, const sn_msg_copier *copier,
                              const sn_msg_capacity *capacity);

/** The output is removed: free it, as soon as there is no reader. NULL: nothing happens. */
void sn__latest_abandon(sn__latest *latest);

/** Make room for one more reader.
 *  @param replaced  receives what to retire, or NULL
 *  @return SN_OK, SN_ENOMEM */
sn_status sn__latest_join(sn__latest *latest, sn__retired **replaced);

/** A reader is gone that does not hold a slot any more. */
void sn__latest_leave(sn__latest *latest);

/** Copy a message for all readers. Without any nothing happens. @return SN_OK, SN_ENOSPC. RT: yes
 */
sn_status sn__latest_write(sn__latest *latest, const void *msg) SN_RT;

#endif
