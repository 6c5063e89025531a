#include "gate/supports.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "msg/name_map.h"

typedef struct support {
  int owner;
  int former[2]; /* lost it, and may not know yet: their next messages are ignored; -1: none */
  double value;
  int contact; /* index, or -1 */
  int contact_default;
} support;

struct sn__supports {
  const sn_model *model;
  const sn_names *chains;
  size_t chain_count;
  support *all;
  sn__name_map names;
};

sn__supports *sn__supports_create(sn_arena *arena, const sn_model *model) {
  const sn_names *chains = sn_model_chain_names(model);
  const size_t count = sn_names_count(chains);
  sn__supports *supports = SN_NEW(arena, sn__supports, 1);
  support *all = SN_NEW(arena, support, count);
  if (supports == NULL || all == NULL) {
    return NULL;
  }
  *supports = (sn__supports){.model = model, .chains = chains, .chain_count = count, .all = all};
  if (!sn__name_map_init(&supports->names, arena, chains)) {
    return NULL;
  }
  for (size_t i = 0; i < count; i++) {
    all[i].owner = all[i].former[0] = all[i].former[1] = -1;
    all[i].contact = all[i].contact_default = sn_model_chain_default_contact(model, i);
  }
  return supports;
}

static bool has_own_joint(const sn_model *model, size_t index, const sn_chain *chain) {
  for (size_t i = 0; i < chain->joint_count; i++) {
    if (sn_model_joint(model, (size_t)chain->joints[i])->chain == (int)index) {
      return true;
    }
  }
  return false;
}

/* The source that owns all joints of a chain. Joints shared with an earlier chain count
   only if the chain has no others. */
static int owner_of(const sn__supports *supports, size_t index, const int *owners) {
  const sn_chain *chain = sn_model_chain(supports->model, index, true);
  const bool all_count = !has_own_joint(supports->model, index, chain);
  int owner = -1;
  size_t counted = 0;
  for (size_t i = 0; i < chain->joint_count; i++) {
    const int joint = chain->joints[i];
    if (all_count || sn_model_joint(supports->model, (size_t)joint)->chain == (int)index) {
      owner = counted++ == 0 || owner == owners[joint] ? owners[joint] : -2;
    }
  }
  return owner < 0 ? -1 : owner;
}

void sn__supports_own(sn__supports *supports, const int *owners) {
  for (size_t i = 0; i < supports->chain_count; i++) {
    support *s = &supports->all[i];
    const int owner = owner_of(supports, i, owners);
    if (owner != s->owner) {
      s->former[1] = s->former[0];
      s->former[0] = s->owner;
      s->owner = owner;
      s->value = 0.0;
      s->contact = s->contact_default;
    }
  }
}

static sn_gate_reason check(sn__supports *supports, const sn_support_state *msg, int *chain) {
  if (msg->contact.count != msg->name.count && msg->contact.count != 0) {
    return SN_GATE_LENGTHS;
  }
  switch (sn__name_map_read(&supports->names, &msg->name, &msg->support, NULL, NULL, chain)) {
    case SN__READ_LENGTHS:
      return SN_GATE_LENGTHS;
    case SN__READ_NOT_FINITE:
      return SN_GATE_NOT_FINITE;
    case SN__READ_DUPLICATE:
      return SN_GATE_DUPLICATE;
    default:
      return SN_GATE_REASON_COUNT;
  }
}

static sn_gate_reason take_one(sn__supports *supports, int source, size_t index,
                               const sn_support_state *msg) {
  support *s = &supports->all[index];
  if (s->owner != source) {
    for (size_t i = 0; i < 2; i++) {
      if (s->former[i] == source) {
        s->former[i] = -1;
        return SN_GATE_REASON_COUNT; /* it wrote before it could know */
      }
    }
    return SN_GATE_NOT_OWNER;
  }
  const size_t at = (size_t)supports->names.at[index];
  int contact = s->contact_default;
  const char *name = msg->contact.count == 0 ? "" : sn_msg_names_at(&msg->contact, at);
  if (*name != '\0') {
    contact = sn_model_contact_index(supports->model, name);
    if (contact < 0) {
      return SN_GATE_UNKNOWN;
    }
  }
  s->contact = contact;
  s->value = fmax(0.0, fmin(1.0, msg->support.data[at]));
  return s->value == msg->support.data[at] ? SN_GATE_REASON_COUNT : SN_GATE_CLAMPED;
}

sn_gate_reason sn__supports_take(sn__supports *supports, int source, const sn_support_state *msg,
                                 int *chain) {
  *chain = -1;
  sn_gate_reason reason = check(supports, msg, chain);
  if (reason != SN_GATE_REASON_COUNT) {
    return reason;
  }
  for (size_t i = 0; i < supports->chain_count; i++) {
    if (supports->names.at[i] < 0) {
      continue;
    }
    const sn_gate_reason one = take_one(supports, source, i, msg);
    if (one != SN_GATE_REASON_COUNT) {
      reason = one;
      *chain = (int)i;
    }
  }
  return reason == SN_GATE_REASON_COUNT && supports->names.has_unknown ? SN_GATE_UNKNOWN : reason;
}

static const char *contact_name(const sn__supports *supports, const support *s) {
  return s->contact < 0 ? "" : sn_model_contact(supports->model, (size_t)s->contact)->name;
}

sn_status sn__supports_write(sn__supports *supports, sn_support_state *msg) {
  if (supports->chain_count > msg->support.capacity) {
    return SN_ENOSPC;
  }
  sn_msg_names_share(&msg->name, supports->chains);
  sn_msg_names_clear(&msg->contact);
  msg->support.count = supports->chain_count;
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < supports->chain_count; i++) {
    const support *s = &supports->all[i];
    const char *name = contact_name(supports, s);
    msg->support.data[i] = s->value;
    status = sn_msg_names_add(&msg->contact, name, strlen(name));
  }
  return status;
}
