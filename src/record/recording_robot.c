/* The name of the robot, for the note about the system. It is taken from the description, since a
   recording may start before the model is configured. */
#include <stdio.h>
#include <string.h>

#include "record/recording.h"
#include "sinew/components.h"

/* The root element of an XML text: behind comments, declarations and blanks. */
static const char *find_root(const char *text) {
  const char *at = strchr(text, '<');
  while (at != NULL && (at[1] == '!' || at[1] == '?')) {
    const char *end = strncmp(at, "<!--", 4) == 0 ? strstr(at, "-->") : strchr(at, '>');
    at = end == NULL ? NULL : strchr(end, '<');
  }
  return at;
}

/* The attribute `name` of a start tag. */
static void copy_name(const char *tag, char *out, size_t size) {
  const char *end = tag + strcspn(tag, ">");
  for (const char *at = tag; at < end; at++) {
    if (*at == '"' || *at == '\'') { /* the value of another attribute */
      const char *close = strchr(at + 1, *at);
      at = close == NULL ? end : close;
    } else if (strchr(" \t\r\n", *at) != NULL && strncmp(at + 1, "name", 4) == 0) {
      const char *equals = at + 5 + strspn(at + 5, " \t\r\n");
      const char *quote = *equals == '=' ? equals + 1 + strspn(equals + 1, " \t\r\n") : end;
      if (*quote == '"' || *quote == '\'') {
        const char marks[] = {*quote, '\0'};
        snprintf(out, size, "%.*s", (int)strcspn(quote + 1, marks), quote + 1);
        return;
      }
    }
  }
}

static const char *description_of(const sn_component *component) {
  if (strcmp(component->type->name, SN_ROBOT_MODEL) != 0) {
    return NULL;
  }
  for (const sn_property *p = component->type->properties; p != NULL && p->name != NULL; p++) {
    if (strcmp(p->name, "robot_description") == 0) {
      return *(const char *const *)(const void *)((const char *)component + p->offset);
    }
  }
  return NULL;
}

void sn__recording_find_robot(sn_system *system, char *name, size_t size) {
  name[0] = '\0';
  sn_system_hold(system); /* keeps properties from changing */
  for (size_t i = 0; name[0] == '\0' && i < sn_system_component_count(system); i++) {
    const char *text = description_of(sn_system_component_at(system, i));
    const char *root = text == NULL ? NULL : find_root(text);
    if (root != NULL && strncmp(root, "<robot", 6) == 0) {
      copy_name(root, name, size);
    }
  }
  sn_system_release(system);
}
