/* MoveTool in a running system: goals from outside become motions of the tool. */
#include "msg/types/msg_collision.h"
#include "sinew/ik.h"
#include "sinew/kin.h"
#include "sn_test.h"
#include "tool_bench.h"

enum { N = TOOL_BENCH_JOINTS };

SN_TEST(tool_moves_on_a_line_and_gets_there) {
  tool_bench b;
  tool_bench_open(&b);
  tool_bench_go_to_ready(&b);
  const sn_pose from = sn_chain_fk(b.chain, TOOL_BENCH_READY);
  tool_bench_begin(&b);
  sn_tool_target *target = tool_bench_target(&b, "lin");
  target->pose = sn_msg_pose_from(from);
  target->pose.position = sn_vec3_add(from.pos, sn_vec3_make(0.02, 0.08, -0.05));
  b.goal->speed = 0.5;
  const uint64_t id = tool_bench_send(&b);
  assert_true(b.answer->accepted);
  assert_true(tool_bench_run(&b, id, from.pos, target->pose.position) <= 10e-6);
  assert_int_equal(tool_bench_state(&b, id), SN_TRAJECTORY_SUCCEEDED);
  sn_assert_vec3_near(sn_chain_fk(b.chain, b.q).pos, target->pose.position, 1e-9);
  tool_bench_close(&b);
}

SN_TEST(cancelled_motion_stops) {
  tool_bench b;
  tool_bench_open(&b);
  tool_bench_go_to_ready(&b);
  tool_bench_begin(&b);
  tool_bench_joints(&b, (const double[N]){0.8, 0.3, 0.4, 0.1, 0.8, 0.0});
  const uint64_t id = tool_bench_send(&b);
  for (int i = 0; i < 150; i++) {
    tool_bench_cycle(&b);
  }
  sn_call_outcome *outcome = sn_msg_create(&b.m.r.arena, &sn_call_outcome_type, NULL);
  tool_bench_call(&b, "tool.cancel", &(sn_trajectory_id){id}, outcome);
  for (int i = 0; i < 1000; i++) {
    tool_bench_cycle(&b);
  }
  assert_int_equal(tool_bench_state(&b, id), SN_TRAJECTORY_CANCELED);
  const double stopped = b.q[0];
  assert_true(stopped > 0.2 && stopped < 0.8);
  tool_bench_cycle(&b);
  sn_assert_near(b.q[0], stopped, 0.0);
  tool_bench_close(&b);
}

SN_TEST(what_cannot_be_done_is_rejected_before_anything_moves) {
  tool_bench b;
  tool_bench_open(&b);
  tool_bench_go_to_ready(&b);
  tool_bench_begin(&b);
  tool_bench_rejected(&b, "no targets");
  tool_bench_target(&b, "fly");
  tool_bench_rejected(&b, "target 0: its kind is 'fly', expected ptp, lin, circ or spline");
  tool_bench_begin(&b);
  tool_bench_target(&b, "lin")->pose.position.x = 9.0;
  tool_bench_rejected(&b, "target 0: after ");
  tool_bench_begin(&b);
  tool_bench_target(&b, "lin")->pose.position.x = NAN;
  tool_bench_rejected(&b, "target 0: its pose is not finite");
  tool_bench_begin(&b);
  sn_tool_target *target = tool_bench_target(&b, "ptp");
  target->joints.count = 2;
  tool_bench_rejected(&b, "target 0: 2 joint positions, expected 6");
  tool_bench_begin(&b);
  tool_bench_joints(&b, TOOL_BENCH_READY);
  b.goal->speed = 2.0;
  tool_bench_rejected(&b, "a speed of 2");
  for (int i = 0; i < 50; i++) {
    tool_bench_cycle(&b);
  }
  for (size_t j = 0; j < N; j++) {
    sn_assert_near(b.q[j], TOOL_BENCH_READY[j], 1e-9);
  }
  tool_bench_close(&b);
}

/* ---- previews ---- */

SN_TEST(preview_is_the_motion_that_would_be_made_and_moves_nothing) {
  tool_bench b;
  tool_bench_open(&b);
  tool_bench_go_to_ready(&b);
  tool_bench_begin(&b);
  sn_tool_target *target = tool_bench_target(&b, "lin");
  target->pose = sn_msg_pose_from(sn_chain_fk(b.chain, TOOL_BENCH_READY));
  target->pose.position.y += 0.08;
  tool_bench_call(&b, "tool.planTool", b.goal, b.preview);
  assert_true(b.preview->success);
  assert_string_equal(b.preview->message.data, "");
  assert_string_equal(sn_msg_names_at(&b.preview->joints, N - 1),
                      sn_model_joint(b.m.model, (size_t)b.chain->joints[N - 1])->name);
  sn_assert_vec3_near(sn_chain_fk(b.chain, tool_bench_last(&b)).pos, target->pose.position, 1e-9);
  tool_bench_cycle(&b);
  for (size_t j = 0; j < N; j++) {
    sn_assert_near(b.preview->positions.data[j], TOOL_BENCH_READY[j], 1e-12);
    sn_assert_near(b.q[j], TOOL_BENCH_READY[j], 1e-9);
  }
  const uint64_t id = tool_bench_send(&b);
  assert_int_equal(tool_bench_state(&b, id), SN_TRAJECTORY_ACCEPTED);
  sn_assert_near(1e-9 * (double)b.state->duration_ns, b.preview->duration, 1e-8);
  tool_bench_close(&b);
}

