#include "ros/ros2/service_wire.h"

#include <fastdds/rtps/RTPSDomain.h>
#include <fastdds/rtps/attributes/ReaderAttributes.h>
#include <fastdds/rtps/attributes/WriterAttributes.h>
#include <fastdds/rtps/history/ReaderHistory.h>
#include <fastdds/rtps/history/WriterHistory.h>
#include <fastdds/rtps/participant/RTPSParticipant.h>
#include <fastdds/rtps/reader/RTPSReader.h>
#include <fastdds/rtps/reader/ReaderListener.h>
#include <fastdds/rtps/writer/RTPSWriter.h>
#include <fastdds/rtps/writer/WriterListener.h>
#include <fastrtps/attributes/TopicAttributes.h>

#include <atomic>
#include <cstring>
#include <fastdds/dds/log/Log.hpp>
#include <fastdds/rtps/interfaces/IReaderDataFilter.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ros/ros2/wire_clients.hpp"
#include "ros/ros2/wire_participant.hpp"

namespace fast = eprosima::fastdds::dds;
namespace rtps = eprosima::fastrtps::rtps;
using eprosima::fastrtps::TopicAttributes;
using sn::wire_clients;

namespace {

constexpr int32_t responses_max = 1000;      /* of a service that wait for acknowledgement */
constexpr size_t response_size_max = 60'000; /* bytes: they fit into one packet */

sn__ros2_gid to_gid(const rtps::GUID_t &guid) {
  sn__ros2_gid gid;
  memcpy(gid.bytes, guid.guidPrefix.value, rtps::GuidPrefix_t::size);
  memcpy(gid.bytes + rtps::GuidPrefix_t::size, guid.entityId.value, rtps::EntityId_t::size);
  return gid;
}

rtps::GUID_t to_guid(const sn__ros2_gid &gid) {
  rtps::GUID_t guid;
  memcpy(guid.guidPrefix.value, gid.bytes, rtps::GuidPrefix_t::size);
  memcpy(guid.entityId.value, gid.bytes + rtps::GuidPrefix_t::size, rtps::EntityId_t::size);
  return guid;
}

class log_lines : public fast::LogConsumer {
 public:
  explicit log_lines(void (*on_log)(const char *line)) : on_log_(on_log) {}
  void Consume(const fast::Log::Entry &entry) override {
    on_log_(entry.message.c_str());
  }

 private:
  void (*on_log_)(const char *line);
};

/* A response goes to the participant that sent the request, and not to all clients of the service:
   clients of the other middleware cannot read it, and it would displace their own responses. */
class to_requester : public eprosima::fastdds::rtps::IReaderDataFilter {
 public:
  bool is_relevant(const rtps::CacheChange_t &change, const rtps::GUID_t &reader) const override {
    const rtps::SampleIdentity &request = change.write_params.related_sample_identity();
    return reader.guidPrefix == request.writer_guid().guidPrefix;
  }
};

/* Samples vary in size, and most services are rarely called. */
rtps::HistoryAttributes history_of(int32_t samples_max) {
  return {rtps::DYNAMIC_REUSABLE_MEMORY_MODE, 64, 1, samples_max};
}

}  // namespace

/* The handshake with the reader of a client. */
struct client_state {
  int64_t greeting = 0; /* number of the sample that it must acknowledge first; 0: none yet */
  bool is_ready = false;
};

struct sn__wire_service : rtps::ReaderListener, rtps::WriterListener {
  sn__wire_service(sn__wire_domain &of, const sn__wire_names &names)
      : domain(of),
        requests(history_of(static_cast<int32_t>(names.depth))),
        greeting(static_cast<const char *>(names.greeting), names.greeting_size) {}

  void onNewCacheChangeAdded(rtps::RTPSReader *, const rtps::CacheChange_t *) override;
  using rtps::WriterListener::onWriterMatched;
  void onWriterMatched(rtps::RTPSWriter *, rtps::MatchingInfo &info) override;
  void onWriterChangeReceivedByAll(rtps::RTPSWriter *, rtps::CacheChange_t *) override;
  /* Whether a response would reach the client. */
  bool is_connected(const sn__wire_client &client);
  bool is_reader_of(const rtps::GUID_t &candidate, const sn__wire_client &client);
  bool is_greeted(client_state &state, const rtps::GUID_t &client);
  /* Send a sample to the participant of @p related, and remove it when it is acknowledged.
     @return its number; 0: failure */
  int64_t send(const rtps::GUID_t &related, int64_t number, const void *bytes, size_t size);
  /* Make room for one more response. */
  void drop_old_responses();

