#define _POSIX_C_SOURCE 200809L

#include "ident_tools/ident_read.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "command.h"
#include "common/file_bytes.h"
#include "common/print.h"
#include "ident/offline/ident_log.h"
#include "ident_tools/ident_mcap.h"

enum {
  SAMPLES_MAX = 4000000,   /* of all servos together: 192 MB */
  THREAD_BYTES = 4 << 20,  /* a thread for less than this does not pay off */
  PROGRESS_LINES = 1 << 15 /* between two updates of the progress */
};
#define PIECE_S 5.0 /* of a log that is only kept in pieces */

/* The first error in a part of the file. */
typedef struct complaint {
  const char *at; /* start of the line; NULL: no error */
  sn_error error;
} complaint;

typedef struct shared {
  const char *path;
  const sn_servo_list *servos;
  sn_ident_columns columns;
  size_t keep_every; /* of the pieces */
  size_t size;
  atomic_size_t done; /* bytes */
  bool progress;
} shared;

/* One thread's part. */
typedef struct part {
  shared *all;
  sn_ident_cursor cursor;
  ident_track *tracks;
  double *last_time;       /* [servo] */
  double *first_time;      /* [servo] */
  const char **first_line; /* [servo] */
  size_t line_count;
  size_t unknown_count;
  const char *unknown;
  size_t unknown_length;
  complaint bad;
  bool out_of_memory;
  bool is_first;
  pthread_t thread;
} part;

size_t ident_thread_count(void) {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return cores < 1 ? 1 : cores > IDENT_THREADS_MAX ? IDENT_THREADS_MAX : (size_t)cores;
}

bool ident_track_push(ident_track *track, const sn_ident_sample *sample) {
  sn_ident_sample *grown =
      sn__list_grow(track->samples, &track->capacity, track->count + 1, sizeof *grown);
  if (grown == NULL) {
    return false;
  }
  track->samples = grown;
  track->samples[track->count++] = *sample;
  return true;
}

static void show_progress(shared *all, size_t bytes_read) {
  const size_t done = atomic_fetch_add(&all->done, bytes_read) + bytes_read;
  if (all->progress && all->size > 0) {
    progress_show("reading", (double)done / (double)all->size);
  }
}

/* The servo of a line: usually the one after that of the line before. */
static int find_servo(const sn_servo_list *servos, const sn_ident_line *line, size_t *expected) {
  const char *name = servos->entries[*expected].name;
  if (strncmp(name, line->joint, line->joint_length) == 0 && name[line->joint_length] == '\0') {
    const int found = (int)*expected;
    *expected = *expected + 1 == servos->count ? 0 : *expected + 1;
    return found;
  }
  char text[256];
  if (line->joint_length >= sizeof text) {
    return -1;
  }
  memcpy(text, line->joint, line->joint_length);
  text[line->joint_length] = '\0';
  const int found = sn_names_index(servos->names, text);
  *expected = found < 0 ? *expected : ((size_t)found + 1) % servos->count;
  return found;
}

/* @return false if time does not increase */
static bool take_line(part *p, int servo, const sn_ident_line *line, const char *at) {
  const double t = line->sample.time_s;
  ident_track *track = &p->tracks[servo];
  if (track->line_count++ == 0) {
    p->first_time[servo] = t;
    p->first_line[servo] = at;
  } else if (t <= p->last_time[servo]) {
    snprintf(p->bad.error.message, sizeof p->bad.error.message,
             "time of '%.60s' does not grow: %.9g s follows %.9g s",
             p->all->servos->entries[servo].name, t, p->last_time[servo]);
    p->bad.at = at;
    return false;
  }
  p->last_time[servo] = t;
  if (isnan(line->sample.position) || isnan(t)) {
    return true; /* no measurement */
  }
  if (p->all->keep_every > 1) {
    const double piece = floor(t / PIECE_S);
    const double every = (double)p->all->keep_every;
    if (piece - every * floor(piece / every) >= 0.5) {
      return true;
    }
  }
  p->out_of_memory = !ident_track_push(track, &line->sample);
  return !p->out_of_memory;
}

