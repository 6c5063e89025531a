#include "replay/replay_feed.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "sinew/msg_wire.h"

static void refuse(replay_feed *f, const sn_journal_entry *entry, const char *reason) {
  f->refused++;
  if (f->reason[0] == '\0') {
    snprintf(f->reason, sizeof f->reason, "%.120s: %.240s", entry->name.data, reason);
  }
}

/* The component in `component.name`; NULL: unknown, since recorders, servers and bridges are left
 * out. */
static sn_component *component_of(const replay_feed *f, const sn_journal_entry *entry,
                                  const char **last) {
  const char *dot = strrchr(entry->name.data, '.');
  char name[256];
  if (dot == NULL || (size_t)(dot - entry->name.data) >= sizeof name) {
    return NULL;
  }
  memcpy(name, entry->name.data, (size_t)(dot - entry->name.data));
  name[dot - entry->name.data] = '\0';
  *last = dot + 1;
  return sn_system_find(f->system, name);
}

/* ---- sources ---- */

static replay_source *find_source(replay_feed *f, uint64_t number) {
  for (size_t i = 0; i < f->source_count; i++) {
    if (f->sources[i].number == number) {
      return &f->sources[i];
    }
  }
  return NULL;
}

static void open_source(replay_feed *f, const sn_journal_entry *entry) {
  json_t *how = json_loadb((const char *)entry->data.data, entry->data.count, 0, NULL);
  const sn_connection connection = {
      .buffer = (size_t)json_integer_value(json_object_get(how, "buffer")),
      .overflow = json_is_true(json_object_get(how, "refuse")) ? SN_OVERFLOW_REFUSE
                                                               : SN_OVERFLOW_DROP_OLDEST,
      .delayed = json_is_true(json_object_get(how, "delayed"))};
  json_decref(how);
  replay_source *sources =
      sn__list_grow(f->sources, &f->source_capacity, f->source_count + 1, sizeof *sources);
  sn_error err = {SN_ENOMEM, "out of memory"};
  sn_source *source = NULL;
  f->sources = sources == NULL ? f->sources : sources;
  if (sources == NULL ||
      sn_source_open(f->system, entry->name.data, &connection, &source, &err) != SN_OK) {
    refuse(f, entry, err.message);
    return;
  }
  sources[f->source_count++] = (replay_source){entry->source, source};
}

static void close_source(replay_feed *f, uint64_t number) {
  replay_source *found = find_source(f, number);
  if (found != NULL) {
    sn_source_close(found->source);
    *found = f->sources[--f->source_count];
  }
}

static void write_input(replay_feed *f, const sn_journal_entry *entry) {
  replay_source *found = find_source(f, entry->source);
  sn_error err = {SN_OK, ""};
  if (found == NULL) {
    refuse(f, entry, "the journal lacks the source of this input");
    return;
  }
  sn_status status = sn_cdr_read(sn_source_type(found->source), entry->data.data, entry->data.count,
                                 sn_source_msg(found->source), &err);
  if (status == SN_OK) {
    status = sn_source_write(found->source);
    snprintf(err.message, sizeof err.message, "%s", sn_status_text(status));
  }
  if (status != SN_OK) {
    refuse(f, entry, err.message);
  }
}

/* ---- calls, properties, lifecycle ---- */

/* @return NULL and SN_OK if the operation takes nothing */
static void *make_request(replay_feed *f, const sn_journal_entry *entry, const sn_msg_type *type,
                          sn_status *status, sn_error *err) {
  void *msg = NULL;
  *status = type == NULL
                ? SN_OK
                : sn_cdr_make(type, entry->data.data, entry->data.count, &f->arena, &msg, err);
  return msg;
}

