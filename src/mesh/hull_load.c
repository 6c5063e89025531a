#include "mesh/hull.h"
#include "mesh/mesh.h"

sn_status sn__hull_load(sn_arena *arena, const char *path, sn_vec3 scale, size_t vertex_max,
                        sn__hull *out, sn_error *err) {
  sn__mesh mesh = {0};
  sn_status status = sn__mesh_load(path, &mesh, err);
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
