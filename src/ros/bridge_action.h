/** @file
 *  Internal: controllers as actions. What an action does with its goals is its kind; how goals,
 *  results and feedback travel is the protocol of ROS 1 or ROS 2; which goals there are is
 *  `sn__action`. Everything runs in the bridge's thread. */
#ifndef SN_ROS_BRIDGE_ACTION_H
#define SN_ROS_BRIDGE_ACTION_H

#include "msg/types/action_types.h"
#include "ros/action.h"
#include "ros/bridge.h"
#include "sinew/msg_calls.h"

/** Action protocol: services and topics (ROS 2) or topics only (ROS 1). */
typedef struct sn__action_protocol {
  /** Create topics and services. @param name  of the action in the graph */
  bool (*add)(sn__bridge_action *action, const char *name);
  void (*publish_status)(sn__bridge_action *action);
  /** @param state  of the kind's `state_type` */
  void (*publish_feedback)(sn__bridge_action *action, const sn__action_goal *goal,
                           const void *state);
  /** A goal has ended. */
  void (*on_goal_ended)(sn__bridge_action *action, const sn__action_goal *goal);
  int64_t status_ns;      /**< longest interval between status messages; 0: only on change */
  bool may_preempt;       /**< a replaced goal is cancelled; otherwise it is aborted */
  size_t recall_capacity; /**< recorded goals that were cancelled before they arrived */
} sn__action_protocol;

extern const sn__action_protocol sn__action_ros2; /* action_ros2.c */
extern const sn__action_protocol sn__action_ros1; /* action_ros1.c */

/** What one action type does with its goals. */
typedef struct sn__action_kind {
  const char *name; /**< in the graph, below the component */
  const sn__action_types *types;
  const sn_msg_type *state_type; /**< of the port that reports progress */
  int32_t invalid_code;          /**< error_code of a goal that cannot be read or is not finite */
  int32_t lost_code;             /**< of one that was replaced, or whose controller is gone */

  bool (*is_offered)(const sn_component *component);
  /** Take memory, and set `state_port` and `data`. @return false: out of memory */
  bool (*setup)(sn__bridge_action *action, const sn_component *component);
  /** Start a goal. @param goal  as in the messages of the protocol; may be changed
   *  @param number  out: by which the controller knows it; ascending
   *  @param code    out, on failure: error_code. @param err  the reason
   *  @return whether it was accepted */
  bool (*start)(sn__bridge_action *action, void *goal, uint64_t *number, int32_t *code,
                sn_error *err);
  void (*cancel)(sn__bridge_action *action, const sn__action_goal *goal);
  /** Find out how an active goal is doing. */
  void (*poll)(sn__bridge_action *action, sn__action_goal *goal, int64_t now_ns);
  /** A message of the port. */
  void (*on_state)(sn__bridge_action *action, const void *state, int64_t now_ns);
  /** @param feedback  as in the messages of the protocol. @return false if it does not fit */
  bool (*fill_feedback)(const sn__bridge_action *action, const void *state, void *feedback);
  /** Fill a result that is not an sn_action_result; NULL: it is one.
   *  @param goal    NULL: it was not accepted, or is unknown
   *  @param result  as in the messages of the protocol */
  void (*fill_result)(const sn__bridge_action *action, const sn__action_goal *goal, void *result);
} sn__action_kind;

extern const sn__action_kind sn__follow_kind;          /* bridge_goals.c */
extern const sn__action_kind sn__gripper_kind;         /* bridge_goals.c */
extern const sn__action_kind sn__tool_kind;            /* bridge_goals.c */
extern const sn__action_kind sn__step_kind;            /* bridge_goals.c */
extern const sn__action_kind sn__move_kind;            /* bridge_goals.c */
extern const sn__action_kind sn__set_operational_kind; /* bridge_operational.c */

struct sn__bridge_action {
  struct sn__bridge_action *next;
  sn__bridge *bridge;
  const sn__action_protocol *protocol;
  const sn__action_kind *kind;
  const char *component; /**< `execute` */
  sn__action goals;
  sn__action_goal **cancelled; /**< [goal_capacity] by the last request */

  /* the controller */
  void *data;             /**< of the kind */
  const char *state_port; /**< `execute.trajectory_state`; NULL: goals are polled only */
  sn_tap *tap;            /**< of that port; open while a goal is active */
  uint64_t newest, ended; /**< seen on the port: newest goal, newest ended goal */
  int64_t polled_ns;      /**< last poll of all active goals */
  sn_log_limit warnings;  /**< about rejected goals */
  char reject_reason[SN__ACTION_TEXT_SIZE]; /**< of the last rejected goal */
  int32_t reject_code;

  /* the graph */
  void *status_topic, *feedback_topic, *result_topic; /**< NULL: not used by the protocol */
  int64_t status_sent_ns, feedback_sent_ns;
  void *status_msg, *feedback_msg, *result_msg; /**< buffers */
  int64_t cancelled_until_ns;                   /**< goals sent until then are recalled */
};

/** Capacities of an action. */
enum { SN__ACTION_GOALS = 32, SN__ACTION_WAITERS = 64, SN__ACTION_RECALLS = 32 };

/* ---- for the protocols ---- */

/** Send a goal to the controller. A rejected goal is logged.
 *  @param type, goal  the goal as it was received
 *  @return NULL: rejected, see action->reject_reason */
const sn__action_goal *sn__bridge_action_send(sn__bridge_action *action, const sn__action_id *id,
                                              int64_t stamp_ns, const sn_msg_type *type,
                                              void *goal);
/** Reject a goal without asking the controller. */
void sn__bridge_action_reject(sn__bridge_action *action, const char *why);
/** As sn__action_cancel(), with action->cancelled as the list; also cancels these goals in the
 *  controller. */
sn_cancel_code sn__bridge_action_cancel(sn__bridge_action *action, const sn__action_id *id,
                                        int64_t stamp_ns, size_t *count);

/* ---- for the kinds ---- */

/** Whether the component has an operation with these types. */
bool sn__bridge_has_operation(const sn_component *component, const char *name,
                              const sn_msg_type *request, const sn_msg_type *response);
/** The first output of a type, as `component.port` in the arena. @return NULL: none, or out of
 *  memory */
const char *sn__bridge_find_output(sn__bridge *bridge, const sn_component *component,
                                   const sn_msg_type *type);
/** Timeouts of calls, ns. Operations do not block, but that thread may be late. The bridge's thread
 *  also receives emergency stops, so that only what a client waits for gets more time. */
#define SN__ACTION_CALL_NS INT64_C(200000000)
#define SN__ACTION_POLL_NS INT64_C(50000000)

/** Call `component.operation`. @return as sn_call() */
sn_status sn__bridge_action_call(const sn__bridge_action *action, const char *component,
                                 const char *operation, int64_t timeout_ns, const void *request,
                                 void *response, sn_error *err);
/** Whether a failed call should be repeated later: the system or the component is busy. */
static inline bool sn__bridge_is_busy(sn_status status) {
  return status == SN_EBUSY || status == SN_ETIMEDOUT;
}
/** End a goal and inform its clients; a goal that is cancelled without a request of theirs was
 *  replaced. */
void sn__bridge_action_end(sn__bridge_action *action, sn__action_goal *goal,
                           sn_trajectory_status status, int32_t error_code, const char *text,
                           int64_t now_ns);
/** Publish feedback, not more often than the property `feedback_rate` says. */
void sn__bridge_action_feedback(sn__bridge_action *action, const sn__action_goal *goal,
                                const void *state, int64_t now_ns);

#endif
