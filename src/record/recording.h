/** @file
 *  Internal: a recording without its thread: the outputs and the file. */
#ifndef SN_RECORD_RECORDING_H
#define SN_RECORD_RECORDING_H

#include <stdatomic.h>

#include "record/recorder.h"
#include "record/recording_file.h"
#include "rt/journal/journal_read.h"
#include "rt/ports/tap_internal.h"

/** Written by the thread that drains, read by any thread. */
typedef struct sn__recording_topic {
  sn_tap *tap;
  const char *topic;
  size_t channel;      /**< of the writer */
  int64_t interval_ns; /**< of which the last message is recorded; 0: all are */
  sn_arena held_arena;
  void *held;      /**< the last message of the interval, in held_arena; NULL: there is none */
  int64_t held_ns; /**< its log time */
  _Atomic uint64_t recorded;
  _Atomic uint64_t unwritten; /**< read, but not written */
  _Atomic uint64_t thinned;   /**< read, but more than the rate asks for */
} sn__recording_topic;

typedef struct sn__recording {
  sn_arena arena; /**< all memory except this struct */
  sn_system *system;
  int64_t interval_ns; /**< of the configured rate; 0: none */
  int64_t drained_ns;  /**< when messages were last read */
  sn__recording_file file;
  sn_mcap_writer *writer;
  sn_journal *journal;     /**< NULL: another recorder has it */
  sn_journal_entry *entry; /**< room for one */
  size_t journal_channel;
  _Atomic uint64_t journal_lost;
  sn__stream *stream; /**< the messages that wait; a tag is a position in the topics */
  sn_arena message;   /**< memory of one message while it is written */
  sn__recording_topic *topics;
  size_t topic_count;
  _Atomic uint64_t bytes;
} sn__recording;

/** Create the file and open the outputs. On failure everything is closed again. */
sn_status sn__recording_open(sn__recording *recording, sn_system *system,
                             const sn_recorder_config *config, sn_error *err);

/** Which outputs (recording_outputs.c), and how often: those of the configuration, or all. Creates
 *  the topics with their intervals.
 *  @param paths  receives the list, of recording->topic_count
 *  @return SN_OK, SN_EINVAL (none), SN_ENOENT (a pattern fits none), SN_ENOMEM */
sn_status sn__recording_choose(sn__recording *recording, const sn_recorder_config *config,
                               const char *const **paths, sn_error *err);

/** Write the messages that were sent so far (recording_messages.c), and those that are held whose
 *  interval is over.
 *  @return the first failure of the file */
sn_status sn__recording_drain_messages(sn__recording *recording, sn_error *err);
/** Write the message that is held, whatever its interval. */
sn_status sn__recording_release(sn__recording *recording, sn__recording_topic *topic,
                                sn_error *err);

/** Attach the files that components read when they are configured (recording_files.c).
 *  @return whether all are in the recording */
bool sn__recording_attach_files(sn__recording *recording);

/** The name of the system's robot (recording_robot.c); empty if it has none. A long one is cut. */
void sn__recording_find_robot(sn_system *system, char *name, size_t size);

/** Write the journal and the messages that were sent before.
 *  @return the first failure of the file; SN_ESTOPPED after it */
sn_status sn__recording_drain(sn__recording *recording, sn_error *err);

/** Copy the buffered chunk into the file (recording_file.c): if the process is killed, nothing that
 *  was drained is lost.
 *  @return SN_OK, SN_EIO: the disk may be full; what was saved before can still be read */
sn_status sn__recording_save(sn__recording *recording, sn_error *err);

/** Messages of a topic that are not in the file. */
uint64_t sn__recording_lost(const sn__recording_topic *topic);

/** Write the end of the file. @return as sn__recording_drain() */
sn_status sn__recording_finish(sn__recording *recording, sn_error *err);

/** Close file and outputs, free the memory. @return SN_EIO if the file could not be closed */
sn_status sn__recording_close(sn__recording *recording, sn_error *err);

#endif
