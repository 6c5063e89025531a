/** @file
 *  Internal: the convex hulls of a robot's collision meshes, as far as their files are found. */
#ifndef SN_PLANT_PLACE_HULLS_H
#define SN_PLANT_PLACE_HULLS_H

#include "mesh/hull.h"
#include "sinew/model.h"

/** The hull of one shape. */
typedef struct sn__place_hull {
  const sn_shape *shape;
  sn__hull hull;
} sn__place_hull;

typedef struct sn__place_hulls {
  sn__place_hull *items;
  size_t count;
} sn__place_hulls;

/** Read all meshes of `<collision>`; those that cannot be read are left out.
 *  @param robot_file  path of the URDF; NULL: nothing is read
 *  @return false: no memory.  RT: no */
bool sn__place_hulls_read(sn_arena *arena, const sn_model *model, const char *robot_file,
                          const char *package_path, sn__place_hulls *out);

/** @return NULL: the shape has no hull */
const sn__hull *sn__place_hull_of(const sn__place_hulls *hulls, const sn_shape *shape);

#endif
