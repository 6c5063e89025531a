/* A participant of DDS that sends nonsense under the names of good types, to a running
   `sinew run deployments/quadruped.yaml --ros2`.
   usage: ros2_hostile COUNT     that many messages for an input, and requests of a service */
#include "ros2_hostile.h"

#include <dds/dds.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dds_entity_t open_writer(dds_entity_t participant, const dds_topic_descriptor_t *type,
                                const char *name) {
  static const char user_data[] = "clientid=6.6.6;";
  dds_qos_t *qos = dds_create_qos();
  dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_SECS(1));
  dds_qset_history(qos, DDS_HISTORY_KEEP_ALL, 0);
  dds_qset_userdata(qos, user_data, strlen(user_data));
  const dds_entity_t topic = dds_create_topic(participant, type, name, NULL, NULL);
  const dds_entity_t writer = dds_create_writer(participant, topic, qos, NULL);
  dds_delete_qos(qos);
  dds_publication_matched_status_t status = {0};
  for (int i = 0; writer > 0 && i < 500 && status.current_count == 0; i++) {
    dds_sleepfor(DDS_MSECS(10));
    dds_get_publication_matched_status(writer, &status);
  }
  if (status.current_count == 0) {
    fprintf(stderr, "ros2_hostile: nobody listens to %s\n", name);
    exit(1);
  }
  return writer;
}

/* Bytes of any value, and now and then lengths that lie: few, huge, just beyond the end. */
static void fill(uint8_t *bytes, uint32_t size) {
  for (uint32_t i = 0; i < size; i++) {
    bytes[i] = (uint8_t)(rand() >> 8);
  }
  static const uint32_t lies[] = {0, 1, 64, 65536, 0x7fffffff, 0xffffffff, 0x10000000};
  for (uint32_t i = 0; i + 4 <= size; i += 4) {
    if (rand() % 2 == 0) {
      memcpy(bytes + i, &lies[(size_t)rand() % (sizeof lies / sizeof *lies)], 4);
    }
  }
}

int main(int argc, char **argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 0;
  const char *domain = getenv("ROS_DOMAIN_ID");
  const dds_entity_t participant =
      dds_create_participant(domain == NULL ? 0 : (dds_domainid_t)atoi(domain), NULL, NULL);
  const dds_entity_t states =
      open_writer(participant, &sensor_msgs_msg_dds__JointState__desc, "rt/follow/in_joints_ref");
  const dds_entity_t requests = open_writer(participant, &std_srvs_srv_dds__SetBool_Request__desc,
                                            "rq/follow/rosSetOperationalRequest");
  uint8_t *bytes = malloc(1 << 17);
  if (bytes == NULL) {
    return 1;
  }
  srand(1);
  for (int i = 0; i < count; i++) {
    /* Small ones, and some that take many packets. */
    const uint32_t size = i % 50 == 0 ? (uint32_t)rand() % (1 << 17) : (uint32_t)rand() % 200;
    fill(bytes, size);
    sensor_msgs_msg_dds__JointState_ state = {0};
    state.bytes._buffer = bytes;
    state.bytes._length = size;
    std_srvs_srv_dds__SetBool_Request_ request = {0};
    request.bytes._buffer = bytes;
    request.bytes._length = size % 24;
    if (dds_write(states, &state) < 0 || dds_write(requests, &request) < 0) {
      fprintf(stderr, "ros2_hostile: message %d was not sent\n", i);
      return 1;
    }
    dds_sleepfor(DDS_USECS(500));
  }
  dds_wait_for_acks(states, DDS_SECS(2));
  free(bytes);
  dds_delete(participant);
  return 0;
}
