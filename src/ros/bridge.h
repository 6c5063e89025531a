/** @file
 *  Internal: a running system as a ROS 1 or ROS 2 node (ros_transport.h).
 *
 *  Outputs and unconnected inputs become topics, operations become services; types come from the
 *  message descriptors. One thread steps the node and reads the taps; services run in a thread
 *  pool. The only cost on the real-time path is the copy into a tap. */
#ifndef SN_ROS_BRIDGE_H
#define SN_ROS_BRIDGE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "msg/types/msg_graph.h"
#include "remote/remote_log.h"
#include "ros/graph_name.h"
#include "ros/ros_transport.h"
#include "sinew/component.h"
#include "sinew/kin.h"
#include "sinew/model.h"
#include "sinew/tap.h"

typedef struct sn__bridge sn__bridge;
typedef struct sn__bridge_action sn__bridge_action;
struct sn__node_interfaces;

#define SN__BRIDGE_COUNTS 10

/** Where the time of the graph comes from (node/graph_time.c). */
typedef enum sn__time_source {
  SN__TIME_WALL,
  SN__TIME_ROBOT,   /**< the robot's clock is not the real one: the node publishes it on /clock */
  SN__TIME_FOLLOWED /**< /clock, by the property use_sim_time */
} sn__time_source;

#define SN__BRIDGE_LOSSES_MAX 32

/** Token bucket: limits the message rate, allows short bursts. The last message is always sent. */
typedef struct sn__throttle {
  double tokens;
  int64_t filled_ns;
} sn__throttle;

typedef struct sn__bridge_output sn__bridge_output;

/** An output and its topic. */
struct sn__bridge_output {
  sn__bridge_output *next;
  sn__bridge *bridge;
  const char *port; /**< `component.port` */
  void *topic;
  sn_tap *tap;         /**< NULL without subscribers */
  const void *pending; /**< read, waiting for the rate limit */
  sn__throttle throttle;
  bool is_latched;
  bool has_failed; /**< the tap could not be opened; logged once */
  /* of an output that is published in another form; NULL: as it is */
  void (*convert)(sn__bridge_output *output, const void *msg);
  void *second_topic; /**< that `convert` publishes as well; may be NULL */
  void *data;
};

/** An input and its topic. */
typedef struct sn__bridge_input {
  struct sn__bridge_input *next;
  sn__bridge *bridge;
  const char *port;
  const sn_msg_type *type;
  void *topic;
  sn_source *source; /**< NULL without publishers, or if the port has another writer */
  int64_t taken_ns;  /**< arrival of the last message */
  sn_log_limit warnings;
  uint64_t dropped; /**< messages the component did not read in time */
  uint64_t lost;    /**< these plus those this thread did not take in time, as last reported */
} sn__bridge_input;

/** Messages lost by an input. Readable from any thread: a port name never changes once set. */
typedef struct sn__bridge_loss {
  char port[SN__GRAPH_NAME_SIZE];
  _Atomic uint64_t count;
} sn__bridge_loss;

/** An operation and its service. */
typedef struct sn__bridge_service {
  struct sn__bridge_service *next;
  sn__bridge *bridge;
  const char *operation; /**< `component.operation` */
} sn__bridge_service;

/** Joint states and frames; both come from the same output. */
typedef struct sn__bridge_robot {
  const char *port; /**< NULL: none */
  sn_tap *tap;
  bool has_failed;
  void *joint_states, *tf; /**< publications */
  const void *pending;
  sn__throttle throttle;
  sn_kin_data *kin;
  double *q; /**< [pose size] */
  bool has_pose;
  sn_tf_message *frames;
} sn__bridge_robot;

