/** @file
 *  Internal: the geometries of a Collada file as lists of points. */
#ifndef SN_MESH_DAE_GEOMETRY_H
#define SN_MESH_DAE_GEOMETRY_H

#include "files/xml.h"
#include "mesh/mesh_internal.h"

/** One `<geometry>`: a range of sn__dae.points. */
typedef struct sn__dae_geometry {
  const sn__xml_node *node;
  bool is_read;
  size_t first, count;
  size_t triangle_count;
} sn__dae_geometry;

/** One run of the reader. */
typedef struct sn__dae {
  sn__mesh_reader *reader;
  const sn__xml_node *root;
  sn__dae_geometry *geometries;
  size_t geometry_count;
  sn_vec3 *points; /**< of all geometries read so far, in their own frames; on the heap */
  size_t point_count, point_capacity;
} sn__dae;

/** Read the points that the primitives of a geometry use, once. */
sn_status sn__dae_read_geometry(sn__dae *dae, sn__dae_geometry *geometry);

/** The numbers of a text. @return false if it holds another count, or a word that is not one */
bool sn__dae_numbers(const char *text, size_t count, double *out);

/** Does `#id` refer to the element? False for NULL. */
bool sn__dae_is_target(const sn__xml_node *node, const char *url);

#endif
