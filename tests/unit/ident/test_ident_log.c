#include <locale.h>
#include <stdlib.h>

#include "ident/offline/ident_log.h"
#include "sinew/random.h"
#include "sn_test.h"

static sn_ident_cursor cursor_over(const char *text) {
  return (sn_ident_cursor){text, text + strlen(text)};
}

static sn_ident_columns columns_of(const char *header) {
  sn_ident_cursor cursor = cursor_over(header);
  sn_ident_columns columns;
  assert_int_equal(sn__ident_log_header(&cursor, &columns, NULL), SN_OK);
  return columns;
}

static const char full[] = "time,joint,goal,position,velocity,effort,voltage\n";

SN_TEST(columns_stand_in_any_order) {
  const char text[] =
      "\xEF\xBB\xBF joint , note,time,voltage,position,goal\r\n"
      "knee,\"a, b\",0.5,12.1,1.25,-2\r\n"
      "\r\n"
      " hip ,,0.75,,+3e-1, .5 \r\n";
  sn_ident_cursor cursor = cursor_over(text);
  sn_ident_columns columns;
  assert_int_equal(sn__ident_log_header(&cursor, &columns, NULL), SN_OK);
  sn_ident_line line;
  assert_int_equal(sn__ident_log_next(&columns, &cursor, &line, NULL), SN_IDENT_LOG_LINE);
  assert_int_equal(line.joint_length, 4);
  assert_memory_equal(line.joint, "knee", 4);
  sn_assert_near(line.sample.time_s, 0.5, 0.0);
  sn_assert_near(line.sample.voltage, 12.1, 0.0);
  sn_assert_near(line.sample.position, 1.25, 0.0);
  sn_assert_near(line.sample.goal, -2.0, 0.0);
  assert_true(isnan(line.sample.velocity) && isnan(line.sample.effort));
  assert_int_equal(sn__ident_log_next(&columns, &cursor, &line, NULL), SN_IDENT_LOG_LINE);
  assert_memory_equal(line.joint, "hip", 3);
  assert_int_equal(line.joint_length, 3);
  sn_assert_near(line.sample.position, 0.3, 0.0);
  sn_assert_near(line.sample.goal, 0.5, 0.0);
  assert_true(isnan(line.sample.voltage));
  assert_int_equal(sn__ident_log_next(&columns, &cursor, &line, NULL), SN_IDENT_LOG_END);
  assert_int_equal(sn__ident_log_next(&columns, &cursor, &line, NULL), SN_IDENT_LOG_END);
}

/* Oracle: what printf wrote, strtod reads; both in the C locale. */
SN_TEST(numbers_are_the_nearest_doubles_in_every_locale) {
  const sn_ident_columns columns = columns_of("time,joint,goal,position");
  sn_random r;
  sn_random_init(&r, 1);
  for (size_t i = 0; i < sn_test_cases(20000); i++) {
    char cells[3][64];
    double expected[3];
    char text[256];
    setlocale(LC_ALL, "C");
    for (size_t k = 0; k < 3; k++) {
      const double size = pow(10.0, sn_random_between(&r, -12.0, 12.0));
      const double value = sn_random_normal(&r) * (i % 3 == 0 ? size : 1.0);
      switch (sn_random_below(&r, 6)) { /* literals, so that the compiler checks them */
        case 0:
          snprintf(cells[k], 64, "%.4f", value);
          break;
        case 1:
          snprintf(cells[k], 64, "%.9g", value);
          break;
        case 2:
          snprintf(cells[k], 64, "%.17g", value);
          break;
        case 3:
          snprintf(cells[k], 64, "%g", value);
          break;
        case 4:
          snprintf(cells[k], 64, "%.3e", value);
          break;
        default:
          snprintf(cells[k], 64, "%.12f", value);
          break;
      }
      expected[k] = strtod(cells[k], NULL);
    }
    snprintf(text, sizeof text, "%s,j,%s,%s\n", cells[0], cells[1], cells[2]);
    setlocale(LC_ALL, "de_DE.UTF-8");
    sn_ident_cursor cursor = cursor_over(text);
    sn_ident_line line;
    assert_int_equal(sn__ident_log_next(&columns, &cursor, &line, NULL), SN_IDENT_LOG_LINE);
    assert_true(line.sample.time_s == expected[0]);
    assert_true(line.sample.goal == expected[1]);
    assert_true(line.sample.position == expected[2]);
    assert_ptr_equal(cursor.at, cursor.end);
  }
  setlocale(LC_ALL, "C");
}

SN_TEST(bad_lines_are_told_and_stay) {
  static const char *const cases[][2] = {
      {"0,j,1,2,3,4\n", "fewer cells, expected 7"},
      {"0,j,1,2,3,4,12,9\n", "more cells, expected 7"},
      {"0,j,1,2,3", "fewer cells, expected 7: the file ends in the middle of a line"},
      {"0,j,1,2,3,4,0\n", "voltage is 0, must be greater than 0"},
      {"0,j,1,2,3,4,-12\n", "voltage is -12, must be greater than 0"},
      {",j,1,2,3,4,12\n", "time is empty"},
      {"0,,1,2,3,4,12\n", "joint is empty"},
      {"0,j,nan,2,3,4,12\n", "goal is 'nan', expected a finite number"},
      {"0,j,1,inf,3,4,12\n", "position is 'inf'"},
      {"0,j,1,2,1e999,4,12\n", "velocity is '1e999'"},
      {"0,j,1,2,3,0x10,12\n", "effort is '0x10'"},
      {"1 2,j,1,2,3,4,12\n", "time is '1 2'"},
      {"--1,j,1,2,3,4,12\n", "time is '--1'"},
      {".,j,1,2,3,4,12\n", "time is '.'"},
      {"\033[31m,j,1,2,3,4,12\n", "time is '\\x1b[31m'"},
  };
  const sn_ident_columns columns = columns_of(full);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_ident_cursor cursor = cursor_over(cases[i][0]);
    sn_ident_line line;
    sn_error err;
    assert_int_equal(sn__ident_log_next(&columns, &cursor, &line, &err), SN_IDENT_LOG_BAD);
    sn_assert_contains(err.message, cases[i][1]);
    assert_ptr_equal(cursor.at, cases[i][0]);
  }
}

SN_TEST(bad_headers_are_told) {
  static const char *const cases[][2] = {
      {"", "no column 'time'"},
      {"time,joint,goal\n", "no column 'position'"},
      {"time,joint,goal,position,time\n", "column 'time' appears twice"},
      {"0.0,knee,1,2,3\n", "no column 'time'"},
      {"Time,joint,goal,position\n", "no column 'time'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_ident_cursor cursor = cursor_over(cases[i][0]);
    sn_ident_columns columns;
    sn_error err;
    assert_int_equal(sn__ident_log_header(&cursor, &columns, &err), SN_ESYNTAX);
    sn_assert_contains(err.message, cases[i][1]);
  }
  char many[200];
  memset(many, ',', sizeof many);
  many[199] = '\0';
  sn_ident_cursor cursor = cursor_over(many);
  sn_ident_columns columns;
  assert_int_equal(sn__ident_log_header(&cursor, &columns, NULL), SN_ESYNTAX);
}
