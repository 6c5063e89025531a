#include "replay/replay_compare.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "common/print.h"
#include "sinew/msg_types.h"
#include "sinew/msg_wire.h"

/* ---- queues ---- */

typedef struct item_head {
  int64_t now_ns;
  int64_t stamp_ns;
  size_t size;
} item_head;

static bool push(replay_queue *q, const void *bytes, item_head head) {
  const size_t size = head.size;
  if (q->first == q->end) {
    q->first = q->end = 0;
  }
  if (q->first > 0 && q->end + sizeof head + size > q->room) {
    memmove(q->bytes, q->bytes + q->first, q->end - q->first);
    q->end -= q->first;
    q->first = 0;
  }
  unsigned char *larger = sn__list_grow(q->bytes, &q->room, q->end + sizeof head + size, 1);
  if (larger == NULL) {
    return false;
  }
  q->bytes = larger;
  memcpy(q->bytes + q->end, &head, sizeof head);
  if (size > 0) {
    memcpy(q->bytes + q->end + sizeof head, bytes, size);
  }
  q->end += sizeof head + size;
  q->count++;
  return true;
}

static bool front(const replay_queue *q, item_head *head, const unsigned char **bytes) {
  if (q->first == q->end) {
    return false;
  }
  memcpy(head, q->bytes + q->first, sizeof *head);
  *bytes = q->bytes + q->first + sizeof *head;
  return true;
}

static void pop(replay_queue *q, const item_head *head) {
  q->first += sizeof *head + head->size;
  q->taken++;
}

/* Is there a message behind the first one, with the same stamp? */
static bool has_twin(const replay_queue *q, const item_head *head) {
  item_head next;
  const size_t behind = q->first + sizeof *head + head->size;
  if (behind == q->end) {
    return false;
  }
  memcpy(&next, q->bytes + behind, sizeof next);
  return next.stamp_ns == head->stamp_ns;
}

/* ---- where two messages differ ---- */

typedef struct decoded {
  sn_arena arena;
  void *msg;
  json_t *json;
} decoded;

/* Grow messages until this one fits. */
static bool decode(decoded *d, const sn_msg_type *type, const unsigned char *bytes, size_t size) {
  *d = (decoded){.msg = NULL};
  sn_arena_init_growing(&d->arena, "message", 0);
  sn_status status = SN_ENOSPC;
  for (size_t room = 64; status == SN_ENOSPC && room <= SN_MSG_ITEMS_MAX; room *= 4) {
    const sn_msg_capacity capacity = {room, room};
    sn_arena_release(&d->arena);
    d->msg = sn_msg_create(&d->arena, type, &capacity);
    status = d->msg == NULL ? SN_ENOMEM : sn_cdr_read(type, bytes, size, d->msg, NULL);
  }
  if (status != SN_OK) {
    return false;
  }
  const size_t length = sn_msg_to_json(type, d->msg, NULL, 0) + 1;
  char *text = malloc(length);
  if (text != NULL) {
    sn_msg_to_json(type, d->msg, text, length);
    d->json = json_loads(text, JSON_DECODE_ANY, NULL);
    free(text);
  }
  return d->json != NULL;
}

static void forget(decoded *d) {
  json_decref(d->json);
  sn_arena_release(&d->arena);
}

static void put_value(char out[128], const json_t *value) {
  char *text = value == NULL ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
  snprintf(out, 128, "%s", text == NULL ? "nothing" : text);
  free(text);
}

/* Append the first place where two values differ, such as `a.b[2]`, to the path. Recursion ends
 * with the nesting of types. */
