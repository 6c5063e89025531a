/* A DDS participant that stops a running robot (`sinew run`) through its services, as ROS 2 nodes
   do. Exit 0 on success, otherwise it prints the failed check.

   usage: ros2_stop obey JOINT...         the robot moves, is stopped, stays so, and is resumed
          ros2_stop hang TEXT JOINT...    it moves, and a line on standard output says so; when a
                                          line comes in, its control loop hangs. The stop must be
                                          confirmed if TEXT is empty, else refused with TEXT */
#include <math.h>

#include "ros2_peer.h"
#include "ros2_rig.h"

typedef sensor_msgs_msg_dds__JointState_ joint_state;

enum { JOINTS_MAX = 8 };

typedef struct robot {
  dds_entity_t participant, references, commanded, measured;
  rig_client operate, stop, resume;
  char *joints[JOINTS_MAX];
  uint32_t joint_count;
} robot;

static rig_client open_trigger(dds_entity_t participant, const char *service) {
  return rig_open_client(participant, service, &std_srvs_srv_dds__Trigger_Request__desc,
                         &std_srvs_srv_dds__Trigger_Response__desc);
}

static void open_robot(robot *r, char **joints, int count) {
  const dds_entity_t p = rig_participant();
  const dds_topic_descriptor_t *type = &sensor_msgs_msg_dds__JointState__desc;
  CHECK(count > 0 && count <= JOINTS_MAX, "%d joints", count);
  *r = (robot){.participant = p, .joint_count = (uint32_t)count};
  memcpy(r->joints, joints, (size_t)count * sizeof *joints);
  r->references = rig_writer(p, type, "rt/follow/in_joints_ref", NULL);
  r->commanded = rig_reader(p, type, "rt/aggregator/joints_sorted", false);
  r->measured = rig_reader(p, type, "rt/joint_states", false);
  rig_wait_for_writer(r->commanded, "joints_sorted");
  rig_wait_for_writer(r->measured, "joint_states");
  r->operate =
      rig_open_client(p, "/follow/rosSetOperational", &std_srvs_srv_dds__SetBool_Request__desc,
                      &std_srvs_srv_dds__SetBool_Response__desc);
  r->stop = open_trigger(p, "/aggregator/emergencyStop");
  r->resume = open_trigger(p, "/aggregator/resume");
}

/* @param text  out: message; may be NULL */
static bool trigger(rig_client *c, char *text, size_t size) {
  std_srvs_srv_dds__Trigger_Request_ request = {0};
  void *s = rig_answer(c, rig_send(c, &request), PATIENCE_MS);
  CHECK(s != NULL, "no answer");
  const std_srvs_srv_dds__Trigger_Response_ *answer = s;
  const bool success = answer->success;
  if (text != NULL) {
    snprintf(text, size, "%s", answer->message);
  }
  rig_give_back(c->reader, s);
  return success;
}

static bool operate(robot *r, bool on) {
  std_srvs_srv_dds__SetBool_Request_ request = {.data = on};
  void *s = rig_answer(&r->operate, rig_send(&r->operate, &request), PATIENCE_MS);
  CHECK(s != NULL, "no answer");
  const bool success = ((const std_srvs_srv_dds__SetBool_Response_ *)s)->success;
  rig_give_back(r->operate.reader, s);
  return success;
}

/* A swinging reference. */
static void lead(robot *r) {
  double positions[JOINTS_MAX];
  for (uint32_t i = 0; i < r->joint_count; i++) {
    positions[i] = 0.3 * sin(2e-9 * (double)dds_time());
  }
  joint_state state = {.header = {.frame_id = (char[]){""}}};
  state.name._buffer = r->joints;
  state.position._buffer = positions;
  state.name._length = state.position._length = r->joint_count;
  CHECK(dds_write(r->references, &state) == DDS_RETCODE_OK, "a reference was not sent");
}

/* Position of the first joint; a message contains only measured joints. */
static bool find_joint(const robot *r, const joint_state *state, double *at) {
  for (uint32_t i = 0; i < state->name._length && i < state->position._length; i++) {
    if (strcmp(state->name._buffer[i], r->joints[0]) == 0) {
      *at = state->position._buffer[i];
      return true;
    }
  }
  return false;
}