/** First member of the components `ros1` and `ros2`. */
struct sn__bridge {
  sn_component component;
  const sn__ros_transport *transport; /**< set by configure */
  /* properties */
  const char *node_name, *name_space, *joint_states, *odometry;
  const char *frame_prefix;
  sn_texts remap, outputs, inputs, services, latched;
  sn_texts best_effort; /**< ROS 2 only */
  double rate_Hz, feedback_rate_Hz, result_timeout_s;
  int64_t input_depth;
  bool has_tf;
  bool uses_sim_time; /**< ROS 2 only */
  sn_requester robot_model;

  /* from configure to cleanup */
  const sn_model *model;
  char name[SN__GRAPH_NAME_SIZE], name_space_used[SN__GRAPH_NAME_SIZE];
  sn__graph_names names;
  sn__remote_log *log; /**< last lines, for /rosout; NULL: none (ROS 1) */

  /* from on_system_started to on_system_stopping */
  void *node;
  size_t depth; /**< queued messages of an output */
  sn_arena arena;
  bool has_thread;
  pthread_t thread;
  atomic_bool is_stopping;
  sn__time_source time_source;
  _Atomic int64_t
      graph_offset_ns;          /**< time of the graph minus system time; services read it, too */
  _Atomic int64_t followed_ns;  /**< last time of /clock */
  _Atomic uint64_t clock_jumps; /**< times that /clock jumped back */
  sn_log_limit clock_warnings;
  void *clock_topic;
  int64_t clock_sent, clock_sent_ns;      /**< last time published on /clock, and when */
  struct sn__node_interfaces *interfaces; /**< NULL: none (ROS 1) */
  sn__bridge_output *first_output;
  sn__bridge_input *first_input;
  bool has_cmd_vel; /**< an input has the topic `cmd_vel` */
  sn__bridge_service *first_service;
  sn__bridge_action *first_action;
  sn__bridge_robot robot;
  sn__bytes encoded; /**< encoded message */
  _Atomic uint64_t refused_inputs;
  uint64_t dropped_inputs;                    /**< messages components did not read in time */
  atomic_bool is_connected, is_shut_down;     /**< as of the last step, for getState */
  _Atomic uint64_t counts[SN__BRIDGE_COUNTS]; /**< likewise */
  sn__bridge_loss losses[SN__BRIDGE_LOSSES_MAX];
  _Atomic size_t loss_count;
};

#define SN__BRIDGE_ANY "[\"*\"]"

/** Properties common to both components; @p type is the component struct, whose first member is
 *  `bridge`. */
#define SN__BRIDGE_PROPERTIES(type)                                                                \
  SN_PROPERTY(type, "node_name", bridge.node_name, .initial = "sinew",                             \
              .doc = "Name of the node, without its namespace."),                                  \
      SN_PROPERTY(type, "namespace", bridge.name_space,                                            \
                  .doc = "Prefix of relative names; empty: ROS_NAMESPACE, or /."),                 \
      SN_PROPERTY(type, "remap", bridge.remap, .doc = "Remapping rules: /from:=/to."),             \
      SN_PROPERTY(type, "outputs", bridge.outputs, .initial = SN__BRIDGE_ANY,                      \
                  .doc = "Ports to publish, as component.port; * matches anything."),              \
      SN_PROPERTY(type, "inputs", bridge.inputs, .initial = SN__BRIDGE_ANY,                        \
                  .doc = "Unconnected ports that nodes may write to."),                            \
      SN_PROPERTY(type, "services", bridge.services, .initial = SN__BRIDGE_ANY,                    \
                  .doc = "Operations and actions that nodes may call, as component.operation."),   \
      SN_PROPERTY(type, "latched", bridge.latched,                                                 \
                  .initial =                                                                       \
                      "[\"*.out_joints_src_reset\", \"*.assignment\", \"*.servo_model\", "         \
                      "\"*.world\"]",                                                              \
                  .doc = "Ports whose last message is sent to late subscribers."),                 \
      SN_PROPERTY(type, "rate", bridge.rate_Hz, .initial = "100", .unit = "Hz", .min = 0,          \
                  .max = 1e6, .doc = "Highest message rate of a topic; 0: unlimited."),            \
      SN_PROPERTY(type, "feedback_rate", bridge.feedback_rate_Hz, .initial = "20", .unit = "Hz",   \
                  .min = 0, .max = 1e6, .doc = "Feedback rate of an action; 0: every cycle."),     \
      SN_PROPERTY(type, "result_timeout", bridge.result_timeout_s, .initial = "10", .unit = "s",   \
                  .min = 0, .max = 86400, .doc = "How long the result of an ended goal is kept."), \
      SN_PROPERTY(type, "input_depth", bridge.input_depth, .unit = "messages", .initial = "1000",  \
                  .min = 1, .max = 10000,                                                          \
                  .doc = "Queued messages of a subscribed topic; the oldest are dropped."),        \
      SN_PROPERTY(type, "joint_states", bridge.joint_states,                                       \
                  .doc =                                                                           \
                      "Source of joint_states and tf; empty: measured joints, otherwise "          \
                      "commanded ones; none: publish neither."),                                   \
      SN_PROPERTY(type, "odometry", bridge.odometry,                                               \
                  .doc =                                                                           \
                      "Source of odom and of the frame of the base; empty: the output out_base "   \
                      "of state_estimator, otherwise of another component; none: neither."),       \
      SN_PROPERTY(type, "tf", bridge.has_tf, .initial = "true",                                    \
                  .doc = "Publish frames on /tf and /tf_static, as robot_state_publisher does."),  \
      SN_PROPERTY(type, "frame_prefix", bridge.frame_prefix,                                       \
                  .doc =                                                                           \
                      "Put in front of the names of frames on /tf, /tf_static and odom, such as "  \
                      "robot1/.")

