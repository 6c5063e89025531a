/* A DDS participant (Cyclone) that streams to a running `ros2_robot` at 1 kHz, receives its joint
   states and calls its service, all at once.
   usage: ros2_stream SENDER SECONDS     SENDER: a number that names it; SECONDS: 0: until SIGINT.
   exit 0 if no message was wrong or missing */
#include <dds/dds.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "ros2_peer.h"
#include "stream.h"

typedef sensor_msgs_msg_dds__JointState_ joint_state;
typedef std_srvs_srv_dds__SetBool_Request_ switch_request;

static dds_entity_t participant;
static volatile sig_atomic_t is_ended;

static void end(int number) {
  (void)number;
  is_ended = 1;
}

static void die(const char *what, dds_return_t code) {
  fprintf(stderr, "ros2_stream: %s: %s\n", what, dds_strretcode(code));
  exit(1);
}

static dds_entity_t open_end(const dds_topic_descriptor_t *type, const char *name, bool writes) {
  static const char user_data[] = "clientid=1.2.3.4.5.6.7.8.9.a.b.c.d.e.f.0;";
  dds_qos_t *qos = dds_create_qos();
  dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_SECS(60));
  dds_qset_history(qos, DDS_HISTORY_KEEP_ALL, 0);
  dds_qset_writer_data_lifecycle(qos, false);
  dds_qset_userdata(qos, user_data, sizeof user_data - 1);
  const dds_entity_t topic = dds_create_topic(participant, type, name, NULL, NULL);
  const dds_entity_t end = writes ? dds_create_writer(participant, topic, qos, NULL)
                                  : dds_create_reader(participant, topic, qos, NULL);
  dds_delete_qos(qos);
  if (end < 0) {
    die(name, end);
  }
  return end;
}

static void wait_for_reader(dds_entity_t writer, const char *name) {
  dds_publication_matched_status_t status = {0};
  for (int i = 0; i < 6000 && status.current_count == 0; i++) {
    dds_sleepfor(DDS_MSECS(10));
    dds_get_publication_matched_status(writer, &status);
  }
  if (status.current_count == 0) {
    die(name, DDS_RETCODE_TIMEOUT);
  }
}

static void send(dds_entity_t writer, uint64_t sender, uint64_t count) {
  static char names[STREAM_JOINTS][16];
  static char *list[STREAM_JOINTS];
  double position[STREAM_JOINTS];
  double velocity[STREAM_JOINTS];
  double effort[STREAM_JOINTS];
  for (size_t i = 0; i < STREAM_JOINTS; i++) {
    stream_name(i, names[i], sizeof names[i]);
    list[i] = names[i];
    position[i] = stream_position(count, i);
    velocity[i] = stream_velocity(count, i);
    effort[i] = stream_effort(sender, i);
  }
  joint_state msg = {.header = {.frame_id = ""}};
  msg.name._buffer = list;
  msg.position._buffer = position;
  msg.velocity._buffer = velocity;
  msg.effort._buffer = effort;
  msg.name._length = msg.position._length = msg.velocity._length = msg.effort._length =
      STREAM_JOINTS;
  const dds_return_t code = dds_write(writer, &msg);
  if (code < 0) {
    die("cannot send a message", code);
  }
}

static void receive(dds_entity_t reader, stream_record *record) {
  dds_sample_info_t info;
  void *sample = NULL;
  while (dds_take(reader, &sample, &info, 1, 1) > 0) {
    const joint_state *msg = sample;
    if (info.valid_data) {
      bool is_good = msg->name._length == STREAM_JOINTS && msg->position._length == STREAM_JOINTS &&
                     msg->velocity._length == STREAM_JOINTS && msg->effort._length == STREAM_JOINTS;
      for (size_t i = 0; is_good && i < STREAM_JOINTS; i++) {
        char name[16];
        stream_name(i, name, sizeof name);
        is_good = strcmp(msg->name._buffer[i], name) == 0;
      }
      stream_note(record, is_good ? stream_count_of(msg->position._buffer[0]) : 0,
                  is_good && stream_is_good(msg->position._buffer, msg->velocity._buffer,
                                            msg->effort._buffer));
    }
    dds_return_loan(reader, &sample, 1);
  }
}

/* @return number of responses */
static uint64_t take_answers(dds_entity_t reader, uint64_t sender) {
  dds_sample_info_t info;
  void *sample = NULL;
  uint64_t count = 0;
  while (dds_take(reader, &sample, &info, 1, 1) > 0) {
    const std_srvs_srv_dds__SetBool_Response_ *answer = sample;
    count += info.valid_data && answer->client == sender && answer->success;
    dds_return_loan(reader, &sample, 1);
  }
  return count;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: ros2_stream SENDER SECONDS\n");
    return 2;
  }
  const uint64_t sender = strtoull(argv[1], NULL, 10);
  const uint64_t total = strtoull(argv[2], NULL, 10) * 1000;
  const char *domain = getenv("ROS_DOMAIN_ID");
  participant =
      dds_create_participant(domain == NULL ? 0 : (dds_domainid_t)atoi(domain), NULL, NULL);
  const dds_entity_t states =
      open_end(&sensor_msgs_msg_dds__JointState__desc, STREAM_TO_PEERS, false);
  const dds_entity_t answers =
      open_end(&std_srvs_srv_dds__SetBool_Response__desc, "rr" STREAM_SERVICE "Reply", false);
  const dds_entity_t requests =
      open_end(&std_srvs_srv_dds__SetBool_Request__desc, "rq" STREAM_SERVICE "Request", true);
  const dds_entity_t references =
      open_end(&sensor_msgs_msg_dds__JointState__desc, STREAM_TO_ROBOT, true);
  wait_for_reader(requests, "the service");
  wait_for_reader(references, STREAM_TO_ROBOT);
  dds_sleepfor(DDS_MSECS(500)); /* until the peer has discovered us */

  signal(SIGINT, end);
  stream_record record = {0};
  uint64_t sent = 0;
  uint64_t asked = 0;
  uint64_t answered = 0;
  dds_time_t next = dds_time();
  while (!is_ended && (total == 0 || sent < total)) {
    send(references, sender, ++sent);
    if (sent % 20 == 0 && asked - answered < 10) { /* limit pending requests of a delayed peer */
      const switch_request request = {.client = sender, .number = (int64_t)++asked, .data = true};
      dds_write(requests, &request);
    }
    receive(states, &record);
    answered += take_answers(answers, sender);
    next += DDS_MSECS(1);
    const dds_time_t now = dds_time();
    if (next > now) {
      dds_sleepfor(next - now);
    }
  }
  const dds_return_t code = dds_wait_for_acks(references, DDS_SECS(60));
  if (code < 0) {
    die("not everything was acknowledged", code);
  }
  for (int i = 0; i < 500 || (i < 60000 && answered < asked); i++) {
    receive(states, &record);
    answered += take_answers(answers, sender);
    dds_sleepfor(DDS_MSECS(1));
  }
  printf("sent %llu: %llu messages, heard %llu, %llu missing, %llu wrong; %llu of %llu answers\n",
         (unsigned long long)sender, (unsigned long long)sent, (unsigned long long)record.received,
         (unsigned long long)record.missing, (unsigned long long)record.wrong,
         (unsigned long long)answered, (unsigned long long)asked);
  dds_delete(participant);
  return record.received > sent / 2 && record.missing == 0 && record.wrong == 0 && answered == asked
             ? 0
             : 1;
}
