/* A DDS participant that sends invalid data with valid type names to a running
   `sinew run deployments/quadruped.yaml --ros2`.
   usage: ros2_hostile noise COUNT     random bytes: that many messages and requests
          ros2_hostile trash COUNT     samples that DDS itself rejects
          ros2_hostile lies ROUNDS     data that is wrong in one place; prints the number of
   messages and of requests, all of which must be rejected */
#include <dds/dds.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ros/ros2/blob.h"
#include "sinew/msg_types.h"
#include "sinew/msg_wire.h"

enum { ROOM = 1 << 17, JOINTS = 5, CDR_HEADER = 4, CALL_HEADER = 16 };

static dds_entity_t participant;
static uint8_t bytes[ROOM];

static dds_entity_t open_writer(const char *name, const char *type, const char *user_data) {
  dds_qos_t *qos = dds_create_qos();
  dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_SECS(5));
  dds_qset_history(qos, DDS_HISTORY_KEEP_ALL, 0);
  dds_qset_userdata(qos, user_data, strlen(user_data));
  const dds_entity_t topic = sn__blob_topic(participant, name, type);
  const dds_entity_t writer = dds_create_writer(participant, topic, qos, NULL);
  dds_delete_qos(qos);
  dds_publication_matched_status_t status = {0};
  for (int i = 0; writer > 0 && i < 500 && status.current_count == 0; i++) {
    dds_sleepfor(DDS_MSECS(10));
    dds_get_publication_matched_status(writer, &status);
  }
  if (status.current_count == 0) {
    fprintf(stderr, "ros2_hostile: %s has no subscriber\n", name);
    exit(1);
  }
  return writer;
}

static void send(dds_entity_t writer, size_t size) {
  const dds_return_t code = sn__blob_write(writer, bytes, size);
  if (code != DDS_RETCODE_OK) {
    fprintf(stderr, "ros2_hostile: cannot send a message: %s\n", dds_strretcode(code));
    exit(1);
  }
  dds_sleepfor(DDS_USECS(500));
}

/* CDR encodings: the supported one, and others that DDS accepts; it rejects all but these. */
enum { KINDS = 6 };
static const uint8_t plain[2] = {0, 1};
static const uint8_t kinds[KINDS][2] = {{0, 0}, {0, 2}, {0, 3}, {0, 6}, {0, 7}, {0, 10}};

/* ---- noise ---- */

/* Random bytes, and now and then wrong lengths: small, huge, just beyond the end. */
static void fill(size_t size) {
  static const uint32_t lies[] = {0, 1, 64, 65536, 0x7fffffff, 0xffffffff, 0x10000000};
  for (size_t i = 0; i < size; i++) {
    bytes[i] = (uint8_t)(rand() >> 8);
  }
  for (size_t i = 0; i + 4 <= size; i += 4) {
    if (rand() % 2 == 0) {
      memcpy(bytes + i, &lies[(size_t)rand() % (sizeof lies / sizeof *lies)], 4);
    }
  }
  memcpy(bytes, rand() % 4 == 0 ? kinds[(size_t)rand() % KINDS] : plain, 2);
}

static void make_noise(dds_entity_t states, dds_entity_t requests, int count) {
  for (int i = 0; i < count; i++) {
    /* Small ones, and some with many fragments. */
    const size_t size =
        CDR_HEADER + (i % 50 == 0 ? (size_t)rand() % (ROOM - CDR_HEADER) : (size_t)rand() % 200);
    fill(size);
    send(states, size);
    send(requests, CDR_HEADER + size % 100);
  }
}

/* ---- lies ---- */

static size_t put_state(const double *positions) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "state", 0);
  sn_joint_state *msg = sn_msg_create(&arena, &sn_joint_state_type, NULL);
  size_t size = 0;
  if (msg == NULL) {
    exit(1);
  }
  msg->position.count = JOINTS;
  for (size_t i = 0; i < JOINTS; i++) {
    char name[16];
    snprintf(name, sizeof name, "joint_%zu", i);
    (void)sn_msg_names_add(&msg->name, name, strlen(name));
    msg->position.data[i] = positions == NULL ? 0.1 : positions[i];
  }
  if (sn_cdr_write(&sn_joint_state_type, msg, bytes, sizeof bytes, &size) != SN_OK) {
    exit(1);
  }
  sn_arena_release(&arena);
  return size;
}

static void put_u32(size_t at, uint32_t value) {
  memcpy(bytes + at, &value, sizeof value);
}

/* After the CDR header: stamp, length of frame_id and its NUL, padding. */
enum { NAME_COUNT = CDR_HEADER + 8 + 4 + 4, FIRST_NAME = NAME_COUNT + 4 };

