/* Messages on their way from the stream into the file: their times, and which of them are recorded
   if there is a rate. */
#include "base/fail.h"
#include "record/recording.h"
#include "sinew/msg_types.h"

/* One writer: no need for an indivisible step. */
static void increase(_Atomic uint64_t *number) {
  atomic_store_explicit(number, atomic_load_explicit(number, memory_order_relaxed) + 1,
                        memory_order_relaxed);
}

/* @return the first failure of the file; a message that cannot be encoded is only counted */
static sn_status write_message(sn__recording *recording, sn__recording_topic *topic, int64_t log_ns,
                               const void *msg, sn_error *err) {
  const int64_t stamp_ns = sn_msg_stamp_ns(sn_tap_type(topic->tap), msg);
  sn_error failure = {SN_OK, ""};
  const sn_status status = sn__mcap_writer_write(recording->writer, topic->channel, log_ns,
                                                 stamp_ns > 0 ? stamp_ns : log_ns, msg, &failure);
  increase(status == SN_OK ? &topic->recorded : &topic->unwritten);
  return status == SN_EIO || status == SN_ESTOPPED ? sn__fail(err, status, "%s", failure.message)
                                                   : SN_OK;
}

/* When a message was sent. Its stamp, if it is a time since the last reading; others, such as
   those of measurements, may be anything. Messages are read in groups: with the time of reading,
   those of several cycles would have the same one. */
static int64_t log_time(const sn__recording *recording, const sn__recording_topic *topic,
                        const void *msg) {
  const int64_t now_ns = sn_clock_now_ns(sn_system_clock(recording->system));
  const int64_t stamp_ns = sn_msg_stamp_ns(sn_tap_type(topic->tap), msg);
  const bool is_recent = stamp_ns >= recording->drained_ns && stamp_ns <= now_ns;
  const int64_t log_ns = is_recent ? stamp_ns : now_ns;
  return log_ns < 0 ? 0 : log_ns;
}

sn_status sn__recording_release(sn__recording *recording, sn__recording_topic *topic,
                                sn_error *err) {
  if (topic->held == NULL) {
    return SN_OK;
  }
  const sn_status status = write_message(recording, topic, topic->held_ns, topic->held, err);
  topic->held = NULL;
  return status;
}

/* Has the interval of the message that is held ended by then? */
static bool has_ended(const sn__recording_topic *topic, int64_t now_ns) {
  return topic->held != NULL && topic->held_ns / topic->interval_ns < now_ns / topic->interval_ns;
}

/* Keep the message as the last of its interval so far: an output that falls silent, such as one of
   events, ends with its last message in the file. */
static sn_status hold(sn__recording *recording, sn__recording_topic *topic, int64_t log_ns,
                      const void *record, sn_error *err) {
  sn_status status = SN_OK;
  if (has_ended(topic, log_ns)) {
    status = sn__recording_release(recording, topic, err);
  } else if (topic->held != NULL) {
    increase(&topic->thinned);
  }
  sn_arena_release(&topic->held_arena);
  topic->held = sn__tap_unpack(topic->tap, record, &topic->held_arena);
  topic->held_ns = log_ns;
  if (topic->held == NULL) {
    increase(&topic->unwritten);
  }
  return status;
}

static sn_status drain_message(sn__recording *recording, sn__recording_topic *topic,
                               const void *record, sn_error *err) {
  const sn_arena_mark mark = sn_arena_save(&recording->message);
  const void *msg = sn__tap_unpack(topic->tap, record, &recording->message);
  sn_status status = SN_OK;
  if (msg == NULL) {
    increase(&topic->unwritten);
  } else {
    const int64_t log_ns = log_time(recording, topic, msg);
    status = topic->interval_ns > 0 ? hold(recording, topic, log_ns, record, err)
                                    : write_message(recording, topic, log_ns, msg, err);
  }
  sn_arena_restore(&recording->message, mark);
  return status;
}

static void keep_first(sn_status status, const sn_error *failure, sn_status *first, sn_error *err) {
  if (*first == SN_OK && status != SN_OK) {
    *first = sn__fail(err, status, "%s", failure->message);
  }
}

/* Messages that are sent meanwhile wait for the next time: writers may be faster than the disk. */
sn_status sn__recording_drain_messages(sn__recording *recording, sn_error *err) {
  const uint64_t end = sn__stream_head(recording->stream);
  sn_status result = SN_OK;
  sn_error failure = {SN_OK, ""};
  uint16_t tag = 0;
  const void *record = NULL;
  while ((record = sn__stream_look(recording->stream, &tag)) != NULL &&
         !sn__stream_has_reached(recording->stream, end)) {
    keep_first(drain_message(recording, &recording->topics[tag], record, &failure), &failure,
               &result, err);
    sn__stream_drop(recording->stream);
  }
  const int64_t now_ns = sn_clock_now_ns(sn_system_clock(recording->system));
  for (size_t i = 0; i < recording->topic_count; i++) {
    sn__recording_topic *topic = &recording->topics[i];
    if (has_ended(topic, now_ns)) {
      keep_first(sn__recording_release(recording, topic, &failure), &failure, &result, err);
    }
  }
  return result;
}
