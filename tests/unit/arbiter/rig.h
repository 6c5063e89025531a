/** @file
 *  An arbiter with short names for tests: controllers c0, c1, ..., resources r0, r1, ... */
#ifndef SN_ARBITER_RIG_H
#define SN_ARBITER_RIG_H

#include <stdlib.h>

#include "arbiter/arbiter_core.h"
#include "arbiter_state.h"
#include "sn_test.h"

enum { NONE = SN_ARBITER_NONE, RIG_MAX = 256 };

typedef struct rig {
  sn_arena arena;
  sn_arbiter_config config;
  sn_arbiter_controller policies[RIG_MAX];
  int fallbacks[RIG_MAX];
  sn_arbiter *arbiter;
  uint64_t id; /**< of the last request */
  int64_t now_ns;
} rig;

static inline const sn_names *rig_names(sn_arena *arena, char letter, size_t count) {
  char texts[RIG_MAX][8];
  const char *pointers[RIG_MAX];
  for (size_t i = 0; i < count; i++) {
    snprintf(texts[i], sizeof texts[i], "%c%zu", letter, i);
    pointers[i] = texts[i];
  }
  const sn_names *names = NULL;
  assert_int_equal(sn_names_create(arena, pointers, count, &names, NULL), SN_OK);
  return names;
}

/** Tables and defaults; set policies and fallbacks, then rig_open(). */
static inline void rig_init(rig *r, size_t controllers, size_t resources) {
  memset(r, 0, sizeof *r);
  sn_arena_init_growing(&r->arena, "rig", 1u << 16);
  r->config = (sn_arbiter_config){.controllers = rig_names(&r->arena, 'c', controllers),
                                  .resources = rig_names(&r->arena, 'r', resources),
                                  .policies = r->policies,
                                  .fallbacks = r->fallbacks};
  for (size_t i = 0; i < RIG_MAX; i++) {
    r->fallbacks[i] = NONE;
  }
}

static inline void rig_open(rig *r) {
  sn_error err = {.message = ""};
  if (sn__arbiter_create(&r->arena, &r->config, &r->arbiter, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  sn_arena_seal(&r->arena);
}

static inline void rig_close(rig *r) {
  sn_arena_release(&r->arena);
}

/** The set of the resources whose bits are 1. */
static inline sn_resource_set rig_set(uint64_t mask) {
  return (sn_resource_set){{mask}};
}

static inline uint64_t rig_mask(sn_resource_set set) {
  return set.words[0];
}

static inline void rig_check(const rig *r) {
  const char *broken = sn_arbiter_broken(r->arbiter);
  if (broken != NULL) {
    fail_msg("%s", broken);
  }
}

static inline sn_arbiter_answer rig_ask(rig *r, int controller, uint64_t mask, int32_t priority,
                                        int64_t wait_ns, sn_arbiter_action *answer) {
  const sn_arbiter_claim claim = {
      .resources = rig_set(mask), .priority = priority, .wait_ns = wait_ns, .request_id = ++r->id};
  sn_arbiter_action unused;
  const sn_arbiter_answer result = sn__arbiter_request(r->arbiter, controller, &claim, r->now_ns,
                                                       answer != NULL ? answer : &unused);
  rig_check(r);
  return result;
}

/** Ask with priority 0 and without waiting. */
static inline sn_arbiter_answer rig_take(rig *r, int controller, uint64_t mask) {
  return rig_ask(r, controller, mask, 0, 0, NULL);
}

static inline void rig_disown(rig *r, int controller, uint64_t mask) {
  const sn_resource_set set = rig_set(mask);
  sn__arbiter_disown(r->arbiter, controller, &set, r->now_ns);
  rig_check(r);
}

static inline void rig_acknowledge(rig *r, int controller, uint64_t mask) {
  const sn_resource_set set = rig_set(mask);
  sn__arbiter_acknowledge(r->arbiter, controller, &set, r->now_ns);
  rig_check(r);
}

static inline void rig_fail(rig *r, int controller, sn_arbiter_why why) {
  sn__arbiter_fail(r->arbiter, controller, why, r->now_ns);
  rig_check(r);
}

static inline void rig_tick(rig *r, int64_t now_ns) {
  r->now_ns = now_ns;
  sn__arbiter_tick(r->arbiter, now_ns);
  rig_check(r);
}

static inline uint64_t rig_owned(const rig *r, int controller) {
  return rig_mask(sn__arbiter_owned(r->arbiter, controller));
}

static inline void rig_drain(rig *r) {
  sn_arbiter_action action;
  while (sn__arbiter_next_action(r->arbiter, &action)) {
  }
}

/** The next action, which must be there and for this controller. */
static inline sn_arbiter_action rig_expect(rig *r, int controller) {
  sn_arbiter_action action = {.controller = NONE};
  assert_true(sn__arbiter_next_action(r->arbiter, &action));
  assert_int_equal(action.controller, controller);
  return action;
}

static inline void rig_expect_silence(rig *r) {
  sn_arbiter_action action;
  assert_false(sn__arbiter_next_action(r->arbiter, &action));
}

#endif
