/* Motions of a tool through any targets: each is refused with a reason, or planned with finite
   positions inside the limits of the joints. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_input.h"
#include "path/tool_path.h"
#include "sinew/fault.h"
#include "sinew/kin.h"
#include "traj/otg_limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { JOINTS = 6, TARGETS_MAX = 6, SAMPLES = 50 };

typedef struct rig {
  sn_arena arena;
  const sn_model *model;
  const sn_chain *chain;
  sn__tool_planner *planner;
} rig;

static void must(sn_status status) {
  if (status != SN_OK) {
    abort();
  }
}

static void open_rig(rig *r) {
  static const sn__otg_defaults defaults = {10.0, 0.25, 0.1};
  sn_otg_limits limits[JOINTS];
  sn_arena_init_growing(&r->arena, "fuzz", 0);
  must(sn_model_load(&r->arena, SINEW_ROBOTS "/arm_ur.urdf", &(sn_model_config){0}, NULL, &r->model,
                     NULL));
  must(sn_chain_create(&r->arena, r->model, "base_link", "tool0", &r->chain, NULL));
  for (size_t j = 0; j < JOINTS; j++) {
    limits[j] = sn__otg_limits_of(sn_model_joint(r->model, (size_t)r->chain->joints[j]), &defaults);
  }
  const sn__tool_planner_config config = {
      .model = r->model, .base = "base_link", .tip = "tool0", .limits = limits};
  must(sn__tool_planner_create(&r->arena, &config, &r->planner, NULL));
}

/* Close to the start, since targets anywhere are nearly all out of reach. */
static void next_target(fuzz_input *in, sn_pose near, double *q, sn__tool_target *target) {
  const double scale = next(in) % 4 == 0 ? 1.0 : 0.05;
  *target = (sn__tool_target){.kind = (sn__tool_kind)(next(in) % 4), .pose = near};
  const sn_vec3 way = {next_number(in), next_number(in), next_number(in)};
  target->pose.pos = sn_vec3_add_scaled(near.pos, scale, way);
  target->via = sn_vec3_make(next_number(in), next_number(in), next_number(in));
  target->blend_m = next(in) % 2 == 0 ? 0.0 : 0.02 * next_number(in);
  if (target->kind == SN__TOOL_PTP && next(in) % 2 == 0) {
    for (size_t j = 0; j < JOINTS; j++) {
      q[j] = next_number(in);
    }
    target->q = q;
  }
}

static void check(const rig *r, const sn__tool_motion *motion) {
  const double duration = sn__tool_motion_duration(motion);
  SN_ASSERT(duration >= 0.0 && isfinite(duration));
  for (int k = 0; k <= SAMPLES; k++) {
    double q[JOINTS];
    double qd[JOINTS];
    double qdd[JOINTS];
    sn__tool_motion_at(motion, duration * k / SAMPLES, q, qd, qdd);
    for (size_t j = 0; j < JOINTS; j++) {
      SN_ASSERT(q[j] >= r->chain->lower[j] && q[j] <= r->chain->upper[j]);
      SN_ASSERT(isfinite(qd[j]) && isfinite(qdd[j]));
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static rig r;
  static bool is_open;
  static const double start[JOINTS] = {0.3, -1.2, 1.4, -0.5, 0.8, 0.1};
  if (!is_open) {
    open_rig(&r);
    is_open = true;
  }
  fuzz_input in = {data, size};
  sn__tool_target targets[TARGETS_MAX];
  double q[TARGETS_MAX][JOINTS];
  const size_t count = next(&in) % (TARGETS_MAX + 1);
  for (size_t i = 0; i < count; i++) {
    next_target(&in, sn_chain_fk(r.chain, start), q[i], &targets[i]);
  }
  const sn__tool_request request = {
      .q = start, .targets = targets, .count = count, .speed = next(&in) / 128.0};
  sn_arena arena;
  sn_arena_init_growing(&arena, "motion", 1u << 16);
  sn__tool_motion *motion = NULL;
  sn_error err = {.message = ""};
  if (sn__tool_plan(r.planner, &arena, &request, &motion, &err) == SN_OK) {
    check(&r, motion);
  } else {
    SN_ASSERT(err.message[0] != '\0');
  }
  sn_arena_release(&arena);
  return 0;
}
