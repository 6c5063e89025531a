/* Contacts of a robot with the ground. */
#include <math.h>

#include "base/fail.h"
#include "plant/places.h"
#include "plant/plant.h"
#include "plant/plant_state.h"
#include "sinew/dyn.h"

static const double FRICTION_DEFAULT = 0.8, FRICTION_MAX = 100.0, SLOPE_MAX = 10.0;

static bool make_contacts(sn_plant *p, sn_arena *arena, const sn_plant_config *config) {
  sn__place_list list;
  sn__place_hulls hulls;
  sn_dyn_data *dyn = NULL;
  if (!sn__place_hulls_read(arena, p->model, config->robot_file, config->package_path, &hulls) ||
      !sn__places_find(arena, p->model, p->kin, p->foot_names, &hulls, &list) ||
      sn_dyn_create(arena, &p->tree, &dyn, NULL) != SN_OK) {
    return false;
  }
  sn__contact_place *places = SN_NEW(arena, sn__contact_place, list.count + 1);
  p->contact_chains = SN_NEW(arena, int, list.count + 1);
  if (places == NULL || p->contact_chains == NULL) {
    return false;
  }
  for (size_t i = 0; i < list.count; i++) {
    places[i] = list.items[i].at;
    p->contact_chains[i] = list.items[i].chain;
  }
  p->boxed_link = list.boxed;
  return sn__contacts_create(arena, places, list.count, sn_dyn_total_mass(dyn), &p->contacts);
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

sn_status sn__plant_make_ground(sn_plant *p, sn_arena *arena, const sn_plant_config *config,
                                sn_error *err) {
  p->floats = true;
  if (!sn__plant_find_feet(p, arena) || sn_kin_create(arena, &p->tree, &p->kin, NULL) != SN_OK) {
    return SN_ENOMEM;
  }
  sn_kin_update(p->kin, p->start);
  return make_contacts(p, arena, config) ? take_ground(p, arena, config->ground, err) : SN_ENOMEM;
}

const char *sn__plant_boxed_link(const sn_plant *p) {
  return p->boxed_link;
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
  const sn_vec3 at = sn_pose_apply(sn_kin_body_pose(plant->kin, point->body), point->at);
  const sn_vec3 centre = sn_pose_apply(plant->base.pose_world_base, at);
  sn_vec3 normal;
  (void)sn__ground_gap(&plant->contacts.ground, centre, &normal);
  return (sn_plant_contact){plant->contact_chains[index],
                            sn_vec3_add_scaled(centre, -point->radius, normal), point->force_N};
}
