#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "rig.h"
#include "rt/component_runtime.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { MS = 1000000 };

static void launch(rig *r) {
  rig_begin(r);
  if (sn_system_launch(r->system, &r->err) != SN_OK) {
    fail_msg("%s", r->err.message);
  }
}

/* ---- calls ---- */

/* So long that only a hang can take it, however busy the machine is. */
static const int64_t patience_ns = INT64_C(60000000000);

static void open_caller(rig *r, const char *operation, sn_caller *caller) {
  assert_int_equal(sn_caller_open(r->system, operation, caller, &r->err), SN_OK);
  caller->timeout_ns = patience_ns;
}

static void require_peer(rig *r, part_answer *answer, const char *need, const char *peer) {
  rig_require(r, need, peer);
  answer->peer.timeout_ns = patience_ns;
}

static double call(const sn_caller *caller, double value) {
  sn_error err;
  const part_number request = {value};
  part_number response = {0};
  if (sn_call(caller, &request, &response, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  return response.value;
}

SN_TEST(own_thread_call_is_answered_by_the_owner) {
  rig r;
  rig_open_real(&r, 0);
  part_answer *answer = rig_add(&r, &part_answer_type, "answer");
  sn_caller twice = {0};
  sn_caller here = {0};
  open_caller(&r, "answer.twice", &twice);
  open_caller(&r, "answer.here", &here);
  assert_int_equal(sn_caller_open(r.system, "answer.none", &here, &r.err), SN_ENOENT);
  launch(&r);
  const size_t count = sn_test_cases(20000);
  for (size_t i = 0; i < count; i++) {
    assert_true(call(&twice, (double)i) == 2.0 * (double)i);
  }
  assert_true(call(&here, 5) == 6);
  const part_number negative = {-1};
  part_number response = {7};
  assert_int_equal(sn_call(&twice, &negative, &response, &r.err), SN_EINVAL);
  assert_string_equal(r.err.message, "-1 is negative");
  assert_true(response.value == 7);
  sn_system_end(r.system);
  assert_int_equal(answer->twice_count, count + 1);
  sn_caller_close(&twice);
  sn_caller_close(&here);
  rig_close(&r);
}

SN_TEST(call_to_a_stopped_component_says_so) {
  rig r;
  rig_open_real(&r, 0);
  part_answer *answer = rig_add(&r, &part_answer_type, "answer");
  sn_caller twice = {0};
  open_caller(&r, "answer.twice", &twice);
  launch(&r);
  assert_int_equal(sn_system_stop(r.system, &answer->component, &r.err), SN_OK);
  const part_number request = {1};
  part_number response = {0};
  assert_int_equal(sn_call(&twice, &request, &response, &r.err), SN_ESTOPPED);
  assert_string_equal(r.err.message, "answer.twice: not running");
  assert_int_equal(sn_system_start(r.system, &answer->component, &r.err), SN_OK);
  assert_true(call(&twice, 4) == 8);
  sn_caller_close(&twice);
  rig_close(&r);
}

SN_TEST(call_times_out_and_later_calls_still_work) {
  rig r;
  rig_open_real(&r, INT64_C(200) * MS); /* cycles are rare */
  rig_add(&r, &part_answer_type, "answer");
  sn_caller twice = {0};
  open_caller(&r, "answer.twice", &twice);
  launch(&r);
  assert_true(call(&twice, 1) == 2); /* a cycle has just been */
  twice.timeout_ns = 1;
  const part_number request = {1};
  part_number response = {0};
  size_t busy = 0;
  for (int i = 0; i < 20; i++) {
    const sn_status status = sn_call(&twice, &request, &response, &r.err);
    assert_true(status == SN_ETIMEDOUT || status == SN_EBUSY);
    busy += status == SN_EBUSY;
  }
  assert_true(busy > 0); /* abandoned calls wait for the next cycle, and there is room for eight */
  twice.timeout_ns = patience_ns;
  sn_status status = SN_EBUSY;
  while (status == SN_EBUSY) {
    status = sn_call(&twice, &request, &response, &r.err);
  }
  assert_int_equal(status, SN_OK);
  assert_true(response.value == 2);
  sn_caller_close(&twice);
  rig_close(&r);
}

/* Each in its own thread: a asks b asks c asks a. */
SN_TEST(a_loop_of_own_thread_calls_is_refused) {
  rig r;
  rig_open_real(&r, 0);
  static const char *const names[] = {"a", "b", "c"};
  part_answer *parts[3];
  for (int i = 0; i < 3; i++) {
    char name[16];
    snprintf(name, sizeof name, "thread_%d", i);
    parts[i] = rig_add_to(&r, &part_answer_type, names[i], rig_activity(&r, name, 0), 0);
  }
  require_peer(&r, parts[0], "a.peer", "b.relay");
  require_peer(&r, parts[1], "b.peer", "c.relay");
  require_peer(&r, parts[2], "c.peer", "a.relay");
  sn_caller relay = {0};
  open_caller(&r, "a.relay", &relay);
  launch(&r);
  const part_number request = {1};
  part_number response = {0};
  for (size_t i = 0; i < sn_test_cases(500); i++) {
    assert_int_equal(sn_call(&relay, &request, &response, &r.err), SN_EDEADLOCK);
  }
  assert_string_equal(r.err.message, "a.relay: would wait for itself");
  sn_caller_close(&relay);
  rig_close(&r);
}

/* a asks itself, and b in the same thread: both run at once. */
SN_TEST(call_within_one_thread_runs_at_once) {
  rig r;
  rig_open_real(&r, 0);
  rig_add(&r, &part_answer_type, "a");
  rig_add(&r, &part_answer_type, "b");
  rig_require(&r, "a.peer", "b.twice");
  rig_require(&r, "b.peer", "b");
  sn_caller a = {0};
  sn_caller b = {0};
  open_caller(&r, "a.relay", &a);
  open_caller(&r, "b.relay", &b);
  launch(&r);
  assert_true(call(&a, 3) == 6);
  assert_true(call(&b, 4) == 8);
  sn_caller_close(&a);
  sn_caller_close(&b);
  rig_close(&r);
}

/* A caller within a cycle cannot allocate messages: one copy is reserved for it, the first. Callers
   from outside take that one last, so they do not make the caller within a cycle fail. */
SN_TEST(outside_callers_leave_the_reserved_messages_to_callers_within_a_cycle) {
  rig r;
  rig_open_real(&r, 0);
  part_answer *a = rig_add(&r, &part_answer_type, "a");
  part_answer *b = rig_add_to(&r, &part_answer_type, "b", rig_activity(&r, "other", 0), 0);
  require_peer(&r, a, "a.peer", "b.twice");
  sn_caller relay = {0};
  sn_caller twice = {0};
  open_caller(&r, "a.relay", &relay);
  open_caller(&r, "b.twice", &twice);
  launch(&r);
  sn__operation *operation = b->component.runtime->operations[0];
  assert_true(operation->calls[0].is_ready);
  assert_true(call(&twice, 1) == 2);
  assert_true(operation->calls[SN__CALLS_MAX - 1].is_ready);
  for (size_t i = 1; i < SN__CALLS_MAX; i++) { /* as by callers from outside */
    assert_true(sn__job_claim(&operation->calls[i].job));
  }
  assert_true(call(&relay, 3) == 6);
  for (size_t i = 1; i < SN__CALLS_MAX; i++) {
    sn__job_free(&operation->calls[i].job);
  }
  sn_caller_close(&relay);
  sn_caller_close(&twice);
  rig_close(&r);
}

/* Two threads that call each other all the time. Each waits for the other again and again; one of
   two simultaneous calls may fail with SN_EDEADLOCK, none may hang. */
typedef struct pair {
  sn_caller caller;
  size_t count, good, refused;
} pair;

static void *call_all_the_time(void *argument) {
  pair *p = argument;
  sn_error err;
  for (size_t i = 0; i < p->count; i++) {
    const part_number request = {(double)i};
    part_number response = {0};
    const sn_status status = sn_call(&p->caller, &request, &response, &err);
    p->good += status == SN_OK && response.value == 2.0 * (double)i;
    p->refused += status == SN_EDEADLOCK;
  }
  return NULL;
}

SN_TEST(two_components_that_call_each_other_never_hang) {
  rig r;
  rig_open_real(&r, 0);
  sn_activity *other = rig_activity(&r, "other", 0);
  part_answer *a = rig_add(&r, &part_answer_type, "a");
  part_answer *b = rig_add_to(&r, &part_answer_type, "b", other, 0);
  require_peer(&r, a, "a.peer", "b.twice");
  require_peer(&r, b, "b.peer", "a.twice");
  pair pairs[2] = {{.count = sn_test_cases(20000)}, {.count = sn_test_cases(20000)}};
  open_caller(&r, "a.relay", &pairs[0].caller);
  open_caller(&r, "b.relay", &pairs[1].caller);
  launch(&r);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, call_all_the_time, &pairs[i]), 0);
  }
  for (int i = 0; i < 2; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(pairs[i].good + pairs[i].refused, pairs[i].count);
    assert_true(pairs[i].good > 0);
    sn_caller_close(&pairs[i].caller);
  }
  rig_close(&r);
}

