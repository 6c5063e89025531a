/* For strnlen(). */
#define _POSIX_C_SOURCE 200809L

#include "sinew/log.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/log_internal.h"
#include "base/text.h"
#include "sinew/fault.h"

#define CAPACITY_MAX ((size_t)1 << 20)
#define LIMIT_NS INT64_C(1000000000)

/* The bounded queue of D. Vyukov ("Bounded MPMC queue", 1024cores.net), with a single reader. The
 * sequence number of a slot is its state: `position` means free for the writer of that position,
 * `position + 1` means filled. The next round is `capacity` later. Writers only compete for a
 * position. A writer that is preempted between taking and filling it blocks the reader there, but
 * no other writer until the ring is full. */
typedef struct slot {
  atomic_size_t sequence;
  sn_log_record record;
} slot;

/* Written by different threads, hence in different cache lines. */
struct sn_log {
  alignas(64) atomic_size_t tail; /* next position to write */
  alignas(64) size_t head;        /* next position to read; used by the reader only */
  alignas(64) _Atomic uint64_t dropped;
  size_t capacity;
  slot *slots;
};

sn_status sn_log_create(sn_arena *arena, size_t capacity, sn_log **out, sn_error *err) {
  if (capacity == 0 || capacity > CAPACITY_MAX) {
    return sn__fail(err, SN_EINVAL, "log: %zu records, must be 1 .. %zu", capacity, CAPACITY_MAX);
  }
  size_t rounded = 2;
  while (rounded < capacity) {
    rounded *= 2;
  }
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_log *log = SN_NEW(arena, sn_log, 1);
  slot *slots = SN_NEW(arena, slot, rounded);
  if (log == NULL || slots == NULL) {
    sn_arena_restore(arena, mark); /* all or nothing */
    return sn__fail(err, SN_ENOMEM, "log: no room in arena '%s'", sn_arena_name(arena));
  }
  atomic_init(&log->tail, 0);
  atomic_init(&log->dropped, 0);
  log->capacity = rounded;
  log->slots = slots;
  for (size_t i = 0; i < rounded; i++) {
    atomic_init(&slots[i].sequence, i);
  }
  *out = log;
  return SN_OK;
}

static slot *slot_at(const sn_log *log, size_t position) {
  return &log->slots[position & (log->capacity - 1)];
}

/* The texts of a record: those of the arguments, the source last. @return how many */
static size_t find_texts(sn_log_record *record, const char **texts[SN_LOG_ARGS_MAX + 1]) {
  size_t count = 0;
  for (size_t i = 0; i < record->arg_count; i++) {
    if (record->args[i].kind == SN_LOG_TEXT && record->args[i].value.text != NULL) {
      texts[count++] = &record->args[i].value.text;
    }
  }
  if (record->source != NULL) {
    texts[count++] = &record->source;
  }
  return count;
}

/* Bytes that a text needs of those that it has in any case. */
static size_t own_size(const char *text) {
  return strnlen(text, SN_LOG_TEXT_SIZE - 1) + 1;
}

/* A long text also gets what the shorter ones do not need. */
static void copy_texts(sn_log_record *record) {
  const char **texts[SN_LOG_ARGS_MAX + 1];
  const size_t count = find_texts(record, texts);
  size_t spare = SN_LOG_TEXTS_SIZE;
  for (size_t i = 0; i < count; i++) {
    spare -= own_size(*texts[i]);
  }
  char *to = record->texts;
  for (size_t i = 0; i < count; i++) {
    const size_t own = own_size(*texts[i]);
    const size_t length = strnlen(*texts[i], own + spare - 1);
    memcpy(to, *texts[i], length);
    to[length] = '\0';
    to += length + 1;
    spare -= length + 1 - own;
  }
}

static void find_copies(sn_log_record *record) {
  const char **texts[SN_LOG_ARGS_MAX + 1];
  const size_t count = find_texts(record, texts);
  const char *copy = record->texts;
  for (size_t i = 0; i < count; i++) {
    *texts[i] = copy;
    copy += strlen(copy) + 1;
  }
}

/* Without the texts: only those in use are copied. */
static void copy_record(sn_log_record *to, const sn_log_record *from) {
  memcpy(to, from, offsetof(sn_log_record, texts));
}

