/* A DDS participant that is a client of the action FollowJointTrajectory of a running quadruped
   (`sinew run`), as ROS 2 nodes are. Exit 0 on success, otherwise it prints the failed check.

   usage: ros2_action ACTION STATES KEEP_S [stop]

   ACTION   /execute/follow_joint_trajectory
   STATES   /joint_states
   KEEP_S   how long results are kept; less than 2: tests only that
   stop     only a goal whose controller is stopped during execution */
#include "ros2_client.h"
#include "ros2_endpoints.h"

/* @param since  time at which the goal was sent, wall clock, s
   @return the larger tracking error of the two joints */
static double check_feedback(const feedback_message *msg, double since, double *last) {
  double behind = 0.0;
  const control_msgs_action_dds__FollowJointTrajectory_Feedback_ *f = &msg->feedback;
  check_stamp(f->header.stamp.sec + 1e-9 * f->header.stamp.nanosec, since);
  CHECK(f->joint_names._length == JOINTS, "%u joints", f->joint_names._length);
  CHECK(f->desired.positions._length == JOINTS && f->actual.positions._length == JOINTS &&
            f->error.positions._length == JOINTS,
        "%u, %u, %u positions", f->desired.positions._length, f->actual.positions._length,
        f->error.positions._length);
  for (uint32_t j = 0; j < JOINTS; j++) {
    CHECK(strcmp(f->joint_names._buffer[j], joints[j]) == 0, "%s", f->joint_names._buffer[j]);
    CHECK(fabs(f->desired.positions._buffer[j] - f->actual.positions._buffer[j] -
               f->error.positions._buffer[j]) < 1e-12,
          "the error is not the difference");
    /* after a pause of the machine the error may reach the whole distance, but no more */
    CHECK(fabs(f->error.positions._buffer[j]) < 0.35, "far off: %.3f",
          f->error.positions._buffer[j]);
    behind = fmax(behind, fabs(f->error.positions._buffer[j]));
  }
  const double time = f->desired.time_from_start.sec + 1e-9 * f->desired.time_from_start.nanosec;
  CHECK(time > *last, "%.3f s after %.3f s", time, *last);
  *last = time;
  return behind;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The median, since a busy machine delays some samples. */
static void check_tracking(double *behind, int count) {
  qsort(behind, (size_t)count, sizeof *behind, compare);
  CHECK(behind[count / 2] < 0.1, "far off: %.3f", behind[count / 2]);
}

/* Two clients wait for one result; the joints reach the goal; a late client gets the result, too.
 */
static void check_success(client *c, client *other) {
  goal g;
  dds_sample_info_t info;
  for (void *s = rig_next(c->feedback, 0, &info); s != NULL; s = rig_next(c->feedback, 0, &info)) {
    rig_give_back(c->feedback, s);
  }
  make_goal(&g, 0.3, -0.2, 1.5);
  const double since = 1e-9 * (double)dds_time();
  CHECK(send(c, &g), "a valid goal was rejected");
  const int64_t first = ask_result(c, &g);
  const int64_t second = ask_result(other, &g);
  expect_status(c, &g, EXECUTING);
  result r = {0};
  CHECK(get_result(other, second, &r) && r.status == SUCCEEDED, "no result for the second client");
  CHECK(1e-9 * (double)dds_time() >= since + 1.5, "a result before the end");
  CHECK(get_result(c, first, &r) && r.status == SUCCEEDED && r.error_code == 0,
        "status %d, error %d, '%s'", r.status, r.error_code, r.text);
  expect_status(c, &g, SUCCEEDED);
  enum { FEEDBACK_MAX = 200 };
  double behind[FEEDBACK_MAX];
  int count = 0;
  double last = -1.0;
  for (void *s = rig_next(c->feedback, 0, &info); s != NULL; s = rig_next(c->feedback, 0, &info)) {
    CHECK(memcmp(((feedback_message *)s)->goal_id.uuid, g.request.goal_id.uuid, 16) == 0,
          "feedback of another goal");
    CHECK(count < FEEDBACK_MAX, "more than %d feedback messages", count);
    behind[count++] = check_feedback(s, since, &last);
    rig_give_back(c->feedback, s);
  }
  CHECK(count >= 2, "%d times feedback", count);
  check_tracking(behind, count);
  expect_pose(0.3, -0.2);
  expect_end(other, &g, SUCCEEDED, 0, "");
  client late = open_client(); /* status is latched */
  expect_status(&late, &g, SUCCEEDED);
  dds_delete(late.participant);
  CHECK(!send(c, &g), "a goal was accepted twice");
  g.request.goal_id.uuid[0] ^= 0xff;
  CHECK(result_of(c, &g).status == UNKNOWN, "an unknown goal has a result");
}

static void check_cancel(client *c) {
  goal g;
  uint32_t count = 0;
  make_goal(&g, -0.3, 0.2, 5.0);
  CHECK(cancel(c, &g, 0, &count) == UNKNOWN_GOAL && count == 0, "an unknown goal was cancelled");
  CHECK(cancel(c, NULL, 0, &count) == NO_ERROR && count == 0, "%u goals from nowhere", count);
  CHECK(send(c, &g), "a valid goal was rejected");
  const int64_t waits = ask_result(c, &g);
  expect_status(c, &g, EXECUTING);
  dds_sleepfor(DDS_MSECS(200));
  CHECK(cancel(c, &g, 0, &count) == NO_ERROR && count == 1, "%u goals are cancelled", count);
  result r = {0};
  CHECK(get_result(c, waits, &r) && r.status == CANCELED, "status %d '%s'", r.status, r.text);
  CHECK(cancel(c, &g, 0, &count) == TERMINATED && count == 0, "it was cancelled twice");
  CHECK(position_of(joints[0]) > -0.25, "it went on to %.3f", position_of(joints[0]));
  const double since = 1e-9 * (double)dds_time() - 0.001;
  make_goal(&g, -0.3, 0.2, 5.0); /* by time: goals accepted before, not later ones */
  CHECK(send(c, &g), "a valid goal was rejected");
  CHECK(cancel(c, NULL, since, &count) == NO_ERROR && count == 0, "%u goals of before", count);
  CHECK(cancel(c, NULL, since + 60, &count) == NO_ERROR && count == 1, "%u goals by now", count);
  expect_end(c, &g, CANCELED, 0, "");
  make_goal(&g, -0.3, 0.2, 5.0);
  CHECK(send(c, &g), "a valid goal was rejected");
  CHECK(cancel(c, NULL, 0, &count) == NO_ERROR && count == 1, "%u goals of all", count);
  expect_end(c, &g, CANCELED, 0, "");
}

static void check_replace(client *c) {
  goal first;
  goal second;
  make_goal(&first, -0.3, 0.2, 5.0);
  CHECK(send(c, &first), "a valid goal was rejected");
  const int64_t waits = ask_result(c, &first);
  expect_status(c, &first, EXECUTING);
  make_goal(&second, 0.1, 0.1, 0.5);
  CHECK(send(c, &second), "a valid goal was rejected");
  result r = {0};
  CHECK(get_result(c, waits, &r) && r.status == ABORTED && r.error_code == -1 &&
            strstr(r.text, "replaced") != NULL,
        "status %d, error %d, '%s'", r.status, r.error_code, r.text);
  expect_end(c, &second, SUCCEEDED, 0, "");
}

/* Goals that arrive faster than cycles: each gets a result, and the last one is executed. A goal
   that is rejected may be answered before one that waits for the next cycle. */
static void check_burst(client *c) {
  enum { MANY = 12 };
  static goal goals[MANY];
  int64_t first = 0;
  for (int i = 0; i < MANY; i++) {
    make_goal(&goals[i], i == MANY - 1 ? 0.3 : -0.3, 0.0, 0.5);
  }
  for (int i = 0; i < MANY; i++) {
    const int64_t number = rig_send(&c->send, &goals[i].request);
    first = i == 0 ? number : first;
  }
  int last = -1;
  bool is_answered[MANY] = {false}, is_accepted[MANY] = {false};
  for (int k = 0; k < MANY; k++) {
    void *s = rig_next_answer(&c->send, PATIENCE_MS);
    CHECK(s != NULL, "%d answers to %d goals", k, MANY);
    const int64_t i = ((const rig_call_header *)s)->number - first;
    CHECK(i >= 0 && i < MANY && !is_answered[i], "an answer to goal %d", (int)i);
    is_answered[i] = true;
    is_accepted[i] = ((const send_response *)s)->accepted;
    last = is_accepted[i] && (int)i > last ? (int)i : last;
    rig_give_back(c->send.reader, s);
  }
  CHECK(last > 0, "the last goal that was accepted is %d", last);
  for (int i = 0; i < last; i++) {
    if (is_accepted[i]) {
      expect_end(c, &goals[i], ABORTED, -1, "replaced");
    }
  }
  expect_end(c, &goals[last], SUCCEEDED, 0, "");
}

/* An invalid goal does not affect the active one. */
static void check_reject(client *c) {
  goal good;
  goal g;
  make_goal(&good, 0.2, 0.0, 1.5);
  CHECK(send(c, &good), "a valid goal was rejected");
  make_goal(&g, 0, 0, 1);
  g.names[1] = "no_such_joint";
  CHECK(!send(c, &g), "an unknown joint");
  make_goal(&g, 0, 0, 1);
  g.names[1] = g.names[0];
  CHECK(!send(c, &g), "a duplicate joint");
  make_goal(&g, 0, 0, 1);
  g.points[1].positions._length = 1;
  CHECK(!send(c, &g), "too few positions");
  make_goal(&g, 0, 0, 1);
  g.positions[2][1] = NAN;
  CHECK(!send(c, &g), "NaN");
  make_goal(&g, 0, 0, 1);
  g.points[2].time_from_start = g.points[1].time_from_start;
  CHECK(!send(c, &g), "times that do not increase");
  make_goal(&g, 100, 0, 1);
  CHECK(!send(c, &g), "beyond the limits of a joint");
  make_goal(&g, 0, 0, 1);
  g.request.goal.trajectory.points._length = 0;
  CHECK(!send(c, &g), "no points");
  make_goal(&g, 0, 0, 1);
  g.request.goal.trajectory.header.stamp.sec = 1000;
  CHECK(!send(c, &g), "a start in the past");
  make_goal(&g, 0, 0, 1);
  g.request.goal.multi_dof_trajectory.joint_names._buffer = g.names;
  g.request.goal.multi_dof_trajectory.joint_names._length = 1;
  CHECK(!send(c, &g), "a joint with several degrees of freedom");
  make_goal(&g, 0, 0, 1);
  memset(g.request.goal_id.uuid, 0, 16);
  CHECK(!send(c, &g), "no id");
  CHECK(result_of(c, &g).status == UNKNOWN, "a rejected goal has a result");
  expect_end(c, &good, SUCCEEDED, 0, "");
}

static void check_tolerances(client *c) {
  goal g;
  make_goal(&g, -0.4, 0.0, 0.5);
  g.tolerances[0] = (tolerance){.name = joints[0], .position = 1e-6};
  g.request.goal.path_tolerance._buffer = g.tolerances;
  g.request.goal.path_tolerance._length = 1;
  CHECK(send(c, &g), "a valid goal was rejected");
  expect_end(c, &g, ABORTED, -4, joints[0]);
  make_goal(&g, 0.4, 0.0, 0.5);
  g.tolerances[0] = (tolerance){.name = joints[0], .position = 1e-9};
  g.request.goal.goal_tolerance._buffer = g.tolerances;
  g.request.goal.goal_tolerance._length = 1;
  set_duration(&g.request.goal.goal_time_tolerance, 0.1);
  CHECK(send(c, &g), "a valid goal was rejected");
  expect_end(c, &g, ABORTED, -5, joints[0]);
  make_goal(&g, 0.0, 0.0, 0.5); /* a start in the future */
  const double begin = 1e-9 * (double)dds_time() + 2.0;
  g.request.goal.trajectory.header.stamp.sec = (int32_t)begin;
  g.request.goal.trajectory.header.stamp.nanosec = (uint32_t)(1e9 * (begin - floor(begin)));
  CHECK(send(c, &g), "a valid goal was rejected");
  expect_status(c, &g, ACCEPTED);
  expect_end(c, &g, SUCCEEDED, 0, "");
  CHECK(1e-9 * (double)dds_time() > begin + 0.5, "it did not wait for its start");
}

/* A trajectory with as many points as a planner may send: a slow sine. */
static void check_large(client *c) {
  enum { MANY = 3000 };
  static point points[MANY];
  static double positions[MANY][JOINTS];
  goal g;
  uint32_t count = 0;
  make_goal(&g, 0.0, 0.0, 1.0);
  const double from = position_of(joints[0]);
  for (int k = 0; k < MANY; k++) {
    positions[k][0] = from + 0.1 * sin(0.005 * k);
    positions[k][1] = g.positions[0][1];
    points[k] = (point){0};
    points[k].positions._buffer = positions[k];
    points[k].positions._length = JOINTS;
    set_duration(&points[k].time_from_start, 0.5 + 0.01 * k);
  }
  g.request.goal.trajectory.points._buffer = points;
  g.request.goal.trajectory.points._length = MANY;
  const dds_time_t start = dds_time();
  CHECK(send(c, &g), "a goal of %d points was rejected", MANY);
  printf("ros2_action: a goal of %d points was accepted after %.1f ms\n", MANY,
         1e-6 * (double)(dds_time() - start));
  expect_status(c, &g, EXECUTING);
  CHECK(cancel(c, &g, 0, &count) == NO_ERROR && count == 1, "%u goals are cancelled", count);
  expect_end(c, &g, CANCELED, 0, "");
}

/* A client disconnects: its goal is executed, and others get the result. */
static void check_vanished(client *c) {
  goal g;
  client gone = open_client();
  make_goal(&g, 0.3, 0.1, 1.0);
  CHECK(send(&gone, &g), "a valid goal was rejected");
  (void)ask_result(&gone, &g);
  (void)ask_result(&gone, &g);
  dds_sleepfor(DDS_MSECS(300));
  dds_delete(gone.participant);
  expect_end(c, &g, SUCCEEDED, 0, "");
}

/* Random bytes with valid type names: no response, and nothing breaks. */
static void check_garbage(client *c) {
  static const struct {
    const char *part, *type;
  } services[] = {
      {"send_goal", "control_msgs::action::dds_::FollowJointTrajectory_SendGoal_Request_"},
      {"get_result", "control_msgs::action::dds_::FollowJointTrajectory_GetResult_Request_"},
      {"cancel_goal", "action_msgs::srv::dds_::CancelGoal_Request_"}};
  const dds_entity_t participant = rig_participant();
  static uint8_t bytes[4096];
  srand(7);
  for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
    char name[512];
    char topic[600];
    name_part(services[i].part, name, sizeof name);
    snprintf(topic, sizeof topic, "rq%sRequest", name);
    dds_topic_descriptor_t type = garbage_desc;
    type.m_typename = services[i].type;
    const dds_entity_t writer = rig_writer(participant, &type, topic, "clientid=6.6;");
    for (int k = 0; k < 200; k++) {
      garbage sample = {0};
      sample.bytes._buffer = bytes;
      sample.bytes._length = (uint32_t)rand() % (k % 10 == 0 ? sizeof bytes : 120);
      for (uint32_t b = 0; b < sample.bytes._length; b++) {
        bytes[b] = (uint8_t)(rand() % 3 == 0 ? rand() >> 4 : 0); /* many counts are small */
      }
      CHECK(dds_write(writer, &sample) == DDS_RETCODE_OK, "garbage was not sent");
      dds_sleepfor(DDS_USECS(300));
    }
    dds_wait_for_acks(writer, DDS_SECS(2));
  }
  dds_delete(participant);
  goal g;
  make_goal(&g, 0.0, 0.0, 0.5);
  CHECK(send(c, &g), "a valid goal was rejected");
  expect_end(c, &g, SUCCEEDED, 0, "");
}