  sn__wire_domain &domain;
  /* All requests are kept until they are taken: a full reader does not acknowledge further ones. */
  rtps::ReaderHistory requests;
  rtps::WriterHistory responses{history_of(responses_max)};
  to_requester filter;
  rtps::RTPSReader *reader = nullptr;
  rtps::RTPSWriter *writer = nullptr;
  std::atomic<bool> has_requests{false};
  std::mutex mutex;
  std::map<rtps::GUID_t, client_state> readers; /* of clients, connected to `writer` */
  std::string greeting;
};

struct sn__wire_domain {
  sn__wire_config config{};
  wire_clients clients;
  std::shared_ptr<sn::wire_echo> echo = std::make_shared<sn::wire_echo>();
  rtps::RTPSParticipant *participant = nullptr;
  std::vector<std::unique_ptr<sn__wire_service>> services;
};

void sn__wire_service::onNewCacheChangeAdded(rtps::RTPSReader *, const rtps::CacheChange_t *) {
  has_requests = true;
  domain.config.on_event(domain.config.context);
}

void sn__wire_service::onWriterMatched(rtps::RTPSWriter *, rtps::MatchingInfo &info) {
  {
    const std::lock_guard<std::mutex> guard(mutex);
    if (info.status == rtps::MATCHED_MATCHING) {
      readers.emplace(info.remoteEndpointGuid, client_state());
    } else {
      readers.erase(info.remoteEndpointGuid);
    }
  }
  domain.config.on_event(domain.config.context);
}

void sn__wire_service::onWriterChangeReceivedByAll(rtps::RTPSWriter *, rtps::CacheChange_t *) {
  domain.config.on_event(domain.config.context); /* perhaps a greeting */
}

/* Older versions of rmw_fastrtps_cpp do not name their reader: it is one of the same participant.
 */
bool sn__wire_service::is_reader_of(const rtps::GUID_t &candidate, const sn__wire_client &client) {
  const rtps::GUID_t expected = to_guid(client.reader);
  if (client.form == SN__WIRE_HEADER) {
    return domain.clients.id_of(candidate) == client.id;
  }
  return expected == rtps::c_Guid_Unknown
             ? candidate.guidPrefix == to_guid(client.writer).guidPrefix
             : candidate == expected;
}

bool sn__wire_service::is_connected(const sn__wire_client &client) {
  const std::lock_guard<std::mutex> guard(mutex);
  for (auto &one : readers) {
    if (is_reader_of(one.first, client)) {
      return client.form != SN__WIRE_HEADER || is_greeted(one.second, one.first);
    }
  }
  return false;
}

/* A reader of Cyclone starts with the sample after the first heartbeat that it gets, even if older
   ones are meant for it. That it acknowledges a sample proves that there was a heartbeat. */
bool sn__wire_service::is_greeted(client_state &state, const rtps::GUID_t &client) {
  if (state.greeting == 0) {
    state.greeting = send(client, 0, greeting.data(), greeting.size());
  } else if (!state.is_ready) {
    const std::lock_guard<eprosima::fastrtps::RecursiveTimedMutex> guard(writer->getMutex());
    rtps::CacheChange_t *change = nullptr;
    const bool is_there = responses.get_change(
        rtps::SequenceNumber_t(static_cast<uint64_t>(state.greeting)), writer->getGuid(), &change);
    state.is_ready = !is_there || writer->is_acked_by_all(change);
  }
  return state.is_ready;
}

/* ---- start and stop ---- */

