/* The hooks on_system_started and on_system_stopping: when they are called, and that nothing
   waits for ever if their threads manage the system meanwhile. */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "rig.h"
#include "rt/system_internal.h"
#include "sn_test.h"

enum { MS = 1000000 };

/* Its thread looks, stops and starts from on_system_started to on_system_stopping. */
typedef struct observer {
  sn_component base;
  pthread_t thread;
  _Atomic bool must_end;
  _Atomic size_t rounds;
  sn_component *victim; /* stopped and started; NULL: none */
  bool refuses;
  size_t started, stopped;
} observer;

static void *manage(void *context) {
  observer *self = context;
  sn_system *system = self->base.system;
  while (!atomic_load(&self->must_end)) {
    sn_system_hold(system);
    sn_system_release(system);
    if (self->victim != NULL) {
      (void)sn_system_stop(system, self->victim, NULL); /* refused if another thread is faster */
      (void)sn_system_start(system, self->victim, NULL);
    }
    atomic_fetch_add(&self->rounds, 1);
  }
  return NULL;
}

static sn_status observer_started(sn_component *component, sn_error *err) {
  observer *self = (observer *)component;
  (void)err;
  if (self->refuses) {
    return SN_EIO;
  }
  self->started++;
  atomic_store(&self->must_end, false);
  return pthread_create(&self->thread, NULL, manage, self) == 0 ? SN_OK : SN_EIO;
}

static void observer_stopping(sn_component *component) {
  observer *self = (observer *)component;
  atomic_store(&self->must_end, true);
  pthread_join(self->thread, NULL);
  self->stopped++;
}

static const sn_component_type observer_type = {
    .abi = SN_COMPONENT_ABI,
    .name = "observer",
    .doc = "Manages the system in a thread of its own.",
    .size = sizeof(observer),
    .on_system_started = observer_started,
    .on_system_stopping = observer_stopping,
};

static void wait_for_round(observer *one) {
  const size_t before = atomic_load(&one->rounds);
  while (atomic_load(&one->rounds) == before) {
    sched_yield();
  }
}

SN_TEST(hooks_are_called_after_begin_and_before_halt) {
  rig r;
  rig_open(&r, MS);
  observer *one = rig_add_to(&r, &observer_type, "one", NULL, 0);
  assert_int_equal(one->started, 0);
  rig_begin(&r);
  assert_int_equal(one->started, 1);
  wait_for_round(one);
  sn_system_halt(r.system);
  assert_int_equal(one->stopped, 1);
  rig_close(&r);
}

SN_TEST(a_component_that_stops_and_starts_again_is_notified) {
  rig r;
  rig_open(&r, MS);
  observer *one = rig_add_to(&r, &observer_type, "one", NULL, 0);
  rig_begin(&r);
  assert_int_equal(sn_system_stop(r.system, &one->base, &r.err), SN_OK);
  assert_int_equal(one->stopped, 1);
  assert_int_equal(sn_system_stop(r.system, &one->base, &r.err), SN_EINVAL);
  assert_int_equal(one->stopped, 1);
  assert_int_equal(sn_system_start(r.system, &one->base, &r.err), SN_OK);
  assert_int_equal(one->started, 2);
  assert_int_equal(sn__system_remove(r.system, &one->base, &r.err), SN_OK);
  rig_close(&r); /* its thread would use what is gone */
}

SN_TEST(refusal_ends_what_was_begun) {
  rig r;
  rig_open(&r, MS);
  observer *one = rig_add_to(&r, &observer_type, "one", NULL, 0);
  observer *two = rig_add_to(&r, &observer_type, "two", NULL, 0);
  two->refuses = true;
  assert_int_equal(sn_system_begin(r.system, &r.err), SN_EIO);
  assert_non_null(strstr(r.err.message, "two did not start"));
  assert_int_equal(one->started, 1);
  assert_int_equal(one->stopped, 1);
  assert_int_equal(two->stopped, 0);
  assert_int_equal(sn_component_state_now(&one->base), SN_STATE_UNCONFIGURED);
  two->refuses = false;
  rig_begin(&r);
  assert_int_equal(two->started, 1);
  assert_int_equal(sn_system_stop(r.system, &two->base, &r.err), SN_OK);
  two->refuses = true;
  assert_int_equal(sn_system_start(r.system, &two->base, &r.err), SN_EIO);
  assert_int_equal(sn_component_state_now(&two->base), SN_STATE_STOPPED);
  rig_close(&r);
}

SN_TEST(threads_that_stop_a_third_component_do_not_deadlock) {
  for (size_t round = 0; round < sn_test_cases(20); round++) {
    rig r;
    rig_open(&r, MS);
    observer *one = rig_add_to(&r, &observer_type, "one", NULL, 0);
    observer *two = rig_add_to(&r, &observer_type, "two", NULL, 0);
    observer *third = rig_add_to(&r, &observer_type, "third", NULL, 0);
    one->victim = &third->base;
    two->victim = &third->base;
    rig_begin(&r);
    wait_for_round(one);
    wait_for_round(two);
    sn_system_halt(r.system);
    assert_int_equal(third->started, third->stopped);
    assert_int_equal(one->stopped, 1);
    assert_int_equal(two->stopped, 1);
    rig_close(&r);
  }
}
