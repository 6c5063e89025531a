/** @file
 *  Internal: the component `ros1`: a running system as a node of a ROS 1 graph.
 *
 *  Outputs are topics, inputs without a writer are topics, operations are services; the types are
 *  those of the message descriptors. One thread serves the node and looks at the taps; services run
 *  in a few others. Nothing of it is on the real-time path but the copy that a tap costs. */
#ifndef SN_ROS1_BRIDGE_H
#define SN_ROS1_BRIDGE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ros1/graph_name.h"
#include "ros1/node.h"
#include "sinew/component.h"
#include "sinew/kin.h"
#include "sinew/model.h"
#include "sinew/msg_graph.h"
#include "sinew/tap.h"

typedef struct sn__bridge sn__bridge;

#define SN__BRIDGE_COUNTS 11

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
  sn__ros1_publication *topic;
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
  sn__ros1_subscription *topic;
  sn_source *source; /**< NULL while nobody publishes, or another writes to it */
  int64_t told_ns;   /**< when something was complained about */
} sn__bridge_input;

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
  sn__ros1_publication *joint_states, *tf;
  const void *pending;
  sn__throttle throttle;
  sn_kin_data *kin;
  double *q; /**< [pose size] */
  bool has_pose;
  sn_tf_message *frames;
} sn__bridge_robot;

struct sn__bridge {
  sn_component component;
  /* properties */
  const char *master_uri, *node_name, *space, *host, *joint_states;
  sn_texts remap, outputs, inputs, services, latched;
  double rate_Hz;
  int64_t queue;
  bool has_tf;
  sn_requester robot_model;

  /* from configure to cleanup */
  const sn_model *model;
  char name[SN__ROS1_NAME_SIZE], space_used[SN__ROS1_NAME_SIZE], host_used[SN__ROS1_NAME_SIZE];
  char master_used[SN__ROS1_NAME_SIZE];
  sn__graph_names names;

  /* from attend to leave */
  sn__ros1_node *node;
  sn_arena arena;
  bool has_thread;
  pthread_t thread;
  atomic_bool is_ending;
  int64_t wall_offset_ns; /**< wall clock less the clock of the system */
  sn__bridge_output *first_output;
  sn__bridge_input *first_input;
  sn__bridge_call *first_call;
  sn__bridge_robot robot;
  sn__bytes wire; /**< room for one message */
  _Atomic uint64_t refused_inputs;
  _Atomic uint64_t counts[SN__BRIDGE_COUNTS]; /**< as of the last round, for who asks */
};

/** Does `component.port` fit one of the patterns? `*` stands for anything. */
bool sn__bridge_fits(const sn_texts *patterns, const char *name);
/** The name in the graph of `component.port`. @return false if it is too long: told */
bool sn__bridge_name(const sn__bridge *bridge, const char *port, char *out, size_t size);
void sn__bridge_log(const sn__bridge *bridge, sn_log_level level, const char *format,
                    const char *first, const char *second);
/** May one more be sent? @param now_ns  monotonic */
bool sn__throttle_take(sn__throttle *throttle, double rate_Hz, int64_t now_ns);
/** Publish a message of a component, its stamp in the time of the graph. */
void sn__bridge_publish(sn__bridge *bridge, sn__ros1_publication *topic, const sn_msg_type *type,
                        const void *msg);

/* The parts; each `add` says what there is, before the node steps. */
sn_status sn__bridge_add_topics(sn__bridge *bridge, sn_error *err);
sn_status sn__bridge_add_services(sn__bridge *bridge, sn_error *err);
sn_status sn__bridge_add_arbiter(sn__bridge *bridge, sn_error *err);
sn_status sn__bridge_add_robot(sn__bridge *bridge, sn_error *err);

/** Look at the outputs. @return how long nothing is missed, ns */
int64_t sn__bridge_step_topics(sn__bridge *bridge, int64_t now_ns);
int64_t sn__bridge_step_robot(sn__bridge *bridge, int64_t now_ns);
void sn__bridge_close_topics(sn__bridge *bridge);
void sn__bridge_close_robot(sn__bridge *bridge);

extern const sn_operation sn__bridge_operations[]; /* bridge_state.c */

/** Keep the counts of the node for who asks. */
void sn__bridge_note_counts(sn__bridge *bridge);

/** Does the node @p caller speak in the name of this controller? */
bool sn__bridge_is_name_of(const char *controller, const char *caller);

#endif
