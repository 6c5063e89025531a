/* Controllers and sources that do everything wrong, in a running system: limbs go back, nothing
   jumps, and the log has one line a second. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arbiter/controller_internal.h"
#include "msg/msg_names_internal.h"
#include "rig.h"
#include "robot.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

enum { MS = 1000000, JOINTS_MAX = 64 };

/* ---- a controller that fails on request ---- */

typedef enum sickness { HEALTHY, RETURNS_ERROR, WRITES_NAN, HANGS, FALLS_SILENT } sickness;

typedef struct patient {
  sn_controller controller;
  sickness sick;
} patient;

static const sn_property patient_properties[] = {SN_CONTROLLER_PROPERTIES, {0}};

static sn_status patient_configure(sn_component *component, sn_error *err) {
  return sn_controller_configure(component, NULL, err);
}

static sn_status patient_step(sn_component *component, int64_t now_ns) {
  patient *p = (patient *)component;
  (void)sn_controller_begin_step(&p->controller, now_ns);
  for (size_t j = 0; j < p->controller.joint_count; j++) {
    p->controller.q[j] = p->sick == WRITES_NAN ? NAN : 0.2;
  }
  if (p->sick != FALLS_SILENT) {
    (void)sn_controller_publish(&p->controller);
  }
  if (p->sick == HANGS) {
    sn_clock_advance(sn_system_clock(component->system), 5 * MS);
  }
  return p->sick == RETURNS_ERROR ? SN_EIO : SN_OK;
}

static const sn_component_type patient_type =
    SN_CONTROLLER_TYPE("patient", patient, .properties = patient_properties,
                       .configure = patient_configure, .step = patient_step);

/* ---- the system ---- */

typedef struct bench {
  rig r;
  sn_test_robot robot;
  size_t n;
  sn_component *hold;
  patient *patient;
  sn_tap *pose;
  double q[JOINTS_MAX];
  bool has_pose;
} bench;

static void require(bench *b, const char *component) {
  char path[64];
  snprintf(path, sizeof path, "%s.robot_model", component);
  rig_require(&b->r, path, "robot_model");
  snprintf(path, sizeof path, "%s.arbiter", component);
  rig_require(&b->r, path, "resources_control");
  snprintf(path, sizeof path, "%s.sync", component);
  rig_connect(&b->r, "timer.sync", path);
}

static void add_model(bench *b) {
  size_t size = 0;
  char *urdf = sn_test_read_file(SINEW_ROBOTS "/quadruped.urdf", &size);
  sn_test_robot_init_good(&b->robot, urdf, NULL);
  b->n = sn_model_pose_size(b->robot.model);
  sn_component *model = rig_add_to(&b->r, &sn_robot_model_component, "robot_model", NULL, 0);
  const sn_value value = {
      .name = "", .kind = SN_VALUE_TEXT, .text = urdf, .place = {.file = "test"}};
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&b->r.arena, &report, NULL), SN_OK);
  assert_int_equal(
      sn_system_set(b->r.system, model, "robot_description", &value, report, &b->r.err), SN_OK);
  free(urdf);
}

static void bench_open(bench *b) {
  *b = (bench){.n = 0};
  rig_open(&b->r, MS);
  add_model(b);
  rig_add(&b->r, &sn_timer_component, "timer");
  rig_add(&b->r, &sn_resources_control_component, "resources_control");
  rig_require(&b->r, "resources_control.robot_model", "robot_model");
  rig_add(&b->r, &sn_aggregator_component, "aggregator");
  rig_require(&b->r, "aggregator.robot_model", "robot_model");
  rig_require(&b->r, "aggregator.owners", "resources_control");
  rig_connect(&b->r, "timer.sync", "aggregator.sync");
  b->hold = rig_add(&b->r, &sn_follow_joint_state_component, "hold");
  require(b, "hold");
  rig_set(&b->r, b->hold, "stay_operational", "true");
  rig_set(&b->r, b->hold, "start_operational", "true");
  rig_set(&b->r, b->hold, "activation_delay", "0");
  rig_connect(&b->r, "hold.out_joints_ref", "aggregator.in_joints");
  rig_connect(&b->r, "aggregator.joints_sorted", "hold.in_joints_sorted");
  b->patient = rig_add_to(&b->r, &patient_type, "patient", b->r.activity, 2 * MS);
  require(b, "patient");
  rig_connect(&b->r, "patient.out_joints_ref", "aggregator.in_joints");
}

