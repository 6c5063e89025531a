/** @file
 *  For `sinew check`: links that overlap at rest: in the zero pose, and in the stance of a robot
 *  with legs; and those that nearly touch in the zero pose, which the gate does not guard. */
#ifndef SINEW_APP_CHECK_OVERLAPS_H
#define SINEW_APP_CHECK_OVERLAPS_H

#include <jansson.h>

#include "collision/collision.h"
#include "common/robot.h"

/** Those of one pose. */
typedef struct pose_overlaps {
  const char *name, *phrase; /**< of the pose, in JSON and in a sentence */
  sn__near *list;            /**< in the arena of the robot */
  size_t count;
} pose_overlaps;

enum { REST_POSES_MAX = 2 };

typedef struct overlaps {
  sn__collision *collision; /**< NULL: the robot has no shapes */
  pose_overlaps poses[REST_POSES_MAX];
  size_t pose_count;
} overlaps;

/** Find them; joints that cannot be at zero are as near to it as they can. Meshes that cannot be
 *  read are left out, without a problem: the model has reported those already.
 *  @return false if memory runs out */
bool overlaps_find(robot *r, const robot_options *options, overlaps *out);

/** One line for the pairs that are checked, and one for each overlap. */
void overlaps_print(const overlaps *o);

/** Of all poses. */
size_t overlaps_count(const overlaps *o);

/** NULL if memory runs out. */
json_t *overlaps_json(const overlaps *o);

#endif
