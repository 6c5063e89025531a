/** @file
 *  Deployments: one file that describes the components of a system, their connections and
 *  activities. `docs/deployment.md` is the reference of the format. */
#ifndef SINEW_DEPLOYMENT_H
#define SINEW_DEPLOYMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/component.h"
#include "sinew/model.h"
#include "sinew/msg.h"
#include "sinew/report.h"
#include "sinew/status.h"
#include "sinew/system.h"
#include "sinew/value.h"

SN_BEGIN_DECLS

/** Opaque and immutable. Lives in the arena it was loaded into. */
typedef struct sn_deployment sn_deployment;

/** Larger files are rejected. */
#define SN_DEPLOYMENT_COMPONENTS_MAX 1024   /**< services inside components count, too */
#define SN_DEPLOYMENT_CONNECTIONS_MAX 16384 /**< connections */
#define SN_DEPLOYMENT_INCLUDES_MAX 64       /**< included files, in total */

/** @return true for a deployment, false for the properties of a robot: whether the root bag has
 *          `components`, `connections`, `activities`, `plugins` or `include`.  RT: no. */
SN_API bool sn_deployment_is_meant(const sn_value *root);

/** A file in memory. Not copied: must outlive the deployment. */
typedef struct sn_deployment_file {
  const char *name; /**< as an `include` names it: `standard.yaml` */
  const char *text;
  size_t size;
} sn_deployment_file;

/** Zero-initialise, then set what differs. */
typedef struct sn_deployment_config {
  sn_component_registry
      *registry;               /**< receives the types of plugins; must outlive the deployment */
  const char *const *settings; /**< `component.property=value` or `activity.period=value`, as
                                    from a command line; a value is YAML */
  size_t setting_count;
  const sn_deployment_file *files; /**< included by name if no file of that name exists */
  size_t file_count;
  /** Overrides the file's `robot`; relative to the working directory. NULL: none */
  const char *robot;
  /** Files with properties of the robot (chains, contacts, groups, limits by joint) and of
   * components: every key goes to all components that have a property of that name. */
  const char *const *property_files;
  size_t property_file_count;
  const char *package_path; /**< folders with packages, see docs/foxglove.md; NULL: none */
  const char *const *xacro_arguments; /**< of a robot in xacro: `name:=value`, ends with NULL;
                                           NULL: none */
  const char *srdf_file;      /**< SRDF of the robot; NULL: the one beside it; empty: none */
  const char *const *without; /**< types whose components, with their connections, are left out */
  size_t without_count;
  bool may_read; /**< sn_deployment_parse(): the text may name other files */
  /** NULL: plugins are loaded, which runs their code. Else no plugin is loaded: each one is an
   *  error with this hint, and unknown types are not reported. */
  const char *without_plugins;
} sn_deployment_config;

/** Read a deployment with all files that it names: included files, plugins, property files, the
 *  robot. Everything that can be checked before a system is built is checked; the report receives
 *  every problem with its place.
 *  @param arena   of the deployment and of the places in the report: must outlive both
 *  @param path    copied
 *  @param report  must not be NULL, and live in an arena of its own
 *  @param out     set on success, untouched on failure
 *  @return SN_OK (perhaps with warnings); SN_EINVAL (see the report); SN_ENOMEM
 *  RT: no.  Threads: one owner of everything. */
SN_API sn_status sn_deployment_load(sn_arena *arena, const char *path,
                                    const sn_deployment_config *config, sn_report *report,
                                    const sn_deployment **out);

/** As sn_deployment_load() for a text in memory. Unless config->may_read is set, naming another
 *  file is an error.
 *  @param file  name for messages; copied */
SN_API sn_status sn_deployment_parse(sn_arena *arena, const char *text, size_t size,
                                     const char *file, const sn_deployment_config *config,
                                     sn_report *report, const sn_deployment **out);

/* Inspection. RT: yes.  Threads: any. */

/** Counts include services inside components, and the robot model and activity that are added when
 *  the file has none. */
SN_API size_t sn_deployment_component_count(const sn_deployment *deployment);
SN_API size_t sn_deployment_connection_count(const sn_deployment *deployment);
SN_API size_t sn_deployment_activity_count(const sn_deployment *deployment);

/** For sn_system_config; zeros if the file sets none. */
SN_API sn_msg_capacity sn_deployment_capacity(const sn_deployment *deployment);

/** The robot that the file names, as checked when it was loaded; NULL if it names none. */
SN_API const sn_model *sn_deployment_model(const sn_deployment *deployment);

/** Print the deployment as one text that needs no other file except plugins: it contains the
 *  included files, the settings and the robot. sn_deployment_parse() of it gives the same system.
 *  @param is_whole  false: name the robot's files instead of including their contents
 *  @return the length of the text, which is truncated if that is not less than @p size
 *  RT: no.  Threads: any. */
SN_API size_t sn_deployment_print(const sn_deployment *deployment, bool is_whole, char *out,
                                  size_t size);

/** Print a JSON Schema (2020-12) of deployment files, with which editors complete and check them.
 *  It is generated from the tables of the component types.
 *  @param registry  the types that a file may name
 *  @param out       @p size bytes; truncated if too small, always ends with a NUL if size > 0
 *  @return the length of the whole text without the NUL; 0 if memory is exhausted
 *  RT: no, allocates.  Threads: owner of the registry. */
SN_API size_t sn_deployment_schema(const sn_component_registry *registry, char *out, size_t size);

/** Add everything to an empty system: activities, components with their properties, connections,
 *  needs. Nothing is configured or started; sn_deployment_check() reports what would make a start
 * fail.
 *  @param report  receives every problem with its place; must not be NULL
 *  @return SN_OK; SN_EINVAL (see the report): destroy the system; SN_ENOMEM
 *  RT: no.  Threads: one owner of the system. */
SN_API sn_status sn_deployment_build(const sn_deployment *deployment, sn_system *system,
                                     sn_report *report);

/** Report what would make sn_system_begin() fail for a system built from a deployment, and a
 * deployment without components. Nothing is started.
 *  @return as sn_deployment_build()
 *  RT: no.  Threads: one owner of the system. */
SN_API sn_status sn_deployment_check(const sn_deployment *deployment, sn_system *system,
                                     sn_report *report);

SN_END_DECLS

#endif