static void bench_begin(bench *b) {
  assert_int_equal(sn_tap_open(b->r.system, "aggregator.joints_sorted", NULL, &b->pose, &b->r.err),
                   SN_OK);
  rig_begin(&b->r);
}

static void bench_close(bench *b) {
  sn_tap_close(b->pose);
  rig_close(&b->r);
  sn_test_robot_free(&b->robot);
}

/* So many cycles, with one pose in each that moves no faster than it may. */
static void cycles(bench *b, int count) {
  for (int k = 0; k < count; k++) {
    rig_run(&b->r, MS);
    sn_flow flow = SN_NO_DATA;
    const sn_joint_state *pose = sn_tap_read(b->pose, &flow);
    for (size_t j = 0; flow == SN_NEW_DATA && j < b->n; j++) {
      const double speed = sn_model_joint(b->robot.model, j)->velocity_max;
      const double way = fabs(pose->position.data[j] - b->q[j]);
      /* Twice: after a cycle that took too long the next one makes up for two periods. */
      assert_true(!b->has_pose || way <= 2e-3 * speed + 1e-12);
      b->q[j] = pose->position.data[j];
    }
    b->has_pose = b->has_pose || flow == SN_NEW_DATA;
  }
}

static const char *owner_of(bench *b, size_t resource) {
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b->r.system, "resources_control.getOwners", &caller, &b->r.err),
                   SN_OK);
  sn_resource_assignment *table = sn_msg_create(&b->r.arena, &sn_resource_assignment_type, NULL);
  assert_int_equal(sn_call(&caller, NULL, table, &b->r.err), SN_OK);
  sn_caller_close(&caller);
  return sn_msg_names_at(&table->owners, resource);
}

static size_t count_lines(bench *b, const char *part) {
  sn_log_record record;
  size_t count = 0;
  while (sn_log_read(b->r.log, &record)) {
    char line[512];
    sn_log_format(&record, line, sizeof line);
    count += strstr(line, part) != NULL;
  }
  return count;
}

/* ---- controllers ---- */

