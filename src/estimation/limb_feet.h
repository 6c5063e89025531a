/** @file
 *  Internal: the feet of a robot model: the chains with a default contact, and where the points of
 *  their contacts are. */
#ifndef SN_ESTIMATION_LIMB_FEET_H
#define SN_ESTIMATION_LIMB_FEET_H

#include "estimation/feet.h"
#include "sinew/arena.h"
#include "sinew/kin.h"
#include "sinew/model.h"
#include "sinew/msg_types.h"
#include "sinew/status.h"

/** Where a foot is in the model. */
typedef struct sn__limb {
  size_t chain;
  int contact;           /**< of the model, >= 0 */
  const sn_link *link;   /**< last physical link of the chain */
  sn_pose pose_tip_link; /**< that link in the frame of the chain's end, virtual joints at 0 */
} sn__limb;

/** Read the counts and the arrays of `foot_count` entries. */
typedef struct sn__limb_feet {
  const sn_model *model;
  size_t foot_count, points_max;
  sn__limb *limbs;
  sn__foot *feet;
  sn_vec3 *turn;                /**< of each foot relative to the base, in its axes, rad/s */
  bool *is_flat;                /**< its contact leaves no freedom */
  sn_vec3 *points, *velocities; /**< [foot_count][points_max] */
} sn__limb_feet;

/** @param foot_max      the most feet; further ones are not used
 *  @param with_virtual  poses of limbs are those of their virtual links, if they have one
 *  @return SN_OK or SN_ENOMEM.  RT: no. */
sn_status sn__limb_feet_create(sn_arena *arena, const sn_model *model, size_t foot_max,
                               bool with_virtual, sn__limb_feet *out, sn_error *err);

/** The feet at the pose of the last sn_kin_update_velocity(). RT: yes. */
void sn__limb_feet_from_joints(sn__limb_feet *feet, const sn_kin_data *kin) SN_RT;

/** A foot at the pose of its limb's end in the base.
 *  @param twist  of the end, in the base; NULL: unknown
 *  RT: yes. */
void sn__limb_feet_from_limb(sn__limb_feet *feet, size_t foot, sn_pose pose_base_tip,
                             const sn_spatial *twist) SN_RT;

/** The contact of a foot by name; an unknown or empty one means that of the model.
 *  @return false: unknown.  RT: yes. */
bool sn__limb_feet_set_contact(sn__limb_feet *feet, size_t foot, const char *name) SN_RT;

#endif
