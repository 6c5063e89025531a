#include "weak_memory.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>
#include <ucontext.h>

enum {
  PLACES = 40,
  STORES = 24,
  PLAINS = 16,
  CHOICES = 512,
  STACK = 256 * 1024,
  MAIN = SN_WEAK_THREADS
};

/* What a thread must see: in each place a store at least this new, and the steps of each thread. */
typedef struct view {
  uint8_t newest[PLACES];
  uint16_t step[SN_WEAK_THREADS + 1];
} view;

typedef struct store {
  uint64_t value;
  view released;
} store;

typedef struct place {
  uint8_t *at;
  int count, sequential; /* stores; the last one that was sequentially consistent */
  store stores[STORES];
} place;

/* When a plain place was last written, and read by each thread. */
typedef struct plain {
  const void *at;
  size_t writer;
  uint16_t written, read[SN_WEAK_THREADS + 1];
} plain;

typedef struct thread {
  ucontext_t context;
  view sees, to_acquire, to_release; /* the latter two wait for a fence, or come from one */
  bool is_done, is_paused;
  uint64_t paused_at;
} thread;

typedef struct choice {
  unsigned taken, count;
} choice;

static struct {
  const sn_weak_case *c;
  const sn_weak_site *weak;
  int weak_order;
  ucontext_t scheduler;
  thread threads[SN_WEAK_THREADS + 1];
  size_t now; /* the thread that runs */
  place places[PLACES];
  int place_count;
  plain plains[PLAINS];
  int plain_count;
  unsigned switches, stale;
  uint64_t store_count;
  bool is_late; /* all waited for nothing */
  const char *failure;
  choice choices[CHOICES];
  size_t choice_count, choice_at;
} all;

static sn_weak_site sites[SN_WEAK_SITES];
static size_t site_count;
static _Alignas(16) char stacks[SN_WEAK_THREADS][STACK];

static void join(view *to, const view *from) {
  for (size_t i = 0; i < PLACES; i++) {
    to->newest[i] = to->newest[i] > from->newest[i] ? to->newest[i] : from->newest[i];
  }
  for (size_t i = 0; i <= SN_WEAK_THREADS; i++) {
    to->step[i] = to->step[i] > from->step[i] ? to->step[i] : from->step[i];
  }
}

/* ---- choices ---- */

unsigned sn_weak_choose(unsigned count) {
  if (count <= 1 || all.now == MAIN) {
    return 0;
  }
  assert(all.choice_at < CHOICES);
  if (all.choice_at == all.choice_count) {
    all.choices[all.choice_count++] = (choice){0, count};
  }
  assert(all.choices[all.choice_at].count == count);
  return all.choices[all.choice_at++].taken;
}

/* @return false if all ways have been tried */
static bool next_way(void) {
  while (all.choice_count > 0) {
    choice *last = &all.choices[all.choice_count - 1];
    if (++last->taken < last->count) {
      return true;
    }
    all.choice_count--;
  }
  return false;
}

/* ---- threads ---- */

static void leave(void) {
  thread *t = &all.threads[all.now];
  (void)swapcontext(&t->context, &all.scheduler);
}

static void fail(const char *why) {
  all.failure = all.failure == NULL ? why : all.failure;
  if (all.now != MAIN) {
    all.threads[all.now].is_done = true;
    leave();
  }
}

void sn_weak_require(bool is_so, const char *what) {
  if (!is_so) {
    fail(what);
  }
}

static bool can_go_on(const thread *t) {
  return !t->is_done && (!t->is_paused || t->paused_at != all.store_count);
}

/* Before each operation another thread may go on. */
static void step(void) {
  if (all.now == MAIN) {
    return;
  }
  if (all.switches > 0) {
    unsigned others = 0;
    for (size_t i = 0; i < all.c->thread_count; i++) {
      others += i != all.now && can_go_on(&all.threads[i]) ? 1 : 0;
    }
    if (others > 0 && sn_weak_choose(2) == 1) {
      all.switches--;
      leave();
    }
  }
  all.threads[all.now].sees.step[all.now]++;
}

void sn_weak_pause(void) {
  thread *t = &all.threads[all.now];
  t->is_paused = true;
  t->paused_at = all.store_count;
  leave();
  t->is_paused = false;
}

bool sn_weak_is_late(void) {
  return all.is_late;
}

static void run_thread(void) {
  all.c->threads[all.now](all.c->data);
  all.threads[all.now].is_done = true;
  leave();
}

/* If all wait: what was stored arrives in the end. */
static bool wake_all(void) {
  bool is_one = false;
  for (size_t i = 0; i < all.c->thread_count; i++) {
    thread *t = &all.threads[i];
    for (int k = 0; k < all.place_count && !t->is_done; k++) {
      const uint8_t newest = (uint8_t)(all.places[k].count - 1);
      is_one = is_one || t->sees.newest[k] < newest;
      t->sees.newest[k] = newest;
    }
    t->is_paused = false;
  }
  return is_one;
}

