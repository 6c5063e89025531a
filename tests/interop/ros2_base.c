/* A DDS participant that reads odometry and frames of a robot whose base moves on a circle (the
   plugin with the type Base), sends IMU data, a pose and a point, and is a client of the actions
   SetOperational and FollowStepSequence, as ROS 2 nodes are. Exit 0 on success, otherwise it prints
   the failed check.

   usage: ros2_base */
#include "ros2_base.h"

#include <math.h>

#include "ros2_action_client.h"

#define RATE 0.5         /* of the yaw, rad/s */
#define RADIUS 2.0       /* m */
#define PREFIX "robot1/" /* of the frames */
#define NEAR(a, b) (fabs((a) - (b)) < 1e-9)

static double yaw_of(const geometry_msgs_msg_dds__Quaternion_ *q) {
  return 2.0 * atan2(q->z, q->w);
}

static double seconds(const builtin_interfaces_msg_dds__Time_ *time) {
  return time->sec + 1e-9 * time->nanosec;
}

/* ---- odometry and frames ---- */

static bool is_frame(const char *text, const char *name) {
  return strncmp(text, PREFIX, strlen(PREFIX)) == 0 && strcmp(text + strlen(PREFIX), name) == 0;
}

static void check_odometry(dds_entity_t participant) {
  const dds_entity_t reader =
      rig_reader(participant, &nav_msgs_msg_dds__Odometry__desc, "rt/odom", false);
  for (int i = 0; i < 5; i++) {
    dds_sample_info_t info;
    void *s = rig_next(reader, PATIENCE_MS, &info);
    CHECK(s != NULL, "no odometry");
    const nav_msgs_msg_dds__Odometry_ *m = s;
    const double yaw = yaw_of(&m->pose.pose.orientation);
    const geometry_msgs_msg_dds__Point_ *p = &m->pose.pose.position;
    const geometry_msgs_msg_dds__Twist_ *t = &m->twist.twist;
    CHECK(is_frame(m->header.frame_id, "odom") && is_frame(m->child_frame_id, "base_link"),
          "%s in %s", m->child_frame_id, m->header.frame_id);
    CHECK(NEAR(p->x, RADIUS * sin(yaw)) && NEAR(p->y, RADIUS * (1.0 - cos(yaw))) && NEAR(p->z, 0.2),
          "not on the circle: %g, %g, %g", p->x, p->y, p->z);
    CHECK(NEAR(t->linear.x, RATE * RADIUS) && NEAR(t->linear.y, 0.0) && NEAR(t->angular.z, RATE),
          "not the twist in the frame of the base: %g, %g", t->linear.x, t->linear.y);
    CHECK(fabs(seconds(&m->header.stamp) - 1e-9 * (double)dds_time()) < 10.0, "a wrong time");
    rig_give_back(reader, s);
  }
}

static void check_frame(dds_entity_t participant) {
  const dds_entity_t reader =
      rig_reader(participant, &tf2_msgs_msg_dds__TFMessage__desc, "rt/tf", false);
  bool has_base = false, has_links = false;
  for (int i = 0; i < 1000 && !(has_base && has_links); i++) {
    dds_sample_info_t info;
    void *s = rig_next(reader, PATIENCE_MS, &info);
    CHECK(s != NULL, "no frames");
    const tf2_msgs_msg_dds__TFMessage_ *m = s;
    const geometry_msgs_msg_dds__TransformStamped_ *first = &m->transforms._buffer[0];
    if (is_frame(first->child_frame_id, "base_link")) {
      has_base = true;
      CHECK(m->transforms._length == 1 && is_frame(first->header.frame_id, "odom") &&
                NEAR(first->transform.translation.x,
                     RADIUS * sin(yaw_of(&first->transform.rotation))),
            "a wrong frame of the base");
    } else {
      has_links = m->transforms._length > 20;
      for (uint32_t k = 0; k < m->transforms._length; k++) {
        const geometry_msgs_msg_dds__TransformStamped_ *t = &m->transforms._buffer[k];
        CHECK(strncmp(t->header.frame_id, PREFIX, strlen(PREFIX)) == 0 &&
                  strncmp(t->child_frame_id, PREFIX, strlen(PREFIX)) == 0,
              "%s in %s", t->child_frame_id, t->header.frame_id);
      }
    }
    rig_give_back(reader, s);
  }
  CHECK(has_base && has_links, "no frames of base and links");
}

/* ---- what is sent comes back ---- */

