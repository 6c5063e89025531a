/* A DDS participant that puts objects around a robot, as ROS 2 nodes do: they come, move and go on
   a topic, and another topic lists them. Exit 0 on success, otherwise it prints the failed check.

   usage: ros2_world */
#include <math.h>

#include "ros2_base.h"
#include "ros2_rig.h"

typedef sinew_msgs_msg_dds__WorldChange_ world_change;
typedef sinew_msgs_msg_dds__WorldObjectList_ world_list;

static dds_entity_t changes, lists;

/* A box of 0.2 m. */
static void change(char *operation, char *name, char *frame, double x) {
  double edges[3] = {0.2, 0.2, 0.2};
  const world_change msg = {.header = {.frame_id = frame},
                            .operation = operation,
                            .object = {.name = name,
                                       .shape = "box",
                                       .size = {._length = 3, ._buffer = edges},
                                       .pose = {{x, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}}}};
  CHECK(dds_write(changes, &msg) == DDS_RETCODE_OK, "cannot write");
}

/* Wait for a list with that many objects, the last of which has this name. The robot stands near
   the origin of its world, so places in its frame are nearly those in the world. */
static void expect(size_t count, const char *name, double x, const char *what) {
  bool is_there = false;
  for (int i = 0; i < 1000 && !is_there; i++) {
    dds_sample_info_t info;
    void *s = rig_next(lists, PATIENCE_MS, &info);
    CHECK(s != NULL, "%s: no list", what);
    const world_list *list = s;
    const size_t last = count - 1;
    is_there = list->complete && list->objects._length == count &&
               (count == 0 || (strcmp(list->objects._buffer[last].name, name) == 0 &&
                               strcmp(list->objects._buffer[last].shape, "box") == 0 &&
                               list->objects._buffer[last].size._length == 3 &&
                               fabs(list->objects._buffer[last].pose.position.x - x) < 0.2));
    rig_give_back(lists, s);
  }
  CHECK(is_there, "%s", what);
}

int main(void) {
  const dds_entity_t participant = rig_participant();
  lists = rig_reader(participant, &sinew_msgs_msg_dds__WorldObjectList__desc, "rt/aggregator/world",
                     true);
  changes = rig_writer(participant, &sinew_msgs_msg_dds__WorldChange__desc,
                       "rt/aggregator/in_world", NULL);
  expect(0, "", 0.0, "the latched list of the start");
  change("add", "shelf", "", 2.0);
  expect(1, "shelf", 2.0, "an object is added");
  change("", "post", "odom", 3.0);
  expect(2, "post", 3.0, "another one, without an operation");
  change("add", "post", "base_link", -4.0);
  expect(2, "post", -4.0, "an object of the same name is moved");
  /* None of these changes anything. */
  change("add", "nan", "", NAN);
  change("add", "lost", "moon", 1.0);
  change("remove", "nothing", "", 0.0);
  change("burn", "shelf", "", 0.0);
  change("remove", "shelf", "", 0.0);
  expect(1, "post", -4.0, "an object is removed");
  change("clear", "", "", 0.0);
  expect(0, "", 0.0, "all objects are removed");
  dds_delete(participant);
  return 0;
}
