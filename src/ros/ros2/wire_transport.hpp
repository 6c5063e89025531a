/** @file
 *  Internal: UDP for Fast DDS, around a fault of Debian's version 2.9.1: its statistics abort the
 *  process (an assertion of OutputTrafficManager) when a packet goes to an address that was not
 *  opened before, such as that of a participant on the same machine. Newer versions add the address
 *  instead. This layer opens each address before the first packet to it. It also repeats the first
 *  heartbeats to each participant (wire_echo.hpp). */
#ifndef SN_ROS_ROS2_WIRE_TRANSPORT_HPP
#define SN_ROS_ROS2_WIRE_TRANSPORT_HPP

#include <fastdds/rtps/transport/ChainingTransport.h>
#include <fastdds/rtps/transport/ChainingTransportDescriptor.h>

#include <fastdds/rtps/common/LocatorList.hpp>
#include <memory>
#include <set>

#include "ros/ros2/wire_echo.hpp"

namespace sn {

struct wire_transport_descriptor : eprosima::fastdds::rtps::ChainingTransportDescriptor {
  wire_transport_descriptor(
      std::shared_ptr<eprosima::fastdds::rtps::TransportDescriptorInterface> udp,
      std::shared_ptr<wire_echo> repeats)
      : ChainingTransportDescriptor(std::move(udp)), echo(std::move(repeats)) {}
  std::shared_ptr<wire_echo> echo;
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
    const bool is_sent = pass_on(udp, bytes, size, all, timeout);
    descriptor_.echo->note(bytes, size, all);
    descriptor_.echo->repeat([&](const eprosima::fastrtps::rtps::octet *again, uint32_t length,
                                 eprosima::fastrtps::rtps::LocatorList_t &to) {
      (void)pass_on(udp, again, length, to, timeout);
    });
    return is_sent;
  }

  void receive(eprosima::fastdds::rtps::TransportReceiverInterface *next,
               const eprosima::fastrtps::rtps::octet *bytes, uint32_t size,
               const eprosima::fastrtps::rtps::Locator_t &local,
               const eprosima::fastrtps::rtps::Locator_t &remote) override {
    next->OnDataReceived(bytes, size, local, remote);
  }

 private:
  static bool pass_on(eprosima::fastrtps::rtps::SenderResource *udp,
                      const eprosima::fastrtps::rtps::octet *bytes, uint32_t size,
                      eprosima::fastrtps::rtps::LocatorList_t &to,
                      const std::chrono::steady_clock::time_point &timeout) {
    eprosima::fastrtps::rtps::Locators first(to.begin());
    eprosima::fastrtps::rtps::Locators last(to.end());
    return udp->send(bytes, size, &first, &last, timeout);
  }

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