/* Sends until there is an echo, which the caller gives back. */
static const void *echo(dds_entity_t writer, dds_entity_t reader, const void *msg) {
  void *s = NULL;
  for (int i = 0; i < 600 && s == NULL; i++) {
    dds_sample_info_t info;
    CHECK(dds_write(writer, msg) == DDS_RETCODE_OK, "cannot write");
    s = rig_next(reader, 100, &info);
  }
  CHECK(s != NULL, "nothing comes back");
  return s;
}

/* As sensors do, without repetition of lost messages. */
static void open_echo(dds_entity_t participant, const dds_topic_descriptor_t *type,
                      const char *name, dds_entity_t *writer, dds_entity_t *reader) {
  char topic[64];
  snprintf(topic, sizeof topic, "rt/base/out_%s", name);
  *reader = rig_reader(participant, type, topic, false);
  rig_wait_for_writer(*reader, topic);
  snprintf(topic, sizeof topic, "rt/base/in_%s", name);
  dds_qos_t *qos = dds_create_qos();
  dds_qset_reliability(qos, DDS_RELIABILITY_BEST_EFFORT, 0);
  *writer = dds_create_writer(participant, dds_create_topic(participant, type, topic, NULL, NULL),
                              qos, NULL);
  dds_delete_qos(qos);
  CHECK(*writer > 0, "%s: %s", topic, dds_strretcode(*writer));
  rig_wait_for_reader(*writer, topic);
}

static void check_echoes(dds_entity_t participant) {
  dds_entity_t writer, reader;
  open_echo(participant, &sensor_msgs_msg_dds__Imu__desc, "imu", &writer, &reader);
  sensor_msgs_msg_dds__Imu_ imu = {.header = {.frame_id = "base_link"},
                                   .orientation = {0.0, 0.0, 0.0, 1.0},
                                   .orientation_covariance = {-1.0},
                                   .angular_velocity = {0.25, 0.5, 0.75},
                                   .linear_acceleration = {1.0, 2.0, 9.81},
                                   .linear_acceleration_covariance = {[8] = 0.5}};
  const sensor_msgs_msg_dds__Imu_ *i = echo(writer, reader, &imu);
  const size_t rest = offsetof(sensor_msgs_msg_dds__Imu_, orientation);
  CHECK(strcmp(i->header.frame_id, "base_link") == 0 &&
            memcmp((const char *)i + rest, (const char *)&imu + rest, sizeof imu - rest) == 0,
        "another IMU");
  open_echo(participant, &geometry_msgs_msg_dds__PoseStamped__desc, "pose", &writer, &reader);
  geometry_msgs_msg_dds__PoseStamped_ pose = {.header = {.frame_id = "odom"},
                                              .pose = {{1.0, 2.0, 3.0}, {0.0, 0.0, 1.0, 0.0}}};
  const geometry_msgs_msg_dds__PoseStamped_ *p = echo(writer, reader, &pose);
  CHECK(strcmp(p->header.frame_id, "odom") == 0 && NEAR(p->pose.position.x, 1.0) &&
            NEAR(p->pose.position.y, 2.0) && NEAR(p->pose.position.z, 3.0) &&
            NEAR(p->pose.orientation.z, 1.0) && NEAR(p->pose.orientation.w, 0.0),
        "another pose");
  open_echo(participant, &geometry_msgs_msg_dds__PointStamped__desc, "point", &writer, &reader);
  geometry_msgs_msg_dds__PointStamped_ point = {.header = {.frame_id = "head"},
                                                .point = {4.0, 5.0, 6.0}};
  const geometry_msgs_msg_dds__PointStamped_ *q = echo(writer, reader, &point);
  CHECK(strcmp(q->header.frame_id, "head") == 0 && NEAR(q->point.x, 4.0) && NEAR(q->point.y, 5.0) &&
            NEAR(q->point.z, 6.0),
        "another point");
}

/* ---- actions ---- */

typedef sweetie_bot_resource_control_msgs_action_dds__SetOperational_SendGoal_Request_ operational;
typedef sweetie_bot_resource_control_msgs_action_dds__SetOperational_FeedbackMessage_ limbs;

/* Feedback of a goal that names this limb alone. */
static void expect_limb(const client *c, const operational *goal, const char *limb) {
  bool is_found = false;
  for (int i = 0; i < 200 && !is_found; i++) {
    dds_sample_info_t info;
    void *s = rig_next(c->feedback, PATIENCE_MS, &info);
    CHECK(s != NULL, "no feedback");
    const limbs *m = s;
    is_found = memcmp(&m->goal_id, &goal->goal_id, sizeof m->goal_id) == 0 &&
               m->feedback.resources._length == 1 &&
               strcmp(m->feedback.resources._buffer[0], limb) == 0;
    rig_give_back(c->feedback, s);
  }
  CHECK(is_found, "no feedback with %s", limb);
}

