#include "estimation/limb_feet.h"

#include <string.h>

#include "base/fail.h"

static size_t points_at_most(const sn_model *model) {
  size_t most = 1;
  for (size_t i = 0; i < sn_names_count(sn_model_contact_names(model)); i++) {
    const size_t count = sn_model_contact(model, i)->point_count;
    most = count > most ? count : most;
  }
  return most;
}

/* The pose of a link in the frame of an earlier one of the same limb, joints at 0. */
static sn_pose pose_below(const sn_model *model, int from, int to) {
  sn_pose pose = sn_pose_identity();
  for (int at = to; at != from && at >= 0;) {
    const int joint = sn_model_link(model, (size_t)at)->parent_joint;
    if (joint < 0) {
      break;
    }
    const sn_joint *j = sn_model_joint(model, (size_t)joint);
    pose = sn_pose_mul(j->pose_parent_joint, pose);
    at = j->parent_link;
  }
  return pose;
}

static sn__limb limb_of(const sn_model *model, size_t chain, int contact, bool with_virtual) {
  const int last = sn_model_chain(model, chain, false)->last_link;
  const int tip = sn_model_chain(model, chain, with_virtual)->last_link;
  return (sn__limb){.chain = chain,
                    .contact = contact,
                    .link = sn_model_link(model, (size_t)last),
                    .pose_tip_link = sn_pose_inverse(pose_below(model, last, tip))};
}

static void use_contact(sn__limb_feet *feet, size_t foot, int contact) {
  const sn_contact *c = sn_model_contact(feet->model, (size_t)contact);
  feet->limbs[foot].contact = contact;
  feet->feet[foot].point_count = c->point_count;
  feet->is_flat[foot] = c->kind == SN_CONTACT_FULL;
}

static bool create_arrays(sn_arena *arena, sn__limb_feet *feet, size_t chain_count) {
  const size_t points = chain_count * feet->points_max;
  feet->limbs = SN_NEW(arena, sn__limb, chain_count);
  feet->feet = SN_NEW(arena, sn__foot, chain_count);
  feet->turn = SN_NEW(arena, sn_vec3, chain_count);
  feet->is_flat = SN_NEW(arena, bool, chain_count);
  feet->points = SN_NEW(arena, sn_vec3, points);
  feet->velocities = SN_NEW(arena, sn_vec3, points);
  return feet->limbs != NULL && feet->feet != NULL && feet->turn != NULL && feet->is_flat != NULL &&
         feet->points != NULL && feet->velocities != NULL;
}

sn_status sn__limb_feet_create(sn_arena *arena, const sn_model *model, size_t foot_max,
                               bool with_virtual, sn__limb_feet *out, sn_error *err) {
  const size_t chain_count = sn_names_count(sn_model_chain_names(model));
  sn__limb_feet feet = {.model = model, .points_max = points_at_most(model)};
  if (!create_arrays(arena, &feet, chain_count)) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  for (size_t i = 0; i < chain_count && feet.foot_count < foot_max; i++) {
    const int contact = sn_model_chain_default_contact(model, i);
    if (contact < 0) {
      continue;
    }
    const size_t foot = feet.foot_count++;
    feet.limbs[foot] = limb_of(model, i, contact, with_virtual);
    feet.feet[foot].points = &feet.points[foot * feet.points_max];
    use_contact(&feet, foot, contact);
  }
  *out = feet;
  return SN_OK;
}

/* @param twist  of the link's origin, in the base; NULL: unknown */
static void place(sn__limb_feet *feet, size_t foot, sn_pose pose, const sn_spatial *twist) {
  const sn_contact *contact = sn_model_contact(feet->model, (size_t)feet->limbs[foot].contact);
  const size_t first = foot * feet->points_max;
  for (size_t k = 0; k < contact->point_count; k++) {
    const sn_vec3 arm = sn_mat3_apply(pose.rot, contact->points[k]);
    feet->points[first + k] = sn_vec3_add(pose.pos, arm);
    if (twist != NULL) {
      feet->velocities[first + k] = sn_vec3_add(twist->lin, sn_vec3_cross(twist->ang, arm));
    }
  }
  feet->turn[foot] = twist == NULL ? sn_vec3_make(0, 0, 0) : twist->ang;
  feet->feet[foot].velocities = twist == NULL ? NULL : &feet->velocities[first];
}

void sn__limb_feet_from_joints(sn__limb_feet *feet, const sn_kin_data *kin) {
  for (size_t i = 0; i < feet->foot_count; i++) {
    const sn_spatial twist = sn_kin_link_twist(kin, feet->limbs[i].link);
    place(feet, i, sn_kin_link_pose(kin, feet->limbs[i].link), &twist);
  }
}

void sn__limb_feet_from_limb(sn__limb_feet *feet, size_t foot, sn_pose pose_base_tip,
                             const sn_spatial *twist) {
  const sn_pose pose = sn_pose_mul(pose_base_tip, feet->limbs[foot].pose_tip_link);
  if (twist == NULL) {
    place(feet, foot, pose, NULL);
    return;
  }
  const sn_vec3 arm = sn_vec3_sub(pose.pos, pose_base_tip.pos);
  const sn_spatial at_link = {twist->ang, sn_vec3_add(twist->lin, sn_vec3_cross(twist->ang, arm))};
  place(feet, foot, pose, &at_link);
}

bool sn__limb_feet_set_contact(sn__limb_feet *feet, size_t foot, const char *name) {
  sn__limb *limb = &feet->limbs[foot];
  if (strcmp(name, sn_model_contact(feet->model, (size_t)limb->contact)->name) == 0) {
    return true;
  }
  const int found = *name == '\0' ? -1 : sn_model_contact_index(feet->model, name);
  const int usual = sn_model_chain_default_contact(feet->model, limb->chain);
  use_contact(feet, foot, found < 0 ? usual : found);
  return found >= 0 || *name == '\0';
}
