/** @file
 *  Records the messages of a system's outputs into an MCAP file.
 *
 *  With a real clock the recorder has a thread that reads and writes the messages; the real-time
 *  path never waits for it. Messages that it does not read in time are missing in the recording and
 *  counted. A write failure (the disk is full) is logged when it happens. With a simulated clock
 *  the caller drains the recorder after each cycle: nothing is lost, and equal runs give equal
 *  files. */
#ifndef SN_RECORD_RECORDER_H
#define SN_RECORD_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/status.h"
#include "sinew/system.h"

SN_BEGIN_DECLS

/** In every file: the topic of the journal (journal.h), unless another recorder writes it, and the
 *  attachment with the deployment, if the system has a description. */
#define SN_RECORDER_JOURNAL "/sinew/journal"
#define SN_RECORDER_DEPLOYMENT "deployment.yaml"

/** Notes by topic: the intervals in ns of which the last message is recorded (all messages, if a
 *  topic is missing there), and at the end how many messages that left out. */
#define SN_RECORDER_INTERVALS "recorded intervals"
#define SN_RECORDER_THINNED "thinned messages"

/** Default memory for messages that wait for being written, bytes. */
#define SN_RECORDER_MEMORY ((size_t)20000000)

/** Interval of derived outputs (SN_PORT_DERIVED) that no name and no pattern of `outputs` asks for:
 *  the last message of each is recorded. */
#define SN_RECORDER_DERIVED_NS INT64_C(10000000)

/** Zero-initialise, or take the settings of a component, set the path, then what differs. */
typedef struct sn_recorder_config {
  const char *path;           /**< of the file, which is created or replaced */
  const char *const *outputs; /**< `component.port`; with `*`, `?` or `[...]` a pattern, with a `!`
                                   first those are left out; the last that fits decides. None, or a
                                   `!` first: all that exist at the start, derived ones 100 times
                                   a second. What is asked for is recorded completely: `*` is all
                                   messages of all outputs */
  size_t output_count;
  double rate_Hz;    /**< at most so many messages a second of each output: the last of each
                          interval; 0: all. The journal is always complete */
  size_t memory_max; /**< bytes for messages that wait: what they use, not what they have room for.
                          One of more than half of it is lost; 0: SN_RECORDER_MEMORY */
  size_t chunk_size; /**< bytes, as for sn__mcap_writer_create(); 0: 2^20 */
  bool is_without_index;   /**< as for sn__mcap_writer_create() */
  const char *compression; /**< `zstd`, `lz4` or `none`; NULL: zstd. The thread that drains does it,
                                never a cycle in real time */
} sn_recorder_config;

/** Opaque. */
typedef struct sn_recorder sn_recorder;

/** One recorded output. */
typedef struct sn_recorder_topic {
  const char *topic; /**< `/component/port`; valid as long as the recorder */
  const sn_msg_type *type;
  uint64_t recorded;
  uint64_t lost;    /**< not read in time, or not written */
  uint64_t thinned; /**< left out because of the rate */
} sn_recorder_topic;

/** State of a recorder. */
typedef struct sn_recorder_info {
  sn_status status; /**< SN_OK, or why writing stopped: SN_EIO if the disk is full */
  char reason[240]; /**< the same as text */
  uint64_t recorded;
  uint64_t lost;
  uint64_t thinned;   /**< left out because of the rate */
  uint64_t bytes;     /**< written to the file */
  size_t topic_count; /**< for sn__recorder_topic_at() */
  size_t memory_size; /**< bytes */
} sn_recorder_info;

/** For fatal-error handlers: let every recorder thread write all messages sent so far, so that its
 *  file can be read up to this point. Waits for @p wait_ns at most.
 *  @return whether all have done so.  RT: no, waits; async-signal-safe.  Threads: any. */
SN_API bool sn__recorder_save_all(int64_t wait_ns);

/** State of the component `recorder`: `sinew_msgs/msg/RecordingState`. */
typedef struct sn_recording_state {
  bool recording;
  sn_msg_text name;  /**< of the current or last recording, without `.mcap` */
  sn_msg_text file;  /**< its path */
  uint64_t messages; /**< recorded */
  uint64_t lost;     /**< not recorded */
  uint64_t bytes;
  double duration;     /**< s, by the clock of the system */
  sn_msg_text problem; /**< why it is incomplete; empty: it is complete */
} sn_recording_state;
extern const sn_msg_type sn_recording_state_type;

/** What the properties of the system's component `recorder` say, without a path; the defaults if it
 *  has none. Valid as long as the component and its properties.
 *  RT: no.  Threads: none that changes the system. */
SN_API sn_recorder_config sn__recorder_settings(const sn_system *system);

/** Create the file and start recording, before or while the system runs. The components of the
 *  outputs cannot be removed until sn__recorder_stop(). A port `follow.smoothing.out` becomes the
 *  topic `/follow/smoothing/out`.
 *  @param out  set on success, untouched on failure
 *  @param err  receives the reason on failure; may be NULL
 *  @return SN_OK, SN_EIO (cannot write the file or create a thread), SN_ENOENT (no such output),
 *          SN_EINVAL (no outputs, sizes or rate out of range, unknown compression), SN_ENOMEM
 *  RT: no.  Threads: any. */
SN_API sn_status sn__recorder_start(sn_system *system, const sn_recorder_config *config,
                                    sn_recorder **out, sn_error *err);

/** With a simulated clock: write the messages sent since the last call. The first write failure is
 *  returned; later messages are counted as lost.
 *  @return SN_OK, SN_EIO; SN_EINVAL: the recorder has a thread
 *  RT: no.  Threads: one. */
SN_API sn_status sn__recorder_drain(sn_recorder *recorder, sn_error *err);

/** RT: no.  Threads: any, until the recorder is stopped. */
sn_recorder_info sn__recorder_info_of(sn_recorder *recorder);
sn_recorder_topic sn__recorder_topic_at(sn_recorder *recorder, size_t index);

/** Write the queued messages, the counts of lost ones and the end of the file; close and free.
 *  NULL is allowed.
 *  @param info  the final state; may be NULL
 *  @return SN_OK: all messages that were read are in the file; else the first failure
 *  RT: no.  Threads: no other thread uses the recorder; call it before components are cleaned up,
 *  since queued messages may refer to names they own. */
SN_API sn_status sn__recorder_stop(sn_recorder *recorder, sn_recorder_info *info, sn_error *err);

SN_END_DECLS

#endif
