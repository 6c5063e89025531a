/* The gate in a system: connections, owners, the tick, the emergency stop. */
#include <stdlib.h>

#include "allocation.h"
#include "arbiter/owners.h"
#include "gate_rig.h"
#include "msg/types/msg_counts.h"
#include "rig.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

enum { MS = 1000000 };

/* ---- parts ---- */

/* A controller that publishes what the test sets. */
typedef struct mover {
  sn_component component;
  sn_output joints, supports;
  int joint;       /* -1: publishes nothing */
  double position; /* plus velocity * time */
  double velocity;
  int burst; /* messages in a step; the last one counts */
  bool fails;
  const char *chain;
  double support;
} mover;

static sn_status mover_step(sn_component *component, int64_t now_ns) {
  static const char *const names[] = {"shoulder", "elbow", "wheel", "spinner"};
  mover *m = (mover *)component;
  sn_joint_state *msg = m->joints.msg;
  for (int k = 0; m->joint >= 0 && k < (m->burst > 0 ? m->burst : 1); k++) {
    msg->header.stamp_ns = now_ns;
    sn_msg_names_clear(&msg->name);
    (void)sn_msg_names_add(&msg->name, names[m->joint], strlen(names[m->joint]));
    msg->position.count = 1;
    m->position += k == 0 ? m->velocity * 1e-3 : 0.0;
    msg->position.data[0] = k + 1 < m->burst ? -m->position : m->position;
    (void)sn_output_write(&m->joints);
  }
  if (m->chain != NULL) {
    sn_support_state *support = m->supports.msg;
    sn_msg_names_clear(&support->name);
    (void)sn_msg_names_add(&support->name, m->chain, strlen(m->chain));
    support->support.count = 1;
    support->support.data[0] = m->support;
    (void)sn_output_write(&m->supports);
  }
  return m->fails ? SN_EIO : SN_OK;
}

static const sn_port mover_ports[] = {
    SN_OUTPUT(mover, "out", joints, &sn_joint_state_type, .doc = "References."),
    SN_OUTPUT(mover, "supports", supports, &sn_support_state_type, .doc = "Supports."),
    {0}};

static const sn_component_type mover_type = {.abi = SN_COMPONENT_ABI,
                                             .name = "mover",
                                             .doc = "Moves one joint.",
                                             .size = sizeof(mover),
                                             .ports = mover_ports,
                                             .step = mover_step};

/* Who decides: the test does, through its table. */
typedef struct judge_part {
  sn_component component;
  sn_owners *owners;
} judge_part;

static sn_status decider_configure(sn_component *component, sn_error *err) {
  (void)err;
  ((judge_part *)component)->owners = sn__owners_create(sn_component_arena(component), GATE_JOINTS);
  return SN_OK;
}

static const void *decider_face(sn_component *component) {
  return ((judge_part *)component)->owners;
}

static const sn_service decider_services[] = {{SN_OWNERS, decider_face, "Owners."}, {0}};

static const sn_component_type decider_type = {.abi = SN_COMPONENT_ABI,
                                               .name = "decider",
                                               .doc = "Decides.",
                                               .size = sizeof(judge_part),
                                               .services = decider_services,
                                               .configure = decider_configure};

/* ---- the system ---- */

typedef struct bench {
  rig r;
  sn_component *aggregator;
  judge_part *decider;
  mover *movers[3];
  sn_tap *tap;
  gate_judge judge;
  sn_test_robot robot; /* the same one, for the judge */
  int64_t end_ns;
  size_t poses;
} bench;

static void connect(bench *b, size_t movers, bool with_owners) {
  rig_connect(&b->r, "timer.sync", "aggregator.sync");
  rig_require(&b->r, "aggregator.robot_model", "robot_model");
  if (with_owners) {
    b->decider = rig_add_to(&b->r, &decider_type, "decider", NULL, 0);
    rig_require(&b->r, "aggregator.owners", "decider");
  }
  for (size_t i = 0; i < movers; i++) {
    static const char *const names[] = {"anna", "berta", "clara"};
    b->movers[i] = rig_add(&b->r, &mover_type, names[i]);
    b->movers[i]->joint = -1;
    char path[32];
    snprintf(path, sizeof path, "%s.out", names[i]);
    rig_connect(&b->r, path, "aggregator.in_joints");
    snprintf(path, sizeof path, "%s.supports", names[i]);
    rig_connect(&b->r, path, "aggregator.in_supports");
  }
}

