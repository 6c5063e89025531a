/* Changed parameters on /parameter_events. They are set in pool threads, and published in that of
   the node. */
#include <stdlib.h>
#include <string.h>

#include "ros/node/node_interfaces.h"

#define NOTES_MAX 256 /* a client that sets more at once gets no events for the rest */

typedef struct sn__parameter_note {
  struct sn__parameter_note *next;
  size_t size;
  char bytes[]; /* encoded */
} sn__parameter_note;

static sn__parameter_note *make_note(const sn__bridge *bridge, const sn__parameter_event *event) {
  size_t size = 0;
  (void)bridge->transport->write(&sn__parameter_event_type, event, NULL, 0, &size);
  sn__parameter_note *note = malloc(sizeof *note + size);
  if (note != NULL) {
    *note = (sn__parameter_note){.size = size};
    (void)bridge->transport->write(&sn__parameter_event_type, event, note->bytes, size,
                                   &note->size);
  }
  return note;
}

/* @return false: too many */
static bool push(sn__parameter_notes *notes, sn__parameter_note *note) {
  pthread_mutex_lock(&notes->mutex);
  const bool fits = notes->count < NOTES_MAX;
  if (fits) {
    if (notes->last == NULL) {
      notes->first = note;
    } else {
      notes->last->next = note;
    }
    notes->last = note;
    notes->count++;
  }
  pthread_mutex_unlock(&notes->mutex);
  return fits;
}

static sn__parameter_note *pop(sn__parameter_notes *notes) {
  pthread_mutex_lock(&notes->mutex);
  sn__parameter_note *note = notes->first;
  if (note != NULL) {
    notes->first = note->next;
    notes->last = note->next == NULL ? NULL : notes->last;
    notes->count--;
  }
  pthread_mutex_unlock(&notes->mutex);
  return note;
}

void sn__node_note_parameters(sn__bridge *bridge, const sn__parameter *parameters, size_t count) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "event", 0);
  sn__node_answer answer = {.bridge = bridge, .arena = &arena};
  sn__parameter *copies = sn__answer_alloc(&answer, count, sizeof *copies);
  if (copies != NULL) {
    memcpy(copies, parameters, count * sizeof *copies);
    const sn__parameter_event event = {
        .stamp_ns = sn__bridge_graph_now(bridge),
        .node = sn__answer_text(&answer, bridge->name),
        .changed_parameters = {.data = copies, .count = count, .capacity = count}};
    sn__parameter_note *note = make_note(bridge, &event);
    if (note != NULL && !push(&bridge->interfaces->notes, note)) {
      free(note);
    }
  }
  sn_arena_release(&arena);
}

void sn__node_publish_parameters(sn__bridge *bridge) {
  struct sn__node_interfaces *interfaces = bridge->interfaces;
  for (sn__parameter_note *note = pop(&interfaces->notes); note != NULL;
       note = pop(&interfaces->notes)) {
    bridge->transport->publish(interfaces->parameter_events, note->bytes, note->size, 0);
    free(note);
  }
}

void sn__node_drop_notes(sn__parameter_notes *notes) {
  for (sn__parameter_note *note = pop(notes); note != NULL; note = pop(notes)) {
    free(note);
  }
}