/** The component type; configure() and on_system_started() are static functions of the file. */
#define SN__BRIDGE_COMPONENT(type, type_name, type_doc, type_example)                              \
  {                                                                                                \
    .abi = SN_COMPONENT_ABI, .name = (type_name), .doc = (type_doc), .size = sizeof(type),         \
    .properties = properties, .needs = sn__bridge_needs, .operations = sn__bridge_operations,      \
    .configure = configure, .cleanup = sn__bridge_cleanup, .on_system_started = on_system_started, \
    .on_system_stopping = sn__bridge_on_system_stopping, .example = (type_example)                 \
  }

/* ---- for the hooks of the component ---- */

extern const sn_need sn__bridge_needs[];
/** The property if set, otherwise the environment variable, otherwise @p fallback. */
const char *sn__bridge_choose(const char *set, const char *variable, const char *fallback);
/** @return SN_ELIMIT if @p text does not fit */
sn_status sn__bridge_copy(const char *what, const char *text, char *out, size_t size,
                          sn_error *err);
sn_status sn__bridge_configure(sn__bridge *bridge, const sn__ros_transport *transport,
                               sn_error *err);
void sn__bridge_cleanup(sn_component *component);
/** Start the node. @param node  owned by the bridge, even on failure
 *  @param depth  queued messages of an output; the oldest are dropped */
sn_status sn__bridge_start(sn__bridge *bridge, void *node, size_t depth, sn_error *err);
void sn__bridge_on_system_stopping(sn_component *component);
/** Log function for nodes. @param context  the bridge */
void sn__bridge_node_log(void *context, sn_log_level level, const char *text, const char *about);

/* ---- for the other files of the bridge ---- */

/** Whether `component.port` matches one of the patterns; `*` matches anything. */
bool sn__bridge_matches(const sn_texts *patterns, const char *name);
/** The name of `component.port` in the graph. @return false if it is too long, which is logged */
bool sn__bridge_name(const sn__bridge *bridge, const char *port, char *out, size_t size);
/** Hold the system in the node's thread. That thread also receives emergency stops, so it waits at
 *  most 20 ms. @return false if the system is held by others */
