/** @file
 *  Internal: a running system as a node of a graph of ROS, 1 or 2 (face.h).
 *
 *  Outputs are topics, inputs without a writer are topics, operations are services; the types are
 *  those of the message descriptors. One thread serves the node and looks at the taps; services run
 *  in a few others. Nothing of it is on the real-time path but the copy that a tap costs. */
#ifndef SN_ROS_BRIDGE_H
#define SN_ROS_BRIDGE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ros/graph_name.h"
#include "ros/ros_transport.h"
#include "sinew/component.h"
#include "sinew/kin.h"
#include "sinew/model.h"
#include "sinew/msg_graph.h"
#include "sinew/tap.h"

typedef struct sn__bridge sn__bridge;
typedef struct sn__bridge_action sn__bridge_action;

#define SN__BRIDGE_COUNTS 12
#define SN__BRIDGE_LOSSES_MAX 32

/** At most so many messages a second, but a few in a row pass at once; the last always gets out. */
typedef struct sn__throttle {
  double tokens;
  int64_t filled_ns;
} sn__throttle;

/** An output and its topic. */
typedef struct sn__bridge_output {
  struct sn__bridge_output *next;
  sn__bridge *bridge;
  const char *port; /**< `component.port` */
  void *topic;
  sn_tap *tap;         /**< NULL while nobody listens */
  const void *pending; /**< read, but too early to be sent */
  sn__throttle throttle;
  bool is_latched;
  bool is_broken; /**< the tap could not be opened: told once */
} sn__bridge_output;

/** An input and its topic. */
typedef struct sn__bridge_input {
  struct sn__bridge_input *next;
  sn__bridge *bridge;
  const char *port;
  const sn_msg_type *type;
  void *topic;
  sn_source *source; /**< NULL while nobody publishes, or another writes to it */
  int64_t taken_ns;  /**< when the last message came */
  int64_t told_ns;   /**< when something was complained about */
  uint64_t dropped;  /**< messages that the component did not read in time */
  uint64_t lost;     /**< these, and those that this thread did not take in time; as told */
} sn__bridge_input;

/** What an input has lost, for who asks in any thread: names stay, once they are there. */
typedef struct sn__bridge_loss {
  char port[SN__GRAPH_NAME_SIZE];
  _Atomic uint64_t count;
} sn__bridge_loss;

/** An operation and its service. */
typedef struct sn__bridge_call {
  struct sn__bridge_call *next;
  sn__bridge *bridge;
  const char *operation; /**< `component.operation` */
} sn__bridge_call;

/** Joint states and frames, which come from the same output. */
typedef struct sn__bridge_robot {
  const char *port; /**< NULL: there is none */
  sn_tap *tap;
  bool is_broken;
  void *joint_states, *tf; /**< publications */
  const void *pending;
  sn__throttle throttle;
  sn_kin_data *kin;
  double *q; /**< [pose size] */
  bool has_pose;
  sn_tf_message *frames;
} sn__bridge_robot;

/** The first member of a component that is a node. */
struct sn__bridge {
  sn_component component;
  const sn__graph_face *face; /**< set when it is configured */
  /* properties */
  const char *node_name, *space, *joint_states;
  sn_texts remap, outputs, inputs, services, latched;
  double rate_Hz, feedback_rate_Hz, result_timeout_s;
  int64_t input_depth;
  bool has_tf;
  sn_requester robot_model;

  /* from configure to cleanup */
  const sn_model *model;
  char name[SN__GRAPH_NAME_SIZE], space_used[SN__GRAPH_NAME_SIZE];
  sn__graph_names names;

  /* from attend to leave */
  void *node;
  size_t depth; /**< messages of an output that wait for this thread at most */
  sn_arena arena;
  bool has_thread;
  pthread_t thread;
  atomic_bool is_ending;
  int64_t wall_offset_ns; /**< wall clock less the clock of the system */
  sn__bridge_output *first_output;
  sn__bridge_input *first_input;
  sn__bridge_call *first_call;
  sn__bridge_action *first_action;
  sn__bridge_robot robot;
  sn__bytes wire; /**< room for one message */
  _Atomic uint64_t refused_inputs;
  uint64_t dropped_inputs;                    /**< messages that components did not read in time */
  _Atomic uint64_t counts[SN__BRIDGE_COUNTS]; /**< as of the last round, for who asks */
  sn__bridge_loss losses[SN__BRIDGE_LOSSES_MAX];
  _Atomic size_t loss_count;
};

