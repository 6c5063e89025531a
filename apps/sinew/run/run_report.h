/** @file
 *  What `sinew run` says about a robot before it runs. */
#ifndef SINEW_APP_RUN_REPORT_H
#define SINEW_APP_RUN_REPORT_H

#include "common/app_system.h"
#include "run/run.h"

/** Errors are printed; warnings are only counted if the robot runs anyway, except missing meshes.
 */
void run_report_problems(const app_system *app, const run_arguments *arguments, const char *path);

/** Why the base is fixed although the robot has feet, if that is so. */
void run_report_no_stance(const app_system *app, const run_arguments *arguments);

#endif
