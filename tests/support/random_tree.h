/** @file
 *  Random compiled robots for tests of kinematics and dynamics, without a URDF. */
#ifndef SN_RANDOM_TREE_H
#define SN_RANDOM_TREE_H

#include "sinew/arena.h"
#include "sinew/dyn.h"
#include "sinew/model.h"
#include "sinew/random.h"

/** Zero-initialise, then set what differs. */
typedef struct sn_test_tree_config {
  size_t body_count;
  bool serial;            /**< every body is a child of the previous one */
  double prismatic_share; /**< probability that a joint slides */
  double mimic_share;     /**< probability that a joint shares the entry of an earlier one */
  size_t idle_count;      /**< entries of the joint vector that move nothing */
  bool shuffle;           /**< entries in another order than bodies */
} sn_test_tree_config;

/** A tree with realistic lengths (some 0.3 m) and masses (some kg). Fails the test if the arena is
 *  full. */
sn_tree *sn_test_random_tree(sn_arena *arena, sn_random *random, const sn_test_tree_config *config);

/** Random size, shape and mix of joints. */
sn_tree *sn_test_any_tree(sn_arena *arena, sn_random *random, size_t body_count_max);

/** A chain around a serial tree, with a random tip. */
sn_chain *sn_test_random_chain(sn_arena *arena, sn_random *random,
                               const sn_test_tree_config *config);

sn_pose sn_test_random_pose(sn_random *random, double reach_m);
sn_vec3 sn_test_random_vec3(sn_random *random, double size);
sn_spatial sn_test_random_spatial(sn_random *random, double size);
sn_inertia sn_test_random_inertia(sn_random *random, double mass_kg);
void sn_test_random_vector(sn_random *random, size_t n, double size, double *x);

/** Gravity, a moving base and a force on every body. The world points to @p base and @p forces. */
sn_dyn_world sn_test_random_world(sn_random *random, const sn_tree *tree, sn_base_state *base,
                                  sn_spatial *forces);

/** Pose of body @p i in the base computed with libm, joint by joint. */
sn_pose sn_test_body_pose(const sn_tree *tree, int i, const double *q);

#endif