#define SN__BRIDGE_ANY "[\"*\"]"

/** The properties that every such component has; @p type is its struct, whose first member is
 *  `bridge`. */
#define SN__BRIDGE_PROPERTIES(type)                                                               \
  SN_PROPERTY(type, "node_name", bridge.node_name, .initial = "sinew",                            \
              .doc = "Name of the node, without its namespace."),                                 \
      SN_PROPERTY(type, "namespace", bridge.space,                                                \
                  .doc = "What relative names stand behind; empty: ROS_NAMESPACE, or /."),        \
      SN_PROPERTY(type, "remap", bridge.remap, .doc = "Other names: /from:=/to."),                \
      SN_PROPERTY(type, "outputs", bridge.outputs, .initial = SN__BRIDGE_ANY,                     \
                  .doc = "Ports that are published, as component.port; * stands for anything."),  \
      SN_PROPERTY(type, "inputs", bridge.inputs, .initial = SN__BRIDGE_ANY,                       \
                  .doc = "Ports without a writer that nodes may write to."),                      \
      SN_PROPERTY(type, "services", bridge.services, .initial = SN__BRIDGE_ANY,                   \
                  .doc = "Operations that nodes may call, as component.operation, and actions."), \
      SN_PROPERTY(type, "latched", bridge.latched,                                                \
                  .initial = "[\"*.out_joints_src_reset\", \"*.assignment\", \"*.servo_model\"]", \
                  .doc = "Ports whose last message is sent to those who come later."),            \
      SN_PROPERTY(type, "rate", bridge.rate_Hz, .initial = "100", .unit = "Hz", .min = 0,         \
                  .max = 1e6, .doc = "At most so many messages of a topic; 0: all."),             \
      SN_PROPERTY(type, "feedback_rate", bridge.feedback_rate_Hz, .initial = "20", .unit = "Hz",  \
                  .min = 0, .max = 1e6,                                                           \
                  .doc = "How often an action tells how it goes; 0: always."),                    \
      SN_PROPERTY(type, "result_timeout", bridge.result_timeout_s, .initial = "10", .unit = "s",  \
                  .min = 0, .max = 86400,                                                         \
                  .doc = "How long the result of a goal that has ended is kept."),                \
      SN_PROPERTY(type, "input_depth", bridge.input_depth, .initial = "1000", .min = 1,           \
                  .max = 10000,                                                                   \
                  .doc = "Messages of a topic that wait to be read; then the oldest go."),        \
      SN_PROPERTY(type, "joint_states", bridge.joint_states,                                      \
                  .doc =                                                                          \
                      "Output that joint_states and tf come from; empty: what is measured, or "   \
                      "else commanded; none: neither is published."),                             \
      SN_PROPERTY(type, "tf", bridge.has_tf, .initial = "true",                                   \
                  .doc = "Publish frames on /tf and /tf_static, as robot_state_publisher does.")

/** The component itself: its struct, whose first member is `bridge`; its hooks are static. */
#define SN__BRIDGE_COMPONENT(type, type_name, type_doc)                                       \
  {                                                                                           \
    .abi = SN_COMPONENT_ABI, .name = (type_name), .doc = (type_doc), .size = sizeof(type),    \
    .properties = properties, .needs = sn__bridge_needs, .operations = sn__bridge_operations, \
    .configure = configure, .cleanup = sn__bridge_cleanup, .attend = attend,                  \
    .leave = sn__bridge_leave                                                                 \
  }

/* ---- for the hooks of the component ---- */

extern const sn_need sn__bridge_needs[];
/** What a property says, or else the environment, or else @p otherwise. */
const char *sn__bridge_choose(const char *set, const char *variable, const char *otherwise);
/** @return SN_ELIMIT if @p text does not fit */
sn_status sn__bridge_copy(const char *what, const char *text, char *out, size_t size,
                          sn_error *err);
