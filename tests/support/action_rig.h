/** @file
 *  What the tests of action share. */
#ifndef SN_ACTION_RIG_H
#define SN_ACTION_RIG_H

#include "ros/action.h"
#include "sn_test.h"

enum { GOALS = 4, WAITERS = 5, RECALLS = 3, KEEP = 100 };

typedef struct fixture {
  sn_arena arena;
  sn__action action;
  sn__action_goal *list[GOALS];
  size_t count;
} fixture;

/** ROS 2 rules with 0, ROS 1 rules otherwise: those record cancelled ids. */
void action_rig_open_fixture_with(fixture *s, size_t recall_capacity);

sn__action_goal *action_rig_find(const fixture *s, uint32_t number);

const char *action_rig_reject_reason(const fixture *s, uint32_t number);

void action_rig_accept(fixture *s, uint32_t number, int64_t stamp_ns);

sn_cancel_code action_rig_cancel_at(fixture *s, uint32_t number, int64_t stamp_ns, int64_t now_ns);

bool action_rig_is_recalled(fixture *s, uint32_t number, int64_t now_ns);

void action_rig_end(fixture *s, uint32_t number, sn_trajectory_status status, int64_t now_ns);

sn__action_wait action_rig_ask(fixture *s, uint32_t number, void *call);

#endif
