/* execute_joint_trajectory in a running system: goals from outside, limbs taken and given back. */
#include <pthread.h>
#include <stdatomic.h>

#include "model_rig.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { MS = 1000000 };

typedef struct bench {
  model_rig m;
  size_t n;
  sn_tap *pose, *state;
  sn_source *measured; /* NULL: nothing is measured */
  double error;        /* of what is measured */
  sn_trajectory_goal *goal;
  sn_trajectory_answer *answer;
  sn_trajectory_state *state_of_goal;
  double q[16];
} bench;

static void connect_controller(bench *b, const char *name) {
  char from[64];
  char to[64];
  snprintf(to, sizeof to, "%s.arbiter", name);
  rig_require(&b->m.r, to, "resources_control");
  snprintf(to, sizeof to, "%s.sync", name);
  rig_connect(&b->m.r, "timer.sync", to);
  snprintf(to, sizeof to, "%s.in_joints_sorted", name);
  rig_connect(&b->m.r, "aggregator.joints_sorted", to);
  snprintf(from, sizeof from, "%s.out_joints_ref", name);
  rig_connect(&b->m.r, from, "aggregator.in_joints");
}

static void bench_open(bench *b, bool is_measured) {
  *b = (bench){.n = 0};
  rig *r = &b->m.r;
  model_rig_open(&b->m, "arm6");
  b->n = sn_model_pose_size(b->m.model);
  rig_add(r, &sn_timer_component, "timer");
  model_rig_add(&b->m, &sn_resources_control_component, "resources_control");
  sn_component *aggregator = model_rig_add(&b->m, &sn_aggregator_component, "aggregator");
  (void)aggregator;
  rig_require(r, "aggregator.owners", "resources_control");
  rig_connect(r, "timer.sync", "aggregator.sync");
  sn_component *hold = model_rig_add(&b->m, &sn_follow_joint_state_component, "hold");
  rig_set(r, hold, "stay_operational", "true");
  rig_set(r, hold, "start_operational", "true");
  connect_controller(b, "hold");
  model_rig_add(&b->m, &sn_execute_joint_trajectory_component, "execute");
  connect_controller(b, "execute");
  if (is_measured) {
    b->measured = model_rig_source(&b->m, "execute.in_joints_measured");
  }
  b->pose = model_rig_tap(&b->m, "aggregator.joints_sorted");
  b->state = model_rig_tap(&b->m, "execute.trajectory_state");
  b->goal = sn_msg_create(&r->arena, &sn_trajectory_goal_type, NULL);
  b->answer =
      sn_msg_create(&r->arena, &sn_trajectory_answer_type, &(sn_msg_capacity){.text_size = 256});
  b->state_of_goal = sn_msg_create(&r->arena, &sn_trajectory_state_type, NULL);
  rig_begin(r);
}

static void bench_close(bench *b) {
  sn_source_close(b->measured);
  sn_tap_close(b->pose);
  sn_tap_close(b->state);
  model_rig_close(&b->m);
}

/* One cycle; no joint moves faster than it may. */
static void cycle(bench *b) {
  if (b->measured != NULL) {
    sn_joint_state *msg = sn_source_msg(b->measured);
    sn_msg_names_share(&msg->name, sn_model_joint_names(b->m.model));
    msg->position.count = b->n;
    for (size_t j = 0; j < b->n; j++) {
      msg->position.data[j] = b->q[j] + b->error;
    }
    assert_int_equal(sn_source_write(b->measured), SN_OK);
  }
  rig_run(&b->m.r, MS);
  const sn_joint_state *pose = sn_tap_read(b->pose, NULL);
  for (size_t j = 0; j < b->n; j++) {
    const double way = fabs(pose->position.data[j] - b->q[j]);
    assert_true(way <= 1e-3 * sn_model_joint(b->m.model, j)->velocity_max + 1e-12);
    b->q[j] = pose->position.data[j];
  }
}

static void cycles(bench *b, int count) {
  for (int i = 0; i < count; i++) {
    cycle(b);
  }
}

static void call(bench *b, const char *operation, const void *request, void *response) {
  sn_caller caller = {0};
  sn_error *err = &b->m.r.err;
  assert_int_equal(sn_caller_open(b->m.r.system, operation, &caller, err), SN_OK);
  assert_int_equal(sn_call(&caller, request, response, err), SN_OK);
  sn_caller_close(&caller);
}

