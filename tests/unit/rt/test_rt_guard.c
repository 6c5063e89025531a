/* The real-time path makes no system call and takes no lock: a child process forbids both and runs
   a thousand cycles. test_rt_guard_standard.c does the same with all that the standard deployment
   has. (test_system.c shows that it does not touch the heap.) */
#define _GNU_SOURCE

#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "allocation.h"
#include "rig.h"
#include "rt/component_runtime.h"
#include "rt_guard.h"
#include "sn_test.h"

enum { MS = 1000000, CYCLES = 1000 };

static void cycles(rig *r) {
  for (int i = 0; i < CYCLES; i++) {
    sn__activity_cycle(r->activity, sn_clock_now_ns(&r->clock));
    sn__activity_advance(r->activity, sn_clock_now_ns(&r->clock));
    if (r->clock.kind == SN_CLOCK_SIMULATED) {
      sn_clock_advance(&r->clock, MS);
    }
  }
}

/* A system with data, buffered and event connections, taps that share one and a fault. */
static void build(rig *r, sn_tap *taps[2]) {
  rig_add(r, &part_source_type, "source");
  rig_add(r, &part_gain_type, "gain");
  rig_add(r, &part_sink_type, "sink");
  part_faulty *bad = rig_add(r, &part_faulty_type, "bad");
  rig_set(r, bad, "fail_at", "500");
  rig_set(r, bad, "kind", "1");
  rig_connect(r, "source.out", "gain.in");
  const sn_connection queue = {.buffer = 4};
  assert_int_equal(sn_system_connect(r->system, "gain.out", "sink.in", &queue, &r->err), SN_OK);
  const sn_connection shared = {.buffer = 4, .shared = true};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(sn_tap_open(r->system, "gain.out", &shared, &taps[i], &r->err), SN_OK);
  }
  rig_begin(r);
}

static void close_all(rig *r, sn_tap *taps[2]) {
  sn_tap_close(taps[0]);
  sn_tap_close(taps[1]);
  rig_close(r);
}

/* They make system calls of their own. */
static void skip_under_sanitizers(void) {
  if (!sn_test_heap_is_watched()) {
    skip();
  }
}

typedef enum sin { SIN_NONE, SIN_CALL, SIN_LOCK } sin_kind;

/* @return how the child ended, as waitpid() reports it */
static int run_guarded(rig *r, sin_kind sin) {
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    rt_guard_begin();
    cycles(r);
    if (sin == SIN_CALL) {
      (void)syscall(SYS_getpid);
    } else if (sin == SIN_LOCK) {
      sn_system_hold(r->system);
    }
    _exit(atomic_load(&r->system->runtimes[0]->steps) == CYCLES ? 0 : RT_GUARD_BAD);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  return status;
}

SN_TEST(cycle_makes_no_system_call_and_takes_no_lock) {
  skip_under_sanitizers();
  for (int real = 0; real < 2; real++) {
    rig r;
    sn_tap *taps[2];
    if (real) {
      rig_open_real(&r, MS);
    } else {
      rig_open(&r, MS);
    }
    build(&r, taps);
    const int status = run_guarded(&r, SIN_NONE);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    close_all(&r, taps);
  }
}

/* Without this the test above could not fail. */
SN_TEST(guard_sees_a_system_call_and_a_lock) {
  skip_under_sanitizers();
  rig r;
  sn_tap *taps[2];
  rig_open(&r, MS);
  build(&r, taps);
  int status = run_guarded(&r, SIN_CALL);
  assert_true(WIFSIGNALED(status));
  status = run_guarded(&r, SIN_LOCK);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), RT_GUARD_LOCKED);
  close_all(&r, taps);
}
