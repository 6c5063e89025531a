/** @file
 *  The robot model: a URDF compiled into one immutable model.
 *
 *  Order of the **sorted pose**: chains in the order of declaration, inside a chain from base to
 *  tip; a joint shared by several chains belongs to the first; movable joints of no chain come
 * last, in tree order (depth first, children as the file lists them). Fixed joints are not part of
 * it. So an index identifies every movable joint.
 *
 *  **Derived chains**, for a robot that declares none: its limbs. Each driven joint is in exactly
 * one. A limb is a run of joints that ends at a tip, before a gripper, or where the robot forks (a
 * trunk that carries two arms); a gripper is a separate limb with the joints of all its fingers; a
 * mimic joint belongs to the limb of its master. Limbs are in tree order. The tip is a frame named
 * as one (`tool0`, `..._tcp`, a foot) after the last joint, otherwise the farthest link there that
 * carries no sensor. Names: `arm`, `left_arm`, `leg_front_left`, `head`, `torso`, `gripper`,
 * `left_gripper`, from the words in the names of joints and links, otherwise from structure and
 * position, otherwise the name of the last link.
 *
 *  **Derived feet**: each derived leg, if there are two or more, gets a contact `<chain>_foot`,
 * which is its default contact, unless the property file declares contacts. docs/legs.md has the
 * rules.
 *
 *  Every query: RT: yes, no allocation.  Threads: any number, no lock. */
#ifndef SINEW_MODEL_H
#define SINEW_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/names.h"
#include "sinew/pose.h"
#include "sinew/report.h"
#include "sinew/spatial.h"
#include "sinew/status.h"
#include "sinew/value.h"

SN_BEGIN_DECLS

/* ---- compiled form ----
 *
 * The kernels of kinematics and dynamics use it. Every movable joint moves one *body*. The frame of
 * a body sits at its joint with the joint's axis as z axis, so every joint rotates about or
 * translates along z. Links behind fixed joints are folded into the body that carries them, and
 * their masses are merged. Bodies are in topological order: a parent comes before its children.
 * Body -1 is the base: the fixed root link, or the trunk of a floating robot. */

/** Immutable; arrays have body_count entries unless said otherwise.
 *
 *  A joint vector (q, qd, qdd, tau) of the tree has `coord_count` entries. Entry `coord[i]` moves
 *  body i: its joint value is `q_scale[i] * q[coord[i]] + q_offset[i]`. That is q[coord[i]] itself
 *  unless the joint mimics another; then coord[i] is the entry of its master. An entry that no body
 *  names (of a mimic joint, or of a floating or planar joint, which is not driven) is ignored. */
typedef struct sn_tree {
  size_t body_count;
  size_t coord_count;
  const int *parent;                /**< -1 .. i-1 */
  const bool *prismatic;            /**< translates along z instead of rotating about it */
  const sn_pose *pose_parent_joint; /**< frame of body i at joint value 0, in the parent's frame */
  const sn_inertia *inertia;        /**< in the frame of the body */
  const int *coord;
  const double *q_scale;
  const double *q_offset;
  bool has_mimic;            /**< some q_scale, q_offset is not 1, 0, or a coord is shared */
  bool is_serial;            /**< parent[i] == i-1 for all i */
  sn_inertia base_inertia;   /**< of body -1, in the frame of the base */
  const char *massless_link; /**< a moving link without an inertial, which makes dynamics
                                impossible; NULL if there is none */
} sn_tree;

/* ---- model ---- */

/** Limits of a URDF file; beyond them loading fails at once. */
#define SN_URDF_SIZE_MAX (16u << 20)      /**< bytes */
#define SN_URDF_DEPTH_MAX 64              /**< nested elements */
#define SN_URDF_LINKS_MAX 4096            /**< links; joints likewise */
#define SN_URDF_ATTRIBUTE_MAX (64u << 10) /**< bytes of one attribute */
#define SN_URDF_ATTRIBUTES_MAX 256        /**< attributes of one element */
/** The most chains of a robot, declared or derived. */
#define SN_CHAINS_MAX 128