sn_status sn__bridge_configure(sn__bridge *bridge, const sn__graph_face *face, sn_error *err);
void sn__bridge_cleanup(sn_component *component);
/** Is there a graph to wait for? If the clock is simulated there is not: told. */
bool sn__bridge_has_graph(const sn__bridge *bridge);
/** Let the node live. @param node  belongs to the bridge, also if it fails
 *  @param depth  messages of an output that wait before the oldest go */
sn_status sn__bridge_begin(sn__bridge *bridge, void *node, size_t depth, sn_error *err);
void sn__bridge_leave(sn_component *component);
/** For nodes: tell a person. @param context  the bridge */
void sn__bridge_log_of_node(void *context, sn_log_level level, const char *text, const char *about);

/* ---- for its parts ---- */

/** Does `component.port` fit one of the patterns? `*` stands for anything. */
bool sn__bridge_fits(const sn_texts *patterns, const char *name);
/** The name in the graph of `component.port`. @return false if it is too long: told */
bool sn__bridge_name(const sn__bridge *bridge, const char *port, char *out, size_t size);
/** Hold the system, in the thread that steps the node. That thread hears of emergency stops: so it
 *  waits 20 ms at most for others that hold the system. @return false: not now */
bool sn__bridge_hold(const sn__bridge *bridge);
void sn__bridge_release(const sn__bridge *bridge);
/** Open a caller in that way. @return as sn_caller_open(); SN_EBUSY: others hold the system */
sn_status sn__bridge_open_caller(const sn__bridge *bridge, const char *operation, sn_caller *caller,
                                 sn_error *err);
void sn__bridge_log(const sn__bridge *bridge, sn_log_level level, const char *format,
                    const char *first, const char *second);
/** May one more be sent? @param now_ns  monotonic */
bool sn__throttle_take(sn__throttle *throttle, double rate_Hz, int64_t now_ns);
/** The bytes of a message, until the next. @return NULL: no memory, or it holds what the wire
 * cannot */
const void *sn__bridge_encode(sn__bridge *bridge, const sn_msg_type *type, const void *msg,
                              size_t *size);
/** Publish a message of a component, its stamp in the time of the graph. */
void sn__bridge_publish(sn__bridge *bridge, void *topic, const sn_msg_type *type, const void *msg);

/* The parts; each `add` says what there is, before the node steps. */
sn_status sn__bridge_add_topics(sn__bridge *bridge, sn_error *err);
sn_status sn__bridge_add_services(sn__bridge *bridge, sn_error *err);
sn_status sn__bridge_add_actions(sn__bridge *bridge, sn_error *err);
sn_status sn__bridge_add_arbiter(sn__bridge *bridge, sn_error *err);
/** Publish the table of owners as it is: it was written before anybody could listen. */
void sn__bridge_tell_owners(sn__bridge *bridge);
sn_status sn__bridge_add_robot(sn__bridge *bridge, sn_error *err);

/** Look at the outputs. @return how long nothing is missed, ns */
int64_t sn__bridge_step_topics(sn__bridge *bridge, int64_t now_ns);
int64_t sn__bridge_step_robot(sn__bridge *bridge, int64_t now_ns);
int64_t sn__bridge_step_actions(sn__bridge *bridge, int64_t now_ns);
void sn__bridge_close_topics(sn__bridge *bridge);
void sn__bridge_close_robot(sn__bridge *bridge);
void sn__bridge_close_actions(sn__bridge *bridge);

extern const sn_operation sn__bridge_operations[]; /* bridge_state.c */

/** Keep the counts of the node for who asks. */
void sn__bridge_note_counts(sn__bridge *bridge);
/** An input has lost so many messages by now; of SN__BRIDGE_LOSSES_MAX inputs it is kept. */
void sn__bridge_note_loss(sn__bridge *bridge, const char *port, uint64_t count);
/** Nothing was lost yet. */
void sn__bridge_forget_losses(sn__bridge *bridge);

/** Does the node @p caller speak in the name of this controller? */
bool sn__bridge_is_name_of(const char *controller, const char *caller);

#endif
