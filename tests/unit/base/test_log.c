#include <stdlib.h>

#include "base/log_internal.h"
#include "sinew/log.h"
#include "sinew/random.h"
#include "sn_test.h"

static sn_log *create(sn_arena *arena, size_t capacity) {
  sn_arena_init_growing(arena, "log", 0);
  sn_log *log = NULL;
  assert_int_equal(sn_log_create(arena, capacity, &log, NULL), SN_OK);
  return log;
}

static sn_log_record numbered(int64_t number) {
  return (sn_log_record){.now_ns = number,
                         .level = (sn_log_level)(number % 4),
                         .source = "test",
                         .format = "number {}",
                         .arg_count = 1,
                         .args = {{.kind = SN_LOG_INT, .value.integer = -number}}};
}

static void assert_is_number(const sn_log_record *record, int64_t number) {
  const sn_log_record expected = numbered(number);
  assert_true(record->now_ns == expected.now_ns);
  assert_int_equal(record->level, expected.level);
  assert_string_equal(record->source, expected.source);
  assert_string_equal(record->format, expected.format);
  assert_int_equal(record->arg_count, 1);
  assert_int_equal(record->args[0].kind, SN_LOG_INT);
  assert_true(record->args[0].value.integer == -number);
}

/* The model is three counters: a record goes in if there is room, and they come out in order. */
SN_TEST(records_come_out_in_order_and_what_does_not_fit_is_counted) {
  sn_random random;
  sn_random_init(&random, 1);
  static const size_t asked[] = {1, 2, 3, 5, 64, 100};
  static const size_t rounded[] = {2, 2, 4, 8, 64, 128};
  for (size_t i = 0; i < 6; i++) {
    sn_arena arena;
    sn_log *log = create(&arena, asked[i]);
    int64_t *fifo = calloc(20000, sizeof *fifo);
    assert_non_null(fifo);
    size_t written = 0;
    size_t taken = 0;
    uint64_t dropped = 0;
    for (int64_t number = 0; number < 20000; number++) {
      sn_log_record record = numbered(number);
      if (sn_random_below(&random, 100) < (uint64_t)(number / 2000 * 10)) { /* fuller, then empty */
        const bool has_one = taken < written;
        record.now_ns = -1;
        assert_int_equal(sn_log_read(log, &record), has_one);
        if (has_one) {
          assert_is_number(&record, fifo[taken++]);
        } else {
          assert_true(record.now_ns == -1); /* untouched */
        }
      } else {
        const bool has_room = written - taken < rounded[i];
        assert_int_equal(sn__log_write(log, &record), has_room);
        fifo[written] = number;
        written += has_room;
        dropped += !has_room;
      }
      assert_true(sn_log_dropped(log) == dropped);
    }
    assert_true(dropped > 0);
    assert_true(taken > 0);
    free(fifo);
    sn_arena_release(&arena);
  }
}

SN_TEST(bad_capacity_and_small_arenas_are_rejected) {
  static unsigned char memory[4096];
  sn_arena arena;
  sn_arena_init(&arena, "tiny", memory, sizeof memory);
  sn_log *log = NULL;
  sn_error err = {0};
  assert_int_equal(sn_log_create(&arena, 0, &log, &err), SN_EINVAL);
  assert_string_equal(err.message, "log: 0 records, must be 1 .. 1048576");
  assert_int_equal(sn_log_create(&arena, ((size_t)1 << 20) + 1, &log, &err), SN_EINVAL);
  assert_int_equal(sn_log_create(&arena, 1000, &log, &err), SN_ENOMEM);
  assert_string_equal(err.message, "log: no room in arena 'tiny'");
  assert_int_equal(sn_arena_used(&arena), 0);
  assert_null(log);
  assert_int_equal(sn_log_create(&arena, 4, &log, &err), SN_OK);
}

