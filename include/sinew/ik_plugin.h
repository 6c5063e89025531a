/** @file
 *  Solvers of inverse kinematics from shared libraries. Needs an operating system with dlopen(). */
#ifndef SINEW_IK_PLUGIN_H
#define SINEW_IK_PLUGIN_H

#include "sinew/api.h"
#include "sinew/ik_registry.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

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
