#include <math.h>
#include <string.h>

#include "base/report_internal.h"
#include "files/value_read.h"
#include "model/model_data.h"

/* Points closer than this coincide, and points this close to a line lie on it: far below
 * manufacturing tolerances, far above rounding. */
#define POINT_TOLERANCE 1e-6 /* m */

/* Classify the points by the one farthest from the first, and the one farthest from that line. */
static sn_contact_kind find_kind(const sn_vec3 *points, size_t count) {
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

/* One contact; a bad one is reported and left empty. @return false if memory runs out */
static bool read_contact(sn__build *build, const sn_value *value, sn_contact *contact) {
  static const int freedoms[] = {
      [SN_CONTACT_POINT] = 3, [SN_CONTACT_AXIS] = 1, [SN_CONTACT_FULL] = 0};
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
  contact->points = points;
  contact->point_count = list->item_count;
  contact->kind = find_kind(points, list->item_count);
  contact->freedoms = freedoms[contact->kind];
  return true;
}

bool sn__contacts_read(sn__build *build, const sn__layout *layout) {
  const sn_value *bag = layout->contacts;
  const bool is_there = bag != NULL && sn__value_expect(build->report, bag, SN_VALUE_BAG);
  const size_t count = is_there ? bag->item_count : 0;
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
  if (sn_names_create(build->arena, names, count, &build->model->contact_names, NULL) != SN_OK) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    contacts[i].name = sn_names_at(build->model->contact_names, i);
  }
  build->model->contacts = contacts;
  return true;
}
