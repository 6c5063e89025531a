/** @file
 *  Solvers of inverse kinematics by name. */
#ifndef SINEW_IK_REGISTRY_H
#define SINEW_IK_REGISTRY_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/ik_solver.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** The most solvers that a registry holds. */
#define SN_IK_SOLVERS_MAX 32

/** A list of solvers; treat the fields as private. No global registry exists. */
typedef struct sn_ik_registry {
  const sn_ik_solver *solvers[SN_IK_SOLVERS_MAX];
  size_t count;
} sn_ik_registry;

/** With the built-in solvers: `auto`, `analytic`, `numeric`, `whole-body`. RT: yes. */
SN_API void sn_ik_registry_init(sn_ik_registry *registry) SN_RT;

/** Add a solver, which must outlive the registry and all instances of the solver.
 *  @return SN_OK; SN_EINVAL (built for another SN_IK_ABI, without name or functions, or a name that
 *          is taken); SN_ELIMIT (full)
 *  RT: no.  Threads: one owner while adding, then any. */
SN_API sn_status sn_ik_registry_add(sn_ik_registry *registry, const sn_ik_solver *solver,
                                    sn_error *err);

/** The solver of this name, or NULL; `-` and `_` are the same. RT: yes. */
SN_API const sn_ik_solver *sn_ik_registry_find(const sn_ik_registry *registry,
                                               const char *name) SN_RT;

/** All of them, the built-in ones first; @p index less than the count. RT: yes. */
SN_API size_t sn_ik_registry_count(const sn_ik_registry *registry) SN_RT;
SN_API const sn_ik_solver *sn_ik_registry_at(const sn_ik_registry *registry, size_t index) SN_RT;

/* ---- ik plugin ---- */

/** Open a shared library and add the solver that it exports as `const sn_ik_solver sn_ik_plugin`.
 *  The library runs with all rights of the process, and stays loaded until the process ends.
 *  @param path    of the file; a name without a slash is looked up in the current directory, never
 * in the system's search path
 *  @param solver  receives the added solver; may be NULL
 *  @return SN_OK; SN_EIO (cannot be opened); SN_ENOENT (has no such symbol); else as
 *          sn_ik_registry_add()
 *  RT: no.  Threads: one owner of the registry. */
SN_API sn_status sn_ik_load_plugin(sn_ik_registry *registry, const char *path,
                                   const sn_ik_solver **solver, sn_error *err);

SN_END_DECLS

#endif
