/** @file
 *  A controller of your own: a component that asks for limbs and commands their joints.
 *  `examples/06_controller.c` is one to copy; docs/your-own-controller.md explains it.
 *
 *  `sn_controller` is the first member of the controller's struct. It gives the component its
 *  properties, ports and operations (`setOperational` among them, so the cockpit lists it), reads
 *  the pose of the robot, asks for limbs, and publishes a reference for every joint that it owns.
 *  A joint that the controller does not set stays where it was when it was acquired.
 *
 *  A controller, `resources_control` and the aggregator run in one activity: asking is a call, and
 *  what is granted is owned in this very step. What a controller gives up or loses remains its own
 *  until the end of the cycle, so every joint has one reference in every cycle. */
#ifndef SINEW_CONTROLLER_H
#define SINEW_CONTROLLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/component.h"
#include "sinew/components.h"
#include "sinew/model.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_types.h"
#include "sinew/property.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

struct sn_consumer;
struct sn__name_map;
struct sn__resource_map;

/** What a controller adds; each may be NULL. They run in the component's thread. */
typedef struct sn_controller_hooks {
  /** In configure, when the model is known: find joints, take memory, check properties. */
  sn_status (*create)(sn_component *component, sn_error *err);
  /** May it ask for limbs now? The default: as soon as a pose has arrived. */
  sn_status (*can_take)(const sn_component *component, sn_error *err);
  /** It gained or lost joints: `owned` is up to date, and `q` of a gained joint is its pose.
   *  @param had  [joint_count] what it owned before.  Real-time. */
  void (*owned_changed)(sn_component *component, const bool *had);
} sn_controller_hooks;

/** First member of a controller's struct. Joints are in the order of the sorted pose
 *  (sn_model_joint()). */
typedef struct sn_controller {
  sn_component component;

  /* Properties. */
  sn_texts controlled_chains;
  bool stay_operational, start_operational;
  int64_t priority;

  /* Ports and needs. */
  sn_input sync, in_joints_sorted;
  sn_output out_joints_ref, ref_support;
  sn_requester robot_model, arbiter;

  /* To read, from the hook `create` on. */
  const sn_model *model;
  size_t joint_count;
  const bool *owned;                  /**< [joint_count] the joints that it may command now */
  const double *pose, *pose_velocity; /**< [joint_count] what the robot is commanded */
  bool has_pose;                      /**< a complete pose has arrived since the start */
  int64_t now_ns;                     /**< of this step */

  /* To write: the command. */
  double *q, *qd;    /**< [joint_count] of owned joints; kept from step to step */
  bool has_velocity; /**< publish `qd` as well; set it in `create` */

  /* Private. */
  const sn_controller_hooks *hooks;
  const struct sn__resource_map *map;
  struct sn_consumer *consumer;
  struct sn__name_map *names; /**< of `in_joints_sorted` */
  bool *had;                  /**< [joint_count] */
  bool keep_subset;           /**< `stay_operational`, as it was configured */
  bool must_start;            /**< asks until it is active for the first time */
  bool has_logged;            /**< that it was refused, since its start */
  uint64_t renewals; /**< starts of the arbiter; each one voids all that was held and wanted */
  uint64_t renewals_seen;
  sn_log_limit warnings;
} sn_controller;

/** The hook configure: holds the robot model, attaches to the arbiter, calls `create`. On failure
 *  nothing is held.
 *  @param component  begins with an sn_controller
 *  @param hooks      constant data; may be NULL
 *  @return SN_OK; SN_ENOTCONFIGURED: no robot model or no arbiter; SN_EINVAL: the arbiter does not
 *          know this component, or it is in another activity; SN_ENOENT: an unknown name in
 *          `controlled_chains`; SN_ENOSPC, SN_ENOMEM; or what `create` returned
 *  RT: no.  Threads: the hook. */
SN_API sn_status sn_controller_configure(sn_component *component, const sn_controller_hooks *hooks,
                                         sn_error *err);

