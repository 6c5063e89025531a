/* The file that keeps what calibration measured. */
#include <stdlib.h>

#include "bus/driver/calibration_file.h"
#include "program.h"
#include "sn_test.h"

static const char *const names[] = {"base", "elbow \"2\""};

typedef struct bench {
  sn_arena arena;
  const sn_names *joints;
  sn__servo_range ranges[2];
  char folder[64], path[128];
  sn_error err;
} bench;

static void bench_open(bench *b) {
  *b = (bench){.ranges = {{-1.0, 1, 0.0, 0.0}, {-1.0, -1, -1.0, 1.0}}};
  sn_arena_init_growing(&b->arena, "test", 0);
  assert_int_equal(sn_names_create(&b->arena, names, 2, &b->joints, &b->err), SN_OK);
  sn_test_folder_create(b->folder);
  snprintf(b->path, sizeof b->path, "%s/arm.yaml", b->folder);
}

static void bench_close(bench *b) {
  sn_test_folder_remove(b->folder);
  sn_arena_release(&b->arena);
}

static void assert_ranges(const bench *b, const sn__servo_range *expected) {
  for (size_t i = 0; i < 2; i++) {
    sn_assert_near(b->ranges[i].zero, expected[i].zero, 0.0);
    assert_int_equal(b->ranges[i].direction, expected[i].direction);
    sn_assert_near(b->ranges[i].min, expected[i].min, 0.5e-4);
    sn_assert_near(b->ranges[i].max, expected[i].max, 0.5e-4);
  }
}

SN_TEST(what_is_saved_is_loaded) {
  bench b;
  bench_open(&b);
  const sn__servo_range measured[] = {{2040.0, -1, -1.23456789, 0.0}, {0.0, 1, -0.1, 3.14159265}};
  assert_int_equal(sn__calibration_save(b.path, b.joints, measured, &b.err), SN_OK);
  assert_int_equal(sn__calibration_load(b.path, b.joints, b.ranges, &b.err), SN_OK);
  assert_ranges(&b, measured);
  bench_close(&b);
}

SN_TEST(a_file_that_is_not_there_changes_nothing) {
  bench b;
  bench_open(&b);
  const bench before = b;
  assert_int_equal(sn__calibration_load(b.path, b.joints, b.ranges, &b.err), SN_OK);
  assert_ranges(&b, before.ranges);
  bench_close(&b);
}

SN_TEST(joints_that_the_file_does_not_name_keep_their_ranges) {
  bench b;
  bench_open(&b);
  sn_test_write(b.folder, "arm.yaml", "base: {zero: 9, direction: -1, min: -2, max: 2}\n");
  assert_int_equal(sn__calibration_load(b.path, b.joints, b.ranges, &b.err), SN_OK);
  const sn__servo_range expected[] = {{9.0, -1, -2.0, 2.0}, {-1.0, -1, -1.0, 1.0}};
  assert_ranges(&b, expected);
  bench_close(&b);
}

SN_TEST(a_wrong_file_is_reported_with_its_place_and_changes_nothing) {
  static const char *const cases[][2] = {
      {"knee: {zero: 9, direction: 1, min: 0, max: 1}", "no servo of the driver moves a joint"},
      {"base: 7", "base"},
      {"base: {zero: 9, direction: 1, min: 0}", "max"},
      {"base: {zero: 9, direction: 0, min: 0, max: 1}", "direction must be 1 or -1"},
      {"base: {zero: 9, direction: 1, min: 2, max: 1}", "min is above max"},
      {"base: {zero: -1, direction: 1, min: 0, max: 1}", "zero"},
      {"base: {zero: nan, direction: 1, min: 0, max: 1}", "zero"},
      {"base: {zero: 9, direction: 1, min: 0, max: 1, gear: 2}", "gear"},
      {"base: {zero: 9, direction: 1, min: 0, max: 1}\nknee: 1", "arm.yaml:2"},
      {"[base", "arm.yaml:1"},
      {"{", "arm.yaml:"}};
  bench b;
  bench_open(&b);
  const bench before = b;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_test_write(b.folder, "arm.yaml", cases[i][0]);
    assert_int_not_equal(sn__calibration_load(b.path, b.joints, b.ranges, &b.err), SN_OK);
    sn_assert_contains(b.err.message, cases[i][1]);
    assert_ranges(&b, before.ranges);
  }
  bench_close(&b);
}

SN_TEST(a_folder_that_is_not_there_is_named) {
  bench b;
  bench_open(&b);
  char path[160];
  snprintf(path, sizeof path, "%s/none/arm.yaml", b.folder);
  assert_int_equal(sn__calibration_save(path, b.joints, b.ranges, &b.err), SN_EIO);
  sn_assert_contains(b.err.message, "none/arm.yaml");
  bench_close(&b);
}
