/** @file
 *  A deployment from the command line: loaded, built, its problems kept for printing. */
#ifndef SINEW_APP_PLAN_H
#define SINEW_APP_PLAN_H

#include <stdbool.h>

#include "sinew/deployment.h"

/** Must not be moved: the system knows its clock and log by address. */
typedef struct plan {
  sn_arena arena;        /**< of the deployment, the types of components and the log */
  sn_arena report_arena; /**< of the problems */
  sn_report *report;
  sn_component_registry *registry;
  const sn_deployment *deployment; /**< NULL if it could not be loaded */
  sn_clock clock;
  sn_log *log;
  sn_system *system; /**< NULL if it could not be built */
} plan;

/** Does this file hold a deployment, and not just the properties of a robot? False also if it
 *  cannot be read. */
bool plan_is_meant(const char *path);

/** Is it a robot, by itself: a URDF, or a file with the properties of one? Its deployment is the
 *  standard one then. Other XML (SDF, MJCF, xacro) counts as one, too: the reader of URDF says what
 *  it is and what to do. */
bool plan_is_robot(const char *path);

/** The property file that belongs to a URDF: beside it, of the same name with the ending .yaml,
 * with chains, contacts or groups of this robot, not a deployment.
 *  @param out  its path
 *  @return whether there is one */
bool plan_find_properties(const char *urdf, char *out, size_t size);

/** What the command line says besides the file. */
typedef struct plan_wishes {
  const char *const *settings; /**< `component.property=value` */
  size_t setting_count;
  const char *robot;        /**< wins over the deployment's; NULL: none */
  const char *properties;   /**< of the robot, which is a URDF; NULL: none */
  const char *package_path; /**< folders with packages; NULL: none */
  bool is_headless;         /**< without the cockpit */
  /** With a component `ros1` or `ros2`, whatever the deployment says of it. */
  bool has_ros1, has_ros2;
  bool has_plugins; /**< load those that the deployment names; else each one is an error */
  bool is_alone;    /**< without all that attends to the system: recorders, servers, bridges */
} plan_wishes;

/** Load a deployment, or the standard one for a robot, and build its system on `clock`, which
 *  is set before. @return false only if there is no memory; whether it is good, `system` tells */
bool plan_load(plan *p, const char *path, const plan_wishes *wishes);

/** The same from the text of a deployment that names no file. */
bool plan_parse(plan *p, const char *text, size_t size, const char *name,
                const plan_wishes *wishes);

/** Is the cockpit part of this program? It can be built without. */
bool plan_has_cockpit(const plan *p);

/** The deployment as text, on the heap; NULL: no memory.
 *  @param is_whole  as for sn_deployment_print() */
char *plan_text(const plan *p, bool is_whole);

void plan_free(plan *p);

#endif
