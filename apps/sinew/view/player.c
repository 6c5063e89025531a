#include "view/player.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Messages that a step reads at most: a fast playback falls behind instead of starving the page. */
enum { STEP_MESSAGES = 50000 };

/* Parts before the sought time that are read for messages of slow outputs. */
enum { SEEK_PARTS = 64 };

#define SPEED_MIN 0.01
#define SPEED_MAX 100.0

void player_init(player *p, sn_mcap_reader *reader, sn_mcap_parts parts) {
  *p = (player){.reader = reader, .parts = parts};
  pthread_mutex_init(&p->lock, NULL);
  if (parts.count > 0) {
    p->start_ns = parts.items[0].start_ns;
    p->end_ns = parts.items[0].end_ns;
  }
  for (size_t i = 1; i < parts.count; i++) {
    const sn_mcap_part *part = &parts.items[i];
    p->start_ns = part->start_ns < p->start_ns ? part->start_ns : p->start_ns;
    p->end_ns = part->end_ns > p->end_ns ? part->end_ns : p->end_ns;
  }
  p->state =
      (sn__playback_state){.status = SN__PLAYBACK_PLAYING, .time_ns = p->start_ns, .speed = 1.0};
}

void player_free(player *p) {
  for (size_t i = 0; i < p->output_count; i++) {
    sn__buffer_free(&p->outputs[i].bytes);
  }
  free(p->parts.items);
  free(p->outputs);
  free(p->output_of);
  pthread_mutex_destroy(&p->lock);
}

/* ---- reading ---- */

static void keep_message(player *p, const sn_mcap_message *message) {
  const size_t index = p->output_of[message->channel->id];
  if (index >= p->output_count) {
    return;
  }
  player_output *output = &p->outputs[index];
  sn__buffer_clear(&output->bytes);
  sn__buffer_append(&output->bytes, message->data, message->size);
  output->channel = *message->channel;
  output->is_new = !output->bytes.failed;
  output->unread += output->bytes.failed ? 1 : 0;
}

/* The next message that can be read. @return false: there is none */
static bool next_message(player *p) {
  while (!p->has_message) {
    const sn_status status = sn__mcap_reader_next(p->reader, &p->message, NULL);
    if (status == SN_OK) {
      p->has_message = true;
    } else if (status == SN_ENOENT || status == SN_EIO) {
      return false;
    }
  }
  return true;
}

/* Read up to a time. @return the time that was reached; INT64_MAX: the end of the file */
static int64_t read_until(player *p, int64_t time_ns) {
  for (int i = 0; i < STEP_MESSAGES; i++) {
    if (!next_message(p)) {
      return INT64_MAX;
    }
    if (p->message.log_ns > time_ns) {
      return time_ns;
    }
    keep_message(p, &p->message);
    p->has_message = false;
  }
  return p->message.log_ns;
}

/* ---- seeking ---- */

/* The last part that begins at a time or before; parts of other writers may overlap. */
static size_t find_part(const player *p, int64_t time_ns) {
  size_t found = 0;
  for (size_t i = 0; i < p->parts.count; i++) {
    found = p->parts.items[i].start_ns <= time_ns ? i : found;
  }
  return found;
}

/* Read some parts before the sought time, too: outputs that are written seldom have their newest
   message there. One that wrote nothing in these parts keeps what it showed. */
static void seek(player *p, int64_t time_ns) {
  const size_t last = find_part(p, time_ns);
  const size_t first = last > SEEK_PARTS ? last - SEEK_PARTS : 0;
  p->has_message = false;
  if (p->parts.count == 0) {
    return;
  }
  sn__mcap_reader_seek(p->reader, &p->parts.items[first]);
  while (next_message(p) && p->message.log_ns <= time_ns) {
    keep_message(p, &p->message);
    p->has_message = false;
  }
}

/* ---- time ---- */