/* How far a pose of the joints is from a target, m and rad. */
static void errors_of(const tool_bench *b, const double *q, sn_pose target, double *m,
                      double *rad) {
  const sn_pose tip = sn_chain_fk(b->chain, q);
  *m = sn_vec3_norm(sn_vec3_sub(tip.pos, target.pos));
  *rad = sn_vec3_norm(sn_mat3_log(sn_mat3_mul(target.rot, sn_mat3_transpose(tip.rot))));
}

SN_TEST(no_random_pose_is_nearer_to_a_target_out_of_reach_than_the_preview) {
  static const sn_vec3 places[] = {{9, 0, 0}, {0.1, -0.9, 0.7}, {-0.6, 0.6, 1.4}, {0, 0, -3}};
  sn_random random;
  sn_random_init(&random, 21);
  tool_bench b;
  tool_bench_open(&b);
  tool_bench_go_to_ready(&b);
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    tool_bench_begin(&b);
    sn_tool_target *target = tool_bench_target(&b, "ptp");
    target->pose = sn_msg_pose_from(sn_chain_fk(b.chain, TOOL_BENCH_READY));
    target->pose.position = places[i];
    sn_pose wanted;
    assert_int_equal(sn_ik_pose_from_quat(target->pose.position, target->pose.orientation, &wanted),
                     SN_IK_OK);
    tool_bench_call(&b, "tool.planTool", b.goal, b.preview);
    assert_false(b.preview->success);
    sn_assert_contains(b.preview->message.data, "from the target");
    double m = 0.0;
    double rad = 0.0;
    errors_of(&b, tool_bench_last(&b), wanted, &m, &rad);
    for (int k = 0; k < 20000; k++) {
      double q[N];
      double other_m = 0.0;
      double other_rad = 0.0;
      for (size_t j = 0; j < N; j++) {
        q[j] = sn_random_between(&random, b.chain->lower[j], b.chain->upper[j]);
      }
      errors_of(&b, q, wanted, &other_m, &other_rad);
      assert_false(other_m < m && other_rad < rad);
    }
  }
  tool_bench_close(&b);
}

static void let_touch(tool_bench *b, const char *link_a, const char *link_b) {
  sn_collision_pair *pair = sn_msg_create(&b->m.r.arena, &sn_collision_pair_type, NULL);
  assert_int_equal(sn_msg_text_set(&pair->link_a, link_a), SN_OK);
  assert_int_equal(sn_msg_text_set(&pair->link_b, link_b), SN_OK);
  tool_bench_call(b, "aggregator.setCollisionPair", pair, NULL);
}

SN_TEST(preview_names_the_joint_at_its_limit) {
  tool_bench b;
  tool_bench_open(&b);
  tool_bench_go_to_ready(&b);
  /* Straight up, with a wrist bent beyond its limit, no other branch has the tool there. */
  double q[N] = {0.0};
  q[4] = b.chain->upper[4] + 0.2;
  tool_bench_begin(&b);
  tool_bench_target(&b, "ptp")->pose = sn_msg_pose_from(sn_chain_fk(b.chain, q));
  tool_bench_call(&b, "tool.planTool", b.goal, b.preview);
  sn_assert_contains(b.preview->message.data, "'link4' and 'link6' would touch after ");
  let_touch(&b, "link4", "link6");
  tool_bench_call(&b, "tool.planTool", b.goal, b.preview);
  assert_false(b.preview->success);
  sn_assert_contains(b.preview->message.data, "is at its limit of");
  const double *nearest = tool_bench_last(&b);
  bool is_any = false;
  for (size_t j = 0; j < N; j++) {
    const char *name = sn_model_joint(b.m.model, (size_t)b.chain->joints[j])->name;
    is_any = is_any || (strstr(b.preview->message.data, name) != NULL &&
                        (fabs(nearest[j] - b.chain->upper[j]) < 1e-5 ||
                         fabs(nearest[j] - b.chain->lower[j]) < 1e-5));
  }
  assert_true(is_any);
  tool_bench_close(&b);
}

SN_TEST(line_may_end_where_the_tool_is_with_given_joints) {
  static const double there[N] = {0.3, 0.35, 0.35, 0.1, 0.7, 0.1};
  tool_bench b;
  tool_bench_open(&b);
  tool_bench_go_to_ready(&b);
  tool_bench_begin(&b);
  tool_bench_joints(&b, there);
  assert_int_equal(sn_msg_text_set(&b.goal->targets.data[0].kind, "lin"), SN_OK);
  const sn_vec3 to = sn_chain_fk(b.chain, there).pos;
  const uint64_t id = tool_bench_send(&b);
  assert_true(b.answer->accepted);
  assert_true(tool_bench_run(&b, id, sn_chain_fk(b.chain, TOOL_BENCH_READY).pos, to) <= 10e-6);
  assert_int_equal(tool_bench_state(&b, id), SN_TRAJECTORY_SUCCEEDED);
  sn_assert_vec3_near(sn_chain_fk(b.chain, b.q).pos, to, 1e-9);
  tool_bench_close(&b);
}
