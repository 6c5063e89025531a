/** @file
 *  One of the robots that `sinew run` runs: its system with what belongs to it. */
#ifndef SINEW_RUN_ROBOT_H
#define SINEW_RUN_ROBOT_H

#include "common/app_system.h"
#include "record/recorder.h"
#include "run/control_server.h"
#include "run/run.h"
#include "run/run_hash.h"

enum { RUN_PATH_SIZE = 4096, RUN_NAME_SIZE = 64 };

/** Zero-initialise, then set the first group. Must not be moved. */
typedef struct run_robot {
  const run_arguments *arguments;
  const char *path;                                             /**< a deployment or a robot */
  const char *name;                                             /**< NULL: the default one */
  char base_name[RUN_NAME_SIZE], full_name[RUN_NAME_SIZE + 22]; /* and a number */
  bool is_copy;               /**< of the robot before it: nothing new to say about its file */
  bool is_one_of_many;        /**< lines of the log begin with its name */
  char port_setting[40];      /**< empty: as the deployment says */
  char record[RUN_PATH_SIZE]; /**< file to record to; empty: none */
  app_system app;             /**< its clock is set by run_robot_load() */
  run_hash hash;
  sn_recorder *recorder;  /**< NULL: nothing is recorded */
  control_server *server; /**< NULL: no control socket */
  int64_t start_ns;       /**< by the clock of the system: time 0 of the log */
} run_robot;

/** Load the deployment and print its problems. @return EXIT_GOOD, and there is a system unless only
 *  the text is wanted; or the exit code */
int run_robot_load(run_robot *r);

/** Begin the system, with recorder, hash, control socket and cockpit. */
sn_status run_robot_begin(run_robot *r, sn_error *err);

/** Print its log and empty the buffers of its outputs: often enough that they do not overflow. */
void run_robot_drain(run_robot *r);

/** End clients and the recording, before any system is halted.
 *  @param has_run  report components in error
 *  @return whether the recording is
 *  complete and no component is in error; otherwise a message was printed */
bool run_robot_close(run_robot *r, bool has_run);

/** Halt and end the system, and print the last messages. */
void run_robot_end(run_robot *r);

/** Print the hash of all messages, if it is wanted. */
void run_robot_print_hash(const run_robot *r);

void run_robot_free(run_robot *r);

#endif
