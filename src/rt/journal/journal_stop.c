/* The emergency stop in the journal: its state as each activity saw it, with the cycle. */
#include <string.h>

#include "base/fail.h"
#include "rt/journal/journal.h"
#include "rt/journal/journal_ring.h"
#include "sinew/msg_wire.h"

static const sn_msg_field fields[] = {
    SN_MSG_FIELD(sn_journal_stop, "number", number, ""),
    SN_MSG_FIELD(sn_journal_stop, "first", first, ""),
    SN_MSG_FIELD(sn_journal_stop, "gates", gates, ""),
    SN_MSG_FIELD(sn_journal_stop, "is_limp", is_limp, ""),
    SN_MSG_FIELD(sn_journal_stop, "wants_limp", wants_limp, ""),
    SN_MSG_FIELD(sn_journal_stop, "is_frozen", is_frozen, ""),
    SN_MSG_FIELD(sn_journal_stop, "has_text", has_text, ""),
    SN_MSG_FIELD(sn_journal_stop, "who", who, ""),
    SN_MSG_FIELD(sn_journal_stop, "why", why, ""),
};
const sn_msg_type sn_journal_stop_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "JournalStop"),
                                          .brief = "The emergency stop as an activity sees it.",
                                          .size = sizeof(sn_journal_stop), .fields = fields,
                                          .field_count = sizeof fields / sizeof *fields};

/* A message text that uses a text of a snapshot as its memory. */
static sn_msg_text text_in(char *data, size_t size) {
  return (sn_msg_text){.data = data, .count = strlen(data), .capacity = size - 1};
}

void sn__journal_stop(sn_activity *activity) {
  sn__estop_snapshot *snapshot = &activity->stop;
  const sn_journal_stop msg = {.number = snapshot->view.number,
                               .first = snapshot->view.first,
                               .gates = (uint8_t)snapshot->view.gates,
                               .is_limp = snapshot->view.is_limp,
                               .wants_limp = snapshot->view.wants_limp,
                               .is_frozen = snapshot->view.is_frozen,
                               .has_text = snapshot->has_text,
                               .who = text_in(snapshot->text.who, sizeof snapshot->text.who),
                               .why = text_in(snapshot->text.why, sizeof snapshot->text.why)};
  sn__journal_draft d = {.head = {.kind = SN_JOURNAL_STOP},
                         .name = activity->config.name,
                         .point = "stop",
                         .type = &sn_journal_stop_type,
                         .data = &msg};
  sn__journal_put(activity, &d);
}

sn_status sn__journal_replay_stop(sn_system *system, const sn_journal_entry *entry, sn_error *err) {
  sn_activity *activity = sn_system_find_activity(system, entry->activity.data);
  if (activity == NULL) {
    return sn__fail(err, SN_ENOENT, "unknown activity '%s'", entry->activity.data);
  }
  sn__estop_snapshot snapshot = {.has_text = false};
  sn_journal_stop msg = {.who = text_in(snapshot.text.who, sizeof snapshot.text.who),
                         .why = text_in(snapshot.text.why, sizeof snapshot.text.why)};
  if (sn_cdr_read(&sn_journal_stop_type, entry->data.data, entry->data.count, &msg, err) != SN_OK) {
    return SN_ESYNTAX;
  }
  if (msg.gates > SN__GATES_AT_REST) {
    return sn__fail(err, SN_ESYNTAX, "%d is not a state of gates, expected at most %d", msg.gates,
                    SN__GATES_AT_REST);
  }
  snapshot.view = (sn__estop_view){.number = msg.number,
                                   .first = msg.first,
                                   .gates = (sn__estop_gates)msg.gates,
                                   .is_limp = msg.is_limp,
                                   .wants_limp = msg.wants_limp,
                                   .is_frozen = msg.is_frozen};
  snapshot.has_text = msg.has_text;
  activity->stop = snapshot;
  system->is_stop_replayed = true;
  return SN_OK;
}
