/* FollowJointState and resources_control in a running system. */
#include <stdlib.h>
#include <string.h>

#include "loop_rig.h"
#include "msg/msg_names_internal.h"
#include "rig.h"
#include "robot.h"
#include "rt/system_internal.h"
#include "sinew/components.h"
#include "sinew/controller.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

enum { MS = 1000000 };

typedef struct bench {
  rig r;
  sn_test_robot robot;
  size_t n;
  sn_component *control, *a, *b;
  sn_source *pose_a, *pose_b, *ref_a;
  sn_tap *out_a, *out_b, *reset_a;
} bench;

static void set_text(bench *b, sn_component *c, const char *path, const char *text) {
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&b->r.arena, &report, NULL), SN_OK);
  const sn_value value = {
      .name = "", .kind = SN_VALUE_TEXT, .text = text, .place = {.file = "test"}};
  assert_int_equal(sn_system_set(b->r.system, c, path, &value, report, &b->r.err), SN_OK);
}

static sn_component *add_follower(bench *b, const char *name) {
  sn_component *c = rig_add(&b->r, &sn_follow_joint_state_component, name);
  loop_connect_controller(&b->r, name);
  rig_set(&b->r, c, "activation_delay", "0.01");
  return c;
}

/* Two followers, added before what they need: the order is derived. */
static void bench_build(bench *b) {
  rig_open(&b->r, MS);
  size_t size = 0;
  char *urdf = sn_test_read_file(SINEW_ROBOTS "/quadruped.urdf", &size);
  sn_test_robot_init_good(&b->robot, urdf, NULL); /* one chain for each limb */
  free(urdf);
  b->n = sn_model_pose_size(b->robot.model);
  sn_component *timer = rig_add(&b->r, &sn_timer_component, "timer");
  (void)timer;
  sn_component *model = rig_add_to(&b->r, &sn_robot_model_component, "robot_model", NULL, 0);
  set_text(b, model, "robot_description", sn_model_description(b->robot.model, NULL));
  b->control = rig_add(&b->r, &sn_resources_control_component, "resources_control");
  rig_require(&b->r, "resources_control.robot_model", "robot_model");
  b->a = add_follower(b, "a");
  b->b = add_follower(b, "b");
  rig_set(&b->r, b->a, "stay_operational", "true");
}

static void open_ends(bench *b) {
  sn_error *err = &b->r.err;
  const sn_connection queue = {.buffer = 16};
  assert_int_equal(sn_source_open(b->r.system, "a.in_joints_sorted", NULL, &b->pose_a, err), SN_OK);
  assert_int_equal(sn_source_open(b->r.system, "b.in_joints_sorted", NULL, &b->pose_b, err), SN_OK);
  assert_int_equal(sn_source_open(b->r.system, "a.in_joints_ref", &queue, &b->ref_a, err), SN_OK);
  assert_int_equal(sn_tap_open(b->r.system, "a.out_joints_ref", NULL, &b->out_a, err), SN_OK);
  assert_int_equal(sn_tap_open(b->r.system, "b.out_joints_ref", NULL, &b->out_b, err), SN_OK);
  assert_int_equal(sn_tap_open(b->r.system, "a.out_joints_src_reset", NULL, &b->reset_a, err),
                   SN_OK);
}

static void send_pose(bench *b, double q) {
  sn_source *const sources[] = {b->pose_a, b->pose_b};
  for (size_t i = 0; i < 2; i++) {
    sn_joint_state *msg = sn_source_msg(sources[i]);
    sn_msg_names_share(&msg->name, sn_model_joint_names(b->robot.model));
    msg->position.count = b->n;
    for (size_t j = 0; j < b->n; j++) {
      msg->position.data[j] = q;
    }
    assert_int_equal(sn_source_write(sources[i]), SN_OK);
  }
}

static void bench_open(bench *b) {
  bench_build(b);
  rig_begin(&b->r);
  open_ends(b);
}

static void bench_close(bench *b) {
  sn_source_close(b->pose_a);
  sn_source_close(b->pose_b);
  sn_source_close(b->ref_a);
  sn_tap_close(b->out_a);
  sn_tap_close(b->out_b);
  sn_tap_close(b->reset_a);
  rig_close(&b->r);
  sn_test_robot_free(&b->robot);
}