static void check_operational(dds_entity_t participant) {
  const action_types types = {
      &sweetie_bot_resource_control_msgs_action_dds__SetOperational_SendGoal_Request__desc,
      &sweetie_bot_resource_control_msgs_action_dds__SetOperational_SendGoal_Response__desc,
      &sweetie_bot_resource_control_msgs_action_dds__SetOperational_GetResult_Request__desc,
      &sweetie_bot_resource_control_msgs_action_dds__SetOperational_GetResult_Response__desc,
      &sweetie_bot_resource_control_msgs_action_dds__SetOperational_FeedbackMessage__desc};
  client c = open_client(participant, "/follow/set_operational", &types);
  char *unknown[] = {"no_such_limb"}, *leg[] = {"leg2"};
  operational goal = {.goal_id = new_id(), .goal = {.operational = true}};
  goal.goal.resources._buffer = unknown;
  goal.goal.resources._length = 1;
  CHECK(!send(&c, &goal), "an unknown limb was accepted");
  goal.goal.resources._buffer = leg;
  CHECK(send(&c, &goal), "a limb was rejected");
  const int64_t first = ask_result(&c, &goal.goal_id);
  expect_limb(&c, &goal, "leg2");
  cancel(&c, &goal.goal_id);
  expect_end(&c, first, CANCELED, 0, "");
  goal.goal_id = new_id();
  CHECK(send(&c, &goal), "a limb was rejected");
  const int64_t second = ask_result(&c, &goal.goal_id);
  expect_limb(&c, &goal, "leg2");
  operational off = {.goal_id = new_id()};
  CHECK(send(&c, &off), "deactivation was rejected");
  expect_end(&c, second, ABORTED, -4, "replaced");
  expect_end(&c, ask_result(&c, &off.goal_id), SUCCEEDED, 0, "");
}

typedef sweetie_bot_control_msgs_action_dds__FollowStepSequence_SendGoal_Request_ steps;
typedef sweetie_bot_control_msgs_action_dds__FollowStepSequence_FeedbackMessage_ progress;

static void check_steps(dds_entity_t participant) {
  const action_types types = {
      &sweetie_bot_control_msgs_action_dds__FollowStepSequence_SendGoal_Request__desc,
      &sweetie_bot_control_msgs_action_dds__FollowStepSequence_SendGoal_Response__desc,
      &sweetie_bot_control_msgs_action_dds__FollowStepSequence_GetResult_Request__desc,
      &sweetie_bot_control_msgs_action_dds__FollowStepSequence_GetResult_Response__desc,
      &sweetie_bot_control_msgs_action_dds__FollowStepSequence_FeedbackMessage__desc};
  client c = open_client(participant, "/base/follow_step_sequence", &types);
  double times[2] = {0.0, 1.0};
  sweetie_bot_control_msgs_msg_dds__RigidBodyTrajectoryPoint_ points[2] = {{.contact = true}};
  sweetie_bot_control_msgs_msg_dds__RigidBodyTrajectory_ limb = {
      .name = "wing", .points = {._buffer = points, ._length = 2}};
  steps goal = {
      .goal_id = new_id(),
      .goal = {.header = {.frame_id = "base_link_path"},
               .time_from_start = {._buffer = times, ._length = 2},
               .base_motion = {.name = "base_link", .points = {._buffer = points, ._length = 2}},
               .ee_motion = {._buffer = &limb, ._length = 1}}};
  CHECK(!send(&c, &goal), "an unknown limb was accepted");
  limb.name = "leg1";
  times[1] = NAN;
  CHECK(!send(&c, &goal), "NaN was accepted");
  times[1] = 1.0;
  CHECK(send(&c, &goal), "a step sequence was rejected");
  const int64_t first = ask_result(&c, &goal.goal_id);
  dds_sample_info_t info;
  void *s = rig_next(c.feedback, PATIENCE_MS, &info);
  CHECK(s != NULL && memcmp(&((const progress *)s)->goal_id, &goal.goal_id, 16) == 0,
        "no feedback");
  rig_give_back(c.feedback, s);
  expect_end(&c, first, SUCCEEDED, 0, "");
  goal.goal_id = new_id();
  times[1] = 1000.0;
  CHECK(send(&c, &goal), "a step sequence was rejected");
  const int64_t second = ask_result(&c, &goal.goal_id);
  cancel(&c, &goal.goal_id);
  expect_end(&c, second, CANCELED, 0, "");
}

int main(void) {
  const dds_entity_t participant = rig_participant();
  check_odometry(participant);
  check_frame(participant);
  check_echoes(participant);
  check_operational(participant);
  check_steps(participant);
  dds_delete(participant);
  return 0;
}
