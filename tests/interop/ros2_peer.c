/* A DDS participant with ROS 2 types from an IDL, as ROS 2 nodes have them, that checks a running
   `sinew run deployments/quadruped.yaml --ros2`: topics, graph, services.
   usage: ros2_peer                exit 0 on success, otherwise it prints the failed check
          ros2_peer flood COUNT    sends that many references at once */
#include "ros2_peer.h"

#include <math.h>

#include "ros2_rig.h"

typedef sensor_msgs_msg_dds__JointState_ joint_state;
typedef std_srvs_srv_dds__SetBool_Request_ switch_request;
typedef std_srvs_srv_dds__SetBool_Response_ outcome;
typedef rmw_dds_common_msg_dds__ParticipantEntitiesInfo_ graph_info;

static dds_entity_t participant;

/* ---- topics ---- */

static double stamp_of(const std_msgs_msg_dds__Header_ *header) {
  return header->stamp.sec + 1e-9 * header->stamp.nanosec;
}

/* The latest position of a joint. */
static double position_of(dds_entity_t reader, const char *joint) {
  dds_sample_info_t info;
  double found = NAN;
  for (void *s = rig_next(reader, PATIENCE_MS, &info); s != NULL; s = rig_next(reader, 0, &info)) {
    const joint_state *state = s;
    for (uint32_t i = 0; i < state->name._length; i++) {
      found = strcmp(state->name._buffer[i], joint) == 0 ? state->position._buffer[i] : found;
    }
    rig_give_back(reader, s);
  }
  return found;
}

