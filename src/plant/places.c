#include "plant/places.h"

#include <math.h>

#include "math/eigen.h"

enum { RIM_POINTS = 8, CORNERS = 8 };
static const double TAU = 6.283185307179586;
/* Shapes that reach farther are ignored: the products of such numbers are not finite. */
static const double REACH_MAX_M = 1e3;

/* What the search knows. */
typedef struct search {
  const sn_model *model;
  const sn_kin_data *kin;
  const sn_names *feet;
  sn__place_list *list;
  const sn_link *link; /* under way */
  int chain;
} search;

/* The first pass counts. */
static void add(search *s, sn_vec3 at, double radius) {
  if (!(sn_vec3_norm(at) + radius <= REACH_MAX_M)) {
    return;
  }
  if (s->list->items != NULL) {
    s->list->items[s->list->count] = (sn__place){
        {.body = s->link->body, .at = sn_pose_apply(s->link->pose_body_link, at), .radius = radius},
        s->chain};
  }
  s->list->count++;
}

/* ---- shapes ---- */

static sn_vec3 corner_of(sn_vec3 size, int i) {
  return sn_vec3_make(i & 1 ? 0.5 * size.x : -0.5 * size.x, i & 2 ? 0.5 * size.y : -0.5 * size.y,
                      i & 4 ? 0.5 * size.z : -0.5 * size.z);
}

static void add_box(search *s, const sn_shape *shape) {
  for (int i = 0; i < CORNERS; i++) {
    add(s, sn_pose_apply(shape->pose_link_shape, corner_of(shape->size, i)), 0.0);
  }
}

static void add_cylinder(search *s, const sn_shape *shape) {
  for (int i = 0; i < 2 * RIM_POINTS; i++) {
    const int spoke = i / 2;
    const double angle = TAU * spoke / RIM_POINTS;
    const sn_vec3 at = {shape->radius * cos(angle), shape->radius * sin(angle),
                        i % 2 == 0 ? -0.5 * shape->length : 0.5 * shape->length};
    add(s, sn_pose_apply(shape->pose_link_shape, at), 0.0);
  }
}

static void add_capsule(search *s, const sn_shape *shape) {
  for (int i = -1; i <= 1; i += 2) {
    const sn_vec3 at = {0.0, 0.0, 0.5 * i * shape->length};
    add(s, sn_pose_apply(shape->pose_link_shape, at), shape->radius);
  }
}

static void add_shape(search *s, const sn_shape *shape) {
  switch (shape->kind) {
    case SN_SHAPE_BOX:
      add_box(s, shape);
      break;
    case SN_SHAPE_SPHERE:
      add(s, shape->pose_link_shape.pos, shape->radius);
      break;
    case SN_SHAPE_CYLINDER:
      add_cylinder(s, shape);
      break;
    case SN_SHAPE_CAPSULE:
      add_capsule(s, shape);
      break;
    case SN_SHAPE_MESH:
      break;
  }
}

/* ---- boxes in place of meshes ---- */

/* The box with the mass and inertia of a link: its edges are from I = m (b^2 + c^2) / 12. */
static sn_shape box_of(const sn_link *link) {
  const sn_sym3 t = link->inertia;
  double a[9] = {t.xx, t.xy, t.xz, t.xy, t.yy, t.yz, t.xz, t.yz, t.zz}, v[9], m[3];
  sn__eigen_symmetric(3, a, m, v);
  const double k = 6.0 / link->mass_kg;
  const sn_vec3 x = {v[0], v[3], v[6]}, y = {v[1], v[4], v[7]};
  const sn_mat3 rot = {x, y, sn_vec3_cross(x, y)};
  return (sn_shape){
      .kind = SN_SHAPE_BOX,
      .pose_link_shape = {rot, link->com},
      .size = {sqrt(fmax(k * (m[1] + m[2] - m[0]), 0.0)), sqrt(fmax(k * (m[2] + m[0] - m[1]), 0.0)),
               sqrt(fmax(k * (m[0] + m[1] - m[2]), 0.0))}};
}

static bool has_mesh(const sn_link *link) {
  bool has = false;
  for (size_t i = 0; i < link->shape_count; i++) {
    has = has || link->shapes[i].kind == SN_SHAPE_MESH;
  }
  return has;
}

/* A mesh may belong to a link without mass that is fixed to the one with it. */
static bool body_has_mesh(const sn_model *model, int body) {
  bool has = false;
  for (size_t i = 0; i < sn_model_link_count(model); i++) {
    const sn_link *link = sn_model_link(model, i);
    has = has || (link->body == body && has_mesh(link));
  }
  return has;
}