SN_TEST(faulty_controller_loses_its_limb_and_the_reason_is_logged) {
  static const struct {
    sickness sick;
    const char *why;
  } cases[] = {{RETURNS_ERROR, "died"}, {WRITES_NAN, "malformed"}, {HANGS, "hung"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bench b;
    bench_open(&b);
    bench_begin(&b);
    cycles(&b, 20);
    const sn_resource_set limb = sn_resource_set_first(1);
    assert_true(sn__consumer_request_exclusive(b.patient->controller.consumer, &limb));
    cycles(&b, 100); /* it is on its way */
    assert_string_equal(owner_of(&b, 0), "patient");
    (void)count_lines(&b, "");
    b.patient->sick = cases[i].sick;
    cycles(&b, 7); /* one that hangs takes five of them */
    assert_string_equal(owner_of(&b, 0), "hold");
    char line[64];
    snprintf(line, sizeof line, "patient -> hold (%s)", cases[i].why);
    assert_int_equal(count_lines(&b, line), 1);
    cycles(&b, 300);
    /* It may come back when it is well. */
    b.patient->sick = HEALTHY;
    assert_int_equal(sn_system_recover(b.r.system, &b.patient->controller.component, &b.r.err),
                     SN_OK);
    cycles(&b, 2);
    assert_true(sn__consumer_request_exclusive(b.patient->controller.consumer, &limb));
    cycles(&b, 2);
    assert_string_equal(owner_of(&b, 0), "patient");
    bench_close(&b);
  }
}

/* It had no earlier owner and has no fallback: it brakes and is held. */
SN_TEST(limb_of_a_dead_controller_is_held_if_no_other_wants_it) {
  bench b;
  bench_open(&b);
  rig_set(&b.r, b.hold, "start_operational", "false");
  bench_begin(&b);
  cycles(&b, 5);
  const sn_resource_set limb = sn_resource_set_first(1);
  assert_true(sn__consumer_request_exclusive(b.patient->controller.consumer, &limb));
  cycles(&b, 50);
  const double moving = b.q[1];
  assert_true(moving > 0.0 && moving < 0.2);
  b.patient->sick = RETURNS_ERROR;
  cycles(&b, 500);
  assert_string_equal(owner_of(&b, 0), "");
  const double held = b.q[1];
  cycles(&b, 500);
  assert_true(b.q[1] == held && held < 0.2);
  bench_close(&b);
}

/* It runs and publishes nothing: the time-out of the gate, which is on by default. */
SN_TEST(limb_of_a_silent_controller_is_held_and_the_log_names_both) {
  bench b;
  bench_open(&b);
  bench_begin(&b);
  cycles(&b, 20);
  const sn_resource_set limb = sn_resource_set_first(1);
  assert_true(sn__consumer_request_exclusive(b.patient->controller.consumer, &limb));
  cycles(&b, 20);
  b.patient->sick = FALLS_SILENT;
  cycles(&b, 400);
  assert_int_equal(count_lines(&b, "no reference for"), 0);
  cycles(&b, 3000);
  char line[128];
  snprintf(line, sizeof line, "source 'patient', joint '%s': no reference for 0.5",
           sn_model_joint(b.robot.model, 0)->name);
  assert_int_equal(count_lines(&b, line), 1);
  bench_close(&b);
}

/* ---- requests ---- */

/* By messages, as from outside, with the names of others and unknown names. */
SN_TEST(flood_of_foreign_requests_changes_nothing_and_is_logged_once_a_second) {
  static const char *const names_[] = {"hold", "patient", "stranger", ""};
  bench b;
  bench_open(&b);
  sn_source *requests = NULL;
  const sn_connection queue = {.buffer = 512};
  assert_int_equal(
      sn_source_open(b.r.system, "resources_control.requests", &queue, &requests, &b.r.err), SN_OK);
  bench_begin(&b);
  cycles(&b, 20);
  (void)count_lines(&b, "");
  size_t lines = 0;
  for (int k = 0; k < 3000; k++) {
    for (size_t i = 0; i < 100; i++) {
      sn_resource_request *msg = sn_source_msg(requests);
      sn_msg_reset(&sn_resource_request_type, msg);
      (void)sn_msg_text_set(&msg->name, names_[i % 4]);
      (void)sn_msg_names_add(&msg->resources, "wing", i % 2 == 0 ? 4 : 3);
      assert_int_equal(sn_source_write(requests), SN_OK);
    }
    cycles(&b, 1);
    lines += count_lines(&b, "was refused");
  }
  assert_int_equal(lines, 3);
  assert_string_equal(owner_of(&b, 0), "hold");
  sn_source_close(requests);
  bench_close(&b);
}

/* Between two cycles one releases, and another, from outside, takes something else: both take
   effect.
 */
SN_TEST(request_from_outside_does_not_hide_a_release) {
  bench b;
  bench_open(&b);
  rig_set(&b.r, sn_system_find(b.r.system, "resources_control"), "list_ros", "[remote]");
  bench_begin(&b);
  cycles(&b, 20);
  const sn_resource_set limb = sn_resource_set_first(1);
  assert_true(sn__consumer_request_exclusive(b.patient->controller.consumer, &limb));
  cycles(&b, 5);
  sn__consumer_disown(b.patient->controller.consumer, &limb);
  sn_caller caller = {0};
  assert_int_equal(
      sn_caller_open(b.r.system, "resources_control.requestResources", &caller, &b.r.err), SN_OK);
  sn_resource_request *request = sn_msg_create(&b.r.arena, &sn_resource_request_type, NULL);
  sn_call_outcome *outcome = sn_msg_create(&b.r.arena, &sn_call_outcome_type, NULL);
  const char *other = sn_names_at(b.patient->controller.map->resources, 1);
  assert_int_equal(sn_msg_text_set(&request->name, "remote"), SN_OK);
  assert_int_equal(sn_msg_names_add(&request->resources, other, strlen(other)), SN_OK);
  assert_int_equal(sn_call(&caller, request, outcome, &b.r.err), SN_OK);
  sn_caller_close(&caller);
  assert_true(outcome->success);
  cycles(&b, 1);
  const sn_resource_set held = sn__consumer_held(b.patient->controller.consumer);
  assert_true(sn_resource_set_is_empty(&held));
  assert_string_equal(owner_of(&b, 0), "hold");
  assert_string_equal(owner_of(&b, 1), "remote");
  bench_close(&b);
}

static void release(bench *b, const char *operation, const char *resource, sn_status expected) {
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b->r.system, operation, &caller, &b->r.err), SN_OK);
  sn_resource_request *request = sn_msg_create(&b->r.arena, &sn_resource_request_type, NULL);
  sn_call_outcome *outcome = sn_msg_create(&b->r.arena, &sn_call_outcome_type, NULL);
  assert_int_equal(sn_msg_names_add(&request->resources, resource, strlen(resource)), SN_OK);
  assert_int_equal(sn_call(&caller, request, outcome, &b->r.err), expected);
  sn_caller_close(&caller);
  cycles(b, 1);
}