/* A goal for two joints: a second to a place, half a second to another. */
static void fill_goal(bench *b, double first, double second) {
  static const char *const names[] = {"joint2", "joint4"};
  sn_trajectory_goal *goal = b->goal;
  sn_msg_reset(&sn_trajectory_goal_type, goal);
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(sn_msg_names_add(&goal->trajectory.joint_names, names[i], 6), SN_OK);
  }
  goal->trajectory.points.count = 2;
  for (size_t k = 0; k < 2; k++) {
    sn_joint_trajectory_point *point = &goal->trajectory.points.data[k];
    sn_msg_reset(&sn_joint_trajectory_point_type, point);
    point->positions.count = 2;
    point->positions.data[0] = k == 0 ? first : second;
    point->positions.data[1] = -0.5 * (k == 0 ? first : second);
    point->time_from_start_ns = (k == 0 ? 1000 : 1500) * (int64_t)MS;
  }
}

static uint64_t send(bench *b) {
  call(b, "execute.execute", b->goal, b->answer);
  return b->answer->goal_id;
}

static const sn_trajectory_state *look(bench *b, uint64_t id) {
  call(b, "execute.getGoal", &(sn_trajectory_id){id}, b->state_of_goal);
  return b->state_of_goal;
}

static const char *owner(bench *b) {
  static char name[64];
  sn_caller caller = {0};
  sn_error *err = &b->m.r.err;
  sn_resource_assignment *owners = sn_msg_create(&b->m.r.arena, &sn_resource_assignment_type, NULL);
  assert_int_equal(sn_caller_open(b->m.r.system, "resources_control.getOwners", &caller, err),
                   SN_OK);
  assert_int_equal(sn_call(&caller, NULL, owners, err), SN_OK);
  sn_caller_close(&caller);
  snprintf(name, sizeof name, "%s", sn_msg_names_at(&owners->owners, 0));
  return name;
}

SN_TEST(goal_takes_the_limb_moves_it_and_releases_it) {
  bench b;
  bench_open(&b, false);
  cycles(&b, 10);
  assert_string_equal(owner(&b), "hold");
  fill_goal(&b, 0.3, 0.2);
  const uint64_t id = send(&b);
  assert_true(b.answer->accepted);
  assert_int_equal(look(&b, id)->state, SN_TRAJECTORY_ACCEPTED);
  assert_true(b.state_of_goal->time_from_start_ns == 0);
  cycles(&b, 1002);
  assert_string_equal(owner(&b), "execute");
  assert_int_equal(look(&b, id)->state, SN_TRAJECTORY_EXECUTING);
  assert_true(b.state_of_goal->time_from_start_ns == 1001 * (int64_t)MS);
  assert_true(b.state_of_goal->duration_ns == 1500 * (int64_t)MS);
  sn_assert_near(b.q[1], 0.3, 1e-3);
  sn_assert_near(b.q[3], -0.15, 1e-3);
  const sn_trajectory_state *port = sn_tap_read(b.state, NULL);
  assert_int_equal(port->goal_id, id);
  assert_int_equal(port->name.count, 2);
  assert_true(port->time_from_start_ns == 1001 * (int64_t)MS);
  cycles(&b, 600);
  assert_int_equal(look(&b, id)->state, SN_TRAJECTORY_SUCCEEDED);
  port = sn_tap_read(b.state, NULL);
  assert_int_equal(port->state, SN_TRAJECTORY_SUCCEEDED);
  sn_assert_near(b.q[1], 0.2, 1e-9);
  assert_string_equal(owner(&b), "hold");
  bench_close(&b);
}

