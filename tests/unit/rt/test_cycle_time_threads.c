/* The time that components see in real time: ticks, and never backwards. */
#include <sched.h>
#include <stdatomic.h>

#include "rig.h"
#include "rt/component_runtime.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { STEPS = 200 };
static const int64_t period_ns = 1000000;

/* Each step takes a random time, up to two periods, so that the next cycle begins late. */
typedef struct late {
  sn_component component;
  sn_random random;
  int64_t times_ns[STEPS];
  _Atomic int count;
} late;

static sn_status late_step(sn_component *component, int64_t now_ns) {
  late *self = (late *)component;
  const int count = atomic_load(&self->count);
  if (count < STEPS) {
    self->times_ns[count] = now_ns;
    atomic_store(&self->count, count + 1);
  }
  const sn_clock *clock = sn_system_clock(component->system);
  const int64_t end_ns = sn_clock_now_ns(clock) + (int64_t)sn_random_below(&self->random, 2000000);
  while (sn_clock_now_ns(clock) < end_ns) {
  }
  return SN_OK;
}

static const sn_component_type late_type = {
    .abi = SN_COMPONENT_ABI, .name = "late", .size = sizeof(late), .step = late_step};

SN_TEST(cycles_are_whole_periods_apart_however_late_they_begin) {
  rig r;
  rig_open_real(&r, period_ns);
  late *self = rig_add(&r, &late_type, "late");
  sn_random_init(&self->random, 1);
  rig_begin(&r);
  assert_int_equal(sn_system_launch(r.system, &r.err), SN_OK);
  while (atomic_load(&self->count) < STEPS) {
    sched_yield();
  }
  sn_system_end(r.system);
  for (int i = 1; i < STEPS; i++) {
    const int64_t passed_ns = self->times_ns[i] - self->times_ns[i - 1];
    assert_true(passed_ns > 0);
    assert_int_equal(passed_ns % period_ns, 0);
  }
  rig_close(&r);
}

SN_TEST(time_of_a_tick_is_not_before_what_a_component_has_seen) {
  rig r;
  rig_open(&r, period_ns);
  assert_int_equal(sn__system_time(r.system, 500), 500);
  assert_int_equal(sn__system_time(r.system, 300), 500); /* a late tick, after a start hook */
  assert_int_equal(sn__system_time(r.system, 501), 501);
  rig_close(&r);
}
