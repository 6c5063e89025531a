/** @file
 *  The component types that a deployment may name. */
#ifndef SINEW_COMPONENT_REGISTRY_H
#define SINEW_COMPONENT_REGISTRY_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/component.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Opaque. Lives in the arena it was created from. */
typedef struct sn_component_registry sn_component_registry;

/** An empty registry, or NULL if the arena is exhausted. RT: no. */
SN_API sn_component_registry *sn_component_registry_create(sn_arena *arena);

/** Add a type, which must outlive the registry. Its tables are checked: names (letters, digits and
 *  `_`, no digit first; unique in their table), members inside the struct and after its
 *  sn_component, types and functions not NULL, initial values of properties valid.
 *  @return SN_OK; SN_EINVAL: another ABI, an invalid table, or a name that is already used;
 *          SN_ENOMEM
 *  RT: no.  Threads: one owner. */
SN_API sn_status sn_component_registry_add(sn_component_registry *registry,
                                           const sn_component_type *type, sn_error *err);

/** @return the type with this name, or NULL */
SN_API const sn_component_type *sn_component_registry_find(const sn_component_registry *registry,
                                                           const char *name);

/** All types, in the order added. */
SN_API size_t sn_component_registry_count(const sn_component_registry *registry);
SN_API const sn_component_type *sn_component_registry_at(const sn_component_registry *registry,
                                                         size_t index);

/** Load a shared library and add the types that it exports as
 *  `const sn_component_type *const sn_component_plugin[]`, which ends with NULL. The library runs
 *  with all rights of the process and stays loaded until the process ends. Types that were added
 *  by an earlier load of the same library are skipped.
 *  @param path  of the file; a name without a slash is searched in the working directory
 *  @return SN_OK; SN_EIO (cannot be loaded); SN_ENOENT (no such symbol); else as
 *          sn_component_registry_add(), and then none of its types is added
 *  RT: no.  Threads: one owner. */
SN_API sn_status sn_component_registry_load(sn_component_registry *registry, const char *path,
                                            sn_error *err);

SN_END_DECLS

#endif
