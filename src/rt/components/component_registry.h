/** @file
 *  Internal: the list of a registry. */
#ifndef SN_RT_COMPONENTS_COMPONENT_REGISTRY_H
#define SN_RT_COMPONENTS_COMPONENT_REGISTRY_H

#include "sinew/component.h"

struct sn_component_registry {
  sn_arena *arena;
  const sn_component_type **types;
  size_t count;
  size_t capacity;
};

/** Check the tables of a type. @return SN_OK, SN_EINVAL with the first problem, or SN_ENOMEM */
sn_status sn__component_type_check(const sn_component_type *type, sn_error *err);

#endif
