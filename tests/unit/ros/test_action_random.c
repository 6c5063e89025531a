/* Actions: random sequences against a model of the rules. */
#include "action_rig.h"
#include "sinew/random.h"
#include "sn_test.h"

/* All goals ever sent, by number; nothing is removed, everything is recounted. */
enum { ALL = 4000 };
typedef struct model {
  struct {
    bool is_known, has_ended;
    int status;
    int64_t stamp_ns, ended_ns;
    size_t waiters;
    uint64_t recall; /* its order among the recalls; 0: not recalled */
    int64_t last_seen_ns;
  } goals[ALL + 10]; /* some have not arrived yet */
  uint64_t recalls;  /* total */
  size_t recalled;   /* goals that were recalled on arrival */
  uint32_t last;
  size_t asked, answered; /* calls */
} model;

static size_t model_known(const model *m) {
  size_t count = 0;
  for (uint32_t i = 1; i <= m->last; i++) {
    count += m->goals[i].is_known;
  }
  return count;
}

static size_t model_waiting(const model *m) {
  size_t count = 0;
  for (uint32_t i = 1; i <= m->last; i++) {
    count += m->goals[i].waiters;
  }
  return count;
}

/* The goal that is dropped next; 0: none. */
static uint32_t model_first_done(const model *m) {
  uint32_t first = 0;
  for (uint32_t i = 1; i <= m->last; i++) {
    if (m->goals[i].is_known && m->goals[i].has_ended && m->goals[i].waiters == 0 &&
        (first == 0 || m->goals[i].ended_ns < m->goals[first].ended_ns)) {
      first = i;
    }
  }
  return first;
}

static void random_accept(fixture *s, model *m, sn_random *random, int64_t now_ns) {
  if (m->last == ALL) {
    return;
  }
  const uint32_t done = model_first_done(m);
  const bool is_full = model_known(m) == GOALS;
  const uint32_t number = m->last + 1;
  const bool was_cancelled = m->goals[number].recall != 0;
  assert_int_equal(action_rig_is_recalled(s, number, now_ns), was_cancelled);
  if (was_cancelled) {
    m->goals[number].last_seen_ns = now_ns;
    m->recalled++;
    m->last = number;
    return;
  }
  assert_int_equal(action_rig_reject_reason(s, number) == NULL, !is_full || done != 0);
  if (action_rig_reject_reason(s, number) == NULL) {
    if (is_full) {
      m->goals[done].is_known = false;
    }
    const int64_t stamp_ns = now_ns + (int64_t)sn_random_below(random, 3);
    action_rig_accept(s, number, stamp_ns);
    m->goals[number].is_known = true;
    m->goals[number].status = SN_TRAJECTORY_ACCEPTED;
    m->goals[number].stamp_ns = stamp_ns;
    m->last = number;
  }
}

/* An unknown id replaces the oldest recall. */
static void model_recall(model *m, uint32_t number, int64_t now_ns) {
  m->goals[number].last_seen_ns = now_ns;
  if (m->goals[number].recall != 0) {
    return;
  }
  size_t count = 0;
  uint32_t first = 0;
  for (uint32_t i = 1; i < ALL + 10; i++) {
    if (m->goals[i].recall != 0) {
      count++;
      first = first == 0 || m->goals[i].recall < m->goals[first].recall ? i : first;
    }
  }
  if (count == RECALLS) {
    m->goals[first].recall = 0;
  }
  m->goals[number].recall = ++m->recalls;
}

static void random_cancel(fixture *s, model *m, uint32_t number, int64_t stamp_ns, int64_t now_ns) {
  size_t expected = 0;
  if (number != 0 && !m->goals[number].is_known) {
    model_recall(m, number, now_ns);
  }
  for (uint32_t i = 1; i <= m->last; i++) {
    const bool is_meant = i == number || (stamp_ns != 0 && m->goals[i].stamp_ns <= stamp_ns) ||
                          (number == 0 && stamp_ns == 0);
    if (is_meant && m->goals[i].is_known && m->goals[i].status < SN_TRAJECTORY_CANCELING) {
      m->goals[i].status = SN_TRAJECTORY_CANCELING;
      expected++;
    }
  }
  const bool is_one = number != 0 && stamp_ns == 0;
  assert_int_equal(action_rig_cancel_at(s, number, stamp_ns, now_ns),
                   !is_one || expected > 0     ? SN_CANCEL_NONE
                   : m->goals[number].is_known ? SN_CANCEL_TERMINATED
                                               : SN_CANCEL_UNKNOWN_GOAL);
  assert_int_equal(s->count, expected);
}

static void random_end(fixture *s, model *m, uint32_t number, int status, int64_t now_ns) {
  if (m->goals[number].is_known) {
    action_rig_end(s, number, (sn_trajectory_status)status, now_ns);
    if (!m->goals[number].has_ended) {
      m->goals[number].status =
          status == SN_TRAJECTORY_CANCELED && m->goals[number].status != SN_TRAJECTORY_CANCELING
              ? SN_TRAJECTORY_ABORTED
              : status;
      m->goals[number].has_ended = true;
      m->goals[number].ended_ns = now_ns;
    }
  }
}

