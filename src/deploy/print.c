/* Prints a deployment, merged from files, settings and the robot, as one text. */
#include <string.h>

#include "base/sink.h"
#include "deploy/deployment.h"

typedef struct printer {
  sn__sink sink;
  const sn_deployment *deployment;
  bool is_whole;
} printer;

static void indent(printer *p, size_t depth) {
  for (size_t i = 0; i < depth; i++) {
    sn__sink_text(&p->sink, "  ");
  }
}

/* Texts without special meaning in YAML are printed plain, all others are quoted. */
static bool is_plain(const char *text) {
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
  return *text != '\0' && strspn(text, letters) == strlen(text) && strcmp(text, "-") != 0 &&
         strncmp(text, "---", 3) != 0 && strcmp(text, "...") != 0;
}

static void put_text(printer *p, const char *text) {
  if (is_plain(text)) {
    sn__sink_text(&p->sink, text);
  } else {
    sn__sink_quoted(&p->sink, text);
  }
}

/* On one line: `{gain: 2, names: [a, b]}`. The depth of the file bounds the recursion. */
static void put_value(printer *p, const sn_value *prop) {
  if (prop->kind == SN_VALUE_TEXT) {
    put_text(p, prop->text);
    return;
  }
  const bool is_bag = prop->kind == SN_VALUE_BAG;
  sn__sink_text(&p->sink, is_bag ? "{" : "[");
  for (size_t i = 0; i < prop->item_count; i++) {
    sn__sink_text(&p->sink, i == 0 ? "" : ", ");
    if (is_bag) {
      put_text(p, prop->items[i]->name);
      sn__sink_text(&p->sink, ": ");
    }
    put_value(p, prop->items[i]);
  }
  sn__sink_text(&p->sink, is_bag ? "}" : "]");
}

static void put_key(printer *p, size_t depth, const char *key) {
  indent(p, depth);
  put_text(p, key);
  sn__sink_text(&p->sink, ":");
}

static void put_seconds(printer *p, int64_t time_ns) {
  sn__sink_number(&p->sink, (double)time_ns * 1e-9);
}

/* ---- parts ---- */

/* Properties from the robot's files are not repeated. */
static bool is_of_robot(const printer *p, const sn__part *part, const sn_value *property) {
  const sn_value *robot = p->deployment->robot_properties;
  return !p->is_whole && robot != NULL && strcmp(part->type->name, SN__ROBOT_MODEL) == 0 &&
         sn_value_find(robot, property->name) == property;
}

static void put_properties(printer *p, const sn__part *part, size_t depth) {
  bool has_title = false;
  for (size_t i = 0; part->properties != NULL && i < part->properties->item_count; i++) {
    const sn_value *property = part->properties->items[i];
    if (is_of_robot(p, part, property)) {
      continue;
    }
    if (!has_title) {
      put_key(p, depth, "properties");
      sn__sink_text(&p->sink, "\n");
      has_title = true;
    }
    put_key(p, depth + 1, property->name);
    sn__sink_text(&p->sink, " ");
    put_value(p, property);
    sn__sink_text(&p->sink, "\n");
  }
}

/* The requester of the need `component.requester` of a part; NULL if it belongs to another part.
 */
static const char *requester_of(const sn__binding *binding, const sn__part *part) {
  const char *dot = strrchr(binding->need, '.');
  const size_t length = (size_t)(dot - binding->need);
  return strlen(part->name) == length && strncmp(binding->need, part->name, length) == 0 ? dot + 1
                                                                                         : NULL;
}

static bool has_wish(const sn_deployment *d, const sn__part *part, const char *need) {
  for (size_t i = 0; i < d->binding_count; i++) {
    const char *requester = requester_of(&d->bindings[i], part);
    if (requester != NULL && strcmp(requester, need) == 0) {
      return true;
    }
  }
  return false;
}

/* All needs explicitly, also those that stay open. */
static void put_needs(printer *p, const sn__part *part, size_t depth) {
  const sn_deployment *d = p->deployment;
  if (part->type->needs == NULL || part->type->needs[0].name == NULL) {
    return;
  }
  put_key(p, depth, "needs");
  sn__sink_text(&p->sink, "\n");
  for (size_t i = 0; i < d->binding_count; i++) {
    const char *requester = requester_of(&d->bindings[i], part);
    if (requester != NULL) {
      put_key(p, depth + 1, requester);
      sn__sink_text(&p->sink, " ");
      put_text(p, d->bindings[i].peer);
      sn__sink_text(&p->sink, "\n");
    }
  }
  for (const sn_need *need = part->type->needs; need->name != NULL; need++) {
    if (!has_wish(d, part, need->name)) {
      put_key(p, depth + 1, need->name);
      sn__sink_text(&p->sink, "\n");
    }
  }
}

