#include "planner_rig.h"

#include <math.h>

#include "sn_test.h"

static void create_limbs(planner_rig *rig) {
  const sn_model *model = rig->robot.model;
  const size_t count = sn_names_count(sn_model_chain_names(model));
  rig->limbs = SN_NEW(&rig->arena, sn__limb_ik, count);
  assert_non_null(rig->limbs);
  for (size_t i = 0; i < count; i++) {
    const sn__limb_ik_config config = {
        .model = model, .chain = i, .with_virtual = true, .jump_max = 0.8, .timeout_s = 0.05};
    if (sn_model_chain_default_contact(model, i) >= 0) {
      assert_int_equal(sn__limb_ik_create(&rig->arena, &config, &rig->limbs[i], NULL), SN_OK);
    }
  }
}

void planner_rig_open(planner_rig *rig, const char *robot, double speed_max) {
  *rig = (planner_rig){.planner = NULL};
  sn_test_robot_load(&rig->robot, robot);
  sn_arena_init_growing(&rig->arena, "planner", 0);
  const sn_model *model = rig->robot.model;
  rig->joint_count = sn_model_pose_size(model);
  create_limbs(rig);
  assert_int_equal(sn__nominal_find(&rig->arena, model, rig->limbs, &rig->legs, NULL), SN_OK);
  for (size_t i = 0; i < rig->legs.count; i++) {
    rig->feet[i] = (sn__step_leg){rig->legs.leg[i].chain, &rig->limbs[rig->legs.leg[i].chain]};
  }
  for (size_t j = 0; j < rig->joint_count; j++) {
    rig->drives[j] = (sn__step_drive){.speed_max = speed_max, .torque_max = INFINITY};
  }
  assert_int_equal(sn__balance_create(&rig->arena, model, &rig->balance, NULL), SN_OK);
  const sn__planner_config config = {.model = model,
                                     .legs = rig->feet,
                                     .leg_count = rig->legs.count,
                                     .nominal = rig->legs.stance,
                                     .drives = rig->drives,
                                     .balance = rig->balance};
  assert_int_equal(sn__planner_create(&rig->arena, &config, &rig->planner, &rig->err), SN_OK);
  const sn_msg_capacity room = {.item_count = 16};
  rig->goal = sn_msg_create(&rig->arena, &sn_move_base_goal_type, &room);
  assert_non_null(rig->goal);
}

void planner_rig_close(planner_rig *rig) {
  sn_arena_release(&rig->arena);
  sn_test_robot_free(&rig->robot);
}

void planner_rig_ask(planner_rig *rig, const char *gait, double duration_s, unsigned steps,
                     double x, double y, double turn_rad) {
  sn_move_base_goal *goal = rig->goal;
  sn_msg_reset(&sn_move_base_goal_type, goal);
  assert_int_equal(sn_msg_text_set(&goal->header.frame_id, "base_link_path"), SN_OK);
  assert_int_equal(sn_msg_text_set(&goal->gait_type, gait), SN_OK);
  goal->duration = duration_s;
  goal->n_steps = steps;
  goal->base_goal =
      sn_msg_pose_from((sn_pose){sn_mat3_from_rpy(0.0, 0.0, turn_rad), {x, y, rig->legs.height_m}});
  goal->ee_goal.count = rig->legs.count;
  for (size_t i = 0; i < rig->legs.count; i++) {
    sn_ee_goal *foot = &goal->ee_goal.data[i];
    const char *name = sn_names_at(sn_model_chain_names(rig->robot.model), rig->legs.leg[i].chain);
    assert_int_equal(sn_msg_text_set(&foot->name, name), SN_OK);
    foot->frame_type = SN_EE_NOMINAL_POSE;
    foot->position = sn_vec3_make(0, 0, 0);
    foot->position_bounds = 4;
    foot->contact = true;
  }
}

int32_t planner_rig_plan(planner_rig *rig) {
  int32_t error;
  const sn_pose base = {sn_mat3_identity(), {0, 0, rig->legs.height_m}};
  rig->err.message[0] = '\0';
  if (sn__planner_read(rig->planner, rig->goal, base, &rig->request, &error, &rig->err) != SN_OK) {
    return error;
  }
  (void)sn__planner_solve(rig->planner, &rig->request, rig->legs.stance, &rig->plan, &rig->err);
  return rig->plan.error;
}
