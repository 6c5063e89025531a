/* Goals of an action server: each rule, then random sequences against a model that keeps
 * everything. */
#include "ros/action.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { GOALS = 4, WAITERS = 5, RECALLS = 3, KEEP = 100 };

typedef struct fixture {
  sn_arena arena;
  sn__action action;
  sn__action_goal *list[GOALS];
  size_t count;
} fixture;

/* ROS 2 rules with 0, ROS 1 rules otherwise: those record cancelled ids. */
static void open_fixture_with(fixture *s, size_t recall_capacity) {
  const sn__action_config config = {.goal_capacity = GOALS,
                                    .waiter_capacity = WAITERS,
                                    .recall_capacity = recall_capacity,
                                    .keep_ns = KEEP};
  sn_arena_init_growing(&s->arena, "action", 0);
  assert_int_equal(sn__action_init(&s->action, &s->arena, &config), SN_OK);
}

static void open_fixture(fixture *s) {
  open_fixture_with(s, 0);
}

static sn__action_id id_of(uint32_t number) {
  sn__action_id id = {0};
  assert_true(sn__action_id_set(&id, &number, number == 0 ? 0 : sizeof number));
  return id;
}

static sn__action_goal *find(const fixture *s, uint32_t number) {
  const sn__action_id id = id_of(number);
  return sn__action_find(&s->action, &id);
}

static const char *reject_reason(const fixture *s, uint32_t number) {
  const sn__action_id id = id_of(number);
  return sn__action_reject_reason(&s->action, &id);
}

static void accept(fixture *s, uint32_t number, int64_t stamp_ns) {
  const sn__action_id id = id_of(number);
  assert_null(sn__action_reject_reason(&s->action, &id));
  const sn__action_goal *goal = sn__action_accept(&s->action, &id, number, stamp_ns);
  assert_int_equal(goal->status, SN_TRAJECTORY_ACCEPTED);
  assert_ptr_equal(goal, find(s, number));
}

static sn_cancel_code cancel_at(fixture *s, uint32_t number, int64_t stamp_ns, int64_t now_ns) {
  const sn__action_id id = id_of(number);
  return sn__action_cancel(&s->action, &id, stamp_ns, now_ns, s->list, &s->count);
}

static sn_cancel_code cancel(fixture *s, uint32_t number, int64_t stamp_ns) {
  return cancel_at(s, number, stamp_ns, 0);
}

static bool is_recalled(fixture *s, uint32_t number, int64_t now_ns) {
  const sn__action_id id = id_of(number);
  return sn__action_is_recalled(&s->action, &id, now_ns);
}

static void end(fixture *s, uint32_t number, sn_trajectory_status status, int64_t now_ns) {
  sn__action_end(&s->action, find(s, number), status, -4, "off", now_ns);
}

static sn__action_wait ask(fixture *s, uint32_t number, void *call) {
  const sn__action_id id = id_of(number);
  const sn__action_goal *goal = NULL;
  const sn__action_wait wait = sn__action_await(&s->action, &id, call, &goal);
  assert_true((wait == SN__ACTION_UNKNOWN) == (goal == NULL));
  return wait;
}

SN_TEST(a_goal_passes_through_its_states) {
  fixture s;
  open_fixture(&s);
  accept(&s, 1, 10);
  sn__action_goal *goal = find(&s, 1);
  sn__action_update(&s.action, goal, SN_TRAJECTORY_EXECUTING);
  assert_int_equal(goal->status, SN_TRAJECTORY_EXECUTING);
  sn__action_update(&s.action, goal, SN_TRAJECTORY_ACCEPTED); /* no way back */
  assert_int_equal(goal->status, SN_TRAJECTORY_EXECUTING);
  s.action.has_changed = false;
  end(&s, 1, SN_TRAJECTORY_SUCCEEDED, 50);
  assert_true(s.action.has_changed);
  assert_int_equal(goal->status, SN_TRAJECTORY_SUCCEEDED);
  assert_int_equal(goal->error_code, -4);
  assert_string_equal(goal->error_text, "off");
  end(&s, 1, SN_TRAJECTORY_ABORTED, 60);
  assert_int_equal(goal->status, SN_TRAJECTORY_SUCCEEDED);
  assert_int_equal(goal->ended_ns, 50);
  sn_arena_release(&s.arena);
}

