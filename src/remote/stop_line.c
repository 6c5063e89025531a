#include "remote/stop_line.h"

#include <stdint.h>
#include <string.h>

typedef struct cursor {
  const char *at, *end;
} cursor;

static char here(const cursor *c) {
  return c->at < c->end ? *c->at : '\0';
}

/* The parser of requests skips a zero behind a number, so it is space here, too. */
static void skip_space(cursor *c) {
  while (c->at < c->end && memchr(" \t\r\n", *c->at, 5) != NULL) {
    c->at++;
  }
}

static bool take(cursor *c, char expected) {
  skip_space(c);
  if (here(c) != expected) {
    return false;
  }
  c->at++;
  return true;
}

/* ---- texts ---- */

typedef struct text {
  char *data; /* NULL: discard */
  size_t used, size;
} text;

static void put(text *t, unsigned byte) {
  if (t->data != NULL && t->used + 1 < t->size) {
    t->data[t->used++] = (char)byte;
    t->data[t->used] = '\0';
  }
}

static void put_code(text *t, unsigned code) {
  if (t->used + 5 > t->size) {
    t->size = t->used; /* never a part of a character: the text ends here */
  } else if (code < 0x80) {
    put(t, code);
  } else if (code < 0x800) {
    put(t, 0xC0 | code >> 6);
    put(t, 0x80 | (code & 0x3F));
  } else {
    if (code < 0x10000) {
      put(t, 0xE0 | code >> 12);
    } else {
      put(t, 0xF0 | code >> 18);
      put(t, 0x80 | (code >> 12 & 0x3F));
    }
    put(t, 0x80 | (code >> 6 & 0x3F));
    put(t, 0x80 | (code & 0x3F));
  }
}

static bool read_hex(cursor *c, unsigned *out) {
  static const char digits[] = "0123456789abcdef";
  *out = 0;
  for (int i = 0; i < 4; i++) {
    const char digit = (char)(here(c) | (here(c) >= 'A' ? 0x20 : 0));
    const char *found = digit == '\0' ? NULL : strchr(digits, digit);
    if (found == NULL) {
      return false;
    }
    *out = 16 * *out + (unsigned)(found - digits);
    c->at++;
  }
  return true;
}

/* After a backslash. */
static bool read_escape(cursor *c, text *t) {
  static const char letters[] = "\"\\/bfnrt";
  static const char meanings[] = "\"\\/\b\f\n\r\t";
  const char letter = here(c);
  const char *found = letter == '\0' ? NULL : strchr(letters, letter);
  c->at++;
  if (found != NULL) {
    put(t, (unsigned char)meanings[found - letters]);
    return true;
  }
  unsigned code = 0, low = 0;
  if (letter != 'u' || !read_hex(c, &code) || code == 0) {
    return false;
  }
  if (code >= 0xD800 && code < 0xDC00) {
    if (here(c) != '\\' || c->end - c->at < 6 || c->at[1] != 'u') {
      return false;
    }
    c->at += 2;
    if (!read_hex(c, &low) || low < 0xDC00 || low > 0xDFFF) {
      return false;
    }
    code = 0x10000 + ((code & 0x3FF) << 10) + (low & 0x3FF);
  }
  put_code(t, code);
  return true;
}

/* @return false: not a text */
static bool read_text(cursor *c, char *out, size_t size) {
  text t = {.data = out, .size = size};
  if (out != NULL) {
    out[0] = '\0';
  }
  if (!take(c, '"')) {
    return false;
  }
  while (here(c) != '"') {
    if ((unsigned char)here(c) < 0x20) { /* also at the end */
      return false;
    }
    if (here(c) == '\\') {
      c->at++;
      if (!read_escape(c, &t)) {
        return false;
      }
    } else {
      put(&t, (unsigned char)*c->at++);
    }
  }
  c->at++;
  return true;
}

/* ---- values ---- */

