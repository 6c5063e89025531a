/** @file
 *  Internal: the state of a checker. solids.c and world.c make the shapes, pairs.c the pairs,
 *  collision.c checks them. */
#ifndef SN_COLLISION_COLLISION_INTERNAL_H
#define SN_COLLISION_COLLISION_INTERNAL_H

#include <stdint.h>

#include "collision/collision.h"
#include "collision/convex.h"
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
  bool is_unbounded;   /**< a plane */
  size_t first, count; /**< solids */
  sn_vec3 center_body; /**< of a sphere around it */
  double bound;        /**< its radius, m */
  sn_pose pose;        /**< at the last check */
  sn_vec3 center;      /**< in the base, likewise */
  double travel;       /**< no point of it has moved farther since the creation, m */
} sn__part;

typedef struct sn__solid_pair {
  uint16_t a, b;
  sn_vec3 direction; /**< of the last gap: saves steps */
} sn__solid_pair;

typedef struct sn__part_pair {
  uint16_t a, b;
  uint32_t first, count; /**< solid pairs */
  double clear; /**< minus what the two have travelled: a lower bound of their distance, m */
} sn__part_pair;

struct sn__collision {
  const sn_model *model;
  const sn_tree *tree;
  sn_kin_data *kin;
  uint64_t stamp; /**< of the present pose */
  size_t solid_count, part_count, pair_count, object_count;
  sn__solid *solids;
  sn__part *parts;
  sn__part_pair *pairs;
  sn__solid_pair *solid_pairs;
  const char **object_names;
  sn__near *near;
  size_t nearest_pair; /**< of the last sn__collision_nearest(): a good first guess */
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

/** world.c: append the objects of the world. */
sn_status sn__solids_of_world(sn__collision_build *build);

/** srdf.c: the pairs of links that are not checked, as a matrix [link][link].
 *  @param is_off  link_count * link_count entries */
sn_status sn__srdf_read(sn__collision_build *build, bool *is_off);

/** pairs.c: parts and pairs from the solids. */
sn_status sn__pairs_create(sn__collision_build *build);

/** collision.c: kinematics of a pose, and how far the parts have moved. */
void sn__collision_move(sn__collision *collision, const double *q) SN_RT;

/** collision.c: the gap of two parts at the present pose.
 *  @param window     beyond it a lower bound suffices
 *  @param tolerance  how much too small the distance may be, m
 *  @param out     set if the distance is within the window
 *  @return the distance, or a lower bound that is above the window, m */
double sn__collision_gap(sn__collision *collision, size_t index, double window, double tolerance,
                         sn__near *out) SN_RT;

#endif
