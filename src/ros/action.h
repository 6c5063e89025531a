/** @file
 *  Internal: the goals of an action server: their status, cancel requests, and clients that wait
 *  for results. The rules are those of ROS 2 (rcl_action), or of ROS 1 (actionlib) where the two
 *  differ. Execution and transport are elsewhere. Pure.
 *
 *  Ended goals are kept for a while so that late clients get their results. All lists are bounded:
 *  the goal that ended first is dropped, an active goal never is. */
#ifndef SN_ROS_ACTION_H
#define SN_ROS_ACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "msg/types/msg_action.h"
#include "sinew/arena.h"
#include "sinew/msg_calls.h"

/** Id of a goal in the graph: 16 bytes in ROS 2, a string in ROS 1. */
typedef struct sn__action_id {
  size_t size; /**< 0: none */
  char bytes[255];
} sn__action_id;

#define SN__ACTION_TEXT_SIZE 256

typedef struct sn__action_goal {
  sn__action_id id;
  uint64_t number;  /**< id given by the controller */
  int64_t stamp_ns; /**< time of acceptance, wall clock */
  sn_trajectory_status status;
  int64_t ended_ns; /**< monotonic; this and the members below are set at the end */
  int32_t error_code;
  char error_text[SN__ACTION_TEXT_SIZE];
} sn__action_goal;

/** A client that waits for the result of a goal. */
typedef struct sn__action_waiter {
  sn__action_id id;
  void *call;
} sn__action_waiter;

/** A goal that was cancelled before it arrived. */
typedef struct sn__action_recall {
  sn__action_id id;
  int64_t stamp_ns;     /**< stamp of the cancel request, wall clock */
  int64_t last_seen_ns; /**< last mention; monotonic */
  bool has_arrived;
} sn__action_recall;

typedef struct sn__action_config {
  size_t goal_capacity;   /**< goals, ended ones included */
  size_t waiter_capacity; /**< clients that wait for results */
  size_t recall_capacity; /**< recalled goals; 0: recalls are not kept (ROS 2) */
  int64_t keep_ns;        /**< how long ended and recalled goals are kept */
  bool may_preempt;       /**< the controller may cancel a goal; otherwise it is aborted */
} sn__action_config;

typedef struct sn__action {
  sn__action_config config;
  size_t goal_count, waiter_count, recall_count;
  sn__action_goal *goals;     /**< [goal_capacity] in order of acceptance */
  sn__action_waiter *waiters; /**< [waiter_capacity] in order of arrival */
  sn__action_recall *recalls; /**< [recall_capacity] in order of arrival */
  bool has_changed;           /**< set on every change; the publisher clears it */
} sn__action;

/** @return SN_OK or SN_ENOMEM */
sn_status sn__action_init(sn__action *action, sn_arena *arena, const sn__action_config *config);

/** @return false if the id is too long */
bool sn__action_id_set(sn__action_id *id, const void *bytes, size_t size);
/** @return NULL if the goal is unknown or expired. Valid until a goal is accepted or expires */
sn__action_goal *sn__action_find(const sn__action *action, const sn__action_id *id);
bool sn__action_has_ended(const sn__action_goal *goal);

/* ---- life of a goal ---- */

/** Why a goal with this id cannot be accepted; NULL: it can. */
const char *sn__action_reject_reason(const sn__action *action, const sn__action_id *id);
/** Requires sn__action_reject_reason() to return NULL. */
sn__action_goal *sn__action_accept(sn__action *action, const sn__action_id *id, uint64_t number,
                                   int64_t stamp_ns);
/** Update the status of an active goal. A goal that is canceling or has ended keeps its status.
 *  @param status  SN_TRAJECTORY_ACCEPTED or SN_TRAJECTORY_EXECUTING */
void sn__action_update(sn__action *action, sn__action_goal *goal, sn_trajectory_status status);
/** End a goal; later calls have no effect. A goal that was cancelled without a request from the
 *  graph counts as aborted, unless `may_preempt` is set.
 *  @param status  SN_TRAJECTORY_SUCCEEDED, _CANCELED or _ABORTED. @param text  truncated if too
 * long
 */
void sn__action_end(sn__action *action, sn__action_goal *goal, sn_trajectory_status status,
                    int32_t error_code, const char *text, int64_t now_ns);
/** Whether a goal was cancelled before it arrived. If so it is recalled, and stays recalled for a
 *  while. @param now_ns  monotonic, here and below */
bool sn__action_is_recalled(sn__action *action, const sn__action_id *id, int64_t now_ns);
/** Drop ended and recalled goals that are older than `keep_ns`. */
void sn__action_expire(sn__action *action, int64_t now_ns);

/* ---- client requests ---- */

/** Cancel goals: the one with this id; with a stamp also all accepted until then; with neither,
 *  all. They are canceling until they end. An unknown id is recorded as a recall if
 * `recall_capacity` allows; the oldest recall is dropped when the list is full.
 *  @param list   [goal_capacity] out: goals that were not canceling before
 *  @param count  out
 *  @return SN_CANCEL_NONE, or for an id alone SN_CANCEL_UNKNOWN_GOAL or SN_CANCEL_TERMINATED */
sn_cancel_code sn__action_cancel(sn__action *action, const sn__action_id *id, int64_t stamp_ns,
                                 int64_t now_ns, sn__action_goal **list, size_t *count);

typedef enum sn__action_wait {
  SN__ACTION_WAITS,   /**< until sn__action_next_waiter() */
  SN__ACTION_ANSWER,  /**< the goal has ended */
  SN__ACTION_UNKNOWN, /**< unknown goal */
  SN__ACTION_FULL     /**< too many clients wait */
} sn__action_wait;

/** Wait for the result of a goal. @param goal  out: with SN__ACTION_ANSWER */
sn__action_wait sn__action_await(sn__action *action, const sn__action_id *id, void *call,
                                 const sn__action_goal **goal);
/** Remove and return the first waiter whose goal has ended. @return NULL: none */
void *sn__action_next_waiter(sn__action *action, const sn__action_goal **goal);

#endif
