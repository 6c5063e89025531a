/* MoveTool refuses motions on which links would touch each other or an object. */
#include "msg/types/msg_collision.h"
#include "sinew/kin.h"
#include "sn_test.h"
#include "tool_bench.h"

enum { N = TOOL_BENCH_JOINTS };

/* A ball of 3 cm. */
static void add_ball(tool_bench *b, sn_vec3 at) {
  sn_world_object *ball = sn_msg_create(&b->m.r.arena, &sn_world_object_type, NULL);
  assert_int_equal(sn_msg_text_set(&ball->name, "ball"), SN_OK);
  assert_int_equal(sn_msg_text_set(&ball->shape, "sphere"), SN_OK);
  ball->size.data[ball->size.count++] = 0.03;
  ball->pose.position = at;
  ball->pose.orientation.w = 1.0;
  tool_bench_call(b, "aggregator.addObject", ball, NULL);
}

/* The distance between any link and the ball with the tool at a share of a line, by the gate. */
static double distance_at(tool_bench *b, const double *q) {
  sn_joint_state *pose = sn_msg_create(&b->m.r.arena, &sn_joint_state_type, NULL);
  sn_collision_state *state = sn_msg_create(&b->m.r.arena, &sn_collision_state_type, NULL);
  for (size_t j = 0; j < N; j++) {
    const char *name = sn_model_joint(b->m.model, (size_t)b->chain->joints[j])->name;
    assert_int_equal(sn_msg_names_add(&pose->name, name, strlen(name)), SN_OK);
    pose->position.data[pose->position.count++] = q[j];
  }
  tool_bench_call(b, "aggregator.checkPose", pose, state);
  return state->distance;
}

static void want_line(tool_bench *b) {
  tool_bench_begin(b);
  sn_tool_target *target = tool_bench_target(b, "lin");
  target->pose = sn_msg_pose_from(sn_chain_fk(b->chain, TOOL_BENCH_READY));
  target->pose.position.y += 0.3;
}

SN_TEST(motion_through_an_object_is_rejected_with_its_place_and_links) {
  tool_bench b;
  tool_bench_open(&b);
  tool_bench_go_to_ready(&b);
  const sn_pose from = sn_chain_fk(b.chain, TOOL_BENCH_READY);
  want_line(&b);
  tool_bench_call(&b, "tool.planTool", b.goal, b.preview);
  assert_true(b.preview->success);
  const double whole_s = b.preview->duration;
  /* In the middle of the line, and in its end: the tool is free at neither place. */
  for (int i = 1; i <= 2; i++) {
    want_line(&b);
    add_ball(&b, sn_vec3_add(from.pos, sn_vec3_make(0.0, 0.15 * i, 0.0)));
    tool_bench_rejected(&b, "target 0: ");
    sn_assert_contains(b.answer->message.data, "and 'ball' would touch after ");
    sn_assert_contains(b.answer->message.data, " % of the way (");
    tool_bench_call(&b, "tool.planTool", b.goal, b.preview);
    assert_true(b.preview->until_contact && !b.preview->success);
    assert_string_equal(b.preview->message.data, b.answer->message.data);
    /* What is shown ends shortly before the contact. */
    const double left = distance_at(&b, tool_bench_last(&b));
    assert_true(left > 0.0 && left < 0.03);
    assert_true(b.preview->duration > 0.0 && b.preview->duration < whole_s);
    /* The tool may go there, on the same line. */
    double end[N];
    memcpy(end, tool_bench_last(&b), sizeof end);
    tool_bench_begin(&b);
    tool_bench_joints(&b, end);
    assert_int_equal(sn_msg_text_set(&b.goal->targets.data[0].kind, "lin"), SN_OK);
    tool_bench_call(&b, "tool.planTool", b.goal, b.preview);
    assert_string_equal(b.preview->message.data, "");
    sn_call_name *name = sn_msg_create(&b.m.r.arena, &sn_call_name_type, NULL);
    assert_int_equal(sn_msg_text_set(&name->name, "ball"), SN_OK);
    tool_bench_call(&b, "aggregator.removeObject", name, NULL);
  }
  want_line(&b);
  assert_true(tool_bench_send(&b) > 0); /* the way is free again */
  tool_bench_close(&b);
}

SN_TEST(motion_of_the_arm_into_itself_is_rejected_before_it_moves) {
  double folded[N] = {0.2, 0.3, 0.4, 0.1, 0.8, 0.0};
  tool_bench b;
  tool_bench_open(&b);
  tool_bench_go_to_ready(&b);
  sn_random random;
  sn_random_init(&random, 4);
  for (int i = 0; i < 20000 && distance_at(&b, folded) > -0.01; i++) {
    for (size_t j = 0; j < N; j++) {
      folded[j] = sn_random_between(&random, b.chain->lower[j], b.chain->upper[j]);
    }
  }
  assert_true(distance_at(&b, folded) <= -0.01);
  tool_bench_begin(&b);
  tool_bench_joints(&b, folded);
  tool_bench_rejected(&b, "would touch after ");
  tool_bench_cycle(&b);
  for (size_t j = 0; j < N; j++) {
    sn_assert_near(b.q[j], TOOL_BENCH_READY[j], 1e-9);
  }
  tool_bench_close(&b);
}
