/** @file
 *  What the tests of ros1_node_threads share. */
#ifndef SN_ROS1_NODE_RIG_H
#define SN_ROS1_NODE_RIG_H

#include <stdatomic.h>

#include "ros1_peer.h"
#include "sn_test.h"

#define SET_BOOL "09fb03525b03e7ea1fd3992bafd87e16"
#define STRING "992ce8a1687cec8c8bd883ec73ca41d1"

typedef struct heard {
  size_t count;
  char caller[64];
  char bytes[64];
  size_t size;
} heard;

void ros1_node_take(void *context, const char *caller, const void *bytes, size_t size);

/** Responds with the reversed request; one that starts with 2 fails. */
sn_status ros1_node_serve(void *context, const char *caller, const void *request, size_t size,
                          sn__bytes *response, sn_error *err);

typedef struct fixture {
  ros1_rig rig;
  sn__ros1_publication *text, *latched;
  heard heard;
  atomic_int calls;
} fixture;

void ros1_node_open_fixture(fixture *s);

void ros1_node_publish(sn__ros1_publication *topic, const char *text);

int ros1_node_subscribe(fixture *s, const char *topic, sn__bytes *bytes);

void ros1_node_assert_message(fixture *s, int fd, sn__bytes *bytes, const char *text);

#endif
