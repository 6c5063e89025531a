/* A Fast DDS participant that checks the graph of a running `ros2_robot`, streams to it at 1 kHz
   and receives its joint states at the same time. Its types are generated from the IDL by the tool
   of Fast DDS. usage: ros2_fastdds SENDER SECONDS     SENDER: a number that names it; SECONDS: 0:
   until SIGINT. exit 0 if no message was wrong or missing */
#include <csignal>
#include <cstring>
#include <map>
#include <mutex>

#include "ros2_fast_rig.hpp"
#include "ros2_peerPubSubTypes.h"
#include "stream.h"

using namespace eprosima::fastdds::dds;
using joint_state = sensor_msgs::msg::dds_::JointState_;
using graph_info = rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_;
using text = std_msgs::msg::dds_::String_;
using request_type = std_srvs::srv::dds_::SetBool_Request_;
using response_type = std_srvs::srv::dds_::SetBool_Response_;
using fast_rig::milliseconds;

/* ---- discovery ---- */

struct endpoint {
  std::string type, user_data, gid;
};

class finder : public DomainParticipantListener {
 public:
  /** Of the writer of this topic; waits for it. */
  endpoint writer_of(const char *topic) {
    for (int i = 0; i < 6000; i++) {
      {
        std::lock_guard<std::mutex> guard(mutex_);
        const auto found = writers_.find(topic);
        if (found != writers_.end()) {
          return found->second;
        }
      }
      std::this_thread::sleep_for(milliseconds(10));
    }
    CHECK(false, "%s has no publisher", topic);
    return {};
  }

 private:
  void on_publisher_discovery(DomainParticipant *,
                              eprosima::fastrtps::rtps::WriterDiscoveryInfo &&found) override {
    const auto &info = found.info;
    const auto &data = info.m_qos.m_userData;
    const auto guid = info.guid();
    std::string gid(reinterpret_cast<const char *>(guid.guidPrefix.value), 12);
    gid.append(reinterpret_cast<const char *>(guid.entityId.value), 4);
    std::lock_guard<std::mutex> guard(mutex_);
    writers_[info.topicName().to_string()] = {info.typeName().to_string(),
                                              std::string(data.begin(), data.end()), gid};
  }

  std::mutex mutex_;
  std::map<std::string, endpoint> writers_;
};

/* ---- endpoints ---- */

static volatile std::sig_atomic_t is_ended;
static fast_rig::domain domain;

/* Type names are those of the IDL. */
static DataReader *open_reader(TypeSupport type, const char *name, bool is_latched) {
  DataReaderQos qos;
  qos.data_sharing().off();
  qos.reliability().kind = RELIABLE_RELIABILITY_QOS;
  qos.durability().kind = is_latched ? TRANSIENT_LOCAL_DURABILITY_QOS : VOLATILE_DURABILITY_QOS;
  qos.history().kind = KEEP_ALL_HISTORY_QOS;
  DataReader *reader =
      domain.subscriber->create_datareader(fast_rig::open_topic(domain, type, name), qos, nullptr);
  CHECK(reader != nullptr, "%s", name);
  return reader;
}

static DataWriter *open_writer(TypeSupport type, const char *name) {
  DataWriterQos qos;
  qos.data_sharing().off();
  qos.reliability().kind = RELIABLE_RELIABILITY_QOS;
  qos.reliability().max_blocking_time = {60, 0};
  qos.history().kind = KEEP_ALL_HISTORY_QOS;
  DataWriter *writer =
      domain.publisher->create_datawriter(fast_rig::open_topic(domain, type, name), qos, nullptr);
  CHECK(writer != nullptr, "%s", name);
  PublicationMatchedStatus status;
  for (int i = 0; i < 6000 && status.current_count == 0; i++) {
    std::this_thread::sleep_for(milliseconds(10));
    writer->get_publication_matched_status(status);
  }
  CHECK(status.current_count > 0, "%s has no subscriber", name);
  return writer;
}

/* The next sample with data, or false after a while. */
template <typename T>
static bool take(DataReader *reader, T &sample, int wait_ms) {
  for (int i = 0; i <= wait_ms; i++) {
    SampleInfo info;
    while (reader->take_next_sample(&sample, &info) == ReturnCode_t::RETCODE_OK) {
      if (info.valid_data) {
        return true;
      }
    }
    if (i < wait_ms) {
      std::this_thread::sleep_for(milliseconds(1));
    }
  }
  return false;
}

/* ---- the graph ---- */

static void check_graph(finder &found) {
  const endpoint states = found.writer_of(STREAM_TO_PEERS);
  CHECK(states.type == "sensor_msgs::msg::dds_::JointState_", "%s", states.type.c_str());
  CHECK(states.user_data ==
            "typehash=RIHS01_"
            "a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e;",
        "%s", states.user_data.c_str());
  CHECK(found.writer_of("rt/tf").type == "tf2_msgs::msg::dds_::TFMessage_", "tf");
  const endpoint reply = found.writer_of("rr" STREAM_SERVICE "Reply");
  CHECK(reply.type == "std_srvs::srv::dds_::SetBool_Response_", "%s", reply.type.c_str());
  CHECK(reply.user_data.find("serviceid=") == 0, "%s", reply.user_data.c_str());

  DataReader *infos =
      open_reader(TypeSupport(new rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_PubSubType()),
                  "ros_discovery_info", true);
  graph_info info;
  CHECK(take(infos, info, 60000), "no ros_discovery_info");
  CHECK(info.node_entities_info_seq().size() == 1, "%zu nodes",
        info.node_entities_info_seq().size());
  const auto &node = info.node_entities_info_seq()[0];
  CHECK(node.node_name() == "sinew" && node.node_namespace() == "/", "%s",
        node.node_name().c_str());
  bool is_listed = false;
  for (const auto &gid : node.writer_gid_seq()) {
    is_listed = is_listed || memcmp(gid.data().data(), states.gid.data(), 16) == 0;
  }
  CHECK(is_listed, "the writer of joint_states does not belong to the node");

  DataReader *descriptions = open_reader(TypeSupport(new std_msgs::msg::dds_::String_PubSubType()),
                                         "rt/robot_description", true);
  text description;
  CHECK(take(descriptions, description, 60000), "no robot_description for a late subscriber");
  CHECK(description.data().find("joint_29") != std::string::npos, "it has fewer joints");
}

