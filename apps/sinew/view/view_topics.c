#include "view/view_topics.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "record/recorder.h"

/* What a message may hold: as much as the largest outputs of the library, if that is not too much
   memory; else the default of its type. */
static const sn_msg_capacity LARGE = {.item_count = 1024, .text_size = 256};
static const size_t LARGE_MAX = (size_t)8 << 20;

/* Steps after which messages are sent again. */
enum { AGAIN_STEPS = 50 };

typedef struct played {
  sn_component component;
  player *player;
  bool is_first; /* it advances the playback */
  unsigned steps;
  player_output **writes; /* [count] */
  size_t count;
  sn_output outputs[]; /* [count] */
} played;

/* One output while the components are made. */
typedef struct planned {
  view_topic topic;
  size_t output; /* of the player */
} planned;

/* ---- names ---- */

static void copy_name(char *out, const char *text, size_t length) {
  const size_t used = length < VIEW_NAME_SIZE - 1 ? length : VIEW_NAME_SIZE - 1;
  for (size_t i = 0; i < used; i++) {
    out[i] = isalnum((unsigned char)text[i]) ? text[i] : '_';
  }
  out[used] = '\0';
}

view_topic view_topic_of(const char *topic) {
  view_topic result = {"recording", ""};
  const char *name = topic + (topic[0] == '/' ? 1 : 0);
  const char *slash = strchr(name, '/');
  const bool is_ours = slash != NULL && slash > name && slash[1] != '\0' &&
                       strchr(slash + 1, '/') == NULL && isalpha((unsigned char)name[0]);
  if (is_ours) {
    copy_name(result.component, name, (size_t)(slash - name));
    copy_name(result.port, slash + 1, strlen(slash + 1));
  } else {
    copy_name(result.port, name[0] == '\0' ? "unnamed" : name, name[0] == '\0' ? 7 : strlen(name));
  }
  return result;
}

static bool is_same(const view_topic *a, const view_topic *b) {
  return strcmp(a->component, b->component) == 0 && strcmp(a->port, b->port) == 0;
}

/* ---- outputs ---- */

static bool is_taken(const planned *list, size_t count, const view_topic *topic) {
  for (size_t i = 0; i < count; i++) {
    if (is_same(&list[i].topic, topic)) {
      return true;
    }
  }
  return false;
}

static void add_output(player *p, const sn_mcap_channel *channel) {
  p->outputs[p->output_count] =
      (player_output){.type = channel->type, .bytes.max = (size_t)1 << 24};
  p->output_of[channel->id] = (uint16_t)p->output_count++;
}

/* Channels with messages of known types. @return their number */
static size_t plan_outputs(player *p, planned *list, size_t *hidden) {
  size_t count = 0;
  for (size_t i = 0; i < sn__mcap_reader_channel_count(p->reader); i++) {
    const sn_mcap_channel *channel = sn__mcap_reader_channel_at(p->reader, i);
    const view_topic topic = view_topic_of(channel->topic);
    if (channel->count == 0 || strcmp(channel->topic, SN_RECORDER_JOURNAL) == 0) {
      continue; /* the journal is for replays */
    }
    if (channel->type == NULL || is_taken(list, count, &topic)) {
      (*hidden)++;
      continue;
    }
    list[count++] = (planned){topic, p->output_count};
    add_output(p, channel);
  }
  return count;
}

/* ---- components ---- */

static sn_status step(sn_component *component, int64_t now_ns) {
  played *self = (played *)component;
  if (self->is_first) {
    player_step(self->player, now_ns);
  }
  const bool again = self->steps++ % AGAIN_STEPS == 0;
  for (size_t i = 0; i < self->count; i++) {
    player_send(self->writes[i], again);
  }
  return SN_OK;
}

static sn_component_type *make_type(sn_arena *arena, const planned *list, size_t count,
                                    const char *component, const player *p, size_t *used) {
  sn_component_type *type = SN_NEW(arena, sn_component_type, 1);
  sn_port *ports = SN_NEW(arena, sn_port, count + 1);
  *used = 0;
  if (type == NULL || ports == NULL) {
    return NULL;
  }
  for (size_t i = 0; i < count; i++) {
    const sn_msg_type *msg = p->outputs[list[i].output].type;
    if (strcmp(list[i].topic.component, component) == 0) {
      ports[*used] = (sn_port){
          .name = list[i].topic.port,
          .kind = SN_PORT_OUT,
          .type = msg,
          .offset = offsetof(played, outputs) + *used * sizeof(sn_output),
          .capacity = sn_msg_size(msg, &LARGE) <= LARGE_MAX ? LARGE : (sn_msg_capacity){0},
          .doc = "As recorded."};
      (*used)++;
    }
  }
  *type = (sn_component_type){.abi = SN_COMPONENT_ABI,
                              .name = "recorded",
                              .doc = "Outputs of a recording.",
                              .size = offsetof(played, outputs) + *used * sizeof(sn_output),
                              .ports = ports,
                              .step = step};
  return type;
}

static sn_status add_component(sn_system *system, sn_activity *activity, sn_arena *arena, player *p,
                               const planned *list, size_t count, size_t first, sn_error *err) {
  const char *name = list[first].topic.component;
  size_t used = 0;
  const sn_component_type *type = make_type(arena, list, count, name, p, &used);
  player_output **writes = SN_NEW(arena, player_output *, used + 1);
  if (type == NULL || writes == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  sn_component *component = NULL;
  sn_status status = sn_system_add(system, type, name, &component, err);
  if (status != SN_OK) {
    return status;
  }
  played *self = (played *)component;
  self->player = p;
  self->is_first = first == 0;
  self->writes = writes;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(list[i].topic.component, name) == 0) {
      player_output *output = &p->outputs[list[i].output];
      output->output = &self->outputs[self->count];
      writes[self->count++] = output;
    }
  }
  return sn_system_assign(system, component, activity, 0, err);
}

static bool is_first_of_component(const planned *list, size_t index) {
  for (size_t i = 0; i < index; i++) {
    if (strcmp(list[i].topic.component, list[index].topic.component) == 0) {
      return false;
    }
  }
  return true;
}

sn_status view_topics_add(sn_system *system, sn_activity *activity, sn_arena *arena, player *p,
                          size_t *hidden, sn_error *err) {
  enum { IDS = 65536 };
  const size_t channels = sn__mcap_reader_channel_count(p->reader);
  planned *list = SN_NEW(arena, planned, channels + 1);
  p->outputs = calloc(channels + 1, sizeof *p->outputs);
  p->output_of = malloc(IDS * sizeof *p->output_of);
  if (list == NULL || p->outputs == NULL || p->output_of == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  memset(p->output_of, 0xff, IDS * sizeof *p->output_of);
  const size_t count = plan_outputs(p, list, hidden);
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < count; i++) {
    if (is_first_of_component(list, i)) {
      status = add_component(system, activity, arena, p, list, count, i, err);
    }
  }
  return status;
}
