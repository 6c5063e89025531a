/* The balance message of dynamics_inv. */
#include <stdio.h>
#include <string.h>

#include "robot/dynamics_inv.h"

/* "leg1/hoof_flat" for every chain with every contact, and the chain alone. */
bool sn__dynamics_inv_create_texts(sn__dynamics_inv *self, sn_arena *arena) {
  const sn_names *chains = sn_model_chain_names(self->model);
  const size_t row = self->contact_count + 1;
  self->contact_text = SN_NEW(arena, const char *, self->chain_count *row);
  for (size_t i = 0; self->contact_text != NULL && i < self->chain_count * row; i++) {
    const char *chain = sn_names_at(chains, i / row);
    const size_t k = i % row;
    const char *contact = k == self->contact_count ? NULL : sn_model_contact(self->model, k)->name;
    const size_t size = strlen(chain) + (contact == NULL ? 0 : strlen(contact) + 1) + 1;
    char *text = SN_NEW(arena, char, size);
    if (text == NULL) {
      return false;
    }
    snprintf(text, size, "%s%s%s", chain, contact == NULL ? "" : "/",
             contact == NULL ? "" : contact);
    self->contact_text[i] = text;
  }
  return self->contact_text != NULL;
}

/* Names are written only if other chains carry than last time. */
static void list_contacts(sn__dynamics_inv *self, sn_balance_state *out,
                          const sn_balance_result *result) {
  size_t count = 0;
  bool same = true;
  for (size_t i = 0; i < self->known_count; i++) {
    const sn_support *s = &self->known[i];
    if (s->support > 0.0) {
      same = same && count < self->listed_count && self->listed[count].chain == s->chain &&
             self->listed[count].contact == s->contact;
      self->listed[count] = *s;
      out->wrench.data[count++] = result->wrenches[i];
    }
  }
  out->wrench.count = count;
  if (same && count == self->listed_count) {
    return;
  }
  self->listed_count = count;
  sn_msg_names_clear(&out->contact);
  for (size_t i = 0; i < count; i++) {
    const sn_support *s = &self->listed[i];
    const size_t k = s->contact < 0 ? self->contact_count : (size_t)s->contact;
    const char *text = self->contact_text[s->chain * (self->contact_count + 1) + k];
    /* Texts that do not fit are left out, from the end. */
    if (sn_msg_names_add(&out->contact, text, strlen(text)) != SN_OK) {
      return;
    }
  }
}

/* From the frame of the base to that of the world, whose z axis is vertical. */
static void put_into_world(const sn__dynamics_inv *self, sn_balance_state *out) {
  const sn_pose base = self->pose_world_base;
  out->com = sn_pose_apply(base, out->com);
  out->com_velocity = sn_mat3_apply(base.rot, out->com_velocity);
  out->zmp = out->polygon.count > 0 ? sn_pose_apply(base, out->zmp) : out->zmp;
  for (size_t i = 0; i < out->polygon.count; i++) {
    out->polygon.data[i] = sn_pose_apply(base, out->polygon.data[i]);
  }
  for (size_t i = 0; i < out->wrench.count; i++) { /* each about the mean of its own points */
    out->wrench.data[i] = (sn_spatial){sn_mat3_apply(base.rot, out->wrench.data[i].ang),
                                       sn_mat3_apply(base.rot, out->wrench.data[i].lin)};
  }
}

void sn__dynamics_inv_fill_balance(sn__dynamics_inv *self, int64_t stamp_ns,
                                   const sn_balance_result *result) {
  sn_balance_state *out = self->balance.msg;
  out->header.stamp_ns = stamp_ns;
  out->mass = result->mass_kg;
  out->com = result->com;
  out->com_velocity = result->com_velocity;
  out->zmp = result->zmp;
  out->margin = result->margin_m;
  /* If not all corners fit, the first ones: a polygon inside the true one. */
  const size_t room = out->polygon.capacity;
  out->polygon.count = result->corner_count < room ? result->corner_count : room;
  memcpy(out->polygon.data, result->corners, out->polygon.count * sizeof *out->polygon.data);
  list_contacts(self, out, result);
  if (self->is_in_world) {
    put_into_world(self, out);
  }
}

/* Logged when it begins, at most once a second, and when it ends: a trot changes it in every step.
 */
void sn__dynamics_inv_report(sn__dynamics_inv *self, int64_t now_ns,
                             const sn_balance_result *result) {
  const bool is_balanced = result->balanced || result->carrying_count == 0;
  uint64_t suppressed = 0;
  if (is_balanced == self->was_balanced ||
      (!is_balanced && !sn_log_limit_pass(&self->imbalances, now_ns, &suppressed))) {
    return;
  }
  self->was_balanced = is_balanced;
  const sn_log_arg args[] = {{.kind = SN_LOG_REAL, .value.real = sn_vec3_norm(result->missing.lin)},
                             {.kind = SN_LOG_REAL, .value.real = sn_vec3_norm(result->missing.ang)},
                             {.kind = SN_LOG_REAL, .value.real = result->margin_m}};
  if (is_balanced) {
    sn_component_log(&self->component, now_ns, SN_LOG_INFO, "the contacts can balance again", 0,
                     NULL);
  } else {
    sn_component_log(
        &self->component, now_ns, SN_LOG_WARNING,
        "the contacts cannot balance the robot: {} N and {} N·m are missing, the ZMP is {} "
        "m inside the support",
        3, args);
  }
}
