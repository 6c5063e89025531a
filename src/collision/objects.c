#include "collision/objects.h"

#include <string.h>

#include "base/fail.h"
#include "collision/collision_internal.h"

static const double SIZE_MAX_M = 1e4;

/* ---- shapes ---- */

static bool are_sizes(const double *size, size_t count, size_t wanted) {
  bool is_good = count == wanted;
  for (size_t i = 0; is_good && i < count; i++) {
    is_good = size[i] > 0.0 && size[i] <= SIZE_MAX_M;
  }
  return is_good;
}

static bool are_corners(const sn_vec3 *points, size_t count) {
  bool is_good = count >= 1 && count <= SN__OBJECT_POINTS_MAX;
  for (size_t i = 0; is_good && i < count; i++) {
    is_good = sn_vec3_norm(points[i]) <= SIZE_MAX_M;
  }
  return is_good;
}

sn_status sn__object_shape(const char *shape, const double *size, size_t size_count,
                           const sn_vec3 *points, size_t point_count, sn__object *out,
                           sn_error *err) {
  if (strcmp(shape, "box") == 0 && are_sizes(size, size_count, 3)) {
    out->convex =
        (sn__convex){.kind = SN__CONVEX_BOX, .half = {0.5 * size[0], 0.5 * size[1], 0.5 * size[2]}};
  } else if (strcmp(shape, "sphere") == 0 && are_sizes(size, size_count, 1)) {
    out->convex = (sn__convex){.kind = SN__CONVEX_POINT, .radius = size[0]};
  } else if (strcmp(shape, "cylinder") == 0 && are_sizes(size, size_count, 2)) {
    out->convex = (sn__convex){.kind = SN__CONVEX_CYLINDER, .half = {size[0], 0.0, 0.5 * size[1]}};
  } else if (strcmp(shape, "plane") == 0 && size_count == 0) {
    out->convex = (sn__convex){.kind = SN__CONVEX_PLANE};
  } else if (strcmp(shape, "hull") == 0 && are_corners(points, point_count)) {
    out->convex =
        (sn__convex){.kind = SN__CONVEX_HULL, .vertex_count = point_count, .vertices = points};
  } else {
    return sn__fail(err, SN_EINVAL,
                    "shape '%.20s' with %zu sizes and %zu points: expected a box (3 edges), sphere "
                    "(radius), cylinder (radius, length), plane or hull (1 to %d points), each "
                    "above 0 and at most %g m",
                    shape, size_count, point_count, SN__OBJECT_POINTS_MAX, SIZE_MAX_M);
  }
  return SN_OK;
}

/* ---- blocks of pairs ---- */

static bool is_off(const sn__collision *c, int link, const char *object) {
  const char *name = sn_model_link(c->model, (size_t)link)->name;
  for (size_t i = 0; i < c->objects.off_count; i++) {
    const sn__collision_off *off = &c->objects.off[i];
    if ((strcmp(off->link_a, name) == 0 && strcmp(off->link_b, object) == 0) ||
        (strcmp(off->link_b, name) == 0 && strcmp(off->link_a, object) == 0)) {
      return true;
    }
  }
  return false;
}

/* The pairs of object @p index with every moving part of the robot. */
static void make_pairs(sn__collision *c, size_t index) {
  const sn__objects *o = &c->objects;
  size_t next = o->first_pair + index * o->pairs_each;
  size_t first = o->first_solid_pair + index * o->solid_pairs_each;
  for (size_t p = 0; p < o->first_part; p++) {
    const sn__part *part = &c->parts[p];
    if (part->body < 0) {
      continue;
    }
    size_t count = 0;
    const bool may_touch = part->is_foot && strcmp(o->list[index].name, SN__OBJECT_GROUND) == 0;
    for (size_t i = part->first; !may_touch && i < part->first + part->count; i++) {
      if (!is_off(c, c->solids[i].link, o->list[index].name)) {
        c->solid_pairs[first + count++] =
            (sn__solid_pair){.a = (uint16_t)i, .b = (uint16_t)(o->first_solid + index)};
      }
    }
    c->pairs[next++] = (sn__part_pair){.a = (uint16_t)p,
                                       .b = (uint16_t)(o->first_part + index),
                                       .common = -1,
                                       .first = (uint32_t)first,
                                       .count = (uint32_t)count,
                                       .listed = (uint32_t)count,
                                       .clear = -INFINITY};
    first += part->count;
  }
}

