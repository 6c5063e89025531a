#include "py.h"

/* py.h first, as Python.h asks for. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "ik_pool.h"

/* Poses that a thread takes at once: few enough to share the work, enough to rarely meet. */
enum { SHARE = 16 };

struct py_ik_pool {
  sn_arena arena;
  const sn_model *model;
  sn_ik_config config;
  const char *tip;
  char solver[96];
  double *middle;
  sn_ik *solvers[PY_IK_JOBS_MAX]; /* created as they are needed */
  size_t count;
  pthread_mutex_t lock; /* of the solvers */
};

typedef struct batch {
  const py_ik_work *work;
  const double *middle;
  size_t dof;
  atomic_size_t next; /* first pose that no thread has taken */
  atomic_bool is_cancelled;
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t is_done;
  size_t running;
} batch;

typedef struct worker {
  batch *batch;
  sn_ik *ik;
  pthread_t thread;
} worker;

/* ---- life ---- */

static bool add_solver(py_ik_pool *pool) {
  sn_error err;
  if (sn_ik_create(&pool->arena, pool->model, &pool->config, &pool->solvers[pool->count], &err) !=
      SN_OK) {
    (void)py_fail(&err);
    return false;
  }
  pool->count++;
  return true;
}

static bool find_middle(py_ik_pool *pool) {
  const sn_ik *ik = pool->solvers[0];
  const size_t n = sn_ik_joint_count(ik);
  pool->middle = SN_NEW(&pool->arena, double, n);
  for (size_t i = 0; pool->middle != NULL && i < n; i++) {
    double lower;
    double upper;
    sn_ik_limits(ik, i, &lower, &upper);
    const bool is_bounded = isfinite(lower) && isfinite(upper);
    pool->middle[i] = is_bounded ? 0.5 * (lower + upper) : fmin(fmax(0.0, lower), upper);
  }
  return py_need(pool->middle);
}

static bool fill(py_ik_pool *pool, const char *solver) {
  char *text = sn_arena_text(&pool->arena, solver, strlen(solver));
  if (!py_need(text)) {
    return false;
  }
  pool->config.solver = text;
  if (!add_solver(pool) || !find_middle(pool)) {
    return false;
  }
  const sn_ik *ik = pool->solvers[0];
  snprintf(pool->solver, sizeof pool->solver, "%s (%s)", sn_ik_solver_name(ik),
           sn_ik_solver_description(ik));
  return true;
}

py_ik_pool *py_ik_pool_create(const sn_model *model, const char *base, const char *tip,
                              const char *solver) {
  py_ik_pool *pool = PyMem_Calloc(1, sizeof *pool);
  if (pool == NULL) {
    py_no_memory();
    return NULL;
  }
  pthread_mutex_init(&pool->lock, NULL);
  sn_arena_init_growing(&pool->arena, "solvers", 64 * 1024);
  pool->model = model;
  pool->tip = tip;
  pool->config = (sn_ik_config){.base_frame = base, .tip_frames = &pool->tip, .tip_count = 1};
  if (!fill(pool, solver)) {
    py_ik_pool_destroy(pool);
    return NULL;
  }
  return pool;
}

void py_ik_pool_destroy(py_ik_pool *pool) {
  if (pool != NULL) {
    sn_arena_release(&pool->arena);
    pthread_mutex_destroy(&pool->lock);
    PyMem_Free(pool);
  }
}

const char *py_ik_pool_solver(const py_ik_pool *pool) {
  return pool->solver;
}

const double *py_ik_pool_middle(const py_ik_pool *pool) {
  return pool->middle;
}

/* A thread that waits for the lock must not keep the GIL: its owner may need it to go on. */
sn_ik *py_ik_pool_lock(py_ik_pool *pool) {
  Py_BEGIN_ALLOW_THREADS;
  pthread_mutex_lock(&pool->lock);
  Py_END_ALLOW_THREADS;
  return pool->solvers[0];
}

void py_ik_pool_unlock(py_ik_pool *pool) {
  pthread_mutex_unlock(&pool->lock);
}

/* ---- batches ---- */

