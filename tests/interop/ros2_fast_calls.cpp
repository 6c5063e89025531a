/* Calls services of a running robot as nodes with rmw_fastrtps_cpp do. Exit 0 on success, otherwise
   it prints the failed check.
   usage: ros2_fast_calls stop           hears its joint states, stops it and resumes it
          ros2_fast_calls calls COUNT    each of COUNT calls is answered once
          ros2_fast_calls found          prints the time from the start of its participant until a
                                         service is connected, ms */
#include <cstring>

#include "ros2_fast_rig.hpp"
#include "ros2_peerPubSubTypes.h"

namespace srv = std_srvs::srv::dds_;
using eprosima::fastdds::dds::TypeSupport;
using fast_rig::answers;
using fast_rig::client;
using fast_rig::domain;
using fast_rig::milliseconds;
using trigger = client<srv::Trigger_Request_, srv::Trigger_Response_>;
using set_bool = client<srv::SetBool_Request_, srv::SetBool_Response_>;

constexpr int64_t open_max = 5; /* requests without an answer */

static trigger open_trigger(const domain &d, const char *service) {
  return trigger(d, service, TypeSupport(new srv::Trigger_Request_PubSubType()),
                 TypeSupport(new srv::Trigger_Response_PubSubType()));
}

static srv::Trigger_Response_ press(trigger &button) {
  srv::Trigger_Request_ request;
  srv::Trigger_Response_ response;
  button.call(request, response);
  return response;
}

/* Until a message of a topic arrives. */
static void listen(const domain &d) {
  namespace fast = eprosima::fastdds::dds;
  fast::DataReaderQos qos;
  qos.data_sharing().off();
  const TypeSupport type(new sensor_msgs::msg::dds_::JointState_PubSubType());
  fast::DataReader *reader = d.subscriber->create_datareader(
      fast_rig::open_topic(d, type, "rt/joint_states"), qos, nullptr);
  sensor_msgs::msg::dds_::JointState_ state;
  fast::SampleInfo info;
  int i = 0;
  while (i < fast_rig::patience_ms &&
         reader->take_next_sample(&state, &info) != ReturnCode_t::RETCODE_OK) {
    std::this_thread::sleep_for(milliseconds(1));
    i++;
  }
  CHECK(i < fast_rig::patience_ms && !state.name().empty(), "no joint states");
}

/* On a busy machine servos may confirm a stop too late, which the response must report. */
static void check_stop(const domain &d) {
  listen(d);
  trigger stop = open_trigger(d, "/aggregator/emergencyStop");
  trigger resume = open_trigger(d, "/aggregator/resume");
  stop.wait();
  srv::Trigger_Response_ response = press(stop);
  for (int i = 0; i < 200 && !response.success(); i++) {
    CHECK(response.message().find("did not obey: 'plant") != std::string::npos, "refused: %s",
          response.message().c_str());
    response = press(stop);
  }
  CHECK(response.success(), "not stopped: %s", response.message().c_str());
  resume.wait();
  response = press(resume);
  CHECK(response.success(), "not resumed: %s", response.message().c_str());
  response = press(resume);
  CHECK(!response.success(), "resumed without a stop");
}

static void check_calls(const domain &d, int64_t count) {
  set_bool follow(d, "/follow/rosSetOperational",
                  TypeSupport(new srv::SetBool_Request_PubSubType()),
                  TypeSupport(new srv::SetBool_Response_PubSubType()));
  follow.wait();
  answers seen(count);
  int64_t sent = 0;
  int idle_ms = 0;
  while ((seen.total() < count || idle_ms < 500) && idle_ms < fast_rig::patience_ms) {
    srv::SetBool_Request_ request;
    srv::SetBool_Response_ response;
    while (sent < count && sent - seen.total() < open_max) {
      request.data(false);
      CHECK(follow.send(request) == ++sent, "a request has another number");
    }
    const int64_t number = follow.take(response);
    if (number != 0) {
      seen.note(number);
      CHECK(response.success(), "refused: %s", response.message().c_str());
      idle_ms = 0;
    } else {
      std::this_thread::sleep_for(milliseconds(1));
      idle_ms++;
    }
  }
  CHECK(seen.total() == count, "%lld of %lld answers", static_cast<long long>(seen.total()),
        static_cast<long long>(count));
}

static int64_t find() {
  const auto began = std::chrono::steady_clock::now();
  const domain d = fast_rig::join(nullptr, fast_rig::participant_qos());
  trigger resume = open_trigger(d, "/aggregator/resume");
  resume.wait();
  const auto ended = std::chrono::steady_clock::now();
  fast_rig::leave(d);
  return std::chrono::duration_cast<milliseconds>(ended - began).count();
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "found") == 0) {
    printf("%lld\n", static_cast<long long>(find()));
    return 0;
  }
  const bool is_stop = argc == 2 && strcmp(argv[1], "stop") == 0;
  const bool is_calls = argc == 3 && strcmp(argv[1], "calls") == 0;
  if (!is_stop && !is_calls) {
    fprintf(stderr, "usage: ros2_fast_calls stop | calls COUNT | found\n");
    return 2;
  }
  const domain d = fast_rig::join(nullptr, fast_rig::participant_qos());
  if (is_stop) {
    check_stop(d);
  } else {
    check_calls(d, atoll(argv[2]));
  }
  fast_rig::leave(d);
  printf("ros2_fast_calls: %s\n", is_stop ? "the stop is correct" : "every call was answered once");
  return 0;
}
