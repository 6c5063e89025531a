/* A participant of DDS that knows the types of ROS 2 from an IDL, as nodes of ROS 2 do, and looks
   at a running `sinew run deployments/quadruped.yaml --ros2`: topics, graph, services. usage:
   ros2_peer     exit 0 if all is as it should be, else it says what is not */
#include "ros2_peer.h"

#include <dds/dds.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef sensor_msgs_msg_dds__JointState_ joint_state;
typedef std_srvs_srv_dds__SetBool_Request_ switch_request;
typedef std_srvs_srv_dds__SetBool_Response_ outcome;
typedef rmw_dds_common_msg_dds__ParticipantEntitiesInfo_ graph_info;

static dds_entity_t participant;

#define CHECK(condition, ...)                                      \
  do {                                                             \
    if (!(condition)) {                                            \
      fprintf(stderr, "ros2_peer:%d: %s: ", __LINE__, #condition); \
      fprintf(stderr, __VA_ARGS__);                                \
      fputc('\n', stderr);                                         \
      exit(1);                                                     \
    }                                                              \
  } while (0)

static dds_qos_t *make_qos(bool is_latched, int depth, const char *user_data) {
  dds_qos_t *qos = dds_create_qos();
  dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_SECS(1));
  dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, depth);
  dds_qset_durability(qos, is_latched ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
  if (user_data != NULL) {
    dds_qset_userdata(qos, user_data, strlen(user_data));
  }
  return qos;
}

static dds_entity_t open_reader(const dds_topic_descriptor_t *type, const char *name,
                                bool is_latched) {
  dds_qos_t *qos = make_qos(is_latched, is_latched ? 1 : 100, NULL);
  const dds_entity_t topic = dds_create_topic(participant, type, name, NULL, NULL);
  const dds_entity_t reader = dds_create_reader(participant, topic, qos, NULL);
  CHECK(reader > 0, "%s: %s", name, dds_strretcode(reader));
  dds_delete_qos(qos);
  return reader;
}

static dds_entity_t open_writer(const dds_topic_descriptor_t *type, const char *name,
                                const char *user_data) {
  dds_qos_t *qos = make_qos(false, 10, user_data);
  const dds_entity_t topic = dds_create_topic(participant, type, name, NULL, NULL);
  const dds_entity_t writer = dds_create_writer(participant, topic, qos, NULL);
  CHECK(writer > 0, "%s: %s", name, dds_strretcode(writer));
  dds_delete_qos(qos);
  dds_publication_matched_status_t status = {0};
  for (int i = 0; i < 500 && status.current_count == 0; i++) {
    dds_sleepfor(DDS_MSECS(10));
    dds_get_publication_matched_status(writer, &status);
  }
  CHECK(status.current_count > 0, "nobody listens to %s", name);
  return writer;
}

/* The next sample with data within @p wait_ms, or NULL; dds_return_loan() gives it back. */
static void *next(dds_entity_t reader, int wait_ms, dds_sample_info_t *info) {
  for (int i = 0; i <= wait_ms; i++) {
    void *sample = NULL;
    if (dds_take(reader, &sample, info, 1, 1) > 0) {
      if (info->valid_data) {
        return sample;
      }
      dds_return_loan(reader, &sample, 1);
      continue;
    }
    dds_sleepfor(DDS_MSECS(1));
  }
  return NULL;
}

/* ---- topics ---- */

static double stamp_of(const std_msgs_msg_dds__Header_ *header) {
  return header->stamp.sec + 1e-9 * header->stamp.nanosec;
}

/* The latest position of a joint. */
static double position_of(dds_entity_t reader, const char *joint) {
  dds_sample_info_t info;
  double found = NAN;
  for (void *s = next(reader, 2000, &info); s != NULL; s = next(reader, 0, &info)) {
    const joint_state *state = s;
    for (uint32_t i = 0; i < state->name._length; i++) {
      found = strcmp(state->name._buffer[i], joint) == 0 ? state->position._buffer[i] : found;
    }
    dds_return_loan(reader, &s, 1);
  }
  return found;
}

static dds_instance_handle_t check_joint_states(dds_entity_t reader, uint32_t joint_count,
                                                char *joint, size_t size) {
  double last = 0;
  dds_instance_handle_t publisher = 0;
  for (int i = 0; i < 100; i++) {
    dds_sample_info_t info;
    void *s = next(reader, 5000, &info);
    CHECK(s != NULL, "no joint_states after %d", i);
    const joint_state *state = s;
    const double stamp = stamp_of(&state->header);
    const double now = 1e-9 * (double)dds_time();
    CHECK(state->name._length == joint_count, "%u joints, the robot has %u", state->name._length,
          joint_count);
    CHECK(state->position._length == joint_count, "%u positions", state->position._length);
    CHECK(stamp > last, "%.9f after %.9f", stamp, last);
    CHECK(fabs(now - stamp) < 1.0, "stamp %.6f, the wall clock is %.6f", stamp, now);
    snprintf(joint, size, "%s", state->name._buffer[0]);
    last = stamp;
    publisher = info.publication_handle;
    dds_return_loan(reader, &s, 1);
  }
  return publisher;
}