SN_TEST(a_goal_cancelled_by_its_controller_is_aborted) {
  fixture s;
  open_fixture(&s);
  accept(&s, 1, 10);
  end(&s, 1, SN_TRAJECTORY_CANCELED, 50);
  assert_int_equal(find(&s, 1)->status, SN_TRAJECTORY_ABORTED);
  accept(&s, 2, 10);
  assert_int_equal(cancel(&s, 2, 0), SN_CANCEL_NONE);
  sn__action_update(&s.action, find(&s, 2), SN_TRAJECTORY_EXECUTING);
  assert_int_equal(find(&s, 2)->status, SN_TRAJECTORY_CANCELING);
  end(&s, 2, SN_TRAJECTORY_CANCELED, 50);
  assert_int_equal(find(&s, 2)->status, SN_TRAJECTORY_CANCELED);
  accept(&s, 3, 10); /* it may succeed before it is stopped */
  assert_int_equal(cancel(&s, 3, 0), SN_CANCEL_NONE);
  end(&s, 3, SN_TRAJECTORY_SUCCEEDED, 50);
  assert_int_equal(find(&s, 3)->status, SN_TRAJECTORY_SUCCEEDED);
  s.action.config.may_preempt = true; /* ROS 1 rules */
  accept(&s, 4, 10);
  end(&s, 4, SN_TRAJECTORY_CANCELED, 50);
  assert_int_equal(find(&s, 4)->status, SN_TRAJECTORY_CANCELED);
  sn_arena_release(&s.arena);
}

SN_TEST(goals_are_cancelled_by_id_by_stamp_or_all) {
  fixture s;
  open_fixture(&s);
  assert_int_equal(cancel(&s, 0, 0), SN_CANCEL_NONE);
  assert_int_equal(cancel(&s, 7, 0), SN_CANCEL_UNKNOWN_GOAL);
  for (uint32_t i = 1; i <= GOALS; i++) {
    accept(&s, i, 10 * i);
  }
  assert_int_equal(cancel(&s, 3, 0), SN_CANCEL_NONE);
  assert_int_equal(s.count, 1);
  assert_ptr_equal(s.list[0], find(&s, 3));
  assert_int_equal(cancel(&s, 3, 0), SN_CANCEL_TERMINATED); /* as in rcl */
  assert_int_equal(s.count, 0);
  assert_int_equal(cancel(&s, 4, 10), SN_CANCEL_NONE); /* up to 10, and the fourth */
  assert_int_equal(s.count, 2);
  assert_int_equal(find(&s, 2)->status, SN_TRAJECTORY_ACCEPTED);
  assert_int_equal(cancel(&s, 0, 19), SN_CANCEL_NONE);
  assert_int_equal(s.count, 0);
  assert_int_equal(cancel(&s, 0, 0), SN_CANCEL_NONE);
  assert_int_equal(s.count, 1);
  assert_ptr_equal(s.list[0], find(&s, 2));
  end(&s, 2, SN_TRAJECTORY_CANCELED, 50);
  assert_int_equal(cancel(&s, 2, 0), SN_CANCEL_TERMINATED);
  sn_arena_release(&s.arena);
}

SN_TEST(several_clients_get_a_result_even_late_ones) {
  fixture s;
  open_fixture(&s);
  int calls[WAITERS + 1];
  const sn__action_goal *goal = NULL;
  accept(&s, 1, 10);
  assert_int_equal(ask(&s, 2, &calls[0]), SN__ACTION_UNKNOWN);
  for (size_t i = 0; i < WAITERS; i++) {
    assert_int_equal(ask(&s, 1, &calls[i]), SN__ACTION_WAITS);
  }
  assert_int_equal(ask(&s, 1, &calls[WAITERS]), SN__ACTION_FULL);
  assert_null(sn__action_next_waiter(&s.action, &goal));
  end(&s, 1, SN_TRAJECTORY_SUCCEEDED, 50);
  sn__action_expire(&s.action, 50 + KEEP + 1); /* not while a client waits */
  assert_non_null(find(&s, 1));
  for (size_t i = 0; i < WAITERS; i++) {
    assert_ptr_equal(sn__action_next_waiter(&s.action, &goal), &calls[i]);
    assert_ptr_equal(goal, find(&s, 1));
  }
  assert_null(sn__action_next_waiter(&s.action, &goal));
  assert_int_equal(ask(&s, 1, &calls[0]), SN__ACTION_ANSWER);
  sn__action_expire(&s.action, 50 + KEEP);
  assert_int_equal(ask(&s, 1, &calls[0]), SN__ACTION_ANSWER);
  sn__action_expire(&s.action, 50 + KEEP + 1);
  assert_int_equal(ask(&s, 1, &calls[0]), SN__ACTION_UNKNOWN);
  sn_arena_release(&s.arena);
}

