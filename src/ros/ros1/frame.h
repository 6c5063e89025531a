/** @file
 *  Internal: bytes to be sent, shared by all who wait to get them. One thread only. */
#ifndef SN_ROS_ROS1_FRAME_H
#define SN_ROS_ROS1_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sn__frame {
  unsigned users;
  size_t size;
  char data[];
} sn__frame;

/** A frame with room for @p size bytes and one user, or NULL. */
sn__frame *sn__frame_create(size_t size);
void sn__frame_drop(sn__frame *frame);

/** Frames that wait for one receiver: the newest matter, the oldest goes first. */
typedef struct sn__frame_queue {
  sn__frame **ring; /**< [room] */
  size_t room, first, count;
  size_t bytes;     /**< of all that wait */
  size_t sent;      /**< bytes of the first one that are on their way: it is not dropped any more */
  uint64_t dropped; /**< frames that had to make room */
} sn__frame_queue;

#define SN__FRAME_QUEUE_BYTES ((size_t)64 << 20)

/** @return false if there is no memory */
bool sn__frame_queue_init(sn__frame_queue *queue, size_t room);
/** Add a frame, which gets one more user; if there is no room, the oldest goes. */
void sn__frame_queue_push(sn__frame_queue *queue, sn__frame *frame);
/** The bytes to send next. @return how many; 0: none wait */
size_t sn__frame_queue_peek(const sn__frame_queue *queue, const char **bytes);
/** That many of them are sent. */
void sn__frame_queue_advance(sn__frame_queue *queue, size_t size);
void sn__frame_queue_free(sn__frame_queue *queue);

#endif
