/* Several systems in one process: a thread for all, a stop for all. */
#include <pthread.h>
#include <string.h>

#include "rig.h"
#include "sinew/estop.h"
#include "sn_test.h"

enum { SYSTEMS = 3 };
static const int64_t MS_NS = 1000000;

/* Which thread stepped it, and how often. */
typedef struct seen {
  sn_component component;
  pthread_t thread;
  _Atomic int steps;
} seen;

static sn_status step(sn_component *component, int64_t now_ns) {
  (void)now_ns;
  seen *self = (seen *)component;
  self->thread = pthread_self();
  self->steps++;
  return SN_OK;
}

static const sn_component_type seen_type = {
    .abi = SN_COMPONENT_ABI, .name = "seen", .size = sizeof(seen), .step = step};

typedef struct several {
  rig rigs[SYSTEMS];
  seen *parts[SYSTEMS];
  sn_system *systems[SYSTEMS];
  sn_error err;
} several;

/** The last system has another period. */
static void open_several(several *s, bool is_last_slower) {
  memset(s, 0, sizeof *s);
  for (size_t i = 0; i < SYSTEMS; i++) {
    const bool is_slower = is_last_slower && i + 1 == SYSTEMS;
    rig_open_real(&s->rigs[i], is_slower ? 2 * MS_NS : MS_NS);
    s->parts[i] = rig_add(&s->rigs[i], &seen_type, "part");
    s->systems[i] = s->rigs[i].system;
    rig_begin(&s->rigs[i]);
  }
}

static void wait_for_steps(const several *s) {
  for (size_t i = 0; i < SYSTEMS; i++) {
    while (s->parts[i]->steps < 5) {
      sched_yield();
    }
  }
}

static void close_several(several *s) {
  for (size_t i = 0; i < SYSTEMS; i++) {
    sn_system_end(s->systems[i]);
  }
  for (size_t i = 0; i < SYSTEMS; i++) {
    rig_close(&s->rigs[i]);
  }
}

SN_TEST(activities_of_the_same_kind_share_a_thread) {
  several s;
  open_several(&s, true);
  assert_int_equal(sn_systems_launch(s.systems, SYSTEMS, &s.err), SN_OK);
  assert_int_equal(sn_systems_launch(s.systems, SYSTEMS, &s.err), SN_EBUSY);
  wait_for_steps(&s);
  sn_system_halt(s.systems[1]); /* ends the cycles of the first, too */
  const int steps = s.parts[0]->steps, slower = s.parts[2]->steps;
  while (s.parts[2]->steps < slower + 3) { /* not those of the other thread */
    sched_yield();
  }
  assert_int_equal(s.parts[0]->steps, steps);
  sn_system_halt(s.systems[0]);
  sn_system_halt(s.systems[2]);
  assert_true(pthread_equal(s.parts[0]->thread, s.parts[1]->thread));
  assert_false(pthread_equal(s.parts[0]->thread, s.parts[2]->thread));
  close_several(&s);
}

SN_TEST(systems_run_again_alone) {
  several s;
  open_several(&s, false);
  assert_int_equal(sn_systems_launch(s.systems, SYSTEMS, &s.err), SN_OK);
  wait_for_steps(&s);
  for (size_t i = 0; i < SYSTEMS; i++) {
    sn_system_end(s.systems[i]);
    s.parts[i]->steps = 0;
  }
  for (size_t i = 0; i < SYSTEMS; i++) {
    rig_begin(&s.rigs[i]);
    assert_int_equal(sn_system_launch(s.systems[i], &s.err), SN_OK);
  }
  wait_for_steps(&s);
  for (size_t i = 0; i < SYSTEMS; i++) {
    sn_system_halt(s.systems[i]);
  }
  assert_false(pthread_equal(s.parts[0]->thread, s.parts[1]->thread));
  close_several(&s);
}

static bool is_stopped(const several *s, size_t index) {
  sn_estop_state state;
  sn_estop_look(s->systems[index], 0, &state);
  return state.is_latched;
}

SN_TEST(a_stop_of_one_stops_all_and_each_is_resumed_by_itself) {
  several s;
  open_several(&s, false);
  assert_int_equal(sn_systems_stop_together(s.systems, SYSTEMS, &s.err), SN_OK);
  assert_int_equal(sn_systems_stop_together(s.systems, 1, &s.err), SN_EINVAL);
  assert_int_equal(sn_estop_request(s.systems[1], "me", "why"), 1);
  for (size_t i = 0; i < SYSTEMS; i++) {
    assert_true(is_stopped(&s, i));
  }
  assert_int_equal(sn_estop_resume(s.systems[2], &s.err), SN_OK);
  assert_true(is_stopped(&s, 0));
  assert_true(is_stopped(&s, 1));
  assert_false(is_stopped(&s, 2));
  assert_int_equal(sn_estop_request(s.systems[2], "me", "again"), 2);
  assert_true(is_stopped(&s, 2));
  close_several(&s);
}

SN_TEST(a_stop_without_others_is_of_one_system) {
  several s;
  open_several(&s, false);
  (void)sn_estop_request(s.systems[1], "me", "why");
  assert_false(is_stopped(&s, 0));
  assert_true(is_stopped(&s, 1));
  close_several(&s);
}
