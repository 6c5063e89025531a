#define _POSIX_C_SOURCE 200809L /* sched_yield() */

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "model/robot_model.h"
#include "sinew/random.h"
#include "sn_test.h"

/* One thread configures and cleans up over and over, with two robots in turn, while others hold
   it. A held model is one robot from beginning to end. SINEW_TEST_SCALE=200
   makes it a million rounds. */
enum { THREADS = 5 };

/* The second is long, so that reading it takes a while: long enough for a cleanup that ignores
 * holds to free it. */
enum { FILLER = 60000 };
static char two[FILLER + 1000];
static const char *const robots[2] = {
    "<robot name='one'><link name='a'/><link name='b'/><joint name='x' type='continuous'>"
    "<parent link='a'/><child link='b'/></joint></robot>",
    two};

static void write_two(void) {
  snprintf(two, sizeof two,
           "<robot name='two'><link name='a'/><link name='b'/><link name='c'/>"
           "<joint name='y' type='continuous'><parent link='a'/><child link='b'/></joint>"
           "<joint name='x' type='continuous'><parent link='b'/><child link='c'/></joint></robot>"
           "<!--%*s-->",
           FILLER, "");
}

typedef struct shared {
  sn_robot_model *service;
  atomic_bool is_over;
  atomic_uint held;            /* holds begun */
  atomic_int running;          /* threads that have begun */
  _Atomic(const char *) wrong; /* the first thing that was wrong, or NULL */
} shared;

typedef struct worker {
  shared *common;
  pthread_t thread;
  sn_random random;
  size_t answered, refused;
} worker;

static void check(worker *w, bool good, const char *what) {
  const char *none = NULL;
  if (!good) {
    atomic_compare_exchange_strong(&w->common->wrong, &none, what);
  }
}

/* A held model is one robot from beginning to end. */
static void look_at_held(worker *w, const sn_model *model) {
  const bool is_two = strcmp(sn_model_name(model), "two") == 0;
  for (int i = 0; i < 20; i++) {
    check(w, sn_model_pose_size(model) == (is_two ? 2 : 1), "the size of a held model");
    check(w, sn_model_joint_index(model, "x") == (is_two ? 1 : 0), "a joint of a held model");
    check(w, sn__robot_model_is_configured(w->common->service), "a held model is configured");
  }
  size_t length = 0;
  const char *text = sn_model_description(model, &length);
  check(w, length == strlen(robots[is_two]) && memcmp(text, robots[is_two], length) == 0,
        "the description of a held model");
}

static void *hold(void *argument) {
  worker *w = argument;
  atomic_fetch_add(&w->common->running, 1);
  while (!atomic_load(&w->common->is_over)) {
    const sn_model *model = sn__robot_model_hold(w->common->service);
    if (model != NULL) {
      w->answered++;
      atomic_fetch_add(&w->common->held, 1);
      look_at_held(w, model);
      sn__robot_model_release(w->common->service);
    } else {
      w->refused++;
    }
    if (sn_random_below(&w->random, 4) == 0) {
      sched_yield();
    }
  }
  return NULL;
}

/* Clean up, however long others hold the model. */
static void cleanup(sn_robot_model *service) {
  sn_status status = SN_EBUSY;
  while (status != SN_OK) {
    status = sn__robot_model_cleanup(service);
    assert_true(status == SN_OK || status == SN_EBUSY);
    if (status != SN_OK) {
      sched_yield();
    }
  }
}

static void run_owner(shared *common, size_t rounds) {
  sn_robot_model *service = common->service;
  for (size_t i = 0; i < rounds && atomic_load(&common->wrong) == NULL; i++) {
    const char *text = robots[i % 2];
    if (i % 4 == 3) { /* again, without a cleanup before: fails while it is held */
      const sn_status status =
          sn__robot_model_configure(service, text, strlen(text), NULL, NULL, NULL);
      assert_true(status == SN_OK || status == SN_EBUSY);
      assert_true(sn__robot_model_is_configured(service));
    }
    cleanup(service);
    assert_false(sn__robot_model_is_configured(service));
    if (i % 16 == 5) { /* an error now and then */
      assert_int_equal(sn__robot_model_configure(service, "<", 1, NULL, NULL, NULL), SN_ESYNTAX);
    }
    /* An unconfigured model cannot be held, so this never fails. */
    assert_int_equal(sn__robot_model_configure(service, text, strlen(text), NULL, NULL, NULL),
                     SN_OK);
    /* Otherwise the model would rarely be held when it is cleaned up. */
    const unsigned held = atomic_load(&common->held);
    while (i % 2 == 1 && atomic_load(&common->held) == held) {
      sched_yield();
    }
  }
}

SN_TEST(every_thread_gets_one_robot_or_none) {
  static shared common;
  write_two();
  assert_int_equal(sn__robot_model_create(&common.service, NULL), SN_OK);
  worker workers[THREADS];
  for (size_t i = 0; i < THREADS; i++) {
    workers[i] = (worker){.common = &common};
    sn_random_init(&workers[i].random, i);
    assert_int_equal(pthread_create(&workers[i].thread, NULL, hold, &workers[i]), 0);
  }
  while (atomic_load(&common.running) < THREADS) {
    sched_yield();
  }
  run_owner(&common, sn_test_cases(5000));
  atomic_store(&common.is_over, true);
  size_t answered = 0;
  size_t refused = 0;
  for (size_t i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
    answered += workers[i].answered;
    refused += workers[i].refused;
  }
  if (atomic_load(&common.wrong) != NULL) {
    fail_msg("wrong: %s", atomic_load(&common.wrong));
  }
  assert_true(answered > 0); /* both have been seen, or nothing was tested */
  assert_true(refused > 0);
  sn__robot_model_destroy(common.service); /* all counts are back at zero, or it faults */
}
