/** @file
 *  Internal: a URDF file as read: links and joints in document order, checked one by one
 *  (urdf_link.c, urdf_joint.c) and together as a tree (urdf_graph.c). */
#ifndef SN_MODEL_URDF_URDF_H
#define SN_MODEL_URDF_URDF_H

#include <stdbool.h>
#include <stddef.h>

#include "files/xml.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/report.h"
#include "sinew/status.h"

/** One run of the reader: memory, report and input. */
/** Missing meshes that are counted once each; beyond that, every mention counts. */
#define SN__URDF_MESHES_MISSING_MAX 256

typedef struct sn__urdf_context {
  sn_arena *arena; /**< scratch */
  sn_report *report;
  const char *text;
  size_t size;
  const char *file;
  const sn__xml_node *tree; /**< of the text, expanded from xacro; NULL: the text is parsed */
  const sn_model_config *config;
  const sn__xml_node *robot;                             /**< the root element */
  size_t mesh_missing_count;                             /**< each file once */
  const char *mesh_missing[SN__URDF_MESHES_MISSING_MAX]; /**< the first ones */
  sn_place mesh_place;
} sn__urdf_context;

typedef struct sn__urdf_link {
  sn_link link; /**< name and inertial; the rest is filled in by the compiler */
  sn_place place;
  int parent_joint; /**< index into joints, -1 for the root */
} sn__urdf_link;

typedef struct sn__urdf_joint {
  sn_joint joint; /**< as stated; indices are filled in later */
  sn_place place;
  const char *parent_name, *child_name;
  sn_place parent_place, child_place, mimic_place;
  int parent, child;      /**< indices into links */
  const char *mimic_name; /**< NULL if it mimics none */
  int mimic;              /**< index into joints, or -1 */
} sn__urdf_joint;

typedef struct sn__urdf_robot {
  const char *name;
  size_t link_count;
  sn__urdf_link *links; /**< document order */
  size_t joint_count;
  sn__urdf_joint *joints; /**< document order */
  int root;               /**< index into links */
  int *link_order;        /**< [link_count] depth first, children in document order */
} sn__urdf_robot;

/** Read everything. Problems go into the report; a robot with errors must not be used.
 *  @return SN_OK, SN_ESYNTAX, SN_EMODEL, SN_ELIMIT or SN_ENOMEM */
sn_status sn__urdf_read(sn__urdf_context *context, sn__urdf_robot *robot);

/** Read the inside of one `<link>` or `<joint>`. @return false if memory runs out */
bool sn__urdf_read_link(sn__urdf_context *context, const sn__xml_node *node, sn__urdf_link *link);
void sn__urdf_read_joint(sn__urdf_context *context, const sn__xml_node *node,
                         sn__urdf_joint *joint);

/** Warn about incomplete materials. @return false if memory runs out */
bool sn__urdf_check_materials(sn__urdf_context *context);

/** Resolve names, find the root, the order, loops and mimic cycles.
 *  @return false if memory runs out; problems go into the report */
bool sn__urdf_connect(sn__urdf_context *context, sn__urdf_robot *robot);

#endif
