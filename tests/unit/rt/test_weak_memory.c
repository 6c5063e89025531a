/* The memory orders of what threads share, on the code itself: every order of the threads' steps,
   and every value that a weakly ordered machine may show. For each order that the code names, a
   weaker one must fail: an order that could be weaker without harm is listed with the reason why it
   is kept. */
#include "rt/futex.h"
#include "sinew/fault.h"
#include "sn_test.h"
#include "weak_atomics.h"

/* Jobs wait by futex and clock: here, until something changes, and for as long as the search likes.
 */
#define sn__futex_wait(word, seen, until_ns) sn_weak_pause()
#define sn__futex_wake(word) ((void)(word))
#define sn__real_now_ns() (sn_weak_is_late() ? 1 : (int64_t)sn_weak_choose(2))
#define sn__real_pause() sn_weak_pause()

/* An assertion that fails is a run that fails. */
#undef SN_ASSERT
#define SN_ASSERT(what) sn_weak_require((what), #what)

#include "rt/components/jobs.c"
#include "rt/estop/estop.c"
#include "rt/ports/latest.h"
#include "rt/ports/queue.c"
#include "rt/ports/triple.h"

/* An order that the cases of this file do not need. */
typedef struct unneeded {
  const char *what, *reason;
} unneeded;

static const char *name_of(int order) {
  return order == memory_order_relaxed   ? "relaxed"
         : order == memory_order_acquire ? "acquire"
                                         : "release";
}

/* The orders that are one step weaker. memory_order_seq_cst is left alone: it is the default. */
static size_t weaker(int order, int out[2]) {
  if (order == memory_order_seq_cst) {
    return 0;
  }
  if (order == memory_order_acq_rel) {
    out[0] = memory_order_acquire;
    out[1] = memory_order_release;
    return 2;
  }
  out[0] = memory_order_relaxed;
  return 1;
}

static bool any_fails(const sn_weak_case *cases, size_t count, const sn_weak_site *site,
                      int order) {
  for (size_t i = 0; i < count; i++) {
    if (sn_weak_search(&cases[i], site, order, NULL) != NULL) {
      return true;
    }
  }
  return false;
}

/* All cases hold, and no order can be weaker but for the listed ones. */
static void check(const sn_weak_case *cases, size_t count, const unneeded *list, size_t listed) {
  sn_weak_forget_sites();
  for (size_t i = 0; i < count; i++) {
    uint64_t runs = 0;
    const char *failure = sn_weak_search(&cases[i], NULL, 0, &runs);
    if (failure != NULL) {
      fail_msg("case %zu, run %llu: %s", i, (unsigned long long)runs, failure);
    }
    assert_true(runs > 100); /* it has searched */
  }
  sn_weak_site sites[SN_WEAK_SITES];
  const size_t site_count = sn_weak_sites(sites);
  size_t unneeded_count = 0, wrong = 0;
  for (size_t i = 0; i < site_count; i++) {
    int orders[2];
    const size_t n = weaker(sites[i].order, orders);
    for (size_t k = 0; k < n; k++) {
      char what[160];
      (void)snprintf(what, sizeof what, "%s %s -> %s", sites[i].function, sites[i].what,
                     name_of(orders[k]));
      bool is_listed = false;
      for (size_t j = 0; j < listed; j++) {
        is_listed = is_listed || strcmp(list[j].what, what) == 0;
      }
      unneeded_count += is_listed ? 1 : 0;
      if (any_fails(cases, count, &sites[i], orders[k]) == is_listed) {
        print_error("%s: %s\n", what,
                    is_listed ? "it is needed" : "no case needs the stronger order");
        wrong++;
      }
    }
  }
  assert_int_equal(wrong, 0);
  assert_int_equal(unneeded_count, listed);
}

/* ---- triple buffer ---- */

typedef struct triple_case {
  sn__triple triple;
  int slots[SN__TRIPLE_SLOTS];
  int last;
} triple_case;

enum { MESSAGES = 4 };

