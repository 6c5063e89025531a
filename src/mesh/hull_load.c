#include <math.h>

#include "base/fail.h"
#include "mesh/hull.h"
#include "mesh/mesh.h"

/* A mirrored mesh is fine, a flattened one is a mistake: it would be smaller than what it stands
   for. */
static sn_status check_scale(const char *path, sn_vec3 scale, sn_error *err) {
  const double least = fmin(fabs(scale.x), fmin(fabs(scale.y), fabs(scale.z)));
  const double most = fmax(fabs(scale.x), fmax(fabs(scale.y), fabs(scale.z)));
  return least > 0.0 && most <= SN__MESH_COORDINATE_MAX
             ? SN_OK
             : sn__fail(err, SN_EINVAL, "%s: the scale (%g, %g, %g) must not be 0 or above %g",
                        path, scale.x, scale.y, scale.z, SN__MESH_COORDINATE_MAX);
}

sn_status sn__hull_load(sn_arena *arena, const char *path, sn_vec3 scale, size_t vertex_max,
                        sn__hull *out, sn_error *err) {
  sn__mesh mesh = {0};
  sn_status status = check_scale(path, scale, err);
  status = status == SN_OK ? sn__mesh_load(path, &mesh, err) : status;
  if (status != SN_OK) {
    return status;
  }
  for (size_t i = 0; i < mesh.point_count; i++) {
    const sn_vec3 p = mesh.points[i];
    mesh.points[i] = sn_vec3_make(scale.x * p.x, scale.y * p.y, scale.z * p.z);
  }
  status = sn__hull_create(arena, mesh.points, mesh.point_count, vertex_max, out, err);
  sn__mesh_free(&mesh);
  return status;
}
