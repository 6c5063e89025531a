/** @file
 *  Two controllers FollowJointState, `a` and `b`, with resources_control and the quadruped in a
 * running system. `a` stays operational in the background. */
#ifndef SN_TWO_FOLLOWERS_H
#define SN_TWO_FOLLOWERS_H

#include "rig.h"
#include "robot.h"
#include "sn_test.h"

enum { MS = 1000000 };

typedef struct two_followers {
  rig r;
  sn_test_robot robot;
  size_t n;
  sn_component *control, *a, *b;
  sn_source *pose_a, *pose_b, *ref_a;
  sn_tap *out_a, *out_b, *reset_a;
} two_followers;

/** Add all components. */
void two_followers_build(two_followers *b);
/** Open the sources and taps of a system that has begun. */
void two_followers_open_ends(two_followers *b);
/** All of it: build, begin, open. */
void two_followers_open(two_followers *b);
void two_followers_close(two_followers *b);

/** All joints of the commanded pose at q. */
void two_followers_send_pose(two_followers *b, double q);

/** Call `rosSetOperational`, or `setOperational` with one resource.
 *  @return whether it is operational now; the reason in r.err if not */
bool two_followers_switch(two_followers *b, const char *operation, bool on, const char *resource);

const char *two_followers_owner(two_followers *b, const char *resource);

/** Joints of a new message; 0: no new one. */
size_t two_followers_count_out(sn_tap *tap);

#endif
