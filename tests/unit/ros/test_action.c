/* Goals of an action server: each rule, then random sequences against a model that keeps
 * everything. */
#include "action_rig.h"
#include "sn_test.h"

static void open_fixture(fixture *s) {
  action_rig_open_fixture_with(s, 0);
}

static sn_cancel_code cancel(fixture *s, uint32_t number, int64_t stamp_ns) {
  return action_rig_cancel_at(s, number, stamp_ns, 0);
}

SN_TEST(a_goal_passes_through_its_states) {
  fixture s;
  open_fixture(&s);
  action_rig_accept(&s, 1, 10);
  sn__action_goal *goal = action_rig_find(&s, 1);
  sn__action_update(&s.action, goal, SN_TRAJECTORY_EXECUTING);
  assert_int_equal(goal->status, SN_TRAJECTORY_EXECUTING);
  sn__action_update(&s.action, goal, SN_TRAJECTORY_ACCEPTED); /* no way back */
  assert_int_equal(goal->status, SN_TRAJECTORY_EXECUTING);
  s.action.has_changed = false;
  action_rig_end(&s, 1, SN_TRAJECTORY_SUCCEEDED, 50);
  assert_true(s.action.has_changed);
  assert_int_equal(goal->status, SN_TRAJECTORY_SUCCEEDED);
  assert_int_equal(goal->error_code, -4);
  assert_string_equal(goal->error_text, "off");
  action_rig_end(&s, 1, SN_TRAJECTORY_ABORTED, 60);
  assert_int_equal(goal->status, SN_TRAJECTORY_SUCCEEDED);
  assert_int_equal(goal->ended_ns, 50);
  sn_arena_release(&s.arena);
}

SN_TEST(a_goal_cancelled_by_its_controller_is_aborted) {
  fixture s;
  open_fixture(&s);
  action_rig_accept(&s, 1, 10);
  action_rig_end(&s, 1, SN_TRAJECTORY_CANCELED, 50);
  assert_int_equal(action_rig_find(&s, 1)->status, SN_TRAJECTORY_ABORTED);
  action_rig_accept(&s, 2, 10);
  assert_int_equal(cancel(&s, 2, 0), SN_CANCEL_NONE);
  sn__action_update(&s.action, action_rig_find(&s, 2), SN_TRAJECTORY_EXECUTING);
  assert_int_equal(action_rig_find(&s, 2)->status, SN_TRAJECTORY_CANCELING);
  action_rig_end(&s, 2, SN_TRAJECTORY_CANCELED, 50);
  assert_int_equal(action_rig_find(&s, 2)->status, SN_TRAJECTORY_CANCELED);
  action_rig_accept(&s, 3, 10); /* it may succeed before it is stopped */
  assert_int_equal(cancel(&s, 3, 0), SN_CANCEL_NONE);
  action_rig_end(&s, 3, SN_TRAJECTORY_SUCCEEDED, 50);
  assert_int_equal(action_rig_find(&s, 3)->status, SN_TRAJECTORY_SUCCEEDED);
  s.action.config.may_preempt = true; /* ROS 1 rules */
  action_rig_accept(&s, 4, 10);
  action_rig_end(&s, 4, SN_TRAJECTORY_CANCELED, 50);
  assert_int_equal(action_rig_find(&s, 4)->status, SN_TRAJECTORY_CANCELED);
  sn_arena_release(&s.arena);
}

SN_TEST(goals_are_cancelled_by_id_by_stamp_or_all) {
  fixture s;
  open_fixture(&s);
  assert_int_equal(cancel(&s, 0, 0), SN_CANCEL_NONE);
  assert_int_equal(cancel(&s, 7, 0), SN_CANCEL_UNKNOWN_GOAL);
  for (uint32_t i = 1; i <= GOALS; i++) {
    action_rig_accept(&s, i, 10 * i);
  }
  assert_int_equal(cancel(&s, 3, 0), SN_CANCEL_NONE);
  assert_int_equal(s.count, 1);
  assert_ptr_equal(s.list[0], action_rig_find(&s, 3));
  assert_int_equal(cancel(&s, 3, 0), SN_CANCEL_TERMINATED); /* as in rcl */
  assert_int_equal(s.count, 0);
  assert_int_equal(cancel(&s, 4, 10), SN_CANCEL_NONE); /* up to 10, and the fourth */
  assert_int_equal(s.count, 2);
  assert_int_equal(action_rig_find(&s, 2)->status, SN_TRAJECTORY_ACCEPTED);
  assert_int_equal(cancel(&s, 0, 19), SN_CANCEL_NONE);
  assert_int_equal(s.count, 0);
  assert_int_equal(cancel(&s, 0, 0), SN_CANCEL_NONE);
  assert_int_equal(s.count, 1);
  assert_ptr_equal(s.list[0], action_rig_find(&s, 2));
  action_rig_end(&s, 2, SN_TRAJECTORY_CANCELED, 50);
  assert_int_equal(cancel(&s, 2, 0), SN_CANCEL_TERMINATED);
  sn_arena_release(&s.arena);
}

