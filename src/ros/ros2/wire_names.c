#include "ros/ros2/wire_names.h"

#include <stdio.h>
#include <string.h>

static bool fits(int length, size_t size) {
  return length >= 0 && (size_t)length < size;
}

bool sn__ros2_topic_name(const char *topic, char *out, size_t size) {
  return fits(snprintf(out, size, "rt%s", topic), size);
}

bool sn__ros2_service_topic(const char *service, sn__ros2_part part, char *out, size_t size) {
  const bool is_request = part == SN__ROS2_REQUEST;
  return fits(snprintf(out, size, "%s%s%s", is_request ? "rq" : "rr", service,
                       is_request ? "Request" : "Reply"),
              size);
}

/* The pieces of `std_srvs/SetBool`, which is one of the folder `srv`, or `control_msgs/action/…`.
 */
typedef struct type_parts {
  const char *package, *folder, *name;
  int package_size, folder_size;
} type_parts;

static type_parts split(const char *type) {
  const char *first = strchr(type, '/');
  const char *last = strrchr(type, '/');
  if (first == NULL) {
    return (type_parts){.package = "", .folder = "srv", .name = type, .folder_size = 3};
  }
  return (type_parts){.package = type,
                      .package_size = (int)(first - type),
                      .folder = first == last ? "srv" : first + 1,
                      .folder_size = first == last ? 3 : (int)(last - first - 1),
                      .name = last + 1};
}

static const char *word_of(sn__ros2_part part) {
  return part == SN__ROS2_REQUEST ? "Request" : "Response";
}

bool sn__ros2_part_dds_name(const char *type, sn__ros2_part part, char *out, size_t size) {
  const type_parts t = split(type);
  return fits(snprintf(out, size, "%.*s::%.*s::dds_::%s_%s_", t.package_size, t.package,
                       t.folder_size, t.folder, t.name, word_of(part)),
              size);
}

bool sn__ros2_part_name(const char *type, sn__ros2_part part, char *out, size_t size) {
  const type_parts t = split(type);
  return fits(snprintf(out, size, "%.*s/%.*s/%s_%s", t.package_size, t.package, t.folder_size,
                       t.folder, t.name, word_of(part)),
              size);
}

bool sn__ros2_user_data(const uint8_t guid[16], const char *hash, char *out, size_t size) {
  char id[SN__ROS2_ID_SIZE] = "";
  for (size_t i = 0, used = 0; guid != NULL && i < 16; i++) {
    used +=
        (size_t)snprintf(id + used, sizeof id - used, "%s%x", i == 0 ? "" : ".", (unsigned)guid[i]);
  }
  return fits(snprintf(out, size, "%s%s%s%s%s%s", guid == NULL ? "" : "serviceid=", id,
                       guid == NULL ? "" : ";", *hash == '\0' ? "" : "typehash=", hash,
                       *hash == '\0' ? "" : ";"),
              size);
}

bool sn__ros2_has_key(const void *data, size_t size, const char *key) {
  const char *at = data;
  const size_t length = strlen(key);
  bool is_start = true; /* of an entry */
  for (size_t i = 0; i < size; i++) {
    if (is_start && size - i > length && memcmp(at + i, key, length) == 0 &&
        at[i + length] == '=') {
      return true;
    }
    is_start = at[i] == ';';
  }
  return false;
}

const char *sn__ros2_request_read(const void *bytes, size_t size,
                                  uint8_t caller[SN__ROS2_CALL_HEADER], sn__bytes *message) {
  enum { CDR_HEADER = 4 };
  const char *at = bytes;
  if (size < CDR_HEADER + SN__ROS2_CALL_HEADER) {
    return "it is too short";
  }
  if (memcmp(at, "\0\1", 2) != 0) { /* who asks would be misread, even if there is nothing else */
    return "it is not plain CDR with the lowest byte first";
  }
  memcpy(caller, at + CDR_HEADER, SN__ROS2_CALL_HEADER);
  /* Numbers stand at multiples of 8 at most: without the 16 bytes it is the CDR of the message. */
  sn__bytes_put(message, at, CDR_HEADER);
  sn__bytes_put(message, at + CDR_HEADER + SN__ROS2_CALL_HEADER,
                size - CDR_HEADER - SN__ROS2_CALL_HEADER);
  return message->is_lost ? "no memory" : NULL;
}

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

/* With its NUL, and up to the place of the next number. */
static void put_text(sn__bytes *out, const char *text) {
  const size_t size = strlen(text) + 1;
  sn__bytes_u32(out, (uint32_t)size);
  sn__bytes_put(out, text, size);
  sn__bytes_put(out, "\0\0\0", -size & 3);
}

void sn__ros2_info_write(const sn__ros2_info *info, sn__bytes *out) {
  sn__bytes_put(out, "\0\1\0\0", 4); /* CDR, the lowest byte first */
  put_gid(out, &info->participant, info->gid_size);
  sn__bytes_u32(out, 1); /* node */
  put_text(out, info->space);
  put_text(out, info->node);
  put_gids(out, info->readers, info->reader_count, info->gid_size);
  put_gids(out, info->writers, info->writer_count, info->gid_size);
}