/* ---- events across threads ---- */

SN_TEST(every_event_wakes_the_reader) {
  rig r;
  rig_open_real(&r, 0);
  part_gain *gain = rig_add(&r, &part_gain_type, "gain");
  sn_source *source = NULL;
  sn_tap *tap = NULL;
  assert_int_equal(sn_source_open(r.system, "gain.in", NULL, &source, &r.err), SN_OK);
  assert_int_equal(sn_tap_open(r.system, "gain.out", NULL, &tap, &r.err), SN_OK);
  launch(&r);
  sn_joint_state *msg = sn_source_msg(source);
  msg->position.count = 1;
  for (size_t i = 1; i <= sn_test_cases(10000); i++) {
    msg->position.data[0] = (double)i;
    assert_int_equal(sn_source_write(source), SN_OK);
    const sn_joint_state *answer = NULL;
    do { /* the answer to this very message, or the test hangs and is killed */
      answer = sn_tap_read(tap, NULL);
    } while (answer == NULL || answer->position.data[0] != 2.0 * (double)i);
  }
  (void)gain;
  sn_tap_close(tap);
  sn_source_close(source);
  rig_close(&r);
}

/* ---- everything at once ---- */

typedef struct storm {
  rig *r;
  atomic_bool is_over;
  uint64_t seed;
} storm;

