#include "rt/journal/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "rt/components/property_access.h"
#include "rt/journal/journal_ring.h"

enum { TEXT_SIZE = 4096 };

struct sn_journal {
  sn__retired retired;
  sn_system *system;
  size_t ring_count; /* one for each activity; with a simulated clock, one for all */
  sn__journal_ring *rings;
  sn__journal_ring outside;    /* of threads outside of cycles, one at a time */
  sn__journal_ring *under_way; /* of the reader: the ring with a partly read entry; NULL: none */
  const sn_activity **activities;
  size_t activity_count; /* those that existed at the start */
};

static const sn_msg_field fields[] = {
    SN_MSG_FIELD_TIME(sn_journal_entry, "stamp", stamp_ns, SN_MSG_TIME),
    SN_MSG_FIELD(sn_journal_entry, "kind", kind, ""),
    SN_MSG_FIELD(sn_journal_entry, "is_exact", is_exact, ""),
    SN_MSG_FIELD(sn_journal_entry, "cycle", cycle, ""),
    SN_MSG_FIELD(sn_journal_entry, "source", source, ""),
    SN_MSG_FIELD(sn_journal_entry, "activity", activity, ""),
    SN_MSG_FIELD(sn_journal_entry, "name", name, ""),
    SN_MSG_FIELD(sn_journal_entry, "data", data, ""),
};
const sn_msg_type sn__journal_entry_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "JournalEntry"),
                                            .brief = "An external input and its cycle.",
                                            .size = sizeof(sn_journal_entry), .fields = fields,
                                            .field_count = sizeof fields / sizeof *fields};

/* ---- writing ---- */

static sn_journal *journal_of(const sn_system *system) {
  return atomic_load(&system->journal);
}

/* In a cycle: it takes effect at the position of its entry. */
static void write_inside(sn_journal *journal, sn_activity *activity, sn__journal_draft *d) {
  const uint32_t index = activity->index;
  d->head.activity = index + 1;
  d->head.is_exact = true;
  d->head.cycle = atomic_load_explicit(&activity->cycle, memory_order_relaxed) / 2 + 1;
  d->head.stamp_ns = activity->now_ns;
  if (index < journal->activity_count) {
    sn__journal_ring_put(&journal->rings[journal->ring_count == 1 ? 0 : index], d);
  } else { /* added later */
    atomic_fetch_add_explicit(&journal->outside.lost, 1, memory_order_relaxed);
  }
}

/* Not in a cycle: it takes effect in the next one at the latest. The caller holds the lock. */
static void write_outside(sn_journal *journal, const sn_activity *activity, sn__journal_draft *d) {
  if (activity == NULL && journal->activity_count > 0) {
    activity = journal->activities[0];
  }
  if (activity != NULL && activity->index < journal->activity_count) {
    d->head.activity = activity->index + 1;
    d->head.cycle = (atomic_load(&activity->cycle) + 1) / 2 + 1;
  }
  d->head.stamp_ns = sn_clock_now_ns(journal->system->config.clock);
  sn__journal_ring_put(&journal->outside, d);
}

/* A separate lock, since an emergency stop must not wait for management. */
static void write_anywhere(const sn__component_runtime *runtime, sn__journal_draft *d) {
  sn_activity *activity = sn__activity_current;
  if (activity != NULL) {
    sn_journal *journal = journal_of(runtime->system);
    if (journal != NULL) {
      write_inside(journal, activity, d);
    }
    return;
  }
  sn__journal_set_apart(
      d, SN_JOURNAL_ENTRY_MAX); /* for example a trajectory with thousands of points */
  pthread_mutex_lock(&runtime->system->journal_lock);
  sn_journal *journal = journal_of(runtime->system);
  if (journal != NULL) {
    write_outside(journal, runtime->activity, d);
  } else {
    free(d->apart);
  }
  pthread_mutex_unlock(&runtime->system->journal_lock);
}

void sn__journal_cycle(sn_activity *activity, int64_t now_ns) {
  sn_journal *journal = journal_of(activity->system);
  activity->now_ns = now_ns;
  if (journal != NULL) {
    sn__journal_draft d = {.head = {.kind = SN_JOURNAL_CYCLE}, .name = "", .point = ""};
    write_inside(journal, activity, &d);
  }
}

void sn__journal_put(sn_activity *activity, sn__journal_draft *d) {
  sn_system *system = activity->system;
  if (sn__activity_current != NULL) {
    sn_journal *journal = journal_of(system);
    if (journal != NULL) {
      write_inside(journal, activity, d);
    }
    return;
  }
  pthread_mutex_lock(&system->journal_lock);
  sn_journal *journal = journal_of(system);
  if (journal != NULL) {
    write_outside(journal, activity, d);
  }
  pthread_mutex_unlock(&system->journal_lock);
}