static size_t running(size_t *list, size_t but) {
  size_t count = 0;
  for (size_t i = 0; i < all.c->thread_count; i++) {
    if (i != but && can_go_on(&all.threads[i])) {
      list[count++] = i;
    }
  }
  return count;
}

static void schedule(void) {
  size_t last = MAIN;
  for (;;) {
    size_t list[SN_WEAK_THREADS];
    size_t count = running(list, last);
    count = count == 0 ? running(list, MAIN) : count;
    if (count == 0) {
      bool is_over = true;
      for (size_t i = 0; i < all.c->thread_count; i++) {
        is_over = is_over && all.threads[i].is_done;
      }
      if (is_over || all.failure != NULL) {
        return;
      }
      if (!wake_all()) {
        if (all.is_late) {
          all.failure = "all threads wait";
          return;
        }
        all.is_late = true;
      }
      continue;
    }
    all.now = 0; /* not MAIN, whose choices are none */
    all.now = list[sn_weak_choose((unsigned)count)];
    last = all.now;
    (void)swapcontext(&all.scheduler, &all.threads[all.now].context);
    all.now = MAIN;
    if (all.failure != NULL) {
      return;
    }
  }
}

static void run_once(void) {
  all.place_count = all.plain_count = 0;
  all.switches = all.c->switches;
  all.stale = all.c->stale;
  all.store_count = 0;
  all.choice_at = 0;
  all.is_late = false;
  all.now = MAIN;
  for (size_t i = 0; i <= SN_WEAK_THREADS; i++) {
    thread *t = &all.threads[i];
    memset(&t->sees, 0, sizeof t->sees);
    t->sees.step[i] = 1;
    memset(&t->to_acquire, 0, sizeof t->to_acquire);
    memset(&t->to_release, 0, sizeof t->to_release);
    t->is_done = t->is_paused = false;
  }
  all.c->start(all.c->data);
  for (size_t i = 0; i < all.c->thread_count; i++) {
    thread *t = &all.threads[i];
    join(&t->sees, &all.threads[MAIN].sees);
    (void)getcontext(&t->context);
    t->context.uc_stack.ss_sp = stacks[i];
    t->context.uc_stack.ss_size = STACK;
    t->context.uc_link = NULL;
    makecontext(&t->context, run_thread, 0);
  }
  schedule();
  all.now = MAIN;
  for (size_t i = 0; i < all.c->thread_count; i++) {
    join(&all.threads[MAIN].sees, &all.threads[i].sees);
  }
  (void)wake_all();
  if (all.failure == NULL && all.c->end != NULL) {
    all.c->end(all.c->data);
  }
}

const char *sn_weak_search(const sn_weak_case *c, const sn_weak_site *weak, int weak_order,
                           uint64_t *runs) {
  uint64_t count = 0;
  all.c = c;
  all.weak = weak;
  all.weak_order = weak_order;
  all.choice_count = 0;
  all.failure = NULL;
  do {
    run_once();
    count++;
  } while (all.failure == NULL && next_way());
  if (runs != NULL) {
    *runs = count;
  }
  return all.failure;
}

/* ---- plain accesses ---- */

static plain *plain_at(const void *at) {
  for (int i = 0; i < all.plain_count; i++) {
    if (all.plains[i].at == at) {
      return &all.plains[i];
    }
  }
  assert(all.plain_count < PLAINS);
  all.plains[all.plain_count] = (plain){.at = at};
  return &all.plains[all.plain_count++];
}

void sn_weak_read(const void *at) {
  const view *sees = &all.threads[all.now].sees;
  plain *p = plain_at(at);
  p->read[all.now] = sees->step[all.now];
  if (p->written > sees->step[p->writer]) {
    fail("read while it may be written");
  }
}

void sn_weak_write(const void *at) {
  const view *sees = &all.threads[all.now].sees;
  plain *p = plain_at(at);
  bool is_free = p->written <= sees->step[p->writer];
  for (size_t i = 0; i <= SN_WEAK_THREADS; i++) {
    is_free = is_free && p->read[i] <= sees->step[i];
  }
  p->writer = all.now;
  p->written = sees->step[all.now];
  if (!is_free) {
    fail("written while it may be read or written");
  }
}

/* ---- atomic operations ---- */

size_t sn_weak_sites(sn_weak_site out[SN_WEAK_SITES]) {
  memcpy(out, sites, site_count * sizeof *sites);
  return site_count;
}

void sn_weak_forget_sites(void) {
  site_count = 0;
}

static bool is_site(const sn_weak_site *site, const sn_weak_op *op) {
  return strcmp(site->function, op->function) == 0 && strcmp(site->what, op->what) == 0;
}