static void random_ask(fixture *s, model *m, uint32_t number) {
  const sn__action_wait expected = !m->goals[number].is_known    ? SN__ACTION_UNKNOWN
                                   : m->goals[number].has_ended  ? SN__ACTION_ANSWER
                                   : model_waiting(m) == WAITERS ? SN__ACTION_FULL
                                                                 : SN__ACTION_WAITS;
  assert_int_equal(action_rig_ask(s, number, &m->goals[number]), expected);
  if (expected == SN__ACTION_WAITS) {
    m->goals[number].waiters++;
    m->asked++;
  }
}

static void random_answers(fixture *s, model *m) {
  const sn__action_goal *goal = NULL;
  for (void *call = sn__action_next_waiter(&s->action, &goal); call != NULL;
       call = sn__action_next_waiter(&s->action, &goal)) {
    assert_ptr_equal(call, &m->goals[goal->number]);
    assert_true(m->goals[goal->number].has_ended);
    m->goals[goal->number].waiters--;
    m->answered++;
  }
  for (uint32_t i = 1; i <= m->last; i++) {
    assert_false(m->goals[i].has_ended && m->goals[i].waiters > 0);
  }
}

static void random_expire(fixture *s, model *m, int64_t now_ns) {
  sn__action_expire(&s->action, now_ns);
  for (uint32_t i = 1; i < ALL + 10; i++) {
    m->goals[i].recall = now_ns - m->goals[i].last_seen_ns > KEEP ? 0 : m->goals[i].recall;
  }
  for (uint32_t i = 1; i <= m->last; i++) {
    m->goals[i].is_known =
        m->goals[i].is_known && !(m->goals[i].has_ended && m->goals[i].waiters == 0 &&
                                  now_ns - m->goals[i].ended_ns > KEEP);
  }
}

static void compare(const fixture *s, const model *m) {
  assert_int_equal(s->action.goal_count, model_known(m));
  assert_int_equal(s->action.waiter_count, model_waiting(m));
  uint64_t last = 0;
  for (size_t i = 0; i < s->action.goal_count; i++) {
    const sn__action_goal *goal = &s->action.goals[i];
    assert_true(goal->number > last); /* in order of acceptance */
    last = goal->number;
    assert_true(m->goals[last].is_known);
    assert_int_equal(goal->status, m->goals[last].status);
  }
  size_t recalls = 0;
  for (uint32_t i = 1; i < ALL + 10; i++) {
    recalls += m->goals[i].recall != 0;
  }
  assert_int_equal(s->action.recall_count, recalls);
}

/* A known goal, or a recent one. */
static uint32_t pick(const model *m, sn_random *random) {
  if (sn_random_below(random, 4) > 0 && model_known(m) > 0) {
    uint64_t skip = sn_random_below(random, model_known(m));
    for (uint32_t i = 1; i <= m->last; i++) {
      if (m->goals[i].is_known && skip-- == 0) {
        return i;
      }
    }
  }
  return m->last < 6 ? 1 : m->last - (uint32_t)sn_random_below(random, 6);
}

/* For any sequence of requests the results are those of the model, and every waiting client gets
   one response. */
SN_TEST(random_sequences_match_the_model) {
  sn_random random;
  sn_random_init(&random, 5);
  for (size_t round = 0; round < sn_test_cases(5); round++) {
    fixture s;
    static model m;
    memset(&m, 0, sizeof m);
    action_rig_open_fixture_with(&s, RECALLS);
    int64_t now_ns = 1;
    for (int i = 0; i < 3000; i++) {
      now_ns += 1 + (int64_t)sn_random_below(&random, 20); /* end times differ */
      const uint32_t number = pick(&m, &random);
      switch (sn_random_below(&random, 8)) {
        case 0:
        case 1:
          random_accept(&s, &m, &random, now_ns);
          break;
        case 2:
          random_cancel(&s, &m,
                        sn_random_below(&random, 3) == 0 ? 0
                        : sn_random_below(&random, 3) == 0
                            ? m.last + 1 + (uint32_t)sn_random_below(&random, 3)
                            : number,
                        sn_random_below(&random, 3) == 0
                            ? now_ns - (int64_t)sn_random_below(&random, 100)
                            : 0,
                        now_ns);
          break;
        case 3:
          random_end(&s, &m, number, SN_TRAJECTORY_SUCCEEDED + (int)sn_random_below(&random, 3),
                     now_ns);
          break;
        case 4:
        case 5:
          random_ask(&s, &m, number);
          break;
        case 6:
          random_answers(&s, &m);
          break;
        default:
          random_expire(&s, &m, now_ns);
          break;
      }
      compare(&s, &m);
    }
    for (uint32_t i = 1; i <= m.last; i++) {
      random_end(&s, &m, i, SN_TRAJECTORY_SUCCEEDED, now_ns + i);
    }
    random_answers(&s, &m);
    assert_int_equal(m.asked, m.answered);
    assert_true(m.last > 200 && m.asked > 100 && m.recalled > 20); /* enough coverage */
    sn_arena_release(&s.arena);
  }
}
