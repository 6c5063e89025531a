#define _POSIX_C_SOURCE 200809L /* sched_yield() */

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "model/robot_model.h"
#include "sinew/random.h"
#include "sn_test.h"

/* One thread configures and cleans up over and over, with two robots in turn, while others query
   and hold it. Every answer belongs to one robot, or is "not configured". SINEW_TEST_SCALE=200
   makes it a million rounds. */
enum { ASKERS = 5, HOLDERS = 3, THREADS = ASKERS + HOLDERS };

/* The second is long, so that copying it out takes a while: long enough for a cleanup that does not
 * wait to free it. */
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

/* Names with their NULs, as a list of names holds them. */
static const char *const joint_lists[2] = {"x\0", "y\0x\0"};
static const size_t joint_list_sizes[2] = {2, 4};
static const char *const chain_names[2] = {"b", "c"};

typedef struct shared {
  sn_robot_model *service;
  atomic_bool is_over;
  atomic_uint asked;           /* rounds of questions begun */
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

/* @return whether there was an answer to check */
static bool is_answer(worker *w, sn_status status, const char *what) {
  check(w, status == SN_OK || status == SN_ENOTCONFIGURED, what);
  *(status == SN_OK ? &w->answered : &w->refused) += 1;
  return status == SN_OK;
}

static void ask_lists(worker *w) {
  char text[64];
  sn_name_list list = {.text = text, .text_size = sizeof text};
  if (is_answer(w, sn__robot_model_list_joints(w->common->service, &list), "list_joints")) {
    const size_t which = list.count - 1;
    check(w, which < 2 && memcmp(text, joint_lists[which], joint_list_sizes[which]) == 0,
          "the list of joints");
  }
  if (is_answer(w, sn__robot_model_list_chains(w->common->service, &list), "list_chains")) {
    check(
        w,
        list.count == 1 && (strcmp(text, chain_names[0]) == 0 || strcmp(text, chain_names[1]) == 0),
        "the list of chains");
  }
}

static void ask_texts(worker *w) {
  char text[sizeof two];
  if (is_answer(w, sn__robot_model_description(w->common->service, text, sizeof text),
                "description")) {
    check(w, strcmp(text, robots[0]) == 0 || strcmp(text, robots[1]) == 0, "the description");
  }
  if (is_answer(w, sn__robot_model_joint_chain(w->common->service, "x", text, sizeof text),
                "joint_chain")) {
    check(w, strcmp(text, "b") == 0 || strcmp(text, "c") == 0, "the chain of the joint");
  }
  const sn_status status =
      sn__robot_model_chain_property(w->common->service, "c", "last_link", text, sizeof text);
  if (status != SN_ENOENT && is_answer(w, status, "chain_property")) {
    check(w, strcmp(text, "c") == 0, "the property of the chain");
  }
}

static void ask_indices(worker *w) {
  int index = -7;
  if (is_answer(w, sn__robot_model_joint_index(w->common->service, "x", &index), "joint_index")) {
    check(w, index == 0 || index == 1, "the index of the joint");
  }
  if (is_answer(w, sn__robot_model_chain_index(w->common->service, "a", &index), "chain_index")) {
    check(w, index == -1, "the index of a chain that is none");
  }
  sn_point_buffer buffer = {0};
  if (is_answer(w, sn__robot_model_add_contact_points(w->common->service, "p", &buffer, &index),
                "add_contact_points")) {
    check(w, index == -1, "points of a contact that is none");
  }
}

static void *ask(void *argument) {
  worker *w = argument;
  atomic_fetch_add(&w->common->running, 1);
  while (!atomic_load(&w->common->is_over)) {
    atomic_fetch_add(&w->common->asked, 1);
    switch (sn_random_below(&w->random, 4)) {
      case 0:
        ask_lists(w);
        break;
      case 1:
        ask_texts(w);
        break;
      case 2:
        ask_indices(w);
        break;
      default:
        sn__robot_model_is_configured(w->common->service);
        sched_yield();
    }
  }
  return NULL;
}

/* A held model is one robot from beginning to end. */
static void look_at_held(worker *w, const sn_model *model) {
  const bool is_two = strcmp(sn_model_name(model), "two") == 0;
  for (int i = 0; i < 20; i++) {
    check(w, sn_model_pose_size(model) == (is_two ? 2 : 1), "the size of a held model");
    check(w, sn_model_joint_index(model, "x") == (is_two ? 1 : 0), "a joint of a held model");
    check(w, sn__robot_model_is_configured(w->common->service), "a held model is configured");
    int index = -7;
    check(w, sn__robot_model_joint_index(w->common->service, "x", &index) == SN_OK,
          "a query while the model is held");
    check(w, index == (is_two ? 1 : 0), "the answer while the model is held");
  }
}

static void *hold(void *argument) {
  worker *w = argument;
  atomic_fetch_add(&w->common->running, 1);
  while (!atomic_load(&w->common->is_over)) {
    const sn_model *model = sn__robot_model_hold(w->common->service);
    if (model != NULL) {
      w->answered++;
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
    /* Otherwise no query would be running when it is cleaned up. */
    const unsigned asked = atomic_load(&common->asked);
    while (i % 2 == 1 && atomic_load(&common->asked) == asked) {
      sched_yield();
    }
  }
}

static void every_thread_gets_one_robot_or_none(void **state) {
  (void)state;
  static shared common;
  write_two();
  assert_int_equal(sn__robot_model_create(&common.service, NULL), SN_OK);
  worker workers[THREADS];
  for (size_t i = 0; i < THREADS; i++) {
    workers[i] = (worker){.common = &common};
    sn_random_init(&workers[i].random, i);
    assert_int_equal(pthread_create(&workers[i].thread, NULL, i < ASKERS ? ask : hold, &workers[i]),
                     0);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_thread_gets_one_robot_or_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