static void *read_part(void *argument) {
  part *p = argument;
  size_t expected = 0;
  const char *reported = p->cursor.at;
  sn_ident_line line = {0};
  for (;;) {
    const sn_ident_log_result result =
        sn__ident_log_next(&p->all->columns, &p->cursor, &line, &p->bad.error);
    const char *at = p->cursor.at;
    if (result == SN_IDENT_LOG_BAD) {
      p->bad.at = at;
    }
    if (result != SN_IDENT_LOG_LINE) {
      break;
    }
    p->line_count++;
    const int servo = find_servo(p->all->servos, &line, &expected);
    if (servo < 0) {
      if (p->unknown_count++ == 0) {
        p->unknown = line.joint;
        p->unknown_length = line.joint_length;
      }
    } else if (!take_line(p, servo, &line, line.joint)) {
      break;
    }
    if (p->is_first && p->line_count % PROGRESS_LINES == 0) {
      show_progress(p->all, (size_t)(p->cursor.at - reported));
      reported = p->cursor.at;
    } else if (p->line_count % PROGRESS_LINES == 0) {
      atomic_fetch_add(&p->all->done, (size_t)(p->cursor.at - reported));
      reported = p->cursor.at;
    }
  }
  return NULL;
}

static bool prepare_part(part *p, shared *all, const char *from, const char *to) {
  const size_t n = all->servos->count;
  *p = (part){.all = all,
              .cursor = {from, to},
              .tracks = calloc(n, sizeof *p->tracks),
              .last_time = calloc(n, sizeof *p->last_time),
              .first_time = calloc(n, sizeof *p->first_time),
              .first_line = calloc(n, sizeof *p->first_line)};
  return p->tracks != NULL && p->last_time != NULL && p->first_time != NULL &&
         p->first_line != NULL;
}

static void free_part(part *p, size_t servo_count) {
  for (size_t i = 0; p->tracks != NULL && i < servo_count; i++) {
    free(p->tracks[i].samples);
  }
  free(p->tracks);
  free(p->last_time);
  free(p->first_time);
  free(p->first_line);
}

/* Number of the line at a position, from 1. */
static unsigned line_number(const file_bytes *file, const char *at) {
  unsigned line = 1;
  for (const char *c = file->text; c < at; c++) {
    line += *c == '\n';
  }
  return line;
}

static int complain(const shared *all, const file_bytes *file, const char *at,
                    const char *message) {
  char path[512];
  text_clean(all->path, path, sizeof path);
  const sn_place place = {
      .file = all->path, .line = at == NULL ? 1 : line_number(file, at), .column = 1};
  fprintf(stderr, "%s%s:%u: error: %s\n", all->progress ? "\r\033[K" : "", path, place.line,
          message);
  if (file->size < SN_VALUE_SIZE_MAX) {
    place_print(place);
  }
  return EXIT_NO;
}

/* Find a part with an error, or one that begins before the end of the part before. */
static int check_parts(const shared *all, const file_bytes *file, const part *parts, size_t count) {
  const size_t n = all->servos->count;
  for (size_t p = 0; p < count; p++) {
    for (size_t i = 0; i < n; i++) {
      size_t before = p; /* the last part with this servo */
      while (before > 0 && parts[before - 1].tracks[i].line_count == 0) {
        before--;
      }
      if (before > 0 && parts[p].tracks[i].line_count > 0 &&
          parts[p].first_time[i] <= parts[before - 1].last_time[i]) {
        char message[200];
        snprintf(message, sizeof message, "time of '%.60s' does not grow: %.9g s follows %.9g s",
                 all->servos->entries[i].name, parts[p].first_time[i],
                 parts[before - 1].last_time[i]);
        return complain(all, file, parts[p].first_line[i], message);
      }
    }
    if (parts[p].bad.at != NULL) {
      return complain(all, file, parts[p].bad.at, parts[p].bad.error.message);
    }
    if (parts[p].out_of_memory) {
      return out_of_memory();
    }
  }
  return EXIT_GOOD;
}

static int merge(const part *parts, size_t count, ident_data *out) {
  for (size_t i = 0; i < out->servo_count; i++) {
    ident_track *track = &out->tracks[i];
    *track = parts[0].tracks[i]; /* ownership moved */
    parts[0].tracks[i].samples = NULL;
    for (size_t p = 1; p < count; p++) {
      const ident_track *more = &parts[p].tracks[i];
      const size_t total = track->count + more->count;
      track->line_count += more->line_count;
      if (more->count == 0) {
        continue;
      }
      sn_ident_sample *grown =
          sn__list_grow(track->samples, &track->capacity, total, sizeof *grown);
      if (grown == NULL) {
        return out_of_memory();
      }
      memcpy(grown + track->count, more->samples, more->count * sizeof *grown);
      track->samples = grown;
      track->count = total;
    }
  }
  for (size_t p = 0; p < count; p++) {
    out->line_count += parts[p].line_count;
    if (out->unknown_count == 0 && parts[p].unknown_count > 0) {
      snprintf(out->unknown, sizeof out->unknown, "%.*s", (int)parts[p].unknown_length,
               parts[p].unknown);
    }
    out->unknown_count += parts[p].unknown_count;
  }
  return EXIT_GOOD;
}

