/** @file
 *  What distinguishes the robots of one process: names, ports of cockpits, files of recordings. */
#ifndef SINEW_RUN_NAMES_H
#define SINEW_RUN_NAMES_H

#include "run/run_robot.h"

/** Fill path, name, port and recording of each robot: copies of a file follow each other.
 *  @param robots  [path_count * a->copies], zero */
void run_robots_name(const run_arguments *a, const char *const *paths, size_t path_count,
                     run_robot *robots);

#endif