/* @return number of messages, all of which must be rejected */
static size_t tell_lies(dds_entity_t states, size_t round) {
  static const uint32_t lies[] = {0x7fffffff, 0xffffffff, 0x80000000, 0x10000000, 65537, 300};
  static const double numbers[] = {NAN, INFINITY, -INFINITY};
  size_t count = 0;
  const size_t whole = put_state(NULL);
  for (size_t i = 0; i < 4; i++, count++) { /* truncated at a multiple of 4: DDS pads */
    send(states, CDR_HEADER + (((7 * round + 11 * i) % (whole - CDR_HEADER)) & ~(size_t)3));
  }
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++, count += 2) {
    put_state(NULL);
    put_u32(NAME_COUNT, lies[i]);
    send(states, whole);
    put_state(NULL);
    put_u32(FIRST_NAME, lies[i]);
    send(states, whole);
  }
  for (size_t i = 0; i < KINDS; i++, count++) {
    put_state(NULL);
    memcpy(bytes, kinds[i], 2);
    send(states, whole);
  }
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++, count++) {
    double positions[JOINTS] = {0};
    positions[round % JOINTS] = numbers[i];
    send(states, put_state(positions));
  }
  return count;
}

/* A request as rmw_cyclonedds_cpp frames it, with @p size bytes of @p body. */
static size_t put_request(const void *body, size_t size) {
  memcpy(bytes, "\0\1\0\0", CDR_HEADER);
  memset(bytes + CDR_HEADER, 0x66, CALL_HEADER);
  memcpy(bytes + CDR_HEADER + CALL_HEADER, body, size);
  return CDR_HEADER + CALL_HEADER + size;
}

typedef struct services {
  dds_entity_t set_bool, foreign, trigger, list;
} services;

/* @return number of requests, all of which must be rejected; none of them moves the robot */
static size_t ask_nonsense(const services *s, size_t round) {
  size_t count = 0;
  const size_t whole = put_request("\1", 1);
  send(s->set_bool, CDR_HEADER + round % CALL_HEADER); /* truncated call header */
  send(s->set_bool, whole - 1);                        /* empty */
  put_request("\1", 1);
  send(s->foreign, whole); /* from a client of another RMW */
  memcpy(bytes, "\0\1\0\0\1", 5);
  send(s->foreign, 5); /* likewise */
  count += 4;
  for (size_t i = 0; i < KINDS; i++, count += 2) {
    put_request("\1", 1);
    memcpy(bytes, kinds[i], 2);
    send(s->set_bool, whole);
    send(s->trigger, whole); /* even without fields */
  }
  /* Header (stamp, frame_id), number, name, resources, priority, wait. */
  static const uint32_t lies[] = {0x7fffffff, 0xffffffff, 0x10000000, 65537};
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++, count++) {
    uint8_t body[64] = {0};
    body[8] = 1;                    /* frame_id is empty */
    memcpy(body + 24, &lies[i], 4); /* wrong length of the name */
    send(s->list, put_request(body, sizeof body));
  }
  return count;
}

int main(int argc, char **argv) {
  const char *what = argc == 3 ? argv[1] : "";
  if (strcmp(what, "noise") != 0 && strcmp(what, "trash") != 0 && strcmp(what, "lies") != 0) {
    fprintf(stderr, "usage: ros2_hostile noise|trash|lies COUNT\n");
    return 2;
  }
  const int count = atoi(argv[2]);
  const char *domain = getenv("ROS_DOMAIN_ID");
  participant =
      dds_create_participant(domain == NULL ? 0 : (dds_domainid_t)atoi(domain), NULL, NULL);
  static const char set_bool[] = "rq/follow/rosSetOperationalRequest";
  static const char set_bool_type[] = "std_srvs::srv::dds_::SetBool_Request_";
  static const char client[] = "clientid=6.6.6;";
  const dds_entity_t states =
      open_writer("rt/follow/in_joints_ref", "sensor_msgs::msg::dds_::JointState_", "");
  const services s = {
      .set_bool = open_writer(set_bool, set_bool_type, client),
      .foreign = open_writer(set_bool, set_bool_type, "typehash=RIHS01_0;"),
      .trigger = open_writer("rq/aggregator/emergencyStopRequest",
                             "std_srvs::srv::dds_::Trigger_Request_", client),
      .list = open_writer("rq/resources_control/requestResourcesRequest",
                          "sinew_msgs::srv::dds_::RequestResources_Request_", client)};
  dds_sleepfor(DDS_MSECS(500)); /* until the peer has discovered us */
  srand(1);
  size_t messages = 0;
  size_t requests = 0;
  if (strcmp(what, "noise") == 0) {
    make_noise(states, s.list, count);
  } else if (strcmp(what, "trash") == 0) {
    for (int i = 0; i < count; i++) { /* too short for CDR, or an unknown encoding */
      memset(bytes, 0xff - i, CDR_HEADER);
      send(states, (size_t)i % (2 * CDR_HEADER));
    }
    return 0; /* never acknowledged */
  } else {
    for (size_t round = 0; round < (size_t)count; round++) {
      messages += tell_lies(states, round);
      requests += ask_nonsense(&s, round);
    }
  }
  const dds_entity_t writers[] = {states, s.set_bool, s.foreign, s.trigger, s.list};
  for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
    if (dds_wait_for_acks(writers[i], DDS_SECS(5)) != DDS_RETCODE_OK) {
      fprintf(stderr, "ros2_hostile: not everything was acknowledged\n");
      return 1;
    }
  }
  printf("%zu %zu\n", messages, requests);
  dds_delete(participant);
  return 0;
}
