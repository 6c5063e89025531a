#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <time.h>

#include "ros/ros_transport.h"
#include "sinew/clock.h"

int64_t sn__wall_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t sn__monotonic_now_ns(void) {
  sn_clock clock;
  sn_clock_init_monotonic(&clock);
  return sn_clock_now_ns(&clock);
}

/* The first members of every sequence, see SN_SEQ_DEFINE(). */
typedef struct elements {
  void *data;
  size_t count;
} elements;

static elements elements_of(const sn_msg_field *field, void *msg) {
  char *at = (char *)msg + field->offset;
  elements all = {at, field->shape == SN_MSG_ARRAY ? field->count : 1};
  if (field->shape == SN_MSG_SEQUENCE) {
    memcpy(&all, at, sizeof all);
  }
  return all;
}

static void shift(void *at, int64_t offset_ns) {
  int64_t time_ns = 0;
  memcpy(&time_ns, at, sizeof time_ns);
  time_ns += time_ns == 0 ? 0 : offset_ns;
  memcpy(at, &time_ns, sizeof time_ns);
}

/* The depth is that of the type. */
void sn__times_shift(const sn_msg_type *type, void *msg, int64_t offset_ns) {
  for (size_t i = 0; i < type->field_count; i++) {
    const sn_msg_field *field = &type->fields[i];
    const bool is_time = field->kind == SN_MSG_TIME;
    if ((field->flags & SN_MSG_ROS1_ONLY) != 0 || (!is_time && field->kind != SN_MSG_NESTED)) {
      continue;
    }
    const elements all = elements_of(field, msg);
    for (size_t k = 0; k < all.count; k++) {
      char *at = (char *)all.data + k * field->size;
      if (is_time) {
        shift(at, offset_ns);
      } else {
        sn__times_shift(field->nested, at, offset_ns);
      }
    }
  }
}