/* By the policy of the controller; what it releases goes back to the earlier owner. */
SN_TEST(released_limbs_go_back_to_their_earlier_owners) {
  bench b;
  bench_open(&b);
  bench_begin(&b);
  cycles(&b, 20);
  const sn_resource_set limbs = sn_resource_set_first(2);
  assert_true(sn__consumer_request_exclusive(b.patient->controller.consumer, &limbs));
  cycles(&b, 5);
  const sn_names *names_ = b.patient->controller.map->resources;
  release(&b, "patient.releaseResources", sn_names_at(names_, 3), SN_OK); /* not its own */
  assert_string_equal(owner_of(&b, 1), "patient");
  release(&b, "patient.releaseResources", "wing", SN_ENOENT);
  assert_string_equal(owner_of(&b, 1), "patient");
  release(&b, "patient.releaseResources", sn_names_at(names_, 0), SN_OK); /* all or nothing */
  assert_string_equal(owner_of(&b, 0), "hold");
  assert_string_equal(owner_of(&b, 1), "hold");
  release(&b, "hold.releaseResources", sn_names_at(names_, 2), SN_OK); /* keeps the rest */
  assert_string_equal(owner_of(&b, 1), "hold");
  assert_string_equal(owner_of(&b, 2), "");
  bench_close(&b);
}

/* ---- sources ---- */

static void say(sn_source *source, const char *joint, double q, int64_t stamp_ns) {
  sn_joint_state *msg = sn_source_msg(source);
  sn_msg_reset(&sn_joint_state_type, msg);
  (void)sn_msg_names_add(&msg->name, joint, strlen(joint));
  msg->header.stamp_ns = stamp_ns;
  msg->position.count = 1;
  msg->position.data[0] = q;
  assert_int_equal(sn_source_write(source), SN_OK);
}

/* A hundred in each cycle of a millisecond. */
SN_TEST(flood_of_references_is_read_to_its_end_in_every_cycle) {
  bench b;
  bench_open(&b);
  sn_source *source = NULL;
  const sn_connection queue = {.buffer = 256};
  assert_int_equal(sn_source_open(b.r.system, "hold.in_joints_ref", &queue, &source, &b.r.err),
                   SN_OK);
  sn_tap *out = NULL;
  assert_int_equal(sn_tap_open(b.r.system, "hold.out_joints_ref", NULL, &out, &b.r.err), SN_OK);
  bench_begin(&b);
  cycles(&b, 20);
  const char *joint = sn_model_joint(b.robot.model, 1)->name;
  for (int k = 0; k < 500; k++) {
    for (int i = 0; i < 100; i++) {
      say(source, joint, i == 99 ? 1e-4 * k : -0.3, 0);
    }
    cycles(&b, 1);
    const sn_joint_state *ref = sn_tap_read(out, NULL);
    assert_int_equal(ref->name.count, b.n);
    assert_true(ref->position.data[sn__msg_names_index(&ref->name, joint)] == 1e-4 * k);
  }
  sn_tap_close(out);
  sn_source_close(source);
  bench_close(&b);
}

