/* Ranges of joints out of whatever bytes: a verdict with its reason, and what is accepted is
   written and read again as the same text. */
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "bus/driver/calibration_file.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_again(sn_arena *arena, const sn_names *joints, const sn__servo_range *ranges,
                        sn_report *report) {
  sn__buffer text = {0}, again = {0};
  sn__servo_range read[2] = {{.direction = 1}, {.direction = 1}};
  sn__calibration_write(joints, ranges, &text);
  SN_ASSERT(!text.failed);
  SN_ASSERT(sn__calibration_parse(arena, text.data, text.used, "again", joints, read, report) ==
            SN_OK);
  sn__calibration_write(joints, read, &again);
  SN_ASSERT(again.used == text.used && memcmp(again.data, text.data, text.used) == 0);
  sn__buffer_free(&text);
  sn__buffer_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = {"base", "elbow"};
  sn_arena arena;
  sn_arena_init_growing(&arena, "calibration", 4096);
  const sn_names *joints = NULL;
  sn_report *report = NULL;
  SN_ASSERT(sn_names_create(&arena, names, 2, &joints, NULL) == SN_OK);
  SN_ASSERT(sn_report_create(&arena, &report, NULL) == SN_OK);
  sn__servo_range ranges[2] = {{.direction = 1}, {.direction = 1}};
  const sn_status status =
      sn__calibration_parse(&arena, (const char *)data, size, "fuzz", joints, ranges, report);
  if (status == SN_OK) {
    check_again(&arena, joints, ranges, report);
  } else {
    SN_ASSERT(sn_report_count(report) > 0);
  }
  sn_arena_release(&arena);
  return 0;
}