static void count_all(sn__collision *c) {
  const sn__objects *o = &c->objects;
  c->solid_count = o->first_solid + o->count;
  c->part_count = o->first_part + o->count;
  c->pair_count = o->first_pair + o->count * o->pairs_each;
}

/* Solid, part and pairs of an object that is in its place of the list. */
static void make_object(sn__collision *c, size_t index) {
  const sn__objects *o = &c->objects;
  sn__solid *solid = &c->solids[o->first_solid + index];
  sn__part *part = &c->parts[o->first_part + index];
  *solid = (sn__solid){.convex = o->list[index].convex,
                       .pose_body_solid = o->list[index].pose,
                       .body = -1,
                       .link = -1 - (int)index};
  sn__solid_bound(solid);
  *part = (sn__part){.body = -1, .is_world = true, .first = o->first_solid + index, .count = 1};
  sn__part_bound(c->solids, part);
  make_pairs(c, index);
}

static void put(sn__collision *c, size_t index, const sn__object *object) {
  sn__object *to = &c->objects.list[index];
  sn_vec3 *points = &c->objects.points[index * SN__OBJECT_POINTS_MAX];
  *to = *object;
  if (object->convex.kind == SN__CONVEX_HULL) {
    memmove(points, object->convex.vertices, object->convex.vertex_count * sizeof *points);
    to->convex.vertices = points;
  }
  make_object(c, index);
}

/* ---- changes ---- */

static int find(const sn__collision *c, const char *name) {
  for (size_t i = 0; i < c->objects.count; i++) {
    if (strcmp(c->objects.list[i].name, name) == 0) {
      return (int)i;
    }
  }
  return -1;
}

/* A name that looks like a link would mislead the reader of a report. */
static sn_status check_name(const sn__collision *c, const char *name, sn_error *err) {
  if (*name == '\0' || memchr(name, '\0', SN__OBJECT_NAME_SIZE) == NULL) {
    return sn__fail(err, SN_EINVAL, "the name of an object must have 1 to %d characters",
                    SN__OBJECT_NAME_SIZE - 1);
  }
  if (sn_model_link_index(c->model, name) >= 0) {
    return sn__fail(err, SN_EINVAL, "'%s' is a link of the robot: choose another name", name);
  }
  return find(c, name) < 0
             ? SN_OK
             : sn__fail(err, SN_EINVAL, "an object '%s' exists already: remove it first", name);
}

sn_status sn__collision_add_object(sn__collision *collision, const sn__object *object,
                                   sn_error *err) {
  sn__objects *o = &collision->objects;
  const sn_status status = check_name(collision, object->name, err);
  if (status != SN_OK) {
    return status;
  }
  const sn_mat3 rot = object->pose.rot;
  const double turned = sn_vec3_dot(rot.x, rot.x) + sn_vec3_dot(rot.y, rot.y);
  if (!(sn_vec3_norm(object->pose.pos) <= SIZE_MAX_M) || !(fabs(turned - 2.0) < 1e-6)) {
    return sn__fail(err, SN_EINVAL, "object '%s': its place must be finite and within %g m",
                    object->name, SIZE_MAX_M);
  }
  if (o->count == o->capacity) {
    return sn__fail(err, SN_ELIMIT,
                    "object '%s': there are %zu objects already, which is the limit; each adds %zu "
                    "pairs to every cycle ('sinew bench collision' measures their cost)",
                    object->name, o->count, o->pairs_each);
  }
  put(collision, o->count++, object);
  count_all(collision);
  return SN_OK;
}