static void triple_start(void *data) {
  triple_case *c = data;
  sn__triple_init(&c->triple);
  c->last = 0;
}

static void triple_write(void *data) {
  triple_case *c = data;
  for (int i = 1; i <= MESSAGES; i++) {
    sn_weak_write(&c->slots[c->triple.back]);
    c->slots[c->triple.back] = i;
    sn__triple_publish(&c->triple);
  }
}

static void triple_look(triple_case *c) {
  if (sn__triple_take(&c->triple)) {
    sn_weak_read(&c->slots[c->triple.front]);
    const int value = c->slots[c->triple.front];
    sn_weak_require(value > c->last, "something old after something newer");
    c->last = value;
  }
}

static void triple_read(void *data) {
  for (int i = 0; i < MESSAGES; i++) {
    triple_look(data);
  }
}

static void triple_end(void *data) {
  triple_case *c = data;
  triple_look(c);
  sn_weak_require(c->last == MESSAGES, "the last message is lost");
}

SN_TEST(triple_buffer_needs_its_orders_and_no_more) {
  static triple_case data;
  const sn_weak_case cases[] = {
      {2, {triple_write, triple_read}, triple_start, triple_end, &data, 6, 4}};
  check(cases, 1, NULL, 0);
}

/* ---- the latest message, shared by readers ---- */

enum { READERS_MAX = 2, LATEST_SLOTS = READERS_MAX + 2 };

typedef struct latest_case {
  uint32_t readers, slot_count;
  bool leaves; /* the first reader, at its end */
  int messages, looks;
  sn__latest_word word;
  sn__latest_slot slots[LATEST_SLOTS];
  sn__latest_slot *list[LATEST_SLOTS];
  int values[LATEST_SLOTS];
  uint32_t held[READERS_MAX];
  int last[READERS_MAX];
} latest_case;

static void latest_start(void *data) {
  latest_case *c = data;
  memset(c->slots, 0, sizeof c->slots);
  memset(c->last, 0, sizeof c->last);
  memset(c->held, 0, sizeof c->held);
  atomic_init(&c->word, c->readers); /* each has taken the first slot */
  c->slot_count = c->readers + 2;
  for (size_t i = 0; i < LATEST_SLOTS; i++) {
    c->list[i] = &c->slots[i];
  }
}

static void latest_write(void *data) {
  latest_case *c = data;
  for (int i = 1; i <= c->messages; i++) {
    const uint32_t slot = sn__latest_find(&c->word, c->list, c->slot_count);
    sn_weak_require(slot < c->slot_count, "no slot is free");
    sn_weak_write(&c->values[slot]);
    c->values[slot] = i;
    sn__latest_publish(&c->word, c->list, slot);
  }
}

static void latest_look(latest_case *c, size_t reader) {
  if (!sn__latest_is_newer(&c->word, c->held[reader])) {
    return;
  }
  sn__latest_return(c->list[c->held[reader]]);
  c->held[reader] = sn__latest_take(&c->word);
  (void)sn__latest_is_newer(&c->word, 0); /* so that the read is a step after the take */
  sn_weak_read(&c->values[c->held[reader]]);
  const int value = c->values[c->held[reader]];
  sn_weak_require(value > c->last[reader], "something old after something newer");
  c->last[reader] = value;
}

static void latest_read_first(void *data) {
  latest_case *c = data;
  for (int i = 0; i < c->looks; i++) {
    latest_look(c, 0);
  }
  if (c->leaves) {
    sn__latest_return(c->list[c->held[0]]);
  }
}

static void latest_read_second(void *data) {
  for (int i = 0; i < ((latest_case *)data)->looks; i++) {
    latest_look(data, 1);
  }
}

static void latest_end(void *data) {
  latest_case *c = data;
  for (size_t i = c->leaves; i < c->readers; i++) {
    latest_look(c, i);
    sn_weak_require(c->last[i] == c->messages, "the last message is lost");
  }
}