/* @return whether it is operational now; the reason in r.err if not */
static bool switch_to(bench *b, const char *operation, bool on, const char *resource) {
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b->r.system, operation, &caller, &b->r.err), SN_OK);
  void *request = sn_msg_create(&b->r.arena, caller.operation->request, NULL);
  const sn_msg_capacity roomy = {.text_size = 256};
  sn_call_outcome *outcome = sn_msg_create(&b->r.arena, &sn_call_outcome_type, &roomy);
  if (caller.operation->request == &sn_call_switch_type) {
    ((sn_call_switch *)request)->data = on;
  } else {
    sn_set_operational *msg = request;
    msg->operational = on;
    assert_int_equal(sn_msg_names_add(&msg->resources, resource, strlen(resource)), SN_OK);
  }
  assert_int_equal(sn_call(&caller, request, outcome, &b->r.err), SN_OK);
  snprintf(b->r.err.message, sizeof b->r.err.message, "%s", outcome->message.data);
  sn_caller_close(&caller);
  return outcome->success;
}

static const char *owner_of(bench *b, const char *resource) {
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b->r.system, "resources_control.getOwners", &caller, &b->r.err),
                   SN_OK);
  sn_resource_assignment *table = sn_msg_create(&b->r.arena, &sn_resource_assignment_type, NULL);
  assert_int_equal(sn_call(&caller, NULL, table, &b->r.err), SN_OK);
  sn_caller_close(&caller);
  const int index = sn__msg_names_index(&table->resources, resource);
  assert_true(index >= 0);
  return sn_msg_names_at(&table->owners, (size_t)index);
}

static size_t count_out(sn_tap *tap) {
  sn_flow flow = SN_NO_DATA;
  const sn_joint_state *msg = sn_tap_read(tap, &flow);
  return flow == SN_NEW_DATA ? msg->name.count : 0;
}

SN_TEST(without_a_pose_it_does_not_activate_and_reports_why) {
  bench b;
  bench_open(&b);
  assert_false(switch_to(&b, "a.rosSetOperational", true, NULL));
  assert_string_equal(b.r.err.message,
                      "a does not activate: no pose has arrived on in_joints_sorted");
  rig_run(&b.r, 5 * MS);
  assert_int_equal(count_out(b.out_a), 0); /* not operational: it publishes nothing */
  bench_close(&b);
}

/* Backwards, with names of its own: [count] joints, each at its index. */
static void send_pose_backwards(bench *b, size_t count) {
  sn_joint_state *msg = sn_source_msg(b->pose_a);
  sn_msg_names_clear(&msg->name);
  msg->position.count = count;
  for (size_t i = 0; i < count; i++) {
    const char *name = sn_model_joint(b->robot.model, b->n - 1 - i)->name;
    assert_int_equal(sn_msg_names_add(&msg->name, name, strlen(name)), SN_OK);
    msg->position.data[i] = 1e-3 * (double)(b->n - 1 - i);
  }
  assert_int_equal(sn_source_write(b->pose_a), SN_OK);
  rig_run(&b->r, MS);
}

SN_TEST(incomplete_pose_does_not_count_and_an_unsorted_one_is_sorted) {
  bench b;
  bench_open(&b);
  send_pose_backwards(&b, b.n - 1);
  assert_false(switch_to(&b, "a.rosSetOperational", true, NULL));
  send_pose_backwards(&b, b.n);
  assert_true(switch_to(&b, "a.rosSetOperational", true, NULL));
  rig_run(&b.r, MS);
  const sn_joint_state *out = sn_tap_read(b.out_a, NULL); /* it holds the pose */
  assert_int_equal(out->name.count, b.n);
  for (size_t j = 0; j < b.n; j++) {
    assert_string_equal(sn_msg_names_at(&out->name, j), sn_model_joint(b.robot.model, j)->name);
    assert_true(out->position.data[j] == 1e-3 * (double)j);
  }
  bench_close(&b);
}

