/** @file
 *  Internal: heartbeats of discovery, sent again a little later.
 *
 *  Fast DDS answers a new participant with its own announcement and, at once, with a heartbeat for
 *  each list of its endpoints. Cyclone reads announcements and heartbeats in different threads; a
 *  heartbeat that overtakes the announcement is ignored. Fast DDS sends the next one after a
 *  second, which cannot be set, and until then the participant sees no service. Heartbeats are
 *  numbered: whoever got the first one ignores the others. */
#ifndef SN_ROS_ROS2_WIRE_ECHO_HPP
#define SN_ROS_ROS2_WIRE_ECHO_HPP

#include <atomic>
#include <cstdint>
#include <deque>
#include <fastdds/rtps/common/LocatorList.hpp>
#include <vector>

namespace sn {

/** Threads: is_due() is called by the node; everything else by whoever sends, one at a time. */
class wire_echo {
 public:
  using octet = eprosima::fastrtps::rtps::octet;
  using locators = eprosima::fastrtps::rtps::LocatorList_t;

  /** Is it time to send something again? What is noted from now on is noted at @p now_ns. */
  bool is_due(int64_t now_ns) {
    now_ns_ = now_ns;
    return now_ns >= next_ns_;
  }

  /** A packet was sent. */
  void note(const octet *bytes, uint32_t size, const locators &to) {
    if (size <= size_max && kept_.size() < kept_max && is_first_heartbeat(bytes, size)) {
      kept_.push_back({std::vector<octet>(bytes, bytes + size), to, now_ns_, 0});
      find_next();
    }
  }

  /** @param send  called for each packet that is due: bytes, size, locators */
  template <typename Send>
  void repeat(Send send) {
    const int64_t now_ns = now_ns_;
    if (now_ns < next_ns_) {
      return;
    }
    for (packet &p : kept_) {
      if (now_ns >= due_ns(p)) {
        p.repeats++;
        send(p.bytes.data(), static_cast<uint32_t>(p.bytes.size()), p.to);
      }
    }
    while (!kept_.empty() && kept_.front().repeats == repeats_max) {
      kept_.pop_front();
    }
    find_next();
  }

  /** Is it for one participant, and does it have a heartbeat of a list of endpoints? */
  static bool is_first_heartbeat(const octet *bytes, uint32_t size) {
    bool is_directed = false;
    for (uint32_t at = header_size; at + 4 <= size;) { /* DDSI-RTPS 2.2, section 9.4 */
      const bool is_little = (bytes[at + 1] & 1) != 0;
      const uint32_t length =
          is_little ? bytes[at + 2] + 256U * bytes[at + 3] : 256U * bytes[at + 2] + bytes[at + 3];
      if (bytes[at] == info_destination) {
        is_directed = true;
      } else if (bytes[at] == heartbeat && at + 12 <= size) {
        return is_directed && bytes[at + 11] == builtin_writer;
      }
      at += 4 + (length == 0 ? size : length); /* 0: the last one */
    }
    return false;
  }

 private:
  static constexpr uint32_t header_size = 20;
  static constexpr octet info_destination = 0x0e, heartbeat = 0x07, builtin_writer = 0xc2;
  static constexpr uint32_t size_max = 512; /* a heartbeat alone is 128 */
  static constexpr size_t kept_max = 256;   /* as of 85 participants that start at once */
  static constexpr int repeats_max = 3;

  struct packet {
    std::vector<octet> bytes;
    locators to;
    int64_t noted_ns;
    int repeats;
  };

  static int64_t due_ns(const packet &p) {
    static constexpr int64_t delay_ns[] = {20000000, 100000000, 300000000};
    return p.repeats < repeats_max ? p.noted_ns + delay_ns[p.repeats] : INT64_MAX;
  }

  void find_next() {
    int64_t next_ns = INT64_MAX;
    for (const packet &p : kept_) {
      next_ns = next_ns < due_ns(p) ? next_ns : due_ns(p);
    }
    next_ns_ = next_ns;
  }

  std::deque<packet> kept_;
  std::atomic<int64_t> now_ns_{0};
  std::atomic<int64_t> next_ns_{INT64_MAX};
};

}  // namespace sn

#endif
