/* Channels: the latest message of each, encoded once for all subscribers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "foxglove/schema.h"
#include "foxglove/server_internal.h"
#include "remote/inspect.h"
#include "sinew/msg_wire.h"

enum {
  HEAD = LWS_PRE + SN__FOX_MESSAGE_HEAD, /* before the payload */
  BYTES_MAX = 64 << 20,
  LOG_LINES_FIRST = 100, /* sent to a new subscription */
  SELDOM = 5             /* messages a second up to which an output stays open */
};

/* ---- encoding ---- */

static unsigned char *begin_message(sn__fox_stream *stream, size_t size) {
  sn__buffer_clear(&stream->bytes);
  char *room = sn__buffer_reserve(&stream->bytes, HEAD + size);
  return (unsigned char *)room;
}

static void end_message(sn__fox_server *server, sn__fox_stream *stream, size_t size) {
  stream->bytes.used = HEAD + size;
  stream->serial++;
  stream->stamp_ns = sn__fox_time_ns(server);
}

void sn__fox_stream_put(sn__fox_server *server, sn__fox_stream *stream, const void *bytes,
                        size_t size) {
  unsigned char *room = begin_message(stream, size);
  if (room != NULL) {
    memcpy(room + HEAD, bytes, size);
    end_message(server, stream, size);
  }
}

/* A message that CDR cannot hold (a time beyond 32 bits) is skipped. */
static void put_msg(sn__fox_server *server, sn__fox_stream *stream, const sn_msg_type *type,
                    const void *msg) {
  size_t size = stream->bytes.size > HEAD ? stream->bytes.size - HEAD : 256;
  for (int tries = 0; tries < 2; tries++) {
    unsigned char *room = begin_message(stream, size);
    const sn_status status =
        room == NULL ? SN_ENOMEM : sn_cdr_write(type, msg, room + HEAD, size, &size);
    if (status == SN_OK) {
      end_message(server, stream, size);
    }
    if (status != SN_ENOSPC) {
      return;
    }
  }
}

static sn_msg_text text_of(const char *text, size_t length) {
  union {
    const char *in;
    char *out;
  } same = {.in = text}; /* read only */
  return (sn_msg_text){.data = same.out, .count = length, .capacity = length};
}

static void put_log_line(sn__fox_server *server, sn__fox_stream *stream,
                         sn__remote_log_line *line) {
  static const uint8_t levels[] = {
      [SN_LOG_DEBUG] = 10, [SN_LOG_INFO] = 20, [SN_LOG_WARNING] = 30, [SN_LOG_ERROR] = 40};
  const size_t at = line->message_at;
  if (at >= 2) {
    line->text[at - 2] = '\0'; /* ends the source */
  }
  const char *message = line->text + at;
  const sn__fox_log_msg msg = {.stamp_ns = line->now_ns,
                               .level = levels[line->level],
                               .name = text_of(at < 2 ? "" : line->text, at < 2 ? 0 : at - 2),
                               .msg = text_of(message, strlen(message)),
                               .file = text_of("", 0),
                               .function = text_of("", 0)};
  put_msg(server, stream, &sn__fox_log_type, &msg);
}

/* ---- taps ---- */

static void open_tap(sn__fox_server *server, sn__fox_task *task) {
  (void)sn__remote_tap_open(&server->taps, server->system,
                            server->catalog.channels[task->target].port, &task->tap, &task->err);
}

static void undo_tap(sn__fox_task *task) {
  sn__remote_tap_close(&task->server->taps, task->tap);
}

static void finish_tap(sn__fox_server *server, sn__fox_client *client, sn__fox_task *task) {
  (void)client;
  sn__fox_stream *stream = &server->streams[task->target];
  stream->tap = task->tap;
  stream->tap_serial = 0;
  stream->idle_written = 0;
  stream->state = task->tap == NULL ? SN__FOX_CLOSED : SN__FOX_OPEN;
}

static void close_tap(sn__fox_server *server, sn__fox_task *task) {
  sn__remote_tap_close(&server->taps, task->tap);
  task->tap = NULL;
}

