#include "ros/ros2/wire_participant.hpp"

#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastrtps/utils/IPLocator.h>

#include <memory>

#include "ros/ros2/wire_transport.hpp"

namespace rtps = eprosima::fastrtps::rtps;

static constexpr uint32_t peers_per_address = 32; /* as Jazzy; Fast DDS would try 4 */

static void add_peer(rtps::BuiltinAttributes &builtin, const char *address, uint32_t port) {
  rtps::Locator_t peer;
  rtps::IPLocator::setIPv4(peer, address);
  peer.port = port; /* 0: the standard ports of the first participants of a machine */
  builtin.initialPeersList.push_back(peer);
}

/* UDP only: a killed process would leave its shared memory behind, and its layout differs between
   versions of Fast DDS. */
rtps::RTPSParticipantAttributes sn::wire_participant(const sn__wire_config &config,
                                                     const std::shared_ptr<sn::wire_echo> &echo) {
  rtps::RTPSParticipantAttributes all;
  auto udp = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
  udp->maxInitialPeersRange = peers_per_address;
  if (*config.address != '\0') {
    udp->interfaceWhiteList.emplace_back(config.address);
  }
  all.useBuiltinTransports = false;
  all.userTransports.push_back(std::make_shared<sn::wire_transport_descriptor>(udp, echo));
  rtps::BuiltinAttributes &builtin = all.builtin;
  builtin.readerHistoryMemoryPolicy = rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
  builtin.writerHistoryMemoryPolicy = rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
  builtin.discovery_config.discoveryProtocol =
      config.has_discovery ? rtps::DiscoveryProtocol_t::SIMPLE : rtps::DiscoveryProtocol_t::NONE;
  for (size_t i = 0; i < config.peer_count; i++) {
    add_peer(builtin, config.peers[i], 0);
  }
  /* Not every 3 s: without multicast a client of another DDS waits for the next announcement. */
  builtin.discovery_config.leaseDuration_announcementperiod = {0, 500000000};
  if (config.has_multicast && config.peer_count > 0) { /* peers replace the default */
    add_peer(builtin, "239.255.0.1", all.port.getMulticastPort(config.domain));
  }
  if (!config.has_multicast) { /* a unicast locator keeps the default multicast one away */
    builtin.metatrafficUnicastLocatorList.push_back(rtps::Locator_t());
  }
  static const char enclave[] = "enclave=/;";
  all.userData.assign(enclave, enclave + sizeof enclave - 1);
  return all;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
/* Debian's Fast DDS deletes an object of its statistics with the size of a base class, whenever a
   reader ends. Every program with a reader of it would fail this one check. */
extern "C" const char *__asan_default_options();
extern "C" const char *__asan_default_options() {
  return "new_delete_type_mismatch=0";
}
#endif
#endif
