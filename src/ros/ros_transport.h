/** @file
 *  Internal: what a bridge asks of a node, be it one of ROS 1 or of ROS 2. Nodes, topics and
 * services are whatever the implementation makes of them; messages are bytes on its wire.
 *
 *  All functions are for the one thread that steps the node, but where it says otherwise. */
#ifndef SN_ROS_ROS_TRANSPORT_H
#define SN_ROS_ROS_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ros/bytes.h"
#include "sinew/msg.h"
#include "sinew/status.h"

/** A message came from the node @p caller; empty: the graph does not know whose it is. */
typedef void sn__graph_take(void *context, const char *caller, const void *bytes, size_t size);

/** Do what is asked; in a thread of a pool, and it may wait. Put the response into @p response. */
typedef sn_status sn__graph_serve(void *context, const char *caller, const void *request,
                                  size_t size, sn__bytes *response, sn_error *err);

/** A request came from the node @p caller; in the thread that steps the node, before it is served:
 *  what cannot wait for a thread of the pool is done here. */
typedef void sn__graph_hear(void *context, const char *caller);

/** Somebody asks, and is answered by answer() or refuse(), now or later: @p call is his until then.
 * In the thread that steps the node. */
typedef void sn__graph_ask(void *context, void *call, const char *caller, const void *request,
                           size_t size);

typedef struct sn__graph_counts {
  bool is_connected;       /**< to the graph */
  bool is_shut_down;       /**< by a user of the graph: it keeps away from it */
  uint64_t losses;         /**< how often the graph was gone */
  uint64_t sent, received; /**< messages of topics */
  uint64_t calls;          /**< of services */
  uint64_t dropped;        /**< messages that slow subscribers did not get */
  uint64_t lost;           /**< messages and requests that came, but were not taken in time */
  uint64_t refused;        /**< peers that said nonsense */
  uint64_t timed_out;      /**< or nothing */
  size_t subscribers, publishers; /**< connected now */
} sn__graph_counts;

typedef struct sn__graph_face {
  /** Say goodbye for as long as @p patience_ns, then close everything. NULL is allowed. */
  void (*destroy)(void *node, int64_t patience_ns);

  /* ---- what it has: before the first step. Names are copied; NULL or false: no memory ---- */
  void *(*advertise)(void *node, const char *topic, const sn_msg_type *type, bool is_latched);
  void *(*subscribe)(void *node, const char *topic, const sn_msg_type *type, sn__graph_take *take,
                     void *context);
  /** @param type  such as `std_srvs/SetBool`; request, response: NULL where there is nothing
   *  @param hear  NULL: there is no hurry */
  bool (*offer)(void *node, const char *name, const char *type, const sn_msg_type *request,
                const sn_msg_type *response, sn__graph_serve *serve, sn__graph_hear *hear,
                void *context);
  /** As offer(), of a service that may take its time. NULL: the graph has none, and its actions are
   *  made of topics. @param type  also such as `control_msgs/action/FollowJointTrajectory_SendGoal`
   */
  bool (*offer_late)(void *node, const char *name, const char *type, const sn_msg_type *request,
                     const sn_msg_type *response, sn__graph_ask *ask, void *context);
  /** A text that the graph keeps. NULL: the graph keeps none. */
  bool (*set_parameter)(void *node, const char *name, const char *value);
  /** All is said. NULL: nothing to do. */
  sn_status (*announce)(void *node, sn_error *err);

  /* ---- while it lives ---- */
  /** One round: wait for at most @p timeout_ns, then let everything move. */
  void (*step)(void *node, int64_t timeout_ns);
  /** End the wait. Threads: any. */
  void (*wake)(void *node);
  /** Monotonic, of the last round. */
  int64_t (*now_ns)(const void *node);
  size_t (*subscriber_count)(const void *publication);
  size_t (*publisher_count)(const void *subscription);
  /** Messages of it that were not taken in time. NULL: the graph keeps them. */
  uint64_t (*lost)(const void *subscription);
  /** @param stamp_ns  0: as it is; else what the stamp of its header becomes */
  void (*publish)(void *publication, const void *bytes, size_t size, int64_t stamp_ns);
  /** @param bytes  the response */
  void (*answer)(void *call, const void *bytes, size_t size);
  /** There will be no answer, for this reason. */
  void (*refuse)(void *call, const char *why);
  sn__graph_counts (*counts)(const void *node);

  /* ---- its wire: as sn_cdr_write(), sn_cdr_read() and sn_cdr_make() ---- */
  sn_status (*write)(const sn_msg_type *type, const void *msg, void *out, size_t size,
                     size_t *written);
  sn_status (*read)(const sn_msg_type *type, const void *bytes, size_t size, void *msg,
                    sn_error *err);
  sn_status (*make)(const sn_msg_type *type, const void *bytes, size_t size, sn_arena *arena,
                    void **out, sn_error *err);
} sn__graph_face;

#endif