/* The order of an operation, as the search wants it. */
static int order_of(const sn_weak_op *op) {
  size_t i = 0;
  while (i < site_count && !is_site(&sites[i], op)) {
    i++;
  }
  if (i == site_count && op->order != memory_order_relaxed) {
    assert(site_count < SN_WEAK_SITES);
    sites[site_count++] = (sn_weak_site){op->function, op->what, op->order};
  }
  return all.weak != NULL && is_site(all.weak, op) ? all.weak_order : op->order;
}

static bool acquires(int order) {
  return order == memory_order_acquire || order == memory_order_acq_rel ||
         order == memory_order_seq_cst;
}

static bool releases(int order) {
  return order == memory_order_release || order == memory_order_acq_rel ||
         order == memory_order_seq_cst;
}

static int place_of(const sn_weak_op *op) {
  for (int i = 0; i < all.place_count; i++) {
    if (all.places[i].at == op->at) {
      return i;
    }
  }
  assert(all.place_count < PLACES);
  place *p = &all.places[all.place_count];
  *p = (place){.at = op->at, .count = 1, .sequential = 0};
  memcpy(&p->stores[0].value, op->at, op->size);
  return all.place_count++;
}

static void see(int index, int which, int order) {
  thread *t = &all.threads[all.now];
  const store *s = &all.places[index].stores[which];
  t->sees.newest[index] = (uint8_t)which;
  join(acquires(order) ? &t->sees : &t->to_acquire, &s->released);
}

static void append(int index, const sn_weak_op *op, uint64_t value, int order, bool is_change) {
  thread *t = &all.threads[all.now];
  place *p = &all.places[index];
  assert(p->count < STORES);
  store *s = &p->stores[p->count];
  *s = (store){.value = value, .released = t->to_release};
  t->sees.newest[index] = (uint8_t)p->count;
  if (releases(order)) {
    s->released = t->sees;
  }
  if (is_change) {
    join(&s->released, &p->stores[p->count - 1].released);
  }
  s->released.newest[index] = (uint8_t)p->count;
  p->sequential = order == memory_order_seq_cst ? p->count : p->sequential;
  p->count++;
  memcpy(op->at, &value, op->size);
  all.store_count++;
  all.is_late = false;
}

/* Which of the values that the thread may see. One that equals `other` is only seen as the newest.
 */
static int choose_store(int index, int order, const uint64_t *other) {
  const thread *t = &all.threads[all.now];
  const place *p = &all.places[index];
  int oldest = t->sees.newest[index];
  oldest = order == memory_order_seq_cst && p->sequential > oldest ? p->sequential : oldest;
  int list[STORES];
  unsigned count = 0;
  for (int i = p->count - 1; i >= oldest; i--) {
    if (i == p->count - 1 || other == NULL || p->stores[i].value != *other) {
      list[count++] = i;
    }
  }
  const unsigned which = all.stale == 0 ? 0 : sn_weak_choose(count);
  all.stale -= which > 0 ? 1 : 0;
  return list[which];
}

void sn_weak_load(sn_weak_op op, void *value) {
  step();
  const int order = order_of(&op);
  const int index = place_of(&op);
  const int which = choose_store(index, order, NULL);
  see(index, which, order);
  memcpy(value, &all.places[index].stores[which].value, op.size);
}

void sn_weak_store(sn_weak_op op, const void *value) {
  step();
  uint64_t bits = 0;
  memcpy(&bits, value, op.size);
  append(place_of(&op), &op, bits, order_of(&op), false);
}

static uint64_t mask_of(size_t size) {
  return size == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1;
}

void sn_weak_exchange(sn_weak_op op, const void *value, bool is_added, void *old) {
  step();
  const int order = order_of(&op);
  const int index = place_of(&op);
  const int newest = all.places[index].count - 1;
  const uint64_t before = all.places[index].stores[newest].value;
  uint64_t bits = 0;
  memcpy(&bits, value, op.size);
  see(index, newest, order);
  append(index, &op, (is_added ? before + bits : bits) & mask_of(op.size), order, true);
  memcpy(old, &before, op.size);
}

bool sn_weak_compare_exchange(sn_weak_op op, int failure, void *expected, const void *value) {
  step();
  const int order = order_of(&op);
  const int index = place_of(&op);
  const place *p = &all.places[index];
  uint64_t wanted = 0, bits = 0;
  memcpy(&wanted, expected, op.size);
  memcpy(&bits, value, op.size);
  const int which = choose_store(index, failure, &wanted);
  const uint64_t found = p->stores[which].value;
  if (which < p->count - 1 || found != wanted) {
    see(index, which, failure);
    memcpy(expected, &found, op.size);
    return false;
  }
  see(index, which, order);
  append(index, &op, bits, order, true);
  return true;
}

void sn_weak_fence(int named, const char *function, const char *what) {
  step();
  const sn_weak_op op = {.order = named, .function = function, .what = what};
  const int order = order_of(&op);
  thread *t = &all.threads[all.now];
  if (acquires(order)) {
    join(&t->sees, &t->to_acquire);
  }
  if (releases(order)) {
    t->to_release = t->sees;
  }
}