/* The last object takes the place of one that is removed. Its pairs that are switched off stay so.
 */
static void fill_gap(sn__collision *c, size_t index, size_t last) {
  const sn__objects *o = &c->objects;
  put(c, index, &o->list[last]);
  for (size_t i = 0; i < o->pairs_each; i++) {
    sn__part_pair *to = &c->pairs[o->first_pair + index * o->pairs_each + i];
    const sn__part_pair *from = &c->pairs[o->first_pair + last * o->pairs_each + i];
    to->count = from->count;
    for (size_t k = 0; k < from->listed; k++) {
      c->solid_pairs[to->first + k].a = c->solid_pairs[from->first + k].a;
    }
  }
}

bool sn__collision_remove_object(sn__collision *collision, const char *name) {
  sn__objects *o = &collision->objects;
  const int index = find(collision, name);
  if (index < 0) {
    return false;
  }
  o->count--;
  if ((size_t)index < o->count) {
    fill_gap(collision, (size_t)index, o->count);
  }
  count_all(collision);
  return true;
}

void sn__collision_clear_objects(sn__collision *collision) {
  collision->objects.count = 0;
  count_all(collision);
}

bool sn__collision_take_object(sn__collision *collision, const char *name, sn__object *out,
                               sn_vec3 *points) {
  const int index = find(collision, name);
  if (index < 0) {
    return false;
  }
  *out = collision->objects.list[index];
  if (out->convex.kind == SN__CONVEX_HULL) {
    memcpy(points, out->convex.vertices, out->convex.vertex_count * sizeof *points);
    out->convex.vertices = points;
  }
  return sn__collision_remove_object(collision, name);
}

void sn__collision_set_base(sn__collision *collision, sn_pose pose_world_root) {
  collision->is_floating = true;
  collision->pose_root_world = sn_pose_inverse(pose_world_root);
}

size_t sn__collision_object_count(const sn__collision *collision) {
  return collision->objects.count;
}

const sn__object *sn__collision_object(const sn__collision *collision, size_t index) {
  return &collision->objects.list[index];
}

/* ---- creation ---- */

static sn__part *part_on(sn__collision *c, int body) {
  for (size_t i = 0; i < c->part_count; i++) {
    if (c->parts[i].body == body) {
      return &c->parts[i];
    }
  }
  return NULL;
}

/* The last link of a limb with a contact, or the nearest before it that has a shape. */
static void mark_feet(sn__collision *c) {
  for (size_t i = 0; i < sn_names_count(sn_model_chain_names(c->model)); i++) {
    if (sn_model_chain_default_contact(c->model, i) < 0) {
      continue;
    }
    const size_t last = (size_t)sn_model_chain(c->model, i, true)->last_link;
    int body = sn_model_link(c->model, last)->body;
    while (body >= 0 && part_on(c, body) == NULL) {
      body = c->tree->parent[body];
    }
    if (body >= 0) {
      part_on(c, body)->is_foot = true;
    }
  }
}

sn_status sn__objects_create(sn__collision_build *build) {
  sn__collision *c = build->collision;
  sn__objects *o = &c->objects;
  o->first_solid = c->solid_count;
  o->first_part = c->part_count;
  mark_feet(c);
  o->off = build->config->off;
  o->off_count = build->config->off_count;
  for (size_t i = 0; i < c->part_count; i++) {
    o->pairs_each += c->parts[i].body >= 0;
    o->solid_pairs_each += c->parts[i].body >= 0 ? c->parts[i].count : 0;
  }
  o->list = SN_NEW(build->arena, sn__object, o->capacity);
  o->points = SN_NEW(build->arena, sn_vec3, o->capacity * SN__OBJECT_POINTS_MAX);
  return o->list != NULL && o->points != NULL
             ? SN_OK
             : sn__fail(build->err, SN_ENOMEM, "collision: no room for %zu objects", o->capacity);
}
