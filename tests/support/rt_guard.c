#define _GNU_SOURCE

#include "rt_guard.h"

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "allocation.h"

static _Thread_local bool is_guarded;
static _Thread_local size_t heap_calls;

static void refuse_lock(void) {
  if (is_guarded) {
    _exit(RT_GUARD_LOCKED); /* allowed: it ends the child */
  }
}

/* Wraps every lock of the program. */
#define GUARD_LOCK(function, type)                   \
  int function(type *lock) {                         \
    static int (*real)(type *);                      \
    refuse_lock();                                   \
    if (real == NULL) {                              \
      *(void **)&real = dlsym(RTLD_NEXT, #function); \
    }                                                \
    return real(lock);                               \
  }

GUARD_LOCK(pthread_mutex_lock, pthread_mutex_t)
GUARD_LOCK(pthread_mutex_trylock, pthread_mutex_t)
GUARD_LOCK(pthread_rwlock_rdlock, pthread_rwlock_t)
GUARD_LOCK(pthread_rwlock_wrlock, pthread_rwlock_t)

void rt_guard_begin(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    _exit(RT_GUARD_BAD);
  }
  heap_calls = sn_test_heap_calls();
  is_guarded = true;
}

void rt_guard_check_heap(void) {
  if (sn_test_heap_calls() != heap_calls) {
    _exit(RT_GUARD_HEAP);
  }
}

bool rt_guard_is_on(void) {
  return is_guarded;
}
