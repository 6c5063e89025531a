/** @file
 *  Internal: which of three slots the writer fills, which the reader looks at, and which waits
 *  between them. One writer, one reader; both wait-free; the reader always gets the latest.
 *
 *  Only indices are kept here: what a slot holds is the channel's business. A model that spin
 *  searches completely is in tests/models/triple.pml: change both. */
#ifndef SN_RT_PORTS_TRIPLE_H
#define SN_RT_PORTS_TRIPLE_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>

/** Each side has a cache line of its own. */
typedef struct sn__triple {
  alignas(64) _Atomic unsigned middle; /**< slot between the two, and whether it is fresh */
  alignas(64) unsigned back;           /**< the writer's slot */
  alignas(64) unsigned front;          /**< the reader's slot */
} sn__triple;

enum { SN__TRIPLE_SLOTS = 3, SN__TRIPLE_FRESH = 4, SN__TRIPLE_INDEX = 3 };

static inline void sn__triple_init(sn__triple *t) {
  t->front = 0;
  atomic_init(&t->middle, 1);
  t->back = 2;
}

/** The writer has filled slot `back`: pass it on, take another. */
static inline void sn__triple_publish(sn__triple *t) {
  const unsigned old =
      atomic_exchange_explicit(&t->middle, t->back | SN__TRIPLE_FRESH, memory_order_acq_rel);
  t->back = old & SN__TRIPLE_INDEX;
}

/** Bring the latest slot to `front`. @return whether there is something newer than before */
static inline bool sn__triple_take(sn__triple *t) {
  if ((atomic_load_explicit(&t->middle, memory_order_relaxed) & SN__TRIPLE_FRESH) == 0) {
    return false;
  }
  const unsigned old = atomic_exchange_explicit(&t->middle, t->front, memory_order_acq_rel);
  t->front = old & SN__TRIPLE_INDEX;
  return true;
}

#endif
