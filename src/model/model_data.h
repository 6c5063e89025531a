/** @file
 *  Internal: the contents of an sn_model and the steps that build it. */
#ifndef SN_MODEL_MODEL_DATA_H
#define SN_MODEL_MODEL_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "files/file.h"
#include "model/srdf/semantics.h"
#include "model/urdf/urdf.h"
#include "sinew/model.h"

typedef struct sn__chain_property {
  const char *key;
  const char *value;
} sn__chain_property;

typedef struct sn__chain_data {
  sn_chain physical;  /**< to last_link */
  sn_chain full;      /**< to last_link_virtual if there is one, else the same */
  size_t joint_count; /**< of `full`, plus the others it owns */
  const int *joints;  /**< pose indices: base to tip, then the others, ascending */
  int default_contact;
  size_t property_count;
  const sn__chain_property *properties; /**< scalars, in the order stated */
} sn__chain_data;

struct sn_model {
  const char *name;
  const char *description;
  size_t description_size;

  size_t link_count;
  const sn_link *links; /**< tree order */
  const sn_names *link_names;

  size_t joint_count;
  size_t pose_size;
  size_t dof;
  const sn_joint *joints; /**< sorted pose first, then the fixed ones */
  const sn_names *joint_names;

  const sn_names *chain_names;
  const sn__chain_data *chains;
  const sn_names *contact_names;
  const sn_contact *contacts;
  const sn_names *group_names;
  const sn_group *groups;

  sn__semantics semantics; /**< all zero without an SRDF */
  const bool *is_virtual;  /**< [link_count] beyond a last_link: may be without mass */
  sn_tree tree;
};

/** A description to parse. */
typedef struct sn__model_text {
  const char *text;
  size_t size;
  const sn__xml_node *tree; /**< the text as a tree with places in other files; NULL: parse it */
  /** Reads what an MJCF text includes; NULL: it includes nothing. */
  sn_status (*read)(void *context, const char *path, sn__file *file, sn_error *why);
  void *read_context;
} sn__model_text;

/** As sn_model_parse(). */
sn_status sn__model_parse(sn_arena *arena, const sn__model_text *source,
                          const sn_model_config *config, sn_report *report, const sn_model **out,
                          sn_error *err);

/** A chain as declared or derived, before joints are ordered. */
typedef struct sn__chain_plan {
  const char *name;
  sn_place place;
  int first_link, last_link; /**< tree indices */
  int last_link_virtual;     /**< or -1 */
  const sn_value *value;     /**< NULL if derived */
  bool is_leg;               /**< derived, and by name or structure a leg that ends in a foot */
} sn__chain_plan;

/** What the property file says, resolved against the links. */
typedef struct sn__layout {
  size_t chain_count;
  const sn__chain_plan *chains;
  const sn_value *declared; /**< the bag they come from, or NULL */
  const int *owner; /**< [joints of the file] chain that owns a joint outside its own run, or -1;
                       NULL: none */
  const sn_value *contacts; /**< bag, or NULL */
  const int *feet;          /**< [chain_count] contact made for a leg, or -1; NULL: none made */
  const sn_value *groups;   /**< bag, or NULL */
  const sn_value *limits;   /**< bag of smaller limits of joints, or NULL */
} sn__layout;

/** The build: scratch memory, the model's arena, the report. */
typedef struct sn__build {
  sn_arena *scratch;
  sn_arena *arena;
  sn_report *report;
  const sn__urdf_robot *robot;
  sn_model *model;
  sn_link *links;             /**< the model's, still writable */
  sn_joint *joints;           /**< likewise */
  const int *urdf_joint;      /**< [link_count] joint of the file above a link, -1 for the root */
  const sn_place *link_place; /**< [link_count] */
  const sn__xml_node *srdf;   /**< the root element of the SRDF, or NULL */
  struct sn__srdf *groups;    /**< what it says about joints (srdf_groups.h), or NULL */
} sn__build;

/** Steps, in this order. Each returns false only if memory runs out; problems are reported. */
bool sn__layout_read(sn__build *build, const sn_value *properties, sn__layout *layout);
bool sn__order_joints(sn__build *build, const sn__layout *layout);
/** Apply the limits of the property file to the joints; problems are reported. */
void sn__joint_limits_read(sn__build *build, const sn__layout *layout);
bool sn__compile_bodies(sn__build *build, const sn__layout *layout);
bool sn__contacts_read(sn__build *build, sn__layout *layout);
bool sn__compile_chains(sn__build *build, const sn__layout *layout);
bool sn__groups_read(sn__build *build, const sn__layout *layout);
bool sn__semantics_read(sn__build *build);

/** The points of the foot of a chain, in the frame of its last link (feet.c).
 *  @param has_sole  the foot may be flat; otherwise it is a point
 *  @param points    out: room for SN__FOOT_POINTS_MAX
 *  @return how many, at least 1 */
enum { SN__FOOT_POINTS_MAX = 4 };
size_t sn__foot_points(const sn_model *model, int first_link, int last_link, bool has_sole,
                       sn_vec3 *points);

/** What a set of points that stay fixed constrains. */
sn_contact_kind sn__contact_kind(const sn_vec3 *points, size_t count);

/** The link above a link, -1 for the root. */
int sn__link_parent(const sn_model *model, int link);

/** Extract the run from link @p first to link @p last (below it or the same) from the model.
 *  @param scratch  restored before the function returns
 *  @return false if memory runs out */
bool sn__chain_compile(sn_arena *arena, sn_arena *scratch, const sn_model *model, int first,
                       int last, sn_chain *chain);

/** The body that a link became part of, and its pose there. */
typedef struct sn__placed_link {
  int body;
  sn_pose pose_body_link;
} sn__placed_link;

/** The part of the robot that becomes a tree. */
typedef struct sn__tree_plan {
  size_t link_count;
  const int *links;  /**< the first is the base; parents come before their children */
  const int *parent; /**< position in links of each link's parent; NULL means the one before it */
  size_t coord_count;
  const int *coord; /**< [pose_size] entry of the tree's vector that belongs to each joint, -1 if it
                         has none; NULL means that they are the same */
} sn__tree_plan;

/** Compile a part of the robot.
 *  @param placed  room for link_count entries
 *  @return false if memory runs out */
bool sn__tree_compile(sn_arena *arena, const sn_model *model, const sn__tree_plan *plan,
                      sn__placed_link *placed, sn_tree *tree);

#endif
