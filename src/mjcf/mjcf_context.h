/** @file
 *  Internal: the state of one conversion, and what its steps share. */
#ifndef SN_MJCF_MJCF_CONTEXT_H
#define SN_MJCF_MJCF_CONTEXT_H

#include "mjcf/mjcf.h"
#include "sinew/pose.h"
#include "sinew/spatial.h"

enum { SN__MJCF_CLASSES_MAX = 512, SN__MJCF_SHOWN_MAX = 64 };

/** `<compiler>`. */
typedef struct sn__mjcf_settings {
  bool is_degree;      /**< of angles */
  bool has_autolimits; /**< a range limits without `limited` */
  char euler_order[4];
  enum { SN__MJCF_NEVER, SN__MJCF_AUTO, SN__MJCF_ALWAYS } inertia_from_geom;
  double group_range[2]; /**< groups of geoms that have mass */
  const char *mesh_folder;
  bool has_strippath;
  double mass_min_kg, inertia_min; /**< of bodies that move */
} sn__mjcf_settings;

/** A class of defaults. */
typedef struct sn__mjcf_class {
  const char *name; /**< "main" for the outermost */
  int parent;       /**< or -1 */
  const sn__xml_node *node;
} sn__mjcf_class;

/** A mesh ('m') or material ('c'). */
typedef struct sn__mjcf_asset {
  char kind;
  const char *name;
  const sn__xml_node *node;
} sn__mjcf_asset;

/** A hinge or slide, or a joint of a free body. */
typedef struct sn__mjcf_joint {
  const char *name;
  const sn__xml_node *source;
  sn__xml_node *urdf; /**< its element; NULL for a free body that is the root */
  bool is_slide, is_free;
  bool is_limited;
  double lower, upper; /**< rad or m */
  double ref;
  double effort;     /**< largest force of drives; 0: none stated */
  double effort_max; /**< `actuatorfrcrange`; 0: none */
  double velocity;   /**< likewise; 0: none stated */
  bool has_drive, is_mimic;
  size_t qpos_at; /**< first entry in qpos */
} sn__mjcf_joint;

typedef struct sn__mjcf {
  sn_arena *arena;
  sn_report *report;
  const sn__mjcf_config *config;
  const sn__xml_node *root; /**< with all includes in it */
  sn__mjcf_settings settings;
  sn__mjcf_class *classes;
  size_t class_count;
  sn__mjcf_asset *assets; /**< sorted */
  size_t asset_count;
  sn__xml_node *urdf, *srdf;
  size_t link_count;
  sn__mjcf_joint *joints; /**< room for all of the file */
  size_t joint_count;
  size_t qpos_count;
  const char **names; /**< of links and joints that are taken, a table by hash that never fills */
  size_t name_capacity;
  const char *shown[SN__MJCF_SHOWN_MAX]; /**< elements that were warned of */
  size_t shown_count;
  bool is_out_of_memory;
  bool is_too_large;
} sn__mjcf;

/** An element as its attributes are read: those of its own, then those of its class. */
typedef struct sn__mjcf_element {
  const sn__xml_node *node;
  const char *tag; /**< its name in `<default>` */
  int class_index;
} sn__mjcf_element;

/* ---- mjcf_read.c ---- */

/** Parse the document and everything that it includes. */
sn_status sn__mjcf_read(sn__mjcf *m, const char *text, size_t size, const sn__xml_node **root);

/* ---- mjcf_values.c ---- */

void sn__mjcf_problem(sn__mjcf *m, sn_severity severity, const sn__xml_node *node, const char *hint,
                      const char *format, ...) SN_PRINTF(5, 6);

/** Warn of an element that is left out, once for each name. */
void sn__mjcf_unknown(sn__mjcf *m, const sn__xml_node *node, const char *inside);

/** The text of an attribute, or NULL. */
const char *sn__mjcf_text(const sn__mjcf *m, const sn__mjcf_element *e, const char *attribute);

/** Read up to @p most numbers.
 *  @return how many; 0 if there is no such attribute, or with an error reported if it is invalid or
 *          has fewer than @p least */
size_t sn__mjcf_numbers(sn__mjcf *m, const sn__mjcf_element *e, const char *attribute, size_t least,
                        size_t most, double *out);

/** One number; @p otherwise if there is none. */
double sn__mjcf_number(sn__mjcf *m, const sn__mjcf_element *e, const char *attribute,
                       double otherwise);

/** `true`, `false` or, for all else, @p otherwise. */
bool sn__mjcf_flag(const sn__mjcf *m, const sn__mjcf_element *e, const char *attribute,
                   bool otherwise);

/** An angle of the file in rad. */
double sn__mjcf_angle(const sn__mjcf *m, double angle);

/** `pos` and the one of `quat`, `axisangle`, `xyaxes`, `zaxis` and `euler` that is given. */
sn_pose sn__mjcf_pose(sn__mjcf *m, const sn__mjcf_element *e);