SN_TEST(on_activation_it_publishes_the_pose_then_follows) {
  bench b;
  bench_open(&b);
  send_pose(&b, 0.05);
  rig_run(&b.r, MS);
  assert_true(switch_to(&b, "a.rosSetOperational", true, NULL));
  sn_joint_state *ref = sn_source_msg(b.ref_a);
  sn_msg_names_share(&ref->name, sn_model_joint_names(b.robot.model));
  ref->position.count = b.n;
  for (size_t j = 0; j < b.n; j++) {
    ref->position.data[j] = 0.1;
  }
  for (int i = 0; i < 20; i++) {
    assert_int_equal(sn_source_write(b.ref_a), SN_OK);
    rig_run(&b.r, MS);
    const sn_joint_state *out = sn_tap_read(b.out_a, NULL);
    sn_flow reset = SN_NO_DATA;
    const sn_joint_state *adopted = sn_tap_read(b.reset_a, &reset);
    assert_int_equal(out->name.count, b.n);
    const bool is_waiting = i < 9; /* 10 ms of delay, from the cycle before the call */
    assert_true(out->position.data[5] == (is_waiting ? 0.05 : 0.1));
    assert_int_equal(reset, is_waiting ? SN_NEW_DATA : SN_OLD_DATA);
    assert_true(adopted->position.data[5] == 0.05);
  }
  bench_close(&b);
}

/* Positions alone end where they are; a velocity means that more was to come. */
SN_TEST(source_that_falls_silent_in_motion_is_warned_about) {
  for (int moves = 0; moves < 2; moves++) {
    bench b;
    bench_open(&b);
    send_pose(&b, 0.05);
    rig_run(&b.r, MS);
    assert_true(switch_to(&b, "a.rosSetOperational", true, NULL));
    rig_run(&b.r, 20 * MS);
    (void)rig_drain_log(&b.r, SN_LOG_DEBUG, NULL, 0);
    sn_joint_state *ref = sn_source_msg(b.ref_a);
    assert_int_equal(sn_msg_names_add(&ref->name, "leg1_joint1", 11), SN_OK);
    ref->position.count = 1;
    ref->velocity.count = (size_t)moves;
    for (int i = 0; i < 50; i++) {
      ref->position.data[0] = 0.05 + 0.001 * i;
      ref->velocity.data[0] = 1.0;
      assert_int_equal(sn_source_write(b.ref_a), SN_OK);
      rig_run(&b.r, MS);
    }
    rig_run(&b.r, 490 * MS);
    assert_int_equal(rig_drain_log(&b.r, SN_LOG_WARNING, NULL, 0), 0);
    char line[200] = "";
    rig_run(&b.r, 2000 * MS);
    assert_int_equal(rig_drain_log(&b.r, SN_LOG_WARNING, line, sizeof line), moves);
    if (moves) {
      sn_assert_contains(line, "a: the source (outside) fell silent while joint 'leg1_joint1'");
      sn_assert_contains(line, "no reference for 0.5 s");
    }
    bench_close(&b);
  }
}

/* Without a delay, too: what waits in the queue when it becomes active is from before. */
SN_TEST(reference_that_waits_when_it_is_activated_is_not_executed) {
  bench b;
  bench_build(&b);
  rig_set(&b.r, b.a, "activation_delay", "0");
  rig_begin(&b.r);
  open_ends(&b);
  send_pose(&b, 0.05);
  rig_run(&b.r, MS);
  sn_joint_state *ref = sn_source_msg(b.ref_a);
  sn_msg_names_share(&ref->name, sn_model_joint_names(b.robot.model));
  ref->position.count = b.n;
  for (size_t j = 0; j < b.n; j++) {
    ref->position.data[j] = 0.4;
  }
  assert_int_equal(sn_source_write(b.ref_a), SN_OK);
  assert_true(switch_to(&b, "a.rosSetOperational", true, NULL));
  for (int i = 0; i < 5; i++) {
    rig_run(&b.r, MS);
    assert_true(((const sn_joint_state *)sn_tap_read(b.out_a, NULL))->position.data[5] == 0.05);
  }
  assert_int_equal(sn_source_write(b.ref_a), SN_OK);
  rig_run(&b.r, MS);
  assert_true(((const sn_joint_state *)sn_tap_read(b.out_a, NULL))->position.data[5] == 0.4);
  bench_close(&b);
}