void sn__journal_input(const sn__channel *channel, const void *msg) {
  const sn__component_runtime *runtime = channel->reader.runtime;
  sn_journal *journal = journal_of(runtime->system);
  if (journal != NULL && sn__activity_current != NULL) {
    sn__journal_draft d = {.head = {.kind = SN_JOURNAL_INPUT, .source = channel->source},
                           .name = runtime->component->name,
                           .point = channel->reader.port->name,
                           .type = channel->type,
                           .data = msg};
    write_inside(journal, sn__activity_current, &d);
  }
}

void sn__journal_call(const sn__component_runtime *runtime, const sn_operation *operation,
                      const void *request) {
  if (journal_of(runtime->system) != NULL) {
    sn__journal_draft d = {.head = {.kind = SN_JOURNAL_CALL},
                           .name = runtime->component->name,
                           .point = operation->name,
                           .type = operation->request,
                           .data = request};
    write_anywhere(runtime, &d);
  }
}

void sn__journal_set(const sn__component_runtime *runtime, const sn_property *property) {
  if (journal_of(runtime->system) == NULL) {
    return;
  }
  char text[TEXT_SIZE];
  const size_t size = sn__property_print(property, runtime->component, text, sizeof text);
  char *longer = size < sizeof text || sn__activity_current != NULL ? NULL : malloc(size + 1);
  if (longer != NULL) {
    (void)sn__property_print(property, runtime->component, longer, size + 1);
  }
  const bool is_whole = size < sizeof text || longer != NULL;
  sn__journal_draft d = {
      .head = {.kind = SN_JOURNAL_SET},
      .name = runtime->component->name,
      .point = property->name,
      .data = longer != NULL ? longer : text,
      .data_size = is_whole ? size : SN__JOURNAL_RING_SIZE}; /* too long: lost, and counted */
  write_anywhere(runtime, &d);
  free(longer);
}

void sn__journal_life(const sn__component_runtime *runtime, const char *hook) {
  if (journal_of(runtime->system) != NULL) {
    sn__journal_draft d = {
        .head = {.kind = SN_JOURNAL_LIFE}, .name = runtime->component->name, .point = hook};
    write_anywhere(runtime, &d);
  }
}

void sn__journal_begin(const sn_system *system) {
  sn_journal *journal = journal_of(system);
  if (journal != NULL) {
    sn__journal_draft d = {
        .head = {.kind = SN_JOURNAL_BEGIN, .stamp_ns = system->begun_ns}, .name = "", .point = ""};
    pthread_mutex_lock((pthread_mutex_t *)&system->journal_lock);
    sn__journal_ring_put(&journal->outside, &d);
    pthread_mutex_unlock((pthread_mutex_t *)&system->journal_lock);
  }
}

static sn__journal_draft draft_source(const sn__channel *channel, sn_journal_kind kind, char *text,
                                      size_t text_size) {
  const sn_connection *c = &channel->connection;
  const int size =
      snprintf(text, text_size, "{\"buffer\":%zu,\"refuse\":%s,\"delayed\":%s}", c->buffer,
               c->overflow == SN_OVERFLOW_REFUSE ? "true" : "false", c->delayed ? "true" : "false");
  return (sn__journal_draft){.head = {.kind = (uint8_t)kind, .source = channel->source},
                             .name = channel->reader.runtime->component->name,
                             .point = channel->reader.port->name,
                             .data = text,
                             .data_size = (size_t)size};
}

void sn__journal_source(const sn__channel *channel, sn_journal_kind kind) {
  if (journal_of(channel->reader.runtime->system) != NULL) {
    char text[128];
    sn__journal_draft d = draft_source(channel, kind, text, sizeof text);
    write_anywhere(channel->reader.runtime, &d);
  }
}

/* ---- opening, reading, closing ---- */

static void list_source(sn_journal *journal, const sn_input *input) {
  const sn__channel *channel = input->channel;
  if (channel != NULL && channel->writer.runtime == NULL) {
    char text[128];
    sn__journal_draft d = draft_source(channel, SN_JOURNAL_OPEN, text, sizeof text);
    write_outside(journal, channel->reader.runtime->activity, &d);
  }
}

static void list_sources(sn_journal *journal) {
  const sn_system *system = journal->system;
  for (size_t i = 0; i < system->runtime_count; i++) {
    const sn__component_runtime *runtime = system->runtimes[i];
    const sn_port *port = runtime->component->type->ports;
    for (; port != NULL && port->name != NULL; port++) {
      if (port->kind == SN_PORT_IN) {
        list_source(journal, sn__member(runtime, port->offset));
      } else if (port->kind == SN_PORT_MANY) {
        const sn_inputs *inputs = sn__member(runtime, port->offset);
        for (size_t k = 0; k < inputs->count; k++) {
          list_source(journal, &inputs->items[k]);
        }
      }
    }
  }
}

static void dispose(sn__retired *what) {
  sn_journal *journal = (sn_journal *)what;
  for (size_t i = 0; journal->rings != NULL && i < journal->ring_count; i++) {
    sn__journal_ring_free(&journal->rings[i]);
  }
  free(journal->rings);
  sn__journal_ring_free(&journal->outside);
  free(journal->activities);
  free(journal);
}