typedef enum sn_joint_type {
  SN_JOINT_FIXED,
  SN_JOINT_REVOLUTE,
  SN_JOINT_CONTINUOUS,
  SN_JOINT_PRISMATIC,
  SN_JOINT_FLOATING, /**< kept, has an entry in the pose, is not driven */
  SN_JOINT_PLANAR    /**< likewise */
} sn_joint_type;

/** A joint as the file states it. Positions are rad or m, as its type says. */
typedef struct sn_joint {
  const char *name;
  sn_joint_type type;
  int parent_link;           /**< index of a link */
  int child_link;            /**< index of a link */
  sn_pose pose_parent_joint; /**< the joint's frame, which is the child link's at position 0 */
  sn_vec3 axis;              /**< unit vector in the joint's frame */

  double lower, upper;           /**< effective: the tighter of hard and soft; infinite if none */
  double lower_hard, upper_hard; /**< `<limit>`; infinite if none */
  double velocity_max;           /**< `<limit>`; infinite if none */
  double effort_max;             /**< `<limit>`; N·m or N; infinite if none */
  double acceleration_max;       /**< URDF 1.2; infinite if none */
  double deceleration_max;       /**< URDF 1.2; acceleration_max if none */
  double jerk_max;               /**< URDF 1.2; infinite if none */
  double damping, friction;      /**< `<dynamics>`; 0 if none */

  int mimic;               /**< pose index of the joint it follows, or -1 */
  double mimic_multiplier; /**< position = multiplier * master + offset */
  double mimic_offset;

  int chain; /**< the owning chain, or -1 */
  int body;  /**< body of sn_model_tree() that it moves, or -1 */
} sn_joint;

/** Shapes of `<collision>` and `<visual>`. */
typedef enum sn_shape_kind {
  SN_SHAPE_BOX,
  SN_SHAPE_SPHERE,
  SN_SHAPE_CYLINDER, /**< about z */
  SN_SHAPE_CAPSULE,  /**< likewise */
  SN_SHAPE_MESH
} sn_shape_kind;

/** A shape as the file states it. */
typedef struct sn_shape {
  sn_shape_kind kind;
  sn_pose pose_link_shape;
  sn_vec3 size;     /**< box: its edges, m; mesh: its scale; else zero */
  double radius;    /**< m; of a sphere, cylinder or capsule */
  double length;    /**< m; of a cylinder, or of a capsule without its caps */
  const char *mesh; /**< file of a mesh, as stated; else NULL */
} sn_shape;

/** A link as the file states it, and where the compiled tree keeps it. */
typedef struct sn_link {
  const char *name;
  int parent_joint; /**< index of a joint, -1 for the root */
  bool has_inertial;
  double mass_kg;
  sn_vec3 com;            /**< centre of mass in the link's frame, m */
  sn_sym3 inertia;        /**< about the centre of mass, in the link's axes, kg·m² */
  int body;               /**< body that carries it; -1 for the base */
  sn_pose pose_body_link; /**< its frame in that body's frame; in the root's for the base */
  size_t shape_count;
  const sn_shape *shapes; /**< of `<collision>`, in the order of the file; complete ones only */
  size_t visual_count;
  const sn_shape *visuals; /**< of `<visual>`, likewise */
} sn_link;

/** What a set of fixed points constrains, by its geometry. */
typedef enum sn_contact_kind {
  SN_CONTACT_POINT, /**< 3 rotational freedoms left */
  SN_CONTACT_AXIS,  /**< 1 freedom left */
  SN_CONTACT_FULL   /**< none left */
} sn_contact_kind;

/** Fixed points on the last link of a chain; belongs to no chain in particular. */
typedef struct sn_contact {
  const char *name;
  sn_contact_kind kind;
  int freedoms; /**< 3, 1 or 0 */
  size_t point_count;
  const sn_vec3 *points; /**< in the frame of the chain's last link, m */
} sn_contact;

