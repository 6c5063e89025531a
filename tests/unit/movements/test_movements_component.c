/* A folder of movements in a running system: listed, played, stopped, recorded, and scripts. */
#define _POSIX_C_SOURCE 200809L /* mkdir() */

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "deployed.h"
#include "movements/movement.h"
#include "msg/msg_names_internal.h"
#include "msg/types/msg_movements.h"
#include "program.h"
#include "rt/estop/estop.h"
#include "sinew/estop.h"
#include "sn_test.h"

typedef struct bench {
  char folder[64];
  sn_deployed d;
  sn_tap *pose;
  sn_call_outcome *outcome;
  sn_movement_state *state;
} bench;

static const char nod[] =
    "{\"trajectory\":{\"header\":{\"stamp\":{\"secs\":1532276474}},\"joint_names\":[\"head_"
    "joint2\"]"
    ",\"points\":[{\"positions\":[0.2],\"time_from_start\":{\"secs\":0}},{\"positions\":[0.4],"
    "\"time_from_start\":{\"secs\":1}}]}}";
static const char wave[] =
    "{\"trajectory\":{\"joint_names\":[\"leg1_joint3\"],\"points\":[{\"positions\":[0.3],"
    "\"time_from_start\":{\"secs\":1}},{\"positions\":[0.1],\"time_from_start\":{\"secs\":2}}]}}";
static const char pose[] =
    "{\"name\":[\"head_joint2\"],\"position\":[0.1],\"velocity\":[],"
    "\"effort\":[]}";

static void write_file(const bench *b, const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/library", b->folder);
  sn_test_write(path, name, text);
}

static void bench_open(bench *b) {
  char path[128];
  char text[1024];
  *b = (bench){.pose = NULL};
  sn_test_folder_create(b->folder);
  snprintf(path, sizeof path, "%s/library", b->folder);
  assert_int_equal(mkdir(path, 0777), 0);
  write_file(b, "nod.json", nod);
  write_file(b, "wave.json", wave);
  write_file(b, "rest.json", pose);
  write_file(b, "broken.json", "{\"trajectory\":");
  write_file(b, "stranger.json", "{\"name\":[\"elbow\"],\"position\":[0.1]}");
  write_file(b, "notes.txt", "not a movement");
  sn_test_write(b->folder, "robot.srdf",
                "<robot><group_state name='Look up' group='head'>"
                "<joint name='head_joint2' value='-0.1'/></group_state></robot>");
  snprintf(
      text, sizeof text,
      "include: [standard.yaml]\nrobot: " SINEW_ROBOTS
      "/quadruped.yaml\ncomponents:\n"
      "  gesture: {type: execute_joint_trajectory}\n"
      "  movements: {type: movements, properties: {folder: %s/library, trajectories: [execute, "
      "gesture], poses: {bow: {head_joint2: 0.3}, rest: {head_joint2: 0.5}}, "
      "srdf: %s/robot.srdf}}\n"
      "connections:\n"
      "  - timer.sync -> gesture.sync\n"
      "  - gesture.out_joints_ref -> aggregator.in_joints\n"
      "  - gesture.ref_support -> aggregator.in_supports\n"
      "  - aggregator.joints_sorted -> gesture.in_joints_sorted\n",
      b->folder, b->folder);
  sn_test_write(b->folder, "d.yaml", text);
  snprintf(path, sizeof path, "%s/d.yaml", b->folder);
  sn_deployed_open(&b->d, path);
  assert_int_equal(sn_tap_open(b->d.system, "aggregator.joints_sorted", NULL, &b->pose, &b->d.err),
                   SN_OK);
  const sn_msg_capacity roomy = {.item_count = 64, .text_size = 400};
  b->outcome = sn_msg_create(&b->d.arena, &sn_call_outcome_type, &roomy);
  b->state = sn_msg_create(&b->d.arena, &sn_movement_state_type, &roomy);
  sn_deployed_run(&b->d, 0.1);
}

