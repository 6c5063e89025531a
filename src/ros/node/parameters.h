/** @file
 *  Internal: properties of components as parameters of the node: `component.property`, or
 *  `component.bag.property` for one in a bag. */
#ifndef SN_ROS_NODE_PARAMETERS_H
#define SN_ROS_NODE_PARAMETERS_H

#include <jansson.h>

#include "msg/node/parameter_msgs.h"
#include "ros/node/node_interfaces.h"

#define SN__USE_SIM_TIME "use_sim_time"

/** A parameter of the node. */
typedef struct sn__known_parameter {
  const char *name;
  const sn_property *property; /**< NULL: `use_sim_time` */
  uint64_t change;             /**< sn__property_change(); only from sn__parameter_each() */
} sn__known_parameter;

/** The caller holds the system. @return whether there is such a parameter */
bool sn__parameter_find(const sn__bridge *bridge, const char *name, sn__known_parameter *out);

/** Visit all, sorted by component; names are valid during the call. The caller holds the system. */
typedef void sn__parameter_visit(void *context, const sn__known_parameter *parameter);
void sn__parameter_each(const sn__bridge *bridge, sn__parameter_visit *visit, void *context);

sn__parameter_kind sn__parameter_kind_of(const sn__known_parameter *parameter);
/** `integer`, `list of doubles`, …; static. */
const char *sn__parameter_kind_text(unsigned kind);
/** May it be set while the component runs, over the network? */
bool sn__parameter_is_read_only(const sn__known_parameter *parameter);

/** The present value. The caller holds the system. @return SN_OK, SN_ENOSPC, SN_ENOMEM */
sn_status sn__parameter_get(sn__node_answer *answer, const sn__known_parameter *parameter,
                            sn__parameter_value *out, sn_error *err);
/** The caller holds the system. @return as sn_system_set(), or SN_EINVAL (wrong type) */
sn_status sn__parameter_set(const sn__bridge *bridge, const sn__known_parameter *parameter,
                            const sn__parameter_value *value, sn_error *err);

#endif