/** A run of joints from a first link down to a last link, compiled separately: the base of `tree`
 * is the first link, the vector of the tree is the chain's joints from base to tip, only the links
 * of the chain have mass. */
typedef struct sn_chain {
  int first_link;      /**< index of a link */
  int last_link;       /**< index of a link */
  size_t joint_count;  /**< movable joints of the chain */
  const int *joints;   /**< their pose indices, base to tip */
  const double *lower; /**< effective limits in the same order; infinite if none */
  const double *upper;
  sn_tree tree;
  sn_pose pose_body_tip; /**< last link in the frame of the last body */
} sn_chain;

/** A named set of joints that may be owned as one; groups never share a joint. */
typedef struct sn_group {
  const char *name;
  size_t joint_count;
  const int *joints; /**< pose indices, ascending */
} sn_group;

/** Opaque and immutable. Lives in the arena it was created in. */
typedef struct sn_model sn_model;

/** Zero-initialise, then set the fields that differ from their default. */
typedef struct sn_model_config {
  const char *file; /**< name for messages; NULL means "robot_description" */
  /** Root bag with `kinematics_chains` (or `chains`), `contacts`, `groups`, `joint_limits` and
   *  `robot_arguments` (of a `.xacro` file: `name: value`); NULL means none. Without chains they
   * are derived: see below */
  const sn_value *properties;
  bool (*mesh_exists)(void *context, const char *uri); /**< NULL means: do not check meshes */
  /** Describe where a missing mesh was searched, as text with NUL; may be NULL. */
  void (*mesh_explain)(void *context, const char *uri, char *text, size_t size);
  void *mesh_context;
  const char *package_path; /**< for sn_model_load(): folders with packages, with colons between
                                 them, see docs/foxglove.md; NULL: none */
  const char *const *xacro_arguments; /**< for sn_model_load() of a `.xacro` file: `name:=value`,
                                           ends with NULL; NULL: none. They override
                                           `robot_arguments` */
  const char *srdf; /**< text of an SRDF about the robot (docs/robots.md); NULL: none, or that of
                         srdf_file */
  size_t srdf_size; /**< its bytes */
  const char *srdf_file; /**< its name for messages. For sn_model_load() without a text: its path;
                              NULL: the one that is found beside the robot; empty: none */
} sn_model_config;

/** Parse and compile a robot.
 *  @param arena   receives the model; on failure it is as before
 *  @param text    the URDF; need not end with NUL
 *  @param report  receives every problem, warnings too; may be NULL; must live in another arena
 *                 than @p arena. If it contains errors already (of the property file, for example),
 * the robot is rejected
 *  @param out     set on success, untouched on failure
 *  @param err     the first error as one line; may be NULL
 *  @return SN_OK (perhaps with warnings), SN_ESYNTAX (not XML), SN_EMODEL (not a valid robot),
 *          SN_ELIMIT or SN_ENOMEM
 *  RT: no, allocates, also on the heap while it runs.  Threads: one owner of arena and report. */
SN_API sn_status sn_model_parse(sn_arena *arena, const char *text, size_t size,
                                const sn_model_config *config, sn_report *report,
                                const sn_model **out, sn_error *err);

/** Read a file and parse it. A `.xacro` file is expanded first (docs/xacro.md); problems have their
 * places in the source files, and the description is the result. `config->file` is ignored, meshes
 * are searched as described in docs/foxglove.md unless the configuration has a function for it.
 *  @return as sn_model_parse(), or SN_EIO
 *  RT: no. */
SN_API sn_status sn_model_load(sn_arena *arena, const char *path, const sn_model_config *config,
                               sn_report *report, const sn_model **out, sn_error *err);

/** `name` of the robot; empty if the file gives none. */
SN_API const char *sn_model_name(const sn_model *model) SN_RT;
/** The URDF text, with a NUL behind it, and its size. */
SN_API const char *sn_model_description(const sn_model *model, size_t *size) SN_RT;