static void bench_close(bench *b) {
  sn_tap_close(b->pose);
  sn_deployed_free(&b->d);
  sn_test_folder_remove(b->folder);
}

static void call(bench *b, const char *operation, const void *request, void *response) {
  char name[80];
  sn_caller caller = {0};
  snprintf(name, sizeof name, "movements.%s", operation);
  assert_int_equal(sn_caller_open(b->d.system, name, &caller, &b->d.err), SN_OK);
  if (sn_call(&caller, request, response, &b->d.err) != SN_OK) {
    fail_msg("%s: %s", name, b->d.err.message);
  }
  sn_caller_close(&caller);
}

/* @return success; the reason is in b->outcome */
static bool call_named(bench *b, const char *operation, const char *name) {
  const sn_msg_capacity roomy = {.item_count = 1, .text_size = 400};
  sn_call_name *request = sn_msg_create(&b->d.arena, &sn_call_name_type, &roomy);
  assert_int_equal(sn_msg_text_set(&request->name, name), SN_OK);
  call(b, operation, request, b->outcome);
  return b->outcome->success;
}

static bool play_at(bench *b, const char *name, double speed, bool fastest) {
  const sn_msg_capacity roomy = {.item_count = 1, .text_size = 400};
  sn_movement_play *request = sn_msg_create(&b->d.arena, &sn_movement_play_type, &roomy);
  assert_int_equal(sn_msg_text_set(&request->name, name), SN_OK);
  request->speed = speed;
  request->fastest = fastest;
  call(b, "playMovement", request, b->outcome);
  return b->outcome->success;
}

static bool play(bench *b, const char *name) {
  return play_at(b, name, 0.0, false);
}

static const sn_movement_state *look(bench *b) {
  call(b, "getMovement", NULL, b->state);
  return b->state;
}

static double position(bench *b, const char *joint) {
  const sn_joint_state *msg = sn_tap_read(b->pose, NULL);
  return msg->position.data[sn__msg_names_index(&msg->name, joint)];
}

SN_TEST(movements_of_the_folder_are_listed) {
  bench b;
  bench_open(&b);
  write_file(&b, "greet.yaml", "script: [{play: nod}]\n");
  const sn_msg_capacity roomy = {.item_count = 64, .text_size = 64};
  sn_movement_list *list = sn_msg_create(&b.d.arena, &sn_movement_list_type, &roomy);
  call(&b, "listMovements", NULL, list);
  static const char *const expected[][2] = {
      {"bow", "pose"},
      {"Look up", "pose"},
      {"broken", "invalid"},
      {"nod", "joint_trajectory"},
      {"rest", "joint_state"},
      {"stranger", "invalid"},
      {"wave", "joint_trajectory"},
      {"greet", "script"},
  };
  assert_int_equal(list->name.count, 8);
  for (size_t i = 0; i < 8; i++) {
    assert_string_equal(sn_msg_names_at(&list->name, i), expected[i][0]);
    assert_string_equal(sn_msg_names_at(&list->kind, i), expected[i][1]);
  }
  assert_true(list->duration.data[3] == 1.0 && list->duration.data[6] == 2.0);
  bench_close(&b);
}

/* It begins elsewhere: first it goes to its first point, then it takes its own time. */
SN_TEST(a_movement_is_played_from_where_the_robot_is) {
  bench b;
  bench_open(&b);
  assert_true(play(&b, "nod"));
  assert_string_equal(look(&b)->state.data, "playing");
  sn_deployed_run(&b.d, 1.001);
  sn_assert_near(position(&b, "head_joint2"), 0.2, 0.01);
  assert_string_equal(look(&b)->name.data, "nod");
  sn_assert_near(b.state->duration, 2.0, 1e-9);
  sn_deployed_run(&b.d, 1.5);
  sn_assert_near(position(&b, "head_joint2"), 0.4, 1e-3);
  assert_string_equal(look(&b)->state.data, "idle");
  assert_true(b.state->success);
  assert_true(play(&b, "rest"));
  sn_deployed_run(&b.d, 3.0);
  sn_assert_near(position(&b, "head_joint2"), 0.1, 1e-3);
  bench_close(&b);
}

