/* The goals of an action: rule by rule, then at random beside a model that keeps everything. */
#include "ros/action.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { GOALS = 4, WAITERS = 5, RECALLS = 3, KEEP = 100 };

typedef struct stage {
  sn_arena arena;
  sn__action action;
  sn__action_goal *list[GOALS];
  size_t count;
} stage;

/* By the rules of ROS 2, or by those of ROS 1, which keep cancelled ids in mind. */
static void open_stage_with(stage *s, size_t recall_room) {
  const sn__action_config config = {
      .goal_room = GOALS, .waiter_room = WAITERS, .recall_room = recall_room, .keep_ns = KEEP};
  sn_arena_init_growing(&s->arena, "action", 0);
  assert_int_equal(sn__action_init(&s->action, &s->arena, &config), SN_OK);
}

static void open_stage(stage *s) {
  open_stage_with(s, 0);
}

static sn__action_id id_of(uint32_t number) {
  sn__action_id id = {0};
  assert_true(sn__action_id_set(&id, &number, number == 0 ? 0 : sizeof number));
  return id;
}

static sn__action_goal *find(const stage *s, uint32_t number) {
  const sn__action_id id = id_of(number);
  return sn__action_find(&s->action, &id);
}

static const char *objection(const stage *s, uint32_t number) {
  const sn__action_id id = id_of(number);
  return sn__action_objection(&s->action, &id);
}

static void accept(stage *s, uint32_t number, int64_t stamp_ns) {
  const sn__action_id id = id_of(number);
  assert_null(sn__action_objection(&s->action, &id));
  const sn__action_goal *goal = sn__action_accept(&s->action, &id, number, stamp_ns);
  assert_int_equal(goal->status, SN_TRAJECTORY_ACCEPTED);
  assert_ptr_equal(goal, find(s, number));
}

static sn_cancel_code cancel_at(stage *s, uint32_t number, int64_t stamp_ns, int64_t now_ns) {
  const sn__action_id id = id_of(number);
  return sn__action_cancel(&s->action, &id, stamp_ns, now_ns, s->list, &s->count);
}

static sn_cancel_code cancel(stage *s, uint32_t number, int64_t stamp_ns) {
  return cancel_at(s, number, stamp_ns, 0);
}

static bool is_recalled(stage *s, uint32_t number, int64_t now_ns) {
  const sn__action_id id = id_of(number);
  return sn__action_is_recalled(&s->action, &id, now_ns);
}

static void end(stage *s, uint32_t number, sn_trajectory_status status, int64_t now_ns) {
  sn__action_end(&s->action, find(s, number), status, -4, "off", now_ns);
}

static sn__action_wait ask(stage *s, uint32_t number, void *call) {
  const sn__action_id id = id_of(number);
  const sn__action_goal *goal = NULL;
  const sn__action_wait wait = sn__action_ask(&s->action, &id, call, &goal);
  assert_true((wait == SN__ACTION_UNKNOWN) == (goal == NULL));
  return wait;
}