static void call(replay_feed *f, const sn_journal_entry *entry) {
  sn_caller caller = {0};
  sn_error err = {SN_OK, ""};
  sn_status status = sn_caller_open(f->system, entry->name.data, &caller, &err);
  if (status != SN_OK) {
    refuse(f, entry, err.message);
    return;
  }
  const sn_operation *operation = caller.operation;
  if ((operation->flags & SN_IN_PARTS) !=
      0) { /* its effects follow in the journal; it could also write a file */
    sn_caller_close(&caller);
    return;
  }
  const void *request = make_request(f, entry, operation->request, &status, &err);
  /* An own-thread operation ran in the cycle, or at once if its activity stood between two. */
  const bool is_direct = (operation->flags & SN_OWN_THREAD) == 0 || !entry->is_exact;
  if (status == SN_OK && is_direct) {
    void *response =
        operation->response == NULL ? NULL : sn_msg_create(&f->arena, operation->response, NULL);
    (void)sn_call(&caller, request, response,
                  &err); /* it may have been refused in the recorded run, too */
  } else if (status == SN_OK) {
    status = sn_caller_post(&caller, request, &err);
  }
  if (status != SN_OK) {
    refuse(f, entry, err.message);
  }
  sn_caller_close(&caller);
}

static void set(replay_feed *f, const sn_journal_entry *entry, sn_component *component,
                const char *property) {
  sn_report *report = NULL;
  const sn_value *value = NULL;
  sn_error err = {SN_ENOMEM, "out of memory"};
  sn_status status = sn_report_create(&f->arena, &report, NULL) != SN_OK
                         ? SN_ENOMEM
                         : sn_value_parse_text(&f->arena, (const char *)entry->data.data,
                                               entry->data.count, "journal", report, &value);
  if (status == SN_OK) {
    status = sn_system_set(f->system, component, property, value, report, &err);
  }
  if (status != SN_OK) {
    refuse(f, entry, err.message);
  }
}

static void live(replay_feed *f, const sn_journal_entry *entry, sn_component *component,
                 const char *hook) {
  static const struct {
    const char *name;
    sn_status (*run)(sn_system *, sn_component *, sn_error *);
  } hooks[] = {{"configure", sn_system_configure},
               {"start", sn_system_start},
               {"stop", sn_system_stop},
               {"cleanup", sn_system_cleanup},
               {"recover", sn_system_recover}};
  for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++) {
    if (strcmp(hooks[i].name, hook) == 0) {
      (void)hooks[i].run(f->system, component,
                         NULL); /* it may have been refused in the recorded run, too */
      return;
    }
  }
  refuse(f, entry, "unknown hook");
}

static void stop(replay_feed *f, const sn_journal_entry *entry) {
  sn_error err = {SN_OK, ""};
  f->fed++;
  if (sn__journal_replay_stop(f->system, entry, &err) != SN_OK) {
    refuse(f, entry, err.message);
  }
}

void replay_feed_entry(replay_feed *f, const sn_journal_entry *entry) {
  const char *last = "";
  if (entry->kind == SN_JOURNAL_STOP) {
    stop(f, entry);
    return;
  }
  sn_component *component = component_of(f, entry, &last);
  if (component == NULL) {
    return;
  }
  f->fed++;
  switch (entry->kind) {
    case SN_JOURNAL_INPUT:
      write_input(f, entry);
      break;
    case SN_JOURNAL_CALL:
      call(f, entry);
      break;
    case SN_JOURNAL_SET:
      set(f, entry, component, last);
      break;
    case SN_JOURNAL_LIFE:
      live(f, entry, component, last);
      break;
    case SN_JOURNAL_OPEN:
      open_source(f, entry);
      break;
    case SN_JOURNAL_CLOSE:
      close_source(f, entry->source);
      break;
    default:
      refuse(f, entry, "unknown kind of entry");
      break;
  }
  sn_arena_release(&f->arena);
}

void replay_feed_init(replay_feed *f, sn_system *system) {
  *f = (replay_feed){.system = system};
  sn_arena_init_growing(&f->arena, "request", 0);
}

void replay_feed_close(replay_feed *f) {
  while (f->source_count > 0) {
    sn_source_close(f->sources[--f->source_count].source);
  }
  free(f->sources);
  sn_arena_release(&f->arena);
  *f = (replay_feed){.system = NULL};
}
