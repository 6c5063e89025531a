/** @file
 *  What the package `sinew_msgs` of ROS holds: our own messages and services. */
#ifndef SINEW_APP_MSGS_LIST_H
#define SINEW_APP_MSGS_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/msg.h"

enum {
  MSGS_TYPES_MAX = 512,
  MSGS_SERVICES_MAX = 512,
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
  char packages[MSGS_PACKAGES_MAX][MSGS_NAME_SIZE]; /**< others, whose types ours are made of */
  size_t package_count;
  bool is_bad; /**< names that are taken twice, or too many: it was said which */
} msgs_list;

/** Of all components that come along.
 *  @param out  as zeros
 *  @return false if there is no memory */
bool msgs_collect(msgs_list *out);

#endif