SN_TEST(points_without_times_are_passed_as_fast_as_limits_allow) {
  bench b;
  bench_open(&b, false);
  cycles(&b, 10);
  fill_goal(&b, 0.3, 0.2);
  b.goal->trajectory.points.data[0].time_from_start_ns = 0;
  b.goal->trajectory.points.data[1].time_from_start_ns = 0;
  const uint64_t id = send(&b);
  assert_true(b.answer->accepted);
  double farthest = 0.0;
  double last = b.q[1];
  double speed = 0.0;
  double acceleration = 0.0;
  for (int i = 0; i < 1500 && look(&b, id)->state != SN_TRAJECTORY_SUCCEEDED; i++) {
    cycle(&b);
    farthest = fmax(farthest, b.q[1]);
    const double now = (b.q[1] - last) / 1e-3;
    acceleration = fmax(acceleration, fabs(now - speed) / 1e-3);
    speed = now;
    last = b.q[1];
  }
  assert_int_equal(look(&b, id)->state, SN_TRAJECTORY_SUCCEEDED);
  assert_true(b.state_of_goal->duration_ns > 0 &&
              b.state_of_goal->duration_ns < 1000 * (int64_t)MS);
  assert_true(farthest >= 0.3 - 1e-4 && farthest <= 0.31); /* the spline swings out a little */
  sn_assert_near(b.q[1], 0.2, 1e-9);
  sn_assert_near(b.q[3], -0.1, 1e-9);
  const double limit = sn_model_joint(b.m.model, 1)->velocity_max / 0.25;
  assert_true(acceleration <= limit * (1.0 + 1e-6));
  assert_true(acceleration >= 0.3 * limit);
  sn_joint_trajectory_point *point = &b.goal->trajectory.points.data[0];
  point->velocities.count = b.goal->trajectory.points.data[1].velocities.count = 2;
  (void)send(&b);
  assert_false(b.answer->accepted);
  sn_assert_contains(b.answer->message.data, "velocities and supports need times");
  bench_close(&b);
}

SN_TEST(cancelled_goal_stops_then_the_limb_is_released) {
  bench b;
  bench_open(&b, false);
  cycles(&b, 10);
  fill_goal(&b, 0.5, 0.2);
  const uint64_t id = send(&b);
  cycles(&b, 500);
  sn_call_outcome *outcome = sn_msg_create(&b.m.r.arena, &sn_call_outcome_type, NULL);
  call(&b, "execute.cancel", &(sn_trajectory_id){id + 1}, outcome);
  assert_false(outcome->success);
  call(&b, "execute.cancel", &(sn_trajectory_id){id}, outcome);
  assert_true(outcome->success);
  cycle(&b);
  assert_int_equal(look(&b, id)->state, SN_TRAJECTORY_CANCELED);
  assert_string_equal(owner(&b), "execute"); /* it still moves */
  cycles(&b, 1000);
  assert_string_equal(owner(&b), "hold");
  const double q = b.q[1];
  assert_true(q > 0.1 && q < 0.45);
  cycles(&b, 100);
  assert_true(b.q[1] == q);
  bench_close(&b);
}

SN_TEST(new_goal_replaces_the_old_one) {
  bench b;
  bench_open(&b, false);
  cycles(&b, 10);
  fill_goal(&b, 0.5, 0.2);
  const uint64_t first = send(&b);
  cycles(&b, 500);
  fill_goal(&b, -0.2, -0.3);
  const uint64_t second = send(&b);
  const uint64_t third = send(&b); /* the second one is never seen */
  cycles(&b, 2);
  assert_int_equal(look(&b, first)->state, SN_TRAJECTORY_CANCELED);
  assert_int_equal(look(&b, second)->state, SN_TRAJECTORY_CANCELED);
  assert_int_equal(look(&b, third)->state, SN_TRAJECTORY_EXECUTING);
  cycles(&b, 1600);
  assert_int_equal(look(&b, third)->state, SN_TRAJECTORY_SUCCEEDED);
  sn_assert_near(b.q[1], -0.3, 1e-9);
  bench_close(&b);
}

SN_TEST(joint_off_the_path_is_named) {
  bench b;
  bench_open(&b, true);
  cycles(&b, 10);
  fill_goal(&b, 0.5, 0.2);
  b.goal->path_tolerance.count = 1;
  assert_int_equal(sn_msg_text_set(&b.goal->path_tolerance.data[0].name, "joint4"), SN_OK);
  b.goal->path_tolerance.data[0].position = 0.05;
  const uint64_t id = send(&b);
  cycles(&b, 300);
  assert_int_equal(look(&b, id)->state, SN_TRAJECTORY_EXECUTING);
  b.error = 0.1;
  cycles(&b, 3);
  assert_int_equal(look(&b, id)->state, SN_TRAJECTORY_ABORTED);
  assert_int_equal(b.state_of_goal->error_code, SN_TRAJECTORY_OFF_PATH);
  assert_string_equal(sn_msg_names_at(&b.state_of_goal->name, 0), "joint4");
  bench_close(&b);
}