static void bench_open(bench *b, size_t movers, bool with_owners) {
  memset(b, 0, sizeof *b);
  rig_open(&b->r, MS);
  sn_component *model = rig_add_to(&b->r, &sn_robot_model_component, "robot_model", NULL, 0);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&b->r.arena, &report, NULL), SN_OK);
  const sn_value text = {
      .name = "", .kind = SN_VALUE_TEXT, .text = gate_robot, .place = {.file = "test"}};
  assert_int_equal(sn_system_set(b->r.system, model, "robot_description", &text, report, &b->r.err),
                   SN_OK);
  rig_set(&b->r, model, "kinematics_chains", "{arm: {first_link: base, last_link: l6}}");
  rig_add(&b->r, &sn_timer_component, "timer");
  b->aggregator = rig_add(&b->r, &sn_aggregator_component, "aggregator");
  sn_test_robot_init(&b->robot, gate_robot, NULL);
  const sn_gate_config config = {.period_max_s = 2e-3};
  gate_judge_init(&b->judge, b->robot.model, &config);
  connect(b, movers, with_owners);
}

static void bench_begin(bench *b) {
  rig_begin(&b->r);
  const sn_connection queue = {.buffer = 8};
  assert_int_equal(sn_tap_open(b->r.system, "aggregator.joints_sorted", &queue, &b->tap, &b->r.err),
                   SN_OK);
}

static void bench_close(bench *b) {
  sn_tap_close(b->tap);
  rig_close(&b->r);
  sn_test_robot_free(&b->robot);
}

/* After each cycle: look at every pose that came out. */
static bool look(void *context, int64_t now_ns) {
  bench *b = context;
  sn_flow flow = SN_NO_DATA;
  const sn_joint_state *pose = sn_tap_read(b->tap, &flow);
  while (flow == SN_NEW_DATA) {
    assert_int_equal(pose->position.count, GATE_JOINTS);
    assert_int_equal(pose->velocity.count, GATE_JOINTS);
    assert_true(pose->header.stamp_ns == now_ns);
    const double zeros[GATE_JOINTS] = {0};
    const sn_gate_command command = {
        .q = pose->position.data, .qd = pose->velocity.data, .qdd = zeros};
    const char *trouble = gate_judge_look(&b->judge, &command, now_ns);
    if (trouble != NULL) {
      fail_msg("%s", trouble);
    }
    b->poses++;
    pose = sn_tap_read(b->tap, &flow);
  }
  return true;
}

static void run(bench *b, int64_t duration_ms) {
  assert_int_equal(sn_system_run(b->r.system, duration_ms * MS, look, b, &b->r.err), SN_OK);
}

static void own(bench *b, int joint, const void *owner) {
  sn__owners_prepare(b->decider->owners)->owners[joint] = owner;
  sn__owners_commit(b->decider->owners);
}

static sn_status call(bench *b, const char *operation, const char *a, const char *c) {
  char path[64];
  snprintf(path, sizeof path, "aggregator.%s", operation);
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b->r.system, path, &caller, &b->r.err), SN_OK);
  void *request = sn_msg_create(&b->r.arena, caller.operation->request, NULL);
  (void)sn_msg_text_set(&((sn_call_stop *)request)->who, a); /* also the only one of a Name */
  if (caller.operation->request == &sn_call_stop_type) {
    (void)sn_msg_text_set(&((sn_call_stop *)request)->why, c);
  }
  const sn_status status = sn_call(&caller, request, NULL, &b->r.err);
  sn_caller_close(&caller);
  return status;
}

static double at(const bench *b, int joint) {
  return b->judge.q[joint];
}

/* ---- tests ---- */