/* The controller is stopped during execution. */
static void check_stopped(client *c) {
  goal g;
  make_goal(&g, -0.3, 0.0, 10.0);
  CHECK(send(c, &g), "a valid goal was rejected");
  expect_status(c, &g, EXECUTING);
  puts("ros2_action: the goal is active");
  fflush(stdout);
  expect_end(c, &g, ABORTED, -1, "is not running");
  make_goal(&g, 0.0, 0.0, 0.5);
  CHECK(!send(c, &g), "a stopped controller accepted a goal");
}

/* Results expire. */
static void check_expiry(client *c, double keep_s) {
  goal g;
  make_goal(&g, 0.1, 0.0, 0.3);
  CHECK(send(c, &g), "a valid goal was rejected");
  expect_end(c, &g, SUCCEEDED, 0, "");
  const double since = 1e-9 * (double)dds_time();
  while (result_of(c, &g).status != UNKNOWN) {
    const double age_s = 1e-9 * (double)dds_time() - since;
    CHECK(age_s < keep_s + 1e-3 * PATIENCE_MS, "a result was kept for %.1f s", age_s);
    dds_sleepfor(DDS_MSECS(100));
  }
}

int main(int argc, char **argv) {
  CHECK(argc == 4 || argc == 5, "usage: ros2_action ACTION STATES KEEP_S [stop]");
  char topic[512];
  const double keep_s = atof(argv[3]);
  snprintf(action, sizeof action, "%s", argv[1]);
  snprintf(topic, sizeof topic, "rt%s", argv[2]);
  client c = open_client();
  states = rig_reader(c.participant, &sensor_msgs_msg_dds__JointState__desc, topic, false);
  rig_wait_for_writer(states, topic);
  if (argc == 5) {
    check_stopped(&c);
    dds_delete(c.participant);
    return 0;
  }
  client other = open_client();
  check_endpoints(&c);
  check_success(&c, &other);
  check_replace(&c);
  if (keep_s < 10.0) { /* the rest is tested in another run */
    check_expiry(&c, keep_s);
  } else {
    check_cancel(&c);
    check_burst(&c);
    check_reject(&c);
    check_tolerances(&c);
    check_large(&c);
    check_vanished(&c);
    check_garbage(&c);
  }
  dds_delete(other.participant);
  dds_delete(c.participant);
  puts("ros2_action: goals, results, status and feedback are correct");
  return 0;
}
