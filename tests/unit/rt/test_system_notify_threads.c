/* Components that attend to the system as a whole: when their hooks are called, and that nothing
   waits for ever if their threads manage the system meanwhile. */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "rig.h"
#include "sn_test.h"

enum { MS = 1000000 };

/* Its thread looks, stops and starts as long as it attends. */
typedef struct attendant {
  sn_component base;
  pthread_t thread;
  _Atomic bool must_end;
  _Atomic size_t rounds;
  sn_component *victim; /* stopped and started; NULL: nobody */
  bool refuses;
  size_t attended, left;
} attendant;

static void *manage(void *context) {
  attendant *self = context;
  sn_system *system = self->base.system;
  while (!atomic_load(&self->must_end)) {
    sn_system_hold(system);
    sn_system_release(system);
    if (self->victim != NULL) {
      (void)sn_system_stop(system, self->victim, NULL); /* refused if somebody else is faster */
      (void)sn_system_start(system, self->victim, NULL);
    }
    atomic_fetch_add(&self->rounds, 1);
  }
  return NULL;
}

static sn_status attendant_attend(sn_component *component, sn_error *err) {
  attendant *self = (attendant *)component;
  (void)err;
  if (self->refuses) {
    return SN_EIO;
  }
  self->attended++;
  atomic_store(&self->must_end, false);
  return pthread_create(&self->thread, NULL, manage, self) == 0 ? SN_OK : SN_EIO;
}

static void attendant_leave(sn_component *component) {
  attendant *self = (attendant *)component;
  atomic_store(&self->must_end, true);
  pthread_join(self->thread, NULL);
  self->left++;
}

static const sn_component_type attendant_type = {
    .abi = SN_COMPONENT_ABI,
    .name = "attendant",
    .doc = "Manages the system in a thread of its own.",
    .size = sizeof(attendant),
    .attend = attendant_attend,
    .leave = attendant_leave,
};

static void wait_for_round(attendant *one) {
  const size_t before = atomic_load(&one->rounds);
  while (atomic_load(&one->rounds) == before) {
    sched_yield();
  }
}

static void attends_from_begin_to_halt(void **state) {
  (void)state;
  rig r;
  rig_open(&r, MS);
  attendant *one = rig_add_to(&r, &attendant_type, "one", NULL, 0);
  assert_int_equal(one->attended, 0);
  rig_begin(&r);
  assert_int_equal(one->attended, 1);
  wait_for_round(one);
  sn_system_halt(r.system);
  assert_int_equal(one->left, 1);
  rig_close(&r);
}

static void who_is_stopped_leaves_and_comes_back_with_start(void **state) {
  (void)state;
  rig r;
  rig_open(&r, MS);
  attendant *one = rig_add_to(&r, &attendant_type, "one", NULL, 0);
  rig_begin(&r);
  assert_int_equal(sn_system_stop(r.system, &one->base, &r.err), SN_OK);
  assert_int_equal(one->left, 1);
  assert_int_equal(sn_system_stop(r.system, &one->base, &r.err), SN_EINVAL);
  assert_int_equal(one->left, 1);
  assert_int_equal(sn_system_start(r.system, &one->base, &r.err), SN_OK);
  assert_int_equal(one->attended, 2);
  assert_int_equal(sn_system_remove(r.system, &one->base, &r.err), SN_OK);
  rig_close(&r); /* its thread would use what is gone */
}

static void refusal_ends_what_was_begun(void **state) {
  (void)state;
  rig r;
  rig_open(&r, MS);
  attendant *one = rig_add_to(&r, &attendant_type, "one", NULL, 0);
  attendant *two = rig_add_to(&r, &attendant_type, "two", NULL, 0);
  two->refuses = true;
  assert_int_equal(sn_system_begin(r.system, &r.err), SN_EIO);
  assert_non_null(strstr(r.err.message, "two did not begin"));
  assert_int_equal(one->attended, 1);
  assert_int_equal(one->left, 1);
  assert_int_equal(two->left, 0);
  assert_int_equal(sn_component_state_now(&one->base), SN_STATE_UNCONFIGURED);
  two->refuses = false;
  rig_begin(&r);
  assert_int_equal(two->attended, 1);
  assert_int_equal(sn_system_stop(r.system, &two->base, &r.err), SN_OK);
  two->refuses = true;
  assert_int_equal(sn_system_start(r.system, &two->base, &r.err), SN_EIO);
  assert_int_equal(sn_component_state_now(&two->base), SN_STATE_STOPPED);
  rig_close(&r);
}

static void two_that_stop_each_others_friend_end_all_the_same(void **state) {
  (void)state;
  for (size_t round = 0; round < sn_test_cases(20); round++) {
    rig r;
    rig_open(&r, MS);
    attendant *one = rig_add_to(&r, &attendant_type, "one", NULL, 0);
    attendant *two = rig_add_to(&r, &attendant_type, "two", NULL, 0);
    attendant *friend = rig_add_to(&r, &attendant_type, "friend", NULL, 0);
    one->victim = &friend->base;
    two->victim = &friend->base;
    rig_begin(&r);
    wait_for_round(one);
    wait_for_round(two);
    sn_system_halt(r.system);
    assert_int_equal(friend->attended, friend->left);
    assert_int_equal(one->left, 1);
    assert_int_equal(two->left, 1);
    rig_close(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(attends_from_begin_to_halt),
      cmocka_unit_test(who_is_stopped_leaves_and_comes_back_with_start),
      cmocka_unit_test(refusal_ends_what_was_begun),
      cmocka_unit_test(two_that_stop_each_others_friend_end_all_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