/** Links in tree order, the root first. */
SN_API size_t sn_model_link_count(const sn_model *model) SN_RT;
SN_API const sn_link *sn_model_link(const sn_model *model, size_t index) SN_RT;
/** -1 if the name is unknown. */
SN_API int sn_model_link_index(const sn_model *model, const char *name) SN_RT;

/** All joints: first the movable ones in the order of the sorted pose, then the fixed ones in tree
 *  order. */
SN_API size_t sn_model_joint_count(const sn_model *model) SN_RT;
SN_API const sn_joint *sn_model_joint(const sn_model *model, size_t index) SN_RT;

/** Entries of the sorted pose: the movable joints, mimic joints among them. */
SN_API size_t sn_model_pose_size(const sn_model *model) SN_RT;
/** Independent joints: revolute, continuous and prismatic joints that are not mimic joints. */
SN_API size_t sn_model_dof(const sn_model *model) SN_RT;
/** The names of the sorted pose, to share by pointer. */
SN_API const sn_names *sn_model_joint_names(const sn_model *model) SN_RT;
/** `getJointIndex`: index in the sorted pose; -1 if unknown or fixed. */
SN_API int sn_model_joint_index(const sn_model *model, const char *name) SN_RT;

/** Chains in the order of declaration. */
SN_API const sn_names *sn_model_chain_names(const sn_model *model) SN_RT;
/** `getChainIndex`: -1 if there is none. */
SN_API int sn_model_chain_index(const sn_model *model, const char *name) SN_RT;
/** `getChain`: the run of joints, to `last_link_virtual` if
 *  @p with_virtual and the chain has one, to `last_link` otherwise. */
SN_API const sn_chain *sn_model_chain(const sn_model *model, size_t index, bool with_virtual) SN_RT;
/** `getChainJoints`: all joints of a chain as pose indices. Those of its run, from base to tip, to
 *  `last_link_virtual` if it has one; then, for a derived chain, the others it owns: the other
 * fingers of a gripper, joints that mimic its own.
 *  @param count  out: how many */
SN_API const int *sn_model_chain_joints(const sn_model *model, size_t index, size_t *count) SN_RT;
/** `getChainDefaultContact`: index of a contact, -1 if the chain has none. */
SN_API int sn_model_chain_default_contact(const sn_model *model, size_t index) SN_RT;
/** `getChainProperty`: `first_link`, `last_link` or any other scalar key of the chain as text, or
 *  NULL. */
SN_API const char *sn_model_chain_property(const sn_model *model, size_t index,
                                           const char *key) SN_RT;

/** Contacts in the order of declaration. */
SN_API const sn_names *sn_model_contact_names(const sn_model *model) SN_RT;
SN_API int sn_model_contact_index(const sn_model *model, const char *name) SN_RT;
SN_API const sn_contact *sn_model_contact(const sn_model *model, size_t index) SN_RT;

/** Points collected from several contacts, over memory of the caller. */
typedef struct sn_point_buffer {
  sn_vec3 *points;
  size_t count;
  size_t capacity;
} sn_point_buffer;

/** `addContactPointsToBuffer`: append the points of a contact.
 *  @return SN_OK; SN_ENOENT if the contact does not exist; SN_ENOSPC if the points do not all fit,
 *          with nothing appended */
SN_API sn_status sn_model_add_contact_points(const sn_model *model, const char *contact,
                                             sn_point_buffer *buffer) SN_RT;

/** `getTree`: the whole robot, compiled. Its vectors are sorted poses. */
SN_API const sn_tree *sn_model_tree(const sn_model *model) SN_RT;

/** Create the chain from link @p base down to link @p tip, which may be any two links.
 *  @return SN_OK, SN_ENOENT (no such link), SN_EINVAL (tip is not below base) or SN_ENOMEM
 *  RT: no, allocates in @p arena. */
SN_API sn_status sn_chain_create(sn_arena *arena, const sn_model *model, const char *base,
                                 const char *tip, const sn_chain **out, sn_error *err);

SN_END_DECLS

#endif
