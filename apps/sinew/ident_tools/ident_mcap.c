#include "ident_tools/ident_mcap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "command.h"
#include "common/print.h"
#include "replay/recording.h"
#include "sinew/msg_types.h"

enum {
  SAMPLES_MAX = 4000000, /* of all servos together */
  PROGRESS_MESSAGES = 1 << 12
};
static const int64_t PIECE_NS = 5000000000; /* of a recording that is only kept in pieces */
static const int64_t STALE_NS = 1000000000; /* older goals and efforts are ignored */

/* The values of one topic over time. */
typedef struct series {
  size_t width;      /* numbers of a frame */
  int64_t *times_ns; /* [count] */
  double *values;    /* [count][width], NaN where nothing is known */
  size_t count, capacity;
  int64_t last_ns;
  bool has_last;
} series;

typedef struct reading {
  const char *path;
  const sn_servo_list *servos;
  bool progress;
  recording file;
  ident_topics topics;
  series series[IDENT_ROLE_COUNT];
  uint64_t message_count; /* of all topics */
  int64_t keep_every;     /* of the pieces */
  bool has_efforts;       /* some message had any */
  ident_data *out;
} reading;

bool ident_is_recording(const char *bytes, size_t size) {
  static const char magic[] = "\x89MCAP";
  return size >= sizeof magic - 1 && memcmp(bytes, magic, sizeof magic - 1) == 0;
}

static int complain(const reading *r, const char *message) {
  char path[512];
  text_clean(r->path, path, sizeof path);
  fprintf(stderr, "%s%s: error: %s\n", r->progress ? "\r\033[K" : "", path, message);
  return EXIT_NO;
}

/* ---- messages into series ---- */

/* Append a frame; it starts as a copy of the last one if values stay in force. */
static double *next_frame(series *s, int64_t time_ns, bool stays) {
  if (s->count == s->capacity) {
    size_t capacity = s->capacity;
    int64_t *times_ns = sn__list_grow(s->times_ns, &capacity, s->count + 1, sizeof *times_ns);
    s->times_ns = times_ns == NULL ? s->times_ns : times_ns;
    capacity = s->capacity; /* the two lists grow alike */
    double *values = sn__list_grow(s->values, &capacity, s->count + 1, s->width * sizeof *values);
    s->values = values == NULL ? s->values : values;
    if (times_ns == NULL || values == NULL) {
      return NULL;
    }
    s->capacity = capacity;
  }
  double *frame = s->values + s->count * s->width;
  for (size_t i = 0; i < s->width; i++) {
    frame[i] = stays && s->count > 0 ? frame[(ptrdiff_t)i - (ptrdiff_t)s->width] : (double)NAN;
  }
  s->times_ns[s->count++] = time_ns;
  return frame;
}

static int servo_of(reading *r, const sn_msg_names *names, size_t i) {
  const char *name = sn_msg_names_at(names, i);
  const int servo = sn_names_index(r->servos->names, name);
  if (servo < 0 && r->out->unknown_count++ == 0) {
    snprintf(r->out->unknown, sizeof r->out->unknown, "%s", name);
  }
  return servo;
}

static double value_at(const sn_seq_f64 *values, size_t i) {
  return i < values->count ? values->data[i] : (double)NAN;
}

static void put_measured(reading *r, const sn_joint_state *msg, double *frame) {
  const size_t n = r->servos->count;
  for (size_t i = 0; i < msg->name.count; i++) {
    const int servo = servo_of(r, &msg->name, i);
    if (servo >= 0) {
      frame[servo] = value_at(&msg->position, i);
      frame[n + (size_t)servo] = value_at(&msg->velocity, i);
      frame[2 * n + (size_t)servo] = value_at(&msg->effort, i);
      r->out->tracks[servo].line_count++;
    }
  }
  r->out->line_count += msg->name.count;
}

static void put_efforts(reading *r, const sn_joint_state *msg, double *frame) {
  for (size_t i = 0; i < msg->name.count && i < msg->effort.count; i++) {
    const int servo = sn_names_index(r->servos->names, sn_msg_names_at(&msg->name, i));
    if (servo >= 0) {
      frame[servo] = msg->effort.data[i];
      r->has_efforts = true;
    }
  }
}

