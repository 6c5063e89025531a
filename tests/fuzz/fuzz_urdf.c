/* Fuzzes the reading of URDF: whatever the bytes, there is a verdict; a model that comes out is
   consistent with itself, and every problem is fit for a terminal. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "sinew/fault.h"
#include "sinew/kin.h"
#include "sinew/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_report(const sn_report *report) {
  for (size_t i = 0; i < sn_report_count(report); i++) {
    const sn_problem *problem = sn_report_at(report, i);
    SN_ASSERT(!sn__text_has_control(problem->message));
    SN_ASSERT(problem->hint == NULL || !sn__text_has_control(problem->hint));
  }
}

static void check_joints(const sn_model *model) {
  for (size_t i = 0; i < sn_model_joint_count(model); i++) {
    const sn_joint *joint = sn_model_joint(model, i);
    const int expected = i < sn_model_pose_size(model) ? (int)i : -1;
    SN_ASSERT(sn_model_joint_index(model, joint->name) == expected);
    SN_ASSERT(joint->lower <= joint->upper);
    SN_ASSERT(fabs(sn_vec3_norm(joint->axis) - 1.0) < 1e-12);
    SN_ASSERT(joint->mimic < (int)sn_model_pose_size(model));
    SN_ASSERT((joint->type == SN_JOINT_FIXED) == (expected < 0));
  }
}

static void check_tree(const sn_tree *tree) {
  for (size_t i = 0; i < tree->body_count; i++) {
    SN_ASSERT(tree->parent[i] < (int)i);
    SN_ASSERT(tree->coord[i] >= 0);
    SN_ASSERT(tree->coord[i] < (int)tree->coord_count);
    SN_ASSERT(tree->inertia[i].mass_kg >= 0.0);
  }
}

static void check_chains(const sn_model *model) {
  static const double zeros[SN_URDF_LINKS_MAX];
  for (size_t i = 0; i < sn_names_count(sn_model_chain_names(model)); i++) {
    const sn_chain *chain = sn_model_chain(model, i, true);
    check_tree(&chain->tree);
    SN_ASSERT(chain->joint_count > 0);
    (void)sn_chain_fk(chain, zeros);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sn_arena arena;
  sn_arena problems;
  sn_arena_init_growing(&arena, "model", 4096);
  sn_arena_init_growing(&problems, "problems", 4096);
  sn_report *report = NULL;
  sn_report_create(&problems, &report, NULL);
  const sn_model *model = NULL;
  sn_error err;
  const sn_status status =
      sn_model_parse(&arena, (const char *)data, size, NULL, report, &model, &err);
  check_report(report);
  SN_ASSERT((status == SN_OK) == (sn_report_error_count(report) == 0));
  SN_ASSERT((status == SN_OK) == (model != NULL));
  if (model != NULL) {
    check_joints(model);
    check_tree(sn_model_tree(model));
    check_chains(model);
  } else {
    SN_ASSERT(sn_arena_used(&arena) == 0);
    SN_ASSERT(!sn__text_has_control(err.message));
  }
  sn_arena_release(&arena);
  sn_arena_release(&problems);
  return 0;
}
