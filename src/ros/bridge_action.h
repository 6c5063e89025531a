/** @file
 *  Internal: a controller of trajectories as an action of the graph, `FollowJointTrajectory`. Goals
 *  go to the controller by its operations; how they stand comes from its port, and what that cannot
 *  tell, such as goals that never began, is asked for. All of it in the thread of the bridge. */
#ifndef SN_ROS_BRIDGE_ACTION_H
#define SN_ROS_BRIDGE_ACTION_H

#include "ros/action.h"
#include "ros/bridge.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_follow.h"

/** How a graph carries an action: by services (ROS 2) or by topics (ROS 1). */
typedef struct sn__action_wire {
  /** Say what there is. @param name  of the action in the graph */
  bool (*add)(sn__bridge_action *action, const char *name);
  void (*tell_status)(sn__bridge_action *action);
  void (*tell_feedback)(sn__bridge_action *action, const sn__action_goal *goal,
                        const sn_trajectory_state *state);
  /** Some goal has ended. */
  void (*tell_end)(sn__bridge_action *action, const sn__action_goal *goal);
  int64_t status_ns;  /**< how often the status is told at least; 0: only when it changes */
  bool may_preempt;   /**< a goal that is replaced is cancelled; else it is aborted */
  size_t recall_room; /**< goals that were cancelled before they came, and are kept in mind */
} sn__action_wire;

extern const sn__action_wire sn__action_services; /* action_services.c */
extern const sn__action_wire sn__action_topics;   /* action_topics.c */

struct sn__bridge_action {
  struct sn__bridge_action *next;
  sn__bridge *bridge;
  const sn__action_wire *wire;
  const char *component; /**< `execute` */
  sn__action goals;
  sn__action_goal **cancelled; /**< [goal_room] of the last request */

  /* the controller */
  sn_trajectory_answer *answer; /**< room for what it says; likewise below */
  sn_trajectory_state *state;
  sn_call_outcome *outcome;
  sn_tap *tap;             /**< while a goal is under way */
  uint64_t newest, ended;  /**< goals that the port told of: the last, the last that ended */
  int64_t looked_ns;       /**< when all goals under way were asked for */
  sn__throttle complaints; /**< about goals that are rejected */
  char objection[SN__ACTION_TEXT_SIZE]; /**< why the last one was */
  int32_t objection_code;               /**< sn_trajectory_error */

  /* the graph */
  void *status_topic, *feedback_topic, *result_topic; /**< NULL: the graph has none */
  int64_t status_told_ns, feedback_told_ns;
  void *status_msg, *feedback_msg, *result_msg; /**< room for one of each */
  int64_t cancelled_until_ns; /**< goals that were sent until then are not wanted any more */
};

/** Goals of an action that are known at a time, and clients that wait for results. */
enum { SN__ACTION_GOALS = 32, SN__ACTION_WAITERS = 64, SN__ACTION_RECALLS = 32 };

/** Hand a goal to the controller. A rejected one is told.
 *  @param msg  its stamp in the time of the graph, which is translated
 *  @return NULL: it is rejected, see action->objection */
const sn__action_goal *sn__bridge_action_send(sn__bridge_action *action, const sn__action_id *id,
                                              int64_t stamp_ns, sn_trajectory_goal *msg);
/** A goal is rejected before it gets there, for this reason. */
void sn__bridge_action_reject(sn__bridge_action *action, const char *why);
/** As sn__action_cancel(); the controller is asked to stop those that it puts into
 *  action->cancelled. */
sn_cancel_code sn__bridge_action_cancel(sn__bridge_action *action, const sn__action_id *id,
                                        int64_t stamp_ns, size_t *count);

/** Fill a point of feedback. @param minus  NULL, or what is taken away; then both are needed */
void sn__bridge_action_point(sn_joint_trajectory_point *point, const sn_seq_f64 *values,
                             const sn_seq_f64 *minus, int64_t time_ns);

/** Bring all goals up to date with the controller (bridge_action.c).
 *  @return whether any is under way */
bool sn__bridge_action_follow(sn__bridge_action *action, int64_t now_ns);

#endif
