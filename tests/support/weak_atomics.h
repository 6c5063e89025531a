/** @file
 *  Sends the atomic operations of the code that is included after it to weak_memory.h.
 *  atomic_init() stays as it is. */
#ifndef SN_TEST_WEAK_ATOMICS_H
#define SN_TEST_WEAK_ATOMICS_H

#include <stdatomic.h>

#include "weak_memory.h"

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_exchange_explicit
#undef atomic_fetch_add_explicit
#undef atomic_compare_exchange_strong_explicit
#undef atomic_load
#undef atomic_store
#undef atomic_exchange
#undef atomic_fetch_add
#undef atomic_compare_exchange_strong
#undef atomic_compare_exchange_weak
#undef atomic_thread_fence

/* The type of a value: without _Atomic. */
#define SN_WEAK_TYPE(p) __typeof__(*(p) + 0)
#define SN_WEAK_OP(p, o) \
  ((sn_weak_op){(void *)(uintptr_t)(p), sizeof *(p), (int)(o), __func__, #p " " #o})

#define atomic_load_explicit(p, o)               \
  __extension__({                                \
    SN_WEAK_TYPE(p) weak_value = 0;              \
    sn_weak_load(SN_WEAK_OP(p, o), &weak_value); \
    weak_value;                                  \
  })
#define atomic_store_explicit(p, v, o)            \
  __extension__({                                 \
    const SN_WEAK_TYPE(p) weak_value = (v);       \
    sn_weak_store(SN_WEAK_OP(p, o), &weak_value); \
  })
#define SN_WEAK_EXCHANGE(p, v, is_added, o)                                 \
  __extension__({                                                           \
    const SN_WEAK_TYPE(p) weak_value = (v);                                 \
    SN_WEAK_TYPE(p) weak_old = 0;                                           \
    sn_weak_exchange(SN_WEAK_OP(p, o), &weak_value, (is_added), &weak_old); \
    weak_old;                                                               \
  })
#define atomic_exchange_explicit(p, v, o) SN_WEAK_EXCHANGE(p, v, false, o)
#define atomic_fetch_add_explicit(p, v, o) SN_WEAK_EXCHANGE(p, v, true, o)
#define atomic_compare_exchange_strong_explicit(p, e, v, o, f)              \
  __extension__({                                                           \
    const SN_WEAK_TYPE(p) weak_value = (v);                                 \
    sn_weak_compare_exchange(SN_WEAK_OP(p, o), (int)(f), (e), &weak_value); \
  })
#define atomic_load(p) atomic_load_explicit(p, memory_order_seq_cst)
#define atomic_store(p, v) atomic_store_explicit(p, v, memory_order_seq_cst)
#define atomic_exchange(p, v) atomic_exchange_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_add(p, v) atomic_fetch_add_explicit(p, v, memory_order_seq_cst)
#define atomic_compare_exchange_strong(p, e, v) \
  atomic_compare_exchange_strong_explicit(p, e, v, memory_order_seq_cst, memory_order_seq_cst)
#define atomic_compare_exchange_weak(p, e, v) atomic_compare_exchange_strong(p, e, v)
#define atomic_thread_fence(o) sn_weak_fence((int)(o), __func__, "fence " #o)

#endif
