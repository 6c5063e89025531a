/* A DDS participant that acts as a ROS 2 node for a running quadruped with the names of
   ros2_named.yaml: a controller that requests limbs, and a client that identifies a servo.
   usage: ros2_node     exit 0 on success, otherwise it prints the failed check */
#include "ros2_node.h"

#include <math.h>

#include "ros2_rig.h"

typedef rmw_dds_common_msg_dds__ParticipantEntitiesInfo_ graph_info;
typedef rmw_dds_common_msg_dds__NodeEntitiesInfo_ node_info;
typedef rmw_dds_common_msg_dds__Gid_ gid;
typedef sinew_msgs_msg_dds__ResourceRequest_ resource_request;
typedef sinew_msgs_msg_dds__ResourceAssignment_ resource_assignment;

static dds_entity_t participant;

/* ---- names ---- */

static bool is_own_gid(const gid *list, uint32_t count, const uint8_t *key) {
  for (uint32_t i = 0; i < count; i++) {
    if (memcmp(list[i].data, key, 16) == 0) {
      return true;
    }
  }
  return false;
}

/* The node has its name and owns the endpoints of this topic. */
static void check_graph(dds_entity_t states) {
  const dds_entity_t reader =
      rig_reader(participant, &rmw_dds_common_msg_dds__ParticipantEntitiesInfo__desc,
                 "ros_discovery_info", true);
  dds_instance_handle_t handle = 0;
  CHECK(dds_get_matched_publications(states, &handle, 1) == 1, "not one writer of joint_states");
  dds_builtintopic_endpoint_t *writer = dds_get_matched_publication_data(states, handle);
  dds_sample_info_t info;
  void *s = rig_next(reader, PATIENCE_MS, &info);
  CHECK(s != NULL && writer != NULL, "no ros_discovery_info");
  const graph_info *graph = s;
  CHECK(graph->node_entities_info_seq._length == 1, "%u nodes",
        graph->node_entities_info_seq._length);
  const node_info *node = graph->node_entities_info_seq._buffer;
  CHECK(strcmp(node->node_namespace, "/robot") == 0 && strcmp(node->node_name, "legs") == 0,
        "%s %s", node->node_namespace, node->node_name);
  CHECK(is_own_gid(node->writer_gid_seq._buffer, node->writer_gid_seq._length, writer->key.v),
        "joint_states is not the node's");
  rig_give_back(reader, s);
  dds_builtintopic_free_endpoint(writer);
  dds_delete(reader);
}

static void set_operational(rig_client *c, bool data) {
  std_srvs_srv_dds__SetBool_Request_ request = {.data = data};
  void *s = rig_answer(c, rig_send(c, &request), PATIENCE_MS);
  CHECK(s != NULL, "no answer");
  const std_srvs_srv_dds__SetBool_Response_ *answer = s;
  CHECK(answer->success, "%s", answer->message);
  rig_give_back(c->reader, s);
}

/* A service in the namespace, remapped, and a topic remapped to a private name. */
static void check_names(void) {
  rig_client operate =
      rig_open_client(participant, "/robot/operate", &std_srvs_srv_dds__SetBool_Request__desc,
                      &std_srvs_srv_dds__SetBool_Response__desc);
  set_operational(&operate, true);
  set_operational(&operate, false);
  dds_delete(rig_writer(participant, &sensor_msgs_msg_dds__JointState__desc,
                        "rt/robot/legs/sliders", NULL)); /* it has a subscriber */
  dds_delete(operate.reader);
  dds_delete(operate.writer);
}

/* ---- limbs ---- */

typedef struct walker {
  dds_entity_t participant, info, requests, assignment;
  uint64_t id;
} walker;

static void get_gid(dds_entity_t entity, gid *out) {
  dds_guid_t guid;
  CHECK(dds_get_guid(entity, &guid) == DDS_RETCODE_OK, "no guid");
  memcpy(out->data, guid.v, sizeof out->data);
}

static walker open_walker(void) {
  walker w = {.participant = rig_participant()};
  dds_qos_t *qos = rig_qos(true, 1, NULL);
  const dds_entity_t topic =
      dds_create_topic(w.participant, &rmw_dds_common_msg_dds__ParticipantEntitiesInfo__desc,
                       "ros_discovery_info", NULL, NULL);
  w.info = dds_create_writer(w.participant, topic, qos, NULL);
  CHECK(w.info > 0, "%s", dds_strretcode(w.info));
  dds_delete_qos(qos);
  w.requests = rig_writer(w.participant, &sinew_msgs_msg_dds__ResourceRequest__desc,
                          "rt/robot/resources_control/requests", NULL);
  w.assignment = rig_reader(w.participant, &sinew_msgs_msg_dds__ResourceAssignment__desc,
                            "rt/robot/resources_control/assignment", true);
  rig_wait_for_writer(w.assignment, "assignment");
  return w;
}

