/** @file
 *  `sinew run` and `sinew demo`: a deployment, run as the command line says. */
#ifndef SINEW_APP_RUN_H
#define SINEW_APP_RUN_H

#include "command.h"
#include "common/robot.h"
#include "sinew/clock.h"

typedef struct run_arguments {
  robot_options robot_options;
  const char *command; /**< `run` or `demo` */
  const char *path;    /**< of `demo`: a robot; NULL: none */
  text_list paths;     /**< of `run`: deployments or robots */
  int64_t copies;      /**< of each */
  const char *robot;   /**< overrides the robot of the deployment; NULL: does not */
  bool is_headless;
  bool is_hanging;         /**< a robot with legs does not stand on the ground */
  bool has_ros1, has_ros2; /**< add a node of a ROS graph */
  sn_clock_kind clock;
  double factor;
  double duration_s; /**< negative: until interrupted */
  bool is_quiet;     /**< log warnings and errors only */
  bool wants_hash;
  bool wants_text;    /**< print the deployment, and run nothing */
  const char *record; /**< file to record to, or NULL */
  text_list record_outputs;
  double record_rate; /**< Hz; 0: all messages */
  const char *socket; /**< of control; NULL: by name */
  const char *name;
  text_list settings;
  int64_t port; /**< of the first cockpit; negative: as the deployment says */
} run_arguments;

/** What is not given on the command line. */
#define RUN_ARGUMENTS_INITIAL \
  .clock = SN_CLOCK_MONOTONIC, .duration_s = -1.0, .port = -1, .copies = 1

/** Options of `sinew run` and `sinew demo`. */
extern const command_option run_option_table[];

/** Check options that depend on each other.
 *  @return false: misused, and a message was printed */
bool run_arguments_complete(run_arguments *a, const command *c);

/** The property files of a URDF: those given, or the one beside it, which a message names
 *  if @p says_so.
 *  @param room  receives the path of the only one, which need not exist yet; empty: there is none,
 *               or several */
text_list run_find_properties(const run_arguments *a, const char *path, bool says_so, char *room,
                              size_t size);

/** Load, run and end; prints what goes wrong.
 *  @param paths  deployments or robots, each of which runs `copies` times
 *  @return the exit code */
int run_with(const run_arguments *a, const char *const *paths, size_t path_count);

#endif