static void check_type_hash(dds_entity_t reader, dds_instance_handle_t publisher) {
  dds_builtintopic_endpoint_t *writer = dds_get_matched_publication_data(reader, publisher);
  void *data = NULL;
  size_t size = 0;
  CHECK(writer != NULL && dds_qget_userdata(writer->qos, &data, &size), "no user data");
  CHECK(strcmp(data,
               "typehash=RIHS01_a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc917926"
               "0e;") == 0,
        "'%s'", (const char *)data);
  dds_free(data);
  dds_builtintopic_free_endpoint(writer);
}

/* Joints that move, by their word in the text. */
static uint32_t count_joints(const char *urdf) {
  static const char *const words[] = {"type=\"revolute\"", "type=\"continuous\"",
                                      "type=\"prismatic\""};
  uint32_t count = 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    for (const char *at = strstr(urdf, words[i]); at != NULL; at = strstr(at + 1, words[i])) {
      count++;
    }
  }
  return count;
}

/* @return how many joints the robot has */
static uint32_t check_description(void) {
  dds_entity_t reader = open_reader(&std_msgs_msg_dds__String__desc, "rt/robot_description", true);
  dds_sample_info_t info;
  void *s = next(reader, 5000, &info);
  CHECK(s != NULL, "no robot_description for who comes late");
  const char *text = ((const std_msgs_msg_dds__String_ *)s)->data;
  CHECK(strstr(text, "<robot") != NULL, "it is no URDF: %.40s", text);
  const uint32_t count = count_joints(text);
  dds_return_loan(reader, &s, 1);
  dds_delete(reader);
  return count;
}

static void check_frames(const char *topic, bool is_latched, uint32_t joint_count) {
  dds_entity_t reader = open_reader(&tf2_msgs_msg_dds__TFMessage__desc, topic, is_latched);
  dds_sample_info_t info;
  void *s = next(reader, 5000, &info);
  CHECK(s != NULL, "no %s", topic);
  const tf2_msgs_msg_dds__TFMessage_ *frames = s;
  for (uint32_t i = 0; i < frames->transforms._length; i++) {
    const geometry_msgs_msg_dds__Quaternion_ q = frames->transforms._buffer[i].transform.rotation;
    CHECK(fabs(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1.0) < 1e-9, "no rotation");
  }
  CHECK(is_latched || frames->transforms._length == joint_count, "%u frames",
        frames->transforms._length);
  dds_return_loan(reader, &s, 1);
  dds_delete(reader);
}

/* ---- graph ---- */

static void check_graph(dds_entity_t states, dds_instance_handle_t publisher) {
  dds_entity_t reader = open_reader(&rmw_dds_common_msg_dds__ParticipantEntitiesInfo__desc,
                                    "ros_discovery_info", true);
  dds_builtintopic_endpoint_t *writer = dds_get_matched_publication_data(states, publisher);
  dds_sample_info_t info;
  void *s = next(reader, 5000, &info);
  CHECK(s != NULL && writer != NULL, "no ros_discovery_info");
  const graph_info *graph = s;
  CHECK(memcmp(graph->gid.data, writer->participant_key.v, 16) == 0, "another participant");
  CHECK(graph->node_entities_info_seq._length == 1, "%u nodes",
        graph->node_entities_info_seq._length);
  const rmw_dds_common_msg_dds__NodeEntitiesInfo_ *node = graph->node_entities_info_seq._buffer;
  CHECK(strcmp(node->node_namespace, "/") == 0 && strcmp(node->node_name, "sinew") == 0, "%s %s",
        node->node_namespace, node->node_name);
  bool is_listed = false;
  for (uint32_t i = 0; i < node->writer_gid_seq._length; i++) {
    is_listed = is_listed || memcmp(node->writer_gid_seq._buffer[i].data, writer->key.v, 16) == 0;
  }
  CHECK(is_listed, "the writer of joint_states is not one of the node's");
  dds_return_loan(reader, &s, 1);
  dds_builtintopic_free_endpoint(writer);
  dds_delete(reader);
}

/* ---- services ---- */

/* @return whether there was an answer, which goes to @p success */
static bool ask(dds_entity_t writer, dds_entity_t reader, const switch_request *request,
                int wait_ms, bool *success) {
  dds_sample_info_t info;
  CHECK(dds_write(writer, request) == DDS_RETCODE_OK, "a request was not sent");
  void *s = next(reader, wait_ms, &info);
  if (s == NULL) {
    return false;
  }
  const outcome *answer = s;
  CHECK(answer->client == request->client && answer->number == request->number,
        "an answer to another request");
  *success = answer->success;
  dds_return_loan(reader, &s, 1);
  return true;
}

