/* The emergency stop of the gate in a system, and its end. */
#include "aggregator_rig.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

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

SN_TEST(emergency_stop_takes_effect_in_the_next_cycle_and_is_latched) {
  bench b;
  aggregator_open(&b, 1, true);
  aggregator_begin(&b);
  sn_tap *tap = NULL;
  assert_int_equal(sn_tap_open(b.r.system, "aggregator.stop", NULL, &tap, &b.r.err), SN_OK);
  aggregator_own(&b, GATE_WHEEL, b.movers[0]);
  b.movers[0]->joint = GATE_WHEEL;
  b.movers[0]->velocity = 4.0;
  aggregator_run(&b, 500);
  const double qd = b.judge.qd[GATE_WHEEL];
  const double q = aggregator_at(&b, GATE_WHEEL);
  assert_int_equal(call(&b, "emergencyStop", "operator", "the cat"), SN_OK);
  aggregator_run(&b, 1);
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
  aggregator_run(&b, 2000);
  stop = sn_tap_read(tap, NULL);
  assert_true(stop->stopped && stop->at_rest);
  assert_string_equal(stop->who.data, "operator");
  assert_int_equal(stop->count, 2);
  assert_true(aggregator_at(&b, GATE_WHEEL) - q <= qd * qd / 160.0);
  /* It is a matter of the robot, not of this configuration. */
  sn_system_end(b.r.system);
  rig_begin(&b.r);
  aggregator_own(&b, GATE_WHEEL, b.movers[0]);
  b.judge.seen = 0; /* configured again, it starts at the initial pose */
  memset(b.judge.qd, 0, sizeof b.judge.qd);
  aggregator_run(&b, 100);
  assert_true(aggregator_at(&b, GATE_WHEEL) == 0.0);
  stop = sn_tap_read(tap, NULL);
  assert_true(stop->stopped);
  assert_string_equal(stop->why.data, "the cat");
  sn_tap_close(tap);
  aggregator_close(&b);
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
  aggregator_open(&b, 1, true);
  resumer *r = rig_add(&b.r, &resumer_type, "resumer");
  rig_require(&b.r, "resumer.resume", "aggregator");
  aggregator_begin(&b);
  aggregator_own(&b, GATE_WHEEL, b.movers[0]);
  b.movers[0]->joint = GATE_WHEEL;
  b.movers[0]->position = 3.0;
  aggregator_run(&b, 200);
  r->wants = true;
  aggregator_run(&b, 1);
  assert_int_equal(r->status, SN_EINVAL);
  sn_assert_contains(r->message, "the emergency stop is not active");
  assert_int_equal(call(&b, "emergencyStop", "operator", ""), SN_OK);
  r->wants = true; /* in the cycle in which the stop comes in */
  aggregator_run(&b, 1);
  assert_int_equal(r->status, SN_EBUSY);
  r->wants = true;
  aggregator_run(&b, 1);
  assert_int_equal(r->status, SN_EBUSY);
  sn_assert_contains(r->message, "still brakes");
  aggregator_run(&b, 300);
  const double held = aggregator_at(&b, GATE_WHEEL);
  b.movers[0]->joint = -1; /* silent: its last message is from before */
  aggregator_run(&b, 1);
  r->wants = true;
  aggregator_run(&b, 500);
  assert_int_equal(r->status, SN_OK);
  assert_true(aggregator_at(&b, GATE_WHEEL) == held);
  b.movers[0]->joint = GATE_WHEEL;
  aggregator_run(&b, 2000);
  sn_assert_near(aggregator_at(&b, GATE_WHEEL), 3.0, 1e-9);
  assert_int_equal(call(&b, "emergencyStop", "operator", "again"), SN_OK);
  b.movers[0]->position = 0.0;
  aggregator_run(&b, 500);
  sn_assert_near(aggregator_at(&b, GATE_WHEEL), 3.0, 1e-9);
  aggregator_close(&b);
}

SN_TEST(reference_that_waits_at_the_resume_is_not_executed) {
  bench b;
  aggregator_open(&b, 0, false);
  resumer *r = rig_add(&b.r, &resumer_type, "resumer");
  rig_require(&b.r, "resumer.resume", "aggregator");
  const sn_connection queue = {.buffer = 4096};
  assert_int_equal(sn_source_open(b.r.system, "aggregator.in_joints", &queue, &r->before, &b.r.err),
                   SN_OK);
  aggregator_begin(&b);
  assert_int_equal(call(&b, "emergencyStop", "operator", ""), SN_OK);
  aggregator_run(&b, 10);
  sn_joint_state *msg = sn_source_msg(r->before); /* without a stamp */
  (void)sn_msg_names_add(&msg->name, "shoulder", 8);
  msg->position.count = 1;
  msg->position.data[0] = 1.0;
  for (int i = 0; i < 3000; i++) {
    assert_int_equal(sn_source_write(r->before), SN_OK);
  }
  r->wants = true;
  aggregator_run(&b, 300);
  assert_int_equal(r->status, SN_OK);
  assert_true(aggregator_at(&b, GATE_SHOULDER) == 0.0);
  assert_int_equal(sn_source_write(r->before), SN_OK);
  aggregator_run(&b, 300);
  assert_true(aggregator_at(&b, GATE_SHOULDER) > 0.0);
  sn_source_close(r->before);
  aggregator_close(&b);
}
