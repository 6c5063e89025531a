#include "robot/robot_messages.h"

#include <string.h>

#include "base/fail.h"
#include "msg/table.h"

static const char *type_text(sn_joint_type type) {
  static const char *const texts[] = {
      [SN_JOINT_FIXED] = "fixed",           [SN_JOINT_REVOLUTE] = "revolute",
      [SN_JOINT_CONTINUOUS] = "continuous", [SN_JOINT_PRISMATIC] = "prismatic",
      [SN_JOINT_FLOATING] = "floating",     [SN_JOINT_PLANAR] = "planar"};
  return texts[type];
}

static void clear(sn_call_tree *out) {
  sn_msg_names_clear(&out->links);
  sn_msg_names_clear(&out->joints);
  sn_msg_names_clear(&out->types);
  out->parents.count = out->origins.count = out->axes.count = 0;
}

static bool add_name(sn_msg_names *names, const char *name) {
  return sn_msg_names_add(names, name, strlen(name)) == SN_OK;
}

/* @param parent  index of the parent in the message; -1: it is the first */
static sn_status add_link(const sn_model *model, int link, int parent, sn_call_tree *out,
                          sn_error *err) {
  const sn_link *l = sn_model_link(model, (size_t)link);
  const sn_joint none = {.name = "", .pose_parent_joint = sn_pose_identity()};
  const sn_joint *joint = parent < 0 ? &none : sn_model_joint(model, (size_t)l->parent_joint);
  const size_t i = out->links.count;
  const bool fits = i < out->parents.capacity && i < out->origins.capacity &&
                    i < out->axes.capacity && add_name(&out->links, l->name) &&
                    add_name(&out->joints, joint->name) &&
                    add_name(&out->types, parent < 0 ? "" : type_text(joint->type));
  if (!fits) {
    clear(out);
    return sn__fail(err, SN_ENOSPC, "the links do not fit into the message");
  }
  out->parents.data[i] = parent;
  out->origins.data[i] = sn_msg_pose_from(joint->pose_parent_joint);
  out->axes.data[i] = joint->axis;
  out->parents.count = out->origins.count = out->axes.count = i + 1;
  return SN_OK;
}

static int parent_of(const sn_model *model, int link) {
  const int joint = sn_model_link(model, (size_t)link)->parent_joint;
  return joint < 0 ? -1 : sn_model_joint(model, (size_t)joint)->parent_link;
}

sn_status sn__robot_tree_of_all(const sn_model *model, sn_call_tree *out, sn_error *err) {
  sn_status status = SN_OK;
  clear(out);
  for (size_t i = 0; status == SN_OK && i < sn_model_link_count(model); i++) {
    status = add_link(model, (int)i, parent_of(model, (int)i), out, err); /* in tree order */
  }
  return status;
}

sn_status sn__robot_tree_of_chain(const sn_model *model, size_t chain, bool with_virtual_joints,
                                  sn_call_tree *out, sn_error *err) {
  const sn_chain *c = sn_model_chain(model, chain, with_virtual_joints);
  size_t count = 1;
  for (int at = c->last_link; at != c->first_link; at = parent_of(model, at)) {
    count++;
  }
  sn_status status = SN_OK;
  clear(out);
  for (size_t i = 0; status == SN_OK && i < count; i++) {
    int at = c->last_link; /* the i-th from the first: chains are short */
    for (size_t k = count - 1; k > i; k--) {
      at = parent_of(model, at);
    }
    status = add_link(model, at, (int)i - 1, out, err);
  }
  return status;
}

/* ---- limbs ---- */

static const sn_msg_field fields[] = {
    SN_MSG_FIELD(sn__call_limbs, "chains", chains, ""),
    SN_MSG_FIELD(sn__call_limbs, "contacts", contacts, ""),
    SN_MSG_FIELD(sn__call_limbs, "joint_counts", joint_counts, ""),
    SN_MSG_FIELD(sn__call_limbs, "joints", joints, ""),
};
const sn_msg_type sn__call_limbs_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "Limbs"),
                                         .brief = "Chains, their default contacts and joints.",
                                         .size = sizeof(sn__call_limbs), SN__FIELDS(fields)};

static sn_status add(sn_msg_names *names, const char *name) {
  return sn_msg_names_add(names, name, strlen(name));
}

static sn_status add_chain(const sn_model *model, size_t index, sn__call_limbs *out) {
  const sn_chain *chain = sn_model_chain(model, index, true);
  const int contact = sn_model_chain_default_contact(model, index);
  if (out->joint_counts.count == out->joint_counts.capacity) {
    return SN_ENOSPC;
  }
  out->joint_counts.data[out->joint_counts.count++] = (uint32_t)chain->joint_count;
  sn_status status = add(&out->chains, sn_names_at(sn_model_chain_names(model), index));
  if (status == SN_OK) {
    status = add(&out->contacts, contact < 0 ? "" : sn_model_contact(model, (size_t)contact)->name);
  }
  for (size_t i = 0; status == SN_OK && i < chain->joint_count; i++) {
    status = add(&out->joints, sn_model_joint(model, (size_t)chain->joints[i])->name);
  }
  return status;
}

sn_status sn__model_list_limbs(const sn_model *model, sn__call_limbs *out) {
  sn_msg_names_clear(&out->chains);
  sn_msg_names_clear(&out->contacts);
  sn_msg_names_clear(&out->joints);
  out->joint_counts.count = 0;
  sn_status status = SN_OK;
  for (size_t c = 0; status == SN_OK && c < sn_names_count(sn_model_chain_names(model)); c++) {
    status = add_chain(model, c, out);
  }
  return status;
}
