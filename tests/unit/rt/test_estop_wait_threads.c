/* Waiting for an emergency stop, resuming, and the stop that a cycle sees. */
#include <pthread.h>
#include <sched.h>

#include "rig.h"
#include "rt/component_runtime.h"
#include "rt/estop/estop.h"
#include "rt/futex.h"
#include "sinew/estop.h"
#include "sn_test.h"

#define MS INT64_C(1000000)
static const int64_t hour = INT64_C(3600000000000);

static sn__estop *latch_of(const rig *r) {
  return sn__estop_of(r->system);
}

static void *confirm(void *context) {
  sn__estop *e = context;
  while (!sn__estop_is_latched(e)) {
    sched_yield();
  }
  sn__estop_confirm(e, 0, sn__estop_latched(e), SN__ORDER_FREEZE);
  return NULL;
}

SN_TEST(waiting_ends_when_the_last_one_has_obeyed) {
  for (int k = 0; k < 20; k++) {
    rig r;
    pthread_t thread;
    rig_open(&r, MS);
    assert_int_equal(sn__estop_register(latch_of(&r), SN__ESTOP_ACTUATOR, "arm"), 0);
    assert_int_equal(pthread_create(&thread, NULL, confirm, latch_of(&r)), 0);
    const uint64_t number = sn_estop_request(r.system, "test", "");
    assert_int_equal(sn_estop_wait(r.system, number, hour, &r.err), SN_OK);
    pthread_join(thread, NULL);
    rig_close(&r);
  }
}

SN_TEST(waiting_ends_with_its_time_or_if_there_is_nothing_to_wait_for) {
  rig r;
  rig_open(&r, MS);
  (void)sn_estop_request(r.system, "test", "");
  assert_int_equal(sn_estop_wait(r.system, 0, hour, &r.err), SN_ENOENT);
  (void)sn__estop_register(latch_of(&r), SN__ESTOP_ACTUATOR, "deaf");
  assert_int_equal(sn_estop_wait(r.system, 0, 1, &r.err), SN_ETIMEDOUT);
  const int64_t begun_ns = sn__real_now_ns();
  assert_int_equal(sn_estop_wait(r.system, 0, 0, &r.err), SN_ETIMEDOUT);
  assert_true(sn__real_now_ns() - begun_ns >= SN_ESTOP_TIMEOUT_NS); /* 0: as usual */
  rig_close(&r);
}

static sn_status wait_step(sn_component *component, int64_t now_ns) {
  sn_error err = {.message = ""};
  (void)now_ns;
  assert_int_equal(sn_estop_wait(component->system, 0, hour, &err), SN_EDEADLOCK);
  sn_assert_contains(err.message, "in its own cycle");
  return SN_OK;
}

SN_TEST(a_cycle_does_not_wait_for_a_stop) {
  static const sn_component_type type = {.abi = SN_COMPONENT_ABI,
                                         .name = "waiter",
                                         .doc = "Waits.",
                                         .size = sizeof(sn_component),
                                         .step = wait_step};
  rig r;
  rig_open(&r, MS);
  const sn_component *waiter = rig_add(&r, &type, "waiter");
  rig_begin(&r);
  (void)sn_estop_request(r.system, "test", "");
  rig_run(&r, 3 * MS);
  assert_int_equal(sn_component_state_now(waiter), SN_STATE_RUNNING);
  rig_close(&r);
}

SN_TEST(a_system_resumes_itself_unless_it_has_a_gate) {
  rig r;
  rig_open(&r, MS);
  (void)sn__estop_register(latch_of(&r), SN__ESTOP_ACTUATOR, "arm");
  assert_int_equal(sn_estop_resume(r.system, &r.err), SN_EINVAL);
  sn_assert_contains(r.err.message, "not active");
  (void)sn_estop_request(r.system, "test", "");
  (void)sn_estop_request(r.system, "test", "");
  assert_int_equal(sn_estop_resume(r.system, &r.err), SN_OK);
  assert_false(sn__estop_is_latched(latch_of(&r)));
  (void)sn__estop_register(latch_of(&r), SN__ESTOP_GATE, "gate");
  assert_int_equal(sn_estop_resume(r.system, &r.err), SN_EINVAL);
  (void)sn_estop_request(r.system, "test", "");
  assert_int_equal(sn_estop_resume(r.system, &r.err), SN_EBUSY);
  assert_string_equal(r.err.message, "'gate' ends the stop: call its operation resume");
  assert_true(sn__estop_is_latched(latch_of(&r)));
  sn__estop_unregister(latch_of(&r), 0);
  assert_int_equal(sn_estop_resume(r.system, &r.err), SN_EBUSY); /* the gate is the first now */
  rig_close(&r);
}

/* ---- the stop of a cycle ---- */

/* Has no step, and so no activity. */
static const sn_component_type idle_type = {
    .abi = SN_COMPONENT_ABI, .name = "idle", .doc = "Does nothing.", .size = sizeof(sn_component)};

/* Sets the stop in its step, and looks at it as this component and as another one. */
typedef struct stopper {
  sn_component component;
  const sn_component *other;
  uint64_t own[3], others[3]; /* [cycle] the stop that it saw after it had set one */
  size_t cycles;
} stopper;

static sn_status stopper_step(sn_component *component, int64_t now_ns) {
  stopper *self = (stopper *)component;
  (void)now_ns;
  if (self->cycles < 3) {
    (void)sn_estop_request(component->system, "self", "");
    self->own[self->cycles] = sn__estop_snapshot_of(component).view.number;
    self->others[self->cycles] = sn__estop_snapshot_of(self->other).view.number;
    self->cycles++;
  }
  return SN_OK;
}

static const sn_component_type stopper_type = {.abi = SN_COMPONENT_ABI,
                                               .name = "stopper",
                                               .doc = "Stops.",
                                               .size = sizeof(stopper),
                                               .step = stopper_step};

SN_TEST(all_of_a_cycle_see_the_stop_of_its_start) {
  rig r;
  rig_open(&r, MS);
  stopper *self = rig_add(&r, &stopper_type, "stopper");
  self->other = rig_add_to(&r, &part_source_type, "other", rig_activity(&r, "b", 100 * MS), 0);
  const sn_component *alone = rig_add_to(&r, &idle_type, "alone", NULL, 0);
  rig_begin(&r);
  rig_run(&r, 3 * MS);
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(self->own[i], i); /* of the last cycle */
    assert_int_equal(self->others[i], i + 1);
  }
  /* Outside of a cycle it is the present one, but in a replay that of the journal. */
  assert_int_equal(sn__estop_snapshot_of(&self->component).view.number, 3);
  assert_int_equal(sn__estop_snapshot_of(alone).view.number, 3);
  r.system->is_stop_replayed = true;
  assert_int_equal(sn__estop_snapshot_of(&self->component).view.number, 2);
  assert_int_equal(sn__estop_snapshot_of(alone).view.number, 3);
  rig_close(&r);
}
