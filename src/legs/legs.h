/** @file
 *  Internal: the legs of a robot, their feet, and a pose in which it stands on them.
 *
 *  A robot has legs if at least two of its chains have a default contact, and a pose is found in
 *  which all these contacts are on one level plane below the base, with the centre of mass above
 *  the polygon between them. `docs/legs.md` has the whole rule. */
#ifndef SN_LEGS_LEGS_H
#define SN_LEGS_LEGS_H

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

enum { SN__LEGS_MAX = 16 };

/** A leg. */
typedef struct sn__leg {
  size_t chain;  /**< of the model */
  int contact;   /**< of the model: its foot */
  bool is_point; /**< the foot touches in a point; otherwise it has a sole, or an edge */
  sn_vec3 foot;  /**< the chain's end in the base, in the stance, m */
} sn__leg;

/** All legs, in the order of the chains. */
typedef struct sn__legs {
  size_t count;
  sn__leg leg[SN__LEGS_MAX];
  const double *stance; /**< [pose_size] sorted pose in which the robot stands: base level, all feet
                             on one plane */
  double height_m;      /**< of the base's origin above the ground in that pose */
  double margin_m;      /**< of the centre of mass to the edge of the support polygon */
} sn__legs;

/** Find the legs and a stance. The same robot gives the same stance.
 *  @param arena  receives the stance; otherwise as before
 *  @param start  sorted pose in which the robot stands; NULL: find one
 *  @param out    set on success
 *  @param err    receives the reason on failure; may be NULL
 *  @return SN_OK; SN_ENOENT: the robot has no legs, or cannot stand on them; SN_EINVAL: it does not
 *          stand in @p start; SN_ENOMEM
 *  RT: no, some milliseconds.  Threads: one owner of the arena. */
SN_API sn_status sn__legs_find(sn_arena *arena, const sn_model *model, const double *start,
                               sn__legs *out, sn_error *err);

/** The same within tighter limits, such as those of inverse kinematics.
 *  @param lower, upper  [pose_size], rad or m; NULL: those of the robot */
SN_API sn_status sn__legs_find_within(sn_arena *arena, const sn_model *model, const double *lower,
                                      const double *upper, sn__legs *out, sn_error *err);

SN_END_DECLS

#endif
