/* Connects needs to their providers: as the file says, otherwise automatically if there is one
   candidate. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/sink.h"
#include "deploy/deployment.h"

static const sn_operation *find_operation(const sn_component_type *type, const char *name) {
  for (const sn_operation *o = type->operations; o != NULL && o->name != NULL; o++) {
    if (strcmp(o->name, name) == 0) {
      return o;
    }
  }
  return NULL;
}

static bool is_same_type(const sn_msg_type *a, const sn_msg_type *b) {
  return a == b || (a != NULL && b != NULL && strcmp(a->ros2_name, b->ros2_name) == 0);
}

static bool fits(const sn_operation *operation, const sn_need *need) {
  return is_same_type(operation->request, need->request) &&
         is_same_type(operation->response, need->response);
}

static bool can_give(const sn__part *part, const sn_need *need) {
  if (part->type == NULL) {
    return false;
  }
  if (need->interface != NULL) {
    return sn__type_provides(part->type, need->interface);
  }
  const sn_operation *operation = find_operation(part->type, need->operation);
  return operation != NULL && fits(operation, need);
}

static void add_wish(sn__reading *reading, const sn__part *part, const sn_need *need,
                     const char *peer, sn_place place) {
  char name[200];
  const int length = snprintf(name, sizeof name, "%s.%s", part->name, need->name);
  const char *copy = sn_arena_text(reading->arena, name, (size_t)length);
  sn_deployment *deployment = reading->deployment;
  if (copy == NULL) {
    sn__reading_out_of_memory(reading);
    return;
  }
  deployment->bindings[deployment->binding_count++] =
      (sn__binding){.need = copy, .peer = peer, .place = place};
}

/* ---- explicit ---- */

/* A component by its full name, or a service inside the same component by its short name. */
static const sn__part *find_peer(const sn__reading *reading, const sn__part *part,
                                 const char *name) {
  const sn__part *peer = sn__find_part(reading->deployment, name);
  if (peer == NULL) {
    char inside[200];
    snprintf(inside, sizeof inside, "%s.%.80s", part->host == NULL ? part->name : part->host->name,
             name);
    peer = sn__find_part(reading->deployment, inside);
  }
  return peer;
}

static void report_peer(sn__reading *reading, const sn__part *part, const sn_need *need,
                        const sn__part *peer, sn_place place) {
  if (need->interface != NULL) {
    sn__report_error(reading, place, NULL, "'%s.%s' needs %s, which '%s' (%s) does not provide",
                     part->name, need->name, need->interface, peer->name, peer->type->name);
  } else if (find_operation(peer->type, need->operation) == NULL) {
    sn__report_error(reading, place, NULL,
                     "'%s.%s' needs the operation '%s', which '%s' (%s) does not have", part->name,
                     need->name, need->operation, peer->name, peer->type->name);
  } else {
    sn__report_error(reading, place, NULL, "'%s.%s' needs the operation '%s' with other types",
                     part->name, need->name, need->operation);
  }
}

/* `component.operation`; the operation may have another name than the need. */
static void grant_operation(sn__reading *reading, const sn__part *part, const sn_need *need,
                            const sn_value *value) {
  const char *dot = strrchr(value->text, '.');
  char name[200];
  snprintf(name, sizeof name, "%.*s", dot == NULL ? 0 : (int)(dot - value->text), value->text);
  const sn__part *peer = dot == NULL ? NULL : find_peer(reading, part, name);
  char hint[100];
  if (peer == NULL) {
    sn__report_error(reading, value->place,
                     sn__part_hint(reading->deployment, value->text, hint, sizeof hint),
                     "unknown component '%.80s'", value->text);
  } else if (peer->type != NULL) {
    const sn_operation *operation = find_operation(peer->type, dot + 1);
    if (operation == NULL) {
      sn__report_error(reading, value->place, NULL, "'%s' (%s) has no operation '%.80s'",
                       peer->name, peer->type->name, dot + 1);
    } else if (!fits(operation, need)) {
      sn__report_error(reading, value->place, NULL,
                       "'%s.%s' needs an operation with other types than '%.80s'", part->name,
                       need->name, value->text);
    } else {
      snprintf(name, sizeof name, "%s.%s", peer->name, operation->name);
      const char *copy = sn_arena_text(reading->arena, name, strlen(name));
      add_wish(reading, part, need, copy == NULL ? "" : copy, value->place);
    }
  }
}

