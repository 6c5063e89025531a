/* Fuzzes the readers of meshes: whatever the bytes, there is a verdict; a mesh that comes out is
   bounded and finite, and its hull contains it. The first byte chooses the format. */
#include <math.h>
#include <stdint.h>

#include "base/text.h"
#include "mesh/hull.h"
#include "mesh/mesh.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static double extent(const sn_vec3 *points, size_t count, sn_vec3 d) {
  double most = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    most = fmax(most, sn_vec3_dot(d, points[i]));
  }
  return most;
}

static void check_hull(const sn__mesh *mesh) {
  static const sn_vec3 directions[] = {{1, 0, 0},     {-1, 0, 0},     {0, 1, 0},
                                       {0, -1, 0},    {0, 0, 1},      {0, 0, -1},
                                       {0.6, 0.8, 0}, {-0.8, 0, 0.6}, {0, 0.6, -0.8}};
  sn_arena arena;
  sn_arena_init_growing(&arena, "hull", 0);
  sn__hull hull;
  sn_error err;
  if (sn__hull_create(&arena, mesh->points, mesh->point_count, 32, &hull, &err) == SN_OK) {
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++) {
      const double of_mesh = extent(mesh->points, mesh->point_count, directions[i]);
      const double of_hull = extent(hull.vertices, hull.vertex_count, directions[i]) + hull.radius;
      SN_ASSERT(of_hull >= of_mesh - 1e-9 * (fabs(of_mesh) + hull.radius));
    }
  }
  sn_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = {"a.stl", "a.obj", "a.dae"};
  if (size == 0) {
    return 0;
  }
  sn__mesh mesh = {0};
  sn_error err;
  if (sn__mesh_parse(names[data[0] % 3], (const char *)data + 1, size - 1, &mesh, &err) == SN_OK) {
    SN_ASSERT(mesh.triangle_count > 0);
    SN_ASSERT(mesh.triangle_count <= SN__MESH_TRIANGLES_MAX);
    for (size_t i = 0; i < mesh.point_count; i++) {
      SN_ASSERT(isfinite(mesh.points[i].x + mesh.points[i].y + mesh.points[i].z));
    }
    check_hull(&mesh);
    sn__mesh_free(&mesh);
  } else {
    SN_ASSERT(!sn__text_has_control(err.message));
  }
  return 0;
}
