#define _POSIX_C_SOURCE 200809L

#include "record/recorder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "record/recording.h"
#include "rt/component_runtime.h"
#include "rt/futex.h"
#include "sinew/fault.h"

/* Period of the thread. */
#define PERIOD_NS INT64_C(5000000)
/* Periods after which the buffered chunk is written to the file, too: a process may be killed.
 */
enum { SAVE_PERIODS = 20 };

/* All recorders of the process, for fatal-signal handlers. */
static _Atomic uint32_t save_wanted, save_done, thread_count;

struct sn_recorder {
  sn__recording recording;
  bool has_thread;
  pthread_t thread;
  _Atomic uint32_t must_end; /* the thread sleeps on it */
  pthread_mutex_t lock;      /* of `failure`; never held while writing */
  sn_error failure;          /* code SN_OK: none */
};

/* Keep the first failure only: later ones are consequences. Log it at once, so that the operator
   knows before the motion is over. */
static void keep_failure(sn_recorder *recorder, sn_status status, const char *reason) {
  pthread_mutex_lock(&recorder->lock);
  const bool is_first = recorder->failure.code == SN_OK;
  if (is_first) {
    (void)sn__fail(&recorder->failure, status, "%s", reason);
  }
  pthread_mutex_unlock(&recorder->lock);
  if (is_first) {
    const sn_log_arg arg = {.kind = SN_LOG_TEXT, .value.text = reason};
    sn__system_log(recorder->recording.system, SN_LOG_ERROR, "recorder",
                   "the recording is not complete, everything from now on is lost: {}", 1, &arg);
  }
}

static sn_status drain(sn_recorder *recorder, sn_error *err) {
  sn_error failure = {SN_OK, ""};
  const sn_status status = sn__recording_drain(&recorder->recording, &failure);
  if (status == SN_OK || status == SN_ESTOPPED) {
    return SN_OK; /* a failure is reported once */
  }
  keep_failure(recorder, status, failure.message);
  return sn__fail(err, status, "%s", failure.message);
}

static void *run_thread(void *argument) {
  sn_recorder *recorder = argument;
  uint32_t seen = atomic_load(&save_wanted);
  for (uint64_t n = 0; atomic_load(&recorder->must_end) == 0; n++) {
    const uint32_t wanted = atomic_load(&save_wanted);
    drain(recorder, NULL);
    if (wanted != seen || n % SAVE_PERIODS == 0) {
      (void)sn__recording_save(&recorder->recording, NULL); /* the next chunk fails as well */
    }
    if (wanted != seen) {
      seen = wanted;
      atomic_fetch_add(&save_done, 1);
    }
    sn__futex_wait(&recorder->must_end, 0, sn__real_now_ns() + PERIOD_NS);
  }
  atomic_fetch_sub(&thread_count, 1);
  return NULL;
}

static sn_status start_thread(sn_recorder *recorder, sn_error *err) {
  if (sn_system_clock(recorder->recording.system)->kind == SN_CLOCK_SIMULATED) {
    return SN_OK; /* the caller drains */
  }
  atomic_fetch_add(&thread_count, 1);
  const int code = pthread_create(&recorder->thread, NULL, run_thread, recorder);
  if (code != 0) {
    atomic_fetch_sub(&thread_count, 1);
    return sn__fail(err, SN_EIO, "no thread for the recorder: %s", strerror(code));
  }
  recorder->has_thread = true;
  return SN_OK;
}

sn_status sn__recorder_start(sn_system *system, const sn_recorder_config *config, sn_recorder **out,
                             sn_error *err) {
  sn_recorder *recorder = calloc(1, sizeof *recorder);
  if (recorder == NULL) {
    return sn__fail(err, SN_ENOMEM, "recorder: no memory");
  }
  sn_status status = sn__recording_open(&recorder->recording, system, config, err);
  if (status != SN_OK) {
    free(recorder);
    return status;
  }
  pthread_mutex_init(&recorder->lock, NULL);
  status = start_thread(recorder, err);
  if (status != SN_OK) {
    sn__recorder_stop(recorder, NULL, NULL);
    return status;
  }
  *out = recorder;
  return SN_OK;
}

sn_status sn__recorder_drain(sn_recorder *recorder, sn_error *err) {
  if (recorder->has_thread) {
    return sn__fail(err, SN_EINVAL, "recorder: with this clock its thread writes");
  }
  return drain(recorder, err);
}

bool sn__recorder_save_all(int64_t wait_ns) {
  const int64_t until_ns = sn__real_now_ns() + wait_ns;
  const uint32_t before = atomic_load(&save_done);
  atomic_fetch_add(&save_wanted, 1);
  bool is_done = atomic_load(&thread_count) == 0;
  while (!is_done && sn__real_now_ns() < until_ns) {
    sn__real_pause();
    is_done = atomic_load(&save_done) - before >= atomic_load(&thread_count);
  }
  return is_done;
}

sn_recorder_topic sn__recorder_topic_at(sn_recorder *recorder, size_t index) {
  SN_ASSERT(index < recorder->recording.topic_count);
  const sn__recording_topic *topic = &recorder->recording.topics[index];
  return (sn_recorder_topic){
      .topic = topic->topic,
      .type = sn_tap_type(topic->tap),
      .recorded = atomic_load_explicit(&topic->recorded, memory_order_relaxed),
      .lost = sn__recording_lost(topic),
      .thinned = atomic_load_explicit(&topic->thinned, memory_order_relaxed),
  };
}

sn_recorder_info sn__recorder_info_of(sn_recorder *recorder) {
  const sn__recording *recording = &recorder->recording;
  sn_recorder_info info = {
      .bytes = atomic_load_explicit(&recording->bytes, memory_order_relaxed),
      .topic_count = recording->topic_count,
      .memory_size = sn_arena_used(&recording->arena) + (size_t)recording->stream->size,
  };
  for (size_t i = 0; i < recording->topic_count; i++) {
    const sn_recorder_topic topic = sn__recorder_topic_at(recorder, i);
    info.recorded += topic.recorded;
    info.lost += topic.lost;
    info.thinned += topic.thinned;
  }
  pthread_mutex_lock(&recorder->lock);
  info.status = recorder->failure.code;
  memcpy(info.reason, recorder->failure.message, sizeof info.reason);
  pthread_mutex_unlock(&recorder->lock);
  return info;
}

static void join_thread(sn_recorder *recorder) {
  if (recorder->has_thread) {
    atomic_store(&recorder->must_end, 1);
    sn__futex_wake(&recorder->must_end);
    pthread_join(recorder->thread, NULL);
  }
}

sn_status sn__recorder_stop(sn_recorder *recorder, sn_recorder_info *info, sn_error *err) {
  if (recorder == NULL) {
    return SN_OK;
  }
  join_thread(recorder);
  drain(recorder, NULL);
  sn_error failure = {SN_OK, ""};
  sn_status status = sn__recording_finish(&recorder->recording, &failure);
  if (status != SN_OK) {
    keep_failure(recorder, status, failure.message);
  }
  const sn_recorder_info last = sn__recorder_info_of(recorder);
  sn_error first = recorder->failure;
  status = sn__recording_close(&recorder->recording, &failure);
  if (first.code == SN_OK && status != SN_OK) {
    first = failure;
  }
  if (info != NULL) {
    *info = last;
    info->status = first.code;
    memcpy(info->reason, first.message, sizeof info->reason);
  }
  pthread_mutex_destroy(&recorder->lock);
  free(recorder);
  return first.code == SN_OK ? SN_OK : sn__fail(err, first.code, "%s", first.message);
}
