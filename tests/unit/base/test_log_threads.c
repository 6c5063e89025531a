#define _POSIX_C_SOURCE 200809L /* sched_yield() */

#include <pthread.h>
#include <sched.h>

#include "base/log_internal.h"
#include "sinew/log.h"
#include "sn_test.h"

#define WRITERS 4
#define RECORDS 20000 /* each writer tries this many */

typedef struct writer {
  sn_log *log;
  int64_t id;
  int64_t accepted;
  pthread_t thread;
} writer;

/* All fields follow from writer and number, so a record mixed from two is seen. */
static sn_log_record record_of(int64_t id, int64_t number) {
  sn_log_record record = {
      .now_ns = number, .level = SN_LOG_INFO, .format = "{}{}{}{}", .arg_count = SN_LOG_ARGS_MAX};
  for (int64_t i = 0; i < SN_LOG_ARGS_MAX; i++) {
    record.args[i] = (sn_log_arg){.kind = SN_LOG_INT, .value.integer = id + (number + i) * WRITERS};
  }
  return record;
}

static void *write_all(void *argument) {
  writer *w = argument;
  for (int64_t number = 0; number < RECORDS; number++) {
    const sn_log_record record = record_of(w->id, number);
    w->accepted += sn__log_write(w->log, &record);
    if (number % 1024 == 0) {
      sched_yield(); /* let the others run, also on one core */
    }
  }
  return NULL;
}

static void start_writers(writer *writers, sn_log *log) {
  for (int64_t i = 0; i < WRITERS; i++) {
    writers[i] = (writer){.log = log, .id = i};
    assert_int_equal(pthread_create(&writers[i].thread, NULL, write_all, &writers[i]), 0);
  }
}

/* Checks that the record is whole and later than the one before it of the same writer. */
static void check_record(const sn_log_record *record, int64_t *last, int64_t *read) {
  const int64_t id = record->args[0].value.integer % WRITERS;
  const sn_log_record expected = record_of(id, record->now_ns);
  for (size_t i = 0; i < SN_LOG_ARGS_MAX; i++) {
    assert_true(record->args[i].value.integer == expected.args[i].value.integer);
  }
  assert_true(record->now_ns > last[id]);
  last[id] = record->now_ns;
  read[id]++;
}

/* @return how many were dropped */
static uint64_t assert_all_is_accounted_for(size_t capacity) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "log", 0);
  sn_log *log = NULL;
  assert_int_equal(sn_log_create(&arena, capacity, &log, NULL), SN_OK);
  int64_t last[WRITERS] = {-1, -1, -1, -1};
  int64_t read[WRITERS] = {0};
  writer writers[WRITERS];
  start_writers(writers, log);
  sn_log_record record;
  int64_t total = 0;
  /* Every record tried is either read here or counted as dropped, so the sum shows when to end. */
  while (total + (int64_t)sn_log_dropped(log) < (int64_t)WRITERS * RECORDS) {
    if (sn_log_read(log, &record)) {
      check_record(&record, last, read);
      total++;
    } else {
      sched_yield();
    }
  }
  for (int i = 0; i < WRITERS; i++) {
    assert_int_equal(pthread_join(writers[i].thread, NULL), 0);
    assert_true(read[i] == writers[i].accepted);
  }
  assert_false(sn_log_read(log, &record));
  assert_true(total > 0);
  const uint64_t dropped = sn_log_dropped(log);
  sn_arena_release(&arena);
  return dropped;
}

SN_TEST(small_ring_counts_everything_it_loses) {
  assert_all_is_accounted_for(2);
  assert_all_is_accounted_for(64);
}

SN_TEST(ring_with_room_for_all_keeps_all) {
  assert_true(assert_all_is_accounted_for((size_t)WRITERS * RECORDS) == 0);
}
