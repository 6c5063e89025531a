/* Scripts out of whatever bytes: a verdict, and what is accepted ends, whatever its steps do. */
#include <stdint.h>
#include <string.h>

#include "movements/script.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Movements take as many looks as their name has letters; what begins with 'x' fails. */
typedef struct stage {
  size_t looks[SN__SCRIPT_STEPS_MAX];
  size_t count, under_way;
} stage;

static sn_status play(void *context, const char *name, size_t *handle, sn_error *err) {
  stage *s = context;
  (void)err;
  SN_ASSERT(s->count < SN__SCRIPT_STEPS_MAX);
  if (name[0] == 'x') {
    return SN_EINVAL;
  }
  *handle = s->count++;
  s->looks[*handle] = strlen(name) % 16;
  s->under_way++;
  return SN_OK;
}

static sn_status look(void *context, size_t handle, sn_error *err) {
  stage *s = context;
  (void)err;
  SN_ASSERT(handle < s->count);
  if (s->looks[handle] > 0) {
    s->looks[handle]--;
    return SN_EBUSY;
  }
  s->under_way--;
  return SN_OK;
}

static void cancel(void *context, size_t handle) {
  stage *s = context;
  SN_ASSERT(handle < s->count && s->under_way > 0);
  s->under_way--;
}

static sn_status call(void *context, const char *operation, const sn_value *with, sn_error *err) {
  (void)context;
  (void)err;
  SN_ASSERT(with == NULL || with->kind == SN_VALUE_BAG);
  return operation[0] == 'x' ? SN_EINVAL : SN_OK;
}

static void run(sn__script *script) {
  static const int64_t HOUR_NS = INT64_C(3600000000000);
  stage s = {.count = 0};
  const sn__script_host host = {&s, play, look, cancel, call};
  sn_error err = {.message = ""};
  sn_status status = SN_EBUSY;
  for (int64_t k = 0; k < 20 * SN__SCRIPT_STEPS_MAX && status == SN_EBUSY; k++) {
    status = sn__script_run(script, &host, k * HOUR_NS, &err);
  }
  SN_ASSERT(status != SN_EBUSY);
  SN_ASSERT(s.under_way == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sn_arena arena;
  sn_report *report = NULL;
  const sn_value *root = NULL;
  sn__script script;
  sn_arena_init_growing(&arena, "script", 4096);
  sn_report_create(&arena, &report, NULL);
  sn_status status =
      sn_value_parse_yaml(&arena, (const char *)data, size, "fuzz.yaml", report, &root);
  if (status == SN_OK) {
    status = sn__script_read(root, &arena, report, &script);
    SN_ASSERT((status == SN_OK) == (sn_report_error_count(report) == 0));
  }
  if (status == SN_OK) {
    run(&script);
  }
  sn_arena_release(&arena);
  return 0;
}