SN_TEST(every_cycle_has_one_complete_pose_in_the_same_cycle) {
  bench b;
  bench_open(&b, 2, true);
  bench_begin(&b);
  own(&b, GATE_SHOULDER, b.movers[0]);
  own(&b, GATE_WHEEL, b.movers[1]);
  b.movers[0]->joint = GATE_SHOULDER;
  b.movers[0]->velocity = 0.01;
  b.movers[1]->joint = GATE_WHEEL;
  b.movers[1]->position = 1.0;
  run(&b, 1000);
  assert_int_equal(b.poses, 1000);
  sn_assert_near(at(&b, GATE_SHOULDER), b.movers[0]->position, 1e-9); /* not a cycle late */
  sn_assert_near(at(&b, GATE_WHEEL), 1.0, 1e-9);
  bench_close(&b);
}

/* Earlier systems accepted every source. */
SN_TEST(only_the_owner_moves_a_joint_and_the_log_names_both) {
  bench b;
  bench_open(&b, 2, true);
  bench_begin(&b);
  own(&b, GATE_SHOULDER, b.movers[0]);
  b.movers[1]->joint = GATE_SHOULDER; /* without any claim */
  b.movers[1]->position = 1.0;
  (void)rig_drain_log(&b.r, SN_LOG_DEBUG, NULL, 0);
  run(&b, 3000);
  assert_true(at(&b, GATE_SHOULDER) == 0.0);
  char line[200] = "";
  sn_log_record record;
  size_t told = 0;
  while (sn_log_read(b.r.log, &record)) {
    sn_log_format(&record, line, sizeof line);
    told += strstr(line, "source 'berta', joint 'shoulder': the source does not own it") != NULL;
  }
  assert_int_equal(told, 3); /* once a second */
  bench_close(&b);
}

static uint64_t count_of(bench *b, const char *asked, const char *name, const char *what) {
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b->r.system, "aggregator.getCounts", &caller, &b->r.err), SN_OK);
  sn_call_name *request = sn_msg_create(&b->r.arena, &sn_call_name_type, NULL);
  sn_gate_count_list *list = sn_msg_create(&b->r.arena, &sn_gate_count_list_type, NULL);
  assert_int_equal(sn_msg_text_set(&request->name, asked), SN_OK);
  const sn_status status = sn_call(&caller, request, list, &b->r.err);
  sn_caller_close(&caller);
  assert_int_equal(status, SN_OK);
  assert_true(list->complete);
  for (size_t i = 0; i < list->counts.count; i++) {
    const sn_gate_count *row = &list->counts.data[i];
    assert_true(row->count > 0);
    if (strcmp(row->name.data, name) == 0 && strcmp(row->what.data, what) == 0) {
      return row->count;
    }
  }
  return 0;
}

SN_TEST(counters_show_what_was_refused_and_why) {
  bench b;
  bench_open(&b, 2, true);
  bench_begin(&b);
  own(&b, GATE_WHEEL, b.movers[0]);
  b.movers[0]->joint = b.movers[1]->joint = GATE_WHEEL;
  run(&b, 100);
  const char *refused = sn__gate_reason_text(SN_GATE_NOT_OWNER);
  assert_true(count_of(&b, "", "anna", "taken") == 100);
  assert_true(count_of(&b, "", "anna", refused) == 0);
  assert_true(count_of(&b, "", "berta", refused) == 100);
  assert_true(count_of(&b, "wheel", "wheel", refused) == 100);
  assert_true(count_of(&b, "wheel", "wheel", "taken") == 100);
  assert_true(count_of(&b, "wheel", "berta", refused) == 0); /* not asked for */
  assert_true(count_of(&b, "berta", "berta", refused) == 100);
  bench_close(&b);
}

SN_TEST(hand_over_takes_effect_in_the_cycle_and_nothing_jumps) {
  bench b;
  bench_open(&b, 3, true);
  bench_begin(&b);
  for (int i = 0; i < 3; i++) {
    b.movers[i]->joint = GATE_SHOULDER;
    b.movers[i]->position = 0.9 * i - 0.8; /* each from another place */
  }
  for (int k = 0; k < 30; k++) {
    own(&b, GATE_SHOULDER, k % 4 == 3 ? NULL : (void *)b.movers[k % 4]);
    run(&b, 130);
  }
  own(&b, GATE_SHOULDER, b.movers[2]);
  run(&b, 2000);
  sn_assert_near(at(&b, GATE_SHOULDER), 1.0, 1e-9);
  bench_close(&b);
}

