/** @file
 *  Runs a few short threads in every order, and lets each atomic load see every value that the
 *  memory model of C allows: what ARM can do and x86 cannot. Code under test is included after
 *  weak_atomics.h, so that its atomic operations, with the orders that it names, come here.
 *
 *  The model: each place has the list of the values stored there, in the order in which they were
 *  stored. A thread must not see a value older than one that it has seen, stored, or learned of by
 *  acquiring what another thread released; apart from that a load sees any of them. Read-modify-
 *  write operations see the last one and continue its release sequence. Sequentially consistent
 *  loads see at least the last sequentially consistent store. Plain accesses are declared by
 *  sn_weak_read() and sn_weak_write(), and must be ordered by happens-before. Not in the model:
 *  loads that see stores of the future (C forbids nothing there, hardware keeps dependencies), and
 *  two threads that store to one place without reading it in another order than they ran.
 *
 *  The search is complete up to the bounds of a case on switches of a thread that could go on, and
 *  on loads that do not see the newest value. */
#ifndef SN_TEST_WEAK_MEMORY_H
#define SN_TEST_WEAK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SN_WEAK_THREADS = 3, SN_WEAK_SITES = 64 };

typedef struct sn_weak_case {
  size_t thread_count;
  void (*threads[SN_WEAK_THREADS])(void *data);
  void (*start)(void *data); /**< before each run */
  void (*end)(void *data);   /**< after all threads, and sees all that they did; may be NULL */
  void *data;
  unsigned switches; /**< of a thread that could go on; at most */
  unsigned stale;    /**< loads that do not see the newest value; at most */
} sn_weak_case;

/** An operation of the code whose order is not relaxed. */
typedef struct sn_weak_site {
  const char *function, *what; /**< what: operands as written */
  int order;
} sn_weak_site;

/** Run the case in all ways, until one fails.
 *  @param weak        an operation whose order is replaced; NULL: none
 *  @param weak_order  by this
 *  @param runs        how many runs; may be NULL
 *  @return NULL: none has failed; else the reason of the first */
const char *sn_weak_search(const sn_weak_case *c, const sn_weak_site *weak, int weak_order,
                           uint64_t *runs);

/** The operations that the last searches executed. @return their number */
size_t sn_weak_sites(sn_weak_site sites[SN_WEAK_SITES]);
void sn_weak_forget_sites(void);

/** Fail this run unless it is so. */
void sn_weak_require(bool is_so, const char *what);

/** Plain accesses; their place is an address. */
void sn_weak_read(const void *at);
void sn_weak_write(const void *at);

/** Either of the numbers below @p count: all are tried. */
unsigned sn_weak_choose(unsigned count);

/** Wait until another thread has stored something. If all threads wait, what was stored arrives,
 * and then sn_weak_is_late(). */
void sn_weak_pause(void);

/** Nothing more is going to happen: time-outs are over. */
bool sn_weak_is_late(void);

/* What weak_atomics.h calls. Values are 1, 4 or 8 bytes, the low ones first. */
typedef struct sn_weak_op {
  void *at;
  size_t size;
  int order;
  const char *function, *what;
} sn_weak_op;

void sn_weak_load(sn_weak_op op, void *value);
void sn_weak_store(sn_weak_op op, const void *value);
/** @param old  receives the value before */
void sn_weak_exchange(sn_weak_op op, const void *value, bool is_added, void *old);
bool sn_weak_compare_exchange(sn_weak_op op, int failure, void *expected, const void *value);
void sn_weak_fence(int order, const char *function, const char *what);

#endif