SN_TEST(several_clients_get_a_result_even_late_ones) {
  fixture s;
  open_fixture(&s);
  int calls[WAITERS + 1];
  const sn__action_goal *goal = NULL;
  action_rig_accept(&s, 1, 10);
  assert_int_equal(action_rig_ask(&s, 2, &calls[0]), SN__ACTION_UNKNOWN);
  for (size_t i = 0; i < WAITERS; i++) {
    assert_int_equal(action_rig_ask(&s, 1, &calls[i]), SN__ACTION_WAITS);
  }
  assert_int_equal(action_rig_ask(&s, 1, &calls[WAITERS]), SN__ACTION_FULL);
  assert_null(sn__action_next_waiter(&s.action, &goal));
  action_rig_end(&s, 1, SN_TRAJECTORY_SUCCEEDED, 50);
  sn__action_expire(&s.action, 50 + KEEP + 1); /* not while a client waits */
  assert_non_null(action_rig_find(&s, 1));
  for (size_t i = 0; i < WAITERS; i++) {
    assert_ptr_equal(sn__action_next_waiter(&s.action, &goal), &calls[i]);
    assert_ptr_equal(goal, action_rig_find(&s, 1));
  }
  assert_null(sn__action_next_waiter(&s.action, &goal));
  assert_int_equal(action_rig_ask(&s, 1, &calls[0]), SN__ACTION_ANSWER);
  sn__action_expire(&s.action, 50 + KEEP);
  assert_int_equal(action_rig_ask(&s, 1, &calls[0]), SN__ACTION_ANSWER);
  sn__action_expire(&s.action, 50 + KEEP + 1);
  assert_int_equal(action_rig_ask(&s, 1, &calls[0]), SN__ACTION_UNKNOWN);
  sn_arena_release(&s.arena);
}

SN_TEST(active_goals_are_not_dropped) {
  fixture s;
  open_fixture(&s);
  assert_string_equal(action_rig_reject_reason(&s, 0), "the goal id is empty");
  for (uint32_t i = 1; i <= GOALS; i++) {
    action_rig_accept(&s, i, i);
  }
  assert_string_equal(action_rig_reject_reason(&s, 1), "a goal with this id already exists");
  assert_string_equal(action_rig_reject_reason(&s, 9), "too many active goals");
  action_rig_end(&s, 3, SN_TRAJECTORY_SUCCEEDED, 20);
  action_rig_end(&s, 2, SN_TRAJECTORY_SUCCEEDED, 30);
  action_rig_accept(&s, 9, 9);
  assert_null(action_rig_find(&s, 3)); /* it ended first */
  assert_non_null(action_rig_find(&s, 2));
  char text[2 * SN__ACTION_TEXT_SIZE] = "";
  memset(text, 'x', sizeof text - 1);
  sn__action_end(&s.action, action_rig_find(&s, 9), SN_TRAJECTORY_ABORTED, -1, text, 40);
  assert_int_equal(strlen(action_rig_find(&s, 9)->error_text), SN__ACTION_TEXT_SIZE - 1);
  sn__action_id id;
  assert_false(sn__action_id_set(&id, text, sizeof id.bytes + 1));
  sn_arena_release(&s.arena);
}

SN_TEST(a_goal_cancelled_before_it_arrives_is_recalled) {
  fixture s;
  action_rig_open_fixture_with(&s, RECALLS);
  action_rig_accept(&s, 1, 10);
  assert_int_equal(action_rig_cancel_at(&s, 2, 0, 100), SN_CANCEL_UNKNOWN_GOAL);
  assert_int_equal(action_rig_cancel_at(&s, 1, 0, 100), SN_CANCEL_NONE); /* known */
  assert_int_equal(action_rig_cancel_at(&s, 0, 0, 100), SN_CANCEL_NONE); /* no id */
  assert_int_equal(action_rig_cancel_at(&s, 0, 9, 100), SN_CANCEL_NONE);
  assert_int_equal(s.action.recall_count, 1);
  assert_false(action_rig_is_recalled(&s, 1, 101));
  assert_false(action_rig_is_recalled(&s, 3, 101));
  assert_false(action_rig_is_recalled(&s, 0, 101));
  s.action.has_changed = false;
  assert_true(action_rig_is_recalled(&s, 2, 150));
  assert_true(s.action.has_changed && s.action.recalls[0].has_arrived);
  sn__action_expire(&s.action, 150 + KEEP);
  assert_true(action_rig_is_recalled(
      &s, 2, 150 + KEEP)); /* arrives again: recalled again, and kept longer */
  sn__action_expire(&s.action, 150 + 2 * KEEP);
  assert_int_equal(s.action.recall_count, 1);
  sn__action_expire(&s.action, 150 + 2 * KEEP + 1);
  assert_int_equal(s.action.recall_count, 0);
  assert_false(action_rig_is_recalled(&s, 2, 151 + 2 * KEEP));
  for (uint32_t i = 11; i < 11 + RECALLS; i++) {
    assert_int_equal(action_rig_cancel_at(&s, i, 5, 400 + i),
                     SN_CANCEL_NONE); /* also with a stamp */
  }
  assert_int_equal(action_rig_cancel_at(&s, 99, 0, 500),
                   SN_CANCEL_UNKNOWN_GOAL); /* the first is dropped */
  assert_false(action_rig_is_recalled(&s, 11, 500));
  assert_true(action_rig_is_recalled(&s, 12, 500) && action_rig_is_recalled(&s, 13, 500) &&
              action_rig_is_recalled(&s, 99, 500));
  sn_arena_release(&s.arena);

  open_fixture(&s); /* ROS 2 */
  assert_int_equal(action_rig_cancel_at(&s, 2, 0, 100), SN_CANCEL_UNKNOWN_GOAL);
  assert_false(action_rig_is_recalled(&s, 2, 100));
  sn_arena_release(&s.arena);
}