static void put_part(printer *p, const sn__part *part, size_t depth) {
  const char *dot = strrchr(part->name, '.');
  put_key(p, depth, dot == NULL ? part->name : dot + 1);
  sn__sink_text(&p->sink, "\n");
  put_key(p, depth + 1, "type");
  sn__sink_text(&p->sink, " ");
  put_text(p, part->type->name);
  sn__sink_text(&p->sink, "\n");
  if (part->task != NULL) {
    put_key(p, depth + 1, "activity");
    sn__sink_text(&p->sink, " ");
    put_text(p, part->task->config.name);
    sn__sink_text(&p->sink, "\n");
  }
  if (part->deadline_ns > 0) {
    put_key(p, depth + 1, "deadline");
    sn__sink_text(&p->sink, " ");
    put_seconds(p, part->deadline_ns);
    sn__sink_text(&p->sink, "\n");
  }
  put_properties(p, part, depth + 1);
  put_needs(p, part, depth + 1);
}

static void put_parts(printer *p) {
  const sn_deployment *d = p->deployment;
  sn__sink_text(&p->sink, d->part_count == 0 ? "components: {}\n" : "components:\n");
  for (size_t i = 0; i < d->part_count; i++) {
    if (d->parts[i].host != NULL) {
      continue;
    }
    put_part(p, &d->parts[i], 1);
    bool has_title = false;
    for (size_t k = 0; k < d->part_count; k++) {
      if (d->parts[k].host == &d->parts[i]) {
        if (!has_title) {
          sn__sink_text(&p->sink, "    services:\n");
          has_title = true;
        }
        put_part(p, &d->parts[k], 3);
      }
    }
  }
}

/* ---- the rest ---- */

static void put_tasks(printer *p) {
  sn__sink_text(&p->sink, "activities:\n");
  for (size_t i = 0; i < p->deployment->task_count; i++) {
    const sn_activity_config *c = &p->deployment->tasks[i].config;
    put_key(p, 1, c->name);
    sn__sink_text(&p->sink, " {period: ");
    put_seconds(p, c->period_ns);
    sn__sink_text(&p->sink, ", priority: ");
    sn__sink_signed(&p->sink, c->priority);
    sn__sink_text(&p->sink, ", cpu: ");
    sn__sink_signed(&p->sink, c->cpu);
    sn__sink_text(&p->sink, c->lock_memory ? ", lock_memory: true" : "");
    sn__sink_text(&p->sink, ", max_lost: ");
    sn__sink_number(&p->sink, c->max_lost);
    sn__sink_text(&p->sink, "}\n");
  }
}

static void put_links(printer *p) {
  const sn_deployment *d = p->deployment;
  sn__sink_text(&p->sink, d->link_count == 0 ? "connections: []\n" : "connections:\n");
  for (size_t i = 0; i < d->link_count; i++) {
    const sn__link *link = &d->links[i];
    const sn_connection *c = &link->connection;
    const bool is_simple = c->buffer == 0 && !c->delayed;
    sn__sink_text(&p->sink, is_simple ? "  - " : "  - {from: ");
    sn__sink_text(&p->sink, link->from);
    sn__sink_text(&p->sink, is_simple ? " -> " : ", to: ");
    sn__sink_text(&p->sink, link->to);
    if (c->buffer > 0) {
      sn__sink_text(&p->sink, ", buffer: ");
      sn__sink_unsigned(&p->sink, c->buffer);
      sn__sink_text(&p->sink, c->overflow == SN_OVERFLOW_REFUSE ? ", overflow: refuse" : "");
    }
    sn__sink_text(&p->sink, c->delayed ? ", delayed: true" : "");
    sn__sink_text(&p->sink, is_simple ? "\n" : "}\n");
  }
}

static void put_head(printer *p) {
  const sn_deployment *d = p->deployment;
  if (d->robot != NULL && !p->is_whole) {
    sn__sink_text(&p->sink, "robot: ");
    put_text(p, d->robot);
    sn__sink_text(&p->sink, "\n");
  }
  for (size_t i = 0; i < d->plugin_count; i++) {
    sn__sink_text(&p->sink, i == 0 ? "plugins: [" : ", ");
    put_text(p, d->plugins[i]);
    sn__sink_text(&p->sink, i + 1 == d->plugin_count ? "]\n" : "");
  }
  if (d->capacity.item_count > 0) {
    sn__sink_text(&p->sink, "capacity: {items: ");
    sn__sink_unsigned(&p->sink, d->capacity.item_count);
    sn__sink_text(&p->sink, ", text: ");
    sn__sink_unsigned(&p->sink, d->capacity.text_size);
    sn__sink_text(&p->sink, "}\n");
  }
}

size_t sn_deployment_print(const sn_deployment *deployment, bool is_whole, char *out, size_t size) {
  printer p = {.sink = {.out = out, .size = size}, .deployment = deployment, .is_whole = is_whole};
  put_head(&p);
  put_tasks(&p);
  put_parts(&p);
  put_links(&p);
  return sn__sink_end(&p.sink);
}