SN_TEST(bad_references_are_logged_once_a_second_with_joint_and_source) {
  bench b;
  bench_open(&b);
  sn_source *source = NULL;
  const sn_connection queue = {.buffer = 16};
  assert_int_equal(sn_source_open(b.r.system, "hold.in_joints_ref", &queue, &source, &b.r.err),
                   SN_OK);
  bench_begin(&b);
  cycles(&b, 20);
  (void)count_lines(&b, "");
  const char *joint = sn_model_joint(b.robot.model, 1)->name;
  char line[128];
  snprintf(line, sizeof line, "clamped; joint %s, from outside", joint);
  size_t lines = 0;
  for (int k = 0; k < 2500; k++) {
    say(source, joint, 1e6, 0);
    cycles(&b, 1);
    lines += count_lines(&b, line);
  }
  assert_int_equal(lines, 3); /* at 0, 1 and 2 s */
  sn_source_close(source);
  bench_close(&b);
}

/* It repeats what it sent a second ago: the joint stays at the last reference. */
SN_TEST(source_that_replays_old_stamps_is_ignored) {
  bench b;
  bench_open(&b);
  sn_source *source = NULL;
  const sn_connection queue = {.buffer = 16};
  assert_int_equal(sn_source_open(b.r.system, "hold.in_joints_ref", &queue, &source, &b.r.err),
                   SN_OK);
  bench_begin(&b);
  cycles(&b, 20);
  const char *joint = sn_model_joint(b.robot.model, 1)->name;
  for (int64_t k = 0; k < 1000; k++) {
    say(source, joint, 0.2, 1000 * (int64_t)MS + k);
    cycles(&b, 1);
  }
  sn_assert_near(b.q[1], 0.2, 1e-9);
  (void)count_lines(&b, "");
  for (int64_t k = 0; k < 1000; k++) {
    say(source, joint, -0.2, 1000 * (int64_t)MS + k - 1);
    cycles(&b, 1);
    sn_assert_near(b.q[1], 0.2, 1e-9);
  }
  assert_true(count_lines(&b, "older than the last one") > 0);
  sn_source_close(source);
  bench_close(&b);
}

/* Written while the limb was not owned, read much later. */
SN_TEST(reference_from_before_the_activation_is_not_executed) {
  bench b;
  bench_open(&b);
  rig_set(&b.r, b.hold, "start_operational", "false");
  sn_source *source = NULL;
  const sn_connection queue = {.buffer = 16};
  assert_int_equal(sn_source_open(b.r.system, "hold.in_joints_ref", &queue, &source, &b.r.err),
                   SN_OK);
  bench_begin(&b);
  const char *joint = sn_model_joint(b.robot.model, 1)->name;
  for (int k = 0; k < 10; k++) {
    say(source, joint, 0.3, 0);
    cycles(&b, k % 2);
  }
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b.r.system, "hold.rosSetOperational", &caller, &b.r.err), SN_OK);
  sn_call_outcome *outcome = sn_msg_create(&b.r.arena, &sn_call_outcome_type, NULL);
  cycles(&b, 1);
  assert_int_equal(sn_call(&caller, &(sn_call_switch){.data = true}, outcome, &b.r.err), SN_OK);
  assert_true(outcome->success);
  sn_caller_close(&caller);
  cycles(&b, 300);
  assert_true(b.q[1] == 0.0);
  sn_source_close(source);
  bench_close(&b);
}
