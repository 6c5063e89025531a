/** @file
 *  A recording that is played instead of a running robot: the capability `playbackControl` of the
 *  Foxglove WebSocket protocol. */
#ifndef SN_FOXGLOVE_PLAYBACK_H
#define SN_FOXGLOVE_PLAYBACK_H

#include <stdbool.h>
#include <stdint.h>

/** As in the protocol. */
typedef enum sn__playback_status {
  SN__PLAYBACK_PLAYING = 0,
  SN__PLAYBACK_PAUSED = 1,
  SN__PLAYBACK_BUFFERING = 2,
  SN__PLAYBACK_ENDED = 3
} sn__playback_status;

typedef struct sn__playback_state {
  sn__playback_status status;
  int64_t time_ns; /**< of the recording */
  double speed;    /**< seconds of the recording per second */
} sn__playback_state;

typedef struct sn__playback_request {
  bool plays; /**< false: pauses */
  double speed;
  bool has_seek;
  uint64_t seek_ns; /**< any value; clamped to the recording */
} sn__playback_request;

/** What a player offers to the server. The functions may be called by any thread and do not wait.
 */
typedef struct sn__playback {
  const char *name; /**< of the recording */
  int64_t start_ns, end_ns;
  /** @param changes  how often the state changed, other than by the passing of time */
  sn__playback_state (*get_state)(void *context, uint64_t *changes);
  void (*control)(void *context, const sn__playback_request *request);
  void *context;
} sn__playback;

#endif