SN_TEST(shared_latest_message_needs_its_orders_and_no_more) {
  static latest_case data[] = {{.readers = 1, .messages = 4, .looks = 3},
                               {.readers = 1, .messages = 4, .looks = 2, .leaves = true},
                               {.readers = 2, .messages = 3, .looks = 2}};
  const sn_weak_case cases[] = {
      {2, {latest_write, latest_read_first}, latest_start, latest_end, &data[0], 4, 2},
      {2, {latest_write, latest_read_first}, latest_start, latest_end, &data[1], 4, 2},
      {3,
       {latest_write, latest_read_first, latest_read_second},
       latest_start,
       latest_end,
       &data[2],
       2,
       1}};
  check(cases, 3, NULL, 0);
}

/* ---- queue ---- */

typedef struct queue_case {
  sn__queue queue;
  unsigned char memory[512];
  uint64_t length;
  bool drop_oldest;
  int slots[8];
  int sent, last, got, dropped;
} queue_case;

static void queue_start(void *data) {
  queue_case *c = data;
  sn_arena arena;
  sn_arena_init(&arena, "queue", c->memory, sizeof c->memory);
  (void)sn__queue_init(&c->queue, &arena, c->length);
  c->sent = c->last = c->got = c->dropped = 0;
}

static void queue_write(void *data) {
  queue_case *c = data;
  for (int i = 1; i <= MESSAGES; i++) {
    sn_weak_write(&c->slots[c->queue.back]);
    c->slots[c->queue.back] = i;
    const sn__queue_result result = sn__queue_push(&c->queue, c->drop_oldest);
    c->sent += result != SN__QUEUE_REFUSED ? 1 : 0;
    c->dropped += result == SN__QUEUE_DROPPED ? 1 : 0;
  }
}

static bool queue_look(queue_case *c) {
  if (!sn__queue_pop(&c->queue)) {
    return false;
  }
  sn_weak_read(&c->slots[c->queue.front]);
  const int value = c->slots[c->queue.front];
  sn_weak_require(value > c->last, "messages out of order");
  c->last = value;
  c->got++;
  return true;
}

static void queue_read(void *data) {
  for (int i = 0; i < MESSAGES; i++) {
    (void)queue_look(data);
  }
}

static void queue_end(void *data) {
  queue_case *c = data;
  while (queue_look(c)) {
  }
  sn_weak_require(c->got + c->dropped == c->sent, "a message is lost or comes twice");
}

SN_TEST(queue_needs_its_orders) {
  static queue_case data[] = {{.length = 1, .drop_oldest = true},
                              {.length = 1, .drop_oldest = false},
                              {.length = 2, .drop_oldest = true},
                              {.length = 2, .drop_oldest = false}};
  sn_weak_case cases[4];
  for (size_t i = 0; i < 4; i++) {
    cases[i] = (sn_weak_case){2, {queue_write, queue_read}, queue_start, queue_end, &data[i], 3, 1};
  }
  static const unneeded list[] = {
      {"take_oldest &queue->tail memory_order_acq_rel -> release",
       "the load before it has acquired the same value"},
  };
  check(cases, 4, list, 1);
}

/* ---- jobs ---- */

typedef struct counted_job {
  sn__job job;
  int input, output, runs;
} counted_job;

typedef struct jobs_case {
  sn__jobs jobs;
  counted_job list[2];
} jobs_case;

static void run_job(sn__job *job) {
  counted_job *c = (counted_job *)job;
  sn_weak_read(&c->input);
  sn_weak_write(&c->output);
  c->output = c->input;
  c->runs++;
}

static void jobs_start(void *data) {
  jobs_case *c = data;
  memset(c, 0, sizeof *c);
  sn__jobs_init(&c->jobs);
  c->list[0].job.run = c->list[1].job.run = run_job;
}

/* Queue a job once or twice; it may have been given up the first time. */
static void call(jobs_case *c, counted_job *job, int input) {
  if (!sn__job_claim(&job->job)) {
    return;
  }
  sn_weak_write(&job->input);
  job->input = input;
  sn__jobs_push(&c->jobs, &job->job);
  if (sn__job_wait(&job->job, 1)) {
    sn_weak_read(&job->output);
    sn_weak_require(job->output == input, "another outcome");
    sn__job_free(&job->job);
  }
}

