#include "ident_tools/ident_topics.h"

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "common/print.h"
#include "sinew/msg_types.h"

static const struct {
  const char *name;
  const sn_msg_type *type;
  const char *ports[2]; /* the first one found */
  bool is_needed;
} roles[IDENT_ROLE_COUNT] = {
    [IDENT_MEASURED] = {"measured", &sn_joint_state_type, {"joints_measured"}, true},
    [IDENT_GOALS] = {"goals", &sn_servo_goal_type, {"out_goals", "goals"}, true},
    [IDENT_EFFORTS] = {"efforts", &sn_joint_state_type, {"joints_effort", "joints_sorted"}, false},
    [IDENT_BATTERY] = {"battery", &sn_battery_state_type, {"battery_state"}, false},
};

typedef struct search {
  sn_arena *arena;
  const char *path;
  const sn_mcap_reader *reader;
  ident_role role;
} search;

const sn_msg_type *ident_role_type(ident_role role) {
  return roles[role].type;
}

static int complain(const search *s, const char *found) {
  char path[512];
  const char *const *ports = roles[s->role].ports;
  text_clean(s->path, path, sizeof path);
  fprintf(stderr, "%s: error: %s: %s; expected one of type %s, as /…/%s%s%s (or --%s TOPIC)\n",
          path, roles[s->role].name, found, roles[s->role].type->ros2_name, ports[0],
          ports[1] == NULL ? "" : " or /…/", ports[1] == NULL ? "" : ports[1], roles[s->role].name);
  return EXIT_NO;
}

static int keep(const search *s, const char *topic, const char **out) {
  *out = sn_arena_text(s->arena, topic, strlen(topic));
  if (*out == NULL) {
    (void)out_of_memory();
  }
  return *out == NULL ? EXIT_FAULT : EXIT_GOOD;
}

/* The topic given by the user. */
static int take_wanted(const search *s, const char *wanted, const char **out) {
  char clean[256];
  char found[400];
  text_clean(wanted, clean, sizeof clean);
  for (size_t i = 0; i < sn__mcap_reader_channel_count(s->reader); i++) {
    const sn_mcap_channel *c = sn__mcap_reader_channel_at(s->reader, i);
    if (strcmp(c->topic, wanted) == 0) {
      if (c->type == roles[s->role].type) {
        return keep(s, wanted, out);
      }
      snprintf(found, sizeof found, "topic '%s' is of another type", clean);
      return complain(s, found);
    }
  }
  snprintf(found, sizeof found, "unknown topic '%s'", clean);
  return complain(s, found);
}

static bool has_port(const sn_mcap_channel *channel, const search *s, const char *port) {
  const char *slash = strrchr(channel->topic, '/');
  return channel->type == roles[s->role].type &&
         strcmp(slash == NULL ? channel->topic : slash + 1, port) == 0;
}

/* The topics whose port has a name, and the first of them. @return how many */
static size_t list_topics(const search *s, const char *port, char *list, size_t size,
                          const char **first) {
  size_t count = 0;
  for (size_t i = 0; i < sn__mcap_reader_channel_count(s->reader); i++) {
    const sn_mcap_channel *c = sn__mcap_reader_channel_at(s->reader, i);
    if (has_port(c, s, port)) {
      char clean[200];
      const size_t length = strlen(list);
      text_clean(c->topic, clean, sizeof clean);
      snprintf(list + length, size - length, " %s", clean);
      *first = count++ == 0 ? c->topic : *first;
    }
  }
  return count;
}

/* The one topic of the right type whose port has the right name. */
static int find_topic(const search *s, const char **out) {
  for (size_t p = 0; p < 2 && roles[s->role].ports[p] != NULL; p++) {
    const char *first = NULL;
    char several[500] = "several topics match:";
    const size_t count = list_topics(s, roles[s->role].ports[p], several, sizeof several, &first);
    if (count > 0) {
      return count == 1 ? keep(s, first, out) : complain(s, several);
    }
  }
  return roles[s->role].is_needed ? complain(s, "the recording has no such topic") : EXIT_GOOD;
}

static void print_topics(const char *path, const ident_topics *topics) {
  char clean[512];
  text_clean(path, clean, sizeof clean);
  fprintf(stderr, "%s:", clean);
  for (size_t i = 0; i < IDENT_ROLE_COUNT; i++) {
    text_clean(topics->names[i] == NULL ? "none" : topics->names[i], clean, sizeof clean);
    fprintf(stderr, "%s %s %s", i == 0 ? "" : ",", roles[i].name, clean);
  }
  fputs("\n", stderr);
}

int ident_topics_find(sn_arena *arena, const char *path, const sn_mcap_reader *reader,
                      const ident_topics *wanted, ident_topics *out) {
  int code = EXIT_GOOD;
  *out = (ident_topics){0};
  for (int i = 0; code == EXIT_GOOD && i < IDENT_ROLE_COUNT; i++) {
    const search s = {arena, path, reader, (ident_role)i};
    code = wanted->names[i] != NULL ? take_wanted(&s, wanted->names[i], &out->names[i])
                                    : find_topic(&s, &out->names[i]);
  }
  if (code == EXIT_GOOD) {
    print_topics(path, out);
  }
  return code;
}
