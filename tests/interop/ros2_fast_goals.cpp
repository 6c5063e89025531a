/* Sends goals to an action of a running robot as a node with rmw_fastrtps_cpp does, one after the
   other. Each is accepted and has one result: it succeeds, or the goal of another client replaces
   it. Exit 0 on success, otherwise it prints the failed check.
   usage: ros2_fast_goals ACTION JOINT COUNT */
#include <cstring>

#include "ros2_actionPubSubTypes.h"
#include "ros2_fast_rig.hpp"

namespace act = control_msgs::action::dds_;
using eprosima::fastdds::dds::TypeSupport;
using send_goal = fast_rig::client<act::FollowJointTrajectory_SendGoal_Request_,
                                   act::FollowJointTrajectory_SendGoal_Response_>;
using get_result = fast_rig::client<act::FollowJointTrajectory_GetResult_Request_,
                                    act::FollowJointTrajectory_GetResult_Response_>;

enum { SUCCEEDED = 4, ABORTED = 6 };

static void name_goal(int count, unique_identifier_msgs::msg::dds_::UUID_ &out) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  memcpy(out.uuid().data(), &count, sizeof count);
  memcpy(out.uuid().data() + 8, &now, sizeof now);
}

/* To this position in a tenth of a second. */
static act::FollowJointTrajectory_SendGoal_Request_ make_goal(int count, const char *joint) {
  act::FollowJointTrajectory_SendGoal_Request_ request;
  name_goal(count, request.goal_id());
  trajectory_msgs::msg::dds_::JointTrajectoryPoint_ point;
  point.positions({count % 2 == 0 ? 0.02 : -0.02});
  point.time_from_start().nanosec(100000000);
  request.goal().trajectory().joint_names({joint});
  request.goal().trajectory().points({point});
  return request;
}

static int execute(send_goal &send, get_result &results, int count, const char *joint) {
  act::FollowJointTrajectory_SendGoal_Request_ goal = make_goal(count, joint);
  act::FollowJointTrajectory_SendGoal_Response_ answer;
  send.call(goal, answer);
  CHECK(answer.accepted(), "goal %d was not accepted", count);
  CHECK(answer.stamp().sec() > 1600000000, "goal %d was accepted at %d s", count,
        answer.stamp().sec());
  act::FollowJointTrajectory_GetResult_Request_ request;
  act::FollowJointTrajectory_GetResult_Response_ result;
  request.goal_id(goal.goal_id());
  results.call(request, result);
  CHECK(result.status() == SUCCEEDED || result.status() == ABORTED,
        "goal %d ended with status %d: %s", count, result.status(),
        result.result().error_string().c_str());
  return result.status();
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: ros2_fast_goals ACTION JOINT COUNT\n");
    return 2;
  }
  const std::string action = std::string(argv[1]) + "/_action/";
  const int count = atoi(argv[3]);
  const fast_rig::domain d = fast_rig::join(nullptr, fast_rig::participant_qos());
  send_goal send(d, action + "send_goal",
                 TypeSupport(new act::FollowJointTrajectory_SendGoal_Request_PubSubType()),
                 TypeSupport(new act::FollowJointTrajectory_SendGoal_Response_PubSubType()));
  get_result results(d, action + "get_result",
                     TypeSupport(new act::FollowJointTrajectory_GetResult_Request_PubSubType()),
                     TypeSupport(new act::FollowJointTrajectory_GetResult_Response_PubSubType()));
  send.wait();
  results.wait();
  int succeeded = 0;
  for (int i = 0; i < count; i++) {
    succeeded += execute(send, results, i, argv[2]) == SUCCEEDED ? 1 : 0;
  }
  fast_rig::leave(d);
  printf("ros2_fast_goals: %d goals, %d succeeded, %d were replaced\n", count, succeeded,
         count - succeeded);
  return 0;
}
