/* Boxes that stand on the ground, from the properties of the component that has them: that of the
   simulated robot, or any other with a list `boxes` of the same form. */
#include "controllers/walking/ground_boxes.h"

#include <string.h>

#include "sinew/system.h"

/* A list of three numbers of a bag; NULL if it has no such property. */
static const double *three_of(const sn_property *boxes, const char *bag, const char *name) {
  const sn_property *property = sn_property_find(boxes->items, name);
  if (property == NULL || property->kind != SN_PROPERTY_REALS) {
    return NULL;
  }
  sn_reals list;
  memcpy(&list, bag + property->offset, sizeof list);
  return list.count == 3 ? list.data : NULL;
}

static bool read_box(const sn_property *boxes, const char *bag, sn__obstacle *out) {
  const double *at = three_of(boxes, bag, "position"), *rpy = three_of(boxes, bag, "rpy");
  const double *size = three_of(boxes, bag, "size");
  if (at == NULL || rpy == NULL || size == NULL) {
    return false;
  }
  *out = (sn__obstacle){{sn_mat3_from_rpy(rpy[0], rpy[1], rpy[2]), {at[0], at[1], at[2]}},
                        {0.5 * size[0], 0.5 * size[1], 0.5 * size[2]}};
  return true;
}

const sn__obstacle *sn__ground_boxes(const sn_component *component, const char *ground,
                                     sn_arena *arena, size_t *count) {
  const sn_component *owner = sn_system_find(component->system, ground);
  const sn_property *boxes =
      owner == NULL ? NULL : sn_property_find(owner->type->properties, "boxes");
  sn_bags bags = {0};
  *count = 0;
  if (boxes == NULL || boxes->kind != SN_PROPERTY_BAGS) {
    return NULL;
  }
  memcpy(&bags, (const char *)owner + boxes->offset, sizeof bags);
  sn__obstacle *out = SN_NEW(arena, sn__obstacle, bags.count + 1);
  for (size_t i = 0; out != NULL && i < bags.count; i++) {
    const char *bag = (const char *)bags.data + i * boxes->item_size;
    *count += read_box(boxes, bag, &out[*count]);
  }
  return out;
}
