#include "robot/robot_model_limbs.h"

#include <string.h>

#include "msg/table.h"

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
