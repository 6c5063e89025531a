/* A log of servos out of whatever bytes: a verdict for each line, always forward, and the same when
   the text is read from the middle. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "ident/offline/ident_log.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(const sn_ident_line *line, const char *text, size_t size) {
  const double numbers[] = {line->sample.time_s,   line->sample.goal,   line->sample.position,
                            line->sample.velocity, line->sample.effort, line->sample.voltage};
  for (size_t i = 0; i < 6; i++) {
    SN_ASSERT(!isinf(numbers[i]));
  }
  SN_ASSERT(!isnan(line->sample.time_s) && !(line->sample.voltage <= 0.0));
  SN_ASSERT(line->joint_length > 0 && line->joint >= text);
  SN_ASSERT(line->joint + line->joint_length <= text + size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  sn_ident_cursor cursor = {text, text + size};
  sn_ident_columns columns;
  sn_error err;
  if (sn__ident_log_header(&cursor, &columns, &err) != SN_OK) {
    SN_ASSERT(!sn__text_has_control(err.message));
    return 0;
  }
  for (;;) {
    const char *before = cursor.at;
    sn_ident_line line;
    const sn_ident_log_result result = sn__ident_log_next(&columns, &cursor, &line, &err);
    SN_ASSERT(cursor.at >= before && cursor.at <= cursor.end);
    if (result == SN_IDENT_LOG_LINE) {
      SN_ASSERT(cursor.at > before && (cursor.at == cursor.end || cursor.at[-1] == '\n'));
      check_line(&line, text, size);
    } else if (result == SN_IDENT_LOG_BAD) {
      SN_ASSERT(!sn__text_has_control(err.message));
      return 0;
    } else {
      SN_ASSERT(cursor.at == cursor.end);
      return 0;
    }
  }
}
