/** @file
 *  Internal: clients that identify themselves in the user data of their endpoints, as those of
 *  rmw_cyclonedds_cpp do. */
#ifndef SN_ROS_ROS2_WIRE_CLIENTS_HPP
#define SN_ROS_ROS2_WIRE_CLIENTS_HPP

#include <fastdds/rtps/participant/RTPSParticipantListener.h>

#include <map>
#include <mutex>
#include <string>

#include "ros/ros2/wire_names.h"

namespace sn {

/** Threads: any. */
class wire_clients : public eprosima::fastrtps::rtps::RTPSParticipantListener {
 public:
  /** `clientid` of an endpoint; empty: none, or unknown. */
  std::string id_of(const eprosima::fastrtps::rtps::GUID_t &endpoint) {
    const std::lock_guard<std::mutex> guard(mutex_);
    const auto found = ids_.find(endpoint);
    return found == ids_.end() ? std::string() : found->second;
  }

 private:
  void onWriterDiscovery(eprosima::fastrtps::rtps::RTPSParticipant *,
                         eprosima::fastrtps::rtps::WriterDiscoveryInfo &&found) override {
    using info = eprosima::fastrtps::rtps::WriterDiscoveryInfo;
    note(found.info.guid(), found.info.m_qos.m_userData, found.status == info::REMOVED_WRITER);
  }

  void onReaderDiscovery(eprosima::fastrtps::rtps::RTPSParticipant *,
                         eprosima::fastrtps::rtps::ReaderDiscoveryInfo &&found) override {
    using info = eprosima::fastrtps::rtps::ReaderDiscoveryInfo;
    note(found.info.guid(), found.info.m_qos.m_userData, found.status == info::REMOVED_READER);
  }

  void note(const eprosima::fastrtps::rtps::GUID_t &endpoint,
            const eprosima::fastdds::dds::UserDataQosPolicy &data, bool is_removed) {
    char id[SN__ROS2_ID_SIZE];
    const std::lock_guard<std::mutex> guard(mutex_);
    if (is_removed) {
      ids_.erase(endpoint);
    } else if (sn__ros2_value(data.data(), data.size(), "clientid", id, sizeof id)) {
      ids_[endpoint] = id;
    }
  }

  std::mutex mutex_;
  std::map<eprosima::fastrtps::rtps::GUID_t, std::string> ids_;
};

}  // namespace sn

#endif