static void grant(sn__reading *reading, const sn__part *part, const sn_need *need,
                  const sn_value *value) {
  if (value->kind != SN_VALUE_TEXT) {
    sn__report_error(reading, value->place, NULL, "'%s.needs.%s' is not the name of a component",
                     part->name, need->name);
    return;
  }
  if (*value->text == '\0' || strcmp(value->text, "~") == 0) {
    if (!need->is_optional) {
      sn__report_error(reading, value->place, NULL, "'%s' requires '%s'", part->name, need->name);
    }
    return;
  }
  const sn__part *peer = find_peer(reading, part, value->text);
  if (peer == NULL) {
    grant_operation(reading, part, need, value);
  } else if (can_give(peer, need)) {
    add_wish(reading, part, need, peer->name, value->place);
  } else if (peer->type != NULL) {
    report_peer(reading, part, need, peer, value->place);
  }
}

/* ---- automatic ---- */

typedef struct candidates {
  const sn__part *first;
  size_t count;
  char names[200];
} candidates;

/* @param host  services inside this component; NULL: components */
static candidates find_candidates(const sn_deployment *deployment, const sn__part *part,
                                  const sn_need *need, const sn__part *host) {
  candidates found = {0};
  sn__sink sink = {.out = found.names, .size = sizeof found.names};
  for (size_t i = 0; i < deployment->part_count; i++) {
    const sn__part *other = &deployment->parts[i];
    if (other != part && other->host == host && can_give(other, need)) {
      sn__sink_text(&sink, found.count == 0 ? "" : ", ");
      sn__sink_text(&sink, other->name);
      found.first = found.count == 0 ? other : found.first;
      found.count++;
    }
  }
  sn__sink_end(&sink);
  return found;
}

static void find_by_itself(sn__reading *reading, const sn__part *part, const sn_need *need) {
  const sn_deployment *deployment = reading->deployment;
  const sn__part *host = part->host == NULL ? part : part->host;
  candidates found = find_candidates(deployment, part, need, host);
  if (found.count == 0) {
    found = find_candidates(deployment, part, need, NULL);
  }
  const char *what = need->interface != NULL ? need->interface : need->operation;
  if (found.count == 1) {
    add_wish(reading, part, need, found.first->name, part->place);
  } else if (found.count > 1) {
    char hint[300];
    snprintf(hint, sizeof hint, "needs: {%s: %s}", need->name, found.first->name);
    sn__report_error(reading, part->place, hint,
                     "'%s.%s' needs %s, and several components provide it: %s", part->name,
                     need->name, what, found.names);
  } else if (!need->is_optional) {
    sn__report_error(reading, part->place, NULL, "'%s.%s' needs %s, and no component provides it",
                     part->name, need->name, what);
  }
}

static const sn_need *find_need(const sn_component_type *type, const char *name,
                                sn__nearest *nearest) {
  for (const sn_need *n = type->needs; n != NULL && n->name != NULL; n++) {
    if (strcmp(n->name, name) == 0) {
      return n;
    }
    sn__nearest_offer(nearest, n->name);
  }
  return NULL;
}

static void resolve_part(sn__reading *reading, const sn__part *part) {
  for (size_t i = 0; part->needs != NULL && i < part->needs->item_count; i++) {
    const sn_value *item = part->needs->items[i];
    sn__nearest nearest;
    sn__nearest_init(&nearest, item->name);
    const sn_need *need = find_need(part->type, item->name, &nearest);
    if (need != NULL) {
      grant(reading, part, need, item);
    } else {
      char hint[100];
      sn__report_error(reading, item->name_place,
                       sn__nearest_hint(&nearest, hint, sizeof hint, NULL),
                       "'%s' (%s) has no need '%.80s'", part->name, part->type->name, item->name);
    }
  }
  for (const sn_need *n = part->type->needs; n != NULL && n->name != NULL; n++) {
    if (part->needs == NULL || sn_value_find(part->needs, n->name) == NULL) {
      find_by_itself(reading, part, n);
    }
  }
}

void sn__resolve_needs(sn__reading *reading) {
  sn_deployment *deployment = reading->deployment;
  size_t count = 0;
  for (size_t i = 0; i < deployment->part_count; i++) {
    const sn_component_type *type = deployment->parts[i].type;
    for (const sn_need *n = type == NULL ? NULL : type->needs; n != NULL && n->name != NULL; n++) {
      count++;
    }
  }
  deployment->bindings = SN_NEW(reading->arena, sn__binding, count);
  if (deployment->bindings == NULL) {
    sn__reading_out_of_memory(reading);
    return;
  }
  for (size_t i = 0; i < deployment->part_count && reading->status == SN_OK; i++) {
    if (deployment->parts[i].type != NULL) {
      resolve_part(reading, &deployment->parts[i]);
    }
  }
}
