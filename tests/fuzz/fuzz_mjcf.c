/* Fuzzes MJCF: whatever the bytes, there is a verdict; the URDF and the SRDF that come out are read
   again as the same robot, and every problem is fit for a terminal. The input is the document and
   the file that it may include, with a zero between them. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "mjcf/mjcf.h"
#include "model/model_data.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct part {
  const char *text;
  size_t size;
} part;

static sn_status read_part(void *context, const char *path, sn__file *file, sn_error *why) {
  (void)path, (void)why;
  const part *included = context;
  file->text = malloc(included->size + 1);
  SN_ASSERT(file->text != NULL);
  memcpy(file->text, included->text, included->size);
  file->text[included->size] = '\0';
  file->size = included->size;
  return SN_OK;
}

/* What was converted is the same robot when it is read as URDF and SRDF. */
static void check_again(const sn_model *model) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "again", 4096);
  const sn__semantics *s = sn__model_semantics(model);
  const sn_model_config config = {.srdf = s->text, .srdf_size = s->text_size};
  size_t size = 0;
  const char *text = sn_model_description(model, &size);
  const sn_model *again = NULL;
  sn_error err;
  SN_ASSERT(sn_model_parse(&arena, text, size, &config, NULL, &again, &err) == SN_OK);
  SN_ASSERT(sn_model_link_count(again) == sn_model_link_count(model));
  SN_ASSERT(sn_model_pose_size(again) == sn_model_pose_size(model));
  for (size_t i = 0; i < sn_model_joint_count(model); i++) {
    const sn_joint *a = sn_model_joint(model, i), *b = sn_model_joint(again, i);
    SN_ASSERT(strcmp(a->name, b->name) == 0);
    SN_ASSERT(a->lower == b->lower);
    SN_ASSERT(a->upper == b->upper);
    SN_ASSERT(a->mimic == b->mimic);
  }
  sn_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  const char *end = memchr(text, '\0', size);
  const size_t first = end == NULL ? size : (size_t)(end - text);
  part included = {end == NULL ? "<mujoco/>" : end + 1, end == NULL ? 9 : size - first - 1};
  sn_arena arena, problems;
  sn_arena_init_growing(&arena, "model", 4096);
  sn_arena_init_growing(&problems, "problems", 4096);
  sn_report *report = NULL;
  SN_ASSERT(sn_report_create(&problems, &report, NULL) == SN_OK);
  const sn__model_text source = {
      .text = text, .size = first, .read = read_part, .read_context = &included};
  const sn_model_config config = {.file = "fuzz.xml"};
  const sn_model *model = NULL;
  const sn_status status = sn__model_parse(&arena, &source, &config, report, &model, NULL);
  SN_ASSERT((status == SN_OK) == (model != NULL));
  SN_ASSERT((status == SN_OK) == (sn_report_error_count(report) == 0));
  for (size_t i = 0; i < sn_report_count(report); i++) {
    SN_ASSERT(!sn__text_has_control(sn_report_at(report, i)->message));
  }
  if (model != NULL && sn__mjcf_is_meant(text, first)) {
    check_again(model);
  }
  sn_arena_release(&arena);
  sn_arena_release(&problems);
  return 0;
}
