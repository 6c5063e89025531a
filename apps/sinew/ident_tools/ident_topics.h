/** @file
 *  Topics of a recording with data of servos. */
#ifndef SINEW_APP_IDENT_TOPICS_H
#define SINEW_APP_IDENT_TOPICS_H

#include <stdbool.h>

#include "record/mcap.h"

typedef enum ident_role {
  IDENT_MEASURED, /**< JointState, `/…/joints_measured` */
  IDENT_GOALS,    /**< ServoGoal, `/…/out_goals` or `/…/goals` */
  IDENT_EFFORTS,  /**< JointState, `/…/joints_effort` or `/…/joints_sorted`; may be missing */
  IDENT_BATTERY,  /**< BatteryState, `/…/battery_state`; may be missing */
  IDENT_ROLE_COUNT
} ident_role;

/** A topic for each role; NULL: the one that has the right type and port, or none. */
typedef struct ident_topics {
  const char *names[IDENT_ROLE_COUNT];
} ident_topics;

const sn_msg_type *ident_role_type(ident_role role);

/** Find the topics of a recording whose channels are known, and tell them on standard error.
 *  @param wanted  the name that the user gave
 *  @param out     set on success; texts live as long as the arena
 *  @return EXIT_GOOD, EXIT_NO (one is missing, or several could be meant; printed) or EXIT_FAULT */
int ident_topics_find(sn_arena *arena, const char *path, const sn_mcap_reader *reader,
                      const ident_topics *wanted, ident_topics *out);

#endif
