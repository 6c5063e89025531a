#include "ros/graph_name.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"

#define SIGN ":="

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool sn__graph_name_is_good(const char *name) {
  if (!is_letter(*name) && *name != '/' && *name != '~') {
    return false;
  }
  for (const char *at = name + 1; *at != '\0'; at++) {
    const bool is_word = is_letter(*at) || (*at >= '0' && *at <= '9') || *at == '_';
    if (!is_word && (*at != '/' || at[-1] == '/')) {
      return false;
    }
  }
  return true;
}

static bool expand(const sn__graph_names *names, const char *name, char *out, size_t size) {
  int length = 0;
  if (*name == '/') {
    length = snprintf(out, size, "%s", name);
  } else if (*name == '~') {
    length = snprintf(out, size, "%s/%s", names->node, name + 1 + (name[1] == '/'));
  } else {
    length = snprintf(out, size, "%s/%s",
                      strcmp(names->name_space, "/") == 0 ? "" : names->name_space, name);
  }
  return length > 0 && (size_t)length < size;
}

/* Split `from:=to`. @return false if it is invalid */
static bool split(const char *rule, char *from, size_t size, const char **to) {
  const char *sign = strstr(rule, SIGN);
  if (sign == NULL || (size_t)(sign - rule) >= size) {
    return false;
  }
  snprintf(from, size, "%.*s", (int)(sign - rule), rule);
  *to = sign + strlen(SIGN);
  return sn__graph_name_is_good(from) && sn__graph_name_is_good(*to);
}

sn_status sn__graph_names_check(const sn__graph_names *names, sn_error *err) {
  for (size_t i = 0; i < names->remap.count; i++) {
    char from[256];
    const char *to = NULL;
    if (!split(names->remap.data[i], from, sizeof from, &to)) {
      return sn__fail(err, SN_EINVAL, "remap: '%s', expected 'name:=other_name'",
                      names->remap.data[i]);
    }
  }
  return SN_OK;
}

bool sn__graph_name_resolve(const sn__graph_names *names, const char *name, char *out,
                            size_t size) {
  if (!expand(names, name, out, size)) {
    return false;
  }
  for (size_t i = 0; i < names->remap.count; i++) {
    char from[256];
    char whole[512];
    const char *to = NULL;
    if (split(names->remap.data[i], from, sizeof from, &to) &&
        expand(names, from, whole, sizeof whole) && strcmp(whole, out) == 0) {
      return expand(names, to, out, size);
    }
  }
  return true;
}
