/** @file
 *  Internal: the types of a service as ROS 2 describes them: its request, its response, its events
 *  and the service itself. They are for descriptions and hashes only; no message has them. */
#ifndef SN_MSG_WIRE_SERVICE_TYPES_H
#define SN_MSG_WIRE_SERVICE_TYPES_H

#include "sinew/api.h"
#include "sinew/msg.h"

enum { SN__SERVICE_NAME_SIZE = 200 };

/** Its members refer to each other: not to be copied. */
typedef struct sn__service_types {
  sn_msg_type request, response, event, service;
  sn_msg_field event_fields[3], service_fields[3];
  char request_name[SN__SERVICE_NAME_SIZE], response_name[SN__SERVICE_NAME_SIZE],
      event_name[SN__SERVICE_NAME_SIZE], service_name[SN__SERVICE_NAME_SIZE];
} sn__service_types;

/** @param name               `std_srvs/srv/SetBool`
 *  @param request, response  NULL: empty
 *  RT: no.  Threads: owner. */
SN_API void sn__service_types_init(sn__service_types *types, const char *name,
                                   const sn_msg_type *request, const sn_msg_type *response);

/** @param name  of one of the four, such as `std_srvs/srv/SetBool_Event`
 *  @return NULL: it is none of them */
SN_API const sn_msg_type *sn__service_types_find(const sn__service_types *types, const char *name);

#endif