SN_TEST(wrong_records_are_faults) {
  sn_arena arena;
  sn_log *log = create(&arena, 2);
  char text[32];
  sn_log_record record = numbered(0);
  record.arg_count = SN_LOG_ARGS_MAX + 1;
  sn_assert_fault(sn__log_write(log, &record), "SN_LOG_ARGS_MAX");
  sn_assert_fault(sn_log_format(&record, text, sizeof text), "SN_LOG_ARGS_MAX");
  record = numbered(0);
  record.format = NULL;
  sn_assert_fault(sn__log_write(log, &record), "format != NULL");
  sn_assert_fault(sn_log_format(&record, text, sizeof text), "format != NULL");
  sn_arena_release(&arena);
}

static sn_log_arg of_int(int64_t integer) {
  return (sn_log_arg){.kind = SN_LOG_INT, .value.integer = integer};
}

static sn_log_arg of_real(double real) {
  return (sn_log_arg){.kind = SN_LOG_REAL, .value.real = real};
}

static sn_log_arg of_text(const char *text) {
  return (sn_log_arg){.kind = SN_LOG_TEXT, .value.text = text};
}

static void assert_formats(const sn_log_record *record, const char *expected) {
  char text[400];
  assert_int_equal(sn_log_format(record, text, sizeof text), strlen(expected));
  assert_string_equal(text, expected);
}

SN_TEST(placeholders_stand_for_the_arguments_in_turn) {
  sn_log_record record = {.source = "arbiter",
                          .format = "joint {} of {}: {} rad after {} cycles",
                          .arg_count = 4,
                          .args = {of_text("elbow"), of_text("arm"), of_real(-0.25), of_int(7)}};
  assert_formats(&record, "arbiter: joint elbow of arm: -0.25 rad after 7 cycles");
  record.arg_count = 2; /* a placeholder without an argument stays */
  assert_formats(&record, "arbiter: joint elbow of arm: {} rad after {} cycles");
  record.arg_count = 4;
  record.format = "only {}"; /* an argument without a placeholder is left out */
  assert_formats(&record, "arbiter: only elbow");
  record.format = "{}{}"; /* an argument is not searched for placeholders */
  record.args[0] = of_text("{} % {");
  assert_formats(&record, "arbiter: {} % {arm");
  record.source = NULL;
  record.format = "";
  assert_formats(&record, "");
  record.format = "100 %s }{ {x} {}";
  record.args[0] = of_text(NULL);
  assert_formats(&record, "100 %s }{ {x} (none)");
}

SN_TEST(numbers_are_written_in_full) {
  sn_random random;
  sn_random_init(&random, 2);
  for (int i = 0; i < 10000; i++) {
    const int64_t integer = (int64_t)sn_random_bits(&random) >> sn_random_below(&random, 64);
    const double real = sn_random_normal(&random) * pow(10.0, sn_random_between(&random, -99, 99));
    const sn_log_record record = {
        .format = "{} {}", .arg_count = 2, .args = {of_int(integer), of_real(real)}};
    char text[80];
    sn_log_format(&record, text, sizeof text);
    char *end = NULL;
    assert_true(strtoll(text, &end, 10) == integer);
    sn_assert_near(strtod(end, NULL), real, 1e-8 * fabs(real));
  }
  const sn_log_record least = {.format = "{}", .arg_count = 1, .args = {of_int(INT64_MIN)}};
  assert_formats(&least, "-9223372036854775808");
}

SN_TEST(control_characters_are_shown) {
  const sn_log_record record = {
      .source = "a\nb", .format = "link '{}'\t", .arg_count = 1, .args = {of_text("\033[31m\xFF")}};
  assert_formats(&record, "a\\x0ab: link '\\x1b[31m\\xff'\\x09");
}

