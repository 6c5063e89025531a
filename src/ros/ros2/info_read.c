/* Reads `rmw_dds_common/msg/ParticipantEntitiesInfo` of others, bytes of anybody. */
#include <stdio.h>
#include <string.h>

#include "ros/ros2/wire_names.h"

#define CDR_HEADER 4

/* What is left; a step too far sets is_bad, and nothing is read from there on. */
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

/* @return the text with its NUL, and what stands up to the next number is behind; NULL: none */
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

/* @return whether the gid is one of the list, if there is a gid */
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
  if (kind != NULL && (kind[0] != 0 || kind[1] != 1)) { /* plain, the lowest byte first */
    c.is_bad = true;
  }
  const uint8_t *gid = take(&c, gid_size);
  if (gid != NULL) {
    memcpy(participant->bytes, gid, sizeof participant->bytes);
  }
  return c;
}

/* @param writer  NULL: all of it is read. @return whether a node has it, whose names go to the rest
 */
static bool look(cursor *c, size_t gid_size, const sn__ros2_gid *writer, const char **space,
                 const char **name) {
  const uint32_t node_count = take_u32(c);
  for (uint32_t i = 0; i < node_count && !c->is_bad; i++) {
    *space = take_text(c);
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
  const char *space = NULL;
  const char *name = NULL;
  cursor c = begin(bytes, size, gid_size, participant);
  (void)look(&c, gid_size, NULL, &space, &name);
  return !c.is_bad && c.rest < 4; /* DDS may round its size up */
}

bool sn__ros2_info_find(const void *bytes, size_t size, size_t gid_size, const sn__ros2_gid *writer,
                        char *out, size_t out_size) {
  sn__ros2_gid participant;
  const char *space = NULL;
  const char *name = NULL;
  cursor c = begin(bytes, size, gid_size, &participant);
  if (!look(&c, gid_size, writer, &space, &name) || space == NULL || name == NULL) {
    return false;
  }
  const int length = snprintf(out, out_size, "%s/%s", strcmp(space, "/") == 0 ? "" : space, name);
  return length >= 0 && (size_t)length < out_size;
}
