#include "replay/replay_missing.h"

#include <stdio.h>
#include <string.h>

#include "record/recorder.h"

static bool has_topic(const recording *file, const char *topic) {
  for (size_t i = 0; i < sn__mcap_reader_channel_count(file->reader); i++) {
    if (strcmp(sn__mcap_reader_channel_at(file->reader, i)->topic, topic) == 0) {
      return true;
    }
  }
  return false;
}

static bool has_note(const recording *file, const char *note, const replay_topic *topic) {
  char value[32];
  return sn__mcap_reader_note(file->reader, note, 0, topic->topic, value, sizeof value, NULL) ==
         SN_OK;
}

void replay_mark_missing(const recording *file, replay_topic *topic) {
  char count[32];
  const bool has_lost = sn__mcap_reader_note(file->reader, "lost messages", 0, topic->topic, count,
                                             sizeof count, NULL) == SN_OK;
  if (has_lost) {
    fprintf(stderr, "%s: warning: %s messages of %s are missing: it is not compared\n", file->path,
            count, topic->topic);
  }
  topic->is_left_out = has_lost || !has_topic(file, topic->topic);
  topic->is_thinned =
      has_note(file, SN_RECORDER_INTERVALS, topic) || has_note(file, SN_RECORDER_THINNED, topic);
}
