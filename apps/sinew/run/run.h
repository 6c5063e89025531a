/** @file
 *  A deployment, run as the command line says. */
#ifndef SINEW_APP_RUN_H
#define SINEW_APP_RUN_H

#include "run/run_arguments.h"

/** Load, run and end; says what goes wrong. @return the exit code */
int run_with(const run_arguments *a);

#endif