static dds_instance_handle_t check_joint_states(dds_entity_t reader, uint32_t joint_count,
                                                char *joint, size_t size) {
  double last = 0;
  dds_instance_handle_t publisher = 0;
  for (int i = 0; i < 100; i++) {
    dds_sample_info_t info;
    void *s = rig_next(reader, PATIENCE_MS, &info);
    CHECK(s != NULL, "no joint_states after %d", i);
    const joint_state *state = s;
    const double stamp = stamp_of(&state->header);
    const double now = 1e-9 * (double)dds_time();
    CHECK(state->name._length == joint_count, "%u joints, the robot has %u", state->name._length,
          joint_count);
    CHECK(state->position._length == joint_count, "%u positions", state->position._length);
    CHECK(stamp > last, "%.9f after %.9f", stamp, last);
    CHECK(fabs(now - stamp) < 60.0, "stamp %.6f, the wall clock is %.6f", stamp, now);
    snprintf(joint, size, "%s", state->name._buffer[0]);
    last = stamp;
    publisher = info.publication_handle;
    rig_give_back(reader, s);
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

/* Movable joints, counted in the text. */
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

/* @return number of joints */
static uint32_t check_description(void) {
  dds_entity_t reader =
      rig_reader(participant, &std_msgs_msg_dds__String__desc, "rt/robot_description", true);
  dds_sample_info_t info;
  void *s = rig_next(reader, PATIENCE_MS, &info);
  CHECK(s != NULL, "no robot_description for a late subscriber");
  const char *text = ((const std_msgs_msg_dds__String_ *)s)->data;
  CHECK(strstr(text, "<robot") != NULL, "not a URDF: %.40s", text);
  const uint32_t count = count_joints(text);
  rig_give_back(reader, s);
  dds_delete(reader);
  return count;
}

static void check_frames(const char *topic, bool is_latched, uint32_t joint_count) {
  dds_entity_t reader =
      rig_reader(participant, &tf2_msgs_msg_dds__TFMessage__desc, topic, is_latched);
  dds_sample_info_t info;
  void *s = rig_next(reader, PATIENCE_MS, &info);
  CHECK(s != NULL, "no %s", topic);
  const tf2_msgs_msg_dds__TFMessage_ *frames = s;
  for (uint32_t i = 0; i < frames->transforms._length; i++) {
    const geometry_msgs_msg_dds__Quaternion_ q = frames->transforms._buffer[i].transform.rotation;
    CHECK(fabs(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1.0) < 1e-9, "no rotation");
  }
  CHECK(is_latched || frames->transforms._length == joint_count, "%u frames",
        frames->transforms._length);
  rig_give_back(reader, s);
  dds_delete(reader);
}

/* ---- graph ---- */

static void check_graph(dds_entity_t states, dds_instance_handle_t publisher) {
  dds_entity_t reader =
      rig_reader(participant, &rmw_dds_common_msg_dds__ParticipantEntitiesInfo__desc,
                 "ros_discovery_info", true);
  dds_builtintopic_endpoint_t *writer = dds_get_matched_publication_data(states, publisher);
  dds_sample_info_t info;
  void *s = rig_next(reader, PATIENCE_MS, &info);
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
  CHECK(is_listed, "the writer of joint_states does not belong to the node");
  rig_give_back(reader, s);
  dds_builtintopic_free_endpoint(writer);
  dds_delete(reader);
}

/* ---- services ---- */

/* @return whether there was a response. @param success  out */
static bool ask(dds_entity_t writer, dds_entity_t reader, const switch_request *request,
                int wait_ms, bool *success) {
  const rig_client c = {.writer = writer, .reader = reader, .client = request->client};
  CHECK(dds_write(writer, request) == DDS_RETCODE_OK, "cannot send a request");
  void *s = rig_answer(&c, request->number, wait_ms);
  if (s == NULL) {
    return false;
  }
  *success = ((const outcome *)s)->success;
  rig_give_back(reader, s);
  return true;
}

static void check_services(dds_entity_t states, char *joint) {
  static const char client[] = "clientid=1.2.3.4.5.6.7.8.9.a.b.c.d.e.f.0;";
  const dds_entity_t answers =
      rig_reader_with(participant, &std_srvs_srv_dds__SetBool_Response__desc,
                      "rr/follow/rosSetOperationalReply", false, client);
  const dds_entity_t stranger = rig_writer(participant, &std_srvs_srv_dds__SetBool_Request__desc,
                                           "rq/follow/rosSetOperationalRequest", NULL);
  bool success = false;
  CHECK(!ask(stranger, answers, &(switch_request){9, 9, true}, 500, &success),
        "a client of another RMW got a response");
  dds_delete(stranger);
  const dds_entity_t asks = rig_writer(participant, &std_srvs_srv_dds__SetBool_Request__desc,
                                       "rq/follow/rosSetOperationalRequest", client);
  CHECK(ask(asks, answers, &(switch_request){0xfedcba9876543210, 1, true}, PATIENCE_MS, &success),
        "no answer");
  CHECK(success, "follow does not become operational");

  /* Now published references move the robot. */
  const double before = position_of(states, joint);
  const double goal = before + 0.1;
  const dds_entity_t reference = rig_writer(participant, &sensor_msgs_msg_dds__JointState__desc,
                                            "rt/follow/in_joints_ref", NULL);
  char *names[] = {joint};
  double positions[] = {goal};
  joint_state state = {.header = {.frame_id = names[0]}};
  state.name._buffer = names;
  state.position._buffer = positions;
  state.name._length = state.position._length = 1;
  double at = before;
  for (int i = 0; i < 500 && fabs(at - goal) > 0.02; i++) {
    CHECK(dds_write(reference, &state) == DDS_RETCODE_OK, "cannot send a reference");
    dds_sleepfor(DDS_MSECS(20));
    at = position_of(states, joint);
  }
  CHECK(fabs(at - goal) <= 0.02, "%s was at %.4f, is at %.4f, should be at %.4f", joint, before, at,
        goal);
  CHECK(ask(asks, answers, &(switch_request){0xfedcba9876543210, 2, false}, PATIENCE_MS, &success),
        "no answer");
  CHECK(success, "follow does not stop");
}

/* A service whose request has no fields: ROS 2 sends a dummy field. */
static void check_trigger(const char *service) {
  static const char client[] = "clientid=1.2;";
  char name[128];
  snprintf(name, sizeof name, "rr%sReply", service);
  const dds_entity_t answers =
      rig_reader_with(participant, &std_srvs_srv_dds__Trigger_Response__desc, name, false, client);
  snprintf(name, sizeof name, "rq%sRequest", service);
  const dds_entity_t asks =
      rig_writer(participant, &std_srvs_srv_dds__Trigger_Request__desc, name, client);
  const std_srvs_srv_dds__Trigger_Request_ request = {.client = 5, .number = 77};
  CHECK(dds_write(asks, &request) == DDS_RETCODE_OK, "cannot send a request");
  const rig_client c = {.writer = asks, .reader = answers, .client = request.client};
  void *s = rig_answer(&c, request.number, PATIENCE_MS);
  CHECK(s != NULL, "%s does not answer", service);
  const std_srvs_srv_dds__Trigger_Response_ *answer = s;
  CHECK(answer->success, "%s: %s", service, answer->message);
  rig_give_back(answers, s);
  dds_delete(answers);
  dds_delete(asks);
}

/* As fast as possible; returns when all are acknowledged. */
static int flood(int count) {
  dds_qos_t *qos = rig_qos(false, count, NULL);
  const dds_entity_t topic = dds_create_topic(participant, &sensor_msgs_msg_dds__JointState__desc,
                                              "rt/follow/in_joints_ref", NULL, NULL);
  const dds_entity_t writer = dds_create_writer(participant, topic, qos, NULL);
  CHECK(writer > 0, "%s", dds_strretcode(writer));
  dds_delete_qos(qos);
  rig_wait_for_reader(writer, "follow/in_joints_ref");
  const joint_state state = {.header = {.frame_id = (char[]){""}}};
  for (int i = 0; i < count; i++) {
    CHECK(dds_write(writer, &state) == DDS_RETCODE_OK, "cannot send message %d", i);
  }
  CHECK(dds_wait_for_acks(writer, DDS_SECS(30)) == DDS_RETCODE_OK,
        "not everything was acknowledged");
  dds_delete(participant);
  return 0;
}

int main(int argc, char **argv) {
  participant = rig_participant();
  if (argc == 3 && strcmp(argv[1], "flood") == 0) {
    return flood(atoi(argv[2]));
  }
  const uint32_t joint_count = check_description();
  const dds_entity_t states =
      rig_reader(participant, &sensor_msgs_msg_dds__JointState__desc, "rt/joint_states", false);
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
  puts("ros2_peer: topics, graph and services are correct");
  return 0;
}
