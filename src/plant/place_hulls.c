#include "plant/place_hulls.h"

#include "model/urdf/packages.h"

/* Each vertex is a place that may touch, which costs time in every step. */
enum { VERTICES_MAX = 16 };

static size_t count_meshes(const sn_model *model) {
  size_t count = 0;
  for (size_t i = 0; i < sn_model_link_count(model); i++) {
    const sn_link *link = sn_model_link(model, i);
    for (size_t k = 0; k < link->shape_count; k++) {
      count += link->shapes[k].kind == SN_SHAPE_MESH ? 1 : 0;
    }
  }
  return count;
}

static void read_shape(sn_arena *arena, sn_packages *packages, const sn_shape *shape,
                       sn__place_hulls *out) {
  sn_packages_file file;
  sn__place_hull found = {.shape = shape};
  if (shape->kind == SN_SHAPE_MESH && sn__packages_find(packages, shape->mesh, &file) &&
      sn__hull_load(arena, file.path, shape->size, VERTICES_MAX, &found.hull, NULL) == SN_OK) {
    out->items[out->count++] = found;
  }
}

bool sn__place_hulls_read(sn_arena *arena, const sn_model *model, const char *robot_file,
                          const char *package_path, sn__place_hulls *out) {
  const size_t most = robot_file == NULL ? 0 : count_meshes(model);
  const sn_packages_config config = {.robot_file = robot_file, .path = package_path};
  sn_packages *packages = NULL;
  *out = (sn__place_hulls){.items = SN_NEW(arena, sn__place_hull, most + 1)};
  if (out->items == NULL ||
      (most > 0 && sn__packages_create(arena, &config, &packages, NULL) != SN_OK)) {
    return false;
  }
  for (size_t i = 0; most > 0 && i < sn_model_link_count(model); i++) {
    const sn_link *link = sn_model_link(model, i);
    for (size_t k = 0; k < link->shape_count; k++) {
      read_shape(arena, packages, &link->shapes[k], out);
    }
  }
  return true;
}

const sn__hull *sn__place_hull_of(const sn__place_hulls *hulls, const sn_shape *shape) {
  for (size_t i = 0; i < hulls->count; i++) {
    if (hulls->items[i].shape == shape) {
      return &hulls->items[i].hull;
    }
  }
  return NULL;
}
