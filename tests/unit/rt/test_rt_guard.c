/* The real-time path makes no system call and takes no lock: a child process forbids both and runs
   a thousand cycles. (test_system.c shows that it does not touch the heap.) */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "allocation.h"
#include "rig.h"
#include "rt/cell.h"
#include "sn_test.h"

enum { MS = 1000000, CYCLES = 1000, CODE_LOCKED = 41, CODE_BAD = 42 };

static _Thread_local bool is_guarded;

/* Every lock of the program comes through here. */
int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static int (*real)(pthread_mutex_t *);
  if (is_guarded) {
    _exit(CODE_LOCKED); /* allowed: it ends the child */
  }
  if (real == NULL) {
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_lock");
  }
  return real(mutex);
}

/* From now on any system call but the end kills the process by SIGSYS. */
static void forbid_system_calls(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    _exit(CODE_BAD);
  }
}

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

/* @return how the child ended, as waitpid() tells it */
static int run_guarded(rig *r, sin_kind sin) {
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    is_guarded = true;
    forbid_system_calls();
    cycles(r);
    if (sin == SIN_CALL) {
      (void)syscall(SYS_getpid);
    } else if (sin == SIN_LOCK) {
      sn_system_hold(r->system);
    }
    _exit(atomic_load(&r->system->cells[0]->steps) == CYCLES ? 0 : CODE_BAD);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  return status;
}

static void cycle_makes_no_system_call_and_takes_no_lock(void **state) {
  (void)state;
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
static void guard_sees_a_system_call_and_a_lock(void **state) {
  (void)state;
  skip_under_sanitizers();
  rig r;
  sn_tap *taps[2];
  rig_open(&r, MS);
  build(&r, taps);
  int status = run_guarded(&r, SIN_CALL);
  assert_true(WIFSIGNALED(status));
  status = run_guarded(&r, SIN_LOCK);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), CODE_LOCKED);
  close_all(&r, taps);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cycle_makes_no_system_call_and_takes_no_lock),
      cmocka_unit_test(guard_sees_a_system_call_and_a_lock),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
