/* Taps that share a copy: each finds what it would have found alone, and the writer has one
   connection to serve. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "msg/msg_text.h"
#include "rig.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { MS = 1000000, TAPS = 4 };

static sn_tap *open_tap(rig *r, size_t buffer, bool shared) {
  const sn_connection connection = {.buffer = buffer, .shared = shared};
  sn_tap *tap = NULL;
  assert_int_equal(sn_tap_open(r->system, "source.out", &connection, &tap, &r->err), SN_OK);
  return tap;
}

static size_t connection_count(const rig *r) {
  return sn_component_connections(sn_system_find(r->system, "source"), NULL, 0);
}

/* ---- one thread: a tap of its own is the oracle ---- */

typedef struct twins {
  sn_tap *shared, *alone;
} twins;

static void open_twins(rig *r, twins *t, size_t buffer) {
  t->shared = open_tap(r, buffer, true);
  t->alone = open_tap(r, buffer, false);
}

static void close_twins(twins *t) {
  sn_tap_close(t->shared);
  sn_tap_close(t->alone);
  *t = (twins){0};
}

static void read_twins(const twins *t) {
  sn_flow flow = SN_NO_DATA;
  sn_flow expected = SN_NO_DATA;
  const sn_joint_state *msg = sn_tap_read(t->shared, &flow);
  const sn_joint_state *other = sn_tap_read(t->alone, &expected);
  assert_int_equal(flow, expected);
  assert_int_equal(msg != NULL, other != NULL);
  assert_true(msg == NULL || sn__msg_equal(&sn_joint_state_type, msg, other));
  const sn_port_counts counts = sn_tap_counts(t->shared);
  assert_int_equal(counts.written, sn_tap_counts(t->alone).written);
  assert_int_equal(counts.lost, sn_tap_counts(t->alone).lost);
}

/* Readers with random rates that attach and detach. */
SN_TEST(each_shared_tap_gets_the_same_messages_as_alone) {
  sn_random random;
  for (uint64_t seed = 0; seed < sn_test_cases(30); seed++) {
    rig r;
    twins taps[TAPS] = {{0}};
    sn_random_init(&random, seed);
    const size_t buffers[2] = {sn_random_below(&random, 3), 3 + sn_random_below(&random, 5)};
    rig_open(&r, MS);
    rig_add(&r, &part_source_type, "source");
    rig_begin(&r);
    for (int i = 0; i < 300; i++) {
      twins *t = &taps[sn_random_below(&random, TAPS)];
      const uint64_t what = sn_random_below(&random, 20);
      if (t->shared == NULL) {
        open_twins(&r, t, buffers[sn_random_below(&random, 2)]);
      } else if (what == 0) {
        close_twins(t);
      } else if (what < 12) {
        read_twins(t);
      } else {
        rig_run(&r, (int64_t)(1 + sn_random_below(&random, 4)) * MS);
      }
    }
    for (int i = 0; i < TAPS; i++) {
      close_twins(&taps[i]);
    }
    assert_int_equal(connection_count(&r), 0);
    rig_close(&r);
  }
}

SN_TEST(shared_taps_are_one_connection) {
  rig r;
  sn_tap *taps[5];
  rig_open(&r, MS);
  rig_add(&r, &part_source_type, "source");
  rig_begin(&r);
  for (size_t i = 0; i < 3; i++) {
    taps[i] = open_tap(&r, 10, true);
    assert_int_equal(connection_count(&r), 1);
  }
  taps[3] = open_tap(&r, 11, true); /* another buffer, another copy */
  assert_int_equal(connection_count(&r), 2);
  taps[4] = open_tap(&r, 10, false);
  assert_int_equal(connection_count(&r), 3);
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(connection_count(&r), 3);
    sn_tap_close(taps[i]);
  }
  assert_int_equal(connection_count(&r), 2);
  sn_tap_close(taps[3]);
  sn_tap_close(taps[4]);
  assert_int_equal(connection_count(&r), 0);
  rig_close(&r);
}