/* Points of the contact of a foot; NULL: none */
static const sn_contact *contact_of(const search *s) {
  const int contact =
      s->chain < 0 ? -1 : sn_model_chain_default_contact(s->model, (size_t)s->chain);
  const bool is_tip =
      contact >= 0 &&
      sn_model_link(s->model,
                    (size_t)sn_model_chain(s->model, (size_t)s->chain, false)->last_link) ==
          s->link;
  return is_tip ? sn_model_contact(s->model, (size_t)contact) : NULL;
}

/* The lower half of the corners is moved down or up to the highest point of the contact. */
static void add_sole(search *s, const sn_shape *box, const sn_contact *contact) {
  const sn_pose link = sn_kin_link_pose(s->kin, s->link);
  const sn_vec3 down = sn_mat3_apply_transposed(link.rot, sn_vec3_make(0, 0, -1));
  double depth = HUGE_VAL;
  for (size_t i = 0; i < contact->point_count; i++) {
    depth = fmin(depth, sn_vec3_dot(down, contact->points[i]));
  }
  for (int i = 0; i < CORNERS; i++) {
    const sn_vec3 at = sn_pose_apply(box->pose_link_shape, corner_of(box->size, i));
    const sn_vec3 opposite =
        sn_pose_apply(box->pose_link_shape, corner_of(box->size, CORNERS - 1 - i));
    const double own = sn_vec3_dot(down, at);
    const bool is_low = own > sn_vec3_dot(down, opposite);
    add(s, is_low ? sn_vec3_add_scaled(at, depth - own, down) : at, 0.0);
  }
}

static void add_inertia_box(search *s) {
  const sn_shape box = box_of(s->link);
  const sn_contact *contact = contact_of(s);
  s->list->boxed = s->link->name;
  if (contact == NULL) {
    add_box(s, &box);
  } else {
    add_sole(s, &box, contact);
  }
}

/* ---- links ---- */

static void add_contact(search *s, const sn_contact *contact) {
  for (size_t i = 0; i < contact->point_count; i++) {
    add(s, contact->points[i], 0.0);
  }
}

static void add_link(search *s) {
  const size_t before = s->list->count;
  for (size_t i = 0; i < s->link->shape_count; i++) {
    add_shape(s, &s->link->shapes[i]);
  }
  const bool has_mass = s->link->mass_kg > 0.0;
  const sn_contact *contact = contact_of(s);
  if (has_mass && s->list->count == before && body_has_mesh(s->model, s->link->body)) {
    add_inertia_box(s);
  } else if (contact != NULL && s->list->count == before) {
    add_contact(s, contact);
  }
  if (has_mass && s->list->count == before) {
    add(s, s->link->com, 0.0);
  }
}

/* The foot that a body belongs to. */
static int chain_of(const search *s, int body) {
  for (size_t i = 0; i < sn_names_count(s->feet); i++) {
    const int chain = sn_model_chain_index(s->model, sn_names_at(s->feet, i));
    const sn_chain *run = sn_model_chain(s->model, (size_t)chain, false);
    if (sn_model_link(s->model, (size_t)run->last_link)->body == body) {
      return chain;
    }
  }
  return -1;
}

/* A foot that has no place yet touches with its tip. */
static void add_tip(search *s, size_t before) {
  const sn_chain *run = s->chain < 0 ? NULL : sn_model_chain(s->model, (size_t)s->chain, false);
  if (run != NULL && s->list->count == before) {
    s->link = sn_model_link(s->model, (size_t)run->last_link);
    add(s, sn_vec3_make(0, 0, 0), 0.0);
  }
}

static void add_all(search *s) {
  s->list->count = 0;
  for (int body = -1; body < (int)sn_model_tree(s->model)->body_count; body++) {
    const size_t before = s->list->count;
    s->chain = chain_of(s, body);
    for (size_t i = 0; i < sn_model_link_count(s->model); i++) {
      s->link = sn_model_link(s->model, i);
      if (s->link->body == body) {
        add_link(s);
      }
    }
    add_tip(s, before);
  }
}

bool sn__places_find(sn_arena *arena, const sn_model *model, const sn_kin_data *kin,
                     const sn_names *feet, sn__place_list *out) {
  *out = (sn__place_list){0};
  search s = {.model = model, .kin = kin, .feet = feet, .list = out};
  add_all(&s);
  out->items = SN_NEW(arena, sn__place, out->count + 1);
  if (out->items == NULL) {
    return false;
  }
  add_all(&s);
  return true;
}