static bool find_field(const json_t *a, const json_t *b, replay_difference *out) {
  const size_t length = strlen(out->field);
  char *end = out->field + length;
  const size_t room = sizeof out->field - length;
  if (json_is_object(a) && json_is_object(b)) {
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach((json_t *)a, key, value) {
      snprintf(end, room, "%s%s", length == 0 ? "" : ".", key);
      if (find_field(value, json_object_get(b, key), out)) {
        return true;
      }
      *end = '\0';
    }
    return false;
  }
  if (json_is_array(a) && json_is_array(b) && json_array_size(a) == json_array_size(b)) {
    for (size_t i = 0; i < json_array_size(a); i++) {
      snprintf(end, room, "[%zu]", i);
      if (find_field(json_array_get(a, i), json_array_get(b, i), out)) {
        return true;
      }
      *end = '\0';
    }
    return false;
  }
  if (json_equal(a, b)) {
    return false;
  }
  put_value(out->recorded, a);
  put_value(out->replayed, b);
  return true;
}

typedef struct pair {
  item_head recorded, replayed;
  const unsigned char *recorded_bytes, *replayed_bytes;
} pair;

static void explain(replay_compare *c, const replay_topic *t, const pair *p) {
  replay_difference *first = &c->first;
  const sn_msg_type *type = sn_tap_type(t->tap);
  decoded a;
  decoded b;
  *first = (replay_difference){.stamp_ns = p->replayed.now_ns};
  snprintf(first->topic, sizeof first->topic, "%s", t->topic);
  first->number = t->recorded.taken + 1;
  const bool is_read = decode(&a, type, p->recorded_bytes, p->recorded.size);
  if (is_read && decode(&b, type, p->replayed_bytes, p->replayed.size)) {
    const int64_t stamp_ns = sn_msg_stamp_ns(type, a.msg);
    first->stamp_ns = stamp_ns > 0 ? stamp_ns : first->stamp_ns;
    if (!find_field(a.json, b.json, first)) {
      snprintf(first->field, sizeof first->field, "the sign of a zero, or a NaN");
    }
    forget(&b);
  } else {
    snprintf(first->field, sizeof first->field, "all of it");
    snprintf(first->recorded, sizeof first->recorded, "%s",
             is_read ? "a message" : "no message of this type");
  }
  forget(&a);
}

/* ---- comparing ---- */

static void note_different(replay_compare *c, replay_topic *t, const pair *p) {
  c->different++;
  t->different++;
  if (!c->has_first) {
    explain(c, t, p);
    c->has_first = true;
  }
}

static bool is_equal(const pair *p) {
  return p->recorded.size == p->replayed.size &&
         memcmp(p->recorded_bytes, p->replayed_bytes, p->recorded.size) == 0;
}

/* Are the two first messages the same one? A thinned output has messages that were not recorded:
   they differ from the next recorded one and have another stamp, or precede one with its stamp. */
static bool are_partners(const replay_topic *t, const pair *p, bool equal) {
  return equal || !t->is_thinned ||
         (p->recorded.stamp_ns == p->replayed.stamp_ns && !has_twin(&t->replayed, &p->replayed));
}

static void compare(replay_compare *c, replay_topic *t) {
  pair p;
  while (front(&t->recorded, &p.recorded, &p.recorded_bytes) &&
         front(&t->replayed, &p.replayed, &p.replayed_bytes)) {
    const bool equal = is_equal(&p);
    if (are_partners(t, &p, equal)) {
      c->compared++;
      if (!equal) {
        note_different(c, t, &p);
      }
      pop(&t->recorded, &p.recorded);
    }
    pop(&t->replayed, &p.replayed);
  }
}

void replay_compare_recorded(replay_compare *c, replay_topic *topic, const void *bytes, size_t size,
                             int64_t stamp_ns) {
  if (!topic->is_left_out) {
    c->is_out_of_memory |= !push(&topic->recorded, bytes, (item_head){0, stamp_ns, size});
    compare(c, topic);
  }
}

/* Equal messages have equal bytes on the wire; structs may differ in padding. */
static bool serialize(replay_compare *c, const sn_msg_type *type, const void *msg, size_t *size) {
  sn_status status = sn_cdr_write(type, msg, c->bytes, c->byte_count, size);
  if (status == SN_ENOSPC) {
    unsigned char *larger = sn__list_grow(c->bytes, &c->byte_count, *size, 1);
    if (larger == NULL) {
      return false;
    }
    c->bytes = larger;
    status = sn_cdr_write(type, msg, c->bytes, c->byte_count, size);
  }
  return status == SN_OK;
}

