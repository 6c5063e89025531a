#include "plant/places.h"

#include <math.h>

#include "legs/shape_points.h"
#include "model/inertia_box.h"

enum { CORNERS = 8 };
/* Shapes that reach farther are ignored: the products of such numbers are not finite. */
static const double REACH_MAX_M = 1e3;
/* The box of an inertia reaches down by at most this part of the way to the soles. */
static const double ABOVE_FEET = 0.9;

/* What the search knows. */
typedef struct search {
  const sn_model *model;
  const sn_kin_data *kin;
  const sn_names *feet;
  const sn__place_hulls *hulls;
  sn__place_list *list;
  const sn_link *link; /* under way */
  int chain;
  double sole_z; /* of the lowest foot in the start pose, in the base; -HUGE_VAL: no feet */
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

static void add_hull(search *s, const sn_shape *shape) {
  const sn__hull *hull = sn__place_hull_of(s->hulls, shape);
  for (size_t i = 0; hull != NULL && i < hull->vertex_count; i++) {
    add(s, sn_pose_apply(shape->pose_link_shape, hull->vertices[i]), 0.0);
  }
}

static void add_shape(search *s, const sn_shape *shape) {
  sn__shape_point points[SN__SHAPE_POINTS_MAX];
  const size_t count = sn__shape_points(shape, points);
  for (size_t i = 0; i < count; i++) {
    add(s, points[i].at, points[i].radius);
  }
}

/* ---- boxes in place of meshes ---- */

/* A mesh that could not be read. */
static bool lacks_mesh(const search *s, const sn_link *link) {
  bool lacks = false;
  for (size_t i = 0; i < link->shape_count; i++) {
    lacks = lacks || (link->shapes[i].kind == SN_SHAPE_MESH &&
                      sn__place_hull_of(s->hulls, &link->shapes[i]) == NULL);
  }
  return lacks;
}

/* A mesh may belong to a link without mass that is fixed to the one with it. */
static bool body_lacks_mesh(const search *s, int body) {
  bool lacks = false;
  for (size_t i = 0; i < sn_model_link_count(s->model); i++) {
    const sn_link *link = sn_model_link(s->model, i);
    lacks = lacks || (link->body == body && lacks_mesh(s, link));
  }
  return lacks;
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
    const sn_vec3 at = sn_pose_apply(box->pose_link_shape, sn__box_corner(box->size, i));
    const sn_vec3 opposite =
        sn_pose_apply(box->pose_link_shape, sn__box_corner(box->size, CORNERS - 1 - i));
    const double own = sn_vec3_dot(down, at);
    const bool is_low = own > sn_vec3_dot(down, opposite);
    add(s, is_low ? sn_vec3_add_scaled(at, depth - own, down) : at, 0.0);
  }
}

/* The box of an inertia is an estimate, and often a bad one: it must not keep the feet off the
 * ground. @return the part of the box, about its middle, that is above the feet; 0: none */
static double part_above_feet(const search *s, const sn_shape *box) {
  const sn_pose link = sn_kin_link_pose(s->kin, s->link);
  const double middle = sn_pose_apply(link, box->pose_link_shape.pos).z;
  double lowest = middle;
  for (int i = 0; i < CORNERS; i++) {
    const sn_vec3 at = sn_pose_apply(box->pose_link_shape, sn__box_corner(box->size, i));
    lowest = fmin(lowest, sn_pose_apply(link, at).z);
  }
  const double room = ABOVE_FEET * (middle - s->sole_z);
  return middle - lowest <= room ? 1.0 : fmax(room / (middle - lowest), 0.0);
}

static void add_inertia_box(search *s) {
  sn_shape box = sn__inertia_box(s->link);
  const sn_contact *contact = contact_of(s);
  s->list->boxed = s->link->name;
  if (contact == NULL) {
    box.size = sn_vec3_scale(box.size, part_above_feet(s, &box));
    add_shape(s, &box);
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
  const bool has_mass = s->link->mass_kg > 0.0;
  const sn_contact *contact = contact_of(s);
  const bool is_point = contact != NULL && contact->kind == SN_CONTACT_POINT;
  for (size_t i = 0; i < s->link->shape_count; i++) {
    add_shape(s, &s->link->shapes[i]);
    if (!is_point) {
      add_hull(s, &s->link->shapes[i]);
    }
  }
  if (has_mass && s->list->count == before && !is_point && body_lacks_mesh(s, s->link->body)) {
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

/* The height of the lowest foot: each touches with the highest point of its contact. */
static double find_sole(const search *s) {
  double lowest = HUGE_VAL;
  for (size_t i = 0; i < sn_names_count(s->feet); i++) {
    const size_t chain = (size_t)sn_model_chain_index(s->model, sn_names_at(s->feet, i));
    const int contact = sn_model_chain_default_contact(s->model, chain);
    const int last = sn_model_chain(s->model, chain, false)->last_link;
    const sn_pose tip = sn_kin_link_pose(s->kin, sn_model_link(s->model, (size_t)last));
    double highest = -HUGE_VAL;
    for (size_t k = 0; contact >= 0 && k < sn_model_contact(s->model, (size_t)contact)->point_count;
         k++) {
      const sn_vec3 point = sn_model_contact(s->model, (size_t)contact)->points[k];
      highest = fmax(highest, sn_pose_apply(tip, point).z);
    }
    lowest = contact >= 0 ? fmin(lowest, highest) : lowest;
  }
  return isfinite(lowest) ? lowest : -HUGE_VAL;
}

bool sn__places_find(sn_arena *arena, const sn_model *model, const sn_kin_data *kin,
                     const sn_names *feet, const sn__place_hulls *hulls, sn__place_list *out) {
  *out = (sn__place_list){0};
  search s = {.model = model, .kin = kin, .feet = feet, .hulls = hulls, .list = out};
  s.sole_z = find_sole(&s);
  add_all(&s);
  out->items = SN_NEW(arena, sn__place, out->count + 1);
  if (out->items == NULL) {
    return false;
  }
  add_all(&s);
  return true;
}