/* A limp servo has no goal. */
static void put_goals(reading *r, const sn_servo_goal *msg, double *frame) {
  for (size_t i = 0; i < msg->name.count && i < msg->goal.count; i++) {
    const int servo = sn_names_index(r->servos->names, sn_msg_names_at(&msg->name, i));
    if (servo >= 0) {
      const bool is_limp = i < msg->limp.count && msg->limp.data[i];
      frame[servo] = is_limp ? (double)NAN : msg->goal.data[i];
    }
  }
}

/* @return EXIT_GOOD also if the message is in a piece that is left out */
static int take_message(reading *r, ident_role which, const sn_mcap_message *message,
                        const void *msg) {
  series *s = &r->series[which];
  const int64_t stamp_ns = sn_msg_stamp_ns(ident_role_type(which), msg);
  const int64_t time_ns = stamp_ns == 0 ? message->log_ns : stamp_ns;
  if (s->has_last && time_ns < s->last_ns) {
    char text[400];
    char topic[200];
    text_clean(r->topics.names[which], topic, sizeof topic);
    snprintf(text, sizeof text, "time of %s goes back: %.9f s follows %.9f s", topic,
             1e-9 * (double)time_ns, 1e-9 * (double)s->last_ns);
    return complain(r, text);
  }
  s->last_ns = time_ns;
  s->has_last = true;
  if ((time_ns / PIECE_NS) % r->keep_every != 0) {
    return EXIT_GOOD;
  }
  double *frame = next_frame(s, time_ns, which == IDENT_GOALS || which == IDENT_EFFORTS);
  if (frame == NULL) {
    return out_of_memory();
  }
  if (which == IDENT_MEASURED) {
    put_measured(r, msg, frame);
  } else if (which == IDENT_GOALS) {
    put_goals(r, msg, frame);
  } else if (which == IDENT_EFFORTS) {
    put_efforts(r, msg, frame);
  } else {
    frame[0] = (double)((const sn_battery_state *)msg)->voltage;
  }
  return EXIT_GOOD;
}

static bool has_role(const reading *r, ident_role which, const sn_mcap_channel *channel) {
  const char *topic = r->topics.names[which];
  return topic != NULL && channel->type == ident_role_type(which) &&
         strcmp(topic, channel->topic) == 0;
}

static int decode_all(reading *r, void *const *msgs) {
  sn_mcap_message message;
  uint64_t done = 0;
  int code = EXIT_GOOD;
  while (code == EXIT_GOOD && recording_next(&r->file, &message)) {
    for (int i = 0; code == EXIT_GOOD && i < IDENT_ROLE_COUNT;
         i++) { /* one topic may have two roles */
      sn_error err = {SN_OK, ""};
      if (has_role(r, (ident_role)i, message.channel)) {
        code = sn__mcap_decode(&message, msgs[i], &err) == SN_OK
                   ? take_message(r, (ident_role)i, &message, msgs[i])
                   : complain(r, err.message);
      }
    }
    if (r->progress && ++done % PROGRESS_MESSAGES == 0) {
      progress_show("reading", (double)done / (double)r->message_count);
    }
  }
  return code;
}

/* ---- series into samples ---- */

/* Index of the last frame at or before a time; @p at only grows. */
static const double *frame_at(const series *s, int64_t time_ns, size_t *at) {
  while (*at < s->count && s->times_ns[*at] <= time_ns) {
    ++*at;
  }
  const bool is_there = *at > 0 && time_ns - s->times_ns[*at - 1] <= STALE_NS;
  return is_there ? s->values + (*at - 1) * s->width : NULL;
}

/* One servo of one measured frame; nothing if it was limp or not measured. */
static bool join_one(reading *r, size_t frame, size_t servo, const double *const *others,
                     double time_s) {
  const size_t n = r->servos->count;
  const double *m = r->series[IDENT_MEASURED].values + frame * r->series[IDENT_MEASURED].width;
  ident_track *track = &r->out->tracks[servo];
  const bool is_new = track->count == 0 || time_s > track->samples[track->count - 1].time_s;
  if (isnan(m[servo]) || others[IDENT_GOALS] == NULL || isnan(others[IDENT_GOALS][servo]) ||
      !is_new) {
    return true;
  }
  const sn_ident_sample sample = {
      .time_s = time_s,
      .goal = others[IDENT_GOALS][servo],
      .position = m[servo],
      .velocity = m[n + servo],
      .effort = !r->has_efforts                 ? m[2 * n + servo]
                : others[IDENT_EFFORTS] != NULL ? others[IDENT_EFFORTS][servo]
                                                : (double)NAN,
      .voltage = others[IDENT_BATTERY] != NULL ? others[IDENT_BATTERY][0] : (double)NAN};
  return ident_track_push(track, &sample);
}