/* A record of two texts, written and read: the source and the texts may be gone by then. */
static void assert_copied(size_t length_a, size_t length_b, size_t kept_a, size_t kept_b) {
  sn_arena arena;
  sn_log *log = create(&arena, 2);
  char source[] = "hoof";
  char texts[2][600] = {{0}};
  memset(texts[0], 'a', length_a);
  memset(texts[1], 'b', length_b);
  const sn_log_record record = {.source = source,
                                .format = "{} and {}",
                                .arg_count = 2,
                                .args = {of_text(texts[0]), of_text(texts[1])}};
  assert_true(sn__log_write(log, &record));
  memset(source, '?', sizeof source - 1);
  memset(texts, '?', sizeof texts);
  sn_log_record read;
  assert_true(sn_log_read(log, &read));
  assert_string_equal(read.source, "hoof");
  assert_int_equal(strspn(read.args[0].value.text, "a"), kept_a);
  assert_int_equal(strlen(read.args[0].value.text), kept_a);
  assert_int_equal(strspn(read.args[1].value.text, "b"), kept_b);
  assert_int_equal(strlen(read.args[1].value.text), kept_b);
  sn_arena_release(&arena);
}

SN_TEST(texts_are_copied_and_cut_where_the_room_of_the_record_ends) {
  const size_t own = SN_LOG_TEXT_SIZE - 1;
  /* What a long text may have beyond its own room, beside "hoof" and a short one. */
  const size_t most = SN_LOG_TEXTS_SIZE - sizeof "hoof" - sizeof "a" - 1;
  assert_copied(1, 10, 1, 10);
  assert_copied(1, 300, 1, 300);
  assert_copied(300, 1, 300, 1);
  assert_copied(1, 599, 1, most);
  /* The first of two long ones takes the room, the other keeps its own. */
  assert_copied(599, 599, SN_LOG_TEXTS_SIZE - sizeof "hoof" - own - 2, own);
  assert_copied(0, 0, 0, 0);
}

SN_TEST(line_is_cut_to_the_room) {
  const sn_log_record record = {
      .source = "s", .format = "{} and more", .arg_count = 1, .args = {of_text("text")}};
  const char whole[] = "s: text and more";
  for (size_t size = 0; size < 30; size++) {
    char text[32];
    memset(text, '#', sizeof text);
    const size_t length = sn_log_format(&record, text, size);
    assert_int_equal(text[size], '#');
    assert_int_equal(length, size == 0 ? 0 : size <= strlen(whole) ? size - 1 : strlen(whole));
    if (size > strlen(whole)) {
      assert_string_equal(text, whole);
    } else if (size > 3) {
      assert_memory_equal(text, whole, length - 3);
      assert_string_equal(text + length - 3, "...");
    }
  }

  char long_text[5000];
  char text[6000];
  memset(long_text, 'x', sizeof long_text);
  long_text[sizeof long_text - 1] = '\0';
  const sn_log_record long_record = {
      .format = "{}{}", .arg_count = 2, .args = {of_text(long_text), of_text(long_text)}};
  const size_t length = sn_log_format(&long_record, text, sizeof text);
  assert_in_range(length, 1000, 1024);
  assert_string_equal(text + length - 4, "x...");
}

SN_TEST(limit_passes_one_line_per_second_and_counts_the_others) {
  const int64_t second = INT64_C(1000000000);
  sn_log_limit limit = {0};
  uint64_t suppressed = 99;
  assert_true(sn_log_limit_pass(&limit, 5, &suppressed)); /* the first one passes at any time */
  assert_int_equal(suppressed, 0);
  for (int i = 0; i < 7; i++) {
    assert_false(sn_log_limit_pass(&limit, 5 + i, &suppressed));
  }
  assert_false(sn_log_limit_pass(&limit, 4 + second, &suppressed));
  assert_true(sn_log_limit_pass(&limit, 5 + second, &suppressed));
  assert_int_equal(suppressed, 8);
  assert_true(sn_log_limit_pass(&limit, 5 + 3 * second, &suppressed));
  assert_int_equal(suppressed, 0);
  assert_true(sn_log_limit_pass(&limit, 0, &suppressed)); /* a clock that was set back */
  const sn_log_record record = {.source = "a", .format = "too many", .suppressed = 8};
  assert_formats(&record, "a: too many (8 more suppressed)");
}