/* Of the newest message; queued ones are dropped. */
static double position(const robot *r, dds_entity_t reader) {
  dds_sample_info_t info;
  double at = NAN;
  bool is_there = false;
  for (void *s = rig_next(reader, PATIENCE_MS, &info); s != NULL;
       s = rig_next(reader, is_there ? 0 : PATIENCE_MS, &info)) {
    is_there = find_joint(r, s, &at) || is_there;
    rig_give_back(reader, s);
  }
  CHECK(is_there, "no position of %s", r->joints[0]);
  return at;
}

/* Largest movement of a joint during 30 references, rad. */
static double moves(robot *r, dds_entity_t reader) {
  (void)position(r, reader); /* drop queued messages */
  const double first = position(r, reader);
  double worst = 0.0;
  for (int i = 0; i < 30; i++) {
    lead(r);
    dds_sleepfor(DDS_MSECS(30));
    worst = fmax(worst, fabs(position(r, reader) - first));
  }
  return worst;
}

static void expect_motion(robot *r) {
  int n = 0;
  while (n < 60 && moves(r, r->measured) <= 0.1) {
    n++;
  }
  CHECK(n < 60, "%s does not move", r->joints[0]);
}

static void set_off(robot *r) {
  int n = 0;
  while (n < 600 && !operate(r, true)) { /* not before positions are measured */
    dds_sleepfor(DDS_MSECS(100));
    n++;
  }
  CHECK(n < 600, "follow does not start");
  expect_motion(r);
}

/* On a busy machine servos may confirm a stop too late, which the response must report. */
static void expect_confirmed(robot *r) {
  char text[512] = "";
  int n = 0;
  while (n < 200 && !trigger(&r->stop, text, sizeof text)) {
    CHECK(strstr(text, "did not obey: 'plant") != NULL, "rejected with '%s'", text);
    n++;
  }
  CHECK(n < 200, "not stopped: %s", text);
}

static void check_obeys(robot *r) {
  char text[512];
  set_off(r);
  expect_confirmed(r);
  int n = 0;
  while (n < 60 && moves(r, r->commanded) > 0.0) { /* it brakes */
    n++;
  }
  CHECK(n < 60, "the command still moves");
  CHECK(!(moves(r, r->commanded) > 0.0), "references change the command");
  CHECK(moves(r, r->measured) < 2e-3, "references move %s", r->joints[0]);
  (void)operate(r, false);
  (void)operate(r, true);
  CHECK(!(moves(r, r->commanded) > 0.0), "a new activation changes the command");
  puts("stopped");
  fflush(stdout);
  CHECK(getchar() == '\n', "no input: stopped");
  CHECK(trigger(&r->resume, text, sizeof text), "not resumed: %s", text);
  expect_motion(r);
  CHECK(!trigger(&r->resume, NULL, 0), "resumed without a stop");
}

static void check_hangs(robot *r, const char *expected) {
  char text[512] = "";
  set_off(r);
  puts("moves");
  fflush(stdout);
  CHECK(getchar() == '\n', "no input: hanging");
  if (*expected == '\0') {
    expect_confirmed(r); /* by the bus thread */
    puts("stopped");
  } else {
    CHECK(!trigger(&r->stop, text, sizeof text), "success although no driver could stop");
    CHECK(strstr(text, expected) != NULL, "'%s', expected '%s'", text, expected);
    printf("refused: %s\n", text);
  }
  fflush(stdout);
  for (int i = 0; i < 50; i++) { /* references after the stop */
    lead(r);
    dds_sleepfor(DDS_MSECS(20));
  }
}

int main(int argc, char **argv) {
  robot r;
  if (argc >= 3 && strcmp(argv[1], "obey") == 0) {
    open_robot(&r, argv + 2, argc - 2);
    check_obeys(&r);
  } else if (argc >= 4 && strcmp(argv[1], "hang") == 0) {
    open_robot(&r, argv + 3, argc - 3);
    check_hangs(&r, argv[2]);
  } else {
    fputs("usage: ros2_stop obey JOINT... | hang TEXT JOINT...\n", stderr);
    return 2;
  }
  dds_delete(r.participant);
  puts("ros2_stop: the stop is correct");
  return 0;
}