/* ---- streams ---- */

static bool is_whole(const joint_state &msg) {
  bool is_good = msg.name().size() == STREAM_JOINTS && msg.position().size() == STREAM_JOINTS &&
                 msg.velocity().size() == STREAM_JOINTS && msg.effort().size() == STREAM_JOINTS;
  for (size_t i = 0; is_good && i < STREAM_JOINTS; i++) {
    char name[16];
    stream_name(i, name, sizeof name);
    is_good = msg.name()[i] == name;
  }
  return is_good;
}

static void receive(DataReader *reader, stream_record &record) {
  static joint_state msg;
  while (take(reader, msg, 0)) {
    const bool is_good = is_whole(msg);
    stream_note(&record, is_good ? stream_count_of(msg.position()[0]) : 0,
                is_good && stream_is_good(msg.position().data(), msg.velocity().data(),
                                          msg.effort().data()));
  }
}

static void send(DataWriter *writer, uint64_t sender, uint64_t count) {
  static joint_state msg;
  msg.name().resize(STREAM_JOINTS);
  msg.position().resize(STREAM_JOINTS);
  msg.velocity().resize(STREAM_JOINTS);
  msg.effort().resize(STREAM_JOINTS);
  for (size_t i = 0; i < STREAM_JOINTS; i++) {
    char name[16];
    stream_name(i, name, sizeof name);
    msg.name()[i] = name;
    msg.position()[i] = stream_position(count, i);
    msg.velocity()[i] = stream_velocity(count, i);
    msg.effort()[i] = stream_effort(sender, i);
  }
  CHECK(writer->write(&msg), "cannot send message %llu", (unsigned long long)count);
}

/* Takes seconds if other peers were killed before. */
static void wait_until_taken(DataWriter *writer, DataReader *states, stream_record &record) {
  bool is_taken = false;
  for (int i = 0; i < 3000 && !is_taken; i++) {
    is_taken = writer->wait_for_acknowledgments({0, 20000000}) == ReturnCode_t::RETCODE_OK;
    receive(states, record);
  }
  CHECK(is_taken, "not everything was acknowledged");
}

/* @return number of responses */
static uint64_t take_answers(fast_rig::client<request_type, response_type> &turn) {
  uint64_t count = 0;
  response_type response;
  while (turn.take(response) != 0) {
    count += response.success() ? 1 : 0;
  }
  return count;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: ros2_fastdds SENDER SECONDS\n");
    return 2;
  }
  const uint64_t sender = strtoull(argv[1], nullptr, 10);
  const uint64_t total = strtoull(argv[2], nullptr, 10) * 1000;
  finder found;
  domain = fast_rig::join(&found, fast_rig::participant_qos());
  check_graph(found);

  const TypeSupport type(new sensor_msgs::msg::dds_::JointState_PubSubType());
  DataWriter *references = open_writer(type, STREAM_TO_ROBOT);
  /* As older versions of rmw_fastrtps_cpp, which do not name their reader. */
  fast_rig::client<request_type, response_type> turn(
      domain, STREAM_SERVICE, TypeSupport(new std_srvs::srv::dds_::SetBool_Request_PubSubType()),
      TypeSupport(new std_srvs::srv::dds_::SetBool_Response_PubSubType()), false);
  turn.wait();
  /* Last, since discovery may take seconds and a reader holds 5000 samples. */
  DataReader *states = open_reader(type, STREAM_TO_PEERS, false);
  std::this_thread::sleep_for(milliseconds(500)); /* until the peer has discovered us */

  std::signal(SIGINT, [](int) { is_ended = 1; });
  stream_record record = {};
  uint64_t sent = 0;
  uint64_t asked = 0;
  uint64_t answered = 0;
  auto next = std::chrono::steady_clock::now();
  while (is_ended == 0 && (total == 0 || sent < total)) {
    send(references, sender, ++sent);
    if (sent % 200 == 0) {
      request_type request;
      request.data(true);
      turn.send(request);
      asked++;
    }
    answered += take_answers(turn);
    receive(states, record);
    next += milliseconds(1);
    std::this_thread::sleep_until(next);
  }
  /* First, since the history of responses is short. */
  for (int i = 0; i < 500 || (i < fast_rig::patience_ms && answered < asked); i++) {
    std::this_thread::sleep_for(milliseconds(1));
    answered += take_answers(turn);
    receive(states, record);
  }
  wait_until_taken(references, states, record);
  printf("sent %llu: %llu messages, heard %llu, %llu missing, %llu wrong; %llu of %llu answers\n",
         (unsigned long long)sender, (unsigned long long)sent, (unsigned long long)record.received,
         (unsigned long long)record.missing, (unsigned long long)record.wrong,
         (unsigned long long)answered, (unsigned long long)asked);
  fast_rig::leave(domain);
  return record.received > sent / 2 && record.missing == 0 && record.wrong == 0 && answered == asked
             ? 0
             : 1;
}
