/* Messages on their way from the queue of an output into the file: their times, and which of them
   are recorded if there is a rate. */
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
  if (topic->held == NULL || topic->held_ns < 0) {
    return SN_OK;
  }
  const int64_t log_ns = topic->held_ns;
  topic->held_ns = -1;
  return write_message(recording, topic, log_ns, topic->held, err);
}

/* Has the interval of the message that is held ended by then? */
static bool has_ended(const sn__recording *recording, const sn__recording_topic *topic,
                      int64_t now_ns) {
  return topic->held_ns >= 0 &&
         topic->held_ns / recording->interval_ns < now_ns / recording->interval_ns;
}

/* Keep the message as the last of its interval so far: an output that falls silent, such as one of
   events, ends with its last message in the file. */
static sn_status hold(sn__recording *recording, sn__recording_topic *topic, int64_t log_ns,
                      const void *msg, sn_error *err) {
  sn_status status = SN_OK;
  if (has_ended(recording, topic, log_ns)) {
    status = sn__recording_release(recording, topic, err);
  } else if (topic->held_ns >= 0) {
    increase(&topic->thinned);
  }
  (void)sn_msg_copy(sn_tap_type(topic->tap), topic->held, msg); /* it has the room */
  topic->held_ns = log_ns;
  return status;
}

sn_status sn__recording_drain_topic(sn__recording *recording, sn__recording_topic *topic,
                                    sn_error *err) {
  sn_status result = SN_OK;
  for (size_t i = 0; i < topic->length; i++) {
    sn_flow flow = SN_NO_DATA;
    const void *msg = sn_tap_read(topic->tap, &flow);
    if (flow != SN_NEW_DATA) {
      break;
    }
    const int64_t log_ns = log_time(recording, topic, msg);
    sn_error failure = {SN_OK, ""};
    const sn_status status = topic->held != NULL
                                 ? hold(recording, topic, log_ns, msg, &failure)
                                 : write_message(recording, topic, log_ns, msg, &failure);
    if (result == SN_OK && status != SN_OK) {
      result = sn__fail(err, status, "%s", failure.message);
    }
  }
  if (topic->held != NULL &&
      has_ended(recording, topic, sn_clock_now_ns(sn_system_clock(recording->system)))) {
    const sn_status status = sn__recording_release(recording, topic, result == SN_OK ? err : NULL);
    result = result == SN_OK ? status : result;
  }
  return result;
}