SN_TEST(owner_that_fails_is_held_at_once) {
  bench b;
  bench_open(&b, 1, true);
  bench_begin(&b);
  own(&b, GATE_WHEEL, b.movers[0]);
  b.movers[0]->joint = GATE_WHEEL;
  b.movers[0]->velocity = 4.0;
  run(&b, 500);
  assert_true(fabs(b.judge.qd[GATE_WHEEL]) > 3.9);
  b.movers[0]->fails = true;
  run(&b, 51); /* 4 rad/s at 80 rad/s^2 */
  assert_true(b.judge.qd[GATE_WHEEL] == 0.0);
  const double held = at(&b, GATE_WHEEL);
  run(&b, 1000);
  assert_true(at(&b, GATE_WHEEL) == held);
  assert_int_equal(sn_component_state_now(b.aggregator), SN_STATE_RUNNING);
  bench_close(&b);
}

SN_TEST(owner_that_is_silent_is_held_after_the_timeout) {
  bench b;
  bench_open(&b, 1, true);
  bench_begin(&b);
  own(&b, GATE_SPINNER, b.movers[0]);
  b.movers[0]->joint = GATE_SPINNER;
  b.movers[0]->position = 3.0;
  run(&b, 100);
  b.movers[0]->joint = -1;
  rig_set(&b.r, b.aggregator, "reference_timeout", "0.2"); /* live */
  run(&b, 150);
  assert_true(b.judge.qd[GATE_SPINNER] > 0.9);
  run(&b, 200);
  assert_true(b.judge.qd[GATE_SPINNER] == 0.0);
  sn_assert_near(at(&b, GATE_SPINNER), 0.3, 0.01);
  bench_close(&b);
}

/* Earlier systems read ten messages and dropped the eleventh. */
SN_TEST(burst_is_read_to_its_end) {
  bench b;
  bench_open(&b, 0, false);
  b.movers[0] = rig_add(&b.r, &mover_type, "anna");
  const sn_connection queue = {.buffer = 64};
  assert_int_equal(
      sn_system_connect(b.r.system, "anna.out", "aggregator.in_joints", &queue, &b.r.err), SN_OK);
  bench_begin(&b);
  b.movers[0]->joint = GATE_SHOULDER;
  b.movers[0]->position = 0.5;
  b.movers[0]->burst = 11;
  run(&b, 1000);
  sn_assert_near(at(&b, GATE_SHOULDER), 0.5, 1e-9);
  sn_connection_info info[8];
  const size_t count = sn_component_connections(&b.movers[0]->component, info, 8);
  assert_int_equal(count, 1);
  assert_int_equal(info[0].waiting, 0);
  assert_int_equal(info[0].counts.written, 11000);
  assert_int_equal(info[0].counts.lost, 0);
  bench_close(&b);
}

SN_TEST(flood_from_outside_does_not_cost_a_pose) {
  bench b;
  bench_open(&b, 0, false);
  sn_source *source = NULL;
  const sn_connection queue = {.buffer = 4096};
  assert_int_equal(sn_source_open(b.r.system, "aggregator.in_joints", &queue, &source, &b.r.err),
                   SN_OK);
  bench_begin(&b);
  sn_joint_state *msg = sn_source_msg(source);
  (void)sn_msg_names_add(&msg->name, "shoulder", 8);
  msg->position.count = 1;
  for (int k = 0; k < 500; k++) { /* 100 in each millisecond */
    for (int i = 0; i < 100; i++) {
      msg->position.data[0] = i == 99 ? 0.7 : (double)i - 50.0;
      assert_int_equal(sn_source_write(source), SN_OK);
    }
    run(&b, 1);
  }
  assert_int_equal(b.poses, 500);
  run(&b, 400);
  sn_assert_near(at(&b, GATE_SHOULDER), 0.7, 1e-9);
  sn_source_close(source);
  bench_close(&b);
}