SN_TEST(active_goals_are_not_dropped) {
  fixture s;
  open_fixture(&s);
  assert_string_equal(reject_reason(&s, 0), "the goal id is empty");
  for (uint32_t i = 1; i <= GOALS; i++) {
    accept(&s, i, i);
  }
  assert_string_equal(reject_reason(&s, 1), "a goal with this id already exists");
  assert_string_equal(reject_reason(&s, 9), "too many active goals");
  end(&s, 3, SN_TRAJECTORY_SUCCEEDED, 20);
  end(&s, 2, SN_TRAJECTORY_SUCCEEDED, 30);
  accept(&s, 9, 9);
  assert_null(find(&s, 3)); /* it ended first */
  assert_non_null(find(&s, 2));
  char text[2 * SN__ACTION_TEXT_SIZE] = "";
  memset(text, 'x', sizeof text - 1);
  sn__action_end(&s.action, find(&s, 9), SN_TRAJECTORY_ABORTED, -1, text, 40);
  assert_int_equal(strlen(find(&s, 9)->error_text), SN__ACTION_TEXT_SIZE - 1);
  sn__action_id id;
  assert_false(sn__action_id_set(&id, text, sizeof id.bytes + 1));
  sn_arena_release(&s.arena);
}

SN_TEST(a_goal_cancelled_before_it_arrives_is_recalled) {
  fixture s;
  open_fixture_with(&s, RECALLS);
  accept(&s, 1, 10);
  assert_int_equal(cancel_at(&s, 2, 0, 100), SN_CANCEL_UNKNOWN_GOAL);
  assert_int_equal(cancel_at(&s, 1, 0, 100), SN_CANCEL_NONE); /* known */
  assert_int_equal(cancel_at(&s, 0, 0, 100), SN_CANCEL_NONE); /* no id */
  assert_int_equal(cancel_at(&s, 0, 9, 100), SN_CANCEL_NONE);
  assert_int_equal(s.action.recall_count, 1);
  assert_false(is_recalled(&s, 1, 101));
  assert_false(is_recalled(&s, 3, 101));
  assert_false(is_recalled(&s, 0, 101));
  s.action.has_changed = false;
  assert_true(is_recalled(&s, 2, 150));
  assert_true(s.action.has_changed && s.action.recalls[0].has_arrived);
  sn__action_expire(&s.action, 150 + KEEP);
  assert_true(is_recalled(&s, 2, 150 + KEEP)); /* arrives again: recalled again, and kept longer */
  sn__action_expire(&s.action, 150 + 2 * KEEP);
  assert_int_equal(s.action.recall_count, 1);
  sn__action_expire(&s.action, 150 + 2 * KEEP + 1);
  assert_int_equal(s.action.recall_count, 0);
  assert_false(is_recalled(&s, 2, 151 + 2 * KEEP));
  for (uint32_t i = 11; i < 11 + RECALLS; i++) {
    assert_int_equal(cancel_at(&s, i, 5, 400 + i), SN_CANCEL_NONE); /* also with a stamp */
  }
  assert_int_equal(cancel_at(&s, 99, 0, 500), SN_CANCEL_UNKNOWN_GOAL); /* the first is dropped */
  assert_false(is_recalled(&s, 11, 500));
  assert_true(is_recalled(&s, 12, 500) && is_recalled(&s, 13, 500) && is_recalled(&s, 99, 500));
  sn_arena_release(&s.arena);

  open_fixture(&s); /* ROS 2 */
  assert_int_equal(cancel_at(&s, 2, 0, 100), SN_CANCEL_UNKNOWN_GOAL);
  assert_false(is_recalled(&s, 2, 100));
  sn_arena_release(&s.arena);
}

/* ---- at random ---- */

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
  assert_int_equal(is_recalled(s, number, now_ns), was_cancelled);
  if (was_cancelled) {
    m->goals[number].last_seen_ns = now_ns;
    m->recalled++;
    m->last = number;
    return;
  }
  assert_int_equal(reject_reason(s, number) == NULL, !is_full || done != 0);
  if (reject_reason(s, number) == NULL) {
    if (is_full) {
      m->goals[done].is_known = false;
    }
    const int64_t stamp_ns = now_ns + (int64_t)sn_random_below(random, 3);
    accept(s, number, stamp_ns);
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
  assert_int_equal(cancel_at(s, number, stamp_ns, now_ns), !is_one || expected > 0 ? SN_CANCEL_NONE
                                                           : m->goals[number].is_known
                                                               ? SN_CANCEL_TERMINATED
                                                               : SN_CANCEL_UNKNOWN_GOAL);
  assert_int_equal(s->count, expected);
}

static void random_end(fixture *s, model *m, uint32_t number, int status, int64_t now_ns) {
  if (m->goals[number].is_known) {
    end(s, number, (sn_trajectory_status)status, now_ns);
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
  assert_int_equal(ask(s, number, &m->goals[number]), expected);
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
    open_fixture_with(&s, RECALLS);
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
