/** @file
 *  What an SRDF says about a robot, as `sinew check` shows it. Nothing without an SRDF. */
#ifndef SINEW_APP_CHECK_SEMANTICS_H
#define SINEW_APP_CHECK_SEMANTICS_H

#include <jansson.h>

#include "sinew/model.h"

void semantics_print(const sn_model *model);

/** Add the member `semantics`. */
void semantics_add_json(const sn_model *model, json_t *json);

#endif
