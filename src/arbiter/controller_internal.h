/** @file
 *  Internal: the interface between controllers and `resources_control`. */
#ifndef SN_ARBITER_CONTROLLER_INTERNAL_H
#define SN_ARBITER_CONTROLLER_INTERNAL_H

#include <stddef.h>

#include "arbiter/consumer.h"
#include "arbiter/resource_set.h"
#include "sinew/controller.h"
#include "sinew/names.h"

/** The tables of a component type that is a controller with properties, ports and needs of its
 *  own. */
#define SN__CONTROLLER_TABLES(properties_, ports_, needs_)           \
  .properties = (properties_), .ports = (ports_), .needs = (needs_), \
  .operations = sn_controller_operations, .services = sn_controller_services

/** Which joints belong to which resource. Constant. */
typedef struct sn__resource_map {
  const sn_names *resources;         /**< chains, groups, and resources without joints */
  size_t joint_count;                /**< of the sorted pose */
  const int *resource_of_joint;      /**< [joint_count]; -1: none, so it cannot be owned */
  const sn_names *aliases;           /**< chains and groups that are not resources themselves */
  const sn_resource_set *alias_sets; /**< [aliases] the resources of their joints */
} sn__resource_map;

/** The interface SN_RESOURCE_ARBITER. `attach` sets the controller's `map` and initialises its
 *  `consumer` with these hooks. */
typedef struct sn__resource_arbiter {
  void *context;
  sn_status (*attach)(void *context, sn_controller *controller, const sn_consumer_hooks *hooks,
                      sn_error *err);
} sn__resource_arbiter;

/** The resources that names mean: each is a resource; or a chain, group or joint that is not one,
 *  which means the resources that its joints belong to.
 *  @param count  0: all resources
 *  @param set    out; untouched on failure
 *  @return SN_OK, or SN_ENOENT: an unknown name.  RT: yes, but for the error's text. */
sn_status sn__controller_find(const sn_controller *controller, const char *const *names,
                              size_t count, sn_resource_set *set, sn_error *err);

/** Does it own a joint? A resource may have none. RT: yes. */
bool sn__controller_owns_joints(const sn_controller *controller) SN_RT;

/** For `start_operational`: ask once. RT: yes. */
void sn__controller_ask(sn_controller *controller) SN_RT;

/** Read measured positions.
 *  @param names         of the input
 *  @param measured      [joint_count] out
 *  @param has_measured  set when every joint was named
 *  RT: yes. */
void sn__controller_read_measured(const sn_controller *controller, sn_input *input,
                                  struct sn__name_map *names, double *measured,
                                  bool *has_measured) SN_RT;

#endif
