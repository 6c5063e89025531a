/* The feet of a robot: contact switches and forces. */
#include <math.h>

#include "plant/plant.h"
#include "plant/plant_state.h"

static bool has_contacts(const sn_model *model) {
  bool has = false;
  for (size_t i = 0; i < sn_names_count(sn_model_chain_names(model)); i++) {
    has = has || sn_model_chain_default_contact(model, i) >= 0;
  }
  return has;
}

/* Is the default contact of a chain below the root link? */
static bool is_below(const sn_model *model, size_t chain, const sn_kin_data *kin) {
  const int contact = sn_model_chain_default_contact(model, chain);
  const sn_contact *points = sn_model_contact(model, (size_t)contact);
  const sn_chain *run = sn_model_chain(model, chain, false);
  const sn_pose tip = sn_kin_link_pose(kin, sn_model_link(model, (size_t)run->last_link));
  bool is_low = true;
  for (size_t i = 0; i < points->point_count; i++) {
    is_low = is_low && sn_pose_apply(tip, points->points[i]).z < 0.0;
  }
  return is_low;
}

bool sn__plant_has_feet(sn_arena *arena, const sn_model *model, const double *pose) {
  const sn_arena_mark mark = sn_arena_save(arena);
  const size_t n = sn_model_pose_size(model);
  double *q = SN_NEW(arena, double, n + 1);
  sn_kin_data *kin = NULL;
  size_t feet = 0, others = 0;
  if (q != NULL && sn_kin_create(arena, sn_model_tree(model), &kin, NULL) == SN_OK) {
    for (size_t i = 0; i < n; i++) {
      q[i] = isnan(pose[i]) ? 0.0 : pose[i];
    }
    sn_kin_update(kin, q);
    for (size_t i = 0; i < sn_names_count(sn_model_chain_names(model)); i++) {
      if (sn_model_chain_default_contact(model, i) >= 0) {
        const bool is_foot = is_below(model, i, kin);
        feet += is_foot;
        others += !is_foot;
      }
    }
  }
  sn_arena_restore(arena, mark);
  return feet >= 2 && others == 0;
}

bool sn__plant_find_feet(sn_plant *p, sn_arena *arena) {
  const sn_names *chains = sn_model_chain_names(p->model);
  const char **names = SN_NEW(arena, const char *, sn_names_count(chains) + 1);
  const bool any = !has_contacts(p->model);
  size_t count = 0;
  for (size_t i = 0; names != NULL && i < sn_names_count(chains); i++) {
    const bool moves = sn_model_chain(p->model, i, false)->joint_count > 0;
    if (any ? moves : sn_model_chain_default_contact(p->model, i) >= 0) {
      names[count++] = sn_names_at(chains, i);
    }
  }
  return names != NULL && sn_names_create(arena, names, count, &p->foot_names, NULL) == SN_OK;
}

const sn_names *sn__plant_foot_names(const sn_plant *p) {
  return p->foot_names;
}

static int chain_of(const sn_plant *p, size_t foot) {
  return sn_model_chain_index(p->model, sn_names_at(p->foot_names, foot));
}

const char *sn__plant_foot_contact(const sn_plant *p, size_t foot) {
  const int contact = sn_model_chain_default_contact(p->model, (size_t)chain_of(p, foot));
  return contact < 0 ? "" : sn_model_contact(p->model, (size_t)contact)->name;
}

sn_plant_foot sn__plant_foot_at(const sn_plant *p, size_t foot) {
  const int chain = chain_of(p, foot);
  sn_plant_foot out = {.touches = false};
  sn_vec3 middle = {0, 0, 0}, pressed = {0, 0, 0};
  double count = 0.0, pressure = 0.0;
  for (size_t i = 0; i < p->contacts.point_count; i++) {
    if (p->contact_chains[i] == chain) {
      const sn_plant_contact one = sn__plant_contact_at(p, i);
      const double size = sn_vec3_norm(one.force_N);
      out.force_N = sn_vec3_add(out.force_N, one.force_N);
      middle = sn_vec3_add(middle, one.point);
      pressed = sn_vec3_add_scaled(pressed, size, one.point);
      pressure += size;
      count += 1.0;
    }
  }
  const bool is_pressed = pressure > 0.0;
  out.point = sn_vec3_scale(is_pressed ? pressed : middle, 1.0 / (is_pressed ? pressure : count));
  out.touches = sn_vec3_norm(out.force_N) > p->settings.contact_threshold_N;
  return out;
}
