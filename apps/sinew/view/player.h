/** @file
 *  Plays a recording: at each moment, the messages up to the playback time go to the outputs of
 *  components that stand for the recorded ones. It reads with bounded memory and commands nothing.
 */
#ifndef SINEW_APP_PLAYER_H
#define SINEW_APP_PLAYER_H

#include <pthread.h>

#include "base/buffer.h"
#include "foxglove/playback.h"
#include "record/mcap.h"
#include "sinew/port.h"

/** The newest message of a topic, and the output that sends it. */
typedef struct player_output {
  const sn_msg_type *type;
  sn_output *output;       /**< of a component; set before the first step */
  sn__buffer bytes;        /**< the newest message as recorded */
  sn_mcap_channel channel; /**< of that message; only what decoding needs */
  bool is_new;             /**< it was not sent yet */
  bool was_sent;           /**< the output has a message */
  uint64_t unread;         /**< messages that could not be decoded or sent */
} player_output;

/** The thread that steps owns all but what is under the lock. */
typedef struct player {
  sn_mcap_reader *reader;
  sn_mcap_parts parts;
  int64_t start_ns, end_ns;
  player_output *outputs; /**< [output_count] */
  size_t output_count;
  uint16_t *output_of; /**< [65536] by id of the channel; the number of outputs: none */
  bool has_message;    /**< `message` was read, and is later than the playback time */
  sn_mcap_message message;
  int64_t stepped_ns; /**< by the machine's clock; 0: not yet */

  pthread_mutex_t lock;
  sn__playback_state state;
  bool must_seek;
  uint64_t changes; /**< of the state by anything but time */
} player;

/** @param reader  surveyed
 *  The caller sets outputs and output_of before the first step. */
void player_init(player *p, sn_mcap_reader *reader, sn_mcap_parts parts);
void player_free(player *p);

/** Advance to the time that it is now by the machine's clock: read the newest messages.
 *  RT: no, reads the file. */
void player_step(player *p, int64_t now_ns);

/** Send the message of an output, if it is new.
 *  @param again  also if it was sent before: for pages that are opened while the playback pauses */
void player_send(player_output *output, bool again);

/** For the server. */
sn__playback player_playback(player *p, const char *name);

#endif
