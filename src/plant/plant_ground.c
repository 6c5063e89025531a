/* Contacts of a robot with the ground, and its initial placement. */
#include <math.h>

#include "base/fail.h"
#include "plant/plant.h"
#include "plant/plant_state.h"
#include "sinew/dyn.h"

static const double FRICTION_DEFAULT = 0.8, FRICTION_MAX = 100.0, SLOPE_MAX = 10.0;

/* A place on a link, and the chain that it belongs to. */
typedef struct place {
  sn__contact_place at;
  int chain;
} place;

typedef struct place_list {
  place *items;
  size_t count;
} place_list;

static void add(place_list *list, const sn_link *link, sn_vec3 point, int chain) {
  if (list->items != NULL) {
    list->items[list->count] =
        (place){{.body = link->body, .at = sn_pose_apply(link->pose_body_link, point)}, chain};
  }
  list->count++;
}

/* The contact points of a chain, or the tip of a movable chain without any. */
static void add_chain(place_list *list, const sn_model *model, size_t index) {
  const sn_chain *chain = sn_model_chain(model, index, false);
  const sn_link *tip = sn_model_link(model, (size_t)chain->last_link);
  const int contact = sn_model_chain_default_contact(model, index);
  const sn_contact *points = contact < 0 ? NULL : sn_model_contact(model, (size_t)contact);
  for (size_t i = 0; points != NULL && i < points->point_count; i++) {
    add(list, tip, points->points[i], (int)index);
  }
  if (points == NULL && chain->joint_count > 0) {
    add(list, tip, sn_vec3_make(0, 0, 0), (int)index);
  }
}

/* The origins of the links, so that a fallen robot rests on the ground. */
static void add_links(place_list *list, const sn_model *model) {
  for (size_t i = 0; i < sn_model_link_count(model); i++) {
    const sn_link *link = sn_model_link(model, i);
    if (link->mass_kg > 0.0) {
      add(list, link, link->com, -1);
    }
  }
}

static void add_all(place_list *list, const sn_model *model) {
  list->count = 0;
  for (size_t i = 0; i < sn_names_count(sn_model_chain_names(model)); i++) {
    add_chain(list, model, i);
  }
  add_links(list, model);
}

/* Contacts are sorted by body. */
static bool sort(const sn_plant *p, const place_list *list, sn__contact_place *places,
                 int *chains) {
  size_t count = 0;
  for (int body = -1; body < (int)p->tree.body_count; body++) {
    for (size_t i = 0; i < list->count; i++) {
      if (list->items[i].at.body == body) {
        chains[count] = list->items[i].chain;
        places[count++] = list->items[i].at;
      }
    }
  }
  return count == list->count;
}

static bool make_contacts(sn_plant *p, sn_arena *arena) {
  place_list list = {0};
  add_all(&list, p->model); /* counts */
  list.items = SN_NEW(arena, place, list.count + 1);
  sn__contact_place *places = SN_NEW(arena, sn__contact_place, list.count + 1);
  p->contact_chains = SN_NEW(arena, int, list.count + 1);
  sn_dyn_data *dyn = NULL;
  if (list.items == NULL || places == NULL || p->contact_chains == NULL ||
      sn_dyn_create(arena, &p->tree, &dyn, NULL) != SN_OK) {
    return false;
  }
  add_all(&list, p->model);
  return sort(p, &list, places, p->contact_chains) &&
         sn__contacts_create(arena, places, list.count, sn_dyn_total_mass(dyn), &p->contacts);
}

static sn_status make_boxes(sn_plant *p, sn_arena *arena, const sn_plant_ground *ground,
                            sn_error *err) {
  sn__ground_box *boxes = SN_NEW(arena, sn__ground_box, ground->box_count + 1);
  if (boxes == NULL) {
    return SN_ENOMEM;
  }
  for (size_t i = 0; i < ground->box_count; i++) {
    const sn_vec3 size = ground->boxes[i].size;
    if (!(size.x > 0.0) || !(size.y > 0.0) || !(size.z > 0.0)) {
      return sn__fail(err, SN_EINVAL, "box %zu of the ground is %g x %g x %g m, must be above 0", i,
                      size.x, size.y, size.z);
    }
    boxes[i] = (sn__ground_box){ground->boxes[i].pose_world_box, sn_vec3_scale(size, 0.5)};
  }
  p->contacts.ground.boxes = boxes;
  p->contacts.ground.box_count = ground->box_count;
  return SN_OK;
}

static sn_status take_ground(sn_plant *p, sn_arena *arena, const sn_plant_ground *ground,
                             sn_error *err) {
  const double x = ground->slope_x, y = ground->slope_y;
  const double friction = ground->friction == 0.0 ? FRICTION_DEFAULT : fmax(ground->friction, 0.0);
  if (!(fabs(x) <= SLOPE_MAX) || !(fabs(y) <= SLOPE_MAX) || !(friction <= FRICTION_MAX)) {
    return sn__fail(err, SN_EINVAL,
                    "ground: slopes %g and %g must be within %g, friction %g at most %g", x, y,
                    SLOPE_MAX, friction, FRICTION_MAX);
  }
  const sn_vec3 normal = {-x, -y, 1.0};
  p->contacts.ground.normal = sn_vec3_scale(normal, 1.0 / sn_vec3_norm(normal));
  p->contacts.ground.friction = friction;
  return make_boxes(p, arena, ground, err);
}

sn_status sn__plant_make_ground(sn_plant *p, sn_arena *arena, const sn_plant_ground *ground,
                                sn_error *err) {
  p->floats = true;
  if (!make_contacts(p, arena) || sn_kin_create(arena, &p->tree, &p->kin, NULL) != SN_OK) {
    return SN_ENOMEM;
  }
  return sn__plant_find_feet(p, arena) ? take_ground(p, arena, ground, err) : SN_ENOMEM;
}

bool sn__plant_floats(const sn_plant *plant) {
  return plant->floats;
}

sn_pose sn__plant_base(const sn_plant *plant, sn_spatial *twist, sn_spatial *acceleration) {
  if (twist != NULL) {
    *twist = plant->base.twist;
  }
  if (acceleration != NULL) {
    *acceleration = plant->base.acceleration;
  }
  return plant->base.pose_world_base;
}

size_t sn__plant_contact_count(const sn_plant *plant) {
  return plant->contacts.point_count;
}

sn_plant_contact sn__plant_contact_at(const sn_plant *plant, size_t index) {
  const sn__contact_point *point = &plant->contacts.points[index];
  return (sn_plant_contact){plant->contact_chains[index],
                            sn_pose_apply(plant->base.pose_world_base, point->where),
                            point->force_N};
}
