/* Logs of Rhoban/bam out of whatever bytes: a verdict, and what passes the checks can be simulated.
 */
#include <stdint.h>
#include <stdlib.h>

#include "ident/output_error/servo_simulate.h"
#include "ident_tools/bam_log.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const sn_servo_params params = {.kp = 0.003,
                                         .kgear = 1,
                                         .alpha = {0.45, 0.15, 0.1, 10},
                                         .qs = 0.3,
                                         .delta = 1,
                                         .ext = {.load = {1, 8}, .drive_max = 1}};
  sn_arena arena;
  sn_arena_init_growing(&arena, "log", 4096);
  sn__servo_log log;
  sn_error err;
  (void)bam_log_is_one((const char *)data, size);
  if (bam_log_parse(&arena, (const char *)data, size, "fuzz", &log, &err) == SN_OK &&
      sn__servo_log_check(&log, &err) == SN_OK) {
    double *position = SN_NEW(&arena, double, log.count);
    SN_ASSERT(position != NULL);
    const sn__servo_on_load servo = {.params = params};
    sn__servo_simulate(&servo, &log, SN__SERVO_WHOLE, position);
    (void)sn__servo_logs_drive_max(&log, 1, &params);
    (void)sn__servo_log_check_goals(&log, &params, &err);
    (void)sn__servo_log_turns(&log);
    (void)sn__servo_log_noise(&log, position);
    (void)sn__servo_logs_velocity(&log, 1);
    const sn__log_rows rows = sn__servo_log_rows(&log, &params);
    SN_ASSERT(rows.limp + rows.saturated + rows.at_rest + rows.driven == log.count);
  }
  sn_arena_release(&arena);
  return 0;
}
