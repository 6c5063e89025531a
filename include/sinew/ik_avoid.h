/** @file
 *  Inverse kinematics that avoids collisions: of the solutions of an sn_ik (ik.h) only those are
 *  returned in which the robot touches neither itself nor the world around it (docs/collision.md).
 *
 *      sn_ik_options options = {0};
 *      sn_ik_avoid_use(avoid, q_robot, &options);
 *      code = sn_ik_search(ik, &pose, 1, seed, count, timeout_s, &options, solution, NULL);
 *
 *  SN_IK_REFUSED means that the target can be reached, but every solution found collides.
 *
 *  Checked are the pairs of links that joints of the group move against each other. What happens
 *  elsewhere on the robot does not refuse a solution. */
#ifndef SINEW_IK_AVOID_H
#define SINEW_IK_AVOID_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/ik.h"
#include "sinew/model.h"
#include "sinew/report.h"
#include "sinew/status.h"
#include "sinew/value.h"

SN_BEGIN_DECLS

/** Zero-initialise, then set the fields that differ from their default. Read once. */
typedef struct sn_ik_avoid_config {
  const char *robot_file;   /**< path of the URDF, to find meshes; NULL: meshes are ignored */
  const char *package_path; /**< as in sn_model_config */
  const char *srdf;         /**< text of an SRDF file: pairs of links to ignore; NULL: none */
  size_t srdf_size;         /**< its bytes */
  const char *srdf_file;    /**< its name for messages */
  const sn_value *world;    /**< a bag with the list `world`; NULL: nothing around the robot */
  double margin_m;          /**< solutions keep this distance, finite, >= 0 */
} sn_ik_avoid_config;

/** Opaque. Lives in the arena it was created from; there is no destroy call. */
typedef struct sn_ik_avoid sn_ik_avoid;

/** A check for the solutions of @p ik.
 *  @param model   of @p ik; must outlive the check
 *  @param report  receives warnings: meshes that cannot be read, unknown links; may be NULL
 *  @param out     set on success, untouched on failure
 *  @param err     receives the reason on failure; may be NULL
 *  @return SN_OK; SN_ENOENT: the robot has no shapes; SN_EINVAL: a world object, the SRDF file or
 *          the margin is invalid; SN_ELIMIT; SN_ENOMEM
 *  RT: no, allocates, reads files of meshes.  Threads: one owner of arena and report. */
SN_API sn_status sn_ik_avoid_create(sn_arena *arena, const sn_model *model, const sn_ik *ik,
                                    const sn_ik_avoid_config *config, sn_report *report,
                                    sn_ik_avoid **out, sn_error *err);

/** Set the callback of the options to this check.
 *  @param q  sorted pose of the robot, finite, for the joints outside the group; copied. NULL: they
 *            are at zero, or at the limit nearest to it
 *  RT: yes.  Threads: the owner of the sn_ik. */
SN_API void sn_ik_avoid_use(sn_ik_avoid *avoid, const double *q, sn_ik_options *options) SN_RT;

SN_END_DECLS

#endif
