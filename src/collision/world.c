/* Objects of the world: `world:` is a list of bags with a name, one shape, and its place. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "collision/collision_internal.h"
#include "files/file.h"
#include "files/value_read.h"

static const double SIZE_MAX_M = 1e4;

static sn_status fail_at(const sn__collision_build *build, const sn_value *value,
                         const char *text) {
  return sn__fail(build->err, SN_EINVAL, "%s:%u:%u: %s%s%s", value->place.file, value->place.line,
                  value->place.column, *value->name == '\0' ? "" : value->name,
                  *value->name == '\0' ? "" : " ", text);
}

/* A length above 0. */
static bool is_size(double x) {
  return x > 0.0 && x <= SIZE_MAX_M;
}

static bool read_numbers(const sn_value *value, size_t count, double *out) {
  if (count == 1) {
    return sn_value_number(value, out);
  }
  bool is_good = value->kind == SN_VALUE_LIST && value->item_count == count;
  for (size_t i = 0; is_good && i < count; i++) {
    is_good = sn_value_number(value->items[i], &out[i]);
  }
  return is_good;
}

static sn_status read_box(sn__collision_build *build, const sn_value *value, sn__object *out) {
  double edges[3] = {0};
  if (!read_numbers(value, 3, edges) || !is_size(edges[0]) || !is_size(edges[1]) ||
      !is_size(edges[2])) {
    return fail_at(build, value, "must be three edges above 0, m");
  }
  out->convex = (sn__convex){.kind = SN__CONVEX_BOX,
                             .half = {0.5 * edges[0], 0.5 * edges[1], 0.5 * edges[2]}};
  return SN_OK;
}

static sn_status read_sphere(sn__collision_build *build, const sn_value *value, sn__object *out) {
  double radius = 0.0;
  if (!read_numbers(value, 1, &radius) || !is_size(radius)) {
    return fail_at(build, value, "must be a radius above 0, m");
  }
  out->convex = (sn__convex){.kind = SN__CONVEX_POINT, .radius = radius};
  return SN_OK;
}

static sn_status read_cylinder(sn__collision_build *build, const sn_value *value, sn__object *out) {
  double sizes[2] = {0};
  if (!read_numbers(value, 2, sizes) || !is_size(sizes[0]) || !is_size(sizes[1])) {
    return fail_at(build, value, "must be a radius and a length above 0, m");
  }
  out->convex = (sn__convex){.kind = SN__CONVEX_CYLINDER, .half = {sizes[0], 0.0, 0.5 * sizes[1]}};
  return SN_OK;
}

/* `plane: [nx, ny, nz]`: everything behind it is solid. */
static sn_status read_plane(sn__collision_build *build, const sn_value *value, sn__object *out) {
  double n[3] = {0};
  const bool is_good = read_numbers(value, 3, n);
  const sn_vec3 normal = sn_vec3_make(n[0], n[1], n[2]);
  const double norm = sn_vec3_norm(normal);
  if (!is_good || !(norm > 1e-9) || !(norm < 1e9)) {
    return fail_at(build, value, "must be a normal vector of three numbers");
  }
  const sn_vec3 z = sn_vec3_scale(normal, 1.0 / norm);
  const sn_vec3 side = fabs(z.x) < 0.6 ? sn_vec3_make(1, 0, 0) : sn_vec3_make(0, 1, 0);
  sn_vec3 x = sn_vec3_cross(side, z);
  x = sn_vec3_scale(x, 1.0 / sn_vec3_norm(x));
  out->convex = (sn__convex){.kind = SN__CONVEX_PLANE};
  out->pose.rot = sn_mat3_mul(out->pose.rot, (sn_mat3){x, sn_vec3_cross(z, x), z});
  return SN_OK;
}

static sn_status read_mesh(sn__collision_build *build, const sn_value *value, sn__object *out) {
  const char *path = value->kind != SN_VALUE_TEXT || *value->text == '\0'
                         ? NULL
                         : sn__file_beside(build->scratch, value->place.file, value->text);
  if (path == NULL) {
    return fail_at(build, value, "must name a file");
  }
  sn_error why;
  return sn__solids_hull(build, path, sn_vec3_make(1, 1, 1), &out->convex, &why) == SN_OK
             ? SN_OK
             : fail_at(build, value, why.message);
}

