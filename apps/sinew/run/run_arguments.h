/** @file
 *  What `sinew run` and `sinew demo` are told on the command line. */
#ifndef SINEW_APP_RUN_ARGUMENTS_H
#define SINEW_APP_RUN_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/package_path.h"
#include "sinew/clock.h"

enum { RUN_SETTINGS_MAX = 256 };

typedef struct run_arguments {
  const char *command;     /**< `run` or `demo` */
  const char *path;        /**< a deployment or a robot */
  const char *robot;       /**< that the deployment gets; NULL: its own */
  const char *properties;  /**< of the robot; NULL: the file beside it, if there is one */
  bool without_properties; /**< do not look for it */
  char package_path[PACKAGE_PATH_SIZE]; /**< folders with packages, with colons between them */
  bool is_headless;
  bool has_ros1; /**< a node of a ROS 1 graph, too */
  bool has_ros2; /**< or of a ROS 2 graph */
  sn_clock_kind clock;
  double factor;
  double duration_s; /**< negative: until interrupted */
  bool is_quiet;     /**< of the log, warnings and errors only */
  bool wants_hash;
  bool wants_text;    /**< print the deployment, and run nothing */
  const char *record; /**< file to record to, or NULL */
  const char *socket; /**< of control; NULL: by name */
  const char *name;
  const char *settings[RUN_SETTINGS_MAX];
  size_t setting_count;
  char port[40]; /**< the setting that --port stands for */
} run_arguments;

/** Read the arguments; says what is not understood.
 *  @return EXIT_GOOD or EXIT_USAGE */
int run_arguments_parse(run_arguments *a, int argc, char **argv);

#endif
