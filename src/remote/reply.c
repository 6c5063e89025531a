#include "remote/reply.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sn__reply_free(sn__reply *reply) {
  free(reply->data);
  *reply = (sn__reply){.max = reply->max};
}

void sn__reply_clear(sn__reply *reply) {
  reply->used = 0;
  reply->failed = false;
}

char *sn__reply_room(sn__reply *reply, size_t length) {
  const size_t max = reply->max == 0 ? SN__REMOTE_REPLY_MAX : reply->max;
  if (reply->failed || length > max - reply->used) {
    reply->failed = true;
    return NULL;
  }
  if (reply->used + length > reply->size || reply->data == NULL) {
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

void sn__reply_bytes(sn__reply *reply, const char *bytes, size_t length) {
  char *room = sn__reply_room(reply, length);
  if (room != NULL) {
    memcpy(room, bytes, length);
    reply->used += length;
  }
}

static void put(sn__reply *reply, const char *text) {
  sn__reply_bytes(reply, text, strlen(text));
}

/* What stands after a byte that no JSON value ends with is the first of its object or list. */
static void separate(sn__reply *reply) {
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
static void put_escaped(sn__reply *reply, const char *text) {
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
      sn__reply_bytes(reply, text, 1);
    }
  }
}

static bool is_utf8(const char *text) {
  json_t *string = json_string(text);
  json_decref(string);
  return string != NULL;
}

static void put_string(sn__reply *reply, const char *text) {
  put(reply, "\"");
  if (!is_utf8(text)) { /* must not vanish: what is readable of it */
    for (; *text != '\0'; text++) {
      const char c = *text;
      sn__reply_bytes(reply, c >= 0x20 && c < 0x7f && c != '"' && c != '\\' ? &c : "?", 1);
    }
  } else if (must_escape(text)) {
    put_escaped(reply, text);
  } else {
    put(reply, text);
  }
  put(reply, "\"");
}

static void put_name(sn__reply *reply, const char *name) {
  separate(reply);
  if (name != NULL) {
    put_string(reply, name);
    put(reply, ":");
  }
}

void sn__reply_open(sn__reply *reply, const char *name, char bracket) {
  put_name(reply, name);
  sn__reply_bytes(reply, &bracket, 1);
}

void sn__reply_close(sn__reply *reply, char bracket) {
  sn__reply_bytes(reply, &bracket, 1);
}

void sn__reply_json(sn__reply *reply, const char *name, const char *json, size_t length) {
  put_name(reply, name);
  sn__reply_bytes(reply, json, length);
}

void sn__reply_text(sn__reply *reply, const char *name, const char *value) {
  put_name(reply, name);
  if (value == NULL) {
    put(reply, "null");
  } else {
    put_string(reply, value);
  }
}

void sn__reply_bool(sn__reply *reply, const char *name, bool value) {
  put_name(reply, name);
  put(reply, value ? "true" : "false");
}

void sn__reply_int(sn__reply *reply, const char *name, int64_t value) {
  char number[32];
  snprintf(number, sizeof number, "%" PRId64, value);
  sn__reply_json(reply, name, number, strlen(number));
}

void sn__reply_count(sn__reply *reply, const char *name, uint64_t value) {
  char number[32];
  snprintf(number, sizeof number, "%" PRIu64, value);
  sn__reply_json(reply, name, number, strlen(number));
}

/* As few digits as read back to the same value. The program runs in the locale "C". */
void sn__reply_real(sn__reply *reply, const char *name, double value) {
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
  sn__reply_json(reply, name, number, strlen(number));
}
