/* MoveTool in a running system: goals from outside become motions of the tool. */
#include "controllers/cartesian/tool_preview.h"
#include "model_rig.h"
#include "sinew/components.h"
#include "sinew/ik.h"
#include "sinew/kin.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

enum { MS = 1000000, N = 6 };

typedef struct bench {
  model_rig m;
  const sn_chain *chain;
  sn_tap *pose;
  sn_tool_goal *goal;
  sn_trajectory_answer *answer;
  sn_trajectory_state *state;
  sn__tool_preview *preview;
  double q[N];
} bench;

static void bench_open(bench *b) {
  *b = (bench){.pose = NULL};
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

static void bench_close(bench *b) {
  sn_tap_close(b->pose);
  model_rig_close(&b->m);
}

static void cycle(bench *b) {
  rig_run(&b->m.r, MS);
  const sn_joint_state *pose = sn_tap_read(b->pose, NULL);
  for (size_t j = 0; j < N; j++) {
    b->q[j] = pose->position.data[b->chain->joints[j]];
  }
}

static void call(bench *b, const char *operation, const void *request, void *response) {
  sn_caller caller = {0};
  sn_error *err = &b->m.r.err;
  assert_int_equal(sn_caller_open(b->m.r.system, operation, &caller, err), SN_OK);
  assert_int_equal(sn_call(&caller, request, response, err), SN_OK);
  sn_caller_close(&caller);
}

static sn_tool_target *add_target(bench *b, const char *kind) {
  sn_tool_target *target = &b->goal->targets.data[b->goal->targets.count++];
  sn_msg_reset(&sn_tool_target_type, target);
  assert_int_equal(sn_msg_text_set(&target->kind, kind), SN_OK);
  target->pose.orientation.w = 1.0;
  return target;
}

static void add_joints(bench *b, const double *q) {
  sn_tool_target *target = add_target(b, "ptp");
  target->joints.count = N;
  memcpy(target->joints.data, q, N * sizeof *q);
}

static void begin_goal(bench *b) {
  sn_msg_reset(&sn_tool_goal_type, b->goal);
}

/* @return its number; 0: rejected */
static uint64_t send(bench *b) {
  call(b, "tool.moveTool", b->goal, b->answer);
  return b->answer->goal_id;
}

static int state_of(bench *b, uint64_t id) {
  call(b, "tool.getGoal", &(sn_trajectory_id){id}, b->state);
  return b->state->state;
}

/* Until the goal has ended. @return the greatest distance of the tool from a line */
static double run(bench *b, uint64_t id, sn_vec3 from, sn_vec3 to) {
  double worst = 0.0;
  for (int i = 0; i < 20000 && state_of(b, id) < SN_TRAJECTORY_SUCCEEDED; i++) {
    cycle(b);
    const sn_vec3 way = sn_vec3_sub(to, from);
    const sn_vec3 off = sn_vec3_sub(sn_chain_fk(b->chain, b->q).pos, from);
    worst = fmax(worst, sn_vec3_norm(sn_vec3_cross(way, off)) / sn_vec3_norm(way));
  }
  return worst;
}

static const double READY[N] = {0.2, 0.3, 0.4, 0.1, 0.8, 0.0};

static void go_to_ready(bench *b) {
  for (int i = 0; i < 10; i++) {
    cycle(b);
  }
  begin_goal(b);
  add_joints(b, READY);
  const uint64_t id = send(b);
  assert_true(b->answer->accepted);
  (void)run(b, id, sn_vec3_make(0, 0, 0), sn_vec3_make(1, 0, 0));
  assert_int_equal(state_of(b, id), SN_TRAJECTORY_SUCCEEDED);
  for (size_t j = 0; j < N; j++) {
    sn_assert_near(b->q[j], READY[j], 1e-9);
  }
}

SN_TEST(tool_moves_on_a_line_and_gets_there) {
  bench b;
  bench_open(&b);
  go_to_ready(&b);
  const sn_pose from = sn_chain_fk(b.chain, READY);
  begin_goal(&b);
  sn_tool_target *target = add_target(&b, "lin");
  target->pose = sn_msg_pose_from(from);
  target->pose.position = sn_vec3_add(from.pos, sn_vec3_make(0.02, 0.08, -0.05));
  b.goal->speed = 0.5;
  const uint64_t id = send(&b);
  assert_true(b.answer->accepted);
  assert_true(run(&b, id, from.pos, target->pose.position) <= 10e-6);
  assert_int_equal(state_of(&b, id), SN_TRAJECTORY_SUCCEEDED);
  sn_assert_vec3_near(sn_chain_fk(b.chain, b.q).pos, target->pose.position, 1e-9);
  bench_close(&b);
}

SN_TEST(cancelled_motion_stops) {
  bench b;
  bench_open(&b);
  go_to_ready(&b);
  begin_goal(&b);
  add_joints(&b, (const double[N]){0.8, 0.3, 0.4, 0.1, 0.8, 0.0});
  const uint64_t id = send(&b);
  for (int i = 0; i < 150; i++) {
    cycle(&b);
  }
  sn_call_outcome *outcome = sn_msg_create(&b.m.r.arena, &sn_call_outcome_type, NULL);
  call(&b, "tool.cancel", &(sn_trajectory_id){id}, outcome);
  for (int i = 0; i < 1000; i++) {
    cycle(&b);
  }
  assert_int_equal(state_of(&b, id), SN_TRAJECTORY_CANCELED);
  const double stopped = b.q[0];
  assert_true(stopped > 0.2 && stopped < 0.8);
  cycle(&b);
  sn_assert_near(b.q[0], stopped, 0.0);
  bench_close(&b);
}

static void expect_rejection(bench *b, const char *part) {
  assert_int_equal(send(b), 0);
  assert_false(b->answer->accepted);
  sn_assert_contains(b->answer->message.data, part);
}

SN_TEST(what_cannot_be_done_is_rejected_before_anything_moves) {
  bench b;
  bench_open(&b);
  go_to_ready(&b);
  begin_goal(&b);
  expect_rejection(&b, "no targets");
  add_target(&b, "fly");
  expect_rejection(&b, "target 0: its kind is 'fly', expected ptp, lin, circ or spline");
  begin_goal(&b);
  add_target(&b, "lin")->pose.position.x = 9.0;
  expect_rejection(&b, "target 0: after ");
  begin_goal(&b);
  add_target(&b, "lin")->pose.position.x = NAN;
  expect_rejection(&b, "target 0: its pose is not finite");
  begin_goal(&b);
  sn_tool_target *target = add_target(&b, "ptp");
  target->joints.count = 2;
  expect_rejection(&b, "target 0: 2 joint positions, expected 6");
  begin_goal(&b);
  add_joints(&b, READY);
  b.goal->speed = 2.0;
  expect_rejection(&b, "a speed of 2");
  for (int i = 0; i < 50; i++) {
    cycle(&b);
  }
  for (size_t j = 0; j < N; j++) {
    sn_assert_near(b.q[j], READY[j], 1e-9);
  }
  bench_close(&b);
}

/* ---- previews ---- */

static const double *last_pose(const bench *b) {
  assert_true(b->preview->positions.count >= 2 * N);
  return b->preview->positions.data + b->preview->positions.count - N;
}

SN_TEST(preview_is_the_motion_that_would_be_made_and_moves_nothing) {
  bench b;
  bench_open(&b);
  go_to_ready(&b);
  begin_goal(&b);
  sn_tool_target *target = add_target(&b, "lin");
  target->pose = sn_msg_pose_from(sn_chain_fk(b.chain, READY));
  target->pose.position.y += 0.08;
  call(&b, "tool.planTool", b.goal, b.preview);
  assert_true(b.preview->success);
  assert_string_equal(b.preview->message.data, "");
  assert_string_equal(sn_msg_names_at(&b.preview->joints, N - 1),
                      sn_model_joint(b.m.model, (size_t)b.chain->joints[N - 1])->name);
  sn_assert_vec3_near(sn_chain_fk(b.chain, last_pose(&b)).pos, target->pose.position, 1e-9);
  cycle(&b);
  for (size_t j = 0; j < N; j++) {
    sn_assert_near(b.preview->positions.data[j], READY[j], 1e-12);
    sn_assert_near(b.q[j], READY[j], 1e-9);
  }
  const uint64_t id = send(&b);
  assert_int_equal(state_of(&b, id), SN_TRAJECTORY_ACCEPTED);
  sn_assert_near(1e-9 * (double)b.state->duration_ns, b.preview->duration, 1e-8);
  bench_close(&b);
}

/* How far a pose of the joints is from a target, m and rad. */
static void errors_of(const bench *b, const double *q, sn_pose target, double *m, double *rad) {
  const sn_pose tip = sn_chain_fk(b->chain, q);
  *m = sn_vec3_norm(sn_vec3_sub(tip.pos, target.pos));
  *rad = sn_vec3_norm(sn_mat3_log(sn_mat3_mul(target.rot, sn_mat3_transpose(tip.rot))));
}

SN_TEST(no_random_pose_is_nearer_to_a_target_out_of_reach_than_the_preview) {
  static const sn_vec3 places[] = {{9, 0, 0}, {0.1, -0.9, 0.7}, {-0.6, 0.6, 1.4}, {0, 0, -3}};
  sn_random random;
  sn_random_init(&random, 21);
  bench b;
  bench_open(&b);
  go_to_ready(&b);
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    begin_goal(&b);
    sn_tool_target *target = add_target(&b, "ptp");
    target->pose = sn_msg_pose_from(sn_chain_fk(b.chain, READY));
    target->pose.position = places[i];
    sn_pose wanted;
    assert_int_equal(sn_ik_pose_from_quat(target->pose.position, target->pose.orientation, &wanted),
                     SN_IK_OK);
    call(&b, "tool.planTool", b.goal, b.preview);
    assert_false(b.preview->success);
    sn_assert_contains(b.preview->message.data, "from the target");
    double m = 0.0;
    double rad = 0.0;
    errors_of(&b, last_pose(&b), wanted, &m, &rad);
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
  bench_close(&b);
}

SN_TEST(preview_names_the_joint_at_its_limit) {
  bench b;
  bench_open(&b);
  go_to_ready(&b);
  /* Straight up, with a wrist bent beyond its limit, no other branch has the tool there. */
  double q[N] = {0.0};
  q[4] = b.chain->upper[4] + 0.2;
  begin_goal(&b);
  add_target(&b, "ptp")->pose = sn_msg_pose_from(sn_chain_fk(b.chain, q));
  call(&b, "tool.planTool", b.goal, b.preview);
  assert_false(b.preview->success);
  sn_assert_contains(b.preview->message.data, "is at its limit of");
  const double *nearest = last_pose(&b);
  bool is_any = false;
  for (size_t j = 0; j < N; j++) {
    const char *name = sn_model_joint(b.m.model, (size_t)b.chain->joints[j])->name;
    is_any = is_any || (strstr(b.preview->message.data, name) != NULL &&
                        (fabs(nearest[j] - b.chain->upper[j]) < 1e-5 ||
                         fabs(nearest[j] - b.chain->lower[j]) < 1e-5));
  }
  assert_true(is_any);
  bench_close(&b);
}

SN_TEST(line_may_end_where_the_tool_is_with_given_joints) {
  static const double there[N] = {0.3, 0.35, 0.35, 0.1, 0.7, 0.1};
  bench b;
  bench_open(&b);
  go_to_ready(&b);
  begin_goal(&b);
  add_joints(&b, there);
  assert_int_equal(sn_msg_text_set(&b.goal->targets.data[0].kind, "lin"), SN_OK);
  const sn_vec3 to = sn_chain_fk(b.chain, there).pos;
  const uint64_t id = send(&b);
  assert_true(b.answer->accepted);
  assert_true(run(&b, id, sn_chain_fk(b.chain, READY).pos, to) <= 10e-6);
  assert_int_equal(state_of(&b, id), SN_TRAJECTORY_SUCCEEDED);
  sn_assert_vec3_near(sn_chain_fk(b.chain, b.q).pos, to, 1e-9);
  bench_close(&b);
}
