/** @file
 *  Internal: the groups of an SRDF while a model is built, as sets of joints of the file. */
#ifndef SN_MODEL_SRDF_SRDF_GROUPS_H
#define SN_MODEL_SRDF_SRDF_GROUPS_H

#include "model/model_data.h"

enum { SN__SRDF_GROUPS_MAX = 256 };

typedef struct sn__srdf_group {
  const char *name;
  const sn__xml_node *node;
  bool *has;                    /**< [joints of the file] */
  size_t driven_count;          /**< movable joints that are neither passive nor mimic joints */
  int base, tip;                /**< tree indices of the links of its only `<chain>`, or -1 */
  bool has_subgroups;           /**< a union of others */
  const sn__xml_node *effector; /**< the `<end_effector>` whose joints it has, or NULL */
  int chain;                    /**< the limb that it became, or -1 */
} sn__srdf_group;

/** An SRDF while the model is built. */
typedef struct sn__srdf {
  const sn__xml_node *root;
  const sn_names *joint_names; /**< of the file, in its order */
  const int *tree_index;       /**< [links of the file] */
  bool *is_passive;            /**< [joints of the file] */
  size_t group_count;
  sn__srdf_group *groups; /**< in the order of the file */
} sn__srdf;

/** Read passive joints, groups and end effectors. Unknown names are warned of and left out.
 *  @return NULL: no memory */
sn__srdf *sn__srdf_groups_read(sn__build *build, const int *tree_index, const sn__xml_node *root);

/** @return the group of this name, or NULL */
sn__srdf_group *sn__srdf_group_find(const sn__srdf *srdf, const char *name);

/** Is the joint of the file a movable one with a drive of its own? */
bool sn__srdf_is_driven(const sn__build *build, const sn__srdf *srdf, size_t joint);

/** The link above a link, as tree indices; -1 for the root. */
int sn__srdf_link_above(const sn__build *build, const sn__srdf *srdf, int link);

/** Change derived limbs to those that the groups describe (srdf_limbs.c).
 *  @return false: no memory */
bool sn__srdf_limbs(sn__build *build, const sn__srdf *srdf, sn__layout *layout);

#endif
