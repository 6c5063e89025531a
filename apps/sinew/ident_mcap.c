#define _POSIX_C_SOURCE 200809L /* strdup() */

#include "ident_mcap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "excerpt.h"
#include "progress.h"
#include "recording.h"
#include "sinew/msg_types.h"

enum {
  SAMPLES_MAX = 4000000, /* of all servos together */
  PROGRESS_MESSAGES = 1 << 12
};
static const int64_t PIECE_NS = 5000000000; /* of a recording of which only pieces are kept */
static const int64_t STALE_NS = 1000000000; /* a goal or effort from before is none */

typedef enum role { MEASURED, GOALS, EFFORTS, BATTERY, ROLE_COUNT } role;

static const struct {
  const char *what;
  const sn_msg_type *type;
  const char *ports[2]; /* the first that is there */
  bool is_needed;
} roles[ROLE_COUNT] = {
    [MEASURED] = {"measured", &sn_joint_state_type, {"joints_measured"}, true},
    [GOALS] = {"goals", &sn_servo_goal_type, {"out_goals", "goals"}, true},
    [EFFORTS] = {"efforts", &sn_joint_state_type, {"joints_effort", "joints_sorted"}, false},
    [BATTERY] = {"battery", &sn_battery_state_type, {"battery_state"}, false},
};

/* What one topic said, over time. */
typedef struct series {
  char *topic;
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
  series series[ROLE_COUNT];
  uint64_t message_count; /* of all topics */
  int64_t keep_every;     /* of the pieces */
  bool has_efforts;       /* one message had some */
  ident_data *out;
} reading;

bool ident_is_recording(const char *bytes, size_t size) {
  static const char magic[] = "\x89MCAP";
  return size >= sizeof magic - 1 && memcmp(bytes, magic, sizeof magic - 1) == 0;
}

static int out_of_memory(void) {
  fputs("sinew: out of memory\n", stderr);
  return EXIT_FAULT;
}

static int complain(const reading *r, const char *message) {
  char path[512];
  excerpt_clean(r->path, path, sizeof path);
  fprintf(stderr, "%s%s: error: %s\n", r->progress ? "\r\033[K" : "", path, message);
  return EXIT_NO;
}

/* ---- which topics ---- */

static const char *port_of(const char *topic) {
  const char *slash = strrchr(topic, '/');
  return slash == NULL ? topic : slash + 1;
}

static void add_text(char *text, size_t size, const char *more) {
  const size_t length = strlen(text);
  snprintf(text + length, size - length, "%s", more);
}

static int complain_topic(const reading *r, role which, const char *found) {
  char message[700];
  snprintf(message, sizeof message, "%s: %s; expected one of type %s, as /…/%s%s%s (or --%s TOPIC)",
           roles[which].what, found, roles[which].type->ros2_name, roles[which].ports[0],
           roles[which].ports[1] == NULL ? "" : " or /…/",
           roles[which].ports[1] == NULL ? "" : roles[which].ports[1], roles[which].what);
  return complain(r, message);
}

/* The topic that somebody named. */
static int take_wanted(reading *r, role which, const char *wanted) {
  char clean[256];
  char found[400];
  excerpt_clean(wanted, clean, sizeof clean);
  for (size_t i = 0; i < sn_mcap_reader_channel_count(r->file.reader); i++) {
    const sn_mcap_channel *c = sn_mcap_reader_channel_at(r->file.reader, i);
    if (strcmp(c->topic, wanted) == 0) {
      if (c->type == roles[which].type) {
        r->series[which].topic = strdup(wanted);
        return r->series[which].topic == NULL ? out_of_memory() : EXIT_GOOD;
      }
      snprintf(found, sizeof found, "topic '%s' is of another type", clean);
      return complain_topic(r, which, found);
    }
  }
  snprintf(found, sizeof found, "there is no topic '%s'", clean);
  return complain_topic(r, which, found);
}

/* The one topic of the right type whose port has the right name. */
static int find_topic(reading *r, role which) {
  for (size_t p = 0; p < 2 && roles[which].ports[p] != NULL; p++) {
    const char *first = NULL;
    char several[500] = "several topics could be meant:";
    size_t count = 0;
    for (size_t i = 0; i < sn_mcap_reader_channel_count(r->file.reader); i++) {
      const sn_mcap_channel *c = sn_mcap_reader_channel_at(r->file.reader, i);
      if (c->type == roles[which].type && strcmp(port_of(c->topic), roles[which].ports[p]) == 0) {
        char clean[200];
        excerpt_clean(c->topic, clean, sizeof clean);
        add_text(several, sizeof several, " ");
        add_text(several, sizeof several, clean);
        first = count++ == 0 ? c->topic : first;
      }
    }
    if (count > 1) {
      return complain_topic(r, which, several);
    }
    if (count == 1) {
      r->series[which].topic = strdup(first);
      return r->series[which].topic == NULL ? out_of_memory() : EXIT_GOOD;
    }
  }
  return roles[which].is_needed ? complain_topic(r, which, "the recording has no such topic")
                                : EXIT_GOOD;
}