SN_TEST(without_an_arbiter_two_sources_do_not_start) {
  bench b;
  bench_open(&b, 2, false);
  assert_int_equal(sn_system_begin(b.r.system, &b.r.err), SN_EINVAL);
  sn_assert_contains(b.r.err.message, "2 sources are connected without an arbiter");
  bench_close(&b);
  bench_open(&b, 1, false);
  bench_begin(&b);
  char line[200] = "";
  assert_int_equal(rig_drain_log(&b.r, SN_LOG_WARNING, line, sizeof line), 1);
  sn_assert_contains(line, "'anna' may move everything");
  bench_close(&b);
}

SN_TEST(emergency_stop_takes_effect_in_the_next_cycle_and_is_latched) {
  bench b;
  bench_open(&b, 1, true);
  bench_begin(&b);
  sn_tap *tap = NULL;
  assert_int_equal(sn_tap_open(b.r.system, "aggregator.stop", NULL, &tap, &b.r.err), SN_OK);
  own(&b, GATE_WHEEL, b.movers[0]);
  b.movers[0]->joint = GATE_WHEEL;
  b.movers[0]->velocity = 4.0;
  run(&b, 500);
  const double qd = b.judge.qd[GATE_WHEEL];
  const double q = at(&b, GATE_WHEEL);
  assert_int_equal(call(&b, "emergencyStop", "operator", "the cat"), SN_OK);
  run(&b, 1);
  assert_true(b.judge.qd[GATE_WHEEL] < qd - 0.07); /* 80 rad/s^2 */
  const sn_stop_state *stop = sn_tap_read(tap, NULL);
  assert_true(stop->stopped && !stop->at_rest);
  assert_string_equal(stop->who.data, "operator");
  assert_string_equal(stop->why.data, "the cat");
  assert_true(stop->since_ns == 500 * (int64_t)MS);
  char line[256] = "";
  assert_int_equal(rig_drain_log(&b.r, SN_LOG_ERROR, line, sizeof line), 1);
  assert_non_null(strstr(line, "operator"));
  assert_non_null(strstr(line, "the cat"));
  assert_non_null(strstr(line, "sinew call aggregator.resume name=")); /* how to go on */
  assert_int_equal(call(&b, "emergencyStop", "somebody", "later"), SN_OK);
  run(&b, 2000);
  stop = sn_tap_read(tap, NULL);
  assert_true(stop->stopped && stop->at_rest);
  assert_string_equal(stop->who.data, "operator");
  assert_int_equal(stop->count, 2);
  assert_true(at(&b, GATE_WHEEL) - q <= qd * qd / 160.0);
  /* It is a matter of the robot, not of this configuration. */
  sn_system_end(b.r.system);
  rig_begin(&b.r);
  own(&b, GATE_WHEEL, b.movers[0]);
  b.judge.seen = 0; /* configured again, it starts at the initial pose */
  memset(b.judge.qd, 0, sizeof b.judge.qd);
  run(&b, 100);
  assert_true(at(&b, GATE_WHEEL) == 0.0);
  stop = sn_tap_read(tap, NULL);
  assert_true(stop->stopped);
  assert_string_equal(stop->why.data, "the cat");
  sn_tap_close(tap);
  bench_close(&b);
}

/* Calls a resume out of a cycle of its own, as an own-thread operation needs a running system. */
typedef struct resumer {
  sn_component component;
  sn_caller resume;
  sn_call_name *request;
  sn_source *before; /* written to just before the call; may be NULL */
  bool wants;
  sn_status status;
  char message[240];
} resumer;

static sn_status resumer_configure(sn_component *component, sn_error *err) {
  (void)err;
  resumer *r = (resumer *)component;
  r->request = sn_msg_create(sn_component_arena(component), &sn_call_name_type, NULL);
  return sn_msg_text_set(&r->request->name, "operator");
}