static sn_journal *create(sn_system *system) {
  sn_journal *journal = calloc(1, sizeof *journal);
  if (journal == NULL) {
    return NULL;
  }
  const bool is_simulated = system->config.clock->kind == SN_CLOCK_SIMULATED;
  journal->retired.dispose = dispose;
  journal->system = system;
  journal->activity_count = system->activity_count;
  journal->ring_count = is_simulated || system->activity_count == 0 ? 1 : system->activity_count;
  journal->activities = calloc(journal->activity_count + 1, sizeof *journal->activities);
  journal->rings = calloc(journal->ring_count, sizeof *journal->rings);
  journal->outside.bytes = malloc(SN__JOURNAL_RING_SIZE);
  bool is_good =
      journal->rings != NULL && journal->outside.bytes != NULL && journal->activities != NULL;
  for (size_t i = 0; is_good && i < journal->activity_count; i++) {
    journal->activities[i] = system->activities[i];
  }
  for (size_t i = 0; is_good && i < journal->ring_count; i++) {
    journal->rings[i].bytes = malloc(SN__JOURNAL_RING_SIZE);
    is_good = journal->rings[i].bytes != NULL;
  }
  if (!is_good) {
    dispose(&journal->retired);
    return NULL;
  }
  return journal;
}

sn_status sn__journal_open(sn_system *system, sn_journal **out, sn_error *err) {
  sn_status status = SN_OK;
  sn_system_hold(system);
  if (journal_of(system) != NULL) {
    status = sn__fail(err, SN_EBUSY, "there is a journal already");
  } else {
    sn_journal *journal = create(system);
    if (journal == NULL) {
      status = sn__fail(err, SN_ENOMEM, "no memory for a journal");
    } else {
      list_sources(journal);
      atomic_store(&system->journal, journal);
      *out = journal;
    }
  }
  sn_system_release(system);
  return status;
}

/* @return whether it fits */
static bool fill_entry(const sn_journal *journal, const sn__journal_piece *piece,
                       sn_journal_entry *entry) {
  const sn__journal_head *h = &piece->head;
  char name[SN__JOURNAL_NAME_SIZE];
  memcpy(name, piece->name, h->name_size);
  name[h->name_size] = '\0';
  const char *activity = h->activity == 0 ? "" : journal->activities[h->activity - 1]->config.name;
  entry->stamp_ns = h->stamp_ns < 0 ? 0 : h->stamp_ns;
  entry->kind = piece->is_last ? h->kind : (uint8_t)SN_JOURNAL_PART;
  entry->is_exact = h->is_exact;
  entry->cycle = h->cycle;
  entry->source = h->source;
  if (sn_msg_text_set(&entry->activity, activity) != SN_OK ||
      sn_msg_text_set(&entry->name, name) != SN_OK || piece->size > entry->data.capacity) {
    entry->kind = 0;
    return false;
  }
  entry->data.count = piece->size;
  memcpy(entry->data.data, piece->data, piece->size);
  return true;
}

static bool read_ring(sn_journal *journal, sn__journal_ring *r, sn_journal_entry *entry) {
  sn__journal_piece piece;
  const size_t room = entry->data.capacity;
  if (!sn__journal_ring_look(r, room == 0 ? 1 : room, &piece)) {
    return false;
  }
  const bool has_room = fill_entry(journal, &piece, entry);
  if (!has_room) {
    atomic_fetch_add_explicit(&r->lost, 1, memory_order_relaxed);
  }
  sn__journal_ring_take(r, &piece, !has_room);
  journal->under_way = piece.is_last || !has_room ? NULL : r;
  return true;
}

/* The pieces of an entry are consecutive. */
bool sn__journal_read(sn_journal *journal, sn_journal_entry *entry) {
  if (journal->under_way != NULL) {
    return read_ring(journal, journal->under_way, entry);
  }
  bool found = read_ring(journal, &journal->outside, entry);
  for (size_t i = 0; !found && i < journal->ring_count; i++) {
    found = read_ring(journal, &journal->rings[i], entry);
  }
  return found;
}

uint64_t sn__journal_lost(const sn_journal *journal) {
  uint64_t lost = atomic_load_explicit(&journal->outside.lost, memory_order_relaxed);
  for (size_t i = 0; i < journal->ring_count; i++) {
    lost += atomic_load_explicit(&journal->rings[i].lost, memory_order_relaxed);
  }
  return lost;
}

void sn__journal_close(sn_journal *journal) {
  if (journal == NULL) {
    return;
  }
  sn_system *system = journal->system;
  sn_system_hold(system);
  pthread_mutex_lock(&system->journal_lock);
  atomic_store(&system->journal, NULL);
  pthread_mutex_unlock(&system->journal_lock);
  sn__system_retire(system, &journal->retired);
  sn__system_reclaim(system);
  sn_system_release(system);
}