SN_TEST(a_movement_is_played_at_any_speed) {
  bench b;
  bench_open(&b);
  assert_true(play_at(&b, "nod", 0.5, false));
  sn_deployed_run(&b.d, 0.1);
  sn_assert_near(look(&b)->duration, 1.0 + 2.0, 1e-6); /* the way to its first point */
  sn_deployed_run(&b.d, 4.5);
  assert_string_equal(look(&b)->state.data, "idle");
  sn_assert_near(position(&b, "head_joint2"), 0.4, 1e-3);
  assert_true(play(&b, "rest"));
  sn_deployed_run(&b.d, 3.0);
  const bool is_accepted = play_at(&b, "nod", 0.0, true);
  assert_string_equal(b.outcome->message.data, "");
  assert_true(is_accepted);
  sn_deployed_run(&b.d, 0.01);
  assert_true(look(&b)->duration > 0.0 && b.state->duration < 2.0);
  sn_deployed_run(&b.d, 2.0);
  sn_assert_near(position(&b, "head_joint2"), 0.4, 1e-3);
  assert_false(play_at(&b, "nod", 20.0, false));
  sn_assert_contains(b.outcome->message.data, "speed is 20, must be 0.1 .. 10");
  bench_close(&b);
}

SN_TEST(nothing_is_played_during_an_emergency_stop) {
  static const char *const names[] = {"wave", "bow", "twice"}; /* a movement, a pose, a script */
  bench b;
  bench_open(&b);
  write_file(&b, "twice.yaml", "script: [{play: wave}, {play: wave}]\n");
  const uint64_t number = sn_estop_request(b.d.system, "a test", "the button");
  sn_deployed_run(&b.d, 0.1);
  for (size_t i = 0; i < 3; i++) {
    assert_false(play(&b, names[i]));
    assert_string_equal(b.outcome->message.data,
                        "the emergency stop is set by a test, the button: resume first");
    assert_string_equal(look(&b)->state.data, "idle");
  }
  sn__estop_release(sn__estop_of(b.d.system), number);
  assert_true(play(&b, "bow"));
  bench_close(&b);
}

SN_TEST(a_movement_is_stopped) {
  bench b;
  bench_open(&b);
  call(&b, "stopMovement", NULL, b.outcome);
  assert_false(b.outcome->success);
  sn_assert_contains(b.outcome->message.data, "nothing is played");
  assert_true(play(&b, "wave"));
  sn_deployed_run(&b.d, 0.5);
  call(&b, "stopMovement", NULL, b.outcome);
  assert_true(b.outcome->success);
  sn_deployed_run(&b.d, 1.0);
  const double q = position(&b, "leg1_joint3");
  assert_true(q > 0.05 && q < 0.29);
  assert_string_equal(look(&b)->state.data, "idle");
  assert_false(b.state->success);
  bench_close(&b);
}

SN_TEST(what_cannot_be_played_is_named) {
  static const char *const cases[][2] = {
      {"broken", "broken.json:1:"},
      {"stranger", "'elbow'"},
      {"missing", "missing.json"},
      {"../nod", "cannot be the name of a movement"},
      {"", "cannot be the name of a movement"},
  };
  bench b;
  bench_open(&b);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_false(play(&b, cases[i][0]));
    sn_assert_contains(b.outcome->message.data, cases[i][1]);
  }
  bench_close(&b);
}