static sn_status resumer_step(sn_component *component, int64_t now_ns) {
  resumer *r = (resumer *)component;
  (void)now_ns;
  if (r->wants) {
    sn_error err = {.message = ""};
    r->wants = false;
    if (r->before != NULL) {
      (void)sn_source_write(r->before);
    }
    r->status = sn_call(&r->resume, r->request, NULL, &err);
    memcpy(r->message, err.message, sizeof r->message);
  }
  return SN_OK;
}

static const sn_need resumer_needs[] = {{.name = "resume",
                                         .operation = "resume",
                                         .request = &sn_call_name_type,
                                         .offset = offsetof(resumer, resume),
                                         .doc = "Of the aggregator."},
                                        {0}};

static const sn_component_type resumer_type = {.abi = SN_COMPONENT_ABI,
                                               .name = "resumer",
                                               .doc = "Resumes.",
                                               .size = sizeof(resumer),
                                               .needs = resumer_needs,
                                               .configure = resumer_configure,
                                               .step = resumer_step};

SN_TEST(resume_is_explicit_and_drops_earlier_references) {
  bench b;
  bench_open(&b, 1, true);
  resumer *r = rig_add(&b.r, &resumer_type, "resumer");
  rig_require(&b.r, "resumer.resume", "aggregator");
  bench_begin(&b);
  own(&b, GATE_WHEEL, b.movers[0]);
  b.movers[0]->joint = GATE_WHEEL;
  b.movers[0]->position = 3.0;
  run(&b, 200);
  r->wants = true;
  run(&b, 1);
  assert_int_equal(r->status, SN_EINVAL);
  sn_assert_contains(r->message, "the emergency stop is not active");
  assert_int_equal(call(&b, "emergencyStop", "operator", ""), SN_OK);
  r->wants = true; /* in the cycle in which the stop comes in */
  run(&b, 1);
  assert_int_equal(r->status, SN_EBUSY);
  r->wants = true;
  run(&b, 1);
  assert_int_equal(r->status, SN_EBUSY);
  sn_assert_contains(r->message, "still brakes");
  run(&b, 300);
  const double held = at(&b, GATE_WHEEL);
  b.movers[0]->joint = -1; /* silent: its last message is from before */
  run(&b, 1);
  r->wants = true;
  run(&b, 500);
  assert_int_equal(r->status, SN_OK);
  assert_true(at(&b, GATE_WHEEL) == held);
  b.movers[0]->joint = GATE_WHEEL;
  run(&b, 2000);
  sn_assert_near(at(&b, GATE_WHEEL), 3.0, 1e-9);
  assert_int_equal(call(&b, "emergencyStop", "operator", "again"), SN_OK);
  b.movers[0]->position = 0.0;
  run(&b, 500);
  sn_assert_near(at(&b, GATE_WHEEL), 3.0, 1e-9);
  bench_close(&b);
}

SN_TEST(reference_that_waits_at_the_resume_is_not_executed) {
  bench b;
  bench_open(&b, 0, false);
  resumer *r = rig_add(&b.r, &resumer_type, "resumer");
  rig_require(&b.r, "resumer.resume", "aggregator");
  const sn_connection queue = {.buffer = 4096};
  assert_int_equal(sn_source_open(b.r.system, "aggregator.in_joints", &queue, &r->before, &b.r.err),
                   SN_OK);
  bench_begin(&b);
  assert_int_equal(call(&b, "emergencyStop", "operator", ""), SN_OK);
  run(&b, 10);
  sn_joint_state *msg = sn_source_msg(r->before); /* without a stamp */
  (void)sn_msg_names_add(&msg->name, "shoulder", 8);
  msg->position.count = 1;
  msg->position.data[0] = 1.0;
  for (int i = 0; i < 3000; i++) {
    assert_int_equal(sn_source_write(r->before), SN_OK);
  }
  r->wants = true;
  run(&b, 300);
  assert_int_equal(r->status, SN_OK);
  assert_true(at(&b, GATE_SHOULDER) == 0.0);
  assert_int_equal(sn_source_write(r->before), SN_OK);
  run(&b, 300);
  assert_true(at(&b, GATE_SHOULDER) > 0.0);
  sn_source_close(r->before);
  bench_close(&b);
}