static const struct {
  const char *name;
  sn_status (*read)(sn__collision_build *build, const sn_value *value, sn__object *out);
} kinds[] = {{"box", read_box},
             {"sphere", read_sphere},
             {"cylinder", read_cylinder},
             {"plane", read_plane},
             {"mesh", read_mesh}};

static sn_status read_place(sn__collision_build *build, const sn_value *object, sn_pose *out) {
  const sn_value *position = sn_value_find(object, "position");
  const sn_value *rpy = sn_value_find(object, "rpy");
  sn_vec3 turn = {0};
  *out = sn_pose_identity();
  if (position != NULL &&
      (!sn__value_vec3(position, &out->pos) || !(sn_vec3_norm(out->pos) <= SIZE_MAX_M))) {
    return fail_at(build, position, "must be x, y and z, m");
  }
  if (rpy != NULL && !sn__value_vec3(rpy, &turn)) {
    return fail_at(build, rpy, "must be roll, pitch and yaw, rad");
  }
  out->rot = sn_mat3_from_rpy(turn.x, turn.y, turn.z);
  return SN_OK;
}

/* Every name in the bag must be known: a misspelt one would move an object to the wrong place. */
static sn_status check_names(sn__collision_build *build, const sn_value *object) {
  static const char *const known[] = {"name", "position", "rpy"};
  for (size_t i = 0; i < object->item_count; i++) {
    bool is_known = false;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
      is_known = is_known || strcmp(object->items[i]->name, known[k]) == 0;
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
      is_known = is_known || strcmp(object->items[i]->name, kinds[k].name) == 0;
    }
    if (!is_known) {
      return fail_at(build, object->items[i], "is unknown");
    }
  }
  return SN_OK;
}

static sn_status read_shape(sn__collision_build *build, const sn_value *object, sn__object *out) {
  size_t shape_count = 0;
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < sizeof kinds / sizeof *kinds; i++) {
    const sn_value *shape = sn_value_find(object, kinds[i].name);
    if (shape != NULL) {
      status = kinds[i].read(build, shape, out);
      shape_count++;
    }
  }
  return status != SN_OK || shape_count == 1
             ? status
             : fail_at(build, object, "must have one of box, sphere, cylinder, plane and mesh");
}

static sn_status read_object(sn__collision_build *build, const sn_value *value) {
  sn__object object = {0};
  const sn_value *name = sn_value_find(value, "name");
  if (value->kind != SN_VALUE_BAG || name == NULL || name->kind != SN_VALUE_TEXT) {
    return fail_at(build, value, "an object has a name and a shape");
  }
  sn_status status = check_names(build, value);
  status = status == SN_OK ? read_place(build, value, &object.pose) : status;
  status = status == SN_OK ? read_shape(build, value, &object) : status;
  if (status != SN_OK) {
    return status;
  }
  sn_error why = {0};
  (void)snprintf(object.name, sizeof object.name, "%s",
                 strlen(name->text) < sizeof object.name ? name->text : "");
  status = sn__collision_add_object(build->collision, &object, &why);
  return status == SN_OK ? SN_OK : fail_at(build, name, why.message);
}

static const sn_value *list_of(const sn__collision_build *build) {
  return build->config->world == NULL ? NULL : sn_value_find(build->config->world, "world");
}

sn_status sn__world_count(sn__collision_build *build) {
  const sn_value *list = list_of(build);
  size_t count = 0;
  if (build->config->world != NULL) {
    if (list == NULL) {
      return fail_at(build, build->config->world, "the list 'world' is missing");
    }
    if (list->kind != SN_VALUE_LIST || list->item_count > SN__COLLISION_OBJECTS_MAX) {
      return fail_at(build, list,
                     "must be a list of at most 256 objects; each costs a pair for every moving "
                     "link in every cycle, as 'sinew bench collision' measures");
    }
    count = list->item_count;
  }
  const size_t wanted = build->config->object_capacity < SN__COLLISION_OBJECTS_MAX
                            ? build->config->object_capacity
                            : SN__COLLISION_OBJECTS_MAX;
  build->collision->objects.capacity = wanted > count ? wanted : count;
  return SN_OK;
}

sn_status sn__world_read(sn__collision_build *build) {
  const sn_value *list = list_of(build);
  sn_status status = SN_OK;
  for (size_t i = 0; list != NULL && status == SN_OK && i < list->item_count; i++) {
    status = read_object(build, list->items[i]);
  }
  return status;
}