/* Announces its endpoints as those of a node with this name. */
static void announce(const walker *w, const char *name) {
  gid writer;
  get_gid(w->requests, &writer);
  node_info nodes[2] = {{.node_namespace = "/", .node_name = "other"},
                        {.node_namespace = "/robot"}};
  snprintf(nodes[1].node_name, sizeof nodes[1].node_name, "%s", name);
  nodes[1].writer_gid_seq._buffer = &writer;
  nodes[1].writer_gid_seq._length = 1;
  graph_info info = {0};
  get_gid(w->participant, &info.gid);
  info.node_entities_info_seq._buffer = nodes;
  info.node_entities_info_seq._length = 2;
  CHECK(dds_write(w->info, &info) == DDS_RETCODE_OK, "the node is not announced");
  dds_sleepfor(DDS_MSECS(200)); /* usually enough for discovery */
}

static void request(walker *w, char *name, char *limb) {
  char *limbs[] = {limb};
  resource_request msg = {.header = {.frame_id = ""}, .request_id = ++w->id, .name = name};
  msg.resources._buffer = limbs;
  msg.resources._length = limb == NULL ? 0 : 1;
  CHECK(dds_write(w->requests, &msg) == DDS_RETCODE_OK, "cannot send a request");
}

/* Owner of the limb in the next table; empty after a timeout. */
static void owner_of(const walker *w, const char *limb, int wait_ms, char *out, size_t size) {
  dds_sample_info_t info;
  snprintf(out, size, "%s", "");
  void *s = rig_next(w->assignment, wait_ms, &info);
  const resource_assignment *table = s;
  for (uint32_t i = 0; s != NULL && i < table->resources._length; i++) {
    if (strcmp(table->resources._buffer[i], limb) == 0) {
      snprintf(out, size, "%s", table->owners._buffer[i]);
    }
  }
  if (s != NULL) {
    rig_give_back(w->assignment, s);
  }
}

/* Waits for the owner of the head. @param asks  the walker requests it repeatedly, as every
   controller does: its announcement may not be known yet */
static void expect_owner(walker *w, const char *expected, bool asks) {
  const dds_time_t end = dds_time() + DDS_MSECS(PATIENCE_MS);
  char owner[64] = "";
  while (strcmp(owner, expected) != 0) {
    CHECK(dds_time() < end, "the head belongs to '%s', not to '%s'", owner, expected);
    if (asks) {
      request(w, "walker", "head");
    }
    owner_of(w, "head", 200, owner, sizeof owner);
  }
}

/* It requests the head and does not get it. */
static void expect_refusal(walker *w, const char *who) {
  const dds_time_t end = dds_time() + DDS_MSECS(500);
  request(w, "walker", "head");
  while (dds_time() < end) {
    char owner[64];
    owner_of(w, "head", 100, owner, sizeof owner);
    CHECK(strcmp(owner, "walker") != 0, "%s got the head", who);
  }
}

/* An unannounced node or one with another name gets nothing; the named node does. */
static void check_limbs(void) {
  walker w = open_walker();
  expect_owner(&w, "hold", false);
  expect_refusal(&w, "a node that is not announced");
  announce(&w, "stranger");
  expect_refusal(&w, "a stranger");
  announce(&w, "walker");
  expect_owner(&w, "walker", true);
  request(&w, "walker", NULL);
  expect_owner(&w, "hold", false);
  expect_owner(&w, "walker", true);
  expect_owner(&w, "hold", false); /* without a heartbeat */
  dds_delete(w.participant);
}

/* ---- servos ---- */

static void check_torque_errors(void) {
  const dds_entity_t reader = rig_reader(participant, &sensor_msgs_msg_dds__JointState__desc,
                                         "rt/robot/servo_ident/torque_error_sorted", false);
  for (int i = 0; i < 20; i++) {
    dds_sample_info_t info;
    void *s = rig_next(reader, PATIENCE_MS, &info);
    CHECK(s != NULL, "no torque errors after %d", i);
    const sensor_msgs_msg_dds__JointState_ *state = s;
    CHECK(state->effort._length > 0 && state->effort._length == state->name._length,
          "%u efforts for %u joints", state->effort._length, state->name._length);
    for (uint32_t j = 0; j < state->effort._length; j++) {
      CHECK(isfinite(state->effort._buffer[j]), "%s", state->name._buffer[j]);
    }
    rig_give_back(reader, s);
  }
  dds_delete(reader);
}

