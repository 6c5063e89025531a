/** @file
 *  Internal: what an SRDF says about a robot, with names resolved. */
#ifndef SN_MODEL_SRDF_SEMANTICS_H
#define SN_MODEL_SRDF_SEMANTICS_H

#include "files/xml.h"
#include "sinew/model.h"

SN_BEGIN_DECLS

/** A `<group>`: joints by pose index, ascending. */
typedef struct sn__semantic_group {
  const char *name;
  size_t joint_count;
  const int *joints;
  int chain; /**< the limb that it became, or -1: a set of joints */
} sn__semantic_group;

/** A `<group_state>`: positions within the joints' limits. */
typedef struct sn__semantic_state {
  const char *name;
  const char *group; /**< empty: of the whole robot */
  size_t count;
  const int *joints;       /**< [count] of the sorted pose */
  const double *positions; /**< [count] rad or m */
} sn__semantic_state;

/** An `<end_effector>`. */
typedef struct sn__semantic_effector {
  const char *name, *group;
  int parent_link; /**< that carries it, or -1 */
} sn__semantic_effector;

/** Two links that need not be checked for contact, or must be. */
typedef struct sn__semantic_pair {
  int a, b; /**< links; b is -1: all others */
  bool is_checked;
} sn__semantic_pair;

/** A `<virtual_joint>`: how the root is attached to the world. */
typedef struct sn__semantic_virtual {
  const char *name, *type, *parent_frame;
} sn__semantic_virtual;

/** All of it; lives in the arena of the model. */
typedef struct sn__semantics {
  size_t group_count, state_count, effector_count, pair_count, virtual_count, passive_count;
  const sn__semantic_group *groups;
  const sn__semantic_state *states;
  const sn__semantic_effector *effectors;
  const sn__semantic_pair *pairs; /**< later ones override earlier ones */
  const sn__semantic_virtual *virtuals;
  const int *passive;    /**< pose indices of joints without a drive */
  const char *text;      /**< the SRDF, with a NUL behind it */
  size_t text_size;      /**< its bytes */
  const char *text_file; /**< its name in messages */
} sn__semantics;

/** Those of a model; all zero if it has none. RT: yes.  Threads: any. */
SN_API const sn__semantics *sn__model_semantics(const sn_model *model) SN_RT;

/** The pairs of an SRDF; unknown links are warned of.
 *  @param report  NULL: no warnings
 *  @return false: no memory */
bool sn__semantics_pairs(sn_arena *arena, const sn__xml_node *srdf, const sn_model *model,
                         sn_report *report, const sn__semantic_pair **pairs, size_t *count);

SN_END_DECLS

#endif