static void a_goal_goes_its_way(void **state) {
  (void)state;
  stage s;
  open_stage(&s);
  accept(&s, 1, 10);
  sn__action_goal *goal = find(&s, 1);
  sn__action_note(&s.action, goal, SN_TRAJECTORY_EXECUTING);
  assert_int_equal(goal->status, SN_TRAJECTORY_EXECUTING);
  sn__action_note(&s.action, goal, SN_TRAJECTORY_ACCEPTED); /* there is no way back */
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

static void who_is_cancelled_without_being_asked_is_aborted(void **state) {
  (void)state;
  stage s;
  open_stage(&s);
  accept(&s, 1, 10);
  end(&s, 1, SN_TRAJECTORY_CANCELED, 50);
  assert_int_equal(find(&s, 1)->status, SN_TRAJECTORY_ABORTED);
  accept(&s, 2, 10);
  assert_int_equal(cancel(&s, 2, 0), SN_CANCEL_NONE);
  sn__action_note(&s.action, find(&s, 2), SN_TRAJECTORY_EXECUTING);
  assert_int_equal(find(&s, 2)->status, SN_TRAJECTORY_CANCELING);
  end(&s, 2, SN_TRAJECTORY_CANCELED, 50);
  assert_int_equal(find(&s, 2)->status, SN_TRAJECTORY_CANCELED);
  accept(&s, 3, 10); /* it may be there before it is stopped */
  assert_int_equal(cancel(&s, 3, 0), SN_CANCEL_NONE);
  end(&s, 3, SN_TRAJECTORY_SUCCEEDED, 50);
  assert_int_equal(find(&s, 3)->status, SN_TRAJECTORY_SUCCEEDED);
  s.action.config.may_preempt = true; /* by the rules of ROS 1 */
  accept(&s, 4, 10);
  end(&s, 4, SN_TRAJECTORY_CANCELED, 50);
  assert_int_equal(find(&s, 4)->status, SN_TRAJECTORY_CANCELED);
  sn_arena_release(&s.arena);
}

static void cancels_by_id_by_stamp_and_all(void **state) {
  (void)state;
  stage s;
  open_stage(&s);
  assert_int_equal(cancel(&s, 0, 0), SN_CANCEL_NONE);
  assert_int_equal(cancel(&s, 7, 0), SN_CANCEL_UNKNOWN_GOAL);
  for (uint32_t i = 1; i <= GOALS; i++) {
    accept(&s, i, 10 * i);
  }
  assert_int_equal(cancel(&s, 3, 0), SN_CANCEL_NONE);
  assert_int_equal(s.count, 1);
  assert_ptr_equal(s.list[0], find(&s, 3));
  assert_int_equal(cancel(&s, 3, 0), SN_CANCEL_TERMINATED); /* as rcl has it */
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

static void several_wait_for_a_result_and_some_come_late(void **state) {
  (void)state;
  stage s;
  open_stage(&s);
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
  sn__action_expire(&s.action, 50 + KEEP + 1); /* not while somebody waits */
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

static void what_is_under_way_is_not_forgotten(void **state) {
  (void)state;
  stage s;
  open_stage(&s);
  assert_string_equal(objection(&s, 0), "it has no id");
  for (uint32_t i = 1; i <= GOALS; i++) {
    accept(&s, i, i);
  }
  assert_string_equal(objection(&s, 1), "there is a goal with its id already");
  assert_string_equal(objection(&s, 9), "too many goals are under way");
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

static void who_is_cancelled_before_it_comes_is_recalled(void **state) {
  (void)state;
  stage s;
  open_stage_with(&s, RECALLS);
  accept(&s, 1, 10);
  assert_int_equal(cancel_at(&s, 2, 0, 100), SN_CANCEL_UNKNOWN_GOAL);
  assert_int_equal(cancel_at(&s, 1, 0, 100), SN_CANCEL_NONE); /* it is there */
  assert_int_equal(cancel_at(&s, 0, 0, 100), SN_CANCEL_NONE); /* nobody is named */
  assert_int_equal(cancel_at(&s, 0, 9, 100), SN_CANCEL_NONE);
  assert_int_equal(s.action.recall_count, 1);
  assert_false(is_recalled(&s, 1, 101));
  assert_false(is_recalled(&s, 3, 101));
  assert_false(is_recalled(&s, 0, 101));
  s.action.has_changed = false;
  assert_true(is_recalled(&s, 2, 150));
  assert_true(s.action.has_changed && s.action.recalls[0].has_come);
  sn__action_expire(&s.action, 150 + KEEP);
  assert_true(is_recalled(&s, 2, 150 + KEEP)); /* it comes again: the same, and longer */
  sn__action_expire(&s.action, 150 + 2 * KEEP);
  assert_int_equal(s.action.recall_count, 1);
  sn__action_expire(&s.action, 150 + 2 * KEEP + 1);
  assert_int_equal(s.action.recall_count, 0);
  assert_false(is_recalled(&s, 2, 151 + 2 * KEEP));
  for (uint32_t i = 11; i < 11 + RECALLS; i++) {
    assert_int_equal(cancel_at(&s, i, 5, 400 + i), SN_CANCEL_NONE); /* also with a stamp */
  }
  assert_int_equal(cancel_at(&s, 99, 0, 500), SN_CANCEL_UNKNOWN_GOAL); /* the first makes room */
  assert_false(is_recalled(&s, 11, 500));
  assert_true(is_recalled(&s, 12, 500) && is_recalled(&s, 13, 500) && is_recalled(&s, 99, 500));
  sn_arena_release(&s.arena);

  open_stage(&s); /* ROS 2 */
  assert_int_equal(cancel_at(&s, 2, 0, 100), SN_CANCEL_UNKNOWN_GOAL);
  assert_false(is_recalled(&s, 2, 100));
  sn_arena_release(&s.arena);
}

/* ---- at random ---- */

/* Everything that ever was, by number; nothing is moved, everything is counted anew. */
enum { ALL = 4000 };
typedef struct model {
  struct {
    bool is_known, has_ended;
    int status;
    int64_t stamp_ns, ended_ns;
    size_t waiters;
    uint64_t recall; /* its turn among those that are kept in mind; 0: it is not */
    int64_t named_ns;
  } goals[ALL + 10]; /* some of which have not come yet */
  uint64_t recalls;  /* ever */
  size_t recalled;   /* goals that came in vain */
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

/* The goal that makes room; 0: there is none. */
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

static void random_accept(stage *s, model *m, sn_random *random, int64_t now_ns) {
  if (m->last == ALL) {
    return;
  }
  const uint32_t done = model_first_done(m);
  const bool is_full = model_known(m) == GOALS;
  const uint32_t number = m->last + 1;
  const bool was_cancelled = m->goals[number].recall != 0;
  assert_int_equal(is_recalled(s, number, now_ns), was_cancelled);
  if (was_cancelled) {
    m->goals[number].named_ns = now_ns;
    m->recalled++;
    m->last = number;
    return;
  }
  assert_int_equal(objection(s, number) == NULL, !is_full || done != 0);
  if (objection(s, number) == NULL) {
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

/* An id that is not known takes the place of the one that was kept in mind first. */
static void model_recall(model *m, uint32_t number, int64_t now_ns) {
  m->goals[number].named_ns = now_ns;
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

static void random_cancel(stage *s, model *m, uint32_t number, int64_t stamp_ns, int64_t now_ns) {
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

static void random_end(stage *s, model *m, uint32_t number, int status, int64_t now_ns) {
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

static void random_ask(stage *s, model *m, uint32_t number) {
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

static void random_answers(stage *s, model *m) {
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

static void random_expire(stage *s, model *m, int64_t now_ns) {
  sn__action_expire(&s->action, now_ns);
  for (uint32_t i = 1; i < ALL + 10; i++) {
    m->goals[i].recall = now_ns - m->goals[i].named_ns > KEEP ? 0 : m->goals[i].recall;
  }
  for (uint32_t i = 1; i <= m->last; i++) {
    m->goals[i].is_known =
        m->goals[i].is_known && !(m->goals[i].has_ended && m->goals[i].waiters == 0 &&
                                  now_ns - m->goals[i].ended_ns > KEEP);
  }
}

static void compare(const stage *s, const model *m) {
  assert_int_equal(s->action.goal_count, model_known(m));
  assert_int_equal(s->action.waiter_count, model_waiting(m));
  uint64_t last = 0;
  for (size_t i = 0; i < s->action.goal_count; i++) {
    const sn__action_goal *goal = &s->action.goals[i];
    assert_true(goal->number > last); /* as they were accepted */
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

/* One that is known, or one that was not long ago. */
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

/* Whatever is asked in whatever order: what is told is what a list of everything would tell, and
   who waits is answered once. */
static void any_conversation_is_as_the_model_says(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 5);
  for (size_t round = 0; round < sn_test_cases(5); round++) {
    stage s;
    static model m;
    memset(&m, 0, sizeof m);
    open_stage_with(&s, RECALLS);
    int64_t now_ns = 1;
    for (int i = 0; i < 3000; i++) {
      now_ns += 1 + (int64_t)sn_random_below(&random, 20); /* ends have different times */
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
    assert_true(m.last > 200 && m.asked > 100 && m.recalled > 20); /* else it proves little */
    sn_arena_release(&s.arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_goal_goes_its_way),
      cmocka_unit_test(who_is_cancelled_without_being_asked_is_aborted),
      cmocka_unit_test(cancels_by_id_by_stamp_and_all),
      cmocka_unit_test(several_wait_for_a_result_and_some_come_late),
      cmocka_unit_test(what_is_under_way_is_not_forgotten),
      cmocka_unit_test(who_is_cancelled_before_it_comes_is_recalled),
      cmocka_unit_test(any_conversation_is_as_the_model_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
