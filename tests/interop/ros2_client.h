/* A client of the action FollowJointTrajectory: goals, results, status. */
#ifndef SN_ROS2_CLIENT_H
#define SN_ROS2_CLIENT_H

#include <math.h>

#include "ros2_action.h"
#include "ros2_rig.h"

typedef control_msgs_action_dds__FollowJointTrajectory_SendGoal_Request_ send_request;
typedef control_msgs_action_dds__FollowJointTrajectory_SendGoal_Response_ send_response;
typedef control_msgs_action_dds__FollowJointTrajectory_GetResult_Request_ result_request;
typedef control_msgs_action_dds__FollowJointTrajectory_GetResult_Response_ result_response;
typedef control_msgs_action_dds__FollowJointTrajectory_FeedbackMessage_ feedback_message;
typedef action_msgs_srv_dds__CancelGoal_Request_ cancel_request;
typedef action_msgs_srv_dds__CancelGoal_Response_ cancel_response;
typedef action_msgs_msg_dds__GoalStatusArray_ status_array;
typedef trajectory_msgs_msg_dds__JointTrajectoryPoint_ point;
typedef control_msgs_msg_dds__JointTolerance_ tolerance;

enum { UNKNOWN, ACCEPTED, EXECUTING, CANCELING, SUCCEEDED, CANCELED, ABORTED };
enum { NO_ERROR, REJECTED, UNKNOWN_GOAL, TERMINATED };

/* Endpoints of one client. */
typedef struct client {
  dds_entity_t participant, status, feedback;
  rig_client send, result, cancel;
} client;

static char action[256];
static dds_entity_t states;

static void name_part(const char *part, char *out, size_t size) {
  snprintf(out, size, "%s/_action/%s", action, part);
}

/* Deep enough for every status message. */
static dds_entity_t open_status(dds_entity_t participant, const char *name) {
  dds_qos_t *qos = rig_qos(true, 1000, NULL);
  const dds_entity_t topic =
      dds_create_topic(participant, &action_msgs_msg_dds__GoalStatusArray__desc, name, NULL, NULL);
  const dds_entity_t reader = dds_create_reader(participant, topic, qos, NULL);
  CHECK(reader > 0, "%s: %s", name, dds_strretcode(reader));
  dds_delete_qos(qos);
  return reader;
}

static client open_client(void) {
  client c = {.participant = rig_participant()};
  char name[512];
  name_part("send_goal", name, sizeof name);
  c.send = rig_open_client(c.participant, name,
                           &control_msgs_action_dds__FollowJointTrajectory_SendGoal_Request__desc,
                           &control_msgs_action_dds__FollowJointTrajectory_SendGoal_Response__desc);
  name_part("get_result", name, sizeof name);
  c.result = rig_open_client(
      c.participant, name, &control_msgs_action_dds__FollowJointTrajectory_GetResult_Request__desc,
      &control_msgs_action_dds__FollowJointTrajectory_GetResult_Response__desc);
  name_part("cancel_goal", name, sizeof name);
  c.cancel = rig_open_client(c.participant, name, &action_msgs_srv_dds__CancelGoal_Request__desc,
                             &action_msgs_srv_dds__CancelGoal_Response__desc);
  snprintf(name, sizeof name, "rt%s/_action/status", action);
  c.status = open_status(c.participant, name);
  snprintf(name, sizeof name, "rt%s/_action/feedback", action);
  c.feedback = rig_reader(c.participant,
                          &control_msgs_action_dds__FollowJointTrajectory_FeedbackMessage__desc,
                          name, false);
  rig_wait_for_writer(c.feedback, name);
  return c;
}

/* ---- goals ---- */

enum { POINTS = 3, JOINTS = 2 };

/* A goal of two joints in one struct; tests change it afterwards. */
typedef struct goal {
  send_request request;
  point points[POINTS];
  double positions[POINTS][JOINTS];
  char *names[JOINTS];
  tolerance tolerances[1];
} goal;

static char *joints[JOINTS] = {"head_joint1", "head_joint2"};

static double position_of(const char *joint) {
  dds_sample_info_t info;
  double found = NAN;
  for (void *s = rig_next(states, PATIENCE_MS, &info); s != NULL; s = rig_next(states, 0, &info)) {
    const sensor_msgs_msg_dds__JointState_ *state = s;
    for (uint32_t i = 0; i < state->name._length; i++) {
      found = strcmp(state->name._buffer[i], joint) == 0 ? state->position._buffer[i] : found;
    }
    rig_give_back(states, s);
  }
  return found;
}

/* Waits, since messages are slightly delayed. */
static void expect_pose(double first, double second) {
  double q[JOINTS] = {NAN, NAN};
  for (int i = 0; i < 1000; i++) {
    q[0] = position_of(joints[0]);
    q[1] = position_of(joints[1]);
    if (fabs(q[0] - first) < 0.06 && fabs(q[1] - second) < 0.06) {
      return;
    }
  }
  CHECK(false, "%.3f, %.3f instead of %.3f, %.3f", q[0], q[1], first, second);
}

static void set_duration(builtin_interfaces_msg_dds__Duration_ *duration, double time_s) {
  duration->sec = (int32_t)time_s;
  duration->nanosec = (uint32_t)(1e9 * (time_s - duration->sec));
}

