/** @file
 *  Internal: distances between the links of a robot, and to the world around it.
 *
 *  The shapes of a link are those of `<collision>`, or of `<visual>` if it has none. Boxes,
 *  spheres, cylinders and capsules are exact; a mesh is its convex hull, which may be too large by
 *  its radius (hull.h) but never too small. Links that no joint moves against each other are one
 *  *part*, and pairs of parts are checked, except for
 *
 *  - neighbours: parts that one joint connects, perhaps through parts without shapes;
 *  - pairs that touch in every one of many random poses; with a warning if one is an object;
 *  - pairs of links that an SRDF file disables (`<disable_collisions>`).
 *
 *  Pairs that did not meet in any random pose stay active: they cost nearly nothing. A pair that is
 *  farther apart than the window is not looked at again before its parts have moved that far.
 *
 *  The world is a list of objects, fixed to the root link unless objects.h says where that is. */
#ifndef SN_COLLISION_COLLISION_H
#define SN_COLLISION_COLLISION_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/report.h"
#include "sinew/status.h"
#include "sinew/value.h"

/** Opaque. Lives in the arena it was created from. */
typedef struct sn__collision sn__collision;

#define SN__COLLISION_SOLIDS_MAX 4096   /**< shapes of a robot and of the world */
#define SN__COLLISION_PLACE "collision" /**< of warnings about pairs that overlap */
#define SN__COLLISION_OBJECTS_MAX 256   /**< objects of the world */
#define SN__COLLISION_TOUCH_M 1e-4 /**< nearer in the zero pose: such shapes are meant to touch */

/** Two links, or a link and an object of the world, that are not checked. */
typedef struct sn__collision_off {
  const char *link_a, *link_b;
} sn__collision_off;

/** Zero-initialise, then set the fields that differ from their default. */
typedef struct sn__collision_config {
  const char *robot_file;   /**< path of the URDF, to find meshes; NULL: meshes are ignored */
  const char *package_path; /**< as in sn_model_config */
  size_t sample_count;      /**< random poses that find pairs that always touch; 0: 300 */
  const char *srdf;         /**< text of an SRDF file; NULL: that of srdf_file */
  size_t srdf_size;         /**< its bytes */
  const char *srdf_file;    /**< its name for messages, or its path; NULL: none */
  const sn_value *world;    /**< a bag with the list `world`, see docs/collision.md; NULL: none */
  size_t object_capacity;   /**< objects of the world, at most SN__COLLISION_OBJECTS_MAX; fewer than
                                 `world` lists: as many as that */
  const sn__collision_off *off; /**< must outlive the checker */
  size_t off_count;
  bool root_floats; /**< sn__collision_set_base() will say where the root link is: nothing is known
                         yet of how near objects are */
  bool leaves_out_overlaps; /**< pairs that are nearer than SN__COLLISION_TOUCH_M in the zero pose
                                 are not checked, with a warning */
} sn__collision_config;

/** Two parts near each other, in the frame of the root link. */
typedef struct sn__near {
  size_t pair;        /**< which pair of parts */
  int link_a, link_b; /**< links of the model; -1 - i for object i of the world */
  double distance;    /**< m; negative: how deep they overlap */
  sn_vec3 point_a, point_b;
  sn_vec3 normal; /**< unit vector from a to b */
} sn__near;

/** What is checked, for reports. */
typedef struct sn__collision_facts {
  size_t solid_count;     /**< convex shapes */
  size_t part_count;      /**< groups of shapes that move as one, objects of the world among them */
  size_t pair_count;      /**< active pairs of parts */
  size_t neighbour_count; /**< pairs that are not checked: neighbours */
  size_t always_count;    /**< likewise: they always touch */
  size_t disabled_count;  /**< likewise: by SRDF or `off` */
  size_t overlap_count;   /**< likewise: in contact in the zero pose */
  size_t never_count;     /**< active, but they met in no random pose */
  size_t mesh_missing_count; /**< meshes that could not be read: those shapes are not checked */
  double hull_radius_max_m;  /**< how much too large a hull may be, at most */
} sn__collision_facts;