/* Earlier systems commanded zeros as long as they knew nothing. */
SN_TEST(with_a_measured_input_nothing_is_published_before_its_first_message) {
  bench b;
  bench_open(&b, 1, true);
  sn_source *measured = NULL;
  assert_int_equal(
      sn_source_open(b.r.system, "aggregator.in_joints_measured", NULL, &measured, &b.r.err),
      SN_OK);
  bench_begin(&b);
  char line[200] = "";
  run(&b, 100); /* encoders may take a moment */
  assert_int_equal(rig_drain_log(&b.r, SN_LOG_WARNING, line, sizeof line), 0);
  run(&b, 200);
  assert_int_equal(b.poses, 0);
  assert_int_equal(rig_drain_log(&b.r, SN_LOG_WARNING, line, sizeof line), 1);
  sn_assert_contains(line, "joint 'shoulder': the start waits for its measured position");
  sn_joint_state *msg = sn_source_msg(measured);
  static const char *const names[] = {"slide", "spinner", "wheel", "elbow", "shoulder"};
  static const double pose[] = {0.2, -1.0, 7.0, 0.3, 1.5};
  for (size_t i = 0; i < 5; i++) {
    (void)sn_msg_names_add(&msg->name, names[i], strlen(names[i]));
    msg->position.data[i] = pose[i];
  }
  msg->position.count = 5;
  assert_int_equal(sn_source_write(measured), SN_OK);
  run(&b, 10);
  assert_int_equal(b.poses, 10);
  assert_true(at(&b, GATE_WHEEL) == 7.0 && at(&b, GATE_SHOULDER) == 1.5);
  sn_source_close(measured);
  bench_close(&b);
}

SN_TEST(initial_pose_is_a_property_and_its_errors_are_reported) {
  bench b;
  bench_open(&b, 1, true);
  static const struct {
    const char *value, *reason;
  } bad[] = {{"{wing: 1}", "'wing' is not a movable joint"},
             {"{elbow: 0.6}", "'elbow' at 0.6 is outside of its limits -0.5 .. 0.5"},
             {"{elbow: high}", "'elbow' is not a number"},
             {"[1, 2]", "must be joints with their positions"}};
  for (size_t i = 0; i < 4; i++) {
    rig_set(&b.r, b.aggregator, "initial_pose", bad[i].value);
    assert_true(sn_system_begin(b.r.system, &b.r.err) != SN_OK);
    sn_assert_contains(b.r.err.message, bad[i].reason);
  }
  rig_set(&b.r, b.aggregator, "initial_pose", "{elbow: 0.4}");
  bench_begin(&b);
  run(&b, 10);
  assert_true(at(&b, GATE_ELBOW) == 0.4 && at(&b, GATE_SLIDE) == 0.15);
  bench_close(&b);
}

SN_TEST(stopped_and_started_again_it_goes_on_where_it_was) {
  bench b;
  bench_open(&b, 1, true);
  bench_begin(&b);
  own(&b, GATE_SHOULDER, b.movers[0]);
  b.movers[0]->joint = GATE_SHOULDER;
  b.movers[0]->position = 2.0;
  run(&b, 300);
  const double q = at(&b, GATE_SHOULDER);
  assert_int_equal(sn_system_stop(b.r.system, b.aggregator, &b.r.err), SN_OK);
  run(&b, 100);
  assert_int_equal(sn_system_start(b.r.system, b.aggregator, &b.r.err), SN_OK);
  b.movers[0]->joint = -1;
  b.judge.seen = 0; /* a new beginning, at rest */
  memset(b.judge.qd, 0, sizeof b.judge.qd);
  run(&b, 10);
  assert_true(at(&b, GATE_SHOULDER) == q);
  bench_close(&b);
}

