/* Clients of services as rmw_fastrtps_cpp implements them: a request names the client's reader in
   its related sample identity; a response belongs to the client if its related identity is that of
   a request. */
#ifndef SN_ROS2_FAST_RIG_HPP
#define SN_ROS2_FAST_RIG_HPP

#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastrtps/utils/IPLocator.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/domain/DomainParticipantListener.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <memory>
#include <string>
#include <thread>

#define CHECK(condition, ...)                                         \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition); \
      fprintf(stderr, __VA_ARGS__);                                   \
      fputc('\n', stderr);                                            \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

namespace fast_rig {

using namespace eprosima::fastdds::dds;
using std::chrono::milliseconds;
namespace rtps = eprosima::fastrtps::rtps;

/* Generous, since the machine may be busy. */
constexpr int patience_ms = 60000;

struct domain {
  DomainParticipant *participant;
  Publisher *publisher;
  Subscriber *subscriber;
};

inline void add_peer(DomainParticipantQos &qos, const char *address) {
  rtps::Locator_t peer;
  rtps::IPLocator::setIPv4(peer, address);
  qos.wire_protocol().builtin.initialPeersList.push_back(peer);
}

/* Discovery as rmw_fastrtps_cpp of Jazzy configures it; ROS_STATIC_PEERS: at most one address.
   UDP only: a killed process would leave its shared memory behind. */
inline DomainParticipantQos participant_qos() {
  DomainParticipantQos qos;
  auto udp = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
  udp->maxInitialPeersRange = 32;
  qos.transport().use_builtin_transports = false;
  qos.transport().user_transports.push_back(udp);
  const char *range = getenv("ROS_AUTOMATIC_DISCOVERY_RANGE");
  const char *peer = getenv("ROS_STATIC_PEERS");
  if (range != nullptr && strcmp(range, "LOCALHOST") == 0) {
    qos.wire_protocol().builtin.metatrafficUnicastLocatorList.push_back(rtps::Locator_t());
    add_peer(qos, "127.0.0.1");
  }
  if (peer != nullptr && *peer != '\0') {
    add_peer(qos, peer);
  }
  return qos;
}

inline domain join(DomainParticipantListener *listener, const DomainParticipantQos &qos) {
  const char *id = getenv("ROS_DOMAIN_ID");
  domain d{};
  d.participant = DomainParticipantFactory::get_instance()->create_participant(
      id == nullptr ? 0 : static_cast<DomainId_t>(atoi(id)), qos, listener, StatusMask::none());
  CHECK(d.participant != nullptr, "no participant");
  d.publisher = d.participant->create_publisher(PUBLISHER_QOS_DEFAULT, nullptr);
  d.subscriber = d.participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT, nullptr);
  return d;
}

inline void leave(const domain &d) {
  d.participant->delete_contained_entities();
  DomainParticipantFactory::get_instance()->delete_participant(d.participant);
}

inline Topic *open_topic(const domain &d, TypeSupport type, const std::string &name) {
  CHECK(type.register_type(d.participant) == ReturnCode_t::RETCODE_OK, "%s", name.c_str());
  Topic *topic = d.participant->create_topic(name, type.get_type_name(), TOPIC_QOS_DEFAULT);
  CHECK(topic != nullptr, "%s", name.c_str());
  return topic;
}

template <typename Request, typename Response>
class client {
 public:
  /** @param names_reader  as current versions of rmw_fastrtps_cpp do */
  client(const domain &d, const std::string &service, TypeSupport request, TypeSupport response,
         bool names_reader = true)
      : name_(service), names_reader_(names_reader) {
    DataReaderQos reader_qos;
    set_common(reader_qos);
    reader_ = d.subscriber->create_datareader(open_topic(d, response, "rr" + service + "Reply"),
                                              reader_qos, nullptr);
    DataWriterQos writer_qos;
    set_common(writer_qos);
    writer_ = d.publisher->create_datawriter(open_topic(d, request, "rq" + service + "Request"),
                                             writer_qos, nullptr);
    CHECK(reader_ != nullptr && writer_ != nullptr, "%s", service.c_str());
  }

  /** As wait_for_service(): one server, and both directions connected here. */
  void wait() {
    PublicationMatchedStatus requests;
    SubscriptionMatchedStatus responses;
    for (int i = 0;
         i < patience_ms && (requests.current_count == 0 || responses.current_count == 0); i++) {
      std::this_thread::sleep_for(milliseconds(1));
      writer_->get_publication_matched_status(requests);
      reader_->get_subscription_matched_status(responses);
    }
    CHECK(requests.current_count == 1 && responses.current_count == 1, "%s: %d readers, %d writers",
          name_.c_str(), requests.current_count, responses.current_count);
  }

  /** @return the number of the request */
  int64_t send(Request &request) {
    rtps::WriteParams params;
    if (names_reader_) {
      params.related_sample_identity().writer_guid() = reader_->guid();
    }
    CHECK(writer_->write(&request, params), "%s: cannot send a request", name_.c_str());
    return static_cast<int64_t>(params.sample_identity().sequence_number().to64long());
  }

  /** The next response for this client. @return its number; 0: none so far */
  int64_t take(Response &response) {
    SampleInfo info;
    while (reader_->take_next_sample(&response, &info) == ReturnCode_t::RETCODE_OK) {
      const rtps::SampleIdentity &of = info.related_sample_identity;
      if (info.valid_data &&
          (of.writer_guid() == reader_->guid() || of.writer_guid() == writer_->guid())) {
        return static_cast<int64_t>(of.sequence_number().to64long());
      }
    }
    return 0;
  }

  /** Send a request and wait for its response. */
  void call(Request &request, Response &response) {
    const int64_t number = send(request);
    int64_t found = 0;
    for (int i = 0; i < patience_ms && found != number; i++) {
      found = take(response);
      if (found == 0) {
        std::this_thread::sleep_for(milliseconds(1));
      }
    }
    CHECK(found == number, "%s: no answer to request %lld", name_.c_str(),
          static_cast<long long>(number));
  }

 private:
  template <typename Qos>
  static void set_common(Qos &qos) {
    qos.reliability().kind = RELIABLE_RELIABILITY_QOS;
    qos.durability().kind = VOLATILE_DURABILITY_QOS;
    qos.history().kind = KEEP_LAST_HISTORY_QOS;
    qos.history().depth = 100; /* of the responses to all clients */
    qos.data_sharing().off();
  }

  std::string name_;
  bool names_reader_;
  DataReader *reader_ = nullptr;
  DataWriter *writer_ = nullptr;
};

/* Counts the answers to requests that are numbered from 1. */
class answers {
 public:
  explicit answers(int64_t count) : counts_(static_cast<size_t>(count) + 1) {}
  void note(int64_t number) {
    CHECK(number > 0 && number < static_cast<int64_t>(counts_.size()), "an answer to request %lld",
          static_cast<long long>(number));
    counts_[static_cast<size_t>(number)]++;
    CHECK(counts_[static_cast<size_t>(number)] == 1, "request %lld was answered twice",
          static_cast<long long>(number));
    total_++;
  }
  int64_t total() const {
    return total_;
  }

 private:
  std::vector<int> counts_;
  int64_t total_ = 0;
};

}  // namespace fast_rig

#endif