/** Create a checker.
 *  @param model   must outlive it
 *  @param report  receives warnings: meshes that cannot be read, unknown links; may be NULL
 *  @param out     set on success, untouched on failure
 *  @return SN_OK; SN_ENOENT: the robot has no shapes; SN_EINVAL: a world object or SRDF file is
 *          invalid; SN_EIO: the SRDF file cannot be read; SN_ELIMIT; SN_ENOMEM
 *  RT: no, allocates, reads files.  Threads: one owner of arena and report. */
SN_API sn_status sn__collision_create(sn_arena *arena, const sn_model *model,
                                      const sn__collision_config *config, sn_report *report,
                                      sn__collision **out, sn_error *err);

/** All active pairs that are nearer than the window, with distances that are at most 1e-5 m too
 *  small.
 *  @param q       a sorted pose, finite
 *  @param window  m; may change from call to call
 *  @param list    out: they, in the order of the pairs; valid until the next call
 *  @return how many
 *  RT: yes, O(pairs) with a small constant, plus the near ones.  Threads: owner. */
SN_API size_t sn__collision_check(sn__collision *collision, const double *q, double window,
                                  const sn__near **list) SN_RT;

/** The nearest pair of all, or the deepest one; the distance within 1e-9 m unless they overlap.
 *  @return false if no pair is active
 *  RT: yes, O(pairs).  Threads: owner. */
SN_API bool sn__collision_nearest(sn__collision *collision, const double *q, sn__near *out) SN_RT;

/** One pair, as precisely. @return false if it is switched off. RT: yes.  Threads: owner. */
SN_API bool sn__collision_of_pair(sn__collision *collision, size_t pair, const double *q,
                                  sn__near *out) SN_RT;

/** Which active pairs some coordinates move against each other (clearance.c).
 *  @param is_driven  [coordinates of the sorted pose]
 *  @param is_moved   out: [sn__collision_pair_count()]
 *  RT: yes, O(pairs · depth of the tree).  Threads: any. */
SN_API void sn__collision_pairs_moved(const sn__collision *collision, const bool *is_driven,
                                      bool *is_moved) SN_RT;

/** Are the pairs @p is_checked all farther apart than the margin? The answer is that of distances
 *  within 1e-9 m, but it ends with the first pair that is not (clearance.c).
 *  @param q           a sorted pose, finite
 *  @param is_checked  [sn__collision_pair_count()]
 *  @param margin      m; 0: they must not touch
 *  RT: yes, O(pairs).  Threads: owner. */
SN_API bool sn__collision_is_free(sn__collision *collision, const double *q, const bool *is_checked,
                                  double margin) SN_RT;

/** Switch the check of two links, or of a link and an object of the world, off or on (switch.c).
 *  @return SN_OK, also if it is so already; SN_ENOENT: a name is unknown, or the two are never
 *          checked: neighbours, links that always touch, pairs that the SRDF file or `off` disables
 *  RT: yes, O(solid pairs).  Threads: owner. */
SN_API sn_status sn__collision_switch(sn__collision *collision, const sn__collision_off *pair,
                                      bool is_on, sn_error *err) SN_RT;

/** How many pairs of parts are checked, and how many pairs of shapes are switched off.
 *  RT: yes, O(pairs).  Threads: owner. */
SN_API size_t sn__collision_count_active(const sn__collision *collision, size_t *off) SN_RT;

/** The name of a link or of an object of the world. RT: yes.  Threads: any. */
SN_API const char *sn__collision_name(const sn__collision *collision, int link) SN_RT;

SN_API const sn__collision_facts *sn__collision_facts_of(const sn__collision *collision) SN_RT;

#endif