bool sn__log_write(sn_log *log, const sn_log_record *record) {
  SN_ASSERT(record->format != NULL);
  SN_ASSERT(record->arg_count <= SN_LOG_ARGS_MAX);
  size_t position = atomic_load_explicit(&log->tail, memory_order_relaxed);
  for (;;) { /* each further round means that another writer succeeded */
    slot *s = slot_at(log, position);
    const size_t sequence = atomic_load_explicit(&s->sequence, memory_order_acquire);
    if (sequence == position) {
      if (atomic_compare_exchange_weak_explicit(&log->tail, &position, position + 1,
                                                memory_order_relaxed, memory_order_relaxed)) {
        copy_record(&s->record, record);
        copy_texts(&s->record);
        atomic_store_explicit(&s->sequence, position + 1, memory_order_release);
        return true;
      }
    } else if (position - sequence <= log->capacity) { /* still in use since the previous round */
      atomic_fetch_add_explicit(&log->dropped, 1, memory_order_relaxed);
      return false;
    } else { /* another writer took it meanwhile */
      position = atomic_load_explicit(&log->tail, memory_order_relaxed);
    }
  }
}

bool sn_log_read(sn_log *log, sn_log_record *record) {
  slot *s = slot_at(log, log->head);
  if (atomic_load_explicit(&s->sequence, memory_order_acquire) != log->head + 1) {
    return false;
  }
  *record = s->record;
  find_copies(record);
  atomic_store_explicit(&s->sequence, log->head + log->capacity, memory_order_release);
  log->head++;
  return true;
}

uint64_t sn_log_dropped(const sn_log *log) {
  return atomic_load_explicit(&log->dropped, memory_order_relaxed);
}

/* A line under construction; text that does not fit is dropped. */
typedef struct line {
  char text[SN__TEXT_MAX];
  size_t length;
} line;

static void append(line *l, const char *text, size_t length) {
  const size_t room = sizeof l->text - 1 - l->length;
  const size_t count = length < room ? length : room;
  memcpy(l->text + l->length, text, count);
  l->length += count;
}

static void append_arg(line *l, const sn_log_arg *arg) {
  char number[32];
  const char *text = number;
  switch (arg->kind) {
    case SN_LOG_INT:
      snprintf(number, sizeof number, "%" PRId64, arg->value.integer);
      break;
    case SN_LOG_REAL:
      snprintf(number, sizeof number, "%.9g", arg->value.real);
      break;
    case SN_LOG_TEXT:
      text = arg->value.text == NULL ? "(none)" : arg->value.text;
      break;
  }
  append(l, text, strlen(text));
}

bool sn_log_limit_pass(sn_log_limit *limit, int64_t now_ns, uint64_t *suppressed) {
  int64_t age_ns = 0;
  const bool is_far = __builtin_sub_overflow(now_ns, limit->logged_ns, &age_ns);
  if (limit->has_logged && !is_far && age_ns >= 0 && age_ns < LIMIT_NS) {
    limit->suppressed++;
    return false;
  }
  *suppressed = limit->suppressed;
  *limit = (sn_log_limit){.logged_ns = now_ns, .has_logged = true};
  return true;
}

size_t sn_log_format(const sn_log_record *record, char *text, size_t size) {
  SN_ASSERT(record->format != NULL);
  SN_ASSERT(record->arg_count <= SN_LOG_ARGS_MAX);
  line l = {.length = 0};
  if (record->source != NULL) {
    append(&l, record->source, strlen(record->source));
    append(&l, ": ", 2);
  }
  const char *at = record->format;
  for (size_t i = 0; i < record->arg_count; i++) {
    const char *place = strstr(at, "{}");
    if (place == NULL) {
      break;
    }
    append(&l, at, (size_t)(place - at));
    append_arg(&l, &record->args[i]);
    at = place + 2;
  }
  append(&l, at, strlen(at));
  if (record->suppressed > 0) {
    const sn_log_arg more = {.kind = SN_LOG_INT, .value.integer = (int64_t)record->suppressed};
    append(&l, " (", 2);
    append_arg(&l, &more);
    append(&l, " more suppressed)", 17);
  }
  l.text[l.length] = '\0';
  return sn__text_clean_line(l.text, text, size);
}