/* Take what was asked for since the last step. @return whether the file is to be read */
static bool begin_step(player *p, int64_t now_ns, int64_t *target_ns, bool *must_seek) {
  pthread_mutex_lock(&p->lock);
  const double passed = p->stepped_ns == 0 ? 0.0 : (double)(now_ns - p->stepped_ns);
  const bool is_playing = p->state.status == SN__PLAYBACK_PLAYING;
  *must_seek = p->must_seek;
  p->must_seek = false;
  *target_ns = p->state.time_ns;
  if (is_playing && !*must_seek) {
    *target_ns += llround(passed * p->state.speed);
  }
  p->stepped_ns = now_ns;
  pthread_mutex_unlock(&p->lock);
  return is_playing || *must_seek;
}

static void end_step(player *p, int64_t reached_ns) {
  pthread_mutex_lock(&p->lock);
  const bool has_ended = reached_ns >= p->end_ns;
  if (!p->must_seek) { /* asked for in the meantime */
    p->state.time_ns = has_ended ? p->end_ns : reached_ns;
    if (has_ended && p->state.status == SN__PLAYBACK_PLAYING) {
      p->state.status = SN__PLAYBACK_ENDED;
      p->changes++;
    }
  }
  pthread_mutex_unlock(&p->lock);
}

void player_step(player *p, int64_t now_ns) {
  int64_t target_ns = 0;
  bool must_seek = false;
  if (!begin_step(p, now_ns, &target_ns, &must_seek)) {
    return;
  }
  if (must_seek) {
    seek(p, target_ns);
    end_step(p, target_ns);
  } else {
    end_step(p, read_until(p, target_ns));
  }
}

/* ---- sending ---- */

/* A message that does not fit or has a number that is not finite is not sent: an output with such
   a message is a fault of its component. */
void player_send(player_output *output, bool again) {
  if (!output->is_new) {
    if (again && output->was_sent) {
      (void)sn_output_write(output->output);
    }
    return;
  }
  output->is_new = false;
  const sn_mcap_message message = {
      .channel = &output->channel, .data = output->bytes.data, .size = output->bytes.used};
  if (sn__mcap_decode(&message, output->output->msg, NULL) == SN_OK &&
      sn_msg_is_finite(output->type, output->output->msg)) {
    (void)sn_output_write(output->output);
    output->was_sent = true;
  } else {
    output->was_sent = false; /* it may be half of a message */
    output->unread++;
  }
}

/* ---- the server's view ---- */

static sn__playback_state get_state(void *context, uint64_t *changes) {
  player *p = context;
  pthread_mutex_lock(&p->lock);
  const sn__playback_state state = p->state;
  *changes = p->changes;
  pthread_mutex_unlock(&p->lock);
  return state;
}

static double clamp_speed(double speed) {
  return !(speed >= SPEED_MIN) ? SPEED_MIN : speed > SPEED_MAX ? SPEED_MAX : speed;
}

static int64_t clamp_time(const player *p, uint64_t time_ns) {
  return time_ns < (uint64_t)p->start_ns ? p->start_ns
         : time_ns > (uint64_t)p->end_ns ? p->end_ns
                                         : (int64_t)time_ns;
}

/* Playing on from the end starts again. */
static void control(void *context, const sn__playback_request *request) {
  player *p = context;
  pthread_mutex_lock(&p->lock);
  const bool starts_again =
      request->plays && !request->has_seek && p->state.status == SN__PLAYBACK_ENDED;
  if (request->has_seek || starts_again) {
    p->state.time_ns = starts_again ? p->start_ns : clamp_time(p, request->seek_ns);
    p->must_seek = true;
  }
  p->state.speed = clamp_speed(request->speed);
  p->state.status = request->plays ? SN__PLAYBACK_PLAYING : SN__PLAYBACK_PAUSED;
  p->changes++;
  pthread_mutex_unlock(&p->lock);
}

sn__playback player_playback(player *p, const char *name) {
  return (sn__playback){.name = name,
                        .start_ns = p->start_ns,
                        .end_ns = p->end_ns,
                        .get_state = get_state,
                        .control = control,
                        .context = p};
}
