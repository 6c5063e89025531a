/* Requests to move the base, from any numbers: each is rejected with a reason, or planned with
   finite points at times that increase. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_input.h"
#include "gait/nominal.h"
#include "gait/planner.h"
#include "sinew/fault.h"
#include "sinew/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { JOINTS_MAX = 64, FEET_MAX = 6 };

typedef struct rig {
  sn_arena arena, report_arena;
  const sn_model *model;
  sn__legs legs;
  sn__planner *planner;
  sn_move_base_goal *goal;
} rig;

static void must(sn_status status) {
  if (status != SN_OK) {
    abort();
  }
}

static void load(rig *r) {
  sn_report *report = NULL;
  sn_model_config config = {0};
  sn_arena_init_growing(&r->arena, "fuzz", 0);
  sn_arena_init_growing(&r->report_arena, "report", 0);
  must(sn_report_create(&r->report_arena, &report, NULL));
  must(sn_value_load(&r->report_arena, SINEW_ROBOTS "/quadruped.yaml", report, &config.properties));
  must(sn_model_load(&r->arena, SINEW_ROBOTS "/quadruped.urdf", &config, report, &r->model, NULL));
}

static void open_rig(rig *r) {
  load(r);
  const size_t chains = sn_names_count(sn_model_chain_names(r->model));
  sn__limb_ik *limbs = SN_NEW(&r->arena, sn__limb_ik, chains);
  sn__step_leg legs[SN__LEGS_MAX];
  sn__step_drive drives[JOINTS_MAX];
  sn_balance *balance = NULL;
  for (size_t i = 0; i < chains; i++) {
    const sn__limb_ik_config config = {
        .model = r->model, .chain = i, .with_virtual = true, .jump_max = 0.8, .timeout_s = 0.005};
    if (sn_model_chain_default_contact(r->model, i) >= 0) {
      must(sn__limb_ik_create(&r->arena, &config, &limbs[i], NULL));
    }
  }
  for (size_t j = 0; j < sn_model_pose_size(r->model); j++) {
    drives[j] = (sn__step_drive){.speed_max = 9.0, .torque_max = 5.0};
  }
  must(sn__nominal_find(&r->arena, r->model, limbs, &r->legs, NULL));
  must(sn__balance_create(&r->arena, r->model, &balance, NULL));
  for (size_t i = 0; i < r->legs.count; i++) {
    legs[i] = (sn__step_leg){r->legs.leg[i].chain, &limbs[r->legs.leg[i].chain]};
  }
  const sn__planner_config config = {.model = r->model,
                                     .legs = legs,
                                     .leg_count = r->legs.count,
                                     .nominal = r->legs.stance,
                                     .drives = drives,
                                     .balance = balance};
  must(sn__planner_create(&r->arena, &config, &r->planner, NULL));
  r->goal =
      sn_msg_create(&r->arena, &sn_move_base_goal_type, &(sn_msg_capacity){.item_count = FEET_MAX});
}

static void next_foot(fuzz_input *in, sn_ee_goal *foot) {
  static const char *const names[] = {"leg1", "leg2", "leg3", "leg4", "head", ""};
  must(sn_msg_text_set(&foot->name, names[next(in) % 6]));
  foot->frame_type = next(in) % 8;
  foot->position = sn_vec3_make(0.1 * next_number(in), 0.1 * next_number(in), next_number(in));
  foot->position_bounds = next(in) % 10;
  foot->contact = next(in) % 4 != 0;
}

static void next_goal(fuzz_input *in, sn_move_base_goal *goal) {
  static const char *const gaits[] = {
      "walk", "walk_overlap_right", "trot", "pace_right", "pronk", "stand", "free", "fly"};
  static const char *const frames[] = {"base_link_path", "odom", "", "mars"};
  sn_msg_reset(&sn_move_base_goal_type, goal);
  must(sn_msg_text_set(&goal->gait_type, gaits[next(in) % 8]));
  must(sn_msg_text_set(&goal->header.frame_id, frames[next(in) % 4]));
  goal->duration = 2.0 + next_number(in);
  goal->n_steps = next(in) % 8;
  const double angle = next_number(in);
  goal->base_goal.position =
      sn_vec3_make(0.3 * next_number(in), 0.2 * next_number(in), 0.17 + 0.05 * next_number(in));
  goal->base_goal.orientation = (sn_quat){0, 0, sin(0.5 * angle), cos(0.5 * angle)};
  goal->base_goal_bounds = next(in) % 80;
  goal->ee_goal.count = next(in) % (FEET_MAX + 1);
  for (size_t i = 0; i < goal->ee_goal.count; i++) {
    next_foot(in, &goal->ee_goal.data[i]);
  }
}

static void check(const sn__walk_plan *plan) {
  const sn__step_sequence *s = &plan->sequence;
  for (size_t k = 0; k < s->point_count; k++) {
    SN_ASSERT(k == 0 || s->times[k] > s->times[k - 1]);
    SN_ASSERT(isfinite(sn_vec3_norm(s->base[k].pose.pos)));
    for (size_t i = 0; i < s->limb_count; i++) {
      SN_ASSERT(isfinite(sn_vec3_norm(s->limbs[i].points[k].pose.pos)));
      SN_ASSERT(isfinite(sn_vec3_norm(s->limbs[i].points[k].twist.lin)));
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static rig r;
  fuzz_input in = {data, size};
  sn__plan_request request;
  sn__walk_plan plan;
  sn_error err = {.message = ""};
  int32_t error = 0;
  double q[JOINTS_MAX];
  if (r.planner == NULL) {
    open_rig(&r);
  }
  next_goal(&in, r.goal);
  memcpy(q, r.legs.stance, sn_model_pose_size(r.model) * sizeof *q);
  if (next(&in) % 8 == 1) {
    q[next(&in) % sn_model_pose_size(r.model)] += next_number(&in);
  }
  const sn_pose base = {sn_mat3_identity(), {0, 0, r.legs.height_m}};
  if (sn__planner_read(r.planner, r.goal, base, &request, &error, &err) != SN_OK) {
    SN_ASSERT(error == SN_MOVE_BASE_INVALID_GOAL && err.message[0] != '\0');
    return 0;
  }
  if (sn__planner_solve(r.planner, &request, q, &plan, &err) == SN_OK) {
    check(&plan);
  } else {
    SN_ASSERT(plan.error < 0);
    SN_ASSERT(err.message[0] != '\0');
  }
  return 0;
}
