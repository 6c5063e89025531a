/** @file
 *  JSON that is put together in a text of bounded length. Commas come by themselves; after a
 *  failure (too long, no memory) nothing more is written and `failed` says so. */
#ifndef SINEW_APP_CONTROL_REPLY_H
#define SINEW_APP_CONTROL_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The longest text, in bytes. */
#define CONTROL_REPLY_MAX ((size_t)1 << 20)

/** All zero is an empty text. */
typedef struct control_reply {
  char *data; /**< no NUL behind it */
  size_t used;
  size_t size;
  bool failed;
} control_reply;

void control_reply_free(control_reply *reply);

/** Forget what was written; the memory stays. */
void control_reply_clear(control_reply *reply);

/** Bytes as they are, without a comma before them. */
void control_reply_bytes(control_reply *reply, const char *bytes, size_t length);

/** Each of these writes one value, with its name inside an object and with NULL inside a list. */
void reply_open(control_reply *reply, const char *name, char bracket);
void reply_text(control_reply *reply, const char *name, const char *value);
void reply_bool(control_reply *reply, const char *name, bool value);
void reply_int(control_reply *reply, const char *name, int64_t value);
void reply_count(control_reply *reply, const char *name, uint64_t value);
void reply_real(control_reply *reply, const char *name, double value);
/** @param json  @p length bytes that are JSON already */
void reply_json(control_reply *reply, const char *name, const char *json, size_t length);

/** Ends what reply_open() began. */
void reply_close(control_reply *reply, char bracket);

/** Room for @p length bytes more, to be filled by the caller, who then adds to `used`.
 *  @return NULL if they do not fit */
char *control_reply_room(control_reply *reply, size_t length);

#endif
