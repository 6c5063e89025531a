/* Messages that several readers share: their copies, slots and counts. */
#include <pthread.h>

#include "rt/ports/channel.h"
#include "rt/ports/latest.h"
#include "sinew/msg_types.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { READERS_MAX = 6 };

typedef struct rig {
  sn_arena arena;
  sn__latest *latest;
  sn_joint_state *msg;
  sn__channel *channels[READERS_MAX];
} rig;

static void open_rig(rig *r) {
  const sn_msg_capacity capacity = {.item_count = 8, .text_size = 8};
  sn_arena_init_growing(&r->arena, "rig", 0);
  r->latest = sn__latest_create(&sn_joint_state_type,
                                sn__msg_copier_create(&r->arena, &sn_joint_state_type), &capacity);
  r->msg = sn_msg_create(&r->arena, &sn_joint_state_type, &capacity);
  assert_non_null(r->latest);
  assert_non_null(r->msg);
}

static void close_rig(rig *r) {
  sn__latest_abandon(r->latest); /* the last reader frees it */
  for (size_t i = 0; i < READERS_MAX; i++) {
    if (r->channels[i] != NULL) {
      sn__channel_destroy(r->channels[i]);
    }
  }
  sn_arena_release(&r->arena);
}

static void join(rig *r, size_t reader) {
  const sn_connection connection = {0};
  sn__retired *replaced = NULL;
  r->channels[reader] = sn__channel_create_shared(r->latest, &connection, &replaced);
  assert_non_null(r->channels[reader]);
  if (replaced != NULL) {
    replaced->dispose(replaced);
  }
}

static void leave(rig *r, size_t reader) {
  sn__channel_destroy(r->channels[reader]);
  r->channels[reader] = NULL;
}

/* All numbers of a message are the same: half-written ones are not. */
static void put(rig *r, double value) {
  r->msg->position.count = 8;
  for (size_t i = 0; i < 8; i++) {
    r->msg->position.data[i] = value;
  }
  assert_int_equal(sn__latest_write(r->latest, r->msg), SN_OK);
}

static double value_of(const sn_joint_state *msg) {
  for (size_t i = 1; i < msg->position.count; i++) {
    assert_true(msg->position.data[i] == msg->position.data[0]);
  }
  return msg->position.data[0];
}

SN_TEST(a_reader_gets_what_is_written_after_it_joined) {
  rig r = {0};
  open_rig(&r);
  put(&r, 1.0); /* without readers */
  join(&r, 0);
  put(&r, 2.0);
  join(&r, 1);
  sn_flow flow = SN_NEW_DATA;
  assert_null(sn__channel_read(r.channels[1], &flow));
  assert_int_equal(flow, SN_NO_DATA);
  assert_true(value_of(sn__channel_read(r.channels[0], &flow)) == 2.0);
  assert_int_equal(flow, SN_NEW_DATA);
  assert_true(value_of(sn__channel_read(r.channels[0], &flow)) == 2.0);
  assert_int_equal(flow, SN_OLD_DATA);
  put(&r, 3.0);
  assert_true(value_of(sn__channel_read(r.channels[1], &flow)) == 3.0);
  assert_int_equal(sn__channel_counts(r.channels[0]).written, 2);
  assert_int_equal(sn__channel_counts(r.channels[1]).written, 1);
  sn__channel_forget(r.channels[0]);
  assert_null(sn__channel_read(r.channels[0], &flow));
  close_rig(&r);
}

/* What a reader took stays as it is, whatever others do, until it reads again: against a model that
   only knows the latest value and what each has read. */
SN_TEST(what_a_reader_has_taken_does_not_change) {
  rig r = {0};
  open_rig(&r);
  sn_random random;
  sn_random_init(&random, sn_test_seed(24));
  const sn_joint_state *taken[READERS_MAX] = {NULL};
  double values[READERS_MAX] = {0.0}, seen[READERS_MAX] = {0.0}, latest = 0.0;
  const size_t steps = sn_test_cases(20000);
  for (size_t step = 1; step <= steps; step++) {
    const size_t reader = (size_t)sn_random_below(&random, READERS_MAX);
    const uint64_t what = sn_random_below(&random, 8);
    if (what < 4) {
      latest = (double)step;
      put(&r, latest);
    } else if (r.channels[reader] == NULL) {
      join(&r, reader);
      taken[reader] = NULL;
      seen[reader] = latest;
    } else if (what == 4) {
      leave(&r, reader);
      taken[reader] = NULL;
    } else {
      sn_flow flow = SN_NO_DATA;
      taken[reader] = sn__channel_read(r.channels[reader], &flow);
      assert_int_equal(flow == SN_NEW_DATA, latest != seen[reader]);
      values[reader] = seen[reader] = latest;
    }
    for (size_t i = 0; i < READERS_MAX; i++) {
      assert_true(taken[i] == NULL || value_of(taken[i]) == values[i]);
    }
  }
  assert_true(atomic_load(&r.latest->list)->count <= READERS_MAX + 2); /* slots are reused */
  close_rig(&r);
}

typedef struct reading {
  sn__channel *channel;
  double until;
} reading;

static void *read_all(void *data) {
  const reading *r = data;
  double last = 0.0;
  while (last < r->until) {
    sn_flow flow = SN_NO_DATA;
    const sn_joint_state *msg = sn__channel_read(r->channel, &flow);
    if (flow == SN_NEW_DATA) {
      assert_true(value_of(msg) > last);
      last = value_of(msg);
    }
  }
  return NULL;
}

SN_TEST(readers_in_other_threads_see_whole_and_ever_newer_messages) {
  enum { COUNT = 3 };
  rig r = {0};
  open_rig(&r);
  reading readings[COUNT];
  pthread_t threads[COUNT];
  const double until = (double)sn_test_cases(50000);
  for (size_t i = 0; i < COUNT; i++) {
    join(&r, i);
    readings[i] = (reading){r.channels[i], until};
    assert_int_equal(pthread_create(&threads[i], NULL, read_all, &readings[i]), 0);
  }
  for (double value = 1.0; value <= until; value += 1.0) {
    put(&r, value);
  }
  for (size_t i = 0; i < COUNT; i++) {
    pthread_join(threads[i], NULL);
  }
  close_rig(&r);
}