sn__wire_domain *sn__wire_open(const sn__wire_config *config) try {
  auto domain = std::make_unique<sn__wire_domain>();
  domain->config = *config;
  fast::Log::ClearConsumers();                     /* its own prints */
  fast::Log::SetVerbosity(fast::Log::Kind::Error); /* it warns of every Cyclone node that leaves */
  fast::Log::RegisterConsumer(std::make_unique<log_lines>(config->on_log));
  domain->participant = rtps::RTPSDomain::createParticipant(
      config->domain, sn::wire_participant(*config, domain->echo), &domain->clients);
  if (domain->participant != nullptr) {
    return domain.release();
  }
  fast::Log::ClearConsumers();
  return nullptr;
} catch (const std::exception &) {
  return nullptr;
}

void sn__wire_close(sn__wire_domain *domain) {
  if (domain == nullptr) {
    return;
  }
  for (const auto &service : domain->services) { /* their histories end after the endpoints */
    rtps::RTPSDomain::removeRTPSReader(service->reader);
    rtps::RTPSDomain::removeRTPSWriter(service->writer);
  }
  rtps::RTPSDomain::removeRTPSParticipant(domain->participant);
  fast::Log::ClearConsumers();
  delete domain;
}

/* An announcement takes with it what is due. */
void sn__wire_step(sn__wire_domain *domain, int64_t now_ns) try {
  if (domain->echo->is_due(now_ns)) {
    domain->participant->announceRTPSParticipantState();
  }
} catch (const std::exception &) { /* no memory: the next call tries again */
}

/* ---- services ---- */

static TopicAttributes topic_of(const sn__wire_endpoint &endpoint) {
  TopicAttributes topic(endpoint.topic, endpoint.type);
  topic.auto_fill_type_object = false;
  topic.auto_fill_type_information = false;
  return topic;
}

/* Qos: of a reader or a writer, as announced to others. */
template <typename Qos>
static Qos qos_of(const sn__wire_endpoint &endpoint) {
  Qos qos;
  qos.m_reliability.kind = fast::RELIABLE_RELIABILITY_QOS;
  qos.m_durability.kind = fast::VOLATILE_DURABILITY_QOS;
  qos.m_userData.assign(endpoint.user_data, endpoint.user_data + strlen(endpoint.user_data));
  return qos;
}

static bool open_reader(sn__wire_domain &domain, sn__wire_service &service,
                        const sn__wire_endpoint &request) {
  rtps::ReaderAttributes attributes;
  attributes.endpoint.reliabilityKind = rtps::RELIABLE;
  attributes.endpoint.durabilityKind = rtps::VOLATILE;
  service.reader = rtps::RTPSDomain::createRTPSReader(domain.participant, attributes,
                                                      &service.requests, &service);
  return service.reader != nullptr &&
         domain.participant->registerReader(service.reader, topic_of(request),
                                            qos_of<fast::ReaderQos>(request));
}

/* A lost packet is noticed by the next heartbeat. The node sends in its own thread: with a thread
   of Fast DDS some of a dozen responses in a row never reached a Cyclone client on a busy machine.
 */
static bool open_writer(sn__wire_domain &domain, sn__wire_service &service,
                        const sn__wire_endpoint &response) {
  rtps::WriterAttributes attributes;
  attributes.endpoint.reliabilityKind = rtps::RELIABLE;
  attributes.endpoint.durabilityKind = rtps::VOLATILE;
  attributes.mode = rtps::SYNCHRONOUS_WRITER;
  attributes.times.heartbeatPeriod = {0, 100000000};
  service.writer = rtps::RTPSDomain::createRTPSWriter(domain.participant, attributes,
                                                      &service.responses, &service);
  if (service.writer == nullptr) {
    return false;
  }
  service.writer->reader_data_filter(&service.filter);
  return domain.participant->registerWriter(service.writer, topic_of(response),
                                            qos_of<fast::WriterQos>(response));
}

sn__wire_service *sn__wire_serve(sn__wire_domain *domain, const sn__wire_names *names,
                                 sn__ros2_gid *reader, sn__ros2_gid *writer) try {
  domain->services.push_back(std::make_unique<sn__wire_service>(*domain, *names));
  sn__wire_service &service = *domain->services.back();
  if (!open_writer(*domain, service, names->response) ||
      !open_reader(*domain, service, names->request)) {
    return nullptr;
  }
  *reader = to_gid(service.reader->getGuid());
  *writer = to_gid(service.writer->getGuid());
  return &service;
} catch (const std::exception &) {
  return nullptr;
}

