/* Wake-up latency: a thousand sleeps of a millisecond, with the priority of a control thread. */
#define _GNU_SOURCE

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "doctor/doctor.h"

enum { NAPS = 1000, PERIOD_NS = 1000000, PRIORITY = 80 };

typedef struct measurement {
  bool is_fifo;
  int64_t late_ns[NAPS];
} measurement;

static int64_t to_ns(struct timespec t) {
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *nap(void *argument) {
  measurement *m = argument;
  struct timespec due;
  clock_gettime(CLOCK_MONOTONIC, &due);
  for (int i = 0; i < NAPS; i++) {
    due.tv_nsec += PERIOD_NS;
    if (due.tv_nsec >= 1000000000) {
      due.tv_nsec -= 1000000000;
      due.tv_sec++;
    }
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR) {
      /* interrupted: the time is absolute */
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    m->late_ns[i] = to_ns(now) - to_ns(due);
  }
  return NULL;
}

static int start(pthread_t *thread, measurement *m) {
  pthread_attr_t attributes;
  const struct sched_param param = {.sched_priority = PRIORITY};
  pthread_attr_init(&attributes);
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
  pthread_attr_setschedparam(&attributes, &param);
  m->is_fifo = true;
  int code = pthread_create(thread, &attributes, nap, m);
  pthread_attr_destroy(&attributes);
  if (code == EPERM) {
    m->is_fifo = false;
    code = pthread_create(thread, NULL, nap, m);
  }
  return code;
}

static int compare(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a;
  const int64_t y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

void doctor_latency(const doctor_options *options, doctor_finding *finding) {
  (void)options;
  static measurement m;
  pthread_t thread;
  const int code = start(&thread, &m);
  if (code != 0) {
    finding->verdict = DOCTOR_BAD;
    snprintf(finding->text, sizeof finding->text, "cannot start a thread: %s", strerror(code));
    snprintf(finding->fix, sizeof finding->fix, "raise the limit of processes (ulimit -u)");
    return;
  }
  pthread_join(thread, NULL);
  qsort(m.late_ns, NAPS, sizeof *m.late_ns, compare);
  const size_t p99 = (size_t)NAPS * 99 / 100;
  const double p99_us = 1e-3 * (double)m.late_ns[p99];
  const double max_us = 1e-3 * (double)m.late_ns[NAPS - 1];
  /* A tenth of a 1 ms cycle is harmless; a whole one is a lost cycle. */
  finding->verdict = max_us < 100.0 ? DOCTOR_GOOD : DOCTOR_FAIR;
  snprintf(finding->text, sizeof finding->text,
           "wake-up within %.0f us (99 %%: %.0f us) of 1 ms cycles, with %s", max_us, p99_us,
           m.is_fifo ? "SCHED_FIFO" : "the default scheduler");
  if (finding->verdict != DOCTOR_GOOD) {
    snprintf(finding->fix, sizeof finding->fix, "%s",
             m.is_fifo ? "see 'kernel', 'sleep' and 'governor'; measure again on an idle machine"
                       : "see 'priority' first; then 'kernel'");
  }
}
