/* Sends goals to an action of a running robot as a node with rmw_cyclonedds_cpp does, one after the
   other. Each is accepted and has one result: it succeeds, or the goal of another client replaces
   it. Exit 0 on success, otherwise it prints the failed check.
   usage: ros2_goals ACTION STATES COUNT */
#include "ros2_client.h"

int main(int argc, char **argv) {
  if (argc != 4) {
    fputs("usage: ros2_goals ACTION STATES COUNT\n", stderr);
    return 2;
  }
  snprintf(action, sizeof action, "%s", argv[1]);
  client c = open_client();
  char name[256];
  snprintf(name, sizeof name, "rt%s", argv[2]);
  states = rig_reader(c.participant, &sensor_msgs_msg_dds__JointState__desc, name, false);
  rig_wait_for_writer(states, name);
  const int count = atoi(argv[3]);
  int succeeded = 0;
  for (int i = 0; i < count; i++) {
    goal g;
    make_goal(&g, i % 2 == 0 ? 0.02 : -0.02, 0.0, 0.1);
    CHECK(send(&c, &g), "goal %d was not accepted", i);
    const result r = result_of(&c, &g);
    CHECK(r.status == SUCCEEDED || r.status == ABORTED, "goal %d ended with status %d: %s", i,
          r.status, r.text);
    succeeded += r.status == SUCCEEDED;
  }
  dds_delete(c.participant);
  printf("ros2_goals: %d goals, %d succeeded, %d were replaced\n", count, succeeded,
         count - succeeded);
  return 0;
}
