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

/** Load a deployment with the settings of the command line and build its system on `clock`, which
 *  is set before. @return false only if there is no memory; whether it is good, `system` tells */
bool plan_load(plan *p, const char *path, const char *const *settings, size_t setting_count);

void plan_free(plan *p);

#endif