/* Start of the line after a position. */
static const char *next_line(const char *at, const char *end) {
  const char *found = at >= end ? NULL : memchr(at, '\n', (size_t)(end - at));
  return found == NULL ? end : found + 1;
}

/* Split, read in parallel, join. */
static int read_lines(shared *all, const file_bytes *file, sn_ident_cursor body, ident_data *out) {
  const size_t size = (size_t)(body.end - body.at);
  const size_t useful = size / THREAD_BYTES + 1;
  const size_t threads = ident_thread_count() < useful ? ident_thread_count() : useful;
  part parts[IDENT_THREADS_MAX] = {0};
  int code = EXIT_GOOD;
  size_t count = 0;
  const char *from = body.at;
  for (; count < threads && code == EXIT_GOOD; count++) {
    const char *to = count + 1 == threads
                         ? body.end
                         : next_line(body.at + size / threads * (count + 1), body.end);
    to = to < from ? from : to;
    if (!prepare_part(&parts[count], all, from, to)) {
      code = out_of_memory();
    }
    from = to;
  }
  parts[0].is_first = true;
  size_t started = 1;
  for (; code == EXIT_GOOD && started < count; started++) {
    if (pthread_create(&parts[started].thread, NULL, read_part, &parts[started]) != 0) {
      break; /* this thread does the rest */
    }
  }
  if (code == EXIT_GOOD) {
    read_part(&parts[0]);
    for (size_t p = 1; p < count; p++) {
      if (p < started) {
        pthread_join(parts[p].thread, NULL);
      } else {
        read_part(&parts[p]);
      }
    }
    code = check_parts(all, file, parts, count);
  }
  if (code == EXIT_GOOD) {
    code = merge(parts, count, out);
  }
  for (size_t p = 0; p < count; p++) {
    free_part(&parts[p], all->servos->count);
  }
  return code;
}

/* Number of pieces for each one that is kept. */
static size_t choose_keep(sn_ident_cursor body) {
  const size_t size = (size_t)(body.end - body.at);
  const char *at = body.at;
  size_t lines = 0;
  for (; lines < 1000 && at < body.end; lines++) {
    at = next_line(at, body.end);
  }
  const double total = lines == 0 ? 0.0 : (double)size / ((double)(at - body.at) / (double)lines);
  return (size_t)ceil(fmax(1.0, total / SAMPLES_MAX));
}

int ident_read(const char *path, const sn_servo_list *servos, const ident_topics *topics,
               bool progress, ident_data *out) {
  *out = (ident_data){.servo_count = servos->count,
                      .tracks = calloc(servos->count + 1, sizeof *out->tracks)};
  shared all = {.path = path, .servos = servos, .progress = progress};
  file_bytes file;
  if (out->tracks == NULL || !file_bytes_open(path, &file)) {
    char clean[512];
    text_clean(path, clean, sizeof clean);
    fprintf(stderr, "%s: error: cannot read the file: %s\n", clean, strerror(errno));
    return EXIT_NO;
  }
  sn_ident_cursor body = {file.text, file.text + file.size};
  sn_error err;
  int code = EXIT_GOOD;
  if (file.size == 0) {
    code = complain(&all, &file, NULL, "the file is empty, expected a header line");
  } else if (ident_is_recording(file.text, file.size)) {
    code = ident_read_recording(path, servos, topics, progress, out);
  } else if (sn__ident_log_header(&body, &all.columns, &err) != SN_OK) {
    code = complain(&all, &file, NULL, err.message);
  } else if (servos->count > 0) {
    all.keep_every = choose_keep(body);
    all.size = (size_t)(body.end - body.at);
    code = read_lines(&all, &file, body, out);
  }
  if (progress) {
    progress_end();
  }
  if (file.text != NULL) {
    file_bytes_close(&file);
  }
  return code;
}

void ident_data_warn(const char *path, const ident_data *data) {
  if (data->unknown_count > 0) {
    char clean[512], name[80];
    text_clean(path, clean, sizeof clean);
    text_clean(data->unknown, name, sizeof name);
    fprintf(stderr, "%s: warning: %zu lines are about joints without a model, the first is '%s'\n",
            clean, data->unknown_count, name);
  }
}

void ident_data_free(ident_data *data) {
  for (size_t i = 0; data->tracks != NULL && i < data->servo_count; i++) {
    free(data->tracks[i].samples);
  }
  free(data->tracks);
}