bool sn__bridge_hold(const sn__bridge *bridge);
void sn__bridge_release(const sn__bridge *bridge);
/** Open a caller the same way. @return as sn_caller_open(); SN_EBUSY: the system is held */
sn_status sn__bridge_open_caller(const sn__bridge *bridge, const char *operation, sn_caller *caller,
                                 sn_error *err);
void sn__bridge_log(const sn__bridge *bridge, sn_log_level level, const char *format,
                    const char *first, const char *second);
/** Set the name of a frame, with the prefix. @return as sn_msg_text_set() */
sn_status sn__bridge_set_frame(const sn__bridge *bridge, sn_msg_text *out, const char *frame);
/** Whether one more message may be sent now. @param now_ns  monotonic */
bool sn__throttle_take(sn__throttle *throttle, double rate_Hz, int64_t now_ns);
/** Encode a message. @return the bytes, valid until the next call; NULL: out of memory, or the
 *  message cannot be encoded */
const void *sn__bridge_encode(sn__bridge *bridge, const sn_msg_type *type, const void *msg,
                              size_t *size);
/** Advertise a topic under its name in the graph. @return NULL: out of memory, or the name is too
 *  long */
void *sn__bridge_advertise(sn__bridge *bridge, const char *topic, const sn_msg_type *type,
                           bool is_latched);
/** Publish a message; the stamp of its header is converted from system time to that of the graph.
 */
void sn__bridge_publish(sn__bridge *bridge, void *topic, const sn_msg_type *type, const void *msg);

/** The time of the graph at a time of the system; at least 1 ns, since 0 means none.
 *  Threads: any. */
int64_t sn__bridge_graph_time(const sn__bridge *bridge, int64_t system_ns);
int64_t sn__bridge_graph_now(const sn__bridge *bridge);

/* Each `add` registers its topics and services before the first step of the node. */
sn_status sn__bridge_add_time(sn__bridge *bridge, sn_error *err);
sn_status sn__bridge_add_topics(sn__bridge *bridge, sn_error *err);
/** Publish an output on a topic; the caller may set `is_latched` and the members of a conversion.
 *  @param topic  NULL: out of memory. @return NULL: out of memory */
sn__bridge_output *sn__bridge_add_port_topic(sn__bridge *bridge, const char *port, void *topic);
sn_status sn__bridge_add_base(sn__bridge *bridge, sn_error *err);
sn_status sn__bridge_add_services(sn__bridge *bridge, sn_error *err);
sn_status sn__bridge_add_actions(sn__bridge *bridge, sn_error *err);
sn_status sn__bridge_add_arbiter(sn__bridge *bridge, sn_error *err);
/** Publish the current table of owners: it was written before the taps were open. */
void sn__bridge_publish_owners(sn__bridge *bridge);
sn_status sn__bridge_add_robot(sn__bridge *bridge, sn_error *err);

/** Publish new messages. @return time until the next call, ns */
int64_t sn__bridge_step_topics(sn__bridge *bridge, int64_t now_ns);
int64_t sn__bridge_step_time(sn__bridge *bridge, int64_t now_ns);
int64_t sn__bridge_step_robot(sn__bridge *bridge, int64_t now_ns);
int64_t sn__bridge_step_actions(sn__bridge *bridge, int64_t now_ns);
void sn__bridge_close_topics(sn__bridge *bridge);
void sn__bridge_close_robot(sn__bridge *bridge);
void sn__bridge_close_actions(sn__bridge *bridge);

extern const sn_operation sn__bridge_operations[]; /* bridge_state.c */

/** Copy the node's counters to where getState reads them. */
void sn__bridge_update_counts(sn__bridge *bridge);
/** Record the messages an input has lost so far, for up to SN__BRIDGE_LOSSES_MAX inputs. */
void sn__bridge_record_loss(sn__bridge *bridge, const char *port, uint64_t count);
void sn__bridge_reset_losses(sn__bridge *bridge);

/** Whether @p controller is the base name of the node @p caller. */
bool sn__bridge_is_base_name(const char *controller, const char *caller);

#endif