SN_TEST(losing_the_limb_aborts_the_goal) {
  bench b;
  bench_open(&b, false);
  cycles(&b, 10);
  fill_goal(&b, 0.5, 0.2);
  const uint64_t id = send(&b);
  cycles(&b, 300);
  sn_call_outcome *outcome = sn_msg_create(&b.m.r.arena, &sn_call_outcome_type, NULL);
  call(&b, "hold.rosSetOperational", &(sn_call_switch){true}, outcome);
  assert_true(outcome->success);
  cycles(&b, 3);
  assert_int_equal(look(&b, id)->state, SN_TRAJECTORY_ABORTED);
  sn_assert_contains(b.state_of_goal->message.data, "taken");
  assert_string_equal(owner(&b), "hold");
  bench_close(&b);
}

static void assert_refused(bench *b, int32_t code, const char *why) {
  assert_int_equal(send(b), 0);
  assert_false(b->answer->accepted);
  sn_assert_contains(b->answer->message.data, why);
  assert_int_equal(b->answer->error_code, code);
}

SN_TEST(bad_goals_are_refused_with_their_reason) {
  bench b;
  bench_open(&b, false);
  cycles(&b, 2000);
  fill_goal(&b, 0.1, 0.2);
  (void)sn_msg_names_add(&b.goal->trajectory.joint_names, "knee", 4);
  assert_refused(&b, SN_TRAJECTORY_INVALID_JOINTS, "the robot has no joint 'knee'");
  fill_goal(&b, 0.1, 0.2);
  (void)sn_msg_names_add(&b.goal->trajectory.joint_names, "joint2", 6);
  assert_refused(&b, SN_TRAJECTORY_INVALID_JOINTS, "joint 'joint2' appears twice");
  fill_goal(&b, 0.1, 0.2);
  b.goal->trajectory.points.data[1].positions.count = 1;
  assert_refused(&b, SN_TRAJECTORY_INVALID_GOAL, "point 1 has 1 positions for 2 joints");
  fill_goal(&b, 0.1, 0.2);
  b.goal->trajectory.points.data[1].velocities.count = 2;
  assert_refused(&b, SN_TRAJECTORY_INVALID_GOAL, "point 1 has velocities, point 0 has none");
  fill_goal(&b, 0.1, 0.2);
  b.goal->trajectory.points.data[0].velocities.count = 2;
  b.goal->trajectory.points.data[1].velocities.count = 2;
  b.goal->trajectory.points.data[1].velocities.data[0] = 0.5;
  assert_refused(&b, SN_TRAJECTORY_INVALID_GOAL, "'joint2' still moves at the last point");
  fill_goal(&b, 0.1, 99.0);
  assert_refused(&b, SN_TRAJECTORY_INVALID_GOAL, "point 1: joint 'joint2' at 99");
  fill_goal(&b, NAN, 0.1);
  assert_refused(&b, SN_TRAJECTORY_INVALID_GOAL, "point 0: position of joint 0 is nan");
  fill_goal(&b, 0.1, 0.2);
  b.goal->trajectory.points.data[1].time_from_start_ns = 1;
  assert_refused(&b, SN_TRAJECTORY_INVALID_GOAL, "not later than the one before");
  fill_goal(&b, 0.1, 0.2);
  b.goal->trajectory.header.stamp_ns = 1;
  assert_refused(&b, SN_TRAJECTORY_OLD_STAMP, "it should have begun at 0.000 s");
  fill_goal(&b, 0.1, 0.2);
  b.goal->goal_tolerance.count = 1;
  (void)sn_msg_text_set(&b.goal->goal_tolerance.data[0].name, "joint1");
  assert_refused(&b, SN_TRAJECTORY_INVALID_GOAL,
                 "'joint1', which is not a joint of the trajectory");
  sn_msg_reset(&sn_trajectory_goal_type, b.goal);
  assert_refused(&b, SN_TRAJECTORY_INVALID_GOAL, "0 points");
  cycles(&b, 10);
  assert_string_equal(owner(&b), "hold");
  bench_close(&b);
}

