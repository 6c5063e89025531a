/** @file
 *  The messages, services and actions of the ROS package `sinew_msgs`. */
#ifndef SINEW_APP_MSGS_LIST_H
#define SINEW_APP_MSGS_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "msg/types/action_types.h"
#include "sinew/msg.h"

enum {
  MSGS_TYPES_MAX = 512,
  MSGS_SERVICES_MAX = 512,
  MSGS_ACTIONS_MAX = 8,
  MSGS_PACKAGES_MAX = 32,
  MSGS_NAME_SIZE = 128
};

typedef struct msgs_service {
  char name[MSGS_NAME_SIZE];             /**< without the package */
  const sn_msg_type *request, *response; /**< NULL: nothing */
  const char *doc;
} msgs_service;

typedef struct msgs_list {
  const sn_msg_type *types[MSGS_TYPES_MAX]; /**< of our package */
  size_t type_count;
  msgs_service services[MSGS_SERVICES_MAX];
  size_t service_count;
  const sn__action_types *actions[MSGS_ACTIONS_MAX];
  size_t action_count;
  char packages[MSGS_PACKAGES_MAX][MSGS_NAME_SIZE]; /**< packages that it depends on */
  size_t package_count;
  bool is_bad; /**< duplicate names, or too many; a message was printed */
} msgs_list;

/** Collect them from all component types.
 *  @param out  zeroed
 *  @return false: out of memory */
bool msgs_collect(msgs_list *out);

#endif
