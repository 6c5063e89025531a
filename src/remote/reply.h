/** @file
 *  JSON that is put together in a text of bounded length. Commas come by themselves; after a
 *  failure (too long, no memory) nothing more is written and `failed` says so. */
#ifndef SN_REMOTE_REPLY_H
#define SN_REMOTE_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The longest text, in bytes, unless `max` says otherwise. */
#define SN__REMOTE_REPLY_MAX ((size_t)1 << 20)

/** All zero is an empty text. */
typedef struct sn__reply {
  char *data; /**< no NUL behind it */
  size_t used;
  size_t size;
  size_t max; /**< bytes at most; 0: SN__REMOTE_REPLY_MAX */
  bool failed;
} sn__reply;

void sn__reply_free(sn__reply *reply);

/** Forget what was written; the memory stays. */
void sn__reply_clear(sn__reply *reply);

/** Bytes as they are, without a comma before them. */
void sn__reply_bytes(sn__reply *reply, const char *bytes, size_t length);

/** Each of these writes one value, with its name inside an object and with NULL inside a list. */
void sn__reply_open(sn__reply *reply, const char *name, char bracket);
void sn__reply_text(sn__reply *reply, const char *name, const char *value);
void sn__reply_bool(sn__reply *reply, const char *name, bool value);
void sn__reply_int(sn__reply *reply, const char *name, int64_t value);
void sn__reply_count(sn__reply *reply, const char *name, uint64_t value);
void sn__reply_real(sn__reply *reply, const char *name, double value);
/** @param json  @p length bytes that are JSON already */
void sn__reply_json(sn__reply *reply, const char *name, const char *json, size_t length);

/** Ends what sn__reply_open() began. */
void sn__reply_close(sn__reply *reply, char bracket);

/** Room for @p length bytes more, to be filled by the caller, who then adds to `used`.
 *  @return NULL if they do not fit */
char *sn__reply_room(sn__reply *reply, size_t length);

#endif
