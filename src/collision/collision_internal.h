/** @file
 *  Internal: the state of a checker. solids.c makes the shapes, pairs.c the pairs, objects.c keeps
 *  the objects of the world, switch.c switches pairs off and on, collision.c and path.c check them.
 */
#ifndef SN_COLLISION_COLLISION_INTERNAL_H
#define SN_COLLISION_COLLISION_INTERNAL_H

#include <stdint.h>

#include "collision/collision.h"
#include "collision/convex.h"
#include "collision/gjk.h"
#include "collision/objects.h"
#include "collision/path.h"
#include "sinew/kin.h"

/** A convex shape fixed to a body. */
typedef struct sn__solid {
  sn__convex convex;
  sn_pose pose_body_solid;
  sn__capsule capsule_body; /**< around it, in the frame of the body; not of a plane */
  int body;                 /**< of the tree; -1: the base */
  int link;                 /**< of the model; -1 - i for object i of the world */
  /* of the present pose, if the stamp is that of the checker */
  uint64_t stamp;
  sn_pose pose;
  sn__capsule capsule;
} sn__solid;

/** Solids that move as one. */
typedef struct sn__part {
  int body;
  bool is_world;
  bool is_unbounded;             /**< a plane */
  bool is_foot;                  /**< it may touch the object `ground` */
  size_t first, count;           /**< solids */
  sn_vec3 center_body;           /**< of a sphere around it */
  double bound;                  /**< its radius, m */
  sn_pose pose;                  /**< at the last check */
  sn_vec3 center;                /**< in the base, likewise */
  double travel;                 /**< no point of it has moved farther since the creation, m */
  size_t path_first, path_count; /**< joints between it and the base */
} sn__part;

typedef struct sn__solid_pair {
  uint16_t a, b;
  sn_vec3 direction; /**< of the last gap: saves steps */
} sn__solid_pair;

typedef struct sn__part_pair {
  uint16_t a, b;
  int32_t common;        /**< the last body that carries both; -1: the base */
  uint32_t first, count; /**< solid pairs that are checked; none: the pair is switched off */
  uint32_t listed;       /**< with those behind them that are switched off */
  double clear; /**< minus what the two have travelled: a lower bound of their distance, m */
} sn__part_pair;

/** The objects of the world. They follow the solids, parts and pairs of the robot: one solid, one
 *  part, and a block of pairs with the moving parts of the robot each. */
typedef struct sn__objects {
  size_t count, capacity;
  size_t first_solid, first_part, first_pair, first_solid_pair;
  size_t pairs_each, solid_pairs_each; /**< sizes of a block */
  sn__object *list;
  sn_vec3 *points; /**< SN__OBJECT_POINTS_MAX for each */
  const sn__collision_off *off;
  size_t off_count;
} sn__objects;

struct sn__collision {
  const sn_model *model;
  const sn_tree *tree;
  sn_kin_data *kin;
  uint64_t stamp;          /**< of the present pose */
  bool is_floating;        /**< the root link moves in the world */
  sn_pose pose_root_world; /**< the world, to which objects are fixed */
  size_t solid_count, part_count, pair_count;
  sn__solid *solids;
  sn__part *parts;
  sn__part_pair *pairs;
  sn__solid_pair *solid_pairs;
  sn__near *near;
  sn__objects objects;
  sn__path_joint *path; /**< of all parts, each from the part to the base */
  double *lever_max;    /**< [body] the largest lever of its joint */
  double *reach;        /**< [body] of the last sn__collision_check_reach() */
  size_t nearest_pair;  /**< of the last sn__collision_nearest(): a good first guess */
  sn__collision_facts facts;
};

/** One run of the creation. */
typedef struct sn__collision_build {
  sn_arena *arena;   /**< of the checker */
  sn_arena *scratch; /**< dies with the creation */
  const sn_model *model;
  const sn__collision_config *config;
  sn_report *report; /**< may be NULL */
  sn_error *err;
  sn__collision *collision;
  sn__solid *solids; /**< on the heap */
  size_t solid_count, solid_capacity;
} sn__collision_build;

/** solids.c: append the solids of all links, body by body. */
sn_status sn__solids_of_links(sn__collision_build *build);

/** solids.c: append one. @return SN_OK, SN_ELIMIT or SN_ENOMEM */
sn_status sn__solids_add(sn__collision_build *build, const sn__solid *solid);

/** solids.c: the hull of the mesh in a file, with its corners scaled.
 *  @return SN_OK, or the status of sn__mesh_load() and sn__hull_create() with the reason in @p err
 */
sn_status sn__solids_hull(sn__collision_build *build, const char *path, sn_vec3 scale,
                          sn__convex *out, sn_error *err);

/** solids.c: the capsule around a solid. */
void sn__solid_bound(sn__solid *solid);

/** world.c: how much room the objects of the world need. */
sn_status sn__world_count(sn__collision_build *build);

/** world.c: add the objects of the world. */
sn_status sn__world_read(sn__collision_build *build);

/** objects.c: room for them, after the pairs of the robot. */
sn_status sn__objects_create(sn__collision_build *build);

/** pairs.c: a sphere around the solids of a part. */
void sn__part_bound(const sn__solid *solids, sn__part *part);

/** path.c: the joints between each part of the robot and the base. */
sn_status sn__paths_create(sn__collision_build *build);

/** srdf.c: the pairs of links that are not checked, as a matrix [link][link]: of the SRDF file, and
 *  of `off`.
 *  @param is_off  link_count * link_count entries
 *  @return SN_OK; SN_EINVAL; SN_ENOENT: `off` names an unknown link */
sn_status sn__srdf_read(sn__collision_build *build, bool *is_off);

/** pairs.c: parts and pairs from the solids. */
sn_status sn__pairs_create(sn__collision_build *build);

/** Tolerance of a distance that is a result, m. */
#define SN__FINE_M 1e-9

static inline bool sn__solid_is_plane(const sn__solid *solid) {
  return solid->convex.kind == SN__CONVEX_PLANE;
}

/** collision.c: whether a pair is nearer than the window at the present pose; it is not looked at
 * if it was too far away at an earlier one.
 *  @param least  nearer than this only an upper bound of the distance is found, and no points
 *  @param out  set if it is; else its contents are undefined */
bool sn__collision_look(sn__collision *collision, size_t index, double window, double least,
                        sn__near *out) SN_RT;

/** collision.c: kinematics of a pose, and how far the parts have moved. */
void sn__collision_move(sn__collision *collision, const double *q) SN_RT;

/** collision.c: the gap of two parts at the present pose.
 *  @param out     set if the distance is within the window; its points unless it is a bound
 *  @return the distance, or a lower bound that is above the window, m */
double sn__collision_gap(sn__collision *collision, size_t index, const sn__gap_range *range,
                         sn__near *out) SN_RT;

#endif
