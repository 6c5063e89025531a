#include "rt/components/component_registry.h"

#include <string.h>

#include "base/fail.h"
#include "sinew/fault.h"

sn_component_registry *sn_component_registry_create(sn_arena *arena) {
  sn_component_registry *registry = SN_NEW(arena, sn_component_registry, 1);
  if (registry != NULL) {
    registry->arena = arena;
  }
  return registry;
}

static bool grow(sn_component_registry *registry) {
  const size_t capacity = registry->capacity == 0 ? 16 : 2 * registry->capacity;
  const sn_component_type **types = SN_NEW(registry->arena, const sn_component_type *, capacity);
  if (types == NULL) {
    return false;
  }
  if (registry->count > 0) {
    memcpy(types, registry->types, registry->count * sizeof *types);
  }
  registry->types = types;
  registry->capacity = capacity;
  return true;
}

sn_status sn_component_registry_add(sn_component_registry *registry, const sn_component_type *type,
                                    sn_error *err) {
  const sn_status status = sn__component_type_check(type, err);
  if (status != SN_OK) {
    return status;
  }
  if (sn_component_registry_find(registry, type->name) != NULL) {
    return sn__fail(err, SN_EINVAL, "component type '%s' already exists", type->name);
  }
  if (registry->count == registry->capacity && !grow(registry)) {
    return sn__fail(err, SN_ENOMEM, "component type '%s': out of memory", type->name);
  }
  registry->types[registry->count++] = type;
  return SN_OK;
}

const sn_component_type *sn_component_registry_find(const sn_component_registry *registry,
                                                    const char *name) {
  for (size_t i = 0; i < registry->count; i++) {
    if (strcmp(registry->types[i]->name, name) == 0) {
      return registry->types[i];
    }
  }
  return NULL;
}

size_t sn_component_registry_count(const sn_component_registry *registry) {
  return registry->count;
}

const sn_component_type *sn_component_registry_at(const sn_component_registry *registry,
                                                  size_t index) {
  SN_ASSERT(index < registry->count);
  return registry->types[index];
}