static bool skip_nested(cursor *c) {
  size_t depth = 0;
  do {
    skip_space(c);
    const char byte = here(c);
    if (byte == '\0') {
      return false;
    }
    if (byte == '"') {
      if (!read_text(c, NULL, 0)) {
        return false;
      }
      continue;
    }
    depth += byte == '{' || byte == '[';
    depth -= byte == '}' || byte == ']';
    c->at++;
  } while (depth > 0);
  return true;
}

static bool skip_value(cursor *c) {
  skip_space(c);
  const char *begin = c->at;
  if (here(c) == '"') {
    return read_text(c, NULL, 0);
  }
  if (here(c) == '{' || here(c) == '[') {
    return skip_nested(c);
  }
  while (here(c) != '\0' && strchr(",}] \t\r\n", here(c)) == NULL) {
    c->at++;
  }
  return c->at > begin;
}

/* The answer repeats the id as it is: a number, or a text of printable ASCII. */
static bool read_id(cursor *c, char id[SN__REMOTE_ID_SIZE]) {
  skip_space(c);
  const char *begin = c->at;
  if (!skip_value(c)) {
    return false;
  }
  const size_t length = (size_t)(c->at - begin);
  bool is_valid = length < SN__REMOTE_ID_SIZE && strchr("\"-0123456789", *begin) != NULL;
  for (size_t i = 0; i < length; i++) {
    is_valid = is_valid && begin[i] >= ' ' && begin[i] <= '~';
  }
  if (is_valid) {
    memcpy(id, begin, length);
    id[length] = '\0';
  }
  return true;
}

/* ---- objects ---- */

typedef struct found {
  sn__stop_line *line;
  char verb[8];
  char name[256];
} found;

static bool read_member(cursor *c, const char *key, found *f, bool is_inside);

static bool read_object(cursor *c, found *f, bool is_inside) {
  if (!take(c, '{')) {
    return false;
  }
  if (take(c, '}')) {
    return true;
  }
  do {
    char key[16];
    if (!read_text(c, key, sizeof key) || !take(c, ':') || !read_member(c, key, f, is_inside)) {
      return false;
    }
  } while (take(c, ','));
  return take(c, '}');
}

/* @param is_inside  in `arguments`; not read any deeper */
static bool read_member(cursor *c, const char *key, found *f, bool is_inside) {
  skip_space(c);
  const bool is_text = here(c) == '"';
  if (is_text && strcmp(key, "who") == 0) {
    return read_text(c, f->line->who, sizeof f->line->who);
  }
  if (is_text && strcmp(key, "why") == 0) {
    return read_text(c, f->line->why, sizeof f->line->why);
  }
  if (is_inside) {
    return skip_value(c);
  }
  if (is_text && strcmp(key, "verb") == 0) {
    return read_text(c, f->verb, sizeof f->verb);
  }
  if (is_text && strcmp(key, "name") == 0) {
    return read_text(c, f->name, sizeof f->name);
  }
  if (strcmp(key, "id") == 0) {
    return read_id(c, f->line->id);
  }
  if (here(c) == '{' && strcmp(key, "arguments") == 0) {
    return read_object(c, f, true);
  }
  return skip_value(c);
}

bool sn__is_stop_operation(const char *name) {
  static const char ending[] = ".emergencyStop";
  const size_t length = strlen(name);
  return length > sizeof ending - 1 && strcmp(name + length - (sizeof ending - 1), ending) == 0;
}

bool sn__stop_line_read(const char *line, size_t length, sn__stop_line *out) {
  *out = (sn__stop_line){.id = "null"};
  found f = {.line = out};
  cursor c = {line, line + length};
  if (!read_object(&c, &f, false)) {
    return false;
  }
  skip_space(&c);
  out->is_call = strcmp(f.verb, "call") == 0 && sn__is_stop_operation(f.name);
  return c.at == c.end && (out->is_call || strcmp(f.verb, "stop") == 0);
}

void sn__stop_arguments_read(const char *json, size_t length, sn__stop_line *out) {
  *out = (sn__stop_line){.id = "null"};
  found f = {.line = out};
  cursor c = {json, json + length};
  (void)read_object(&c, &f, true);
}
