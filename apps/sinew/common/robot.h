/** @file
 *  A robot from the command line: files loaded, problems kept for printing. */
#ifndef SINEW_APP_ROBOT_H
#define SINEW_APP_ROBOT_H

#include <stdbool.h>

#include "sinew/model.h"

typedef struct robot {
  sn_arena arena;        /**< of the model */
  sn_arena report_arena; /**< of problems, properties and paths */
  sn_report *report;
  const sn_model *model; /**< NULL if it could not be loaded */
  const char *urdf;      /**< path of the URDF that was read, for messages */
} robot;

/** What the command line says besides the file. */
typedef struct robot_wishes {
  const char *properties;   /**< a property file of its own; NULL: none */
  const char *package_path; /**< folders with packages; NULL: none */
} robot_wishes;

/** Load FILE: a `.urdf`, or a YAML file whose `robot` names one (relative to it) and which holds
 *  the properties.
 *  @return false only if there is no memory; whether the robot is good, `model` tells */
bool robot_load(robot *r, const char *path, const robot_wishes *wishes);

void robot_free(robot *r);

/** Load a robot for a command that needs a good one: prints the problems if it is not.
 *  @return EXIT_GOOD, EXIT_NO or EXIT_FAULT */
int robot_require(robot *r, const char *path);

#endif