static bool start(rig_client *c, char *servo) {
  char *names[] = {servo};
  sinew_msgs_srv_dds__StartIdentification_Request_ request = {0};
  request.names._buffer = names;
  request.names._length = 1;
  void *s = rig_answer(c, rig_send(c, &request), PATIENCE_MS);
  CHECK(s != NULL, "no answer");
  const sinew_msgs_srv_dds__StartIdentification_Response_ *answer = s;
  const bool success = answer->success;
  CHECK(success || strlen(answer->message) > 0, "rejected without a reason");
  rig_give_back(c->reader, s);
  return success;
}

/* @return number of servos being identified; @p servo must be in the list */
static uint32_t running_count(rig_client *c, const char *servo) {
  sinew_msgs_srv_dds__Status_Request_ request = {0};
  void *s = rig_answer(c, rig_send(c, &request), PATIENCE_MS);
  CHECK(s != NULL, "no answer");
  const sinew_msgs_srv_dds__Status_Response_ *answer = s;
  uint32_t count = 0;
  bool is_there = false;
  for (uint32_t i = 0; i < answer->servos._length; i++) {
    count += answer->servos._buffer[i].running;
    is_there = is_there || strcmp(answer->servos._buffer[i].name, servo) == 0;
  }
  CHECK(is_there, "no servo %s among %u", servo, answer->servos._length);
  rig_give_back(c->reader, s);
  return count;
}

static void check_identification(void) {
  static char servo[] = "head_joint1";
  rig_client starts = rig_open_client(participant, "/robot/servo_ident/startIdentification",
                                      &sinew_msgs_srv_dds__StartIdentification_Request__desc,
                                      &sinew_msgs_srv_dds__StartIdentification_Response__desc);
  rig_client asks = rig_open_client(participant, "/robot/servo_ident/status",
                                    &sinew_msgs_srv_dds__Status_Request__desc,
                                    &sinew_msgs_srv_dds__Status_Response__desc);
  rig_client aborts = rig_open_client(participant, "/robot/servo_ident/abortIdentification",
                                      &std_srvs_srv_dds__Trigger_Request__desc,
                                      &std_srvs_srv_dds__Trigger_Response__desc);
  rig_client ends = rig_open_client(participant, "/robot/servo_ident/endIdentification",
                                    &sinew_msgs_srv_dds__EndIdentification_Request__desc,
                                    &sinew_msgs_srv_dds__EndIdentification_Response__desc);
  CHECK(!start(&starts, "no_such_servo"), "an unknown servo");
  CHECK(running_count(&asks, servo) == 0, "one is being identified");
  CHECK(start(&starts, servo), "it does not begin");
  CHECK(running_count(&asks, servo) == 1, "not one is being identified");
  std_srvs_srv_dds__Trigger_Request_ abort_request = {0};
  void *s = rig_answer(&aborts, rig_send(&aborts, &abort_request), PATIENCE_MS);
  CHECK(s != NULL && ((std_srvs_srv_dds__Trigger_Response_ *)s)->success, "it does not end");
  rig_give_back(aborts.reader, s);
  CHECK(running_count(&asks, servo) == 0, "one is still being identified");
  CHECK(start(&starts, servo), "it does not begin again");
  sinew_msgs_srv_dds__EndIdentification_Request_ end_request = {0};
  s = rig_answer(&ends, rig_send(&ends, &end_request), PATIENCE_MS);
  CHECK(s != NULL, "no answer"); /* a servo at rest gives no data */
  const sinew_msgs_srv_dds__EndIdentification_Response_ *ended = s;
  CHECK(ended->names._length == 0 && !ended->saved, "%u models are new", ended->names._length);
  rig_give_back(ends.reader, s);
  CHECK(running_count(&asks, servo) == 0, "one is still being identified");
}

int main(void) {
  participant = rig_participant();
  const dds_entity_t states = rig_reader(participant, &sensor_msgs_msg_dds__JointState__desc,
                                         "rt/robot/joint_states", false);
  rig_wait_for_writer(states, "joint_states");
  check_graph(states);
  check_names();
  check_limbs();
  check_torque_errors();
  check_identification();
  dds_delete(participant);
  puts("ros2_node: names, limbs and identification are correct");
  return 0;
}
