/** @file
 *  What controllers have in common (`ResourceConsumer`): a connection to the arbiter, bound to the
 *  component, through which they ask for limbs, lose them and get them back.
 *  `examples/06_controller.c` is one to copy.
 *
 *  A controller, `resources_control` and the aggregator run in one activity: asking is a call, and
 * a hand-over takes effect in the cycle in which it is asked for. Ask before you write: what you
 * get is yours in this very step. What you give up, or would lose with something else, is yours to
 * the end of the cycle: write it once more. So every limb has one reference in every cycle. A
 * request from inside a hook may be answered at the end of the cycle, by the hook `answered`. */
#ifndef SINEW_CONTROLLER_H
#define SINEW_CONTROLLER_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/component.h"
#include "sinew/consumer.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_types.h"
#include "sinew/resource_set.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** The service of `resources_control`: a controller needs it, as a requester. */
#define SN_RESOURCE_ARBITER "ResourceArbiter"

/** The service that every controller gives; its face is its `sn_controller`. */
#define SN_RESOURCE_CONSUMER "ResourceConsumer"

/** Which joints belong to which resource. Constant. */
typedef struct sn_resource_map {
  const sn_names *resources;         /**< chains, groups, and resources without joints */
  size_t joint_count;                /**< of the sorted pose */
  const int *resource_of_joint;      /**< [joint_count]; -1: of none, so it cannot be owned */
  const sn_names *aliases;           /**< chains and groups that are not resources themselves */
  const sn_resource_set *alias_sets; /**< [aliases] the resources of their joints */
} sn_resource_map;

/** A member of the controller's struct. Read `map`, and give `&controller.consumer` to the
 * functions of consumer.h; the rest is private. */
typedef struct sn_controller {
  const sn_resource_map *map; /**< NULL until attached */
  sn_component *component;
  bool keep_subset;
  sn_consumer_hooks hooks;
  sn_consumer consumer;
  uint64_t renewals; /**< starts of the arbiter: at each one all that was held and wanted is void */
} sn_controller;

/** The face of SN_RESOURCE_ARBITER. */
typedef struct sn_resource_arbiter {
  void *context;
  sn_status (*attach)(void *context, sn_controller *controller, sn_error *err);
} sn_resource_arbiter;

/** In the hook configure: bind the controller to the arbiter for as long as both are configured.
 *  @param arbiter      the requester of SN_RESOURCE_ARBITER
 *  @param keep_subset  stay active with what is left when others take something
 *  @param hooks        called in the component's thread; may be NULL
 *  @return SN_OK; SN_ENOTCONFIGURED: the requester is not ready; SN_EINVAL: the arbiter does not
 * know this component, or it is in another activity RT: no.  Threads: the hook. */
SN_API sn_status sn_controller_attach(sn_controller *controller, sn_component *component,
                                      const sn_requester *arbiter, bool keep_subset,
                                      const sn_consumer_hooks *hooks, sn_error *err);

/** Is this joint of the sorted pose the controller's now? RT: yes.  Threads: the component's. */
SN_API bool sn_controller_has_joint(const sn_controller *controller, size_t joint) SN_RT;

/** The resources that names mean: each is a resource; or a chain, group or joint that is not one,
 *  which means the resources that its joints belong to.
 *  @param set  out; untouched on failure
 *  @return SN_OK, or SN_ENOENT: a name that means no resource, named in @p err
 *  RT: yes, but for the error's text.  Threads: any, once attached. */
SN_API sn_status sn_controller_find(const sn_controller *controller, const sn_names *joints,
                                    const char *const *names, size_t count, sn_resource_set *set,
                                    sn_error *err);

/** The controller that a component shows by its service SN_RESOURCE_CONSUMER; NULL: it has none.
 *  RT: yes.  Threads: the component's. */
SN_API sn_controller *sn_controller_of(sn_component *component) SN_RT;

/** The operation `releaseResources`, for the table of a controller: others take these. */
SN_API sn_status sn_controller_release(sn_component *component, const void *request, void *response,
                                       sn_error *err);
#define SN_RELEASE_RESOURCES                                                              \
  {"releaseResources",                                                                    \
   SN_OWN_THREAD,                                                                         \
   &sn_resource_request_type,                                                             \
   &sn_call_outcome_type,                                                                 \
   sn_controller_release,                                                                 \
   "Let go of these limbs; without a policy that keeps the rest, of all."},               \
  {                                                                                       \
    "releaseResosurces", SN_OWN_THREAD, &sn_resource_request_type, &sn_call_outcome_type, \
        sn_controller_release, "An alias of releaseResources."                            \
  }

SN_END_DECLS

#endif
