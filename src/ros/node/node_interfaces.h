/** @file
 *  Internal: what every node of ROS 2 offers besides its own topics and services: parameters, its
 *  log, diagnostics, descriptions of its types; and the controller manager, by which MoveIt finds
 *  the controllers. */
#ifndef SN_ROS_NODE_NODE_INTERFACES_H
#define SN_ROS_NODE_NODE_INTERFACES_H

#include "msg/node/parameter_msgs.h"
#include "ros/bridge.h"

/* ---- responses ---- */

/** A response that is being written. Its texts and lists are in the arena; `is_out_of_memory` is
 *  checked once, at the end. */
typedef struct sn__node_answer {
  sn__bridge *bridge;
  sn_arena *arena;
  bool is_out_of_memory;
} sn__node_answer;

/** Memory for @p count zeroed items; NULL: out of memory. */
void *sn__answer_alloc(sn__node_answer *answer, size_t count, size_t size);
sn_msg_text sn__answer_text(sn__node_answer *answer, const char *text);
/** An empty list with room for @p count names of @p text_size bytes in all, with their NULs. */
sn_msg_names sn__answer_names(sn__node_answer *answer, size_t count, size_t text_size);

/** Fill @p response, which starts as zeros. @param request  NULL: of a service without one
 *  @return a failure ends the call without a response, which is logged */
typedef sn_status sn__node_respond(sn__node_answer *answer, const void *request, void *response,
                                   sn_error *err);

typedef struct sn__node_service {
  const char *name; /**< below the node, or with a leading slash */
  const char *type; /**< `rcl_interfaces/ListParameters` */
  const sn_msg_type *request, *response;
  sn__node_respond *respond;
} sn__node_service;

/** Offer services; the table is constant. */
sn_status sn__node_add_services(sn__bridge *bridge, const sn__node_service *services, size_t count,
                                sn_error *err);

/* ---- parts ---- */

struct sn__node_interfaces {
  void *rosout, *parameter_events, *diagnostics; /**< topics */
  uint64_t next_line;                            /**< of the log */
  uint64_t published_change;                     /**< sn__system_change() of the last event */
  int64_t diagnosed_ns;                          /**< last message */
  bool has_diagnosed;
  char hardware_id[SN__GRAPH_NAME_SIZE];
};

/** Topics and services, before the first step of the node. */
sn_status sn__node_add(sn__bridge *bridge, sn_error *err);
/** Publish what is due. @return time until the next call, ns */
int64_t sn__node_step(sn__bridge *bridge, int64_t now_ns);
void sn__node_close(sn__bridge *bridge);

/* rosout.c */
sn_status sn__node_add_rosout(sn__bridge *bridge, sn_error *err);
void sn__node_publish_log(sn__bridge *bridge);

/* parameter_services.c */
sn_status sn__node_add_parameters(sn__bridge *bridge, sn_error *err);

/* parameter_events.c */
sn_status sn__node_add_parameter_events(sn__bridge *bridge, sn_error *err);
/** Tell the graph what has changed since the last call. */
void sn__node_publish_parameters(sn__bridge *bridge);

/* diagnostics.c */
sn_status sn__node_add_diagnostics(sn__bridge *bridge, sn_error *err);
void sn__node_publish_diagnostics(sn__bridge *bridge, int64_t now_ns);

/* type_descriptions.c */
sn_status sn__node_add_type_descriptions(sn__bridge *bridge, sn_error *err);

/* controller_manager.c */
sn_status sn__node_add_controller_manager(sn__bridge *bridge, sn_error *err);

#endif
