/* The emergency stop in the journal: what each activity saw of it, and from which cycle on. */
#include <string.h>

#include "base/fail.h"
#include "rt/journal/journal.h"
#include "rt/journal/journal_ring.h"
#include "sinew/msg_cdr.h"

static const sn_msg_field fields[] = {
    SN_MSG_FIELD(sn_journal_stop, "number", number, ""),
    SN_MSG_FIELD(sn_journal_stop, "first", first, ""),
    SN_MSG_FIELD(sn_journal_stop, "gates", gates, ""),
    SN_MSG_FIELD(sn_journal_stop, "is_limp", is_limp, ""),
    SN_MSG_FIELD(sn_journal_stop, "is_frozen", is_frozen, ""),
    SN_MSG_FIELD(sn_journal_stop, "has_text", has_text, ""),
    SN_MSG_FIELD(sn_journal_stop, "who", who, ""),
    SN_MSG_FIELD(sn_journal_stop, "why", why, ""),
};
const sn_msg_type sn_journal_stop_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "JournalStop"),
                                          .brief = "What an activity sees of the emergency stop.",
                                          .size = sizeof(sn_journal_stop), .fields = fields,
                                          .field_count = sizeof fields / sizeof *fields};

/* The message, with the texts of a sight as the memory of its own. */
static sn_msg_text text_in(char *data, size_t size) {
  return (sn_msg_text){.data = data, .count = strlen(data), .capacity = size - 1};
}

void sn__journal_stop(sn_activity *activity) {
  sn__estop_sight *sight = &activity->stop;
  const sn_journal_stop msg = {.number = sight->view.number,
                               .first = sight->view.first,
                               .gates = (uint8_t)sight->view.gates,
                               .is_limp = sight->view.is_limp,
                               .is_frozen = sight->view.is_frozen,
                               .has_text = sight->has_text,
                               .who = text_in(sight->text.who, sizeof sight->text.who),
                               .why = text_in(sight->text.why, sizeof sight->text.why)};
  sn__journal_draft d = {.head = {.kind = SN_JOURNAL_STOP},
                         .name = activity->config.name,
                         .point = "stop",
                         .type = &sn_journal_stop_type,
                         .data = &msg};
  sn__journal_put(activity, &d);
}

sn_status sn_journal_replay_stop(sn_system *system, const sn_journal_entry *entry, sn_error *err) {
  sn_activity *activity = sn_system_find_activity(system, entry->activity.data);
  if (activity == NULL) {
    return sn__fail(err, SN_ENOENT, "there is no activity '%s'", entry->activity.data);
  }
  sn__estop_sight sight = {.has_text = false};
  sn_journal_stop msg = {.who = text_in(sight.text.who, sizeof sight.text.who),
                         .why = text_in(sight.text.why, sizeof sight.text.why)};
  if (sn_cdr_read(&sn_journal_stop_type, entry->data.data, entry->data.count, &msg, err) != SN_OK) {
    return SN_ESYNTAX;
  }
  if (msg.gates > SN__GATES_AT_REST) {
    return sn__fail(err, SN_ESYNTAX, "%d is no state of gates, at most %d is", msg.gates,
                    SN__GATES_AT_REST);
  }
  sight.view = (sn__estop_view){.number = msg.number,
                                .first = msg.first,
                                .gates = (sn__estop_gates)msg.gates,
                                .is_limp = msg.is_limp,
                                .is_frozen = msg.is_frozen};
  sight.has_text = msg.has_text;
  activity->stop = sight;
  system->is_stop_replayed = true;
  return SN_OK;
}