/** The hooks start and cleanup, or the last line of yours. */
SN_API sn_status sn_controller_start(sn_component *component, int64_t now_ns, sn_error *err);
SN_API void sn_controller_cleanup(sn_component *component);

/** Begin a step: read the pose; ask for limbs if `start_operational` says so.
 *  @return whether it owns joints.  RT: yes.  Threads: the component's. */
SN_API bool sn_controller_begin_step(sn_controller *controller, int64_t now_ns) SN_RT;

/** State how much weight a chain bears, until the set of owned joints changes; else 0. Chains that
 *  it does not own are ignored.
 *  @param chain    index in sn_model_chain_names()
 *  @param support  0 (in the air) .. 1 (carries its full share), by the chain's default contact
 *  RT: yes.  Threads: the component's. */
SN_API void sn_controller_set_support(sn_controller *controller, size_t chain,
                                      double support) SN_RT;

/** End a step: publish `q` (and `qd`) of every joint that it owns, and how much weight their limbs
 *  bear. Without joints it does nothing, and for a port that its table lacks neither.
 *  @return as sn_output_write().  RT: yes.  Threads: the component's. */
SN_API sn_status sn_controller_publish(sn_controller *controller) SN_RT;

/** Ask for limbs: names of chains, groups, joints or other resources.
 *  @param count  0: everything
 *  @return SN_OK: it has them, or with `stay_operational` those that no stronger controller holds;
 *          SN_EBUSY: refused; SN_ENOENT: an unknown name; or what `can_take` returned
 *  RT: yes, but for the error's text.  Threads: the component's. */
SN_API sn_status sn_controller_take(sn_controller *controller, const char *const *names,
                                    size_t count, sn_error *err);

/** Give all limbs back. RT: yes.  Threads: the component's. */
SN_API void sn_controller_release(sn_controller *controller) SN_RT;

/** Has it got limbs, or does it wait for them? RT: yes.  Threads: the component's. */
SN_API bool sn_controller_is_operational(const sn_controller *controller) SN_RT;

/** The joint of this name. @param joint  out: its index in all arrays
 *  @return SN_OK, or SN_ENOENT with the reason.  RT: yes, but for the error's text. */
SN_API sn_status sn_controller_find_joint(const sn_controller *controller, const char *name,
                                          size_t *joint, sn_error *err);

/** The names of all joints it owns, in order: for an output of another kind than `out_joints_ref`.
 *  @param names  with room for `joint_count`.  RT: yes.  Threads: the component's. */
SN_API void sn_controller_name_joints(const sn_controller *controller, sn_msg_names *names) SN_RT;

/** Log a warning, at most one a second; the next one counts those that were left out.
 *  @param format  as sn_component_log().  RT: yes.  Threads: the component's. */
SN_API void sn_controller_warn(sn_controller *controller, const char *format, size_t arg_count,
                               const sn_log_arg *args) SN_RT;

/** Entries of a controller's tables; what follows them in a table is the controller's own. */
#define SN_CONTROLLER_PROPERTIES                                     \
  SN_PROPERTY(sn_controller, "controlled_chains", controlled_chains, \
              .doc = "The limbs it asks for; empty: all."),          \
      SN_CONTROLLER_REQUEST_PROPERTIES

/* How it asks for limbs: for a controller that describes its list of limbs itself. */
#define SN_CONTROLLER_REQUEST_PROPERTIES                                                    \
  SN_PROPERTY(sn_controller, "stay_operational", stay_operational,                          \
              .doc = "Stay active without all of the limbs, and get lost ones back."),      \
      SN_PROPERTY(sn_controller, "start_operational", start_operational,                    \
                  .doc = "Ask for the limbs at the start, as soon as a pose has arrived."), \
      SN_PROPERTY(sn_controller, "priority", priority, .unit = "", .min = -1000000,         \
                  .max = 1000000, .doc = "Priority of its requests: higher ones win.")

