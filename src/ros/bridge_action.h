/** @file
 *  Internal: a trajectory controller as a `FollowJointTrajectory` action. Goals are sent through
 *  the controller's operations; their status comes from its port, and by polling for goals that
 *  never started. Everything runs in the bridge's thread. */
#ifndef SN_ROS_BRIDGE_ACTION_H
#define SN_ROS_BRIDGE_ACTION_H

#include "msg/types/msg_follow.h"
#include "ros/action.h"
#include "ros/bridge.h"
#include "sinew/msg_calls.h"

/** Action protocol: services and topics (ROS 2) or topics only (ROS 1). */
typedef struct sn__action_protocol {
  /** Create topics and services. @param name  of the action in the graph */
  bool (*add)(sn__bridge_action *action, const char *name);
  void (*publish_status)(sn__bridge_action *action);
  void (*publish_feedback)(sn__bridge_action *action, const sn__action_goal *goal,
                           const sn_trajectory_state *state);
  /** A goal has ended. */
  void (*on_goal_ended)(sn__bridge_action *action, const sn__action_goal *goal);
  int64_t status_ns;      /**< longest interval between status messages; 0: only on change */
  bool may_preempt;       /**< a replaced goal is cancelled; otherwise it is aborted */
  size_t recall_capacity; /**< recorded goals that were cancelled before they arrived */
} sn__action_protocol;

extern const sn__action_protocol sn__action_ros2; /* action_ros2.c */
extern const sn__action_protocol sn__action_ros1; /* action_ros1.c */

struct sn__bridge_action {
  struct sn__bridge_action *next;
  sn__bridge *bridge;
  const sn__action_protocol *protocol;
  const char *component; /**< `execute` */
  sn__action goals;
  sn__action_goal **cancelled; /**< [goal_capacity] by the last request */

  /* the controller */
  sn_trajectory_answer *answer; /**< response buffer, as are the next two */
  sn_trajectory_state *state;
  sn_call_outcome *outcome;
  sn_tap *tap;                              /**< open while a goal is active */
  uint64_t newest, ended;                   /**< seen on the port: newest goal, newest ended goal */
  int64_t polled_ns;                        /**< last poll of all active goals */
  sn_log_limit warnings;                    /**< about rejected goals */
  char reject_reason[SN__ACTION_TEXT_SIZE]; /**< of the last rejected goal */
  int32_t reject_code;                      /**< sn_trajectory_error */

  /* the graph */
  void *status_topic, *feedback_topic, *result_topic; /**< NULL: not used by the protocol */
  int64_t status_sent_ns, feedback_sent_ns;
  void *status_msg, *feedback_msg, *result_msg; /**< buffers */
  int64_t cancelled_until_ns;                   /**< goals sent until then are recalled */
};

/** Capacities of an action. */
enum { SN__ACTION_GOALS = 32, SN__ACTION_WAITERS = 64, SN__ACTION_RECALLS = 32 };

/** Send a goal to the controller. A rejected goal is logged.
 *  @param msg  its stamp is converted from wall clock to system time
 *  @return NULL: rejected, see action->reject_reason */
const sn__action_goal *sn__bridge_action_send(sn__bridge_action *action, const sn__action_id *id,
                                              int64_t stamp_ns, sn_trajectory_goal *msg);
/** Reject a goal without asking the controller. */
void sn__bridge_action_reject(sn__bridge_action *action, const char *why);
/** As sn__action_cancel(), with action->cancelled as the list; also cancels these goals in the
 *  controller. */
sn_cancel_code sn__bridge_action_cancel(sn__bridge_action *action, const sn__action_id *id,
                                        int64_t stamp_ns, size_t *count);

/** Fill a point of feedback. @param minus  NULL, or subtracted */
void sn__bridge_action_point(sn_joint_trajectory_point *point, const sn_seq_f64 *values,
                             const sn_seq_f64 *minus, int64_t time_ns);

#endif