static void change_tap(sn__fox_server *server, sn__fox_stream *stream, sn__fox_work *work) {
  sn__fox_task *task = sn__fox_task_create(server, work, finish_tap);
  if (task == NULL) {
    return; /* the next tick tries again */
  }
  task->target = (uint32_t)(stream - server->streams);
  task->tap = stream->tap;
  task->undo = undo_tap;
  stream->tap = NULL;
  stream->state = work == open_tap ? SN__FOX_OPENING : SN__FOX_CLOSING;
  (void)sn__fox_task_submit(task, NULL);
}

/* A new subscriber wants the last message of an output that is written seldom, so those stay open.
   Outputs that are written often are closed while they have no subscriber. */
static void update_idle(sn__fox_server *server, sn__fox_stream *stream) {
  const uint64_t written = sn_tap_counts(stream->tap->tap).written;
  const bool is_seldom = written - stream->idle_written <= SELDOM;
  stream->idle_written = written;
  if (!is_seldom) {
    sn__buffer_clear(&stream->bytes); /* outdated when the next subscriber comes */
    change_tap(server, stream, close_tap);
  }
}

static void update_port(sn__fox_server *server, sn__fox_stream *stream, int64_t now_ns) {
  if (stream->state == SN__FOX_CLOSED && stream->users > 0) {
    change_tap(server, stream, open_tap);
    return;
  }
  if (stream->state != SN__FOX_OPEN) {
    return;
  }
  if (stream->users > 0) {
    sn__remote_tap *tap = stream->tap;
    const uint64_t before = tap->written;
    sn__remote_tap_update(tap);
    if (tap->serial != stream->tap_serial) {
      stream->tap_serial = tap->serial;
      server->counts.dropped += tap->written > before + 1 ? tap->written - before - 1 : 0;
      put_msg(server, stream, stream->channel->type, tap->msg);
    }
  }
  if (now_ns >= stream->next_ns) {
    stream->next_ns = now_ns + 1000 * SN__FOX_MS;
    if (stream->users == 0) {
      update_idle(server, stream);
    } else {
      stream->idle_written = sn_tap_counts(stream->tap->tap).written;
    }
  }
}

/* ---- reports about the system ---- */

static void describe_components(sn__fox_server *server, sn__fox_task *task) {
  task->reply.max = BYTES_MAX;
  sn__remote_append_catalog(&task->reply, server->system);
}

static void describe_timing(sn__fox_server *server, sn__fox_task *task) {
  sn__remote_append_timing(&task->reply, &server->context, true);
}

static void finish_description(sn__fox_server *server, sn__fox_client *client, sn__fox_task *task) {
  (void)client;
  sn__fox_stream *stream = &server->streams[task->target];
  const sn__buffer *reply = &task->reply;
  const bool is_same = stream->bytes.used == HEAD + reply->used &&
                       memcmp(stream->bytes.data + HEAD, reply->data, reply->used) == 0;
  if (!reply->failed && reply->used > 0 && !is_same) {
    sn__fox_stream_put(server, stream, reply->data, reply->used);
  }
  stream->is_busy = false;
}

static void describe(sn__fox_server *server, sn__fox_stream *stream, sn__fox_work *work,
                     int64_t period_ns, int64_t now_ns) {
  if (stream->users == 0 || stream->is_busy || now_ns < stream->next_ns) {
    return;
  }
  sn__fox_task *task = sn__fox_task_create(server, work, finish_description);
  if (task != NULL) {
    task->target = (uint32_t)(stream - server->streams);
    stream->is_busy = true;
    stream->next_ns = now_ns + period_ns;
    (void)sn__fox_task_submit(task, NULL);
  }
}

void sn__fox_streams_tick(sn__fox_server *server, int64_t now_ns) {
  for (size_t i = 0; i < server->catalog.channel_count; i++) {
    sn__fox_stream *stream = &server->streams[i];
    switch (stream->channel->kind) {
      case SN__FOX_PORT:
        update_port(server, stream, now_ns);
        break;
      case SN__FOX_COMPONENTS:
        describe(server, stream, describe_components, 500 * SN__FOX_MS, now_ns);
        break;
      case SN__FOX_TIMING:
        describe(server, stream, describe_timing, 1000 * SN__FOX_MS, now_ns);
        break;
      case SN__FOX_ROBOT:
      case SN__FOX_LOG:
        break;
    }
  }
}