/* To these positions on a straight line within a time. */
static void make_goal(goal *g, double first, double second, double time_s) {
  static uint32_t count;
  const double from[JOINTS] = {position_of(joints[0]), position_of(joints[1])};
  const double to[JOINTS] = {first, second};
  memset(g, 0, sizeof *g);
  count++;
  memcpy(g->request.goal_id.uuid, &count, sizeof count);
  const dds_time_t now = dds_time(); /* unique across runs */
  memcpy(g->request.goal_id.uuid + 8, &now, sizeof now);
  for (int k = 0; k < POINTS; k++) {
    const double part = (k + 1.0) / POINTS;
    for (int j = 0; j < JOINTS; j++) {
      g->positions[k][j] = from[j] + part * (to[j] - from[j]);
    }
    g->points[k].positions._buffer = g->positions[k];
    g->points[k].positions._length = JOINTS;
    set_duration(&g->points[k].time_from_start, part * time_s);
  }
  memcpy(g->names, joints, sizeof joints);
  trajectory_msgs_msg_dds__JointTrajectory_ *t = &g->request.goal.trajectory;
  t->header.frame_id = "";
  t->joint_names._buffer = g->names;
  t->joint_names._length = JOINTS;
  t->points._buffer = g->points;
  t->points._length = POINTS;
  g->request.goal.multi_dof_trajectory.header.frame_id = "";
}

/* A wall-clock stamp after @p since. */
static void check_stamp(double stamp, double since) {
  const double now = 1e-9 * (double)dds_time();
  CHECK(stamp > since - 0.01 && stamp < now + 0.01, "a stamp of %.3f, between %.3f and %.3f", stamp,
        since, now);
}

static bool send(client *c, goal *g) {
  const double since = 1e-9 * (double)dds_time();
  const int64_t number = rig_send(&c->send, &g->request);
  void *s = rig_answer(&c->send, number, PATIENCE_MS);
  CHECK(s != NULL, "no answer to a goal");
  const send_response *answer = s;
  const bool accepted = answer->accepted;
  const double stamp = answer->stamp.sec + 1e-9 * answer->stamp.nanosec;
  if (accepted) {
    check_stamp(stamp, since);
  }
  CHECK(accepted || stamp == 0.0, "rejected at %.3f", stamp);
  rig_give_back(c->send.reader, s);
  return accepted;
}

/* ---- results ---- */

typedef struct result {
  int status, error_code;
  char text[256];
} result;

static int64_t ask_result(client *c, const goal *g) {
  result_request request = {.goal_id = g->request.goal_id};
  return rig_send(&c->result, &request);
}

static bool get_result(client *c, int64_t number, result *out) {
  void *s = rig_answer(&c->result, number, PATIENCE_MS);
  if (s == NULL) {
    return false;
  }
  const result_response *answer = s;
  out->status = answer->status;
  out->error_code = answer->result.error_code;
  snprintf(out->text, sizeof out->text, "%s", answer->result.error_string);
  rig_give_back(c->result.reader, s);
  return true;
}

static result result_of(client *c, const goal *g) {
  result r = {0};
  CHECK(get_result(c, ask_result(c, g), &r), "no result");
  return r;
}

static void expect_end(client *c, const goal *g, int status, int error_code, const char *text) {
  const result r = result_of(c, g);
  CHECK(r.status == status && r.error_code == error_code && strstr(r.text, text) != NULL,
        "status %d, error %d, '%s'; expected %d, %d, '%s'", r.status, r.error_code, r.text, status,
        error_code, text);
}

/* ---- status ---- */

static int find_status(const status_array *all, const goal *g) {
  for (uint32_t i = 0; i < all->status_list._length; i++) {
    const action_msgs_msg_dds__GoalStatus_ *s = &all->status_list._buffer[i];
    if (memcmp(s->goal_info.goal_id.uuid, g->request.goal_id.uuid, 16) == 0) {
      CHECK(s->goal_info.stamp.sec > 0, "a goal without a stamp");
      return s->status;
    }
  }
  return -1;
}

/* Waits for this status of the goal. */
static void expect_status(const client *c, const goal *g, int status) {
  const dds_time_t end = dds_time() + DDS_MSECS(PATIENCE_MS);
  int last = -1;
  while (last != status && dds_time() < end) {
    dds_sample_info_t info;
    void *s = rig_next(c->status, 100, &info);
    if (s != NULL) {
      last = find_status(s, g);
      rig_give_back(c->status, s);
    }
  }
  CHECK(last == status, "status %d, expected %d", last, status);
}

static int cancel(client *c, const goal *g, double stamp, uint32_t *count) {
  cancel_request request = {0};
  if (g != NULL) {
    request.goal_info.goal_id = g->request.goal_id;
  }
  request.goal_info.stamp.sec = (int32_t)stamp;
  request.goal_info.stamp.nanosec = (uint32_t)(1e9 * (stamp - floor(stamp)));
  void *s = rig_answer(&c->cancel, rig_send(&c->cancel, &request), PATIENCE_MS);
  CHECK(s != NULL, "no answer to a cancel request");
  const cancel_response *answer = s;
  const int code = answer->return_code;
  *count = answer->goals_canceling._length;
  CHECK(
      g == NULL || *count == 0 ||
          memcmp(answer->goals_canceling._buffer[0].goal_id.uuid, g->request.goal_id.uuid, 16) == 0,
      "another goal is cancelled");
  rig_give_back(c->cancel.reader, s);
  return code;
}

#endif