/** The shortest rotation from z to a vector, which need not have a length of 1. */
sn_mat3 sn__mjcf_rotation_to(sn_vec3 z);

/* ---- mjcf_default.c ---- */

/** Read `<compiler>` and `<default>`. */
void sn__mjcf_read_settings(sn__mjcf *m);
void sn__mjcf_read_defaults(sn__mjcf *m);

/** @return its index; -1 with an error reported if there is none */
int sn__mjcf_class_find(sn__mjcf *m, const sn__xml_node *node, const char *name);

/** An element of a body: its class is its own, or else @p class_index. */
sn__mjcf_element sn__mjcf_element_of(sn__mjcf *m, const sn__xml_node *node, int class_index);

/* ---- mjcf_asset.c ---- */

void sn__mjcf_read_assets(sn__mjcf *m);

/** @return NULL: there is none of this name */
const sn__xml_node *sn__mjcf_asset_find(const sn__mjcf *m, char kind, const char *name);

/* ---- mjcf_emit.c ---- */

/** Add an element; NULL: no memory. All functions below do nothing for NULL. */
sn__xml_node *sn__mjcf_add(sn__mjcf *m, sn__xml_node *parent, const char *name,
                           const sn__xml_node *source);
void sn__mjcf_set(sn__mjcf *m, sn__xml_node *element, const char *name, const char *value);
void sn__mjcf_set_numbers(sn__mjcf *m, sn__xml_node *element, const char *name,
                          const double *numbers, size_t count);
void sn__mjcf_set_number(sn__mjcf *m, sn__xml_node *element, const char *name, double number);

/** `<origin>`; nothing for the identity. */
void sn__mjcf_add_origin(sn__mjcf *m, sn__xml_node *parent, const sn__xml_node *source,
                         sn_pose pose);

/** A `<link>`, and a `<joint>` from @p parent to @p child. */
sn__xml_node *sn__mjcf_add_link(sn__mjcf *m, const sn__xml_node *source, const char *name);
sn__xml_node *sn__mjcf_add_joint(sn__mjcf *m, const sn__xml_node *source, const char *name,
                                 const char *type, const char *parent, const char *child,
                                 sn_pose pose);

/** Keep a name for the body or joint that has it in the file. @p space tells links ('l') from
 * joints
 *  ('j'). @return false: it is taken */
bool sn__mjcf_reserve(sn__mjcf *m, char space, const char *name);

/** Does a link or joint have this name? */
bool sn__mjcf_is_taken(const sn__mjcf *m, char space, const char *name);

/** A name that nothing else has: @p wanted, or @p wanted with a number. @return NULL: no memory */
const char *sn__mjcf_unique(sn__mjcf *m, char space, const char *wanted);

/** Texts put together. @return NULL: no memory */
const char *sn__mjcf_join(sn__mjcf *m, const char *a, const char *b, const char *c);

/* ---- mjcf_body.c, mjcf_joint.c, mjcf_geom.c, mjcf_inertia.c ---- */

void sn__mjcf_read_bodies(sn__mjcf *m);

/** The joints of a body: links and joints from @p parent to a link @p name.
 *  @param pose   of the body in the parent
 *  @return the element of the body's link */
sn__xml_node *sn__mjcf_read_joints(sn__mjcf *m, const sn__xml_node *body, int class_index,
                                   const char *parent, const char *name, sn_pose pose);

/** Add the shapes of a geom to a link, and its mass to @p sum.
 *  @param pose_link_frame  the frame that the geom is in
 *  @param has_mass         add the mass */
void sn__mjcf_read_geom(sn__mjcf *m, const sn__xml_node *node, int class_index,
                        sn_pose pose_link_frame, sn__xml_node *link, bool has_mass,
                        sn_inertia *sum);

/** `<inertial>` of a link, from the element of the body or from the sum over its geoms. */
void sn__mjcf_add_inertial(sn__mjcf *m, sn__xml_node *link, const sn__xml_node *source,
                           sn_inertia inertia);
sn_inertia sn__mjcf_read_inertial(sn__mjcf *m, const sn__xml_node *node);

/* ---- mjcf_drive.c, mjcf_semantic.c ---- */

/** Find a joint that moves one coordinate. @return NULL: there is none */
sn__mjcf_joint *sn__mjcf_joint_find(const sn__mjcf *m, const char *name);

/** Actuators, tendons and `<equality>`, then limits and friction of all joints. */
void sn__mjcf_read_drives(sn__mjcf *m);
void sn__mjcf_read_equality(sn__mjcf *m);
void sn__mjcf_write_limits(sn__mjcf *m);

/** Keyframes, excluded pairs and joints without a drive. @return whether there are any */
bool sn__mjcf_read_semantics(sn__mjcf *m);

#endif
