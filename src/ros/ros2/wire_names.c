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

/* Parts of `std_srvs/SetBool`, which is in the folder `srv`, or of `control_msgs/action/…`. */
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

/* Copy until the end of the entry or of the bytes. */
static void copy_value(const char *at, size_t size, char *out, size_t out_size) {
  size_t used = 0;
  while (used < size && used + 1 < out_size && at[used] != ';' && at[used] != '\0') {
    out[used] = at[used];
    used++;
  }
  out[used] = '\0';
}

bool sn__ros2_value(const void *data, size_t size, const char *key, char *out, size_t out_size) {
  const char *at = data;
  const size_t length = strlen(key);
  bool is_start = true; /* at the start of an entry */
  for (size_t i = 0; i < size; i++) {
    if (is_start && size - i > length && memcmp(at + i, key, length) == 0 &&
        at[i + length] == '=') {
      copy_value(at + i + length + 1, size - i - length - 1, out, out_size);
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
  if (memcmp(at, "\0\1", 2) != 0) { /* the call header would be misread */
    return "it is not little-endian plain CDR";
  }
  memcpy(caller, at + CDR_HEADER, SN__ROS2_CALL_HEADER);
  /* CDR alignment is at most 8, so the rest is valid CDR without the 16 bytes. */
  sn__bytes_put(message, at, CDR_HEADER);
  sn__bytes_put(message, at + CDR_HEADER + SN__ROS2_CALL_HEADER,
                size - CDR_HEADER - SN__ROS2_CALL_HEADER);
  return message->failed ? "out of memory" : NULL;
}