SN_TEST(a_script_plays_waits_and_calls_in_order_and_together) {
  bench b;
  bench_open(&b);
  write_file(&b, "greet.yaml",
             "script:\n"
             "  - play: rest\n"
             "  - wait: 0.5\n"
             "  - together:\n"
             "      - play: nod\n"
             "      - [{wait: 0.3}, {play: wave}]\n"
             "  - call: follow.setOperational\n"
             "    with: {operational: true, resources: [leg2]}\n");
  assert_true(play(&b, "greet"));
  sn_deployed_run(&b.d, 1.3);
  sn_assert_near(position(&b, "head_joint2"), 0.1, 1e-3);
  assert_string_equal(look(&b)->state.data, "playing");
  assert_string_equal(b.state->kind.data, "script");
  sn_deployed_run(&b.d, 0.4); /* the head has begun, the leg waits */
  assert_string_equal(sn_deployed_owner(&b.d, "head"), "execute");
  assert_string_equal(sn_deployed_owner(&b.d, "leg1"), "hold");
  sn_deployed_run(&b.d, 0.3); /* both at the same time */
  assert_string_equal(sn_deployed_owner(&b.d, "head"), "execute");
  assert_string_equal(sn_deployed_owner(&b.d, "leg1"), "gesture");
  sn_deployed_run(&b.d, 4.0);
  sn_assert_near(position(&b, "head_joint2"), 0.4, 1e-3);
  sn_assert_near(position(&b, "leg1_joint3"), 0.1, 1e-3);
  assert_string_equal(sn_deployed_owner(&b.d, "leg2"), "follow");
  assert_string_equal(look(&b)->state.data, "idle");
  assert_true(b.state->success);
  bench_close(&b);
}

SN_TEST(a_script_that_fails_names_the_line_and_stops) {
  static const char *const cases[][2] = {
      {"script:\n  - wait: 0.1\n  - play: missing\n", "x.yaml:3: play missing:"},
      {"script:\n  - call: follow.dance\n", "x.yaml:2: call follow.dance:"},
      {"script:\n  - call: movements.stopMovement\n", "cannot call the component that runs it"},
      {"script:\n  - call: follow.setOperational\n    with: {wings: true}\n", "wings"},
      {"script:\n  - together: [{play: nod}, {play: nod}, {play: wave}]\n", "are busy"},
  };
  bench b;
  bench_open(&b);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    write_file(&b, "x.yaml", cases[i][0]);
    assert_true(play(&b, "x"));
    sn_deployed_run(&b.d, 0.5);
    assert_string_equal(look(&b)->state.data, "idle");
    assert_false(b.state->success);
    sn_assert_contains(b.state->message.data, cases[i][1]);
    sn_deployed_run(&b.d, 1.0);
  }
  bench_close(&b);
}

SN_TEST(scripts_with_errors_are_rejected_with_their_line) {
  static const char *const cases[][2] = {
      {"play: nod\n", "a script has one key, 'script'"},
      {"script:\n  - dance: nod\n", "x.yaml:2: a step must have one of play, wait, call"},
      {"script:\n  - play: nod\n    wait: 1\n", "x.yaml:3: unexpected 'wait' in a step"},
      {"script:\n  - wait: -1\n", "x.yaml:2: '-1' is not a time"},
      {"script:\n  - wait: 1e9\n", "is not a time of 0 to 3600 s"},
      {"script:\n  - together:\n      - together: [{play: nod}]\n",
       "together cannot be inside together"},
      {"script: [\n", "x.yaml:2:"},
  };
  bench b;
  bench_open(&b);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    write_file(&b, "x.yaml", cases[i][0]);
    assert_false(play(&b, "x"));
    sn_assert_contains(b.outcome->message.data, cases[i][1]);
  }
  static char many[1 << 15] = "script:\n";
  for (size_t used = strlen(many), i = 0; i < 1001; i++) {
    used += (size_t)snprintf(many + used, sizeof many - used, "  - wait: 0\n");
  }
  write_file(&b, "x.yaml", many);
  assert_false(play(&b, "x"));
  sn_assert_contains(b.outcome->message.data, "a script has at most 1000 steps");
  bench_close(&b);
}

