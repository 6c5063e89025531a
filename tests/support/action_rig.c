#include "action_rig.h"

void action_rig_open_fixture_with(fixture *s, size_t recall_capacity) {
  const sn__action_config config = {.goal_capacity = GOALS,
                                    .waiter_capacity = WAITERS,
                                    .recall_capacity = recall_capacity,
                                    .keep_ns = KEEP};
  sn_arena_init_growing(&s->arena, "action", 0);
  assert_int_equal(sn__action_init(&s->action, &s->arena, &config), SN_OK);
}

static sn__action_id id_of(uint32_t number) {
  sn__action_id id = {0};
  assert_true(sn__action_id_set(&id, &number, number == 0 ? 0 : sizeof number));
  return id;
}

sn__action_goal *action_rig_find(const fixture *s, uint32_t number) {
  const sn__action_id id = id_of(number);
  return sn__action_find(&s->action, &id);
}

const char *action_rig_reject_reason(const fixture *s, uint32_t number) {
  const sn__action_id id = id_of(number);
  return sn__action_reject_reason(&s->action, &id);
}

void action_rig_accept(fixture *s, uint32_t number, int64_t stamp_ns) {
  const sn__action_id id = id_of(number);
  assert_null(sn__action_reject_reason(&s->action, &id));
  const sn__action_goal *goal = sn__action_accept(&s->action, &id, number, stamp_ns);
  assert_int_equal(goal->status, SN_TRAJECTORY_ACCEPTED);
  assert_ptr_equal(goal, action_rig_find(s, number));
}

sn_cancel_code action_rig_cancel_at(fixture *s, uint32_t number, int64_t stamp_ns, int64_t now_ns) {
  const sn__action_id id = id_of(number);
  return sn__action_cancel(&s->action, &id, stamp_ns, now_ns, s->list, &s->count);
}

bool action_rig_is_recalled(fixture *s, uint32_t number, int64_t now_ns) {
  const sn__action_id id = id_of(number);
  return sn__action_is_recalled(&s->action, &id, now_ns);
}

void action_rig_end(fixture *s, uint32_t number, sn_trajectory_status status, int64_t now_ns) {
  sn__action_end(&s->action, action_rig_find(s, number), status, -4, "off", now_ns);
}

sn__action_wait action_rig_ask(fixture *s, uint32_t number, void *call) {
  const sn__action_id id = id_of(number);
  const sn__action_goal *goal = NULL;
  const sn__action_wait wait = sn__action_await(&s->action, &id, call, &goal);
  assert_true((wait == SN__ACTION_UNKNOWN) == (goal == NULL));
  return wait;
}
