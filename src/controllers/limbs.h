/** @file
 *  Internal: what controllers share that are switched on and off by operations: the limbs that they
 *  take, when they ask for them, and when they let them go.
 *
 *  The struct is a member of the component, `SN__LIMBS_PROPERTIES`, `SN__LIMBS_OPERATIONS` and
 *  `SN__LIMBS_NEED` are lines of its tables, and its service SN_RESOURCE_CONSUMER shows
 *  `limbs.controller`. */
#ifndef SN_CONTROLLERS_LIMBS_H
#define SN_CONTROLLERS_LIMBS_H

#include "sinew/component.h"
#include "sinew/controller.h"
#include "sinew/model.h"
#include "sinew/msg_calls.h"

typedef struct sn__limbs {
  /* properties */
  sn_texts controlled_chains;
  bool stay_operational, start_operational;
  int64_t priority;

  sn_requester arbiter;
  sn_controller controller;
  const sn_model *model;
  /** May it ask? NULL: always. @return SN_OK, or another status and the reason */
  sn_status (*can_take)(const sn_component *component, sn_error *err);
  bool must_start;   /**< asks until it is active for the first time */
  bool has_logged;   /**< that it was refused, since its start */
  uint64_t renewals; /**< of the controller, at the last step */
  int64_t now_ns;    /**< of the last step */
} sn__limbs;

/* NOLINTBEGIN(bugprone-macro-parentheses): names of members */
#define SN__LIMBS_PROPERTIES(struct_, limbs)                                               \
  SN_PROPERTY(struct_, "controlled_chains", limbs.controlled_chains,                       \
              .doc = "The limbs that it asks for; empty: all."),                           \
      SN_PROPERTY(struct_, "stay_operational", limbs.stay_operational,                     \
                  .doc = "Stay active without all of the limbs, and get lost ones back."), \
      SN_PROPERTY(struct_, "start_operational", limbs.start_operational,                   \
                  .doc = "Ask for the limbs by itself, as soon as it can."),               \
      SN_PROPERTY(struct_, "priority", limbs.priority, .unit = "", .min = -1000000,        \
                  .max = 1000000, .doc = "Of its requests: higher ones win.")

#define SN__LIMBS_NEED(struct_, limbs)                                            \
  {                                                                               \
    .name = "arbiter", .interface = SN_RESOURCE_ARBITER,                          \
    .offset = offsetof(struct_, limbs.arbiter), .doc = "Who decides about limbs." \
  }
/* NOLINTEND(bugprone-macro-parentheses) */

#define SN__LIMBS_OPERATIONS                                                                         \
  {"rosSetOperational",           SN_OWN_THREAD,                                                     \
   &sn_call_switch_type,          &sn_call_outcome_type,                                             \
   sn__limbs_ros_set_operational, "Take the limbs of controlled_chains, or let all go."},            \
      {"setOperational",          SN_OWN_THREAD,                                                     \
       &sn_set_operational_type,  &sn_call_outcome_type,                                             \
       sn__limbs_set_operational, "Take these limbs, or the limbs of these joints; or let all go."}, \
      SN_RELEASE_RESOURCES

sn_operation_function sn__limbs_ros_set_operational, sn__limbs_set_operational;

/** In the hook configure: attach the controller; a mistyped limb is told now, not when it is
 * wanted.
 *  @param hooks  as sn_controller_attach() */
sn_status sn__limbs_attach(sn__limbs *limbs, sn_component *component, const sn_model *model,
                           const sn_consumer_hooks *hooks, sn_error *err);

/** In the hook start. */
void sn__limbs_start(sn__limbs *limbs);

/** At the beginning of a step: ask, if it starts by itself and can. RT: yes */
void sn__limbs_begin_step(sn__limbs *limbs, int64_t now_ns) SN_RT;

/** Has or wants something? RT: yes */
bool sn__limbs_are_wanted(const sn__limbs *limbs) SN_RT;

/** Does it have joints to command? A resource may have none. RT: yes */
bool sn__limbs_move(const sn__limbs *limbs) SN_RT;

/** The names of all joints that it owns, in the order of the sorted pose. RT: yes
 *  @param names  with room for all
 *  @param owned  out: [pose size]; NULL: not of interest */
void sn__limbs_name_joints(const sn__limbs *limbs, sn_msg_names *names, bool *owned) SN_RT;

/** No weight on the limbs that it owns. RT: yes */
void sn__limbs_fill_supports(const sn__limbs *limbs, sn_support_state *supports) SN_RT;

#endif