static bool start_take(bench *b, const char *name, const char *limb) {
  const sn_msg_capacity roomy = {.item_count = 8, .text_size = 64};
  sn_movement_take *take = sn_msg_create(&b->d.arena, &sn_movement_take_type, &roomy);
  assert_int_equal(sn_msg_text_set(&take->name, name), SN_OK);
  assert_int_equal(sn_msg_names_add(&take->resources, limb, strlen(limb)), SN_OK);
  call(b, "recordMovement", take, b->outcome);
  return b->outcome->success;
}

/* Another controller moves the head; a controller that does not exist cannot let it go. */
SN_TEST(any_motion_can_be_recorded) {
  bench b;
  bench_open(&b);
  const sn_msg_capacity roomy = {.item_count = 8, .text_size = 64};
  sn_movement_take *take = sn_msg_create(&b.d.arena, &sn_movement_take_type, &roomy);
  assert_int_equal(sn_msg_text_set(&take->name, "copied"), SN_OK);
  assert_int_equal(sn_msg_text_set(&take->by, "nobody"), SN_OK);
  assert_int_equal(sn_msg_names_add(&take->resources, "head", 4), SN_OK);
  call(&b, "recordMovement", take, b.outcome);
  assert_false(b.outcome->success);
  sn_assert_contains(b.outcome->message.data, "'nobody' cannot make limbs yield");
  assert_int_equal(sn_msg_text_set(&take->by, "none"), SN_OK);
  call(&b, "recordMovement", take, b.outcome);
  assert_true(b.outcome->success);
  assert_string_equal(sn_deployed_owner(&b.d, "head"), "hold");
  sn_deployed_run(&b.d, 0.5);
  call(&b, "saveRecording", NULL, b.outcome);
  assert_true(b.outcome->success);
  assert_true(play(&b, "copied"));
  bench_close(&b);
}

/* A hand pushes the head aside while it is limp; the movement that is saved ends where it was. */
SN_TEST(a_movement_shown_by_hand_is_saved) {
  bench b;
  bench_open(&b);
  sn_source *hand = NULL;
  sn_tap *measured = NULL;
  assert_int_equal(sn_source_open(b.d.system, "plant.push", NULL, &hand, &b.d.err), SN_OK);
  assert_int_equal(sn_tap_open(b.d.system, "plant.joints_measured", NULL, &measured, &b.d.err),
                   SN_OK);
  assert_false(start_take(&b, "shown", "wing"));
  sn_assert_contains(b.outcome->message.data, "wing");
  assert_false(start_take(&b, "nod", "head"));
  sn_assert_contains(b.outcome->message.data, "there is a movement 'nod' already");
  assert_true(start_take(&b, "shown", "head"));
  sn_deployed_run(&b.d, 0.2);
  assert_string_equal(sn_deployed_owner(&b.d, "head"), "torque_off");
  assert_string_equal(look(&b)->state.data, "recording");
  sn_joint_state *push = sn_source_msg(hand);
  (void)sn_msg_names_add(&push->name, "head_joint2", 11);
  push->position.count = push->effort.count = 1;
  push->position.data[0] = 0.0;
  push->effort.data[0] = 1.0;
  assert_int_equal(sn_source_write(hand), SN_OK);
  sn_deployed_run(&b.d, 0.6);
  call(&b, "saveRecording", NULL, b.outcome);
  assert_true(b.outcome->success);
  const sn_joint_state *now = sn_tap_read(measured, NULL);
  const double end = now->position.data[sn__msg_names_index(&now->name, "head_joint2")];
  assert_true(fabs(end) > 0.05);
  sn_deployed_run(&b.d, 0.1);
  assert_string_equal(sn_deployed_owner(&b.d, "head"), "hold");
  char path[128];
  sn__movement movement;
  snprintf(path, sizeof path, "%s/library/shown.json", b.folder);
  assert_int_equal(sn__movement_load(path, &b.d.arena, &movement, &b.d.err), SN_OK);
  assert_int_equal(movement.kind, SN__MOVEMENT_JOINT_TRAJECTORY);
  const sn_joint_trajectory *t = &movement.trajectory->trajectory;
  const int column = sn__msg_names_index(&t->joint_names, "head_joint2");
  assert_true(column >= 0 && sn__msg_names_index(&t->joint_names, "leg1_joint1") < 0);
  const sn_joint_trajectory_point *last = &t->points.data[t->points.count - 1];
  sn_assert_near(last->positions.data[column], end, 0.05);
  sn_assert_near(1e-9 * (double)last->time_from_start_ns, 0.8, 0.05);
  assert_true(t->points.count < 40); /* 41 samples */
  sn_source_close(hand);
  sn_tap_close(measured);
  bench_close(&b);
}

