#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/report_internal.h"
#include "collision/collision_internal.h"
#include "mesh/hull.h"
#include "model/urdf/packages.h"

/* More vertices make a hull tighter and each distance slower. */
enum { HULL_VERTICES = SN__OBJECT_POINTS_MAX };

void sn__solid_bound(sn__solid *solid) {
  if (solid->convex.kind != SN__CONVEX_PLANE) {
    const sn__capsule capsule = sn__convex_capsule(&solid->convex);
    solid->capsule_body = (sn__capsule){{sn_pose_apply(solid->pose_body_solid, capsule.ends[0]),
                                         sn_pose_apply(solid->pose_body_solid, capsule.ends[1])},
                                        capsule.radius};
  }
}

sn_status sn__solids_add(sn__collision_build *build, const sn__solid *solid) {
  if (build->solid_count == SN__COLLISION_SOLIDS_MAX) {
    return sn__fail(build->err, SN_ELIMIT, "collision: more than %d shapes",
                    SN__COLLISION_SOLIDS_MAX);
  }
  sn__solid *grown = sn__list_grow(build->solids, &build->solid_capacity, build->solid_count + 1,
                                   sizeof *build->solids);
  if (grown == NULL) {
    return sn__fail(build->err, SN_ENOMEM, "collision: out of memory");
  }
  build->solids = grown;
  sn__solid *added = &build->solids[build->solid_count++];
  *added = *solid;
  sn__solid_bound(added);
  return SN_OK;
}

/* ---- meshes ---- */

sn_status sn__solids_hull(sn__collision_build *build, const char *path, sn_vec3 scale,
                          sn__convex *out, sn_error *err) {
  sn__hull hull;
  const sn_status status = sn__hull_load(build->arena, path, scale, HULL_VERTICES, &hull, err);
  if (status != SN_OK) {
    return status;
  }
  *out = (sn__convex){.kind = SN__CONVEX_HULL,
                      .radius = hull.radius,
                      .vertex_count = hull.vertex_count,
                      .vertices = hull.vertices};
  sn__collision_facts *facts = &build->collision->facts;
  facts->hull_radius_max_m = fmax(facts->hull_radius_max_m, hull.radius);
  return SN_OK;
}

static void warn_mesh(sn__collision_build *build, const sn_link *link, const char *mesh,
                      const char *why) {
  build->collision->facts.mesh_missing_count++;
  if (build->report != NULL) {
    sn__report_add(
        build->report, SN_SEVERITY_WARNING,
        (sn_place){.file = build->config->robot_file == NULL ? "robot_description"
                                                             : build->config->robot_file},
        NULL, "link '%.80s': the mesh '%.120s' is not checked for collisions: %.120s", link->name,
        mesh, why);
  }
}

/* @return SN_OK, also with a warning instead of a shape; SN_ENOMEM */
static sn_status make_mesh(sn__collision_build *build, sn_packages *packages, const sn_link *link,
                           const sn_shape *shape, bool *is_made, sn__convex *out) {
  sn_packages_file file;
  if (packages == NULL || !sn__packages_find(packages, shape->mesh, &file)) {
    warn_mesh(build, link, shape->mesh, "the file is missing");
    return SN_OK;
  }
  sn_error why = {0};
  const sn_status status = sn__solids_hull(build, file.path, shape->size, out, &why);
  if (status == SN_ENOMEM) {
    return sn__fail(build->err, SN_ENOMEM, "%s", why.message);
  }
  *is_made = status == SN_OK;
  if (status != SN_OK) {
    warn_mesh(build, link, shape->mesh, why.message);
  }
  return SN_OK;
}

/* ---- links ---- */

static sn__convex make_primitive(const sn_shape *shape) {
  const double half = 0.5 * shape->length;
  switch (shape->kind) {
    case SN_SHAPE_BOX:
      return (sn__convex){.kind = SN__CONVEX_BOX, .half = sn_vec3_scale(shape->size, 0.5)};
    case SN_SHAPE_CYLINDER:
      return (sn__convex){.kind = SN__CONVEX_CYLINDER, .half = {shape->radius, 0.0, half}};
    case SN_SHAPE_CAPSULE:
      return (sn__convex){
          .kind = SN__CONVEX_SEGMENT, .half = {0.0, 0.0, half}, .radius = shape->radius};
    case SN_SHAPE_SPHERE:
    case SN_SHAPE_MESH:
    default:
      return (sn__convex){.kind = SN__CONVEX_POINT, .radius = shape->radius};
  }
}

static sn_status add_link(sn__collision_build *build, sn_packages *packages, size_t index) {
  const sn_link *link = sn_model_link(build->model, index);
  const bool has_shapes = link->shape_count > 0;
  const sn_shape *shapes = has_shapes ? link->shapes : link->visuals;
  const size_t count = has_shapes ? link->shape_count : link->visual_count;
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < count; i++) {
    sn__solid solid = {
        .pose_body_solid = sn_pose_mul(link->pose_body_link, shapes[i].pose_link_shape),
        .body = link->body,
        .link = (int)index};
    bool is_made = shapes[i].kind != SN_SHAPE_MESH;
    if (is_made) {
      solid.convex = make_primitive(&shapes[i]);
    } else {
      status = make_mesh(build, packages, link, &shapes[i], &is_made, &solid.convex);
    }
    if (status == SN_OK && is_made) {
      status = sn__solids_add(build, &solid);
    }
  }
  return status;
}

sn_status sn__solids_of_links(sn__collision_build *build) {
  const sn_packages_config config = {.robot_file = build->config->robot_file,
                                     .path = build->config->package_path};
  sn_packages *packages = NULL;
  sn_status status = build->config->robot_file == NULL
                         ? SN_OK
                         : sn__packages_create(build->scratch, &config, &packages, build->err);
  const size_t link_count = sn_model_link_count(build->model);
  const int body_count = (int)build->collision->tree->body_count;
  for (int body = -1; status == SN_OK && body < body_count; body++) {
    for (size_t i = 0; status == SN_OK && i < link_count; i++) {
      if (sn_model_link(build->model, i)->body == body) {
        status = add_link(build, packages, i);
      }
    }
  }
  return status;
}
