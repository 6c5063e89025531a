#include "ros/ros2/discovery_info.h"

#include <stdio.h>
#include <string.h>

/* ---- writing ---- */

static void put_gid(sn__bytes *out, const sn__ros2_gid *gid, size_t size) {
  static const uint8_t rest[16];
  sn__bytes_put(out, gid->bytes, sizeof gid->bytes);
  if (size > sizeof gid->bytes) {
    sn__bytes_put(out, rest, size - sizeof gid->bytes);
  }
}

static void put_gids(sn__bytes *out, const sn__ros2_gid *gids, size_t count, size_t size) {
  sn__bytes_u32(out, (uint32_t)count);
  for (size_t i = 0; i < count; i++) {
    put_gid(out, &gids[i], size);
  }
}

/* With NUL and padding. */
static void put_text(sn__bytes *out, const char *text) {
  const size_t size = strlen(text) + 1;
  sn__bytes_u32(out, (uint32_t)size);
  sn__bytes_put(out, text, size);
  sn__bytes_put(out, "\0\0\0", -size & 3);
}

void sn__ros2_info_write(const sn__ros2_info *info, sn__bytes *out) {
  sn__bytes_put(out, "\0\1\0\0", 4); /* little-endian CDR */
  put_gid(out, &info->participant, info->gid_size);
  sn__bytes_u32(out, 1); /* node */
  put_text(out, info->name_space);
  put_text(out, info->node);
  put_gids(out, info->readers, info->reader_count, info->gid_size);
  put_gids(out, info->writers, info->writer_count, info->gid_size);
}

/* ---- reading ---- */

#define CDR_HEADER 4

/* Remaining input. Reading past the end sets is_bad, and nothing is read from then on. */
typedef struct cursor {
  const uint8_t *at;
  size_t rest;
  bool is_bad;
} cursor;

static const uint8_t *take(cursor *c, size_t size) {
  if (c->is_bad || size > c->rest) {
    c->is_bad = true;
    return NULL;
  }
  const uint8_t *bytes = c->at;
  c->at += size;
  c->rest -= size;
  return bytes;
}

static uint32_t take_u32(cursor *c) {
  const uint8_t *bytes = take(c, 4);
  return bytes == NULL ? 0 : sn__u32_at(bytes);
}

/* Reads a string and its padding. @return NULL if it is invalid */
static const char *take_text(cursor *c) {
  const uint32_t size = take_u32(c);
  const uint8_t *bytes = take(c, size);
  if (bytes == NULL || size == 0 || bytes[size - 1] != '\0' ||
      strlen((const char *)bytes) + 1 != size) {
    c->is_bad = true;
    return NULL;
  }
  (void)take(c, -(size_t)size & 3);
  return (const char *)bytes;
}

/* Reads a list of gids. @return whether it contains @p gid, which may be NULL */
static bool take_gids(cursor *c, size_t gid_size, const sn__ros2_gid *gid) {
  const size_t count = take_u32(c);
  const uint8_t *list = take(c, count * gid_size);
  for (size_t i = 0; list != NULL && gid != NULL && i < count; i++) {
    if (memcmp(list + i * gid_size, gid->bytes, sizeof gid->bytes) == 0) {
      return true;
    }
  }
  return false;
}

static cursor begin(const void *bytes, size_t size, size_t gid_size, sn__ros2_gid *participant) {
  cursor c = {.at = bytes, .rest = size};
  const uint8_t *kind = take(&c, CDR_HEADER);
  if (kind != NULL && (kind[0] != 0 || kind[1] != 1)) { /* plain CDR, little-endian */
    c.is_bad = true;
  }
  const uint8_t *gid = take(&c, gid_size);
  if (gid != NULL) {
    memcpy(participant->bytes, gid, sizeof participant->bytes);
  }
  return c;
}

/* Find the node that owns @p writer; with NULL, read everything. @return whether it was found */
static bool find_node(cursor *c, size_t gid_size, const sn__ros2_gid *writer,
                      const char **name_space, const char **name) {
  const uint32_t node_count = take_u32(c);
  for (uint32_t i = 0; i < node_count && !c->is_bad; i++) {
    *name_space = take_text(c);
    *name = take_text(c);
    (void)take_gids(c, gid_size, NULL);
    if (take_gids(c, gid_size, writer)) {
      return true;
    }
  }
  return false;
}

bool sn__ros2_info_check(const void *bytes, size_t size, size_t gid_size,
                         sn__ros2_gid *participant) {
  const char *name_space = NULL;
  const char *name = NULL;
  cursor c = begin(bytes, size, gid_size, participant);
  (void)find_node(&c, gid_size, NULL, &name_space, &name);
  return !c.is_bad && c.rest < 4; /* DDS may pad the sample */
}

bool sn__ros2_info_find(const void *bytes, size_t size, size_t gid_size, const sn__ros2_gid *writer,
                        char *out, size_t out_size) {
  sn__ros2_gid participant;
  const char *name_space = NULL;
  const char *name = NULL;
  cursor c = begin(bytes, size, gid_size, &participant);
  if (!find_node(&c, gid_size, writer, &name_space, &name) || name_space == NULL || name == NULL) {
    return false;
  }
  const int length =
      snprintf(out, out_size, "%s/%s", strcmp(name_space, "/") == 0 ? "" : name_space, name);
  return length >= 0 && (size_t)length < out_size;
}

bool sn__ros2_info_has_node(const void *bytes, size_t size, size_t gid_size, const char *name_space,
                            const char *name) {
  sn__ros2_gid participant;
  cursor c = begin(bytes, size, gid_size, &participant);
  const uint32_t node_count = take_u32(&c);
  for (uint32_t i = 0; i < node_count && !c.is_bad; i++) {
    const char *its_space = take_text(&c);
    const char *its_name = take_text(&c);
    if (its_space != NULL && its_name != NULL && strcmp(its_space, name_space) == 0 &&
        strcmp(its_name, name) == 0) {
      return true;
    }
    (void)take_gids(&c, gid_size, NULL);
    (void)take_gids(&c, gid_size, NULL);
  }
  return false;
}
