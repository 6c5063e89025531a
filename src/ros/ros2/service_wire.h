/** @file
 *  Internal: the endpoints of services, over Fast DDS; the only part of the library in C++.
 *
 *  Topics and the graph use Cyclone DDS. Services cannot: a client of rmw_fastrtps_cpp identifies
 *  its requests by RTPS inline parameters and expects them back in the response, and Debian's
 *  Cyclone neither reads nor writes them. A client of rmw_cyclonedds_cpp puts the same facts into
 *  the payload, which any DDS passes on. So one pair of endpoints, of Fast DDS, serves both kinds
 *  of clients: each request arrives once, and a client sees one service. */
#ifndef SN_ROS_ROS2_SERVICE_WIRE_H
#define SN_ROS_ROS2_SERVICE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ros/bytes.h"
#include "ros/ros2/discovery_info.h"
#include "ros/ros2/wire_names.h"
#include "sinew/api.h"

SN_BEGIN_DECLS

/** A participant with its threads. */
typedef struct sn__wire_domain sn__wire_domain;
/** Reader of the requests and writer of the responses of one service; owned by the domain. */
typedef struct sn__wire_service sn__wire_service;

typedef struct sn__wire_config {
  unsigned domain;
  const char *address; /**< IPv4 address of the only network to use; empty: all networks */
  bool has_discovery;  /**< false: find no one */
  bool has_multicast;  /**< find others by multicast */
  /** IPv4 addresses where others are searched for at the standard ports, besides multicast. */
  const char *const *peers;
  size_t peer_count;
  /** A request arrived, or a client was found. Threads: any. */
  void (*on_event)(void *context);
  void *context;
  /** A line of the log of Fast DDS. Threads: any. */
  void (*on_log)(const char *line);
} sn__wire_config;

typedef struct sn__wire_endpoint {
  const char *topic, *type, *user_data;
} sn__wire_endpoint;

/** What sn__wire_serve() opens. */
typedef struct sn__wire_names {
  sn__wire_endpoint request, response;
  /** Requests that wait to be taken; further ones stay with their clients, which repeat them. */
  size_t depth;
  /** A valid response to no request, with a call header; copied. A new client with a header gets it
   *  first: Cyclone loses what another DDS sends before their first handshake is complete. */
  const void *greeting;
  size_t greeting_size;
} sn__wire_names;

/** How a client identifies its requests. */
typedef enum sn__wire_form {
  SN__WIRE_FOREIGN,  /**< in a way that is not known: a response would not reach it */
  SN__WIRE_IDENTITY, /**< by the identity of the sample, as rmw_fastrtps_cpp */
  SN__WIRE_HEADER    /**< by 16 bytes in front of the message, as rmw_cyclonedds_cpp */
} sn__wire_form;

typedef struct sn__wire_client {
  sn__wire_form form;
  sn__ros2_gid writer;       /**< of the request */
  sn__ros2_gid reader;       /**< of the responses; zero: unknown */
  char id[SN__ROS2_ID_SIZE]; /**< `clientid` of a client with a header */
  int64_t number;            /**< sequence number of the request */
} sn__wire_client;

typedef enum sn__wire_result {
  SN__WIRE_SENT,
  SN__WIRE_NOT_YET, /**< the client's reader is not connected yet, or it left; try again later */
  SN__WIRE_FAILED
} sn__wire_result;

/** Join a domain. The threads inherit the scheduling of the caller. @return NULL on failure */
sn__wire_domain *sn__wire_open(const sn__wire_config *config);
/** Leave it; NULL is allowed. No callback runs afterwards. */
void sn__wire_close(sn__wire_domain *domain);

/** To be called often: see wire_echo.hpp. */
void sn__wire_step(sn__wire_domain *domain, int64_t now_ns);

/** Add a service. @param reader, writer  out: gids of the endpoints. @return NULL on failure */
sn__wire_service *sn__wire_serve(sn__wire_domain *domain, const sn__wire_names *names,
                                 sn__ros2_gid *reader, sn__ros2_gid *writer);

/** Take the next request. @param bytes  out: with the CDR header. @return false: none */
bool sn__wire_take(sn__wire_service *service, sn__bytes *bytes, sn__wire_client *client);

/** Send a response. @param bytes  with the CDR header */
sn__wire_result sn__wire_respond(sn__wire_service *service, const sn__wire_client *client,
                                 const void *bytes, size_t size);

SN_END_DECLS

#endif