#define SN_CONTROLLER_PORTS                                                                   \
  SN_INPUT(sn_controller, "sync", sync, &sn_timer_event_type, .flags = SN_PORT_EVENT,         \
           .doc = "The tick."),                                                               \
      SN_INPUT(sn_controller, "in_joints_sorted", in_joints_sorted, &sn_joint_state_type,     \
               .flags = SN_PORT_FEEDBACK, .doc = "The commanded pose, complete and sorted."), \
      SN_OUTPUT(sn_controller, "out_joints_ref", out_joints_ref, &sn_joint_state_type,        \
                .doc = "The references of all joints it owns."),                              \
      SN_OUTPUT(sn_controller, "ref_support", ref_support, &sn_support_state_type,            \
                .doc = "Which of the limbs it owns bear weight.")

#define SN_CONTROLLER_NEEDS                                                      \
  SN_ROBOT_MODEL_NEED(sn_controller), {                                          \
    .name = "arbiter", .interface = SN_RESOURCE_ARBITER,                         \
    .offset = offsetof(sn_controller, arbiter), .doc = "Grants and takes limbs." \
  }

#define SN_CONTROLLER_OPERATIONS                                                          \
  {"rosSetOperational",                                                                   \
   SN_OWN_THREAD,                                                                         \
   &sn_call_switch_type,                                                                  \
   &sn_call_outcome_type,                                                                 \
   sn__controller_ros_set_operational,                                                    \
   "Take the limbs of controlled_chains, or release all."},                               \
      {"setOperational",                                                                  \
       SN_OWN_THREAD,                                                                     \
       &sn_set_operational_type,                                                          \
       &sn_call_outcome_type,                                                             \
       sn__controller_set_operational,                                                    \
       "Take these limbs, or the limbs of these joints; or release all."},                \
      {"releaseResources",                                                                \
       SN_OWN_THREAD,                                                                     \
       &sn_resource_request_type,                                                         \
       &sn_call_outcome_type,                                                             \
       sn__controller_release_resources,                                                  \
       "Release those of these limbs that it holds; without stay_operational, all limbs " \
       "if it holds one of these. An empty list releases nothing."},                      \
  {                                                                                       \
    "releaseResosurces", SN_OWN_THREAD, &sn_resource_request_type, &sn_call_outcome_type, \
        sn__controller_release_resources, "An alias of releaseResources."                 \
  }

/** The tables of a controller that adds nothing to them. */
SN_API extern const sn_port sn_controller_ports[];
SN_API extern const sn_need sn_controller_needs[];
SN_API extern const sn_operation sn_controller_operations[];
SN_API extern const sn_service sn_controller_services[];

/** A type with those tables: name, struct, and its own `.doc`, `.properties`, `.configure`,
 *  `.step`. */
#define SN_CONTROLLER_TYPE(name_, struct_, ...)                                 \
  {                                                                             \
    .abi = SN_COMPONENT_ABI, .name = (name_), .size = sizeof(struct_),          \
    .ports = sn_controller_ports, .operations = sn_controller_operations,       \
    .services = sn_controller_services, .needs = sn_controller_needs,           \
    .start = sn_controller_start, .cleanup = sn_controller_cleanup, __VA_ARGS__ \
  }

/** The service of `resources_control` that grants limbs, and the one that every controller has. */
#define SN_RESOURCE_ARBITER "ResourceArbiter"
#define SN_RESOURCE_CONSUMER "ResourceConsumer"

/** Private: what SN_CONTROLLER_OPERATIONS calls. */
SN_API sn_status sn__controller_ros_set_operational(sn_component *component, const void *request,
                                                    void *response, sn_error *err);
SN_API sn_status sn__controller_set_operational(sn_component *component, const void *request,
                                                void *response, sn_error *err);
SN_API sn_status sn__controller_release_resources(sn_component *component, const void *request,
                                                  void *response, sn_error *err);

SN_END_DECLS

#endif
