/** @file
 *  A deployment from the command line: loaded and built, with its problems for printing. */
#ifndef SINEW_APP_SYSTEM_H
#define SINEW_APP_SYSTEM_H

#include <stdbool.h>

#include "sinew/deployment.h"

/** Must not be moved: the system has pointers to its clock and log. */
typedef struct app_system {
  sn_arena arena;        /**< of the deployment, the component types and the log */
  sn_arena report_arena; /**< of the problems */
  sn_report *report;
  sn_component_registry *registry;
  const sn_deployment *deployment; /**< NULL if it could not be loaded */
  sn_clock clock;
  sn_log *log;
  sn_system *system;  /**< NULL if it could not be built */
  sn_error no_stance; /**< why a robot with legs does not stand; empty otherwise */
} app_system;

/** Is the file a deployment, not just the properties of a robot? False if it cannot be read. */
bool file_is_deployment(const char *path);

/** Is the file a robot: a URDF, or the properties of one? It runs with `walking.yaml` if it
 *  has legs, else with the standard deployment.
 *  Other XML (SDF, MJCF, xacro) counts as a robot: the reader of URDF reports what it is. */
bool file_is_robot(const char *path);

/** Find the property file of a URDF: beside it, with the same name and the ending .yaml, with
 *  chains, contacts or groups of this robot.
 *  @param out  its path, even if the file does not exist yet; empty if @p urdf is not a robot, or
 *              if the file of that name belongs to something else
 *  @return whether there is one */
bool robot_find_properties(const char *urdf, char *out, size_t size);

/** Options besides the file. */
typedef struct app_system_options {
  const char *const *settings; /**< `component.property=value` */
  size_t setting_count;
  const char *robot;             /**< overrides that of the deployment; NULL: does not */
  const char *const *properties; /**< files with properties of the robot, which is a URDF, and of
                                      components */
  size_t property_count;
  const char *property_file; /**< where clients save the properties of a robot that runs without a
                                  deployment; need not exist yet; NULL: nowhere */
  const char *package_path;  /**< folders with packages; NULL: none */
  const char *const *xacro_arguments; /**< `name:=value`, ends with NULL; NULL: none */
  const char *srdf_file;              /**< NULL: the one beside the robot; empty: none */
  bool is_headless;                   /**< without the cockpit */
  /** Add a component `ros1` or `ros2`. */
  bool has_ros1, has_ros2;
  const char
      *components; /**< components to change or add, as YAML: `plant: {type: …}`; NULL: none */
  const char *const *without_types; /**< whose components, with their connections, are left out */
  size_t without_count;
  bool has_plugins;   /**< load plugins; otherwise each one is an error */
  bool has_small_log; /**< one of many */
  bool is_alone;      /**< without recorders, servers and bridges */
  bool is_walking;    /**< a robot without a deployment gets `walking.yaml`, legs or not */
  bool is_hanging;    /**< it gets `standard.yaml`, legs or not: its base is fixed */
} app_system_options;

/** Does a robot stand on legs? One that cannot be loaded does not; loading it reports why.
 *  @param reason  out: why a robot with legs does not; empty otherwise */
bool robot_can_stand(const char *path, const app_system_options *options, sn_error *reason);

/** Load a deployment, or the standard one for a robot, and build its system on `clock`, which the
 *  caller has set. @return false only if out of memory; `system` is NULL if the file is invalid */
bool app_system_load(app_system *p, const char *path, const app_system_options *options);

/** The same from text. */
bool app_system_parse(app_system *p, const char *text, size_t size, const char *name,
                      const app_system_options *options);

/** Is the cockpit part of this build? */
bool app_system_has_cockpit(const app_system *p);

/** The deployment as text, on the heap; NULL: out of memory.
 *  @param is_whole  as for sn_deployment_print() */
char *app_system_text(const app_system *p, bool is_whole);

void app_system_free(app_system *p);

#endif
