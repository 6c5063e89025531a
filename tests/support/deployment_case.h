/** @file
 *  What the tests of deployment share. */
#ifndef SN_DEPLOYMENT_CASE_H
#define SN_DEPLOYMENT_CASE_H

#include "deployment_rig.h"

extern rig deployment_r;
extern char deployment_folder[64];

int deployment_set_up(void **state);

int deployment_tear_down(void **state);

typedef struct built {
  sn_clock clock;
  sn_system *system;
} built;

void deployment_build(built *b);

const char *deployment_get(const built *b, const char *component, const char *property);

extern const char deployment_pipeline[];

#endif
