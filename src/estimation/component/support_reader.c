#include "estimation/component/support_reader.h"

bool sn__support_reader_init(sn__support_reader *reader, sn_arena *arena,
                             const sn__limb_feet *feet) {
  *reader = (sn__support_reader){.touches = SN_NEW(arena, bool, feet->foot_count)};
  return reader->touches != NULL &&
         sn__name_map_init(&reader->names, arena, sn_model_chain_names(feet->model));
}

sn__read_verdict sn__support_reader_take(sn__support_reader *reader, const sn_support_state *msg,
                                         sn__limb_feet *feet, bool sets_contacts, bool *unknown) {
  const sn__read_verdict verdict =
      sn__name_map_read(&reader->names, &msg->name, &msg->support, NULL, NULL, NULL);
  *unknown = verdict == SN__READ_UNKNOWN;
  if (!sn__read_is_good(verdict)) {
    return verdict;
  }
  reader->has_message = true;
  for (size_t i = 0; i < feet->foot_count; i++) {
    const int at = reader->names.at[feet->limbs[i].chain];
    reader->touches[i] = at >= 0 && msg->support.data[at] > 0.5;
    if (sets_contacts && at >= 0 && (size_t)at < msg->contact.count) {
      const char *name = sn_msg_names_at(&msg->contact, (size_t)at);
      *unknown = !sn__limb_feet_set_contact(feet, i, name) || *unknown;
    }
  }
  return verdict;
}