static void *connect_and_disconnect(void *argument) {
  const storm *s = argument;
  sn_error err;
  while (!atomic_load(&s->is_over)) {
    (void)sn_system_connect(s->r->system, "source.out", "gain.in", NULL, &err);
    sn_tap *tap = NULL;
    if (sn_tap_open(s->r->system, "gain.out", &(sn_connection){.buffer = 3}, &tap, &err) == SN_OK) {
      for (int i = 0; i < 10; i++) {
        const sn_joint_state *msg = sn_tap_read(tap, NULL);
        (void)(msg == NULL ? 0 : msg->position.count);
      }
      sn_tap_close(tap);
    }
    (void)sn_system_disconnect(s->r->system, "source.out", "gain.in", &err);
  }
  return NULL;
}

static void *stop_and_start(void *argument) {
  const storm *s = argument;
  sn_error err;
  sn_component *gain = sn_system_find(s->r->system, "gain");
  while (!atomic_load(&s->is_over)) {
    (void)sn_system_stop(s->r->system, gain, &err);
    (void)sn_system_cleanup(s->r->system, gain, &err);
    (void)sn_system_configure(s->r->system, gain, &err);
    (void)sn_system_start(s->r->system, gain, &err);
  }
  return NULL;
}

static void *call_and_set(void *argument) {
  const storm *s = argument;
  sn_random random;
  sn_random_init(&random, s->seed);
  sn_caller twice = {0};
  sn_error err;
  (void)sn_caller_open(s->r->system, "answer.twice", &twice, &err);
  rig own = *s->r; /* its error text is this thread's */
  while (!atomic_load(&s->is_over)) {
    const part_number request = {1};
    part_number response = {0};
    twice.timeout_ns = (int64_t)sn_random_below(&random, 2 * MS);
    (void)sn_call(&twice, &request, &response, &err);
    (void)rig_try_set(&own, twice.component, "words", "[a, b]");
    (void)rig_try_set(&own, twice.component, "number", "3");
    char text[200];
    (void)sn_system_get(s->r->system, twice.component, NULL, text, sizeof text, &err);
  }
  sn_caller_close(&twice);
  return NULL;
}

SN_TEST(connecting_calling_and_stopping_at_random_is_safe) {
  rig r;
  rig_open_real(&r, MS / 10);
  rig_add(&r, &part_source_type, "source");
  rig_add_to(&r, &part_gain_type, "gain", rig_activity(&r, "events", 0), 0);
  rig_add_to(&r, &part_answer_type, "answer", rig_activity(&r, "answers", MS / 5), 0);
  launch(&r);
  static void *(*const bodies[])(void *) = {connect_and_disconnect, stop_and_start, call_and_set,
                                            call_and_set};
  storm s = {.r = &r, .seed = 5};
  atomic_init(&s.is_over, false);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, bodies[i], &s), 0);
  }
  const part_source *source = (const part_source *)sn_system_find(r.system, "source");
  const uint64_t wanted = sn_test_cases(5000);
  uint64_t steps = 0;
  while (steps < wanted) {
    sn_system_hold(r.system);
    steps = sn_component_info_of(&source->component).steps;
    sn_system_release(r.system);
  }
  atomic_store(&s.is_over, true);
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
  }
  rig_close(&r);
}
