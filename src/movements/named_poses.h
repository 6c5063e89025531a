/** @file
 *  Internal: poses with names: those of a property, of an SRDF file, and of the robot itself. */
#ifndef SN_MOVEMENTS_NAMED_POSES_H
#define SN_MOVEMENTS_NAMED_POSES_H

#include "movements/movement.h"
#include "sinew/value.h"

typedef struct sn__named_pose {
  const char *name;
  size_t count;
  int *joints;       /**< [count] of the sorted pose */
  double *positions; /**< [count] rad or m */
} sn__named_pose;

/** Zero-initialise. */
typedef struct sn__named_poses {
  size_t count;
  sn__named_pose *list;
} sn__named_poses;

/** Read poses: a bag of bags, `{home: {shoulder: 0.5, elbow: -1}}`, and the group states of a file.
 *  A name of the bag hides that of the file, which hides that of the model's own SRDF; states of
 *  several groups with one name are one pose.
 *  @param tree  NULL: none
 *  @param srdf  a path; NULL or empty: none
 *  @param out   in @p arena, untouched on failure
 *  @return SN_OK; SN_EINVAL or SN_ENOENT: see @p err; what sn__srdf_load() returns; SN_ENOMEM */
sn_status sn__named_poses_read(sn_arena *arena, const sn_model *model, const sn_value *tree,
                               const char *srdf, sn__named_poses *out, sn_error *err);

/** @return the pose of this name, or NULL */
const sn__named_pose *sn__named_pose_find(const sn__named_poses *poses, const char *name);

/** The pose as a movement, in @p arena. @return SN_OK or SN_ENOMEM */
sn_status sn__named_pose_movement(const sn__named_pose *pose, const sn_model *model,
                                  sn_arena *arena, sn__movement *out, sn_error *err);

#endif