/* ---- subscribers ---- */

void sn__fox_stream_use(sn__fox_server *server, uint32_t channel, int users) {
  sn__fox_stream *stream = &server->streams[channel];
  stream->users = (size_t)((int64_t)stream->users + users);
  if (users > 0 && stream->users == 1 && stream->channel->kind != SN__FOX_PORT) {
    stream->next_ns = 0; /* at once */
  }
}

static uint64_t next_line(const sn__fox_server *server, const sn__fox_subscription *s) {
  const uint64_t written = sn__remote_log_written(server->config.log);
  const uint64_t first = written > LOG_LINES_FIRST ? written - LOG_LINES_FIRST + 1 : 1;
  return s->serial == 0 ? first : s->serial + 1;
}

bool sn__fox_stream_is_new(const sn__fox_server *server, const sn__fox_subscription *s) {
  const sn__fox_stream *stream = &server->streams[s->channel];
  if (stream->channel->kind == SN__FOX_LOG) {
    return next_line(server, s) <= sn__remote_log_written(server->config.log);
  }
  return stream->serial != s->serial && stream->bytes.used > 0;
}

unsigned char *sn__fox_stream_next(sn__fox_server *server, sn__fox_subscription *s, size_t *size) {
  sn__fox_stream *stream = &server->streams[s->channel];
  if (!sn__fox_stream_is_new(server, s)) {
    return NULL;
  }
  if (stream->channel->kind == SN__FOX_LOG) {
    sn__remote_log_line line;
    if (!sn__remote_log_get(server->config.log, next_line(server, s), &line)) {
      return NULL;
    }
    s->serial = line.number;
    put_log_line(server, stream, &line);
    if (stream->bytes.used == 0) {
      return NULL;
    }
    stream->stamp_ns = line.now_ns;
  } else {
    s->serial = stream->serial;
  }
  unsigned char *message = (unsigned char *)stream->bytes.data + LWS_PRE;
  message[0] = SN__FOX_MESSAGE;
  sn__fox_put_u32(message + 1, s->id);
  sn__fox_put_u64(message + 5, (uint64_t)stream->stamp_ns);
  *size = stream->bytes.used - LWS_PRE;
  return message;
}

/* ---- start and stop ---- */

/* Runs before the threads. All outputs are open from the first cycle on, until update_idle() finds
   those that are written often. */
sn_status sn__fox_streams_open(sn__fox_server *server, sn_error *err) {
  const sn__fox_catalog *catalog = &server->catalog;
  sn_status status = SN_OK;
  for (size_t i = 0; i < catalog->channel_count && status == SN_OK; i++) {
    sn__fox_stream *stream = &server->streams[i];
    stream->channel = &catalog->channels[i];
    stream->bytes.max = BYTES_MAX;
    if (stream->channel->kind == SN__FOX_PORT) {
      status = sn__remote_tap_open(&server->taps, server->system, stream->channel->port,
                                   &stream->tap, err);
      stream->state = status == SN_OK ? SN__FOX_OPEN : SN__FOX_CLOSED;
    } else if (stream->channel->kind == SN__FOX_ROBOT && server->shapes.urdf != NULL) {
      const char *urdf = server->shapes.urdf;
      const sn__fox_string_msg msg = {.data = text_of(urdf, strlen(urdf))};
      put_msg(server, stream, &sn__fox_string_type, &msg);
    }
  }
  return status;
}

void sn__fox_streams_close(sn__fox_server *server) {
  for (size_t i = 0; server->streams != NULL && i < server->catalog.channel_count; i++) {
    sn__remote_tap_close(&server->taps, server->streams[i].tap);
    sn__buffer_free(&server->streams[i].bytes);
  }
  free(server->streams);
}