static void check_services(dds_entity_t states, char *joint) {
  const dds_entity_t answers = open_reader(&std_srvs_srv_dds__SetBool_Response__desc,
                                           "rr/follow/rosSetOperationalReply", false);
  const dds_entity_t stranger = open_writer(&std_srvs_srv_dds__SetBool_Request__desc,
                                            "rq/follow/rosSetOperationalRequest", NULL);
  bool success = false;
  CHECK(!ask(stranger, answers, &(switch_request){9, 9, true}, 500, &success),
        "a client of another kind was answered");
  dds_delete(stranger);
  const dds_entity_t asks =
      open_writer(&std_srvs_srv_dds__SetBool_Request__desc, "rq/follow/rosSetOperationalRequest",
                  "clientid=1.2.3.4.5.6.7.8.9.a.b.c.d.e.f.0;");
  dds_sleepfor(DDS_MSECS(100)); /* the reader of the answers has been found, too */
  CHECK(ask(asks, answers, &(switch_request){0xfedcba9876543210, 1, true}, 5000, &success),
        "no answer");
  CHECK(success, "follow does not become operational");

  /* Now it follows: what is published moves the robot. */
  const double before = position_of(states, joint);
  const double goal = before + 0.1;
  const dds_entity_t reference =
      open_writer(&sensor_msgs_msg_dds__JointState__desc, "rt/follow/in_joints_ref", NULL);
  char *names[] = {joint};
  double positions[] = {goal};
  joint_state state = {.header = {.frame_id = names[0]}};
  state.name._buffer = names;
  state.position._buffer = positions;
  state.name._length = state.position._length = 1;
  double at = before;
  for (int i = 0; i < 500 && fabs(at - goal) > 0.02; i++) {
    CHECK(dds_write(reference, &state) == DDS_RETCODE_OK, "a reference was not sent");
    dds_sleepfor(DDS_MSECS(20));
    at = position_of(states, joint);
  }
  CHECK(fabs(at - goal) <= 0.02, "%s was at %.4f, is at %.4f, should be at %.4f", joint, before, at,
        goal);
  CHECK(ask(asks, answers, &(switch_request){0xfedcba9876543210, 2, false}, 5000, &success),
        "no answer");
  CHECK(success, "follow does not let go");
}

/* A service whose request has no fields: ROS 2 sends one that nobody reads. */
static void check_trigger(const char *service) {
  char name[128];
  snprintf(name, sizeof name, "rr%sReply", service);
  const dds_entity_t answers = open_reader(&std_srvs_srv_dds__Trigger_Response__desc, name, false);
  snprintf(name, sizeof name, "rq%sRequest", service);
  const dds_entity_t asks =
      open_writer(&std_srvs_srv_dds__Trigger_Request__desc, name, "clientid=1.2;");
  dds_sleepfor(DDS_MSECS(100));
  const std_srvs_srv_dds__Trigger_Request_ request = {.client = 5, .number = 77};
  CHECK(dds_write(asks, &request) == DDS_RETCODE_OK, "a request was not sent");
  dds_sample_info_t info;
  void *s = next(answers, 5000, &info);
  CHECK(s != NULL, "%s does not answer", service);
  const std_srvs_srv_dds__Trigger_Response_ *answer = s;
  CHECK(answer->client == 5 && answer->number == 77, "an answer to another request");
  CHECK(answer->success, "%s: %s", service, answer->message);
  dds_return_loan(answers, &s, 1);
  dds_delete(answers);
  dds_delete(asks);
}

int main(void) {
  const char *domain = getenv("ROS_DOMAIN_ID");
  participant =
      dds_create_participant(domain == NULL ? 0 : (dds_domainid_t)atoi(domain), NULL, NULL);
  CHECK(participant > 0, "%s", dds_strretcode(participant));
  const uint32_t joint_count = check_description();
  const dds_entity_t states =
      open_reader(&sensor_msgs_msg_dds__JointState__desc, "rt/joint_states", false);
  char joint[256];
  const dds_instance_handle_t publisher =
      check_joint_states(states, joint_count, joint, sizeof joint);
  check_type_hash(states, publisher);
  check_frames("rt/tf", false, joint_count);
  check_frames("rt/tf_static", true, joint_count);
  check_graph(states, publisher);
  check_services(states, joint);
  check_trigger("/aggregator/emergencyStop");
  check_trigger("/aggregator/resume");
  dds_delete(participant);
  puts("ros2_peer: topics, graph and services are as they should be");
  return 0;
}
