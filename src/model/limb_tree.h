/** @file
 *  Internal: divides a robot without declared chains into limbs: arms and legs that end where a
 * gripper begins, trunks that end where they branch.
 *
 *  Links are in tree order (depth first), so the links below link i are i + 1 .. end[i] - 1. A
 * rigid part is the links that fixed joints hold together; its first link, the leader, identifies
 * it.
 */
#ifndef SN_MODEL_LIMB_TREE_H
#define SN_MODEL_LIMB_TREE_H

#include "model/model_data.h"

typedef struct sn__limb {
  int first;  /**< link that its chain begins at */
  int begin;  /**< leader of the part behind its first joint */
  int last;   /**< leader of its last part */
  int parent; /**< limb that it hangs on, or -1 */
  bool is_gripper;
  bool is_leg;         /**< set by sn__limb_names(): by name or structure */
  bool has_more;       /**< other limbs than a gripper hang on its last part */
  size_t joint_count;  /**< driven joints */
  size_t finger_count; /**< of a gripper: driven branches */
} sn__limb;

/** All arrays have an entry for each link. Those of parts are set for leaders only. */
typedef struct sn__limb_tree {
  const sn__build *build;
  size_t count;
  int *parent; /**< link above, -1 for the root */
  int *leader;
  int *end;
  int *depth;        /**< links above it */
  int *child, *next; /**< parts: first part behind a driven joint, the next one of the same part;
                          -1 for none */
  int *joints_deep;  /**< parts: the most joints in a row from the one above it to a tip */
  int *joints_all;   /**< parts: the joint above it and all beyond */
  double *way_m;     /**< length of the way from the root */
  double *reach_m;   /**< parts: the longest way from its leader to a link beyond */
  sn_pose *pose;     /**< in the root's frame, joints at zero */
  bool *is_sensor;   /**< a sensor by its name, or carries nothing but sensors */
  int *master;       /**< link below the joint that the one above it mimics in the end */
  bool *follows;     /**< parts: the joint above it and all beyond mimic others */
  bool *is_finger;   /**< parts: the joint above it belongs to a gripper */
  int *owner;        /**< parts: limb of the joint above it, or -1 */
  sn__limb *limbs;   /**< [SN_CHAINS_MAX] in tree order */
  size_t limb_count;
} sn__limb_tree;

/** The joint above a link other than the root. */
const sn__urdf_joint *sn__limb_joint(const sn__limb_tree *tree, int link);

/** Fill the tree, all but its limbs. @return false: no memory */
bool sn__limb_tree_survey(sn__build *build, const int *tree_index, sn__limb_tree *tree);

/** Set is_finger for the branches of a part that are fingers of one gripper.
 *  @param joint_count  joints of the limb that ends there
 *  @param length_m     of that limb
 *  @return the number of such branches, without those that only mimic others */
size_t sn__limb_find_fingers(const sn__limb_tree *tree, int part, size_t joint_count,
                             double length_m);

/** The link that is the tip of a limb. */
int sn__limb_tip(const sn__limb_tree *tree, const sn__limb *limb);

/** Unique names for all limbs, in the arena of the model. @return false: no memory */
bool sn__limb_names(const sn__limb_tree *tree, const char **names);

/** Derive the chains of a robot, and which of them owns which joint. @return false: no memory */
bool sn__limb_derive(sn__build *build, const int *tree_index, sn__layout *layout);

#endif