SN_TEST(a_pose_of_the_properties_is_listed_and_played) {
  bench b;
  bench_open(&b);
  assert_true(play(&b, "bow"));
  sn_deployed_run(&b.d, 2.0);
  assert_true(look(&b)->success);
  assert_string_equal(b.state->kind.data, "joint_state");
  sn_assert_near(position(&b, "head_joint2"), 0.3, 1e-6);
  /* The file of that name hides the pose. */
  assert_true(play(&b, "rest"));
  sn_deployed_run(&b.d, 2.0);
  sn_assert_near(position(&b, "head_joint2"), 0.1, 1e-6);
  /* A name that no file could have. */
  assert_true(play(&b, "Look up"));
  sn_deployed_run(&b.d, 2.0);
  sn_assert_near(position(&b, "head_joint2"), -0.1, 1e-6);
  assert_false(play(&b, "Look down"));
  bench_close(&b);
}

SN_TEST(a_pose_is_saved_and_a_recording_is_dropped) {
  bench b;
  bench_open(&b);
  assert_true(call_named(&b, "savePose", "here"));
  assert_false(call_named(&b, "savePose", "here"));
  sn_assert_contains(b.outcome->message.data, "there is a movement 'here' already");
  assert_true(play(&b, "here"));
  sn_deployed_run(&b.d, 2.0);
  assert_true(look(&b)->success);
  assert_true(start_take(&b, "shown", "head"));
  assert_false(start_take(&b, "again", "head"));
  sn_assert_contains(b.outcome->message.data, "'shown' is recorded: stop it first");
  call(&b, "dropRecording", NULL, b.outcome);
  assert_true(b.outcome->success);
  call(&b, "saveRecording", NULL, b.outcome);
  assert_false(b.outcome->success);
  bench_close(&b);
}

SN_TEST(poses_are_read_and_removed_and_nothing_else_is) {
  static const char *const others[] = {"nod", "bow", "missing", "../d", "broken"};
  bench b;
  bench_open(&b);
  const sn_msg_capacity roomy = {.item_count = 64, .text_size = 64};
  sn_joint_state *read = sn_msg_create(&b.d.arena, &sn_joint_state_type, &roomy);
  sn_call_name *name = sn_msg_create(&b.d.arena, &sn_call_name_type, &roomy);
  assert_int_equal(sn_msg_text_set(&name->name, "bow"), SN_OK);
  call(&b, "getPose", name, read);
  assert_string_equal(sn_msg_names_at(&read->name, 0), "head_joint2");
  sn_assert_near(read->position.data[0], 0.3, 0.0);
  assert_true(call_named(&b, "removePose", "rest"));
  assert_false(call_named(&b, "removePose", "rest"));
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    assert_false(call_named(&b, "removePose", others[i]));
  }
  assert_true(play(&b, "nod"));
  bench_close(&b);
}