SN_TEST(stopped_controller_accepts_no_goal) {
  bench b;
  bench_open(&b, false);
  cycles(&b, 10);
  sn_component *execute = sn_system_find(b.m.r.system, "execute");
  assert_int_equal(sn_system_stop(b.m.r.system, execute, &b.m.r.err), SN_OK);
  fill_goal(&b, 0.1, 0.2);
  assert_refused(&b, SN_TRAJECTORY_INVALID_GOAL, "the controller is not running");
  assert_int_equal(sn_system_cleanup(b.m.r.system, execute, &b.m.r.err), SN_OK);
  assert_refused(&b, SN_TRAJECTORY_INVALID_GOAL, "the controller is not running");
  assert_int_equal(sn_system_configure(b.m.r.system, execute, &b.m.r.err), SN_OK);
  assert_int_equal(sn_system_start(b.m.r.system, execute, &b.m.r.err), SN_OK);
  cycles(&b, 3);
  const uint64_t id = send(&b);
  cycles(&b, 1600);
  assert_int_equal(look(&b, id)->state, SN_TRAJECTORY_SUCCEEDED);
  bench_close(&b);
}

/* ---- senders in threads of their own, while the system cycles ---- */

typedef struct sender {
  bench *b;
  uint64_t seed;
  _Atomic bool *must_end;
} sender;

static void *send_and_cancel(void *context) {
  sender *s = context;
  sn_arena arena;
  sn_arena_init_growing(&arena, "sender", 0);
  sn_random random;
  sn_random_init(&random, s->seed);
  sn_error err;
  sn_caller execute = {0};
  sn_caller cancel = {0};
  sn_caller get = {0};
  sn_trajectory_goal *goal = sn_msg_create(&arena, &sn_trajectory_goal_type, NULL);
  sn_trajectory_answer *answer = sn_msg_create(&arena, &sn_trajectory_answer_type, NULL);
  sn_trajectory_state *state_of_goal = sn_msg_create(&arena, &sn_trajectory_state_type, NULL);
  sn_call_outcome *outcome = sn_msg_create(&arena, &sn_call_outcome_type, NULL);
  bool is_good = sn_msg_copy(&sn_trajectory_goal_type, goal, s->b->goal) == SN_OK &&
                 sn_caller_open(s->b->m.r.system, "execute.execute", &execute, &err) == SN_OK &&
                 sn_caller_open(s->b->m.r.system, "execute.cancel", &cancel, &err) == SN_OK &&
                 sn_caller_open(s->b->m.r.system, "execute.getGoal", &get, &err) == SN_OK;
  while (is_good && !atomic_load(s->must_end)) {
    is_good = sn_call(&execute, goal, answer, &err) == SN_OK;
    (void)sn_call(&get, &(sn_trajectory_id){answer->goal_id}, state_of_goal,
                  &err); /* may be gone again */
    if (sn_random_unit(&random) < 0.5) {
      is_good =
          is_good && sn_call(&cancel, &(sn_trajectory_id){answer->goal_id}, outcome, &err) == SN_OK;
    }
  }
  sn_caller_close(&execute);
  sn_caller_close(&cancel);
  sn_caller_close(&get);
  sn_arena_release(&arena);
  return is_good ? s : NULL;
}

SN_TEST(senders_in_threads_disturb_nothing) {
  bench b;
  bench_open(&b, false);
  cycles(&b, 10);
  fill_goal(&b, 0.5, -0.2);
  _Atomic bool must_end = false;
  sender senders[3];
  pthread_t threads[3];
  for (size_t i = 0; i < 3; i++) {
    senders[i] = (sender){&b, i, &must_end};
    assert_int_equal(pthread_create(&threads[i], NULL, send_and_cancel, &senders[i]), 0);
  }
  cycles(&b, (int)sn_test_cases(3000));
  atomic_store(&must_end, true);
  for (size_t i = 0; i < 3; i++) {
    void *result = NULL;
    pthread_join(threads[i], &result);
    assert_non_null(result);
  }
  cycles(&b, 3000);
  assert_string_equal(owner(&b), "hold");
  bench_close(&b);
}