SN_TEST(published_by_events_only_it_still_brakes_by_the_tick) {
  bench b;
  bench_open(&b, 1, true);
  rig_set(&b.r, b.aggregator, "publish_on_timer", "false");
  rig_set(&b.r, b.aggregator, "publish_on_event", "true");
  bench_begin(&b);
  own(&b, GATE_WHEEL, b.movers[0]);
  run(&b, 50);
  assert_int_equal(b.poses, 0);
  b.movers[0]->joint = GATE_WHEEL;
  b.movers[0]->velocity = 4.0;
  run(&b, 500);
  assert_int_equal(b.poses, 500); /* data and tick coincide: one pose, not two and not none */
  b.movers[0]->joint = -1;
  run(&b, 1500);
  assert_true(b.judge.qd[GATE_WHEEL] == 0.0);
  assert_int_equal(b.poses, 500 + 126); /* one in each cycle until it is at rest, and no more */
  bench_close(&b);
}

SN_TEST(supports_come_from_the_owner_of_the_chain) {
  bench b;
  bench_open(&b, 2, true);
  bench_begin(&b);
  sn_tap *tap = NULL;
  assert_int_equal(sn_tap_open(b.r.system, "aggregator.supports", NULL, &tap, &b.r.err), SN_OK);
  b.movers[0]->chain = b.movers[1]->chain = "arm";
  b.movers[0]->support = 0.75;
  b.movers[1]->support = 0.25;
  run(&b, 5);
  const sn_support_state *supports = sn_tap_read(tap, NULL);
  assert_int_equal(supports->name.count, 1);
  assert_int_equal(supports->contact.count, supports->name.count);
  assert_true(supports->support.data[0] == 0.0); /* without an owner */
  for (int j = 0; j < GATE_JOINTS; j++) {
    own(&b, j, b.movers[0]);
  }
  run(&b, 5);
  assert_true(((const sn_support_state *)sn_tap_read(tap, NULL))->support.data[0] == 0.75);
  b.movers[0]->support = 7.0;
  run(&b, 5);
  assert_true(((const sn_support_state *)sn_tap_read(tap, NULL))->support.data[0] == 1.0);
  b.movers[0]->chain = NULL; /* silent: the last value stays */
  run(&b, 2000);
  assert_true(((const sn_support_state *)sn_tap_read(tap, NULL))->support.data[0] == 1.0);
  for (int j = 0; j < GATE_JOINTS; j++) {
    own(&b, j, b.movers[1]);
  }
  run(&b, 5);
  assert_true(((const sn_support_state *)sn_tap_read(tap, NULL))->support.data[0] == 0.25);
  sn_tap_close(tap);
  bench_close(&b);
}

SN_TEST(accelerations_are_published_if_connected) {
  bench b;
  bench_open(&b, 1, true);
  bench_begin(&b);
  sn_tap *tap = NULL;
  assert_int_equal(sn_tap_open(b.r.system, "aggregator.joints_accel", NULL, &tap, &b.r.err), SN_OK);
  own(&b, GATE_WHEEL, b.movers[0]);
  b.movers[0]->joint = GATE_WHEEL;
  b.movers[0]->position = 3.0;
  run(&b, 50);
  const sn_joint_state_accel *pose = sn_tap_read(tap, NULL);
  assert_int_equal(pose->acceleration.count, GATE_JOINTS);
  sn_assert_near(pose->acceleration.data[GATE_WHEEL], 80.0, 1e-6);
  assert_string_equal(sn_msg_names_at(&pose->name, GATE_WHEEL), "wheel");
  sn_tap_close(tap);
  bench_close(&b);
}

SN_TEST(a_cycle_does_not_touch_the_heap) {
  bench b;
  bench_open(&b, 2, true);
  bench_begin(&b);
  own(&b, GATE_WHEEL, b.movers[0]);
  b.movers[0]->joint = b.movers[1]->joint = GATE_WHEEL;
  b.movers[0]->velocity = 4.0;
  run(&b, 10);
  const size_t before = sn_test_heap_calls();
  run(&b, 1); /* what the run itself takes */
  const size_t run_calls = sn_test_heap_calls() - before;
  const size_t middle = sn_test_heap_calls();
  run(&b, 1000);
  assert_int_equal(sn_test_heap_calls() - middle, run_calls);
  bench_close(&b);
}
