#include "tool_bench.h"

#include "sinew/components.h"
#include "sinew/kin.h"
#include "sn_test.h"

enum { MS = 1000000 };

void tool_bench_open(tool_bench *b) {
  *b = (tool_bench){.pose = NULL};
  rig *r = &b->m.r;
  model_rig_open(&b->m, "arm6");
  b->chain = sn_model_chain(b->m.model, 0, false);
  rig_add(r, &sn_timer_component, "timer");
  model_rig_add(&b->m, &sn_resources_control_component, "resources_control");
  (void)model_rig_add(&b->m, &sn_aggregator_component, "aggregator");
  rig_require(r, "aggregator.owners", "resources_control");
  rig_connect(r, "timer.sync", "aggregator.sync");
  model_rig_add(&b->m, &sn_move_tool_component, "tool");
  rig_require(r, "tool.arbiter", "resources_control");
  rig_require(r, "tool.guard", "aggregator");
  rig_connect(r, "timer.sync", "tool.sync");
  rig_connect(r, "aggregator.joints_sorted", "tool.in_joints_sorted");
  rig_connect(r, "tool.out_joints_ref", "aggregator.in_joints");
  b->pose = model_rig_tap(&b->m, "aggregator.joints_sorted");
  b->goal = sn_msg_create(&r->arena, &sn_tool_goal_type, NULL);
  b->answer =
      sn_msg_create(&r->arena, &sn_trajectory_answer_type, &(sn_msg_capacity){.text_size = 400});
  b->state = sn_msg_create(&r->arena, &sn_trajectory_state_type, NULL);
  b->preview = sn_msg_create(&r->arena, &sn__tool_preview_type,
                             &(sn_msg_capacity){.item_count = 256, .text_size = 600});
  rig_begin(r);
}

void tool_bench_close(tool_bench *b) {
  sn_tap_close(b->pose);
  model_rig_close(&b->m);
}

void tool_bench_cycle(tool_bench *b) {
  rig_run(&b->m.r, MS);
  const sn_joint_state *pose = sn_tap_read(b->pose, NULL);
  for (size_t j = 0; j < TOOL_BENCH_JOINTS; j++) {
    b->q[j] = pose->position.data[b->chain->joints[j]];
  }
}

void tool_bench_call(tool_bench *b, const char *operation, const void *request, void *response) {
  sn_caller caller = {0};
  sn_error *err = &b->m.r.err;
  assert_int_equal(sn_caller_open(b->m.r.system, operation, &caller, err), SN_OK);
  assert_int_equal(sn_call(&caller, request, response, err), SN_OK);
  sn_caller_close(&caller);
}

sn_tool_target *tool_bench_target(tool_bench *b, const char *kind) {
  sn_tool_target *target = &b->goal->targets.data[b->goal->targets.count++];
  sn_msg_reset(&sn_tool_target_type, target);
  assert_int_equal(sn_msg_text_set(&target->kind, kind), SN_OK);
  target->pose.orientation.w = 1.0;
  return target;
}

void tool_bench_joints(tool_bench *b, const double *q) {
  sn_tool_target *target = tool_bench_target(b, "ptp");
  target->joints.count = TOOL_BENCH_JOINTS;
  memcpy(target->joints.data, q, TOOL_BENCH_JOINTS * sizeof *q);
}

void tool_bench_begin(tool_bench *b) {
  sn_msg_reset(&sn_tool_goal_type, b->goal);
}

uint64_t tool_bench_send(tool_bench *b) {
  tool_bench_call(b, "tool.moveTool", b->goal, b->answer);
  return b->answer->goal_id;
}

int tool_bench_state(tool_bench *b, uint64_t id) {
  tool_bench_call(b, "tool.getGoal", &(sn_trajectory_id){id}, b->state);
  return b->state->state;
}

double tool_bench_run(tool_bench *b, uint64_t id, sn_vec3 from, sn_vec3 to) {
  double worst = 0.0;
  for (int i = 0; i < 20000 && tool_bench_state(b, id) < SN_TRAJECTORY_SUCCEEDED; i++) {
    tool_bench_cycle(b);
    const sn_vec3 way = sn_vec3_sub(to, from);
    const sn_vec3 off = sn_vec3_sub(sn_chain_fk(b->chain, b->q).pos, from);
    worst = fmax(worst, sn_vec3_norm(sn_vec3_cross(way, off)) / sn_vec3_norm(way));
  }
  return worst;
}

const double TOOL_BENCH_READY[TOOL_BENCH_JOINTS] = {0.2, 0.3, 0.4, 0.1, 0.8, 0.0};

void tool_bench_go_to_ready(tool_bench *b) {
  for (int i = 0; i < 10; i++) {
    tool_bench_cycle(b);
  }
  tool_bench_begin(b);
  tool_bench_joints(b, TOOL_BENCH_READY);
  const uint64_t id = tool_bench_send(b);
  assert_true(b->answer->accepted);
  (void)tool_bench_run(b, id, sn_vec3_make(0, 0, 0), sn_vec3_make(1, 0, 0));
  assert_int_equal(tool_bench_state(b, id), SN_TRAJECTORY_SUCCEEDED);
  for (size_t j = 0; j < TOOL_BENCH_JOINTS; j++) {
    sn_assert_near(b->q[j], TOOL_BENCH_READY[j], 1e-9);
  }
}

void tool_bench_rejected(tool_bench *b, const char *part) {
  assert_int_equal(tool_bench_send(b), 0);
  assert_false(b->answer->accepted);
  sn_assert_contains(b->answer->message.data, part);
}

const double *tool_bench_last(const tool_bench *b) {
  assert_true(b->preview->positions.count >= 2 * TOOL_BENCH_JOINTS);
  return b->preview->positions.data + b->preview->positions.count - TOOL_BENCH_JOINTS;
}
