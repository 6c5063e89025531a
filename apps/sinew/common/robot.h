/** @file
 *  A robot from the command line: files loaded, problems kept for printing. */
#ifndef SINEW_APP_ROBOT_H
#define SINEW_APP_ROBOT_H

#include <stdbool.h>

#include "command.h"
#include "sinew/model.h"

typedef struct robot {
  sn_arena arena;        /**< of the model */
  sn_arena report_arena; /**< of problems, properties and paths */
  sn_report *report;
  const sn_model *model; /**< NULL if it could not be loaded */
  const char *urdf;      /**< path of the URDF that was read, for messages */
} robot;

enum { PACKAGE_PATH_SIZE = 8192 };

/** Options besides the file. */
typedef struct robot_options {
  text_list properties;                 /**< property files */
  bool without_properties;              /**< do not look for one beside the robot */
  char package_path[PACKAGE_PATH_SIZE]; /**< folders with packages, with colons between them */
  text_list xacro_arguments;            /**< `name:=value` */
  const char *srdf;                     /**< NULL: the file beside the robot; empty: none */
} robot_options;

/** --properties, --no-properties, --package-path, --arg and --srdf, for structs that begin with
 * robot_options. */
extern const command_option robot_option_table[];

/** --package-path alone. */
extern const command_option package_path_option_table[];

/** The path for the library. @return NULL if it is empty */
const char *robot_package_path(const robot_options *options);

/** The arguments of a xacro file for the library. */
const char *const *robot_xacro_arguments(const robot_options *options);

/** Load FILE with the first property file: a `.urdf` or `.xacro`, or a YAML file whose `robot`
 * names one (relative to it) and which holds the properties.
 *  @return false only if memory runs out; an invalid robot leaves `model` NULL */
bool robot_load(robot *r, const char *path, const robot_options *options);

void robot_free(robot *r);

/** The arguments URDF BASE TIP. */
typedef struct chain_arguments {
  const char *urdf, *base, *tip;
} chain_arguments;

/** Their table, for structs that begin with chain_arguments. */
extern const command_argument chain_argument_table[];

/** Load a robot for a command that needs a valid one. Prints the problems.
 *  @return EXIT_GOOD, EXIT_NO or EXIT_FAULT */
int robot_require(robot *r, const char *path);

#endif