SN_TEST(background_controller_gets_its_limb_back) {
  bench b;
  bench_open(&b);
  send_pose(&b, 0.0);
  rig_run(&b.r, MS);
  assert_true(switch_to(&b, "a.rosSetOperational", true, NULL));
  const char *limb = sn_names_at(sn_model_chain_names(b.robot.model), 0);
  const size_t limb_joints = sn_model_chain(b.robot.model, 0, true)->joint_count;
  assert_string_equal(owner_of(&b, limb), "a");
  rig_run(&b.r, 2 * MS);
  assert_int_equal(count_out(b.out_a), b.n);
  /* b takes one limb, named by one of its joints. */
  assert_true(switch_to(&b, "b.setOperational", true, sn_model_joint(b.robot.model, 0)->name));
  assert_string_equal(owner_of(&b, limb), "b");
  for (int i = 0; i < 3; i++) {
    rig_run(&b.r, MS);
    assert_int_equal(count_out(b.out_a), b.n - limb_joints);
    assert_int_equal(count_out(b.out_b), limb_joints);
  }
  /* b releases: it owns the limb until the next cycle begins, and then a commands it. */
  assert_true(switch_to(&b, "b.rosSetOperational", false, NULL));
  assert_string_equal(owner_of(&b, limb), "b");
  rig_run(&b.r, MS);
  assert_string_equal(owner_of(&b, limb), "a");
  assert_int_equal(count_out(b.out_b), 0);
  assert_int_equal(count_out(b.out_a), b.n);
  bench_close(&b);
}

SN_TEST(controller_that_stops_or_fails_loses_its_limbs_in_the_next_cycle) {
  bench b;
  bench_open(&b);
  send_pose(&b, 0.0);
  rig_run(&b.r, MS);
  assert_true(switch_to(&b, "a.rosSetOperational", true, NULL));
  const char *limb = sn_names_at(sn_model_chain_names(b.robot.model), 0);
  assert_true(switch_to(&b, "b.setOperational", true, limb));
  assert_string_equal(owner_of(&b, limb), "b");
  assert_int_equal(sn_system_stop(b.r.system, b.b, &b.r.err), SN_OK);
  rig_run(&b.r, MS);
  assert_string_equal(owner_of(&b, limb), "a");
  assert_int_equal(count_out(b.out_a), b.n);
  assert_int_equal(sn_system_start(b.r.system, b.b, &b.r.err), SN_OK);
  rig_run(&b.r, MS);
  assert_false(switch_to(&b, "b.setOperational", true, limb)); /* the pose may be out of date */
  send_pose(&b, 0.0);
  rig_run(&b.r, MS);
  assert_true(switch_to(&b, "b.setOperational", true, limb)); /* it may ask again */
  bench_close(&b);
}

/* Cleaned up before it could be notified that it lost its limbs, and configured again. */
SN_TEST(controller_may_be_cleaned_up_while_it_owns_limbs) {
  bench b;
  bench_open(&b);
  send_pose(&b, 0.0);
  rig_run(&b.r, MS);
  assert_true(switch_to(&b, "a.rosSetOperational", true, NULL));
  const char *limb = sn_names_at(sn_model_chain_names(b.robot.model), 0);
  assert_true(switch_to(&b, "b.setOperational", true, limb));
  assert_int_equal(sn_system_stop(b.r.system, b.b, &b.r.err), SN_OK);
  assert_int_equal(sn_system_cleanup(b.r.system, b.b, &b.r.err), SN_OK);
  assert_int_equal(sn__system_remove(b.r.system, b.b, &b.r.err), SN_EBUSY); /* it is in the list */
  rig_run(&b.r, 3 * MS);
  assert_string_equal(owner_of(&b, limb), "a");
  assert_int_equal(sn_system_configure(b.r.system, b.b, &b.r.err), SN_OK);
  assert_int_equal(sn_system_start(b.r.system, b.b, &b.r.err), SN_OK);
  send_pose(&b, 0.0);
  rig_run(&b.r, 2 * MS);
  assert_int_equal(count_out(b.out_b), 0);
  assert_true(switch_to(&b, "b.setOperational", true, limb));
  assert_string_equal(owner_of(&b, limb), "b");
  bench_close(&b);
}