void replay_compare_drain(replay_compare *c, int64_t now_ns) {
  for (size_t i = 0; i < c->topic_count; i++) {
    replay_topic *t = &c->topics[i];
    for (;;) {
      sn_flow flow = SN_NO_DATA;
      const void *msg = sn_tap_read(t->tap, &flow);
      if (flow != SN_NEW_DATA) {
        break;
      }
      size_t size = 0;
      if (!t->is_left_out && serialize(c, sn_tap_type(t->tap), msg, &size)) {
        const item_head head = {now_ns, sn_msg_stamp_ns(sn_tap_type(t->tap), msg), size};
        c->is_out_of_memory |= !push(&t->replayed, c->bytes, head);
      }
    }
    compare(c, t);
  }
}

static void note_missing(replay_compare *c, const replay_topic *t, bool is_replay_short) {
  c->different++;
  if (!c->has_first) {
    c->has_first = true;
    c->first = (replay_difference){.number = t->replayed.count + (is_replay_short ? 1 : 0)};
    snprintf(c->first.topic, sizeof c->first.topic, "%s", t->topic);
    snprintf(c->first.recorded, sizeof c->first.recorded, is_replay_short ? "a message" : "none");
    snprintf(c->first.replayed, sizeof c->first.replayed, is_replay_short ? "none" : "a message");
  }
}

void replay_compare_end(replay_compare *c, bool may_lack_recorded, bool may_lack_replayed) {
  for (size_t i = 0; i < c->topic_count; i++) {
    const replay_topic *t = &c->topics[i];
    if (t->recorded.first != t->recorded.end && !may_lack_replayed) {
      note_missing(c, t, true);
    } else if (t->replayed.first != t->replayed.end && !may_lack_recorded && !t->is_thinned) {
      note_missing(c, t, false);
    }
  }
}

/* ---- outputs ---- */

replay_topic *replay_compare_find(replay_compare *c, const char *topic) {
  for (size_t i = 0; i < c->topic_count; i++) {
    if (strcmp(c->topics[i].topic, topic) == 0) {
      return &c->topics[i];
    }
  }
  return NULL;
}

static bool open_topic(replay_compare *c, sn_system *system, const char *component,
                       const char *port) {
  char name[512];
  snprintf(name, sizeof name, "%s.%s", component, port);
  replay_topic *topics =
      sn__list_grow(c->topics, &c->topic_capacity, c->topic_count + 1, sizeof *topics);
  if (topics == NULL) {
    return false;
  }
  c->topics = topics;
  replay_topic *t = &topics[c->topic_count];
  *t = (replay_topic){.topic = malloc(strlen(name) + 2)};
  /* More messages than a component sends in a cycle. */
  const sn_connection connection = {.buffer = 32, .overflow = SN_OVERFLOW_REFUSE};
  sn_error err;
  if (t->topic == NULL || sn_tap_open(system, name, &connection, &t->tap, &err) != SN_OK) {
    free(t->topic);
    return false;
  }
  t->topic[0] = '/';
  for (size_t i = 0; i <= strlen(name); i++) {
    t->topic[i + 1] = (char)(name[i] == '.' ? '/' : name[i]);
  }
  c->topic_count++;
  return true;
}

bool replay_compare_open(replay_compare *c, sn_system *system) {
  *c = (replay_compare){.topics = NULL};
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    for (const sn_port *p = component->type->ports; p != NULL && p->name != NULL; p++) {
      if (p->kind == SN_PORT_OUT && !open_topic(c, system, component->name, p->name)) {
        (void)out_of_memory();
        return false;
      }
    }
  }
  return true;
}

void replay_compare_close(replay_compare *c) {
  for (size_t i = 0; i < c->topic_count; i++) {
    sn_tap_close(c->topics[i].tap);
    free(c->topics[i].topic);
    free(c->topics[i].recorded.bytes);
    free(c->topics[i].replayed.bytes);
  }
  free(c->topics);
  free(c->bytes);
  *c = (replay_compare){.topics = NULL};
}
