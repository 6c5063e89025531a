/** @file
 *  The load of a joint of a robot, for `sinew ident --load urdf:FILE:JOINT`. */
#ifndef SINEW_APP_LOAD_URDF_H
#define SINEW_APP_LOAD_URDF_H

#include "ident/output_error/servo_log.h"

/** Limits of a joint; those of one that turns without end are not set. */
typedef struct load_limits {
  bool are_set;
  double lower, upper; /**< rad */
} load_limits;

/** Does the text begin like this form? */
bool load_urdf_is_one(const char *text);

/** What the joint carries, as the mass on an arm that swings alike: the base is fixed and upright,
 *  the other joints are at zero. Prints what is wrong.
 *  @param text  urdf:FILE:JOINT
 *  @return EXIT_GOOD, EXIT_NO, EXIT_USAGE or EXIT_FAULT; @p out and @p limits are set if EXIT_GOOD
 */
int load_urdf_read(const char *text, sn__pendulum *out, load_limits *limits);

#endif
