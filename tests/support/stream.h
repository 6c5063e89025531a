/** @file
 *  Contents of the messages that the tests of the ROS 2 node send at 1 kHz, both ways. Every number
 *  follows from the sender and the count, so a receiver can check each message and its order. */
#ifndef SN_TEST_STREAM_H
#define SN_TEST_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define STREAM_JOINTS 30
#define STREAM_TO_PEERS "rt/joint_states"
#define STREAM_TO_ROBOT "rt/judge/in_joints"
#define STREAM_SERVICE "/judge/turn" /* std_srvs/SetBool */

/* All exact in double. */
static inline double stream_position(uint64_t count, size_t joint) {
  return (double)count + (double)joint / 64.0;
}
static inline double stream_velocity(uint64_t count, size_t joint) {
  return -0.5 * (double)count + (double)joint;
}
static inline double stream_effort(uint64_t sender, size_t joint) {
  return (double)sender + (double)joint / 1024.0;
}
static inline void stream_name(size_t joint, char *out, size_t size) {
  snprintf(out, size, "joint_%zu", joint);
}

/** Sender and count of a message; its other numbers are not checked. */
static inline uint64_t stream_count_of(double first_position) {
  return first_position >= 0.0 && first_position < 1e15 ? (uint64_t)first_position : 0;
}

/** Do all numbers agree with sender and count? */
static inline bool stream_is_good(const double *position, const double *velocity,
                                  const double *effort) {
  const uint64_t count = stream_count_of(position[0]);
  const uint64_t sender = stream_count_of(effort[0]);
  for (size_t i = 0; i < STREAM_JOINTS; i++) {
    if (position[i] != stream_position(count, i) || velocity[i] != stream_velocity(count, i) ||
        effort[i] != stream_effort(sender, i)) {
      return false;
    }
  }
  return true;
}

/** Messages received from one sender. */
typedef struct stream_record {
  uint64_t sender, first, last, received;
  uint64_t missing; /**< gaps in the count */
  uint64_t wrong;   /**< wrong contents, duplicate or out of order */
} stream_record;

static inline void stream_note(stream_record *r, uint64_t count, bool is_good) {
  if (r->received == 0) {
    r->first = count;
  } else if (count > r->last) {
    r->missing += count - r->last - 1;
  } else {
    r->wrong++;
  }
  r->wrong += is_good ? 0 : 1;
  r->last = count;
  r->received++;
}

#endif