SN_TEST(only_taps_share) {
  rig r;
  const sn_connection shared = {.shared = true};
  const sn_connection refusing = {.buffer = 1, .overflow = SN_OVERFLOW_REFUSE, .shared = true};
  sn_source *source = NULL;
  sn_tap *tap = NULL;
  rig_open(&r, MS);
  rig_add(&r, &part_source_type, "source");
  rig_add(&r, &part_gain_type, "gain");
  assert_int_equal(sn_system_connect(r.system, "source.out", "gain.in", &shared, &r.err),
                   SN_EINVAL);
  assert_int_equal(sn_source_open(r.system, "gain.in", &shared, &source, &r.err), SN_EINVAL);
  assert_int_equal(sn_tap_open(r.system, "source.out", &refusing, &tap, &r.err), SN_EINVAL);
  assert_non_null(strstr(r.err.message, "only taps can be shared"));
  rig_close(&r);
}

/* ---- threads ---- */

typedef struct listener {
  rig *r;
  sn_tap *tap; /* open from the beginning to the end */
  size_t buffer;
  double last;
  uint64_t came;
  bool is_wrong; /* it saw something that must not be */
  const atomic_bool *is_over;
} listener;

/* A message is whole, and later than the last. @return whether there was one */
static bool take(listener *l, sn_tap *tap) {
  sn_flow flow = SN_NO_DATA;
  const sn_joint_state *msg = sn_tap_read(tap, &flow);
  if (flow != SN_NEW_DATA) {
    return false;
  }
  const double now = msg->position.data[0];
  l->is_wrong |= now <= l->last;
  for (size_t i = 0; i < msg->position.count; i++) {
    l->is_wrong |= msg->position.data[i] != now;
  }
  l->last = now;
  l->came++;
  return true;
}

static void *listen_to_the_end(void *context) {
  listener *l = context;
  bool is_over = false;
  do {
    is_over = atomic_load(l->is_over); /* before the look that finds nothing more */
    while (take(l, l->tap)) {
    }
    sched_yield();
  } while (!is_over);
  return NULL;
}

static void *come_and_go(void *context) {
  listener *l = context;
  const sn_connection connection = {.buffer = l->buffer, .shared = true};
  sn_error err;
  for (size_t i = 0; i < sn_test_cases(100); i++) {
    sn_tap *tap = NULL;
    if (sn_tap_open(l->r->system, "source.out", &connection, &tap, &err) != SN_OK) {
      l->is_wrong = true;
      return NULL;
    }
    l->last = -1.0;
    for (int k = 0; k < 20; k++) {
      (void)take(l, tap);
      sched_yield();
    }
    sn_tap_close(tap);
  }
  return NULL;
}

static void check_counts(const listener *l) {
  const sn_port_counts counts = sn_tap_counts(l->tap);
  assert_true(l->last == (double)(counts.written - 1)); /* the newest arrives */
  if (l->buffer > 0) {
    assert_int_equal(l->came + counts.lost, counts.written);
  }
}

/* Every message reaches each tap or is counted, while other taps open and close. */
SN_TEST(threads_lose_nothing_uncounted) {
  for (size_t buffer = 0; buffer < 8; buffer += 7) {
    rig r;
    atomic_bool is_over = false;
    listener listeners[TAPS];
    pthread_t threads[TAPS];
    rig_open_real(&r, MS / 10);
    rig_set(&r, rig_add(&r, &part_source_type, "source"), "width", "40");
    for (size_t i = 0; i < TAPS; i++) {
      listeners[i] = (listener){.r = &r, .buffer = buffer, .last = -1.0, .is_over = &is_over};
      listeners[i].tap = i < 2 ? open_tap(&r, buffer, true) : NULL;
    }
    rig_begin(&r);
    assert_int_equal(sn_system_launch(r.system, &r.err), SN_OK);
    for (size_t i = 0; i < TAPS; i++) {
      void *(*run)(void *) = i < 2 ? listen_to_the_end : come_and_go;
      assert_int_equal(pthread_create(&threads[i], NULL, run, &listeners[i]), 0);
    }
    pthread_join(threads[2], NULL);
    pthread_join(threads[3], NULL);
    while (sn_tap_counts(listeners[0].tap).written < 100) {
      sched_yield(); /* so many cycles at least, on however slow a machine */
    }
    sn_system_halt(r.system);
    atomic_store(&is_over, true);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    for (size_t i = 0; i < TAPS; i++) {
      assert_false(listeners[i].is_wrong);
      if (i < 2) {
        check_counts(&listeners[i]);
      }
      sn_tap_close(listeners[i].tap);
    }
    rig_close(&r);
  }
}
