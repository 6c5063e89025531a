/** @file
 *  Controllers of poses in the standard deployment with the quadruped, in simulated time. `point`
 * is a FollowPose of leg1. */
#ifndef SN_CARTESIAN_RIG_H
#define SN_CARTESIAN_RIG_H

#include "deployed.h"
#include "robot.h"
#include "sinew/kin.h"
#include "sinew/msg_types.h"

enum { CARTESIAN_JOINTS_MAX = 40 };

typedef struct cartesian_rig {
  sn_deployed d;
  sn_test_robot robot;
  char folder[64];
  sn_kin_data *kin;
  size_t n;
  sn_tap *pose, *joints, *supports, *base, *limbs;
  sn_source *base_ref, *in_base, *pose_ref, *point_ref;
  double q[CARTESIAN_JOINTS_MAX], last[CARTESIAN_JOINTS_MAX];
  bool has_pose;
} cartesian_rig;

/** @param who       the controller under test
 *  @param settings  lines of YAML below `components`
 *  @param start     `start_pose` of the plant */
void cartesian_open_at(cartesian_rig *b, const char *who, const char *settings, const char *start);
void cartesian_open(cartesian_rig *b, const char *who, const char *settings);
void cartesian_close(cartesian_rig *b);

/** Run cycles, and check that no joint exceeds its speed. */
void cartesian_cycles(cartesian_rig *b, int count);

/** A link in the base, by the commanded pose. */
sn_pose cartesian_link(cartesian_rig *b, const char *name);

/** Fill the message of a source with one body. */
void cartesian_write_body(sn_source *to, const char *frame, const char *name, sn_pose pose);

/** Send a reference: of the base in the world, of `point`, of `look`. */
void cartesian_want_base(cartesian_rig *b, sn_pose pose);
void cartesian_want_pose(cartesian_rig *b, const char *frame, sn_pose pose);
void cartesian_want_point(cartesian_rig *b, const char *frame, sn_vec3 point);

/** The reference of the base that `stance` publishes. */
sn_pose cartesian_base(cartesian_rig *b);

#endif