static int find_topics(reading *r, const ident_topics *topics) {
  const char *const wanted[ROLE_COUNT] = {[MEASURED] = topics->measured,
                                          [GOALS] = topics->goals,
                                          [EFFORTS] = topics->efforts,
                                          [BATTERY] = topics->battery};
  int code = EXIT_GOOD;
  for (int i = 0; code == EXIT_GOOD && i < ROLE_COUNT; i++) {
    code = wanted[i] != NULL ? take_wanted(r, (role)i, wanted[i]) : find_topic(r, (role)i);
  }
  if (code != EXIT_GOOD) {
    return code;
  }
  char path[512];
  excerpt_clean(r->path, path, sizeof path);
  fprintf(stderr, "%s%s:", r->progress ? "\r\033[K" : "", path);
  for (size_t i = 0; i < ROLE_COUNT; i++) {
    char clean[256];
    excerpt_clean(r->series[i].topic == NULL ? "none" : r->series[i].topic, clean, sizeof clean);
    fprintf(stderr, "%s %s %s", i == 0 ? "" : ",", roles[i].what, clean);
  }
  fputs("\n", stderr);
  return EXIT_GOOD;
}

/* ---- messages into series ---- */

/* Room for one more frame, which begins as a copy of the last one if values stay in force. */
static double *next_frame(series *s, int64_t time_ns, bool stays) {
  if (s->count == s->capacity) {
    const size_t capacity = s->capacity == 0 ? 4096 : 2 * s->capacity;
    int64_t *times_ns = realloc(s->times_ns, capacity * sizeof *times_ns);
    s->times_ns = times_ns == NULL ? s->times_ns : times_ns;
    double *values = realloc(s->values, capacity * s->width * sizeof *values);
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

/* A servo that is let go has no goal. */
static void put_goals(reading *r, const sn_servo_goal *msg, double *frame) {
  for (size_t i = 0; i < msg->name.count && i < msg->goal.count; i++) {
    const int servo = sn_names_index(r->servos->names, sn_msg_names_at(&msg->name, i));
    if (servo >= 0) {
      const bool is_limp = i < msg->limp.count && msg->limp.data[i];
      frame[servo] = is_limp ? (double)NAN : msg->goal.data[i];
    }
  }
}

/* @return EXIT_GOOD also for a message of a piece that is left out */
static int take_message(reading *r, role which, const sn_mcap_message *message, const void *msg) {
  series *s = &r->series[which];
  const int64_t stamp_ns = sn_msg_stamp_ns(roles[which].type, msg);
  const int64_t time_ns = stamp_ns == 0 ? message->log_ns : stamp_ns;
  if (s->has_last && time_ns < s->last_ns) {
    char text[400];
    char topic[200];
    excerpt_clean(s->topic, topic, sizeof topic);
    snprintf(text, sizeof text, "time of %s goes back: %.9f s follows %.9f s", topic,
             1e-9 * (double)time_ns, 1e-9 * (double)s->last_ns);
    return complain(r, text);
  }
  s->last_ns = time_ns;
  s->has_last = true;
  if ((time_ns / PIECE_NS) % r->keep_every != 0) {
    return EXIT_GOOD;
  }
  double *frame = next_frame(s, time_ns, which == GOALS || which == EFFORTS);
  if (frame == NULL) {
    return out_of_memory();
  }
  if (which == MEASURED) {
    put_measured(r, msg, frame);
  } else if (which == GOALS) {
    put_goals(r, msg, frame);
  } else if (which == EFFORTS) {
    put_efforts(r, msg, frame);
  } else {
    frame[0] = (double)((const sn_battery_state *)msg)->voltage;
  }
  return EXIT_GOOD;
}

static bool has_role(const reading *r, role which, const sn_mcap_channel *channel) {
  const char *topic = r->series[which].topic;
  return topic != NULL && channel->type == roles[which].type && strcmp(topic, channel->topic) == 0;
}

static int decode_all(reading *r, void *const *msgs) {
  sn_mcap_message message;
  uint64_t done = 0;
  int code = EXIT_GOOD;
  while (code == EXIT_GOOD && recording_next(&r->file, &message)) {
    for (int i = 0; code == EXIT_GOOD && i < ROLE_COUNT; i++) { /* one topic may have two roles */
      sn_error err = {SN_OK, ""};
      if (has_role(r, (role)i, message.channel)) {
        code = sn_mcap_decode(&message, msgs[i], &err) == SN_OK
                   ? take_message(r, (role)i, &message, msgs[i])
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

/* The place of the last frame that is not after a time; @p at only grows. */
static const double *frame_at(const series *s, int64_t time_ns, size_t *at) {
  while (*at < s->count && s->times_ns[*at] <= time_ns) {
    ++*at;
  }
  const bool is_there = *at > 0 && time_ns - s->times_ns[*at - 1] <= STALE_NS;
  return is_there ? s->values + (*at - 1) * s->width : NULL;
}

static bool push(ident_track *track, const sn_ident_sample *sample) {
  if (track->count == track->capacity) {
    const size_t capacity = track->capacity == 0 ? 4096 : 2 * track->capacity;
    sn_ident_sample *grown = realloc(track->samples, capacity * sizeof *grown);
    if (grown == NULL) {
      return false;
    }
    track->samples = grown;
    track->capacity = capacity;
  }
  track->samples[track->count++] = *sample;
  return true;
}

/* One servo of one measured frame; nothing if it was not measured, or let go. */
static bool join_one(reading *r, size_t frame, size_t servo, const double *const *others,
                     double time_s) {
  const size_t n = r->servos->count;
  const double *m = r->series[MEASURED].values + frame * r->series[MEASURED].width;
  ident_track *track = &r->out->tracks[servo];
  const bool is_new = track->count == 0 || time_s > track->samples[track->count - 1].time_s;
  if (isnan(m[servo]) || others[GOALS] == NULL || isnan(others[GOALS][servo]) || !is_new) {
    return true;
  }
  const sn_ident_sample sample = {
      .time_s = time_s,
      .goal = others[GOALS][servo],
      .position = m[servo],
      .velocity = m[n + servo],
      .effort = !r->has_efforts           ? m[2 * n + servo]
                : others[EFFORTS] != NULL ? others[EFFORTS][servo]
                                          : (double)NAN,
      .voltage = others[BATTERY] != NULL ? others[BATTERY][0] : (double)NAN};
  return push(track, &sample);
}

static int join(reading *r) {
  const series *measured = &r->series[MEASURED];
  size_t at[ROLE_COUNT] = {0};
  for (size_t k = 0; k < measured->count; k++) {
    const double *others[ROLE_COUNT] = {0};
    const int64_t time_ns = measured->times_ns[k];
    for (size_t i = GOALS; i < ROLE_COUNT; i++) {
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

/* ---- all of it ---- */

/* First a look at what is there, without decoding anything. */
static int look(reading *r, const ident_topics *topics) {
  sn_mcap_message message;
  while (recording_next(&r->file, &message)) {
    r->message_count++;
  }
  if (r->file.is_refused) {
    return EXIT_NO;
  }
  r->file.is_quiet = true;
  const int code = find_topics(r, topics);
  if (code != EXIT_GOOD) {
    return code;
  }
  uint64_t frames = 0;
  for (size_t i = 0; i < sn_mcap_reader_channel_count(r->file.reader); i++) {
    const sn_mcap_channel *c = sn_mcap_reader_channel_at(r->file.reader, i);
    frames = has_role(r, MEASURED, c) ? c->count : frames;
  }
  const double samples = (double)frames * (double)r->servos->count;
  r->keep_every = (int64_t)ceil(fmax(1.0, samples / SAMPLES_MAX));
  sn_mcap_reader_rewind(r->file.reader);
  return EXIT_GOOD;
}

static int read_all(reading *r, const ident_topics *topics) {
  int code = look(r, topics);
  if (code != EXIT_GOOD) {
    return code;
  }
  const size_t n = r->servos->count;
  const size_t widths[ROLE_COUNT] = {[MEASURED] = 3 * n, [GOALS] = n, [EFFORTS] = n, [BATTERY] = 1};
  const sn_msg_capacity capacity = {.item_count = 1024, .text_size = 256};
  void *msgs[ROLE_COUNT];
  for (size_t i = 0; i < ROLE_COUNT; i++) {
    r->series[i].width = widths[i];
    msgs[i] = sn_msg_create(&r->file.arena, roles[i].type, &capacity);
    if (msgs[i] == NULL) {
      return out_of_memory();
    }
  }
  code = decode_all(r, msgs);
  if (code == EXIT_GOOD && !r->has_efforts) {
    char path[512];
    excerpt_clean(r->path, path, sizeof path);
    fprintf(stderr, "%s%s: warning: there are no efforts but those measured, which are used\n",
            r->progress ? "\r\033[K" : "", path);
  }
  return code == EXIT_GOOD ? join(r) : code;
}

int ident_read_recording(const char *path, const sn_servo_list *servos, const ident_topics *topics,
                         bool progress, ident_data *out) {
  reading r = {.path = path, .servos = servos, .progress = progress, .out = out};
  if (!recording_open(&r.file, path, NULL)) {
    return EXIT_NO;
  }
  const int code = read_all(&r, topics);
  for (size_t i = 0; i < ROLE_COUNT; i++) {
    free(r.series[i].topic);
    free(r.series[i].times_ns);
    free(r.series[i].values);
  }
  recording_close(&r.file);
  return code;
}
