/* Which extension of the model pays: each model is identified from a part of the logs and simulates
   the others. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "ident_tools/pendulum.h"

enum { STARTS = 2 };
#define ABOUT 1.05 /* times the least error: not worth more parameters */

/* The parts are the gains of the logs, or every second log if all have the same gain. */
static bool is_in_first(const pendulum_work *w, size_t i, bool has_gains) {
  return has_gains ? w->fitted[i].log.gain == w->fitted[0].log.gain : i % 2 == 0;
}

static bool has_several_gains(const pendulum_work *w) {
  bool found = false;
  for (size_t i = 1; i < w->fitted_count; i++) {
    found = found || w->fitted[i].log.gain != w->fitted[0].log.gain;
  }
  return found;
}

/* Errors of simulated logs. */
typedef struct errors {
  double sum, count;
} errors;

/* One model, identified from one part. */
typedef struct job {
  pendulum_crossed which;
  bool first;
  errors result;
} job;

enum { JOBS_MAX = 2 * PENDULUM_CROSSED };

/* What all threads work on. */
typedef struct jobs {
  const pendulum_work *w;
  job all[JOBS_MAX];
  size_t count;
  atomic_size_t next; /* first one without a thread */
} jobs;

static const struct {
  const char *name;
  sn__oe_config config;
} models[PENDULUM_CROSSED] = {
    [PENDULUM_BASIC] = {"basic",
                        {.model = SN__OE_BASIC,
                         .start_count = STARTS,
                         .gain_range = PENDULUM_GAIN_RANGE}},
    [PENDULUM_LOAD] = {"load", {.model = SN__OE_LINEAR_LOAD, .start_count = STARTS}},
    [PENDULUM_FULL] = {"full", {.model = SN__OE_FULL, .start_count = STARTS}},
    [PENDULUM_DIRECTIONAL] = {"full --directional",
                              {.model = SN__OE_FULL,
                               .start_count = STARTS,
                               .is_directional = true}},
    [PENDULUM_BACKLASH] = {"full --backlash",
                           {.model = SN__OE_FULL, .start_count = STARTS, .has_backlash = true}}};

const char *pendulum_crossed_name(pendulum_crossed which) {
  return models[which].name;
}

/* Only limp rows tell back-EMF from viscous friction, so models of logs without any cannot be
   judged by logs with them. */
static void add_outside(const pendulum_work *w, sn_arena *arena, const sn__servo_on_load *servo,
                        bool has_limp, job *j) {
  const bool has_gains = has_several_gains(w);
  for (size_t i = 0; i < w->fitted_count; i++) {
    const pendulum_log *log = &w->fitted[i];
    if (is_in_first(w, i, has_gains) == j->first || (log->rows.limp > 0 && !has_limp)) {
      continue;
    }
    double *position = SN_NEW(arena, double, log->log.count);
    if (position == NULL) {
      j->result.sum = (double)INFINITY;
      return;
    }
    sn__servo_simulate(servo, &log->log, SN__SERVO_WHOLE, position);
    j->result.sum += sn__servo_score_of(&log->log, position).mae_rad;
    j->result.count += 1.0;
  }
}

/* Identify one part and simulate the logs of the other. Infinite: no fit. */
static void cross_part(const pendulum_work *w, job *j) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "cross-validation", 1 << 20);
  const bool has_gains = has_several_gains(w);
  sn__servo_log *logs = SN_NEW(&arena, sn__servo_log, w->fitted_count);
  size_t count = 0;
  bool has_limp = false;
  for (size_t i = 0; logs != NULL && i < w->fitted_count; i++) {
    if (is_in_first(w, i, has_gains) == j->first) {
      logs[count++] = w->fitted[i].log;
      has_limp = has_limp || w->fitted[i].rows.limp > 0;
    }
  }
  sn_servo_params known = w->entry->params;
  known.ext.drive_max = w->result.servo.params.ext.drive_max;
  sn__oe_result result;
  if (count > 0 &&
      sn__oe_fit(&arena, &models[j->which].config, &known, logs, count, &result, NULL) == SN_OK) {
    add_outside(w, &arena, &result.servo, has_limp, j);
  } else {
    j->result.sum = (double)INFINITY;
  }
  sn_arena_release(&arena);
}

static void *run_jobs(void *argument) {
  jobs *all = argument;
  for (;;) {
    const size_t i = atomic_fetch_add_explicit(&all->next, 1, memory_order_relaxed);
    if (i >= all->count) {
      return NULL;
    }
    cross_part(all->w, &all->all[i]);
  }
}

static void run_all(jobs *all) {
  pthread_t threads[IDENT_THREADS_MAX];
  const size_t wanted = ident_thread_count() < all->count ? ident_thread_count() : all->count;
  size_t started = 1;
  while (started < wanted && pthread_create(&threads[started], NULL, run_jobs, all) == 0) {
    started++;
  }
  run_jobs(all);
  for (size_t i = 1; i < started; i++) {
    pthread_join(threads[i], NULL);
  }
}

void pendulum_cross(pendulum_work *w) {
  const ident_request *r = w->request;
  const bool wants_option = w->is_full && (r->is_directional || r->has_backlash);
  const bool wants_all = r->report != NULL;
  const bool wanted[PENDULUM_CROSSED] = {
      [PENDULUM_FULL] = wants_option,
      [PENDULUM_DIRECTIONAL] = w->is_full && r->is_directional,
      [PENDULUM_BACKLASH] = w->is_full && r->has_backlash,
  };
  jobs all = {.w = w};
  for (int k = 0; k < PENDULUM_CROSSED && w->fitted_count >= 2; k++) {
    w->is_crossed[k] = wants_all || wanted[k];
    for (int part = 0; w->is_crossed[k] && part < 2; part++) {
      all.all[all.count++] = (job){.which = (pendulum_crossed)k, .first = part == 0};
    }
  }
  run_all(&all);
  for (size_t i = 0; i + 1 < all.count; i += 2) {
    const errors *a = &all.all[i].result, *b = &all.all[i + 1].result;
    const double count = a->count + b->count;
    w->cross_rad[all.all[i].which] = count > 0.0 ? (a->sum + b->sum) / count : (double)INFINITY;
  }
}

pendulum_crossed pendulum_cross_simplest(const pendulum_work *w) {
  double best = INFINITY;
  for (size_t k = 0; k < PENDULUM_CROSSED; k++) {
    best = w->is_crossed[k] ? fmin(best, w->cross_rad[k]) : best;
  }
  for (size_t k = 0; isfinite(best) && k < PENDULUM_CROSSED; k++) {
    if (w->is_crossed[k] && w->cross_rad[k] <= ABOUT * best) {
      return (pendulum_crossed)k;
    }
  }
  return PENDULUM_CROSSED;
}