static void solve_one(const worker *w, size_t i) {
  const batch *b = w->batch;
  const py_ik_work *work = b->work;
  const double *seed = work->seeds == NULL  ? b->middle
                       : work->has_one_seed ? work->seeds
                                            : work->seeds + i * b->dof;
  double *solution = work->solutions + i * b->dof;
  const sn_ik_options options = {.free_axes = work->free_axes, .clamp_seed = true};
  if (sn_ik_search(w->ik, &work->poses[i], 1, seed, b->dof, work->timeout_s, &options, solution,
                   NULL) != SN_IK_OK) {
    for (size_t j = 0; j < b->dof; j++) {
      solution[j] = NAN;
    }
  }
}

static void *run_worker(void *argument) {
  const worker *w = argument;
  batch *b = w->batch;
  for (;;) {
    const size_t first = atomic_fetch_add_explicit(&b->next, SHARE, memory_order_relaxed);
    for (size_t i = first; i < first + SHARE && i < b->work->count; i++) {
      if (atomic_load_explicit(&b->is_cancelled, memory_order_relaxed)) {
        break;
      }
      solve_one(w, i);
    }
    if (first + SHARE >= b->work->count || atomic_load(&b->is_cancelled)) {
      break;
    }
  }
  pthread_mutex_lock(&b->lock);
  b->running--;
  pthread_cond_signal(&b->is_done);
  pthread_mutex_unlock(&b->lock);
  return NULL;
}

/* Wait for the workers for a while. @return whether they have ended. Needs no GIL */
static bool wait_a_while(batch *b) {
  const struct timespec until = py_soon();
  pthread_mutex_lock(&b->lock);
  int code = 0;
  while (b->running > 0 && code == 0) {
    code = pthread_cond_timedwait(&b->is_done, &b->lock, &until);
  }
  const bool is_done = b->running == 0;
  pthread_mutex_unlock(&b->lock);
  return is_done;
}

/* Python's handler of Ctrl-C runs in its main thread only, which is here. */
static bool wait_for_all(batch *b) {
  bool is_done = false;
  bool is_good = true;
  while (!is_done) {
    Py_BEGIN_ALLOW_THREADS;
    is_done = wait_a_while(b);
    Py_END_ALLOW_THREADS;
    if (is_good && PyErr_CheckSignals() != 0) {
      is_good = false;
      atomic_store(&b->is_cancelled, true);
    }
  }
  return is_good;
}

static bool run_batch(py_ik_pool *pool, const py_ik_work *work, size_t jobs) {
  worker workers[PY_IK_JOBS_MAX];
  batch b = {.work = work, .middle = pool->middle, .dof = sn_ik_joint_count(pool->solvers[0])};
  pthread_mutex_init(&b.lock, NULL);
  pthread_cond_init(&b.is_done, NULL);
  size_t started = 0;
  for (; started < jobs; started++) {
    workers[started] = (worker){.batch = &b, .ik = pool->solvers[started]};
    pthread_mutex_lock(&b.lock);
    const bool is_good =
        pthread_create(&workers[started].thread, NULL, run_worker, &workers[started]) == 0;
    b.running += is_good;
    pthread_mutex_unlock(&b.lock);
    if (!is_good) {
      break;
    }
  }
  bool is_good = wait_for_all(&b);
  for (size_t i = 0; i < started; i++) {
    pthread_join(workers[i].thread, NULL);
  }
  if (is_good && started == 0) {
    PyErr_SetString(py_error, "no thread could be started");
    is_good = false;
  }
  pthread_cond_destroy(&b.is_done);
  pthread_mutex_destroy(&b.lock);
  return is_good;
}

bool py_ik_pool_run(py_ik_pool *pool, const py_ik_work *work, size_t jobs) {
  const size_t useful = (work->count + SHARE - 1) / SHARE;
  const size_t limit = useful < PY_IK_JOBS_MAX ? useful : PY_IK_JOBS_MAX;
  jobs = jobs < limit ? jobs : limit;
  (void)py_ik_pool_lock(pool);
  bool is_good = true;
  while (is_good && pool->count < jobs) {
    is_good = add_solver(pool);
  }
  is_good = is_good && (jobs == 0 || run_batch(pool, work, jobs));
  py_ik_pool_unlock(pool);
  return is_good;
}