SN_TEST(without_the_arbiter_no_controller_owns_anything_and_all_restart) {
  bench b;
  bench_open(&b);
  send_pose(&b, 0.0);
  rig_run(&b.r, MS);
  assert_true(switch_to(&b, "a.rosSetOperational", true, NULL));
  rig_run(&b.r, 2 * MS);
  assert_int_equal(sn_system_stop(b.r.system, b.control, &b.r.err), SN_OK);
  rig_run(&b.r, 2 * MS);
  assert_false(switch_to(&b, "b.rosSetOperational", true, NULL));
  assert_int_equal(sn_system_start(b.r.system, b.control, &b.r.err), SN_OK);
  (void)count_out(b.out_a);
  rig_run(&b.r, 2 * MS);
  assert_int_equal(count_out(b.out_a), 0); /* what it had is void */
  const char *limb = sn_names_at(sn_model_chain_names(b.robot.model), 0);
  assert_string_equal(owner_of(&b, limb), "");
  assert_true(switch_to(&b, "a.rosSetOperational", true, NULL));
  rig_run(&b.r, 2 * MS);
  assert_int_equal(count_out(b.out_a), b.n);
  bench_close(&b);
}

SN_TEST(unknown_and_foreign_names_are_refused) {
  bench b;
  bench_open(&b);
  send_pose(&b, 0.0);
  rig_run(&b.r, MS);
  assert_false(switch_to(&b, "a.setOperational", true, "wing"));
  assert_string_equal(b.r.err.message,
                      "'wing' is not a resource, nor a chain, group or joint that belongs to one");
  sn_caller caller = {0};
  assert_int_equal(
      sn_caller_open(b.r.system, "resources_control.requestResources", &caller, &b.r.err), SN_OK);
  sn_resource_request *request = sn_msg_create(&b.r.arena, &sn_resource_request_type, NULL);
  sn_call_outcome *outcome = sn_msg_create(&b.r.arena, &sn_call_outcome_type, NULL);
  assert_int_equal(sn_msg_text_set(&request->name, "a"), SN_OK);
  assert_int_equal(sn_call(&caller, request, outcome, &b.r.err), SN_EINVAL);
  assert_string_equal(b.r.err.message, "'a' is a component and asks through its own connection");
  assert_int_equal(sn_msg_text_set(&request->name, "missing"), SN_OK);
  assert_int_equal(sn_call(&caller, request, outcome, &b.r.err), SN_ENOENT);
  sn_caller_close(&caller);
  bench_close(&b);
}

SN_TEST(wrong_lists_are_refused_at_configuration) {
  static const struct {
    const char *component, *property, *value, *reason;
  } cases[] = {
      {"resources_control", "list_orocos", "[a, missing]", "unknown component 'missing'"},
      {"resources_control", "list_orocos", "[a, timer]", "'timer' (timer) has no operation"},
      {"resources_control", "list_orocos", "[a, a]", "'a' appears twice"},
      {"resources_control", "list_orocos", "[a]", "'b' is not in list_orocos"},
      {"resources_control", "resources", "[wing]", "the robot has no chain or group 'wing'"},
      {"resources_control", "fallback", "wing", "fallback: unknown controller 'wing'"},
      {"a", "controlled_chains", "[wing]",
       "'wing' is not a resource, nor a chain, group or joint that belongs to one"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bench b;
    bench_build(&b);
    sn_component *c = sn_system_find(b.r.system, cases[i].component);
    rig_set(&b.r, c, cases[i].property, cases[i].value);
    assert_int_not_equal(sn_system_begin(b.r.system, &b.r.err), SN_OK);
    if (strstr(b.r.err.message, cases[i].reason) == NULL) {
      fail_msg("'%s' does not say '%s'", b.r.err.message, cases[i].reason);
    }
    rig_close(&b.r);
    sn_test_robot_free(&b.robot);
  }
}
