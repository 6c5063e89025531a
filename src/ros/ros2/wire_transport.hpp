/** @file
 *  Internal: UDP for Fast DDS, around a fault of Debian's version 2.9.1: its statistics abort the
 *  process (an assertion of OutputTrafficManager) when a packet goes to an address that was not
 *  opened before, such as that of a participant on the same machine. Newer versions add the address
 *  instead. This layer opens each address before the first packet to it. */
#ifndef SN_ROS_ROS2_WIRE_TRANSPORT_HPP
#define SN_ROS_ROS2_WIRE_TRANSPORT_HPP

#include <fastdds/rtps/transport/ChainingTransport.h>
#include <fastdds/rtps/transport/ChainingTransportDescriptor.h>

#include <fastdds/rtps/common/LocatorList.hpp>
#include <set>

namespace sn {

struct wire_transport_descriptor : eprosima::fastdds::rtps::ChainingTransportDescriptor {
  using ChainingTransportDescriptor::ChainingTransportDescriptor;
  eprosima::fastdds::rtps::TransportInterface *create_transport() const override;
};

class wire_transport : public eprosima::fastdds::rtps::ChainingTransport {
 public:
  explicit wire_transport(const wire_transport_descriptor &descriptor)
      : ChainingTransport(descriptor), descriptor_(descriptor) {}

  eprosima::fastdds::rtps::TransportDescriptorInterface *get_configuration() override {
    return &descriptor_;
  }

  /* Fast DDS sends one packet at a time. */
  bool send(eprosima::fastrtps::rtps::SenderResource *udp,
            const eprosima::fastrtps::rtps::octet *bytes, uint32_t size,
            eprosima::fastrtps::rtps::LocatorsIterator *begin,
            eprosima::fastrtps::rtps::LocatorsIterator *end,
            const std::chrono::steady_clock::time_point &timeout) override {
    eprosima::fastrtps::rtps::LocatorList_t all;
    for (; *begin != *end; ++*begin) {
      all.push_back(**begin);
      if (opened_.insert(**begin).second) {
        low_level_transport_->OpenOutputChannel(resources_, **begin);
      }
    }
    eprosima::fastrtps::rtps::Locators first(all.begin());
    eprosima::fastrtps::rtps::Locators last(all.end());
    return udp->send(bytes, size, &first, &last, timeout);
  }

  void receive(eprosima::fastdds::rtps::TransportReceiverInterface *next,
               const eprosima::fastrtps::rtps::octet *bytes, uint32_t size,
               const eprosima::fastrtps::rtps::Locator_t &local,
               const eprosima::fastrtps::rtps::Locator_t &remote) override {
    next->OnDataReceived(bytes, size, local, remote);
  }

 private:
  wire_transport_descriptor descriptor_;
  std::set<eprosima::fastrtps::rtps::Locator_t> opened_;
  eprosima::fastdds::rtps::SendResourceList resources_;
};

inline eprosima::fastdds::rtps::TransportInterface *wire_transport_descriptor::create_transport()
    const {
  return new wire_transport(*this); /* owned by the participant */
}

}  // namespace sn

#endif