static int join(reading *r) {
  const series *measured = &r->series[IDENT_MEASURED];
  size_t at[IDENT_ROLE_COUNT] = {0};
  for (size_t k = 0; k < measured->count; k++) {
    const double *others[IDENT_ROLE_COUNT] = {0};
    const int64_t time_ns = measured->times_ns[k];
    for (size_t i = IDENT_GOALS; i < IDENT_ROLE_COUNT; i++) {
      others[i] = frame_at(&r->series[i], time_ns, &at[i]);
    }
    const double time_s = 1e-9 * (double)(time_ns - measured->times_ns[0]);
    for (size_t servo = 0; servo < r->servos->count; servo++) {
      if (!join_one(r, k, servo, others, time_s)) {
        return out_of_memory();
      }
    }
  }
  return EXIT_GOOD;
}

/* ---- the command ---- */

/* List the topics, without decoding messages. */
static int list_topics(reading *r, const ident_topics *wanted) {
  sn_mcap_message message;
  while (recording_next(&r->file, &message)) {
    r->message_count++;
  }
  if (r->file.is_refused) {
    return EXIT_NO;
  }
  r->file.is_quiet = true;
  const int code = ident_topics_find(&r->file.arena, r->path, r->file.reader, wanted, &r->topics);
  if (code != EXIT_GOOD) {
    return code;
  }
  uint64_t frames = 0;
  for (size_t i = 0; i < sn__mcap_reader_channel_count(r->file.reader); i++) {
    const sn_mcap_channel *c = sn__mcap_reader_channel_at(r->file.reader, i);
    frames = has_role(r, IDENT_MEASURED, c) ? c->count : frames;
  }
  const double samples = (double)frames * (double)r->servos->count;
  r->keep_every = (int64_t)ceil(fmax(1.0, samples / SAMPLES_MAX));
  sn__mcap_reader_rewind(r->file.reader);
  return EXIT_GOOD;
}

static int read_all(reading *r, const ident_topics *wanted) {
  int code = list_topics(r, wanted);
  if (code != EXIT_GOOD) {
    return code;
  }
  const size_t n = r->servos->count;
  const size_t widths[IDENT_ROLE_COUNT] = {
      [IDENT_MEASURED] = 3 * n, [IDENT_GOALS] = n, [IDENT_EFFORTS] = n, [IDENT_BATTERY] = 1};
  const sn_msg_capacity capacity = {.item_count = 1024, .text_size = 256};
  void *msgs[IDENT_ROLE_COUNT];
  for (size_t i = 0; i < IDENT_ROLE_COUNT; i++) {
    r->series[i].width = widths[i];
    msgs[i] = sn_msg_create(&r->file.arena, ident_role_type((ident_role)i), &capacity);
    if (msgs[i] == NULL) {
      return out_of_memory();
    }
  }
  code = decode_all(r, msgs);
  if (code == EXIT_GOOD && !r->has_efforts) {
    char path[512];
    text_clean(r->path, path, sizeof path);
    fprintf(stderr, "%s%s: warning: no topic of commanded efforts, measured efforts are used\n",
            r->progress ? "\r\033[K" : "", path);
  }
  return code == EXIT_GOOD ? join(r) : code;
}

int ident_read_recording(const char *path, const sn_servo_list *servos, const ident_topics *wanted,
                         bool progress, ident_data *out) {
  reading r = {.path = path, .servos = servos, .progress = progress, .out = out};
  if (!recording_open(&r.file, path, NULL)) {
    return EXIT_NO;
  }
  const int code = read_all(&r, wanted);
  for (size_t i = 0; i < IDENT_ROLE_COUNT; i++) {
    free(r.series[i].times_ns);
    free(r.series[i].values);
  }
  recording_close(&r.file);
  return code;
}
