/** @file
 *  Internal: the goals of an action, as nodes of a graph see them: which there are, how they stand,
 *  which are to be cancelled, who waits for a result. The rules are those of action servers of ROS
 *  2 (rcl_action), or of ROS 1 (actionlib) where these differ; what executes goals, and what
 * carries them, is the business of others. Pure.
 *
 *  Goals that have ended are kept for a while, so that who asks late gets their results. Everything
 *  is bounded: of too many ended ones the first goes, and what is under way is never forgotten. */
#ifndef SN_ROS_ACTION_H
#define SN_ROS_ACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/arena.h"
#include "sinew/msg_action.h"
#include "sinew/msg_trajectory.h"

/** How the graph calls a goal: 16 bytes in ROS 2, a text in ROS 1. */
typedef struct sn__action_id {
  size_t size; /**< 0: none */
  char bytes[255];
} sn__action_id;

#define SN__ACTION_TEXT_SIZE 256

typedef struct sn__action_goal {
  sn__action_id id;
  uint64_t number;  /**< how its controller calls it */
  int64_t stamp_ns; /**< when it was accepted, in the time of the graph */
  sn_trajectory_status status;
  int64_t ended_ns; /**< monotonic; from here on what is below */
  int32_t error_code;
  char error_text[SN__ACTION_TEXT_SIZE];
} sn__action_goal;

/** Somebody who waits for the result of a goal. */
typedef struct sn__action_waiter {
  sn__action_id id;
  void *call;
} sn__action_waiter;

/** A goal that was cancelled before it came. */
typedef struct sn__action_recall {
  sn__action_id id;
  int64_t stamp_ns; /**< of the request to cancel it, in the time of the graph */
  int64_t named_ns; /**< when it was named last; monotonic */
  bool has_come;
} sn__action_recall;

typedef struct sn__action_config {
  size_t goal_room;   /**< goals at a time, ended ones included */
  size_t waiter_room; /**< who waits for results at a time */
  size_t recall_room; /**< goals that do not come any more; 0: who comes later is wanted (ROS 2) */
  int64_t keep_ns;    /**< how long a goal is known after its end, or its recall */
  bool may_preempt;   /**< a goal may be cancelled by its controller; else that is an abort */
} sn__action_config;

typedef struct sn__action {
  sn__action_config config;
  size_t goal_count, waiter_count, recall_count;
  sn__action_goal *goals;     /**< [goal_room] as they were accepted */
  sn__action_waiter *waiters; /**< [waiter_room] as they came */
  sn__action_recall *recalls; /**< [recall_room] as they came */
  bool has_changed;           /**< since whoever tells of it looked; his to clear */
} sn__action;

/** @return SN_OK or SN_ENOMEM */
sn_status sn__action_init(sn__action *action, sn_arena *arena, const sn__action_config *config);

/** @return false if it is longer than ids are */
bool sn__action_id_set(sn__action_id *id, const void *bytes, size_t size);
/** @return NULL: it is not known, or not any more. Valid until a goal is accepted or expires */
sn__action_goal *sn__action_find(const sn__action *action, const sn__action_id *id);
bool sn__action_has_ended(const sn__action_goal *goal);

/* ---- a goal comes, and goes its way ---- */

/** Why a goal of this name cannot be accepted; NULL: it can. */
const char *sn__action_objection(const sn__action *action, const sn__action_id *id);
/** There must be no objection. */
sn__action_goal *sn__action_accept(sn__action *action, const sn__action_id *id, uint64_t number,
                                   int64_t stamp_ns);
/** It waits for its start, or is under way. What is being cancelled stays so, and what has ended
 * has ended. @param status  SN_TRAJECTORY_ACCEPTED or SN_TRAJECTORY_EXECUTING */
void sn__action_note(sn__action *action, sn__action_goal *goal, sn_trajectory_status status);
/** It has ended; only the first end counts. A goal that is cancelled though nobody in the graph
 *  asked for it has been aborted, unless it may be preempted.
 *  @param status  SN_TRAJECTORY_SUCCEEDED, _CANCELED or _ABORTED. @param text  cut if too long */
void sn__action_end(sn__action *action, sn__action_goal *goal, sn_trajectory_status status,
                    int32_t error_code, const char *text, int64_t now_ns);
/** Was it cancelled before it came? Then it is recalled, and kept in mind for a while.
 *  @param now_ns  monotonic, here and below */
bool sn__action_is_recalled(sn__action *action, const sn__action_id *id, int64_t now_ns);
/** Forget what ended, or was recalled, longer ago than it is kept. */
void sn__action_expire(sn__action *action, int64_t now_ns);

/* ---- what clients ask for ---- */

/** Which goals are to be cancelled: that of this id; with a stamp also all accepted until then;
 * with neither all. They are being cancelled from now on, until they end. An id that is not known
 * is kept in mind, if there is room for recalls: of too many the first goes.
 *  @param list   [goal_room] out: those which were not before
 *  @param count  out
 *  @return SN_CANCEL_NONE, or for an id alone SN_CANCEL_UNKNOWN_GOAL or SN_CANCEL_TERMINATED */
sn_cancel_code sn__action_cancel(sn__action *action, const sn__action_id *id, int64_t stamp_ns,
                                 int64_t now_ns, sn__action_goal **list, size_t *count);

typedef enum sn__action_wait {
  SN__ACTION_WAITS,   /**< until sn__action_next_waiter() */
  SN__ACTION_ANSWER,  /**< the goal has ended, here it is */
  SN__ACTION_UNKNOWN, /**< there is no such goal */
  SN__ACTION_FULL     /**< too many wait */
} sn__action_wait;

/** Wait for the result of a goal. @param goal  out: with SN__ACTION_ANSWER */
sn__action_wait sn__action_ask(sn__action *action, const sn__action_id *id, void *call,
                               const sn__action_goal **goal);
/** The first who waits for a goal that has ended; it waits no more. @return NULL: nobody */
void *sn__action_next_waiter(sn__action *action, const sn__action_goal **goal);

#endif
