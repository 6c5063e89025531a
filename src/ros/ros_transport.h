/** @file
 *  Internal: the interface between the bridge and a ROS 1 or ROS 2 node. Nodes, topics and services
 *  are opaque pointers of the implementation; messages are encoded bytes.
 *
 *  All functions run in the thread that steps the node, unless stated otherwise. */
#ifndef SN_ROS_ROS_TRANSPORT_H
#define SN_ROS_ROS_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "msg/wire/service_types.h"
#include "ros/bytes.h"
#include "sinew/msg.h"
#include "sinew/status.h"

/* ---- time ----
 *
 * A ROS graph uses the wall clock or /clock, components use system time; the bridge converts. */

/** Wall clock, nanoseconds since 1970. */
int64_t sn__wall_now_ns(void);
/** Monotonic clock, for timeouts. */
int64_t sn__monotonic_now_ns(void);
/** Add @p offset_ns to all times of a message, also inside its parts. A zero time stays zero. */
void sn__times_shift(const sn_msg_type *type, void *msg, int64_t offset_ns);

/* ---- nodes ---- */

/** Receives a message from the node @p caller, which is empty if unknown. */
typedef void sn__ros_on_message(void *context, const char *caller, const void *bytes, size_t size);

/** Serves a request in a pool thread; may block. Writes the response to @p response. */
typedef sn_status sn__ros_serve(void *context, const char *caller, const void *request, size_t size,
                                sn__bytes *response, sn_error *err);

/** Runs when a request of an urgent service arrives, in the node's thread, before it is queued for
 *  the pool. */
typedef void sn__ros_on_arrival(void *context, const char *caller);

/** Receives a request that respond() or reject() answers now or later; @p call is valid until then.
 *  In the node's thread. */
typedef void sn__ros_on_request(void *context, void *call, const char *caller, const void *request,
                                size_t size);

typedef struct sn__ros_counts {
  bool is_connected;       /**< to the graph */
  bool is_shut_down;       /**< shut down by the master or a user, not registered any more */
  uint64_t losses;         /**< times the graph was lost */
  uint64_t sent, received; /**< topic messages */
  uint64_t calls;          /**< service calls */
  uint64_t dropped;        /**< messages not delivered to slow subscribers */
  uint64_t lost;           /**< messages and requests that were not read in time */
  uint64_t refused;        /**< peers with invalid data */
  uint64_t timed_out;      /**< peers that timed out */
  uint64_t subscribers, publishers; /**< currently connected */
} sn__ros_counts;

typedef struct sn__ros_transport {
  /** Unregister, waiting at most @p patience_ns, then close everything. NULL is allowed. */
  void (*destroy)(void *node, int64_t patience_ns);

  /* ---- setup, before the first step. Names are copied; NULL or false: out of memory ---- */
  /** @param kept  messages that late subscribers get; more than one in ROS 2 only */
  void *(*advertise)(void *node, const char *topic, const sn_msg_type *type, size_t kept);
  /** @param is_best_effort  accept publishers that do not repeat lost messages as well; ROS 2 only
   */
  void *(*subscribe)(void *node, const char *topic, const sn_msg_type *type, bool is_best_effort,
                     sn__ros_on_message *on_message, void *context);
  /** @param type  such as `std_srvs/SetBool`; request, response: NULL if empty
   *  @param on_arrival  NULL if the service is not urgent */
  bool (*add_service)(void *node, const char *name, const char *type, const sn_msg_type *request,
                      const sn_msg_type *response, sn__ros_serve *serve,
                      sn__ros_on_arrival *on_arrival, void *context);
  /** As offer(), for a service that responds later. NULL: not supported, and actions use topics.
   *  @param type  also such as `control_msgs/action/FollowJointTrajectory_SendGoal` */
  bool (*add_deferred_service)(void *node, const char *name, const char *type,
                               const sn_msg_type *request, const sn_msg_type *response,
                               sn__ros_on_request *on_request, void *context);
  /** The types of a service that was added. NULL: not supported.  Threads: any, after the setup.
   *  @param name  of one of its types: `std_srvs/srv/SetBool`, `std_srvs/srv/SetBool_Event`, …
   *  @return whether there is such a service */
  bool (*find_service)(const void *node, const char *name, sn__service_types *out);
  /** Set a parameter in the graph. NULL: not supported. */
  bool (*set_parameter)(void *node, const char *name, const char *value);
  /** Setup is complete: announce the node. NULL: not needed. */
  sn_status (*announce)(void *node, sn_error *err);

  /* ---- while it runs ---- */
  /** Wait at most @p timeout_ns for events, then handle them. */
  void (*step)(void *node, int64_t timeout_ns);
  /** Wake step(). Threads: any. */
  void (*wake)(void *node);
  /** Time of the last step, monotonic. */
  int64_t (*now_ns)(const void *node);
  size_t (*subscriber_count)(const void *publication);
  size_t (*publisher_count)(const void *subscription);
  /** Messages that were not read in time. NULL: none are lost. */
  uint64_t (*lost)(const void *subscription);
  /** @param stamp_ns  replaces the stamp of the header; 0: keep it */
  void (*publish)(void *publication, const void *bytes, size_t size, int64_t stamp_ns);
  /** @param bytes  the response */
  void (*respond)(void *call, const void *bytes, size_t size);
  /** End a call without a response and log the reason. */
  void (*reject)(void *call, const char *why);
  sn__ros_counts (*counts)(const void *node);

  /* ---- encoding: as sn_cdr_write(), sn_cdr_read() and sn_cdr_make() ---- */
  sn_status (*write)(const sn_msg_type *type, const void *msg, void *out, size_t size,
                     size_t *written);
  sn_status (*read)(const sn_msg_type *type, const void *bytes, size_t size, void *msg,
                    sn_error *err);
  sn_status (*make)(const sn_msg_type *type, const void *bytes, size_t size, sn_arena *arena,
                    void **out, sn_error *err);
} sn__ros_transport;

#endif
