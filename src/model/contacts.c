#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/report_internal.h"
#include "files/value_read.h"
#include "model/model_data.h"

/* Points closer than this coincide, and points this close to a line lie on it: far below
 * manufacturing tolerances, far above rounding. */
#define POINT_TOLERANCE 1e-6 /* m */

/* Classify the points by the one farthest from the first, and the one farthest from that line. */
sn_contact_kind sn__contact_kind(const sn_vec3 *points, size_t count) {
  sn_vec3 line = {0, 0, 0};
  for (size_t i = 1; i < count; i++) {
    const sn_vec3 d = sn_vec3_sub(points[i], points[0]);
    line = sn_vec3_norm(d) > sn_vec3_norm(line) ? d : line;
  }
  const double length = sn_vec3_norm(line);
  if (length <= POINT_TOLERANCE) {
    return SN_CONTACT_POINT;
  }
  for (size_t i = 1; i < count; i++) {
    const sn_vec3 d = sn_vec3_sub(points[i], points[0]);
    if (sn_vec3_norm(sn_vec3_cross(d, line)) / length > POINT_TOLERANCE) {
      return SN_CONTACT_FULL;
    }
  }
  return SN_CONTACT_AXIS;
}

static void set_points(sn_contact *contact, const sn_vec3 *points, size_t count) {
  static const int freedoms[] = {
      [SN_CONTACT_POINT] = 3, [SN_CONTACT_AXIS] = 1, [SN_CONTACT_FULL] = 0};
  contact->points = points;
  contact->point_count = count;
  contact->kind = sn__contact_kind(points, count);
  contact->freedoms = freedoms[contact->kind];
}

/* One contact; a bad one is reported and left empty. @return false if memory runs out */
static bool read_contact(sn__build *build, const sn_value *value, sn_contact *contact) {
  if (!sn__value_expect(build->report, value, SN_VALUE_BAG)) {
    return true;
  }
  const sn_value *list = sn_value_find(value, "points");
  if (list != NULL && !sn__value_expect(build->report, list, SN_VALUE_LIST)) {
    return true;
  }
  if (list == NULL || list->item_count == 0) {
    sn__report_add(build->report, SN_SEVERITY_ERROR, value->place, NULL,
                   "contact '%.80s' has no points", value->name);
    return true;
  }
  sn_vec3 *points = SN_NEW(build->arena, sn_vec3, list->item_count);
  if (points == NULL) {
    return false;
  }
  for (size_t i = 0; i < list->item_count; i++) {
    if (!sn__value_vec3(list->items[i], &points[i])) {
      sn__report_add(build->report, SN_SEVERITY_ERROR, list->items[i]->place,
                     "such as [0.1, 0, -0.02]",
                     "contact '%.80s': point %zu is not three finite decimal numbers x, y, z",
                     value->name, i + 1);
    }
  }
  set_points(contact, points, list->item_count);
  return true;
}

/* Names and contacts become those of the model. */
static bool keep_contacts(sn__build *build, sn_contact *contacts, const char **names,
                          size_t count) {
  if (sn_names_create(build->arena, names, count, &build->model->contact_names, NULL) != SN_OK) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    contacts[i].name = sn_names_at(build->model->contact_names, i);
  }
  build->model->contacts = contacts;
  return true;
}

static bool read_contacts(sn__build *build, const sn_value *bag) {
  const size_t count = bag->item_count;
  sn_contact *contacts = SN_NEW(build->arena, sn_contact, count);
  const char **names = SN_NEW(build->scratch, const char *, count);
  if (contacts == NULL || names == NULL) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    names[i] = bag->items[i]->name;
    if (!read_contact(build, bag->items[i], &contacts[i])) {
      return false;
    }
  }
  return keep_contacts(build, contacts, names, count);
}

/* ---- feet of derived legs ---- */

enum { SOLE_JOINTS_MIN = 5 }; /* joints that keep a sole flat wherever the foot is */

static size_t count_legs(const sn__layout *layout) {
  size_t count = 0;
  for (size_t i = 0; i < layout->chain_count; i++) {
    count += layout->chains[i].is_leg ? 1 : 0;
  }
  return count;
}

/* Driven joints above a link. */
static size_t joints_above(const sn_model *model, int link, int first) {
  size_t count = 0;
  for (; link != first; link = sn__link_parent(model, link)) {
    count += model->joints[model->links[link].parent_joint].type != SN_JOINT_FIXED ? 1 : 0;
  }
  return count;
}

/* A contact `<chain>_foot`. @return false: no memory */
static bool make_foot(sn__build *build, const sn__chain_plan *plan, bool is_biped,
                      sn_contact *contact, const char **name) {
  sn_vec3 *points = SN_NEW(build->arena, sn_vec3, SN__FOOT_POINTS_MAX);
  const size_t size = strlen(plan->name) + sizeof "_foot";
  char *text = sn_arena_alloc(build->scratch, size, 1);
  if (points == NULL || text == NULL) {
    return false;
  }
  snprintf(text, size, "%s_foot", plan->name);
  const bool has_sole =
      is_biped || joints_above(build->model, plan->last_link, plan->first_link) >= SOLE_JOINTS_MIN;
  set_points(contact, points,
             sn__foot_points(build->model, plan->first_link, plan->last_link, has_sole, points));
  *name = text;
  return true;
}

static bool make_feet(sn__build *build, sn__layout *layout) {
  const size_t legs = count_legs(layout);
  const size_t count = legs < 2 ? 0 : legs;
  sn_contact *contacts = SN_NEW(build->arena, sn_contact, count);
  const char **names = SN_NEW(build->scratch, const char *, count);
  int *feet = SN_NEW(build->scratch, int, layout->chain_count);
  if (contacts == NULL || names == NULL || feet == NULL) {
    return false;
  }
  int next = 0;
  for (size_t i = 0; i < layout->chain_count; i++) {
    feet[i] = count > 0 && layout->chains[i].is_leg ? next++ : -1;
    if (feet[i] >= 0 &&
        !make_foot(build, &layout->chains[i], legs == 2, &contacts[feet[i]], &names[feet[i]])) {
      return false;
    }
  }
  layout->feet = count > 0 ? feet : NULL;
  return keep_contacts(build, contacts, names, count);
}

bool sn__contacts_read(sn__build *build, sn__layout *layout) {
  const sn_value *bag = layout->contacts;
  if (bag == NULL) {
    return make_feet(build, layout);
  }
  static const sn_value none = {.kind = SN_VALUE_BAG};
  return read_contacts(build, sn__value_expect(build->report, bag, SN_VALUE_BAG) ? bag : &none);
}
