/** @file
 *  Internal: the pose of the base from the feet that stand. What a foot touches does not move, so
 * the base does: its pose is the best fit of all points that touch to the places where they touched
 *  down. A change of the set of contacts never makes the base jump: a new foot is anchored where it
 *  is, and the anchors of the others move with the difference that the change would make.
 *
 *  Directions that the contacts do not determine (one point foot: all rotations) keep their value.
 */
#ifndef SN_ESTIMATION_ODOMETRY_H
#define SN_ESTIMATION_ODOMETRY_H

#include "estimation/feet.h"
#include "sinew/arena.h"
#include "sinew/spatial.h"

typedef struct sn__odometry_config {
  size_t foot_count;              /**< 0 .. */
  size_t points_max;              /**< of one foot, 1 .. */
  bool force_contact_z_to_zero;   /**< the ground is level, at height 0 */
  bool zero_twist_if_no_contacts; /**< else the base keeps its twist */
} sn__odometry_config;

/** The base in the world. */
typedef struct sn__base_state {
  sn_pose pose_world_base;
  sn_spatial twist; /**< of the base's origin, in the axes of the world */
} sn__base_state;

/** Opaque. Lives in the arena it was created from. */
typedef struct sn__odometry sn__odometry;

/** @return NULL if memory runs out. RT: no. */
sn__odometry *sn__odometry_create(sn_arena *arena, const sn__odometry_config *config);

/** Change the two flags; the counts stay. RT: yes. */
void sn__odometry_configure(sn__odometry *odometry, bool force_contact_z_to_zero,
                            bool zero_twist_if_no_contacts) SN_RT;

/** Begin at this pose; contacts are found again in the next step. RT: yes. */
void sn__odometry_reset(sn__odometry *odometry, const sn__base_state *base) SN_RT;

/** Override the base: it moves to this pose, with all anchors. RT: yes. */
void sn__odometry_move(sn__odometry *odometry, const sn__base_state *base) SN_RT;

/** One cycle.
 *  @param feet  foot_count feet with at most points_max points; one with a number that is not
 * finite counts as not touching
 *  @param dt_s  since the last step, > 0
 *  @return the base; valid until the next call
 *  RT: yes, O(points). */
const sn__base_state *sn__odometry_step(sn__odometry *odometry, const sn__foot *feet,
                                        double dt_s) SN_RT;

#endif
