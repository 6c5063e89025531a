#include "common/fields.h"

#include <string.h>

/* The object that holds the last part of `a.b.c`; creates objects on the way. */
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

/* `field=value`: a value that is not JSON is a text. */
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

/* @return NULL: a message was printed */
static json_t *parse_json(const command *c, const char *word) {
  json_error_t problem;
  json_t *message = json_loads(word, JSON_REJECT_DUPLICATES, &problem);
  if (message == NULL) {
    (void)command_misused(c, "JSON, column %d: %s", problem.column, problem.text);
  }
  return message;
}

json_t *fields_parse(const command *c, const text_list *words) {
  json_t *message = json_object();
  for (size_t i = 0; message != NULL && i < words->count; i++) {
    const char *word = words->items[i];
    if (i == 0 && word[0] == '{') {
      json_decref(message);
      message = parse_json(c, word);
    } else if (!add_field(message, word)) {
      (void)command_misused(c, "'%s' is not valid, expected FIELD=VALUE, or JSON as the first word",
                            word);
      json_decref(message);
      message = NULL;
    }
  }
  return message;
}
