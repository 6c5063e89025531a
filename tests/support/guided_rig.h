/** @file
 *  The desktop arm in simulated time, with servos of the library, coarse encoders and noise, and a
 *  hand that pushes its tool. `guide` is a HandGuiding, `lead` a LeaderFollower whose leader is a
 *  second simulated arm, `leader`. */
#ifndef SN_GUIDED_RIG_H
#define SN_GUIDED_RIG_H

#include "deployed.h"
#include "robot.h"
#include "sinew/kin.h"
#include "sinew/msg_types.h"

enum { GUIDED_JOINTS = 6 };

/** Encoder step of a servo with 4096 steps a turn, rad. */
#define GUIDED_STEP 0.0015339807878856412

/** Must not be moved. */
typedef struct guided_rig {
  sn_deployed d;
  sn_test_robot robot;
  sn_kin_data *kin;
  char folder[64];
  sn_tap *commanded, *measured, *efforts, *leader_measured, *leader_goals;
  sn_source *push, *push_leader; /**< of links of the arm; of joints of the second one */
  sn_source *leader;        /**< joints of a leader from elsewhere; NULL: the second arm leads */
  double q[GUIDED_JOINTS];  /**< commanded */
  double qd[GUIDED_JOINTS]; /**< commanded */
  double at[GUIDED_JOINTS]; /**< measured */
  double effort[GUIDED_JOINTS];   /**< that the commanded pose takes, N·m */
  double at_speed[GUIDED_JOINTS]; /**< measured, without noise */
} guided_rig;

/** @param pose      initial positions: `{elbow_flex: 0.5}`
 *  @param settings  lines of YAML below `components`
 *  @param has_arm   the second arm leads; else what guided_lead() says */
void guided_open(guided_rig *b, const char *pose, const char *settings, bool has_arm);
void guided_close(guided_rig *b);

/** Settings that must be rejected. @param problem  out: why */
void guided_refused(const char *settings, char *problem, size_t size);

/** One cycle of 1 ms. */
void guided_cycle(guided_rig *b);

/** A force on the tool in the base, N, from now on. */
void guided_push(guided_rig *b, sn_vec3 force);

/** Where the tool is, by these positions. */
sn_vec3 guided_tool(guided_rig *b, const double *q);

/** A message of a leader from elsewhere; @p count joints in order. */
void guided_lead(guided_rig *b, const double *q, size_t count, int64_t stamp_ns);

#endif