static void call_twice(void *data) {
  jobs_case *c = data;
  call(c, &c->list[0], 1);
  call(c, &c->list[0], 2);
}

static void call_first(void *data) {
  jobs_case *c = data;
  call(c, &c->list[0], 1);
}

static void call_second(void *data) {
  jobs_case *c = data;
  call(c, &c->list[1], 3);
}

/* A pool: both callers may use the same job, one after the other. */
static void call_same(void *data) {
  jobs_case *c = data;
  call(c, &c->list[0], 4);
}

static void answer(void *data) {
  jobs_case *c = data;
  (void)sn__jobs_run(&c->jobs, 1);
  (void)sn__jobs_run(&c->jobs, 2);
}

static void jobs_end(void *data) {
  jobs_case *c = data;
  (void)sn__jobs_run(&c->jobs, 8);
  sn_weak_require(!sn__jobs_pending(&c->jobs), "a job stays in the queue");
}

SN_TEST(jobs_need_their_orders) {
  static jobs_case data;
  const sn_weak_case cases[] = {
      {2, {answer, call_twice}, jobs_start, jobs_end, &data, 3, 1},
      {3, {answer, call_first, call_second}, jobs_start, jobs_end, &data, 1, 1},
      {3, {answer, call_first, call_same}, jobs_start, jobs_end, &data, 2, 1}};
  static const unneeded list[] = {
      {"link_newest &jobs->newest memory_order_acq_rel -> acquire",
       "orders two stores to next, which the model never exchanges"},
      {"link_newest &jobs->newest memory_order_acq_rel -> release", "likewise"},
      {"pop &jobs->newest memory_order_acquire -> relaxed",
       "only compared; the exchange after it acquires"},
      {"change_state &job->state memory_order_acq_rel -> release",
       "what the owner needs is acquired with the link, what the caller needs by its load"},
  };
  check(cases, 3, list, 4);
}

/* ---- texts of the emergency stop ---- */

typedef struct text_case {
  sn__estop e;
  uint64_t asked;
} text_case;

/* The slot of stop 1, which has ended, is free for stop 9. */
static void text_start(void *data) {
  text_case *c = data;
  memset(&c->e, 0, sizeof c->e);
  sn__stop_text text;
  memset(&text, 'a', sizeof text);
  text.who[sizeof text.who - 1] = text.why[sizeof text.why - 1] = '\0';
  memcpy((void *)c->e.slots[1].words, &text, sizeof text);
  atomic_init(&c->e.slots[1].state, 2);
  atomic_init(&c->e.requested, 8);
  atomic_init(&c->e.released, 8);
}

static void text_write(void *data) {
  text_case *c = data;
  char who[64], why[192];
  memset(who, 'b', sizeof who);
  memset(why, 'b', sizeof why);
  who[sizeof who - 1] = why[sizeof why - 1] = '\0';
  (void)sn__estop_request(&c->e, who, why);
}

static void text_read(void *data) {
  text_case *c = data;
  sn__stop_text text;
  if (sn__estop_text(&c->e, c->asked, &text)) {
    const char letter = c->asked == 9 ? 'b' : 'a';
    bool is_whole = true;
    for (size_t i = 0; i + 1 < sizeof text.why; i++) {
      is_whole =
          is_whole && text.why[i] == letter && (i + 1 >= sizeof text.who || text.who[i] == letter);
    }
    sn_weak_require(is_whole, "a mixture of two texts");
  }
}

SN_TEST(texts_of_stops_need_their_orders) {
  static text_case data[] = {{.asked = 1}, {.asked = 9}};
  sn_weak_case cases[2];
  for (size_t i = 0; i < 2; i++) {
    cases[i] = (sn_weak_case){2, {text_write, text_read}, text_start, NULL, &data[i], 2, 1};
  }
  check(cases, 2, NULL, 0);
}
