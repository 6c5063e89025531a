/* Models of servos out of whatever bytes: a verdict, and what is accepted is written and read again
   as the same numbers. */
#define _POSIX_C_SOURCE 200809L /* open_memstream() */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "servo/servo_text.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static sn_status read_models(sn_arena *arena, const char *text, size_t size, sn_report *report,
                             sn_servo_list *out) {
  const sn_value *root = NULL;
  const sn_status status = sn_value_parse_yaml(arena, text, size, "fuzz", report, &root);
  return status == SN_OK ? sn__servo_store_read(arena, root, report, out) : status;
}

static void check_again(sn_arena *arena, const sn_servo_list *list) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  SN_ASSERT(out != NULL);
  sn__servo_text_write(out, list);
  fclose(out);
  sn_servo_list again;
  sn_report *report = NULL;
  sn_report_create(arena, &report, NULL);
  SN_ASSERT(read_models(arena, text, size, report, &again) == SN_OK);
  SN_ASSERT(again.count == list->count);
  for (size_t i = 0; i < list->count; i++) {
    const sn_servo_entry *a = &list->entries[i], *b = &again.entries[i];
    SN_ASSERT(sn_servo_params_check(&a->params, NULL) == SN_OK);
    SN_ASSERT(strcmp(a->name, b->name) == 0 && a->has_alpha == b->has_alpha);
    SN_ASSERT(a->params.kp == b->params.kp && a->params.kgear == b->params.kgear);
    SN_ASSERT(a->params.qs == b->params.qs && a->params.delta == b->params.delta);
    SN_ASSERT(a->params.inertia == b->params.inertia && a->torque_max == b->torque_max);
    const sn_servo_extension *x = &a->params.ext, *y = &b->params.ext;
    SN_ASSERT(x->back_emf == y->back_emf && x->offset == y->offset);
    SN_ASSERT(x->drive_max == y->drive_max && x->delay_s == y->delay_s);
    SN_ASSERT(x->backlash == y->backlash);
    SN_ASSERT(x->load[0] == y->load[0] && x->load[1] == y->load[1]);
    SN_ASSERT(x->is_directional == y->is_directional);
    SN_ASSERT(x->back_load[0] == y->back_load[0] && x->back_load[1] == y->back_load[1]);
    for (size_t k = 0; k < 4; k++) {
      SN_ASSERT(a->params.alpha[k] == b->params.alpha[k]);
    }
  }
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "models", 4096);
  sn_report *report = NULL;
  sn_report_create(&arena, &report, NULL);
  sn_servo_list list;
  const sn_status status = read_models(&arena, (const char *)data, size, report, &list);
  SN_ASSERT((status == SN_OK) == (sn_report_error_count(report) == 0));
  if (status == SN_OK) {
    check_again(&arena, &list);
  }
  for (size_t i = 0; i < sn_report_count(report); i++) {
    SN_ASSERT(!sn__text_has_control(sn_report_at(report, i)->message));
  }
  sn_arena_release(&arena);
  return 0;
}
