/** @file
 *  Consumers that are linked to an arbiter directly, as inside one process: all consequences of a
 * call are delivered before it returns. */
#ifndef SN_ARBITER_CONSUMERS_H
#define SN_ARBITER_CONSUMERS_H

#include "arbiter/consumer.h"
#include "rig.h"

typedef struct member member;

/** A group of controllers around one arbiter. */
typedef struct group {
  rig rig;
  member *members;
} group;

struct member {
  group *group;
  int index;
  sn_consumer consumer;
  int acquired_count, released_count; /**< calls of the hooks */
  uint64_t view;                      /**< what the hooks add up to */
  sn_arbiter_answer answer;           /**< the last that came late */
  uint64_t answer_id;
  /** Called from the hooks; may be NULL. */
  void (*on_released)(member *m, uint64_t lost, uint64_t held);
  void (*on_acquired)(member *m, uint64_t gained, uint64_t held);
};

/** Deliver all pending actions. Re-entered through the hooks. */
static inline void group_deliver(group *g) {
  sn_arbiter_action action;
  while (sn__arbiter_next_action(g->rig.arbiter, &action)) {
    sn__consumer_handle(&g->members[action.controller].consumer, &action);
  }
}

static inline sn_arbiter_answer member_link_request(void *context, const sn_arbiter_claim *claim,
                                                    sn_arbiter_action *answer) {
  member *m = context;
  const sn_arbiter_answer result =
      sn__arbiter_request(m->group->rig.arbiter, m->index, claim, m->group->rig.now_ns, answer);
  group_deliver(m->group); /* others are notified first */
  return result;
}

static inline void member_link_disown(void *context, const sn_resource_set *resources,
                                      sn_arbiter_action *state) {
  member *m = context;
  sn__arbiter_disown(m->group->rig.arbiter, m->index, resources, m->group->rig.now_ns);
  sn__arbiter_read_state(m->group->rig.arbiter, m->index, state);
  group_deliver(m->group);
}

static inline void member_link_acknowledge(void *context, const sn_resource_set *resources) {
  member *m = context;
  sn__arbiter_acknowledge(m->group->rig.arbiter, m->index, resources, m->group->rig.now_ns);
  group_deliver(m->group);
}

static inline void member_acquired(void *context, const sn_resource_set *gained,
                                   const sn_resource_set *held) {
  member *m = context;
  assert_int_equal(m->view & rig_mask(*gained), 0);
  m->view |= rig_mask(*gained);
  m->acquired_count++;
  if (m->on_acquired != NULL) {
    m->on_acquired(m, rig_mask(*gained), rig_mask(*held));
  }
}

static inline void member_released(void *context, const sn_resource_set *lost,
                                   const sn_resource_set *held) {
  member *m = context;
  m->view &= ~rig_mask(*lost);
  m->released_count++;
  if (m->on_released != NULL) {
    m->on_released(m, rig_mask(*lost), rig_mask(*held));
  }
}

static inline void member_answered(void *context, uint64_t request_id, sn_arbiter_answer answer) {
  member *m = context;
  m->answer = answer;
  m->answer_id = request_id;
}

/** After rig_init() and the policies: the arbiter and its members. */
static inline void group_open(group *g, member *members) {
  rig_open(&g->rig);
  g->members = members;
  for (size_t i = 0; i < sn_names_count(g->rig.config.controllers); i++) {
    member *m = &members[i];
    memset(m, 0, sizeof *m);
    m->group = g;
    m->index = (int)i;
    const sn_consumer_config config = {
        .name = sn_names_at(g->rig.config.controllers, i),
        .resources = g->rig.config.resources,
        .keep_subset = g->rig.policies[i].keep_subset,
        .link = {.context = m,
                 .request = member_link_request,
                 .disown = member_link_disown,
                 .acknowledge = member_link_acknowledge},
        .hooks = {m, member_acquired, member_released, member_answered}};
    sn__consumer_init(&m->consumer, &config);
  }
}

static inline uint64_t member_held(const member *m) {
  return rig_mask(sn__consumer_held(&m->consumer));
}

static inline sn_arbiter_answer member_ask(member *m, uint64_t mask, int32_t priority,
                                           int64_t wait_ns) {
  const sn_resource_set set = rig_set(mask);
  return sn__consumer_request(&m->consumer, &set, priority, wait_ns);
}

#endif
