/** @file
 *  Records what the outputs of a system send, beside their other readers, into an MCAP file.
 *
 *  With real time a thread of its own takes the messages and writes; nothing on the real-time path
 *  waits for it. What it does not take in time is lost to the recording, and counted. A file that
 *  cannot be written any more (the disk is full) is logged when it happens. With a
 *  simulated clock the caller drains it after each cycle: nothing is lost, and two equal runs give
 *  equal files. */
#ifndef SINEW_RECORDER_H
#define SINEW_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/status.h"
#include "sinew/system.h"

SN_BEGIN_DECLS

/** In every file: the topic of what came from outside (journal.h), unless another recorder has it,
 *  and the attachment that says how to build the system, if it knows. */
#define SN_RECORDER_JOURNAL "/sinew/journal"
#define SN_RECORDER_DEPLOYMENT "deployment.yaml"

/** Memory for messages that wait, unless the configuration says more: bytes. */
#define SN_RECORDER_MEMORY ((size_t)256000000)

/** Zero-initialise, set the path, then what differs. */
typedef struct sn_recorder_config {
  const char *path;           /**< of the file, which is made new */
  const char *const *outputs; /**< `component.port`; NULL: all that there are at the start */
  size_t output_count;
  size_t buffer;     /**< messages of each output that wait at most: 1 .. SN_BUFFER_MAX; 0: 256 */
  size_t memory_max; /**< bytes that all messages that wait may take: more is SN_ELIMIT, before
                          anything is allocated; 0: SN_RECORDER_MEMORY */
  size_t chunk_size; /**< bytes that wait at most, as for sn_mcap_writer_create(); 0: 2^20 */
} sn_recorder_config;

/** Opaque. */
typedef struct sn_recorder sn_recorder;

/** One recorded output. */
typedef struct sn_recorder_topic {
  const char *topic; /**< `/component/port`; lives as long as the recorder */
  const sn_msg_type *type;
  uint64_t recorded;
  uint64_t lost; /**< not taken in time, or could not be written */
} sn_recorder_topic;

/** How it goes. */
typedef struct sn_recorder_info {
  sn_status status; /**< SN_OK, or why nothing is written any more: SN_EIO if the disk is full */
  char reason[240]; /**< the same for people */
  uint64_t recorded;
  uint64_t lost;
  uint64_t bytes;     /**< written to the file */
  size_t topic_count; /**< for sn_recorder_topic_at() */
  size_t memory_size; /**< bytes of the recorder's own, without the queues of the outputs */
} sn_recorder_info;

/** For handlers of fatal errors: every recorder with a thread of its own writes what has been sent
 *  so far, so that the file can be read up to here; @p wait_ns at most.
 *  @return whether all have.  RT: no, waits; async-signal-safe.  Threads: any. */
SN_API bool sn_recorder_save_all(int64_t wait_ns);

/** What the component `recorder` says of itself: `sinew_msgs/msg/RecordingState`. */
typedef struct sn_recording_state {
  bool recording;
  sn_msg_text name;  /**< of the file in the folder, without `.mcap`; of the last one if there is
                          none now */
  sn_msg_text file;  /**< where it is */
  uint64_t messages; /**< in it */
  uint64_t lost;     /**< not in it */
  uint64_t bytes;
  double duration;     /**< s, by the clock of the system */
  sn_msg_text problem; /**< why it is not complete; empty: it is */
} sn_recording_state;
SN_API extern const sn_msg_type sn_recording_state_type;

/** Make the file and begin; at any time, before or while the system runs. The components of the
 *  outputs cannot be removed until the end. A port `follow.smoothing.out` becomes the topic
 *  `/follow/smoothing/out`.
 *  @param out  set on success, untouched on failure
 *  @param err  receives the reason on failure; may be NULL
 *  @return SN_OK, SN_EIO (the file cannot be written, no thread), SN_ENOENT (no such output),
 *  SN_EINVAL (no output at all, sizes), SN_ELIMIT (the buffers would take more than memory_max),
 *  SN_ENOMEM
 *  RT: no.  Threads: any. */
SN_API sn_status sn_recorder_start(sn_system *system, const sn_recorder_config *config,
                                   sn_recorder **out, sn_error *err);

/** Write what was sent since the last call; with a simulated clock only. The first failure of the
 *  file is returned; from then on messages are counted as lost.
 *  @return SN_OK, SN_EIO; SN_EINVAL: it has a thread for that
 *  RT: no.  Threads: one. */
SN_API sn_status sn_recorder_drain(sn_recorder *recorder, sn_error *err);

/** RT: no.  Threads: any, until the recorder is stopped. */
SN_API sn_recorder_info sn_recorder_info_of(sn_recorder *recorder);
SN_API sn_recorder_topic sn_recorder_topic_at(sn_recorder *recorder, size_t index);

/** Write what waits and the end of the file, with a note of what was lost; close and free all.
 *  NULL is allowed.
 *  @param info  how it went; may be NULL
 *  @return SN_OK: all that was taken is in the file; else the first failure, with its reason
 *  RT: no.  Threads: the last one; before components are cleaned up, since messages that wait may
 *  hold names of theirs. */
SN_API sn_status sn_recorder_stop(sn_recorder *recorder, sn_recorder_info *info, sn_error *err);

SN_END_DECLS

#endif
