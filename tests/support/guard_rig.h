/** @file
 *  A gate that keeps the links of a robot apart, one that does not, and an independent checker. */
#ifndef SN_TEST_GUARD_RIG_H
#define SN_TEST_GUARD_RIG_H

#include "gate_rig.h"
#include "guard/guard.h"
#include "guard_proof.h"

/** Trunk with head and two arms, of boxes, spheres and capsules: 11 joints. */
extern const char guard_humanoid[];

enum { GUARD_JOINTS_MAX = 64 };

typedef struct guard_rig {
  const char *name;
  sn_arena arena;
  const sn_model *model;
  size_t joint_count;
  sn__collision *collision; /**< of the guarded gate */
  sn__collision *exact;     /**< never sees the motion: every distance is new */
  guard_proof *proof;       /**< of poses without a contact */
  double *margins;          /**< [pair] that it keeps, m */
  double *levers;           /**< [pair] sum of the levers of all joints between the two, m */
  sn_gate *guarded, *plain;
  sn_gate_config config;
  gate_judge judge;
  sn_joint_state *msg;
  int owners[GUARD_JOINTS_MAX];
  double start[GUARD_JOINTS_MAX]; /**< zero, or the nearest within limits */
  int64_t now_ns;
} guard_rig;

/** Robots that every campaign runs on; those of SINEW_TEST_ROBOTS, paths with colons between them,
 *  if that is set. `humanoid` among them is guard_humanoid. */
size_t guard_rig_robot_count(void);

/** Open robot @p index of them. @return false if it has no pair that could meet */
bool guard_rig_open(guard_rig *rig, size_t index);

/** Open a robot from its text.
 *  @param config  may be NULL; `collision` and `source_count` are set here */
void guard_rig_open_text(guard_rig *rig, const char *urdf, const sn__collision_config *collision,
                         const sn_gate_config *config);
void guard_rig_close(guard_rig *rig);

/** The reference of a source for its joints. */
void guard_rig_take(guard_rig *rig, sn_gate *gate, size_t source, const double *q);

/** Place both gates at a pose, at rest. @return false if it is outside of limits: of mimic joints
 */
bool guard_rig_place(guard_rig *rig, const double *q);

/** A millisecond later: the command, which must be within all limits. */
const double *guard_rig_step(guard_rig *rig);

/** The least distance of all pairs at a pose; m. */
double guard_rig_distance(guard_rig *rig, const double *q);

/** A random pose within limits. */
void guard_rig_draw(const guard_rig *rig, sn_random *random, double *q);

/** How far all joints may move at once so that surely every pair keeps its margin, rad or m.
 *  @return 0 if a pair is nearer than twice its margin; than one and a half of it if that is less
 *          than the margin of others, because the two are near each other in the zero pose */
double guard_rig_room(guard_rig *rig, const double *q);

/** A random pose with room. @return false if none was found */
bool guard_rig_draw_free(guard_rig *rig, sn_random *random, double *q);

#endif
