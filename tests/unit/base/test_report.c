#include "base/report_internal.h"
#include "sinew/report.h"
#include "sn_test.h"

static sn_place place_at(unsigned line) {
  return (sn_place){.file = "arm.urdf", .line = line, .column = 3};
}

SN_TEST(problems_are_kept_in_the_order_found) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "report", 0);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&arena, &report, NULL), SN_OK);
  assert_non_null(report);
  assert_int_equal(sn_report_count(report), 0);
  char name[] = "elbow";
  char hint[] = "swap them";
  sn__report_add(report, SN_SEVERITY_ERROR, place_at(42), hint, "joint '%s': %d", name, 7);
  sn__report_add(report, SN_SEVERITY_WARNING, place_at(43), NULL, "second");
  memset(name, 'X', sizeof name - 1); /* both were copied */
  memset(hint, 'X', sizeof hint - 1);

  assert_int_equal(sn_report_count(report), 2);
  assert_int_equal(sn_report_error_count(report), 1);
  assert_int_equal(sn_report_warning_count(report), 1);
  const sn_problem *first = sn_report_at(report, 0);
  assert_int_equal(first->severity, SN_SEVERITY_ERROR);
  assert_string_equal(first->place.file, "arm.urdf");
  assert_int_equal(first->place.line, 42);
  assert_int_equal(first->place.column, 3);
  assert_string_equal(first->message, "joint 'elbow': 7");
  assert_string_equal(first->hint, "swap them");
  const sn_problem *second = sn_report_at(report, 1);
  assert_int_equal(second->severity, SN_SEVERITY_WARNING);
  assert_string_equal(second->message, "second");
  assert_null(second->hint);
  sn_assert_fault(sn_report_at(report, 2), "index < report->count");
  sn_arena_release(&arena);
}

static sn_severity severity_of(unsigned i) {
  return i % 3 == 0 ? SN_SEVERITY_ERROR : SN_SEVERITY_WARNING;
}

/* Every error is kept, and as many of the first warnings as there is room for. */
SN_TEST(errors_take_the_place_of_warnings_in_a_full_report) {
  const unsigned added = SN_PROBLEMS_MAX + 500;
  sn_arena arena;
  sn_arena_init_growing(&arena, "report", 0);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&arena, &report, NULL), SN_OK);
  for (unsigned i = 0; i < added; i++) {
    sn__report_add(report, severity_of(i), place_at(i), NULL, "problem %u", i);
    assert_int_equal(sn_report_count(report), i < SN_PROBLEMS_MAX ? i + 1 : SN_PROBLEMS_MAX);
    assert_int_equal(sn_report_error_count(report), i / 3 + 1);
    assert_int_equal(sn_report_error_count(report) + sn_report_warning_count(report), i + 1);
  }
  size_t warnings_left = SN_PROBLEMS_MAX - sn_report_error_count(report);
  size_t index = 0;
  for (unsigned i = 0; i < added; i++) {
    if (severity_of(i) == SN_SEVERITY_WARNING) {
      if (warnings_left == 0) {
        continue;
      }
      warnings_left--;
    }
    char message[32];
    snprintf(message, sizeof message, "problem %u", i);
    assert_string_equal(sn_report_at(report, index)->message, message);
    assert_int_equal(sn_report_at(report, index)->severity, severity_of(i));
    assert_int_equal(sn_report_at(report, index)->place.line, i);
    index++;
  }
  assert_int_equal(index, SN_PROBLEMS_MAX);
  sn_arena_release(&arena);
}

SN_TEST(errors_beyond_the_maximum_are_only_counted) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "report", 0);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&arena, &report, NULL), SN_OK);
  for (unsigned i = 0; i < SN_PROBLEMS_MAX + 5; i++) {
    sn__report_add(report, SN_SEVERITY_ERROR, place_at(i), NULL, "problem");
  }
  assert_int_equal(sn_report_count(report), SN_PROBLEMS_MAX);
  assert_int_equal(sn_report_error_count(report), SN_PROBLEMS_MAX + 5);
  assert_int_equal(sn_report_at(report, SN_PROBLEMS_MAX - 1)->place.line, SN_PROBLEMS_MAX - 1);
  sn_arena_release(&arena);
}

SN_TEST(texts_are_cut_and_hold_no_control_characters) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "report", 0);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&arena, &report, NULL), SN_OK);
  sn__report_add(report, SN_SEVERITY_ERROR, place_at(1), "see\r\n\033[31m", "link '%s'",
                 "a\nb\x7F\xC2\x85\xFF");
  assert_string_equal(sn_report_at(report, 0)->message, "link 'a\\x0ab\\x7f\\xc2\\x85\\xff'");
  assert_string_equal(sn_report_at(report, 0)->hint, "see\\x0d\\x0a\\x1b[31m");

  char long_text[3000];
  memset(long_text, 'l', sizeof long_text);
  long_text[sizeof long_text - 1] = '\0';
  sn__report_add(report, SN_SEVERITY_ERROR, place_at(1), long_text, "%s", long_text);
  const sn_problem *problem = sn_report_at(report, 1);
  assert_int_equal(strlen(problem->message), 399);
  assert_string_equal(problem->message + 396, "...");
  assert_string_equal(problem->hint, problem->message);
  sn_arena_release(&arena);
}

SN_TEST(errors_without_memory_are_still_counted) {
  static unsigned char memory[4096];
  sn_arena arena;
  size_t created = 0;
  for (size_t size = 0; size < sizeof memory; size += 8) {
    sn_arena_init(&arena, "small", memory, size);
    sn_report *report = NULL;
    sn_error err;
    const sn_status status = sn_report_create(&arena, &report, &err);
    if (status != SN_OK) {
      assert_int_equal(status, SN_ENOMEM);
      assert_null(report);
      sn_assert_contains(err.message, "small");
      continue;
    }
    created++;
    for (unsigned i = 0; i < 40; i++) {
      sn__report_add(report, SN_SEVERITY_ERROR, place_at(i), "a hint", "problem %u", i);
    }
    assert_int_equal(sn_report_error_count(report), 40);
    for (size_t i = 0; i < sn_report_count(report); i++) {
      assert_memory_equal(sn_report_at(report, i)->message, "problem ", 8);
    }
  }
  assert_true(created > 100);
}