/* ---- requests and responses ---- */

/* A client of rmw_fastrtps_cpp that does not name its reader is recognised by the vendor, which is
   in the first two bytes of a gid. */
static sn__wire_form form_of(const sn__wire_client &client, bool has_reader) {
  const rtps::GUID_t writer = to_guid(client.writer);
  if (client.id[0] != '\0') {
    return SN__WIRE_HEADER;
  }
  const bool is_fast = memcmp(writer.guidPrefix.value, rtps::c_VendorId_eProsima.data(), 2) == 0;
  return has_reader || is_fast ? SN__WIRE_IDENTITY : SN__WIRE_FOREIGN;
}

static sn__wire_client client_of(sn__wire_domain &domain, const rtps::CacheChange_t &request) {
  const rtps::GUID_t &reader = request.write_params.related_sample_identity().writer_guid();
  const std::string id = domain.clients.id_of(request.writerGUID);
  sn__wire_client client = {};
  client.writer = to_gid(request.writerGUID);
  client.reader = to_gid(reader);
  client.number = static_cast<int64_t>(request.sequenceNumber.to64long());
  memcpy(client.id, id.c_str(), id.size() + 1);
  client.form = form_of(client, reader != rtps::c_Guid_Unknown);
  return client;
}

bool sn__wire_take(sn__wire_service *service, sn__bytes *bytes, sn__wire_client *client) try {
  if (!service->has_requests.exchange(false)) {
    return false;
  }
  const std::lock_guard<eprosima::fastrtps::RecursiveTimedMutex> guard(service->reader->getMutex());
  rtps::CacheChange_t *change = nullptr;
  rtps::WriterProxy *unused = nullptr;
  if (!service->reader->nextUntakenCache(&change, &unused)) {
    return false;
  }
  bytes->used = 0;
  bytes->failed = false;
  sn__bytes_put(bytes, change->serializedPayload.data, change->serializedPayload.length);
  *client = client_of(service->domain, *change);
  service->requests.remove_change(change);
  service->has_requests = true; /* there may be more */
  return true;
} catch (const std::exception &) {
  return false;
}

void sn__wire_service::drop_old_responses() {
  rtps::CacheChange_t *oldest = nullptr;
  while (responses.get_min_change(&oldest) &&
         (writer->is_acked_by_all(oldest) || responses.isFull())) {
    responses.remove_min_change();
  }
}

int64_t sn__wire_service::send(const rtps::GUID_t &related, int64_t number, const void *bytes,
                               size_t size) {
  const std::lock_guard<eprosima::fastrtps::RecursiveTimedMutex> guard(writer->getMutex());
  drop_old_responses();
  if (size > response_size_max) {
    return 0;
  }
  rtps::CacheChange_t *change =
      writer->new_change([size] { return static_cast<uint32_t>(size); }, rtps::ALIVE);
  if (change == nullptr || change->serializedPayload.max_size < size) {
    return 0;
  }
  memcpy(change->serializedPayload.data, bytes, size);
  change->serializedPayload.length = static_cast<uint32_t>(size);
  change->serializedPayload.encapsulation = CDR_LE;
  rtps::WriteParams params;
  params.related_sample_identity().writer_guid(related);
  params.related_sample_identity().sequence_number(
      rtps::SequenceNumber_t(static_cast<int32_t>(number >> 32), static_cast<uint32_t>(number)));
  return responses.add_change(change, params)
             ? static_cast<int64_t>(change->sequenceNumber.to64long())
             : 0;
}

sn__wire_result sn__wire_respond(sn__wire_service *service, const sn__wire_client *client,
                                 const void *bytes, size_t size) try {
  if (!service->is_connected(*client)) {
    return SN__WIRE_NOT_YET;
  }
  return service->send(to_guid(client->writer), client->number, bytes, size) > 0 ? SN__WIRE_SENT
                                                                                 : SN__WIRE_FAILED;
} catch (const std::exception &) {
  return SN__WIRE_FAILED;
}
