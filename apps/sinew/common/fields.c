#include "common/fields.h"

#include <stdio.h>
#include <string.h>

/* The object in which the last part of `a.b.c` stands, made on the way. */
static json_t *descend(json_t *object, const char *path, const char **last) {
  for (const char *point = strchr(path, '.'); point != NULL; point = strchr(path, '.')) {
    const size_t length = (size_t)(point - path);
    char part[64];
    if (length == 0 || length >= sizeof part) {
      return NULL;
    }
    memcpy(part, path, length);
    part[length] = '\0';
    json_t *inner = json_object_get(object, part);
    if (inner == NULL) {
      inner = json_object();
      json_object_set_new(object, part, inner);
    }
    if (!json_is_object(inner)) {
      return NULL;
    }
    object = inner;
    path = point + 1;
  }
  *last = path;
  return *path == '\0' ? NULL : object;
}

/* `field=value`: the value is JSON, and a text if it is none. */
static bool add_field(json_t *arguments, const char *word) {
  const char *equals = strchr(word, '=');
  char path[256];
  if (equals == NULL || (size_t)(equals - word) >= sizeof path) {
    return false;
  }
  memcpy(path, word, (size_t)(equals - word));
  path[equals - word] = '\0';
  const char *name = NULL;
  json_t *object = descend(arguments, path, &name);
  json_t *value = json_loads(equals + 1, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
  if (value == NULL) {
    value = json_string(equals + 1);
  }
  if (object == NULL) {
    json_decref(value);
    return false;
  }
  return json_object_set_new(object, name, value) == 0;
}

bool fields_add(const char *command, json_t **arguments, const char *word) {
  if (word[0] != '{') {
    return add_field(*arguments, word);
  }
  json_error_t problem;
  json_t *all = json_loads(word, JSON_REJECT_DUPLICATES, &problem);
  if (all == NULL || json_object_size(*arguments) > 0) {
    if (all == NULL) {
      fprintf(stderr, "sinew %s: JSON, column %d: %s\n", command, problem.column, problem.text);
    }
    json_decref(all);
    return false;
  }
  json_decref(*arguments);
  *arguments = all;
  return true;
}
