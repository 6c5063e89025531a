/** @file
 *  Internal: the points of a surface, from STL (text and binary), OBJ and Collada files. Only what
 *  a convex hull needs is kept: the corners of the triangles.
 *
 *  Coordinates are those of the file. A Collada file is scaled to metres by its `unit`; its
 *  `up_axis` is ignored, as RViz, MoveIt and the cockpit do for robots.
 *
 *  RT: no, all of it.  Threads: one owner of a mesh. */
#ifndef SN_MESH_MESH_H
#define SN_MESH_MESH_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/status.h"
#include "sinew/vec3.h"

/** Limits of a file; beyond them it is rejected. */
#define SN__MESH_SIZE_MAX ((size_t)256 << 20)    /**< bytes */
#define SN__MESH_TRIANGLES_MAX ((size_t)1 << 20) /**< a polygon of n corners counts as n - 2 */
#define SN__MESH_COORDINATE_MAX 1e9              /**< of a point, in the unit of the file */

/** All zero is an empty mesh. */
typedef struct sn__mesh {
  sn_vec3 *points; /**< corners of triangles, on the heap; some appear several times */
  size_t point_count, point_capacity;
  size_t triangle_count;
} sn__mesh;

/** Read a mesh from memory. Its kind follows from the ending of @p name: .stl, .obj or .dae.
 *  @param name  for messages
 *  @param out   set on success, untouched on failure; free it with sn__mesh_free()
 *  @return SN_OK; SN_EUNSUPPORTED: another ending; SN_ESYNTAX: not such a file, truncated or
 *          without triangles; SN_ELIMIT: beyond a limit; SN_ENOMEM */
SN_API sn_status sn__mesh_parse(const char *name, const char *bytes, size_t size, sn__mesh *out,
                                sn_error *err);

/** Read a file. @return as sn__mesh_parse(), or SN_EIO */
SN_API sn_status sn__mesh_load(const char *path, sn__mesh *out, sn_error *err);

SN_API void sn__mesh_free(sn__mesh *mesh);

#endif
