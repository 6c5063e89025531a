/** @file
 *  Deployments: one file that says which components there are, what connects them and who steps
 *  them. `docs/deployment.md` is the reference of the file. */
#ifndef SINEW_DEPLOYMENT_H
#define SINEW_DEPLOYMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/component_registry.h"
#include "sinew/model.h"
#include "sinew/msg.h"
#include "sinew/report.h"
#include "sinew/status.h"
#include "sinew/system.h"
#include "sinew/value.h"

SN_BEGIN_DECLS

/** Opaque and immutable. Lives in the arena it was loaded into. */
typedef struct sn_deployment sn_deployment;

/** Beyond these a file is refused. */
#define SN_DEPLOYMENT_COMPONENTS_MAX 1024   /**< services inside components count, too */
#define SN_DEPLOYMENT_CONNECTIONS_MAX 16384 /**< connections */
#define SN_DEPLOYMENT_INCLUDES_MAX 64       /**< files that are included, in all */

/** Is it a deployment, or only the properties of a robot? True if the root bag has `components`,
 *  `connections`, `activities`, `plugins` or `include`. RT: no. */
SN_API bool sn_deployment_is_meant(const sn_value *root);

/** A file that is in memory. Nothing is copied: all of it must outlive the deployment. */
typedef struct sn_deployment_file {
  const char *name; /**< as an `include` names it: `standard.yaml` */
  const char *text;
  size_t size;
} sn_deployment_file;

/** What differs from the file, and what it stands on. Zero-initialise, then set. */
typedef struct sn_deployment_config {
  sn_component_registry
      *registry;               /**< receives the types of plugins; must outlive the deployment */
  const char *const *settings; /**< `component.property=value` or `activity.period=value`, as
                                    from a command line; a value is YAML */
  size_t setting_count;
  const sn_deployment_file *files; /**< what may be included without being there */
  size_t file_count;
  /** Wins over the file's `robot`; relative to the working folder. NULL: none */
  const char *robot;
  const char *package_path;   /**< folders with packages, see sinew/packages.h; NULL: none */
  const char *const *without; /**< types whose components are left out, and what connects them */
  size_t without_count;
  bool may_read; /**< sn_deployment_parse(): the text may name other files */
  /** NULL: plugins are loaded, which runs code of theirs. Else none is: each one is an error with
   *  this hint, and types that are unknown for want of it are not reported. */
  const char *without_plugins;
} sn_deployment_config;

/** Read a deployment with all files that it names: what it includes, plugins, property files, the
 *  robot. Everything is checked that can be known before a system is built; every problem goes into
 *  the report with its place.
 *  @param arena   of the deployment and of the places in the report: must outlive both
 *  @param path    copied
 *  @param report  must not be NULL, and live in an arena of its own
 *  @param out     set on success, untouched on failure
 *  @return SN_OK (perhaps with warnings); SN_EINVAL (see the report); SN_ENOMEM
 *  RT: no.  Threads: one owner of everything. */
SN_API sn_status sn_deployment_load(sn_arena *arena, const char *path,
                                    const sn_deployment_config *config, sn_report *report,
                                    const sn_deployment **out);

/** As sn_deployment_load() for a text that is in memory. Unless it may, nothing else is read: what
 *  names another file is a problem.
 *  @param file  name for messages; copied */
SN_API sn_status sn_deployment_parse(sn_arena *arena, const char *text, size_t size,
                                     const char *file, const sn_deployment_config *config,
                                     sn_report *report, const sn_deployment **out);

/* Looking at one. RT: yes.  Threads: any. */

/** How many there are: with the services inside components, and with what was added by itself. */
SN_API size_t sn_deployment_component_count(const sn_deployment *deployment);
SN_API size_t sn_deployment_connection_count(const sn_deployment *deployment);
SN_API size_t sn_deployment_activity_count(const sn_deployment *deployment);

/** For sn_system_config; zeros if the file does not say. */
SN_API sn_msg_capacity sn_deployment_capacity(const sn_deployment *deployment);

/** The robot that the file names, as checked when it was loaded; NULL if it names none. */
SN_API const sn_model *sn_deployment_model(const sn_deployment *deployment);

/** The deployment as one text that needs no other file but plugins: with all that it includes, what
 *  the command line set, and the robot. sn_deployment_parse() makes the same system of it.
 *  @param is_whole  false: for people, with the robot's files named instead of their contents
 *  @return the length of the text; it was cut if that is not less than @p size
 *  RT: no.  Threads: any. */
SN_API size_t sn_deployment_print(const sn_deployment *deployment, bool is_whole, char *out,
                                  size_t size);

/** Put everything into an empty system: activities, components with their properties, connections,
 *  needs. Nothing is configured or started; but what a start would refuse is looked for, by
 *  sn_system_check().
 *  @param report  receives every problem with its place; must not be NULL
 *  @return SN_OK; SN_EINVAL (see the report): destroy the system; SN_ENOMEM
 *  RT: no.  Threads: one owner of the system. */
SN_API sn_status sn_deployment_build(const sn_deployment *deployment, sn_system *system,
                                     sn_report *report);

/** What sn_system_begin() would refuse of a system that was built from a deployment, by
 *  sn_system_rehearse(); and a deployment without components. Nothing is started.
 *  @return as sn_deployment_build()
 *  RT: no.  Threads: one owner of the system. */
SN_API sn_status sn_deployment_check(const sn_deployment *deployment, sn_system *system,
                                     sn_report *report);

SN_END_DECLS

#endif
