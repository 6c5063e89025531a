#include "ros/ros1/frame.h"

#include <stdlib.h>

sn__frame *sn__frame_create(size_t size) {
  sn__frame *frame = malloc(sizeof *frame + size);
  if (frame != NULL) {
    frame->users = 1;
    frame->size = size;
  }
  return frame;
}

void sn__frame_drop(sn__frame *frame) {
  if (frame != NULL && --frame->users == 0) {
    free(frame);
  }
}

bool sn__frame_queue_init(sn__frame_queue *queue, size_t room) {
  *queue = (sn__frame_queue){.ring = calloc(room + 1, sizeof *queue->ring), .room = room + 1};
  return queue->ring != NULL;
}

static sn__frame **at(const sn__frame_queue *queue, size_t index) {
  return &queue->ring[(queue->first + index) % queue->room];
}

static void drop_oldest(sn__frame_queue *queue) {
  if (queue->sent == 0) {
    queue->bytes -= (*at(queue, 0))->size;
    sn__frame_drop(*at(queue, 0));
    queue->first = (queue->first + 1) % queue->room;
  } else { /* the receiver has a part of the first one: the second goes, the first moves up */
    queue->bytes -= (*at(queue, 1))->size;
    sn__frame_drop(*at(queue, 1));
    *at(queue, 1) = *at(queue, 0);
    queue->first = (queue->first + 1) % queue->room;
  }
  queue->count--;
  queue->dropped++;
}

void sn__frame_queue_push(sn__frame_queue *queue, sn__frame *frame) {
  const size_t keep = queue->sent > 0 ? 1 : 0;
  while (queue->count > keep &&
         (queue->count == queue->room || queue->bytes + frame->size > SN__FRAME_QUEUE_BYTES)) {
    drop_oldest(queue);
  }
  frame->users++;
  *at(queue, queue->count++) = frame;
  queue->bytes += frame->size;
}

size_t sn__frame_queue_peek(const sn__frame_queue *queue, const char **bytes) {
  if (queue->count == 0) {
    return 0;
  }
  const sn__frame *frame = *at(queue, 0);
  *bytes = frame->data + queue->sent;
  return frame->size - queue->sent;
}

void sn__frame_queue_advance(sn__frame_queue *queue, size_t size) {
  sn__frame *frame = *at(queue, 0);
  queue->sent += size;
  if (queue->sent == frame->size) {
    queue->bytes -= frame->size;
    queue->sent = 0;
    queue->first = (queue->first + 1) % queue->room;
    queue->count--;
    sn__frame_drop(frame);
  }
}

void sn__frame_queue_free(sn__frame_queue *queue) {
  for (size_t i = 0; i < queue->count; i++) {
    sn__frame_drop(*at(queue, i));
  }
  free(queue->ring);
  *queue = (sn__frame_queue){0};
}
