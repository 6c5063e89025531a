/* A client of rmw_fastrtps_cpp that sends invalid requests to a running quadruped.
   usage: ros2_fast_hostile lies ROUNDS    requests that are wrong in one place; prints how many,
   all of which must be rejected ros2_fast_hostile flood COUNT    valid requests, faster than they
   are served, whose answers it does not read ros2_fast_hostile leave COUNT    valid requests, each
   of a client that leaves at once */
#include <cstring>
#include <vector>

#include "ros2_fast_rig.hpp"

using namespace eprosima::fastdds::dds;
namespace rtps = eprosima::fastrtps::rtps;
using bytes = std::vector<uint8_t>;

/* Samples of any type, as bytes with their CDR header. */
class raw_type : public TopicDataType {
 public:
  explicit raw_type(const char *name) {
    setName(name);
    m_typeSize = 4096;
    m_isGetKeyDefined = false;
  }
  bool serialize(void *data, rtps::SerializedPayload_t *payload) override {
    const auto *sample = static_cast<const bytes *>(data);
    payload->length = static_cast<uint32_t>(sample->size());
    memcpy(payload->data, sample->data(), sample->size());
    return true;
  }
  bool deserialize(rtps::SerializedPayload_t *, void *) override {
    return true;
  }
  std::function<uint32_t()> getSerializedSizeProvider(void *data) override {
    return [data] { return static_cast<uint32_t>(static_cast<const bytes *>(data)->size()); };
  }
  void *createData() override {
    return new bytes();
  }
  void deleteData(void *data) override {
    delete static_cast<bytes *>(data);
  }
  bool getKey(void *, rtps::InstanceHandle_t *, bool) override {
    return false;
  }
};

using client = fast_rig::client<bytes, bytes>;

static client open(const fast_rig::domain &d, const char *service, const char *type) {
  const std::string whole = type;
  return client(d, service, TypeSupport(new raw_type((whole + "_Request_").c_str())),
                TypeSupport(new raw_type((whole + "_Response_").c_str())));
}

static client open_set_bool(const fast_rig::domain &d) {
  return open(d, "/follow/rosSetOperational", "std_srvs::srv::dds_::SetBool");
}

static const bytes off = {0, 1, 0, 0, 0};

/* ---- lies ---- */

static void put(bytes &out, uint32_t value) {
  for (int i = 0; i < 4; i++) {
    out.push_back(static_cast<uint8_t>(value >> (8 * i)));
  }
}

/* One parameter with a wrong length where @p place says; the rest is missing. */
static bytes wrong_parameters(uint32_t lie, int place) {
  bytes out = {0, 1, 0, 0};
  put(out, place == 0 ? lie : 1); /* parameters */
  put(out, place == 1 ? lie : 4); /* bytes of the name */
  out.insert(out.end(), {'a', '.', 'b', static_cast<uint8_t>(place == 2 ? 'c' : 0)});
  return out;
}

static int tell_lies(const fast_rig::domain &d, int rounds) {
  client follow = open_set_bool(d);
  client parameters = open(d, "/sinew/set_parameters", "rcl_interfaces::srv::dds_::SetParameters");
  follow.wait();
  parameters.wait();
  int count = 0;
  for (int round = 0; round < rounds; round++) {
    for (bytes request : {bytes{}, bytes{0}, bytes{0, 1, 0, 0}, bytes{0, 0, 0, 0, 1},
                          bytes{0, 9, 0, 0, 1}, bytes(200, 1)}) {
      (void)follow.send(request);
      count++;
    }
    for (const uint32_t lie : {0x7fffffffU, 0xffffffffU, 65537U, 2U}) {
      for (int place = 0; place < 3; place++) {
        bytes request = wrong_parameters(lie, place);
        (void)parameters.send(request);
        count++;
        std::this_thread::sleep_for(std::chrono::milliseconds(2)); /* 64 may be pending */
      }
    }
  }
  return count;
}

/* ---- clients that do not behave ---- */

static void flood(const fast_rig::domain &d, int count) {
  client follow = open_set_bool(d);
  follow.wait();
  for (int i = 0; i < count; i++) {
    bytes request = off;
    (void)follow.send(request);
  }
}

static void leave(int count) {
  for (int i = 0; i < count; i++) {
    const fast_rig::domain d = fast_rig::join(nullptr, fast_rig::participant_qos());
    client follow = open_set_bool(d);
    follow.wait();
    bytes request = off;
    (void)follow.send(request);
    fast_rig::leave(d);
  }
}

int main(int argc, char **argv) {
  const std::string what = argc == 3 ? argv[1] : "";
  if (what != "lies" && what != "flood" && what != "leave") {
    fputs("usage: ros2_fast_hostile lies|flood|leave COUNT\n", stderr);
    return 2;
  }
  const int count = atoi(argv[2]);
  if (what == "leave") {
    leave(count);
    return 0;
  }
  const fast_rig::domain d = fast_rig::join(nullptr, fast_rig::participant_qos());
  if (what == "lies") {
    printf("%d\n", tell_lies(d, count));
    fflush(stdout);
    std::this_thread::sleep_for(std::chrono::seconds(1)); /* until all were received */
  } else {
    flood(d, count);
  }
  fast_rig::leave(d);
  return 0;
}
