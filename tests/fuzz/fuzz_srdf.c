/* Fuzzes SRDF for a robot with an arm and a gripper: whatever the bytes, there is a verdict; all
   indices of a model that comes out are its own, and every problem is fit for a terminal. */
#include <stdint.h>
#include <stdlib.h>

#include "base/text.h"
#include "files/file.h"
#include "model/srdf/semantics.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const sn__file *robot_text(void) {
  static sn__file file;
  if (file.text == NULL) {
    SN_ASSERT(sn__file_read(SINEW_ROBOTS "/arm7.urdf", 1u << 20, NULL, &file, NULL) == SN_OK);
  }
  return &file;
}

static void check_joints(const sn_model *model, const int *joints, size_t count) {
  for (size_t i = 0; i < count; i++) {
    SN_ASSERT(joints[i] >= 0);
    SN_ASSERT(joints[i] < (int)sn_model_pose_size(model));
  }
}

static void check_semantics(const sn_model *model) {
  const sn__semantics *s = sn__model_semantics(model);
  const int link_count = (int)sn_model_link_count(model);
  const int chain_count = (int)sn_names_count(sn_model_chain_names(model));
  check_joints(model, s->passive, s->passive_count);
  for (size_t i = 0; i < s->group_count; i++) {
    check_joints(model, s->groups[i].joints, s->groups[i].joint_count);
    SN_ASSERT(s->groups[i].chain < chain_count);
  }
  for (size_t i = 0; i < s->state_count; i++) {
    check_joints(model, s->states[i].joints, s->states[i].count);
  }
  for (size_t i = 0; i < s->pair_count; i++) {
    SN_ASSERT(s->pairs[i].a >= 0);
    SN_ASSERT(s->pairs[i].a < link_count);
    SN_ASSERT(s->pairs[i].b < link_count);
  }
}

/* Every driven joint of a limb is there once. */
static void check_chains(const sn_model *model) {
  for (size_t i = 0; i < sn_names_count(sn_model_chain_names(model)); i++) {
    size_t count = 0;
    const int *joints = sn_model_chain_joints(model, i, &count);
    check_joints(model, joints, count);
    SN_ASSERT(sn_model_chain(model, i, true)->joint_count > 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const sn__file *robot = robot_text();
  sn_arena arena, problems;
  sn_arena_init_growing(&arena, "model", 4096);
  sn_arena_init_growing(&problems, "problems", 4096);
  sn_report *report = NULL;
  SN_ASSERT(sn_report_create(&problems, &report, NULL) == SN_OK);
  const sn_model_config config = {
      .srdf = (const char *)data, .srdf_size = size, .srdf_file = "fuzz.srdf"};
  const sn_model *model = NULL;
  const sn_status status =
      sn_model_parse(&arena, robot->text, robot->size, &config, report, &model, NULL);
  SN_ASSERT((status == SN_OK) == (model != NULL));
  SN_ASSERT((status == SN_OK) == (sn_report_error_count(report) == 0));
  for (size_t i = 0; i < sn_report_count(report); i++) {
    SN_ASSERT(!sn__text_has_control(sn_report_at(report, i)->message));
  }
  if (model != NULL) {
    check_semantics(model);
    check_chains(model);
  }
  sn_arena_release(&arena);
  sn_arena_release(&problems);
  return 0;
}
