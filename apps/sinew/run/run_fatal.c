#define _GNU_SOURCE

#include "run/run_fatal.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bus/guard/guard_start.h"
#include "command.h"
#include "record/recorder.h"
#include "rt/busy.h"
#include "sinew/fault.h"

enum { ACTIVITIES_MAX = 64, ALTSTACK_SIZE = 1 << 15, WRITE_MS = 100 };
/* The servos are safe meanwhile: a disk that is busy may take its time. */
static const int64_t SAVE_NS = 1000000000, GUARD_NS = 60000000;

static struct {
  const sn_system *const *systems; /* [count] */
  size_t count;                    /* 0: nothing runs */
  atomic_flag is_taken;            /* a thread is at it: the others wait for the end */
  volatile sig_atomic_t is_reported;
  volatile sig_atomic_t signals; /* that asked for the end */
} fatal = {.is_taken = ATOMIC_FLAG_INIT};

/* ---- a line, by async-signal-safe calls only ---- */

typedef struct line {
  char text[512];
  size_t used;
} line;

static void put(line *l, const char *text) {
  for (; *text != '\0' && l->used + 1 < sizeof l->text; text++) {
    l->text[l->used++] = (char)(*text >= ' ' && *text != 127 ? *text : '?');
  }
}

static void put_number(line *l, uint64_t number, unsigned base) {
  char digits[24];
  size_t at = sizeof digits - 1;
  digits[at] = '\0';
  do {
    digits[--at] = "0123456789abcdef"[number % base];
    number /= base;
  } while (number > 0);
  put(l, digits + at);
}

static void put_place(line *l, const sn_busy *place) {
  if (place->component != NULL) {
    put(l, "'");
    put(l, place->what);
    put(l, "' of component '");
    put(l, place->component);
    put(l, "'");
  } else {
    put(l, "the cycle");
  }
  if (place->activity != NULL) {
    put(l, ", cycle ");
    put_number(l, place->cycle, 10);
    put(l, " of activity '");
    put(l, place->activity);
    put(l, "'");
  }
}

/* Where this thread is: in a cycle, or else in what management does. */
static void put_here(line *l) {
  sn_busy place;
  bool is_known = sn__busy_here(&place);
  for (size_t i = 0; !is_known && i < fatal.count; i++) {
    is_known = sn__busy_at(fatal.systems[i], 0, &place);
  }
  if (is_known) {
    put(l, " in ");
    put_place(l, &place);
  } else {
    put(l, " outside of every cycle");
  }
}

/* A full pipe or a paused terminal must not keep the process from ending. */
static void write_line(line *l) {
  l->text[l->used++] = '\n';
  struct pollfd errors = {.fd = STDERR_FILENO, .events = POLLOUT};
  if (poll(&errors, 1, WRITE_MS) <= 0) {
    return;
  }
  const ssize_t written = write(STDERR_FILENO, l->text, l->used);
  (void)written; /* errors cannot be reported elsewhere */
}

/* ---- the end ---- */

/* Servos first: standard error may be a pipe that is full, and recordings take their time. */
static void end_safely(line *l) {
  sn__guard_trip();
  write_line(l);
  if (!sn__recorder_save_all(SAVE_NS)) {
    line late = {.used = 0};
    put(&late, "sinew run: the recording may lack the last messages: it was not saved in time");
    write_line(&late);
  }
  (void)sn__guard_wait(GUARD_NS);
}

/* Another thread may have failed, too: what it does now must not spoil the end of the first. */
static void take_turn(void) {
  while (atomic_flag_test_and_set(&fatal.is_taken)) {
    (void)pause();
  }
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

static void on_fault(const sn_fault *fault, void *context) {
  (void)context;
  take_turn();
  fatal.is_reported = 1;
  line l = {.used = 0};
  put(&l, "sinew run: fatal: ");
  put(&l, base_name(fault->file));
  put(&l, ":");
  put_number(&l, (uint64_t)fault->line, 10);
  put(&l, ": assertion '");
  put(&l, fault->condition);
  put(&l, "' failed");
  put_here(&l);
  end_safely(&l);
}

static const char *signal_text(int number) {
  return number == SIGSEGV   ? "SIGSEGV"
         : number == SIGBUS  ? "SIGBUS"
         : number == SIGILL  ? "SIGILL"
         : number == SIGFPE  ? "SIGFPE"
         : number == SIGABRT ? "SIGABRT"
                             : "SIGSYS";
}

static void on_signal(int number, siginfo_t *info, void *context) {
  (void)context;
  if (!fatal.is_reported) {
    take_turn();
    fatal.is_reported = 1;
    line l = {.used = 0};
    put(&l, "sinew run: fatal: ");
    put(&l, signal_text(number));
    if (number != SIGABRT && info->si_code > 0) {
      put(&l, " at address 0x");
      put_number(&l, (uint64_t)(uintptr_t)info->si_addr, 16);
    }
    put_here(&l);
    end_safely(&l);
  }
  /* Exit status and core as if it had not been caught. */
  (void)signal(number, SIG_DFL);
  (void)raise(number); /* blocked until this handler returns */
}

/* A component must not end the process as if all were well. */
static void on_exit_call(void) {
  if (fatal.count == 0 || fatal.is_reported) {
    return;
  }
  take_turn();
  line l = {.used = 0};
  put(&l, "sinew run: fatal: exit() was called");
  put_here(&l);
  end_safely(&l);
  _exit(EXIT_FAULT);
}

/* ---- an end that does not come ---- */

static _Noreturn void end_by_force(const char *why) {
  line l = {.used = 0};
  put(&l, "sinew run: ");
  put(&l, why);
  bool is_any = false;
  for (size_t k = 0; k < fatal.count * (ACTIVITIES_MAX + 1); k++) {
    sn_busy place;
    if (sn__busy_at(fatal.systems[k / (ACTIVITIES_MAX + 1)], k % (ACTIVITIES_MAX + 1), &place)) {
      put(&l, is_any ? "; " : "; still busy: ");
      put_place(&l, &place);
      is_any = true;
    }
  }
  end_safely(&l);
  _exit(EXIT_FAULT);
}

static void on_alarm(int number) {
  (void)number;
  if (!atomic_flag_test_and_set(&fatal.is_taken)) {
    end_by_force("the end takes too long: ended by force");
  }
}

void run_fatal_interrupt(void) {
  if (++fatal.signals == 1) {
    (void)alarm(RUN_END_MAX_S);
  } else if (!atomic_flag_test_and_set(&fatal.is_taken)) {
    end_by_force("a second signal: ended at once");
  }
}

/* ---- from outside ---- */

void run_fatal_begin(const sn_system *const *systems, size_t count) {
  static const int fatals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};
  static char stack[ALTSTACK_SIZE];
  const stack_t ours = {.ss_sp = stack, .ss_size = sizeof stack};
  (void)sigaltstack(&ours, NULL);
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof fatals / sizeof *fatals; i++) {
    sigaddset(&action.sa_mask, fatals[i]);
  }
  for (size_t i = 0; i < sizeof fatals / sizeof *fatals; i++) {
    (void)sigaction(fatals[i], &action, NULL);
  }
  struct sigaction late = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK};
  sigemptyset(&late.sa_mask);
  (void)sigaction(SIGALRM, &late, NULL);
  fatal.systems = systems;
  fatal.count = count;
  sn_fault_set_hook(on_fault, NULL);
  static bool is_registered;
  if (!is_registered) {
    is_registered = atexit(on_exit_call) == 0;
  }
}

void run_fatal_end(void) {
  (void)alarm(0);
  fatal.count = 0;
}
