/* Identification of a servo, in a thread of its own: it may take a while, and Ctrl-C must not wait
   for it. A job that is given up finishes on its own and frees itself. */
#include "py.h"

/* py.h first, as Python.h asks for. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ident/offline/ident_fit.h"
#include "servo.h"

enum { COLUMNS = 6 };

typedef struct job {
  sn_arena arena;
  sn_ident_fit_config config;
  sn_servo_params params;
  sn_ident_sample *samples;
  size_t count;
  sn_ident_result result;
  sn_status status;
  sn_error err;
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t changed;
  bool is_done, is_given_up;
} job;

static void free_job(job *j) {
  sn_arena_release(&j->arena);
  pthread_cond_destroy(&j->changed);
  pthread_mutex_destroy(&j->lock);
  free(j->samples);
  free(j);
}

static void *run_job(void *argument) {
  job *j = argument;
  j->status =
      sn__ident_fit(&j->arena, &j->config, &j->params, j->samples, j->count, &j->result, &j->err);
  pthread_mutex_lock(&j->lock);
  const bool is_given_up = j->is_given_up;
  j->is_done = true;
  pthread_cond_signal(&j->changed);
  pthread_mutex_unlock(&j->lock);
  if (is_given_up) {
    free_job(j);
  }
  return NULL;
}

/* Without the GIL. @return whether it is done */
static bool wait_a_while(job *j) {
  const struct timespec until = py_soon();
  pthread_mutex_lock(&j->lock);
  int code = 0;
  while (!j->is_done && code == 0) {
    code = pthread_cond_timedwait(&j->changed, &j->lock, &until);
  }
  const bool is_done = j->is_done;
  pthread_mutex_unlock(&j->lock);
  return is_done;
}

/* @return whether the job is the caller's: done, and to be freed */
static bool wait_for(job *j) {
  for (;;) {
    bool is_done = false;
    Py_BEGIN_ALLOW_THREADS;
    is_done = wait_a_while(j);
    Py_END_ALLOW_THREADS;
    if (is_done) {
      return true;
    }
    if (PyErr_CheckSignals() != 0) {
      pthread_mutex_lock(&j->lock);
      is_done = j->is_done;
      j->is_given_up = !is_done;
      pthread_mutex_unlock(&j->lock);
      if (is_done) {
        free_job(j);
      }
      return false;
    }
  }
}

/* ---- arguments and results ---- */

static bool take_samples(PyObject *object, job *j) {
  py_numbers numbers;
  if (!py_numbers_take_any(object, "log", COLUMNS, &numbers)) {
    return false;
  }
  j->count = numbers.rows;
  j->samples = malloc((j->count + 1) * sizeof *j->samples);
  for (size_t i = 0; j->samples != NULL && i < j->count; i++) {
    const double *x = numbers.data + COLUMNS * i;
    j->samples[i] = (sn_ident_sample){x[0], x[1], x[2], x[3], x[4], x[5]};
  }
  py_numbers_release(&numbers);
  return py_need(j->samples);
}

static PyObject *make_predictions(const sn_ident_result *r) {
  const size_t shape[] = {r->prediction_count, 4};
  py_array array;
  if (!py_array_make_shape(2, shape, &array)) {
    return NULL;
  }
  for (size_t i = 0; i < r->prediction_count; i++) {
    const sn_ident_prediction *p = &r->predictions[i];
    const double row[4] = {p->time_s, p->position, p->predicted, p->velocity};
    memcpy(array.data + 4 * i, row, sizeof row);
  }
  return py_array_finish(&array);
}

static PyObject *make_result(const job *j) {
  const sn_ident_result *r = &j->result;
  const double *s = r->std;
  if (j->status != SN_OK) {
    return py_fail(&j->err);
  }
  return Py_BuildValue("{s:N,s:(ddddddd),s:N,s:N,s:d,s:d,s:n,s:n,s:z,s:N}", "parameters",
                       py_servo_params_make(&r->params), "std", s[0], s[1], s[2], s[3], s[4], s[5],
                       s[6], "ok", PyBool_FromLong(r->ok), "excited", PyBool_FromLong(r->excited),
                       "excitation", r->excitation, "error_rad", r->error_rad, "samples",
                       (Py_ssize_t)r->sample_count, "delay", (Py_ssize_t)r->delay, "reason",
                       r->reason, "predictions", make_predictions(r));
}

static job *make_job(PyObject *args) {
  PyObject *params = NULL;
  PyObject *log = NULL;
  int delay = -1;
  int fit_stribeck = 0;
  int identify_inertia = 0;
  sn_ident_fit_config config = {.want_plots = true};
  if (!PyArg_ParseTuple(args, "OOdddipp:_identify", &params, &log, &config.voltage,
                        &config.threshold_rad, &config.min_velocity, &delay, &fit_stribeck,
                        &identify_inertia)) {
    return NULL;
  }
  job *j = calloc(1, sizeof *j);
  if (j == NULL) {
    py_no_memory();
    return NULL;
  }
  config.has_delay = delay >= 0;
  config.control_delay = delay >= 0 ? (size_t)delay : 0;
  config.fit_stribeck = fit_stribeck != 0;
  config.identify_inertia = identify_inertia != 0;
  j->config = config;
  pthread_mutex_init(&j->lock, NULL);
  pthread_cond_init(&j->changed, NULL);
  sn_arena_init_growing(&j->arena, "identification", 1 << 20);
  if (!py_servo_params_take(params, &j->params) || !take_samples(log, j)) {
    free_job(j);
    return NULL;
  }
  return j;
}

PyObject *py_identify(PyObject *module, PyObject *args) {
  pthread_t thread;
  (void)module;
  job *j = make_job(args);
  if (j == NULL) {
    return NULL;
  }
  if (pthread_create(&thread, NULL, run_job, j) != 0) {
    free_job(j);
    PyErr_SetString(py_error, "no thread could be started");
    return NULL;
  }
  pthread_detach(thread);
  if (!wait_for(j)) {
    return NULL;
  }
  PyObject *result = make_result(j);
  free_job(j);
  return result;
}
