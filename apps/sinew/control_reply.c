#include "control_reply.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void control_reply_free(control_reply *reply) {
  free(reply->data);
  *reply = (control_reply){0};
}

void control_reply_clear(control_reply *reply) {
  reply->used = 0;
  reply->failed = false;
}

char *control_reply_room(control_reply *reply, size_t length) {
  if (reply->failed || length > CONTROL_REPLY_MAX - reply->used) {
    reply->failed = true;
    return NULL;
  }
  if (reply->used + length > reply->size) {
    size_t size = reply->size == 0 ? 512 : reply->size;
    while (size < reply->used + length) {
      size *= 2;
    }
    char *data = realloc(reply->data, size);
    if (data == NULL) {
      reply->failed = true;
      return NULL;
    }
    reply->data = data;
    reply->size = size;
  }
  return reply->data + reply->used;
}

void control_reply_bytes(control_reply *reply, const char *bytes, size_t length) {
  char *room = control_reply_room(reply, length);
  if (room != NULL) {
    memcpy(room, bytes, length);
    reply->used += length;
  }
}

static void put(control_reply *reply, const char *text) {
  control_reply_bytes(reply, text, strlen(text));
}

/* What stands after a byte that no JSON value ends with is the first of its object or list. */
static void separate(control_reply *reply) {
  if (reply->used > 0 && strchr("{[:\n", reply->data[reply->used - 1]) == NULL) {
    put(reply, ",");
  }
}

/* Is there a byte that JSON, or a terminal that shows it, must not get as it is? */
static bool must_escape(const char *text) {
  for (; *text != '\0'; text++) {
    const unsigned char c = (unsigned char)*text;
    if (c < 0x20 || c == 0x7f || c == '"' || c == '\\' ||
        (c == 0xc2 && (unsigned char)text[1] < 0xa0)) {
      return true;
    }
  }
  return false;
}

/* C1 controls are the only characters whose first byte is C2 and second is below A0. */
static void put_escaped(control_reply *reply, const char *text) {
  for (; *text != '\0'; text++) {
    const unsigned char c = (unsigned char)*text;
    char escape[8];
    if (c == '"' || c == '\\') {
      snprintf(escape, sizeof escape, "\\%c", c);
      put(reply, escape);
    } else if (c < 0x20 || c == 0x7f) {
      snprintf(escape, sizeof escape, "\\u%04x", c);
      put(reply, escape);
    } else if (c == 0xc2 && (unsigned char)text[1] < 0xa0) {
      snprintf(escape, sizeof escape, "\\u%04x", (unsigned char)text[1]);
      put(reply, escape);
      text++;
    } else {
      control_reply_bytes(reply, text, 1);
    }
  }
}

static bool is_utf8(const char *text) {
  json_t *string = json_string(text);
  json_decref(string);
  return string != NULL;
}

static void put_string(control_reply *reply, const char *text) {
  put(reply, "\"");
  if (!is_utf8(text)) { /* must not vanish: what is readable of it */
    for (; *text != '\0'; text++) {
      const char c = *text;
      control_reply_bytes(reply, c >= 0x20 && c < 0x7f && c != '"' && c != '\\' ? &c : "?", 1);
    }
  } else if (must_escape(text)) {
    put_escaped(reply, text);
  } else {
    put(reply, text);
  }
  put(reply, "\"");
}

static void put_name(control_reply *reply, const char *name) {
  separate(reply);
  if (name != NULL) {
    put_string(reply, name);
    put(reply, ":");
  }
}

void reply_open(control_reply *reply, const char *name, char bracket) {
  put_name(reply, name);
  control_reply_bytes(reply, &bracket, 1);
}

void reply_close(control_reply *reply, char bracket) {
  control_reply_bytes(reply, &bracket, 1);
}

void reply_json(control_reply *reply, const char *name, const char *json, size_t length) {
  put_name(reply, name);
  control_reply_bytes(reply, json, length);
}

void reply_text(control_reply *reply, const char *name, const char *value) {
  put_name(reply, name);
  if (value == NULL) {
    put(reply, "null");
  } else {
    put_string(reply, value);
  }
}

void reply_bool(control_reply *reply, const char *name, bool value) {
  put_name(reply, name);
  put(reply, value ? "true" : "false");
}

void reply_int(control_reply *reply, const char *name, int64_t value) {
  char number[32];
  snprintf(number, sizeof number, "%" PRId64, value);
  reply_json(reply, name, number, strlen(number));
}

void reply_count(control_reply *reply, const char *name, uint64_t value) {
  char number[32];
  snprintf(number, sizeof number, "%" PRIu64, value);
  reply_json(reply, name, number, strlen(number));
}

/* As few digits as read back to the same value. The program runs in the locale "C". */
void reply_real(control_reply *reply, const char *name, double value) {
  char number[40];
  if (!isfinite(value)) {
    snprintf(number, sizeof number, "null");
  } else {
    for (int digits = 15; digits <= 17; digits++) {
      snprintf(number, sizeof number, "%.*g", digits, value);
      if (strtod(number, NULL) == value) {
        break;
      }
    }
  }
  reply_json(reply, name, number, strlen(number));
}
